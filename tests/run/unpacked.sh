#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/unpacked.sh - unpacked.sh FOLDER PACKAGE...: Debian packages and what they need below FOLDER; nothing is installed or started. No root.
set -eu
folder=$1
shift
list=$(echo "$*" | tr ' ' '\n' | sort)
[ "$(cat "$folder/unpacked" 2>/dev/null)" != "$list" ] || exit 0
command -v apt-get >/dev/null || { echo "not a Debian system: $* must be in PATH" >&2; exit 0; }
rm -rf "$folder"
mkdir -p "$folder/archives/partial"
archives=$(cd "$folder/archives" && pwd)
# --reinstall: also what this machine has
apt-get -qq -y -o Debug::NoLocking=1 -o Dir::Cache::archives="$archives" -o Acquire::Retries=3 --no-install-recommends --reinstall --download-only \
    install "$@" >"$folder/apt.log" 2>&1 || { tail -3 "$folder/apt.log" >&2; exit 1; }
for package in "$archives"/*.deb; do dpkg-deb -x "$package" "$folder"; done
rm -rf "$archives"
echo "$list" >"$folder/unpacked"
