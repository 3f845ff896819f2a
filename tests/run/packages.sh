#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/packages.sh - install those of the named Debian packages that are missing; quick when none is.
set -eu
command -v dpkg-query >/dev/null || { echo "not a Debian system: install the like of $*" >&2; exit 0; }
missing=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null | awk -v want="$*" '
    $2 == "installed" { have[$1] = 1 }
    END { n = split(want, name, " "); for (i = 1; i <= n; i++) if (!(name[i] in have)) print name[i] }')
[ -n "$missing" ] || exit 0
echo "installing:" $missing
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq </dev/null
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing </dev/null >/dev/null
