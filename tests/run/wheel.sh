#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/wheel.sh - a new user's ten minutes: wheel.sh DAEMON. The wheel, built on Debian 12, installed by pip in a bare Debian 12
# with Python and no network; first torque, first calibration report, without anything of this tree. By torquectl: deb.sh.
# What pip would fetch (httpx, numpy and theirs) is fetched here, by pip, for that Python. Needs root, namespaces and overlays: elsewhere it
# is skipped. Times are printed and judge nothing. The last line is the count.
set -u
daemon=$1
work=$PWD/build/wheel-bare
layers=${XDG_CACHE_HOME:-$HOME/.cache}/torqued-fresh
python=$PWD/build/venv/bin/python
passed=0 failed=0
mkdir -p "$work" "$layers"

skip() {
    echo "SKIP wheel on a bare system: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
good() { echo "wheel: $1"; passed=$((passed + 1)); }
bad() { echo "wheel: FAILED: $1"; failed=$((failed + 1)); }

[ "$(id -u)" = 0 ] || skip "needs root"
for tool in mmdebstrap unshare; do command -v $tool >/dev/null || skip "no $tool (make deps-check)"; done
unshare --mount --pid --fork --net true 2>/dev/null || skip "no namespaces here"
"$python" -c 'import hatchling, auditwheel' 2>/dev/null || skip "no hatchling or auditwheel (make deps-clients)"
grep -q '^VERSION_ID="12"' /etc/os-release || skip "the wheel is of the oldest system it installs on: Debian 12, which this is not"

# the mirror is that of this machine's apt
mirror=$(apt-get indextargets --format "\$(LABEL)|\$(REPO_URI)" "Created-By: Packages" 2>/dev/null | sort -u | sed -n "s/^Debian|//p" | head -1)
[ -n "$mirror" ] || skip "apt here has no Debian mirror"
bare=$layers/bookworm-python
if [ ! -d "$bare" ]; then
    mmdebstrap --quiet --variant=minbase --include=python3,python3-venv --format=directory bookworm "$bare.new" "deb $mirror bookworm main" >"$work/bare.log" 2>&1 ||
        { tail -5 "$work/bare.log"; rm -rf "$bare.new"; skip "mmdebstrap could not reach the mirror"; }
    mv "$bare.new" "$bare"
fi

root=$work/root
mkdir -p "$work/upper" "$work/inner" "$root"
mount -t overlay wheel -o "lowerdir=$bare,upperdir=$work/upper,workdir=$work/inner" "$root" || skip "no overlays here"
tidy() {
    umount "$root" 2>/dev/null || umount -l "$root"
    rm -rf "$work/upper" "$work/inner" "$root"
}
trap tidy EXIT

inside() { # COMMAND...: as a user, in namespaces of its own, without a network
    # shellcheck disable=SC2016
    unshare --mount --pid --ipc --uts --net --fork --kill-child bash -c '
        root=$1; shift
        mount --make-rprivate / && mount -t proc proc "$root/proc" && mount -t tmpfs tmp "$root/tmp" && mount --rbind /dev "$root/dev"
        ip link set lo up 2>/dev/null || python3 -c "
import fcntl, socket, struct
s = socket.socket(); fcntl.ioctl(s, 0x8914, struct.pack(\"16sh14x\", b\"lo\", 0x49))"
        exec chroot --userspec=1000:1000 "$root" env -i PATH=/usr/bin:/bin HOME=/srv/new TERM=dumb "$@"' - "$root" "$@"
}

start=$SECONDS
if "$(dirname "$0")/../../clients/python/wheel.sh" "$daemon" "$work/wheel" >"$work/build.log" 2>&1; then
    good "built and repaired in $((SECONDS - start)) s: $(du -k "$work"/wheel/torqued-*.whl | cut -f1) KB"
else
    tail -20 "$work/build.log"
    bad "the wheel is not built"
fi
new=$root/srv/new
mkdir -p "$new/wheels"
cp "$work"/wheel/torqued-*.whl "$new/wheels/"
version=$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
"$python" -m pip download -q --only-binary=:all: --python-version "$version" --platform manylinux2014_x86_64 --platform manylinux_2_28_x86_64 --platform manylinux_2_34_x86_64 \
    -d "$new/wheels" "$new"/wheels/torqued-*.whl >"$work/download.log" 2>&1 || { tail -5 "$work/download.log"; skip "what it depends on is not available from PyPI"; }
cp "$(dirname "$0")/wheel_first.py" "$new/first.py"
chown -R 1000:1000 "$new"

inside sh -c 'cd && python3 -m venv own && own/bin/pip install -q --no-index --find-links wheels torqued' >"$work/install.log" 2>&1
status=$?
if [ $status = 0 ] && [ ! -s "$work/install.log" ]; then
    good "pip install without a word"
else
    cat "$work/install.log"
    bad "pip install, status $status"
fi
if inside /srv/new/own/bin/python /srv/new/first.py >"$work/first.log" 2>&1; then
    sed 's/^/wheel: /' "$work/first.log"
    good "first torque and first calibration report"
else
    cat "$work/first.log"
    bad "first torque, first report"
fi
# licences of everything that is carried
licences=$(find "$root/srv/new/own/lib" -path '*torqued/_daemon/licenses/*' -type f | wc -l)
libraries=$(find "$root/srv/new/own/lib" -path '*torqued.libs/*.so*' -type f | wc -l)
if [ "$licences" -gt 15 ] && [ "$libraries" -gt 15 ]; then good "$libraries libraries, $licences licences"; else bad "$libraries libraries, $licences licences"; fi
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
