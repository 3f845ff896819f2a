#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/seeds.sh - the founding texts item by item: seeds.sh BINARY...; runs every test named item_NNN_... and prints for
# each item of tests/golden/items.txt: passed, FAILED or open. A name may carry several numbers, and "to" between two.
set -u
export OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8
results=$(mktemp)
trap 'rm -f "$results"' EXIT
for binary; do
    timeout 300 "$binary" --verbose=1 --filter 'seeds/*' 2>&1 </dev/null |
        sed -nE 's/.*\[.{0,12}(PASS|FAIL).{0,6}\] seeds::(item_[a-z0-9_]+).*/\1 \2/p' >>"$results"
done
awk '
    FNR == NR {
        n = split($2, part, "_")
        last = 0
        for (i = 2; i <= n; i++) {
            if (part[i] == "to" && i < n && part[i + 1] ~ /^[0-9]+$/) {
                for (k = last + 1; k < part[i + 1] + 0; k++) { mark(k, $1) }
            } else if (part[i] ~ /^[0-9][0-9][0-9]$/) {
                last = part[i] + 0
                mark(last, $1)
            } else if (part[i] != "to") {
                break
            }
        }
        next
    }
    function mark(k, outcome) { count[k]++; if (outcome == "FAIL") { failed[k] = 1 } }
    /^[0-9]/ {
        number = $1; section = $2
        title = $0; sub(/^[0-9]+ [A-Z] /, "", title)
        state = failed[number] ? "FAILED" : count[number] ? "passed" : "open"
        total[state]++
        printf "%3d  %s  %-6s  %2d  %s\n", number, section, state, count[number], title
    }
    END {
        printf "%d passed, %d failed, %d open\n", total["passed"], total["FAILED"], total["open"]
        exit total["FAILED"] > 0
    }' "$results" tests/golden/items.txt
