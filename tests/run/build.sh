#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/build.sh - `make build` for a person: how much of it is done, on one line of a terminal; every tenth part elsewhere.
# usage: build.sh MAKE JOBS. What the compiler says is printed as it comes; the status is make's.
set -u
make=$1
jobs=$2
started=$SECONDS
# A line `  CC  file` for each step that make would take. Once something is built, -n counts everything again: see build/release/flags.
total=
[ -e build/release/flags ] || total=$($make -n build 2>/dev/null | grep -cE '^echo "  [A-Z]+ ')
if [ -t 1 ]; then columns=$(tput cols 2>/dev/null || echo 80); else columns=0; fi
[ -z "$total" ] || echo "building: $total steps, $jobs at once"
$make -j"$jobs" build | {
    n=0
    shown=0
    while read -r word file; do
        case $word in CC | LD | AR) ;; *) [ -z "$word" ] || echo "$word $file"; continue ;; esac
        n=$((n + 1))
        if [ "$columns" -gt 0 ]; then
            line="  $n${total:+ of $total}  $((SECONDS - started)) s  $file"
            printf '\r%s\033[K' "${line:0:columns-1}"
        elif [ -n "$total" ] && [ $((10 * n / total)) -gt "$shown" ]; then
            shown=$((10 * n / total))
            echo "  $n of $total, $((SECONDS - started)) s"
        fi
    done
    [ "$columns" = 0 ] || printf '\r\033[K'
}
status=${PIPESTATUS[0]}
[ "$status" != 0 ] || echo "built in $((SECONDS - started)) s"
exit "$status"
