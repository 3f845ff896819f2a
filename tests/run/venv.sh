#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/venv.sh - make a Python environment with the named packages; quick when it has them.
# What cannot be fetched is named and left out: the tests that need it skip, and say so.
set -eu
venv=$1
shift
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
mkdir -p "$venv/have"
for package in "$@"; do
    [ ! -e "$venv/have/$package" ] || continue
    if timeout 300 "$venv/bin/pip" install -q --disable-pip-version-check --retries 1 "$package" </dev/null >"$venv/pip.log" 2>&1; then
        touch "$venv/have/$package"
    else
        echo "not available from PyPI: $package (tests that need it will skip): $(tail -1 "$venv/pip.log")"
    fi
done
