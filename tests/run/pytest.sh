#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/pytest.sh - pytest.sh FOLDER DAEMON: run Python tests of a folder, or of one file, against a daemon binary ($TORQUED).
# The last line is "N passed, N failed, N skipped"; without pytest the folder counts as one visible skip.
set -u
folder=$1
export TORQUED=$PWD/$2 PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
export ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99:detect_leaks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-exitcode=66:second_deadlock_stack=1}
if ! ls "$folder"/test_*.py "$folder" 2>/dev/null | grep -q '\.py$' || [ ! -x "$TORQUED" ]; then
    echo "0 passed, 0 failed, 0 skipped"
    exit 0
fi
if ! build/venv/bin/python -c 'import pytest' 2>/dev/null; then
    echo "SKIP $folder: no pytest (make deps-check could not reach PyPI)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
# Most of a test's time is waiting: one process more than processors keeps these busy. A file's tests share a daemon, and stay together.
beside=()
! build/venv/bin/python -c 'import xdist' 2>/dev/null || beside=(-n "${PYTEST_JOBS:-$(($(nproc) + 1))}" --dist "${PYTEST_DIST:-loadfile}")
# stays, with the slowest tests: where the time goes
mkdir -p build/check
variant=${2#*build/}
log=build/check/pytest-${folder//\//-}-${variant%%/*}.log
timeout -k 10 "${PYTEST_SECONDS:-2400}" build/venv/bin/python -m pytest -q -rs --durations=60 --durations-min=2 -p no:cacheprovider "${beside[@]}" --color=no "$folder" >"$log" 2>&1 </dev/null
status=$?
if [ $status != 0 ]; then tail -260 "$log"; else grep '^SKIPPED' "$log"; fi
grep -E ' in [0-9.]+s( |$)' "$log" | tail -1 | awk -v status=$status '{
    for (i = 2; i <= NF; i++) {
        if ($i ~ /^passed/) p = $(i - 1)
        if ($i ~ /^(failed|error)/) f += $(i - 1)
        if ($i ~ /^skipped/) s = $(i - 1)
    }
} END {
    if (status != 0 && f == 0) f = 1
    printf "%d passed, %d failed, %d skipped\n", p, f, s
}'
exit $status
