#!/usr/bin/env bash
# Fetches the WebGPU libraries into .packages/webgpu (or $DRIFTWOOD_WEBGPU_FOLDER), on Linux for x86-64: Dawn (21 MB)
# from PyPI's rillfacet, wgpu-native (9 MB) and the header webgpu.h from PyPI's wgpu.
#
#   tools/fetch_webgpu.sh             both libraries
#   tools/fetch_webgpu.sh software    and a Vulkan that computes on the CPU, for tests on machines without a GPU:
#                                     SwiftShader out of Debian's chromium-common (31 MB), else Mesa's installed
#
# Packages are downloaded and unpacked, never installed (Mesa apart). What is there is left alone without a word; an
# interrupted run leaves no half file behind. Needs python3 with pip, or with venv.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${DRIFTWOOD_WEBGPU_FOLDER:-$root/.packages/webgpu}

say() { echo "fetch_webgpu: $*" >&2; }
die() { say "$@"; exit 1; }

lacks_one() { for file in "$@"; do [ -s "$folder/$file" ] || return 0; done; return 1; }

# unpack ARCHIVE SHA256 MEMBER...: the members of a .tgz or wheel, by the ends of their names, into the folder.
unpack() {
  local archive=$1 sha256=$2; shift 2
  echo "$sha256  $archive" | sha256sum --check --status || die "${archive##*/} has another sha256 than $sha256"
  python3 - "$folder" "$archive" "$@" << 'PYTHON'
import os, pathlib, sys, tarfile, zipfile

folder, path, *members = sys.argv[1:]
if path.endswith(".whl"):
    archive = zipfile.ZipFile(path)
    names, read = archive.namelist(), archive.read
else:
    archive = tarfile.open(path)
    names, read = archive.getnames(), lambda name: archive.extractfile(name).read()
for member in members:
    found = [name for name in names if name.endswith("/" + member)]
    if len(found) != 1:
        sys.exit(f"fetch_webgpu: {path} holds {len(found)} files {member}")
    partial = pathlib.Path(folder, f"{member}.{os.getpid()}.partial")
    partial.write_bytes(read(found[0]))
    os.replace(partial, pathlib.Path(folder, member))
PYTHON
}

# Wants $work/$1-$2-*.whl, with what follows as pip's options.
download_wheel() {
  local package=$1 version=$2 python=python3; shift 2
  if ! python3 -m pip --version > /dev/null 2>&1; then
    if [ ! -d "$work/venv" ]; then
      python3 -m venv "$work/venv" || die "neither pip nor venv works; on Debian or Ubuntu: apt install python3-venv"
    fi
    python=$work/venv/bin/python
  fi
  "$python" -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --only-binary=:all: \
    --dest "$work" "$@" "$package==$version"
}

# A wheel that brings Dawn of October 2026 as a library of its own, the one that offers f16 and matrices of a subgroup on
# NVIDIA's GPUs. The wheel of one Python serves all.
download_dawn() {
  say "downloading Dawn (rillfacet 0.1.3)"
  download_wheel rillfacet 0.1.3 --implementation cp --python-version 3.12 --abi abi3 --platform manylinux_2_28_x86_64 \
    || die "Dawn cannot be downloaded"
  unpack "$work"/rillfacet-0.1.3-*.whl 371c6c831aa43310d2112a7001ce94b36b8e5753af23ce44ef57c9ce97793b70 \
    libwebgpu_dawn.so
}

download_native() {
  say "downloading wgpu-native (wgpu 0.32.0)"
  download_wheel wgpu 0.32.0 || die "wgpu-native cannot be downloaded"
  unpack "$work"/wgpu-0.32.0-*.whl 6499a31b5a29a10b4f1089fea4a0806411f42605fa86b6c0b543a07ca0de8568 \
    libwgpu_native-release.so webgpu.h
}

in_work_folder() {
  mkdir -p "$folder"
  work=$(mktemp -d "$folder/.fetch-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  "$@"
  rm -rf "$work"
  trap - EXIT
}

fetch_libraries() {
  if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
    say "there are no packages for $(uname -s) on $(uname -m); \$DRIFTWOOD_WEBGPU may name a library of your own"
    return 0
  fi
  lacks_one libwebgpu_dawn.so libwgpu_native-release.so webgpu.h || return 0
  "$root/tools/install_packages.sh" model  # Python
  if lacks_one libwebgpu_dawn.so; then in_work_folder download_dawn; fi
  if lacks_one libwgpu_native-release.so webgpu.h; then in_work_folder download_native; fi
}

is_debian() { grep -qs '^ID=debian' /etc/os-release; }

download_swiftshader() {
  say "downloading SwiftShader (chromium-common, 31 MB)"
  download() { (cd "$work" && apt-get download -qq chromium-common > /dev/null 2>&1); }
  if ! download; then
    if [ "$(id -u)" = 0 ]; then apt-get update -qq; else sudo apt-get update -qq; fi
    download || die "apt-get cannot download chromium-common"
  fi
  dpkg -x "$work"/chromium-common_*.deb "$work/unpacked"
  for file in libvulkan.so.1 libvk_swiftshader.so vk_swiftshader_icd.json; do  # the last says that all is there
    mv "$work/unpacked/usr/lib/chromium/$file" "$folder/$file"
  done
}

# Ubuntu's chromium-common is an empty package; Mesa's lavapipe serves there.
fetch_software() {
  lacks_one vk_swiftshader_icd.json || return 0
  if compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' > /dev/null; then return 0; fi
  if is_debian && command -v apt-get > /dev/null; then
    in_work_folder download_swiftshader
  else
    "$root/tools/install_packages.sh" vulkan
  fi
}

case "${1:-libraries}" in
  libraries) fetch_libraries ;;
  software) fetch_libraries; fetch_software ;;
  *) die "unknown '$1'; known: libraries, software" ;;
esac
