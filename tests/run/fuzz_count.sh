#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/fuzz_count.sh - fuzz_count.sh FOLDER WORK TARGET:BYTES:EXECUTIONS...: run each target that often, sum what was executed.
set -u
folder=$1
work=$2
shift 2
failed=0
total=0
for part in "$@"; do
    IFS=: read -r subject bytes runs <<<"$part"
    mkdir -p "$work/$subject" "$work/crashes/$subject"
    seeds=()
    [ ! -d "tests/fuzz/corpus/$subject" ] || seeds+=("tests/fuzz/corpus/$subject")
    dictionary=()
    [ ! -f "tests/fuzz/$subject.dict" ] || dictionary+=("-dict=tests/fuzz/$subject.dict")
    "$folder/fuzz_$subject" -runs="$runs" -max_len="$bytes" -timeout=600 -rss_limit_mb=1500 -print_final_stats=1 "${dictionary[@]}" \
        -artifact_prefix="$work/crashes/$subject/" "$work/$subject" "${seeds[@]}" >"$work/$subject.log" 2>&1 </dev/null
    status=$?
    n=$(awk '/number_of_executed_units/ { n = $2 } END { print n + 0 }' "$work/$subject.log")
    total=$((total + n))
    if [ "$status" = 0 ]; then
        echo "fuzz_$subject: $n executions of at most $bytes bytes, no fault"
    else
        failed=1
        echo "--- fuzz_$subject: $n executions, then a fault: $work/crashes/$subject"
        tail -40 "$work/$subject.log"
    fi
done
echo "$total executions"
exit $failed
