#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/clients.sh - clients.sh STEP...: `make check-STEP` of each client, one line each; the last line sums the counts up.
# A step that ends with "N passed, N failed, N skipped" counts so, any other counts as one. Logs stay in build/clients/log/.
set -u
logs=build/clients/log
mkdir -p "$logs"
passed=0 failed=0 skipped=0
for step in "$@"; do
    log=$logs/$step.log start=$SECONDS
    make -s "check-$step" >"$log" 2>&1 </dev/null
    status=$?
    last=$(grep -aE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1)
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        count=("${BASH_REMATCH[@]:1}")
        [ $status = 0 ] || [ "${count[1]}" != 0 ] || count[1]=1
    else
        count=($((status == 0)) $((status != 0)) 0)
    fi
    passed=$((passed + count[0])) failed=$((failed + count[1])) skipped=$((skipped + count[2]))
    [ "${count[1]}" = 0 ] || cat "$log"
    grep -aE '^(SKIP|\[.{0,12}SKIP)|^not available' "$log"
    printf '%-28s %s %4d s\n' "$step" "$([ "${count[1]}" = 0 ] && echo "ok (${count[0]})" || echo "FAILED (${count[1]})")" $((SECONDS - start))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
