#!/usr/bin/env bash
# Everything that docs/performance.md, docs/evidence.md and docs/tuning.md tell of a GPU, measured stage by stage.
#
#   bench/suite.sh MODELS OUT [DEVICE]...
#
# MODELS is a folder of GGUF files and diffusers folders, OUT a folder for results, DEVICE an id of `driftwood devices`
# (default: opencl:0). A stage whose result is in OUT is not run again, so that a run that was cut off can be taken up.
#
#   BUILD          the build folder, with -DDRIFTWOOD_BENCHMARKS=ON (build)
#   LLAMA_BENCH    llama.cpp's llama-bench, to run beside each language model
#   LANGUAGE       the GGUF file whose techniques are taken apart and which is tuned (the largest)
#   PLACE          the first part of the names of places in docs/evidence.md: h200 of h200-opencl (gpu)
#   MOST_SECONDS   no stage begins that would not end by then, as a guess (86400)
#   ONLY           a pattern (grep -E) of the stages to run: compare.*, pictures.*, profile.*, matvec.*, gemm.*, depth.*,
#                  evidence.*, tune.*
#
# Programs are compiled first, side by side; afterwards nothing else should run on the machine.
set -uo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
models=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
devices=("${@:-opencl:0}")
build=$(cd "${BUILD:-build}" && pwd)/bin
driftwood=$build/driftwood
begin=$SECONDS
shopt -s nullglob
language_models=("$models"/*.gguf)
image_models=()
for index in "$models"/*/model_index.json; do image_models+=("$(dirname "$index")"); done
largest=
[ ${#language_models[@]} = 0 ] || largest=$(ls -S "${language_models[@]}" | head -1)
language=${LANGUAGE:-$largest}

name_of() { basename "$1" .gguf; }

# stage NAME SECONDS COMMAND...: SECONDS is a guess; three times as many are allowed.
stage() {
  local name=$1 guess=$2; shift 2
  [[ $name =~ ${ONLY:-} ]] || return 0
  [ ! -s "$out/$name.txt" ] || return 0
  if [ $((SECONDS - begin + guess)) -gt "${MOST_SECONDS:-86400}" ]; then
    echo "$name: left out, there is no time for it"
    return 0
  fi
  local start=$SECONDS status
  echo "\$ $*" > "$out/$name.partial"
  timeout $((3 * guess + 20)) "$@" >> "$out/$name.partial" 2> "$out/$name.err"
  status=$?
  [ $status != 0 ] || mv "$out/$name.partial" "$out/$name.txt"
  echo "$name: $([ $status = 0 ] && echo done || echo "failed ($status), see $out/$name.err"), $((SECONDS - start)) s"
}

# Compiles what the benchmarks will run.
warm() {
  local commands=() device model
  for device in "${devices[@]}"; do
    for model in ${language_models[@]+"${language_models[@]}"}; do commands+=("bench $model -p 1024 -n 8 -r 1 --device $device"); done
    for model in "${image_models[@]}"; do commands+=("bench $model --steps 1 --size 512x512 -r 1 --device $device"); done
  done
  printf '%s\n' "${commands[@]}" | xargs -P "$(nproc)" -I{} sh -c "\"$driftwood\" {} > /dev/null 2>&1"
  echo "programs of ${#commands[@]} benchmarks are compiled."
}

[ -e "$out/warm" ] || { warm && touch "$out/warm"; }
for device in "${devices[@]}"; do stage "selftest.$device" 30 "$driftwood" selftest --device "$device"; done
for model in "${language_models[@]}"; do
  stage "compare.$(name_of "$model")" 20 python3 "$here/compare.py" --driftwood "$driftwood" "${devices[@]/#/--device=}" \
    --model "$(name_of "$model")=$model" ${LLAMA_BENCH:+--llama-bench "$LLAMA_BENCH"} "--llama-args=-ngl 99 -fa 1" \
    -p 1024 -n 256 --rounds 1 -r 5 --out "$out/$(name_of "$model").json"
done
for device in "${devices[@]}"; do
  for model in "${image_models[@]}"; do
    stage "pictures.$(name_of "$model").$device" 20 "$driftwood" bench "$model" --steps 20 --size 512x512 -r 5 --device "$device"
    stage "profile.$(name_of "$model").$device" 15 "$driftwood" profile "$model" --size 512x512 --device "$device"
  done
  [ -n "$language" ] || continue
  stage "profile.$(name_of "$language").$device" 15 "$driftwood" profile "$language" -p 1024 -n 8 --device "$device"
  stage "depth.$device" 20 "$driftwood" bench "$language" -p 0 -n 64 -d 8192 -r 3 --device "$device"
  stage "depth.prompt.$device" 20 "$driftwood" bench "$language" -p 8192 -n 0 -r 3 --device "$device"
done
first=${devices[0]}
if [ -x "$build/matvec_bench" ]; then
  for format in q4_0 q8_0; do
    for kind in linear norm-gated; do
      stage "matvec.$kind.$format" 20 "$build/matvec_bench" "$first" $kind $format 14336 4096 0 0 0 1 1
    done
  done
  for product in "f16 4096 4096 4096" "f16 8192 8192 8192" "q4_0 14336 1024 4096" "i8c 14336 1024 4096"; do
    # shellcheck disable=SC2086 -- words
    stage "gemm.${product// /.}" 15 "$build/gemm_bench" "$first" $product
  done
fi
for device in "${devices[@]}"; do
  place=${PLACE:-gpu}-${device%%:*}
  export EVIDENCE=$out PAGE='' DRIFTWOOD=$driftwood PROMPT=512 SECONDS_OF_GROUP=150
  stage "evidence.$place" 300 "$here/evidence.sh" "$place" "$language" "${image_models[0]:-}" -r 9 --most-seconds 1.5 \
    --start-repeats 2 --device "$device"
  for model in "$language" "${image_models[@]}"; do
    [ -z "$model" ] || stage "tune.$(name_of "$model").$device" 90 "$driftwood" tune "$model" --no-tuning --budget 60 \
      --device "$device" --out "$out/${device%%:*}.json"
  done
done
echo "Results are in $out; the pages are filled in by ablation_tables.py and compare.py --from, or by hand."
