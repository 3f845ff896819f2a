#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/memcheck.sh - the C tests and the daemon under valgrind's memcheck: hours.
# usage: tests/run/memcheck.sh units LOG_FOLDER BINARY...   C tests, each of which fails by an error
#        tests/run/memcheck.sh daemon PATH...               contract or system tests against a daemon under memcheck
# An error is one of memory that was not written, freed, or is not ours; a process with one ends with status 97.
set -u
# fair-sched: else a thread that computes keeps valgrind's lock, and a read of the store waits for seconds
valgrind=(valgrind -q --fair-sched=try --error-exitcode=97 --leak-check=no --num-callers=20 --suppressions="$PWD/tests/support/memcheck.supp")
export OPENBLAS_NUM_THREADS=1 # else the daemon replaces itself by exec, out of valgrind's sight
if ! command -v valgrind >/dev/null; then
    echo "SKIP memcheck: no valgrind (make deps-check installs it)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
case ${1:-} in
units)
    shift
    export FORKED_SKIPS=/dev/null
    UNITS_BY="${valgrind[*]}" UNITS_SECONDS=${UNITS_SECONDS:-7200} exec tests/run/units.sh "$@"
    ;;
daemon)
    shift
    mkdir -p build/memcheck
    rm -f build/memcheck/errors.*
    # a file for each process: valgrind's warnings (system calls that it does not know) are none of the daemon's log
    printf '#!/bin/sh\nexec %s --log-file="%s" "%s" "$@"\n' "${valgrind[*]}" "$PWD/build/memcheck/errors.%p" "$PWD/build/release/torqued" >build/memcheck/torqued
    chmod +x build/memcheck/torqued
    failed=0
    for path in "${@:-tests/contract}"; do
        PYTEST_SECONDS=${PYTEST_SECONDS:-28800} tests/run/pytest.sh "$path" build/memcheck/torqued || failed=1
    done
    grep -l '^==' build/memcheck/errors.* 2>/dev/null | while read -r file; do
        echo "$file:" && grep -m 40 '^==' "$file"
    done
    exit $failed
    ;;
*)
    sed -n 's/^# usage: //p' "$0" >&2
    exit 2
    ;;
esac
