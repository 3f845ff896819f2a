#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/fuzz.sh - fuzz.sh SECONDS BINARY...: grow a working corpus under build/, keep crashes where replay finds them.
set -u
seconds=$1
shift
failed=0
for binary in "$@"; do
    name=${binary##*/}
    subject=${name#fuzz_}
    mkdir -p "build/fuzz-work/$subject" "tests/fuzz/crashes/$subject"
    seeds=()
    [ ! -d "tests/fuzz/corpus/$subject" ] || seeds+=("tests/fuzz/corpus/$subject")
    dictionary=()
    [ ! -f "tests/fuzz/$subject.dict" ] || dictionary+=("-dict=tests/fuzz/$subject.dict")
    if "$binary" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 "${dictionary[@]}" \
        -artifact_prefix="tests/fuzz/crashes/$subject/" "build/fuzz-work/$subject" "${seeds[@]}" >"build/fuzz-work/$subject.log" 2>&1 </dev/null; then
        echo "$name: $(awk '/number_of_executed_units/ { print $2 }' "build/fuzz-work/$subject.log") inputs in $seconds s, no fault"
    else
        failed=1
        echo "--- $name"
        tail -40 "build/fuzz-work/$subject.log"
    fi
    rmdir "tests/fuzz/crashes/$subject" tests/fuzz/crashes 2>/dev/null
done
exit $failed
