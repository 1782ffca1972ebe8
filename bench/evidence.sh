#!/bin/sh
# Measures every technique on a device, group by group, and puts the tables into docs/evidence.md.
#
#   bench/evidence.sh PLACE LANGUAGE_MODEL IMAGE_MODEL [OPTIONS OF ablate]...
#
# PLACE is the name of a place in the page (pocl, h200-opencl, h200-webgpu). An empty model ('') is left out. Results are
# kept as build/evidence/PLACE/MODEL.GROUP.json (EVIDENCE names another folder); a group whose result is there is not
# measured again, so that a run that was cut off can be taken up. DRIFTWOOD is the program (default: build/bin/driftwood),
# PROMPT and GENERATE the tokens (128 and 16), PAGE the page (docs/evidence.md, '' for none), SECONDS_OF_GROUP the most
# that a group may take (600).
set -u
place=$1 language=$2 images=$3
shift 3
folder=${EVIDENCE:-build/evidence}/$place
mkdir -p "$folder"
results=
measure() { # NAME MODEL GROUP OPTIONS...
  result=$folder/$1.$3.json
  if [ ! -s "$result" ]; then
    name=$1 model=$2 group=$3
    shift 3
    timeout "${SECONDS_OF_GROUP:-600}" "${DRIFTWOOD:-build/bin/driftwood}" ablate "$model" --only "$group" --json "$@" \
      > "$result.partial" && mv "$result.partial" "$result" || echo "evidence.sh: '$name' has no result for $group." >&2
  fi
  [ -s "$result" ] && results="$results $result"
}
if [ -n "$language" ]; then
  for group in virtualised-access kv-cache memory-plan quantization fusion storage kernel-selection decode-launches program-cache weight-rows; do
    measure language "$language" $group -p "${PROMPT:-128}" -n "${GENERATE:-16}" "$@"
  done
fi
if [ -n "$images" ]; then
  for group in memory-plan fusion storage kernel-selection program-cache weight-rows; do
    measure images "$images" $group "$@"
  done
fi
page=${PAGE-docs/evidence.md}
if [ -n "$page" ]; then
  # shellcheck disable=SC2086 -- a list of names without spaces
  python3 "$(dirname "$0")/ablation_tables.py" --into "$page" "$place" $results
fi
