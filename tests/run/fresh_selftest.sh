#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/fresh_selftest.sh - breaks the build on purpose in three ways, each of which something that CI runs must find.
# In clones of HEAD; the layers of `make fresh ARM=lowest` are shared. Minutes; the last line is the count.
set -u
top=$PWD
work=$(mktemp -d)
export FRESH_WORK=${FRESH_WORK:-$PWD/build/fresh} FRESH_TESTS=libraries
# the layer of the packages that are broken is apart, upon the same bare system: the good one is kept
apart=$FRESH_WORK/broken
trap 'rm -rf "$work" "$apart"' EXIT
mkdir -p "$apart"
passed=0
failed=0

breaks() { # NAME WORDS FILE SED_EXPRESSION COMMAND...: the command must fail, and its output hold the words
    local name=$1 words=$2 file=$3 edit=$4 tree=$work/$1 out
    shift 4
    git clone -q "$top" "$tree" && sed -i "$edit" "$tree/$file"
    if ! git -C "$tree" -c user.name=selftest -c user.email=selftest@localhost commit -qam broken; then
        echo "$name: nothing was broken"
        failed=$((failed + 1))
        return
    fi
    out=$(cd "$tree" && "$@" 2>&1)
    if [ $? != 0 ] && grep -q -- "$words" <<<"$out"; then
        echo "$name: found by '$*':"
        grep -m 2 -- "$words" <<<"$out" | sed 's/^/    /'
        passed=$((passed + 1))
    else
        tail -5 <<<"$out"
        echo "$name: NOT found by '$*'"
        failed=$((failed + 1))
    fi
}

breaks include 'names of <stddef.h>' api/response/digest.h '/#include <stddef.h>/d' tests/lint/includes.sh api/response/digest.h
# an error of the compiler, not only of the linker: gcc 12 itself would warn and go on
breaks newer-api 'error: implicit declaration of function .XML_SetHashSalt16Bytes' api/robots/xml.c 's/^    XML_StopParser(/    (void)XML_SetHashSalt16Bytes(r->parser, 0);\n&/' tests/run/fresh.sh lowest
ln -s "$FRESH_WORK"/bookworm-base-* "$apart"
FRESH_WORK=$apart
breaks package 'cbor.h: No such file' tests/run/deps.mk "s/'libcbor-dev[^']*'//" tests/run/fresh.sh lowest
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
