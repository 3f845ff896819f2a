#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/check.sh - every check, one line each; the closing line sums them up, alone on its line.
# A failing step shows its output and the rest still runs. Logs stay in build/check/.
# Two lanes beside each other: tests of a daemon wait a good part of their time, and lints and numbers do not. A lane whose own steps are
# taken takes the other's. Two steps never make the same file: what several need is made before, by the two builds.
set -u
logs=build/check
rm -rf "$logs"
mkdir -p "$logs/taken"
jobs=$(nproc)
export CI=${CI:-}
unset MAKEFLAGS MAKELEVEL MFLAGS

step() { # NAME MAKE_ARGUMENTS: a step that ends with a count is counted so, any other is one
    local name=$1 log=$logs/${1//[, ]/-}.log start=$SECONDS status last count cpu TIMEFORMAT='%0U+%0S'
    shift
    cpu=$({ time make -s -j"$jobs" "$@" >"$log" 2>&1 </dev/null; } 2>&1)
    status=$?
    cpu=$((cpu))
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
        line=$(printf '%-28s FAILED (%d) %4d s (CPU %d s), %s' "$name" "${count[1]}" $((SECONDS - start)) $cpu "$log")
        flock "$logs/counts" sh -c 'cat "$1"; echo "$2"' - "$log" "$line"
    else
        line=$(printf '%-28s ok (%d) %4d s (CPU %d s)' "$name" "${count[0]}" $((SECONDS - start)) $cpu)
        # shellcheck disable=SC2016
        flock "$logs/counts" sh -c 'grep -aE "^(SKIP|\\[.{0,12}SKIP)|^not available" "$1"; echo "$2"' - "$log" "$line"
    fi
    return $status
}

# NEEDS|NAME|ARGUMENTS OF MAKE, in the order of a lane; NEEDS is a build that must have passed, or nothing. A lane ends with what keeps
# all processors busy by itself.
computes="
|lint, quick|lint-quick
|build, asan|WERROR=1 VARIANT=asan build build/asan/libtest_support.a
|lint, headers|lint-headers
|lint, includes|lint-includes
|lint, clang-tidy|lint-tidy
|lint, newest clang|lint-newest
|lint, folders|lint-folders
|lint, contract|lint-openapi
asan|tests, asan|WERROR=1 VARIANT=asan test
release|bits, gcc and clang|bits
asan|fuzz corpus, asan|WERROR=1 VARIANT=asan replay
release|instructions|instructions
release|tests|WERROR=1 test"
waits="
release|contract|WERROR=1 contract
release|system|WERROR=1 system
asan|contract, asan|WERROR=1 VARIANT=asan contract
release|peers|WERROR=1 peers
release|browser|WERROR=1 browser-short
release|generated clients|WERROR=1 check-generated
release|python client|WERROR=1 python-client
release|schemathesis|check-schemathesis PHASES=examples,fuzzing,stateful SECONDS_MAX=90
release|store, PostgreSQL|WERROR=1 check-postgresql"
# minutes of packages and a second build: for CI, or by `make fresh`
[ -z "$CI" ] || waits="
|fresh machine, oldest|fresh ARM=lowest$waits"

built() { # BUILD STATUS: of a build that other steps need
    if [ "$2" = 0 ]; then touch "$logs/taken/$1.passed"; else touch "$logs/taken/$1.failed"; fi
}
# The first step of the list that is not taken and can begin, as the caller's `needs`, `name` and `arguments`. Status 1: all are taken.
take() { # LIST
    local later
    while :; do
        later=
        while IFS='|' read -r needs name arguments; do
            [ -n "$name" ] && [ ! -e "$logs/taken/$name" ] || continue
            if [ -n "$needs" ] && [ ! -e "$logs/taken/$needs.passed" ]; then
                # a build that has failed is counted; what needs it is not run
                [ -e "$logs/taken/$needs.failed" ] || later=1
            elif mkdir "$logs/taken/$name" 2>/dev/null; then
                return 0
            fi
        done <<<"$1"
        [ -n "$later" ] || return 1
        sleep 1
    done
}
lane() { # NUMBER LIST: until all is taken
    local needs name arguments status
    while take "$2"; do
        # shellcheck disable=SC2086
        FRESH_TESTS=libraries step "$name" $arguments
        status=$?
        [ "$name" != "build, asan" ] || built asan $status
    done
    touch "$logs/taken/end.$1"
}

step "dependencies" deps-check
step "build" WERROR=1 build build/release/libtest_support.a build/release/tests/peers/dump
built release $?
if [ "$jobs" -gt 1 ]; then
    export PYTEST_JOBS=${PYTEST_JOBS:-$jobs}
    set -m # a process group of its own, which ends with this one
    lane 1 "$computes$waits" &
    set +m
    trap 'kill -- -$! 2>/dev/null' EXIT
    trap 'exit 130' INT TERM HUP
    lane 2 "$waits$computes"
    wait
    [ -e "$logs/taken/end.1" ] || { echo "the first lane did not come to its end"; echo "0 1 0" >>"$logs/counts"; }
else
    lane 1 "$computes$waits"
fi
# a list that is read wrong must not pass for a short one
while IFS='|' read -r needs name _; do
    [ -n "$name" ] && [ ! -e "$logs/taken/$name" ] && [ ! -e "$logs/taken/$needs.failed" ] || continue
    echo "$name was not run"
    echo "0 1 0" >>"$logs/counts"
done <<<"$computes$waits"
echo "$SECONDS s"
awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$logs/counts"
