#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/check.sh - every check in order, one line each; the closing line sums them up, alone on its line.
# A failing step shows its output and the rest still runs. Logs stay in build/check/.
set -u
logs=build/check
rm -rf "$logs"
mkdir -p "$logs"
jobs=$(nproc)
passed=0
failed=0
skipped=0
export CI=${CI:-}
unset MAKEFLAGS MAKELEVEL MFLAGS

step() { # NAME MAKE_ARGUMENTS: a step that ends with a count is counted so, any other is one
    local name=$1 log=$logs/${1//[, ]/-}.log start=$SECONDS status last count
    shift
    make -s -j"$jobs" "$@" >"$log" 2>&1 </dev/null
    status=$?
    last=$(grep -aE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1)
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        count=("${BASH_REMATCH[@]:1}")
        [ $status = 0 ] || [ "${count[1]}" != 0 ] || count[1]=1
    elif [ $status = 0 ]; then
        count=(1 0 0)
    else
        count=(0 1 0)
    fi
    passed=$((passed + count[0]))
    failed=$((failed + count[1]))
    skipped=$((skipped + count[2]))
    if [ "${count[1]}" != 0 ]; then
        cat "$log"
        printf '%-28s FAILED (%d) %4d s, %s\n' "$name" "${count[1]}" $((SECONDS - start)) "$log"
    else
        grep -aE '^(SKIP|\[.{0,12}SKIP)|^not available' "$log"
        printf '%-28s ok (%d) %4d s\n' "$name" "${count[0]}" $((SECONDS - start))
    fi
    return $status
}

step "dependencies" deps-check
step "lint, quick" lint-quick
step "lint, headers" lint-headers
step "lint, includes" lint-includes
step "lint, clang-tidy" lint-tidy
step "lint, folders" lint-folders
step "lint, contract" lint-openapi
step "build" WERROR=1 build && {
    step "tests" WERROR=1 test
    step "store, PostgreSQL" WERROR=1 check-postgresql
    step "contract" WERROR=1 contract
    step "python client" WERROR=1 python-client
    step "browser" WERROR=1 browser
    step "system" WERROR=1 system
    step "peers" WERROR=1 peers
    step "bits, gcc and clang" bits
    step "instructions" instructions
}
# minutes of packages and a second build: for CI, or by `make fresh`
[ -z "$CI" ] || FRESH_TESTS=libraries step "fresh machine, oldest" fresh ARM=lowest
step "build, asan" WERROR=1 VARIANT=asan build && {
    step "tests, asan" WERROR=1 VARIANT=asan test
    step "fuzz corpus, asan" WERROR=1 VARIANT=asan replay
    step "contract, asan" WERROR=1 VARIANT=asan contract
}
echo "$SECONDS s"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
