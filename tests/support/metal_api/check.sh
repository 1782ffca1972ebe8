#!/bin/sh
# Checks the Metal back end against the declarations beside this script: check.sh SOURCE_FOLDER. All of it is compiled as
# one file, and nothing is made. Exits with 77 where there is no clang.
set -eu
source=$1
for compiler in "${DRIFTWOOD_CLANG:-clang++-14}" clang++ clang++-15 clang++-16 clang++-17 clang++-18 clang++-19; do
  command -v "$compiler" > /dev/null && break
  compiler=
done
if [ -z "$compiler" ]; then
  echo "No clang++ is installed, which knows Objective-C++."
  exit 77
fi
for file in "$source"/src/gpu/metal/*.mm; do
  echo "#include \"$file\""
done | "$compiler" -x objective-c++ - -fsyntax-only -std=c++20 -fobjc-runtime=gnustep-2.0 -fobjc-arc -fblocks \
  -fobjc-exceptions -fexceptions -Wall -Wextra -Wconversion -Werror -Wno-unused-command-line-argument \
  -I "$source/src" -isystem "$source/tests/support/metal_api"
