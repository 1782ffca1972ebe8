#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that a purpose needs and the machine lacks: build, test, model, vulkan, lint,
# fuzz or slow. Silent where nothing is missing. As root, or through sudo.
set -euo pipefail

case "${1:?usage: install_packages.sh build|test|model|vulkan|lint|fuzz|slow}" in
  build) packages="g++ cmake ninja-build pkg-config ccache opencl-headers ocl-icd-libopencl1 pocl-opencl-icd libcli11-dev
                   nlohmann-json3-dev libfmt-dev libpcre2-dev libpng-dev libutf8proc-dev libgtest-dev libgmock-dev libbenchmark-dev"
         optional="libedit-dev" ;;  # lines of a chat can be edited
  # Runs Metal kernels on the CPU; those tests are skipped without it.
  test) packages=""
        if command -v clang++ clang++-14 > /dev/null; then optional=""; else optional="clang"; fi ;;
  model) packages="python3 python3-venv ca-certificates" ;;
  vulkan) packages="libvulkan1 mesa-vulkan-drivers" ;;  # a Vulkan that computes on the CPU among them
  lint) packages="clang-format-14 clang-tidy-14" ;;
  slow) packages="python3 python3-numpy" ;;
  fuzz) packages="clang-14 libclang-rt-14-dev" ;;
  *) echo "install_packages.sh: unknown purpose '$1'" >&2; exit 2 ;;
esac

lacking() {
  for package in "$@"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || printf ' %s' "$package"
  done
}
missing=$(lacking $packages)
wanted=$(lacking ${optional:-})
[ -n "$missing$wanted" ] || exit 0

if ! command -v apt-get > /dev/null; then
  [ -n "$missing" ] || exit 0
  echo "Driftwood needs these packages (Debian's names), which this machine seems to lack:$missing" >&2
  exit 1
fi
if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo"; fi
install() {
  echo "Installing:$*" >&2
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $* > /dev/null
}
if [ -n "$missing" ]; then
  $as_root apt-get update -qq
  install "$missing"
fi
as_root=${as_root:+sudo -n}  # what is not needed is worth no password
[ -z "$wanted" ] || install "$wanted" || { $as_root apt-get update -qq && install "$wanted"; } || echo "Going on without:$wanted" >&2
