#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/fresh_selftest.sh - breaks the build on purpose in three ways, each of which something that CI runs must find.
# In clones of HEAD, on the layers of `make fresh ARM=lowest`; what has no such machine is skipped. Minutes; the last line is the count.
set -u
top=$PWD
work=$(mktemp -d)
layers=${FRESH_WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/torqued-fresh} # as fresh.sh has it
export FRESH_TESTS=libraries
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
skipped=0

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
    local status=$?
    if [ $status = 0 ] && grep -q '^SKIP' <<<"$out"; then
        grep '^SKIP' <<<"$out"
        skipped=$((skipped + 1))
    elif [ $status != 0 ] && grep -q -- "$words" <<<"$out"; then
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
# upon the good layer, from which the package is taken: `make deps` of the broken tree does not bring it back
FRESH_DEPS=$(find "$layers" -maxdepth 1 -name 'bookworm-deps-*' ! -name '*.*')
export FRESH_DEPS FRESH_WITHOUT=libcbor-dev
breaks package 'cbor.h: No such file' tests/run/deps.mk "s/'libcbor-dev[^']*'//" tests/run/fresh.sh lowest
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
