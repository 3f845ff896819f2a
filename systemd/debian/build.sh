#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# systemd/debian/build.sh - Debian packages of a commit: build.sh OUT [COMMIT]   (make deb)
# Always in build/deb/tree: the compiler's cache finds what another commit has compiled there. Without git, of the files that are here.
set -eu
out=$(mkdir -p "$1" && cd "$1" && pwd)
commit=${2:-HEAD}
command -v dh >/dev/null || { echo "no debhelper: make deps-deb installs it" >&2; exit 1; }
tree=$PWD/build/deb/tree
rm -rf "$tree" build/deb/torqued_* build/deb/torquectl_* build/deb/libtqc*
mkdir -p "$tree"
if [ -e .git ]; then
    git archive "$commit" | tar -x -C "$tree"
    when=$(git show -s --format=%ct "$commit")
    more=+$(git rev-list --count "$commit").g$(git rev-parse --short=8 "$commit")
else
    tar -c --exclude=./build . | tar -x -C "$tree"
    when=$(stat -c %Y api/version.h)
    more=
fi
cd "$tree"
version=$(sed -n 's/.*define TQA_VERSION "\(.*\)"/\1/p' api/version.h)
cp -r systemd/debian debian
rm debian/README.md debian/build.sh
# what it is built of is in one place
packages=$(printf 'include tests/run/deps.mk\nwords: ; @echo $(packages_build)\n' | make -s --no-print-directory -f - words | tr ' ' '\n' |
    sed "/^gcc\|^libc6-dev\|^curl\|^ca-certificates\|^$/d; s/'//g; s/>=\(.*\)/ (>= \1)/" | paste -sd, | sed 's/,/, /g')
sed -i "s/@build@/$packages/" debian/control
export SOURCE_DATE_EPOCH="$when"
cat >debian/changelog <<C
torqued ($version$more) unstable; urgency=medium

  * As CHANGELOG.md lists it.

 -- torqued maintainers <torqued@packages.debian.org>  $(date -u -R -d "@$when")
C
DEB_BUILD_OPTIONS="nocheck noautodbgsym terse parallel=$(nproc)" dpkg-buildpackage -us -uc -b >../build.log 2>&1 ||
    { tail -30 ../build.log >&2; exit 1; }
[ "$out" = "${tree%/*}" ] || rm -f "$out"/*.deb "$out"/*.buildinfo "$out"/*.changes
[ "$out" = "${tree%/*}" ] || mv ../*.deb ../*.buildinfo ../*.changes "$out/"
ls "$out"/*.deb
