#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/python_client.sh - python_client.sh DAEMON: all tests of the package for Python, and that they run 95 % of its lines.
# The last line is "N passed, N failed, N skipped".
set -u
export TORQUED=$PWD/$1 PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
python=$PWD/build/venv/bin/python
work=$PWD/build/clients/python
rm -rf "$work"
mkdir -p "$work"
if ! $python -c 'import pytest, httpx, coverage' 2>/dev/null; then
    echo "SKIP the package for Python: no pytest, httpx or coverage (make deps-clients could not reach PyPI)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
export COVERAGE_FILE=$work/coverage
counts=$work/counts
for folder in tests/clients/python tests/clients/python_whole; do
    log=$work/${folder##*/}.log
    timeout -k 10 "${PYTEST_SECONDS:-1200}" $python -m coverage run --parallel-mode --source=clients/python/src/torqued \
        --omit='*/_generated/types.py' -m pytest -q -rs -p no:cacheprovider -p no:xdist --color=no "$folder" >"$log" 2>&1 </dev/null
    status=$?
    if [ $status != 0 ]; then tail -200 "$log"; else grep '^SKIPPED' "$log"; fi
    echo "$status $(tail -1 "$log")" >>"$counts"
done
$python -m coverage combine -q
$python -m coverage report --fail-under=95 --precision=2 --skip-covered >"$work/report" 2>&1
covered=$?
if [ $covered = 0 ]; then grep TOTAL "$work/report"; else cat "$work/report"; fi
awk -v covered=$covered '{
    failed = 0
    for (i = 3; i <= NF; i++) {
        if ($i ~ /^passed/) p += $(i - 1)
        if ($i ~ /^(failed|error)/) { f += $(i - 1); failed = 1 }
        if ($i ~ /^skipped/) s += $(i - 1)
    }
    if ($1 != 0 && !failed) f++
}
END {
    if (covered == 0) p++; else f++
    printf "%d passed, %d failed, %d skipped\n", p, f, s
    exit f != 0
}' "$counts"
