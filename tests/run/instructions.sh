#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/instructions.sh - instructions of each kernel on 64 samples (AVX2; "single": one call), counted by callgrind, against
# the figures kept in tests/bench/instructions.txt. instructions.sh PROGRAM COMPILER [write]
# Counts have no noise: more than 2 % up fails. Another compiler makes other code: then it is skipped.
set -u
program=$1
compiler=$($2 --version | head -1) # unquoted: it may be "ccache gcc"
record=tests/bench/instructions.txt
skip() {
    echo "SKIP instructions: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
command -v valgrind >/dev/null || skip "no valgrind (make deps-check)"
if [ "${3:-}" != write ]; then
    [ "$(head -1 $record)" = "$compiler" ] || skip "counted with $(head -1 $record), not $compiler"
fi
mkdir -p build/check
raw=build/check/callgrind.out
valgrind -q --tool=callgrind --callgrind-out-file=$raw "$program" >build/check/callgrind.log 2>&1
status=$?
[ $status != 3 ] || skip "no AVX2"
[ $status = 0 ] || { cat build/check/callgrind.log; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
now=build/check/instructions.txt
{
    echo "$compiler"
    callgrind_annotate --inclusive=yes --threshold=100 $raw |
        sed -nE 's/^ *([0-9,]+) .*:count_([a-z]+_[a-z0-9]+) .*$/\2 \1/p' | tr -d , | grep -vE '^(tree|chain)[0-9]+ ' | sort -u
} >$now
if [ "${3:-}" = write ]; then
    cp $now $record
    cat $record
    exit 0
fi
awk 'NR == FNR { if (FNR > 1) record[$1] = $2; next }
    FNR > 1 {
        if (!($1 in record)) { print "instructions: " $1 " is not in the record"; failed++; next }
        seen++
        change = $2 / record[$1] - 1
        if (change > 0.02) { printf "instructions: %s %d, was %d: %+.1f %%\n", $1, $2, record[$1], 100 * change; failed++ }
        else {
            passed++
            if (change < -0.02) printf "instructions: %s %d, was %d: %+.1f %%, record it (make instructions-write)\n", $1, $2, record[$1], 100 * change
        }
    }
    END {
        for (name in record) n++
        if (seen < n) { print "instructions: " n - seen " kernels were not counted"; failed++ }
        printf "%d passed, %d failed, 0 skipped\n", passed, failed
        exit failed > 0
    }' $record $now
