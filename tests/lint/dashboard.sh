#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/lint/dashboard.sh - what the daemon serves at / was made of the sources beside it (`make dashboard` makes it), and is as it was made:
# a merge may take one side's bundle and the other side's sources.
set -eu
cd clients/dashboard
listed=$(sed 's/^[0-9a-f]*  //' dist/sources.sha256 | sort)
there=$({ find src dist -type f ! -name sources.sha256; echo build.mjs; echo package-lock.json; echo ../javascript/torqued.js; } | sort)
if [ "$listed" != "$there" ] || ! sha256sum --quiet -c dist/sources.sha256; then
    echo "clients/dashboard/dist is not made of these sources: make dashboard" >&2
    exit 1
fi
