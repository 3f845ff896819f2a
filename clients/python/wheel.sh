#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clients/python/wheel.sh - wheel.sh DAEMON OUT: a wheel with the daemon, the libraries it needs and their licences, into OUT.
# The oldest system it installs on is the one it is built on: of Debian 12 that is glibc 2.36 (`make wheel-fresh` builds it there).
set -eu
daemon=$1 out=$2
here=$(dirname "$0")
python=$(realpath -s "${PYTHON:-build/venv/bin/python}")
$python -c 'import hatchling, auditwheel' || { echo "wheel: needs hatchling and auditwheel (make deps-clients)" >&2; exit 1; }
stage=$out/stage
rm -rf "$stage"
mkdir -p "$stage" "$out"
cp -R "$here/src" "$here/README.md" "$here/pyproject.toml" "$here/generate.py" "$here/hatch_build.py" "$here/../../LICENSE" "$stage/"
find "$stage" -name __pycache__ -prune -exec rm -rf {} +
carried=$stage/src/torqued/_daemon
mkdir -p "$carried/licenses"
install -s -m 755 "$daemon" "$carried/torqued"
# Every library but those that the wheel's tag requires of the system: glibc, and expat and zlib, which Python itself needs. (Debian 12's own
# expat calls arc4random of glibc 2.36: carried along, it would shut out Ubuntu 22.04.) A library's licence is its package's.
ldd "$daemon" | awk '$3 ~ "^/" { print $3 }' | while read -r library; do
    real=$(readlink -f "$library")
    package=$(dpkg-query -S "$real" "/usr$library" "${library#/usr}" 2>/dev/null | head -n 1 | cut -d: -f1)
    case $package in
        libc6 | "") [ -n "$package" ] || { echo "wheel: whose is $real?" >&2; exit 1; } ;;
        *) cp "/usr/share/doc/$package/copyright" "$carried/licenses/$package" ;;
    esac
done
(cd "$stage" && "$python" -m hatchling build -t wheel -d dist >/dev/null)
rm -f "$out"/torqued-*.whl
PATH=$(dirname "$python"):$PATH $python -m auditwheel -v repair --strip -w "$out" "$stage"/dist/*.whl >"$out/auditwheel.log" 2>&1 || { tail -20 "$out/auditwheel.log" >&2; exit 1; }
rm -rf "$stage"
ls -l "$out"/torqued-*.whl
