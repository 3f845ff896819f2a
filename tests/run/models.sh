#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/models.sh - robot descriptions out of PyPI packages: FOLDER PACKAGE...; quick when they are there.
# Only descriptions and the meshes that they name are kept. What cannot be fetched is named and left out.
set -eu
folder=$1
shift
for package in "$@"; do
    [ ! -e "$folder/$package/.have" ] || continue
    fetched=$folder/$package.fetched
    rm -rf "$fetched" "${folder:?}/$package"
    mkdir -p "$fetched" "$folder/$package"
    if timeout 500 build/venv/bin/pip download -q --disable-pip-version-check --retries 1 --no-deps -d "$fetched" "$package" \
        </dev/null >"$folder/pip.log" 2>&1; then
        build/venv/bin/python tests/run/models.py "$fetched" "$folder/$package"
        touch "$folder/$package/.have"
    else
        echo "not available from PyPI: $package (its models are not compared): $(tail -1 "$folder/pip.log")"
    fi
    rm -rf "$fetched"
done
