#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/replay.sh - run each replay binary over its corpus and its past crashes.
set -u
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for binary in "$@"; do
    name=${binary##*/}
    if timeout -k 5 600 "$binary" "tests/fuzz/corpus/${name#fuzz_}" "tests/fuzz/crashes/${name#fuzz_}" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "--- $name failed"
        tail -40 "$log"
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
