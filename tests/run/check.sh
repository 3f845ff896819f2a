#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/check.sh - every check, one line each; the closing line sums them up, alone on its line.
# A failing step shows its output and the rest still runs. Logs stay in build/check/.
# Two lanes beside each other: tests wait a good part of their time, and lints and numbers do not. A lane never makes what the
# other makes: the release is built before, and the sanitizers' build is of one lane alone.
set -u
logs=build/check
rm -rf "$logs"
mkdir -p "$logs"
jobs=$(nproc)
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
    echo "${count[*]}" >>"$logs/counts"
    local line
    if [ "${count[1]}" != 0 ]; then
        line=$(printf '%-28s FAILED (%d) %4d s, %s' "$name" "${count[1]}" $((SECONDS - start)) "$log")
        flock "$logs/counts" sh -c 'cat "$1"; echo "$2"' - "$log" "$line"
    else
        line=$(printf '%-28s ok (%d) %4d s' "$name" "${count[0]}" $((SECONDS - start)))
        # shellcheck disable=SC2016
        flock "$logs/counts" sh -c 'grep -aE "^(SKIP|\\[.{0,12}SKIP)|^not available" "$1"; echo "$2"' - "$log" "$line"
    fi
    return $status
}

# each lane ends with what keeps all processors busy by itself, since the other may have ended
lints() {
    step "lint, quick" lint-quick
    step "lint, headers" lint-headers
    step "lint, includes" lint-includes
    step "lint, clang-tidy" lint-tidy
    step "lint, folders" lint-folders
    step "lint, contract" lint-openapi
}
released() {
    step "contract" WERROR=1 contract
    step "system" WERROR=1 system
    step "store, PostgreSQL" WERROR=1 check-postgresql
    step "python client" WERROR=1 python-client
    step "generated clients" WERROR=1 check-generated
    step "browser" WERROR=1 browser-short
    step "peers" WERROR=1 peers
    step "instructions" instructions
    step "bits, gcc and clang" bits
    step "tests" WERROR=1 test
}
sanitized() {
    step "build, asan" WERROR=1 VARIANT=asan build || return
    step "contract, asan" WERROR=1 VARIANT=asan contract
    step "fuzz corpus, asan" WERROR=1 VARIANT=asan replay
    step "tests, asan" WERROR=1 VARIANT=asan test
}
first() {
    lints
    sanitized
    touch "$logs/first"
}
second() {
    # minutes of packages and a second build: for CI, or by `make fresh`
    [ -z "$CI" ] || FRESH_TESTS=libraries step "fresh machine, oldest" fresh ARM=lowest
    [ "$built" != 0 ] || released
}

step "dependencies" deps-check
step "build" WERROR=1 build
built=$?
if [ "$jobs" -gt 1 ]; then
    export PYTEST_JOBS=${PYTEST_JOBS:-$jobs}
    set -m # a process group of its own, which ends with this one
    first &
    set +m
    trap 'kill -- -$! 2>/dev/null' EXIT
    trap 'exit 130' INT TERM HUP
    second
    wait
    [ -e "$logs/first" ] || { echo "the first lane did not come to its end"; echo "0 1 0" >>"$logs/counts"; }
else
    first
    second
fi
echo "$SECONDS s"
awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$logs/counts"
