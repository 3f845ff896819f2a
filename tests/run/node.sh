#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/node.sh - node.sh FOLDER SOURCE: installs into FOLDER/node_modules what SOURCE/package-lock.json names; quick when it is there.
# What npm does not give is said, and the tests that need it skip.
set -eu
folder=$1
source=$2
mkdir -p "$folder"
command -v npm >/dev/null || { echo "not available: npm (tests that need packages of npm will skip)"; exit 0; }
if [ -d "$folder/node_modules" ] && cmp -s "$source/package-lock.json" "$folder/have-lock.json"; then exit 0; fi
cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$folder/"
if (cd "$folder" && timeout 600 npm ci --no-audit --no-fund --loglevel=error) </dev/null >"$folder/npm.log" 2>&1; then
    cp "$source/package-lock.json" "$folder/have-lock.json"
else
    echo "not available from npm: $(grep -m 1 'npm error\|npm ERR' "$folder/npm.log" || tail -1 "$folder/npm.log") (tests that need it will skip)"
fi
