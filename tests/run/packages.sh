#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/run/packages.sh - install those of the named Debian packages that are missing; quick when none is.
# NAME>=VERSION names the lowest version that will do. What was found is written to build/deps.txt.
set -eu
names=$(echo "$*" | sed 's/>=[^ ]*//g')
command -v dpkg-query >/dev/null || { echo "not a Debian system: install the like of $names" >&2; exit 0; }

found() { # NAME...: those that are installed, with their versions
    dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' "$@" 2>/dev/null | awk '$3 == "installed" { print $1, $2 }'
}

# apt says nothing for minutes where it is quiet, and pages where it is not: a line every tenth. By the shell, which reads a pipe as
# it comes: mawk of Debian 13 reads it to its end first.
progress() {
    last= said=
    while IFS=: read -r what _ percent _; do
        case $what in dlstatus) doing=fetching ;; pmstatus) doing=installing ;; *) continue ;; esac
        case ${percent%%.*} in '' | *[!0-9]*) continue ;; esac
        tenth=$((${percent%%.*} / 10))
        [ "$what" != "$last" ] || [ "$tenth" -gt "$said" ] || continue
        last=$what said=$tenth
        echo "  $doing: $((10 * tenth)) %"
    done
}

install() { # NAME...: once; what apt said is in build/deps.log
    # shellcheck disable=SC2086
    $as_root apt-get update -qq </dev/null >>build/deps.log 2>&1 || return 1
    { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends -o Acquire::Retries=3 \
        -o APT::Status-Fd=3 "$@" 3>&1 </dev/null >>build/deps.log 2>&1 && echo "pmstatus:done:100:" || echo "failed"; } |
        tee build/deps.status | progress
    ! grep -qx failed build/deps.status
}

mkdir -p build
# shellcheck disable=SC2086
missing=$(found $names | awk -v want="$names" '
    { have[$1] = 1 }
    END { n = split(want, name, " "); for (i = 1; i <= n; i++) if (!(name[i] in have)) print name[i] }')
if [ -n "$missing" ]; then
    as_root=
    if [ "$(id -u)" != 0 ]; then
        as_root=sudo
        command -v sudo >/dev/null || {
            echo "packages are missing, and installing them needs root: there is no sudo. Root can run:" >&2
            echo "  apt-get update && apt-get install -y --no-install-recommends" $missing >&2
            exit 1
        }
    fi
    echo "installing, which takes minutes:" $missing
    : >build/deps.log
    # a mirror that is being written to gives an index and packages that do not agree: it is asked again
    attempt=1
    # shellcheck disable=SC2086
    until install $missing; do
        if [ $attempt = 3 ]; then
            tail -5 build/deps.log >&2
            echo "apt-get could not install what is missing (build/deps.log). Root can try:" >&2
            echo "  apt-get update && apt-get install -y --no-install-recommends" $missing >&2
            exit 1
        fi
        echo "  apt-get failed; asking again in $((attempt * 20)) s" >&2
        sleep $((attempt * 20))
        attempt=$((attempt + 1))
    done
fi
# shellcheck disable=SC2086
found $names >build/deps.txt
low=0
for want in "$@"; do
    case $want in *'>='*) ;; *) continue ;; esac
    have=$(awk -v name="${want%%>=*}" '$1 == name { print $2 }' build/deps.txt)
    dpkg --compare-versions "$have" ge "${want#*>=}" || { echo "${want%%>=*} is $have here; ${want#*>=} or newer is needed" >&2; low=1; }
done
exit $low
