#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/units.sh - run Criterion binaries in parallel: units.sh LOG_FOLDER BINARY...; failures are shown.
# UNITS_BY is a command that runs a binary elsewhere, UNITS_SECONDS the limit of each (1200).
# LOG_FOLDER keeps the output of each and its CPU seconds (NAME.cpu: user, system).
# The last line is "N passed, N failed, N skipped". A binary that dies or runs out of time is one failure.
set -u
export LSAN_OPTIONS=suppressions=tests/support/lsan.supp:print_suppressions=0
logs=$1
shift
rm -rf "$logs"
mkdir -p "$logs"
export OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8

one() { # LOG_FOLDER BINARY
    local name=${2#*/tests/} log status TIMEFORMAT='%U %S'
    log=$1/${name//\//.}
    # shellcheck disable=SC2086
    { time timeout -k 5 "${UNITS_SECONDS:-1200}" ${UNITS_BY:-} "$2" --jobs 2 --timeout 300 --verbose >"$log.log" 2>&1 </dev/null; } 2>"$log.cpu"
    status=$?
    awk -v status=$status -v name="$name" '
        /^\[.*Synthesis/ {
            n = split($0, part, "|")
            for (i = 1; i <= n; i++) {
                gsub(/\033\[[0-9;]*m/, "", part[i]); value = part[i]; sub(/.*: */, "", value)
                if (part[i] ~ /Passing/) passed += value
                if (part[i] ~ /Failing/) failed += value
            }
            seen = 1
        }
        /^\[SKIP\]/ { skipped++ }
        END {
            if (!seen || (status != 0 && failed == 0)) { failed++ }
            print passed + 0, failed + 0, skipped + 0
        }' "$log.log" >"$log.count"
    read -r passed failed skipped <"$log.count"
    # LeakSanitizer speaks when a test's process ends, which is after Criterion has counted the test
    if grep -qaE 'SUMMARY: .*Sanitizer' "$log.log" && [ "$failed" = 0 ]; then
        failed=1
        echo "$passed $failed $skipped" >"$log.count"
    fi
    if [ "$failed" != 0 ]; then
        { echo "--- $name: $failed failed (exit status $status)"; grep -vE '^\[.{0,12}(PASS|SKIP|RUN)' "$log.log" | tail -60; } >"$log.failed"
        cat "$log.failed"
    elif [ "$skipped" != 0 ]; then
        grep -aE '^\[.{0,12}SKIP' "$log.log"
    fi
}
export -f one
# the longest first: else the last one of them runs alone
longest='short_memory|test_bounds|test_ur10e|test_feasible|noise_bias|simulate/test_simulate$|test_coverage|test_recording|test_ensemble$|constrained_motion|test_faults|test_instruments'
first=() rest=()
for binary in "$@"; do
    if [[ $binary =~ $longest ]]; then first+=("$binary"); else rest+=("$binary"); fi
done
set -- "${first[@]}" "${rest[@]}"
[ $# = 0 ] || printf '%s\0' "$@" | xargs -0 -n1 -P"$(nproc)" bash -c 'one "$0" "$1"' "$logs"
cat "$logs"/*.count 2>/dev/null | awk '
    { passed += $1; failed += $2; skipped += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }'
