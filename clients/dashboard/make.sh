#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clients/dashboard/make.sh - check types and build dist/, or the folder that is given.
set -eu
out=${1:-}
[ -z "$out" ] || out=$(mkdir -p "$out" && cd "$out" && pwd)
cd "$(dirname "$0")"
command -v npm >/dev/null || { echo "there is no npm: the dashboard is built with node 18 or newer" >&2; exit 1; }
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund
node_modules/.bin/tsc
node build.mjs ${out:+"$out"}
