#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/bench/run.sh - benches one after another, each within its time; FOLDER NAME... A bench that fails or takes
# too long is reported and the others still run; the exit status is 1 then.
set -u
folder=$1
shift
most=${BENCH_SECONDS:-240}
failed=0
mkdir -p "$folder"
for name in "$@"; do
    rm -f "$folder/$name.json" "$folder/$name.txt"
    echo "== $name"
    start=$(date +%s)
    timeout "$most" "${MAKE:-make}" -s -j1 "bench-$name" >"$folder/$name.txt" 2>"$folder/$name.err"
    status=$?
    cat "$folder/$name.txt"
    if [ $status -ne 0 ]; then
        failed=1
        [ $status -eq 124 ] && why="took more than $most s (BENCH_SECONDS)" || why="failed: $(tail -1 "$folder/$name.err")"
        echo "$name: not measured to its end: $why" | tee -a "$folder/$name.txt"
    fi
    echo "   $name took $(($(date +%s) - start)) s"
done
exit $failed
