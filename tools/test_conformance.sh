#!/bin/sh
# Runs every case of the conformance suite on every device of this computer, in JOBS processes that share the work, and
# prints what they came to for each device.
#
#   tools/test_conformance.sh build 2
set -u
build=$1
jobs=$2
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
pids=
shard=0
filter='*'
while [ "$shard" -lt "$jobs" ]; do
  DRIFTWOOD_CONFORMANCE=all DRIFTWOOD_CONFORMANCE_REPORT=$reports/counts.$shard \
    DRIFTWOOD_CONFORMANCE_SHARE=$shard/$jobs "$build/bin/test_conformance" --gtest_brief=1 \
    --gtest_filter="$filter" > "$reports/log.$shard" 2>&1 &
  filter='All/Conformance.*' # what is no case is run once
  pids="$pids $!"
  shard=$((shard + 1))
done
failed=0
for pid in $pids; do
  wait "$pid" || failed=1
done
if [ "$failed" -ne 0 ]; then
  cat "$reports"/log.*
fi
cat "$reports"/counts.* | awk -F '\t' '
  !($1 in cases) { machine[++machines] = $1; cases[$1] = 0 }
  !(($1, $2) in count) { what[$1, ++kinds[$1]] = $2 }
  { count[$1, $2] += $3; cases[$1] += $3 }
  END {
    for (m = 1; m <= machines; ++m) {
      name = machine[m]
      printf "%s: %d cases\n", name, cases[name]
      for (k = 1; k <= kinds[name]; ++k) printf "  %d %s\n", count[name, what[name, k]], what[name, k]
    }
  }'
exit $failed
