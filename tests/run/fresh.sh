#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/fresh.sh - the two commands on an unprepared machine: fresh.sh lowest|newest|next|arm64
#   lowest  Debian 12, main alone: no security, no updates, the oldest headers     newest  Debian 12 with both     next  Debian 13 with both
#   arm64   Debian 12 with both, emulated by qemu-user through binfmt_misc: an hour, and without the C tests, which `make arm64` runs
# A bare system of the suite, `apt install make git`, a clone of HEAD, `make run`, README's requests, SIGTERM, status 0; once as
# root, once as a user with sudo; then the C tests, as that user. Layers are kept in ~/.cache/torqued-fresh under a key of the suites'
# InRelease files and of what `make deps` installs. Needs root, namespaces and overlays: elsewhere it is skipped.
# FRESH_WORK is another folder for all of it; FRESH_TESTS=libraries runs only the C tests of what other libraries decide, none runs none; with both, the user's
# `make run` continues from a copy of what root built, so that the program is compiled once, and what an earlier run compiled with the
# same compiler from the same text, headers of the machine included, comes out of a ccache that is laid beside the layers; FRESH_SECONDS
# bounds the way to the first answer, and the tests (1800). FRESH_WITHOUT names packages that are removed before root's `make run`, whose
# `make deps` must bring them; FRESH_DEPS another layer of packages: both for fresh_selftest.sh. The last line is the count.
set -u
arm=${1:-lowest}
top=$PWD
work=${FRESH_WORK:-$PWD/build/fresh}
layers=${FRESH_WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/torqued-fresh}
mkdir -p "$work" "$layers"
passed=0
failed=0

skip() {
    echo "SKIP fresh, $arm: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
good() { echo "fresh, $arm: $1"; passed=$((passed + 1)); }
bad() { echo "fresh, $arm: FAILED: $1"; failed=$((failed + 1)); }
finish() { echo "$passed passed, $failed failed, ${skipped:-0} skipped"; [ "$failed" = 0 ]; exit; }

case $arm in
lowest) suite=bookworm extra= ;;
newest) suite=bookworm extra=yes ;;
next) suite=trixie extra=yes ;;
arm64)
    suite=bookworm extra=yes arch=arm64
    export FRESH_SECONDS=${FRESH_SECONDS:-14400} FRESH_TESTS=${FRESH_TESTS:-none}
    ;;
*) echo "fresh: ARM is lowest, newest, next or arm64"; exit 1 ;;
esac
# layers of another architecture have its name
layer=$suite${extra:+-all}${arch:+-$arch}
[ "$(id -u)" = 0 ] || skip "needs root"
for tool in mmdebstrap unshare python3 git ${arch:+arch-test}; do command -v $tool >/dev/null || skip "no $tool (make deps-check)"; done
unshare --mount --pid --fork --net true 2>/dev/null || skip "no namespaces here"

# the kernel runs programs of arm64 by qemu, which it opens when it is registered (F: chroots need no copy of it); a program's
# setuid bit counts (C)
emulate() {
    local binfmt=/proc/sys/fs/binfmt_misc qemu
    [ "$(uname -m)" != aarch64 ] || return 0
    qemu=$(command -v qemu-aarch64-static) || skip "no qemu-aarch64-static (make deps-bits)"
    [ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt 2>/dev/null || skip "no binfmt_misc here"
    [ ! -e $binfmt/qemu-aarch64 ] || return 0
    echo ":qemu-aarch64:M::\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$qemu:OCF" \
        >$binfmt/register || skip "binfmt_misc refuses qemu-aarch64"
    registered=$binfmt/qemu-aarch64
}
registered=
trap '[ -z "$registered" ] || echo -1 >"$registered"' EXIT
[ "${arch:-}" != arm64 ] || emulate

# the mirrors are those that this machine's apt uses
mirrors() { apt-get indextargets --format "\$(LABEL)|\$(REPO_URI)" "Created-By: Packages" 2>/dev/null | sort -u | sed -n "s/^$1|//p" | head -1; }
main=$(mirrors Debian)
security=$(mirrors Debian-Security)
[ -n "$main" ] || skip "apt here has no Debian mirror"
[ -n "$security" ] || security=${main%/}-security
sources=("deb $main $suite main")
[ -z "$extra" ] || sources+=("deb $main $suite-updates main" "deb $security $suite-security main")

key=$(for source in "${sources[@]}"; do
    read -r _ uri name _ <<<"$source"
    rm -f "$work/InRelease"
    /usr/lib/apt/apt-helper download-file "${uri%/}/dists/$name/InRelease" "$work/InRelease" >/dev/null 2>&1 &&
        grep -aE '^(Codename|Date|Version):' "$work/InRelease"
done | sha256sum | cut -c1-12)
# shellcheck disable=SC2016
packages=$(make -s --no-print-directory -f - words <<<'include tests/run/deps.mk
words: ; @echo $(packages_build) / $(packages_fresh)')
key_deps=$key-$({ echo "$packages"; cat tests/run/packages.sh; } | sha256sum | cut -c1-12)
rm -f "$work/InRelease"
[ -s /etc/resolv.conf ] || echo "fresh: no /etc/resolv.conf" >&2

inside() { # ROOT NET COMMAND...: in namespaces of its own; NET is net (this machine's) or alone (loopback only)
    local root=$1 net=$2
    shift 2
    # shellcheck disable=SC2016
    unshare --mount --pid --ipc --uts --fork --kill-child $([ "$net" = net ] || echo --net) bash -c '
        root=$1; shift
        mount --make-rprivate / && mount -t proc proc "$root/proc" && mount -t tmpfs tmp "$root/tmp" && mount --rbind /dev "$root/dev"
        [ "$0" = net ] || loopback
        [ ! -d "$CACHED" ] || { mkdir -p "$root/mnt/ccache" && mount --bind "$CACHED" "$root/mnt/ccache"; }
        exec chroot "$root" env -i PATH=${CACHED:+/mnt/ccache/bin:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb DEBIAN_FRONTEND=noninteractive "$@"' \
        "$net" "$root" "$@"
}
# a new network namespace has its loopback down
loopback() {
    ip link set lo up 2>/dev/null || python3 -c "
import fcntl, socket, struct
s = socket.socket(); fcntl.ioctl(s, 0x8914, struct.pack(\"16sh14x\", b\"lo\", 0x49))"
}
export -f loopback

# --- layers: a bare system; upon it make, git and what `make deps` installs; upon that sudo and Criterion
base=$layers/$layer-base-$key
deps=${FRESH_DEPS:-$layers/$layer-deps-$key_deps}
# one run makes layers, and none removes those that another run has mounted
exec 8>"$layers/lock"
[ -d "$base" ] && [ -e "$deps/done" ] || flock 8
if [ ! -d "$base" ]; then
    rm -rf "$layers/$layer"-base-*
    start=$SECONDS
    mmdebstrap --quiet ${arch:+--arch=$arch} --variant=minbase --format=directory "$suite" "$base.new" "${sources[@]}" >"$work/$arm.log" 2>&1 ||
        { tail -5 "$work/$arm.log"; skip "mmdebstrap could not reach the mirror"; }
    mv "$base.new" "$base"
    echo "fresh, $arm: bare system of $suite${arch:+, $arch,} in $((SECONDS - start)) s, $(du -smx "$base" | cut -f1) MB"
fi

over() { # UPPER LOWER...: an overlay, mounted at UPPER.root; unmounted at exit
    local upper=$1 lower
    shift
    lower=$(IFS=:; echo "$*")
    mkdir -p "$upper" "$upper.work" "$upper.root"
    mount -t overlay fresh -o "lowerdir=$lower,upperdir=$upper,workdir=$upper.work" "$upper.root" || return 1
    mounted+=("$upper.root")
}
mounted=()
tidy() {
    local root
    for root in "${mounted[@]}"; do umount "$root" 2>/dev/null || umount -l "$root"; done
    rm -rf "$work/run-$arm"* "$work/$arm".scratch*
    [ -z "$registered" ] || echo -1 >"$registered"
}
trap tidy EXIT
# an earlier run that was killed leaves its mounts
while read -r root; do umount "$root" 2>/dev/null || umount -l "$root"; done < <(awk -v under="$work/run-$arm" 'index($2, under) == 1 { print $2 }' /proc/mounts)
rm -rf "$work/run-$arm"*

clone() { # ROOT FOLDER: HEAD as anybody gets it
    rm -rf "$1$2"
    git clone -q --no-hardlinks "$top" "$1$2" 2>/dev/null || git clone -q "file://$top" "$1$2"
}

cold=
if [ ! -e "$deps/done" ]; then
    rm -rf "$layers/$layer"-deps-*
    over "$deps" "$base" || skip "no overlays here"
    cp -L /etc/resolv.conf "$deps.root/etc/resolv.conf" 2>/dev/null
    start=$SECONDS
    inside "$deps.root" net sh -c 'apt-get update -qq && apt-get install -qq -y make git' >"$work/$arm.log" 2>&1 || { tail -5 "$work/$arm.log"; bad "apt install make git"; finish; }
    clone "$deps.root" /opt/torqued
    if ! inside "$deps.root" net make -s -C /opt/torqued deps >"$work/$arm.log" 2>&1; then
        tail -20 "$work/$arm.log"
        bad "make deps"
        finish
    fi
    cold=$((SECONDS - start))
    # what apt fetched is kept in its cache; the layer below is not counted
    echo "$cold $(du -sm "$deps/var/cache/apt/archives" | cut -f1) $(du -smx --exclude=var/cache --exclude=var/lib/apt "$deps" | cut -f1)" >"$deps/opt/measured"
    inside "$deps.root" net sh -c "apt-get install -qq -y --no-install-recommends sudo ${packages#* / }" >"$work/$arm.log" 2>&1 || { tail -5 "$work/$arm.log"; bad "apt install of the test libraries"; finish; }
    rm -rf "$deps.root/opt/torqued"
    inside "$deps.root" alone sh -c 'useradd -m -d /srv/user -s /bin/bash user && echo "user ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/user'
    inside "$deps.root" alone apt-get clean
    umount "$deps.root" && mounted=()
    touch "$deps/done"
    good "make deps on a bare system"
fi
flock -s 8
read -r deps_s fetched_mb installed_mb <"$deps/opt/measured"

# This machine's ccache with the libraries it runs on, in a folder: nothing is installed, and a compiler is known by its content.
# Errors are not kept, and a header that the machine lacks or has otherwise is other text: what would fail still does.
export CACHED=
if [ "${FRESH_TESTS:-all}" = libraries ] && command -v ccache >/dev/null; then
    CACHED=$layers/ccache
    mkdir -p "$CACHED/bin" "$CACHED/lib" "$CACHED/cache"
    chmod 1777 "$CACHED/cache"
    cp -L "$(command -v ccache)" $(ldd "$(command -v ccache)" | grep -o '/[^ ]*') "$CACHED/lib/"
    cat >"$CACHED/bin/gcc" <<'SH'
#!/bin/sh
export CCACHE_DIR=/mnt/ccache/cache CCACHE_COMPILERCHECK=content CCACHE_UMASK=000 CCACHE_MAXSIZE=2G
exec /mnt/ccache/lib/ld-linux*.so.* --library-path /mnt/ccache/lib /mnt/ccache/lib/ccache /usr/bin/gcc "$@"
SH
    chmod 755 "$CACHED/bin/gcc"
fi

# --- make run, README's requests, SIGTERM
cat >"$work/requests.py" <<'PY'
import json, pathlib, re, subprocess, sys
text = pathlib.Path("README.md").read_text()
lines = [l for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) for l in block.splitlines() if l.startswith("curl ")]
assert len(lines) == 3, lines
for line in lines:
    done = subprocess.run(["bash", "-c", line.replace("curl ", "curl --fail-with-body --noproxy '*' --max-time 60 ", 1)], capture_output=True, text=True)
    assert done.returncode == 0, line + done.stdout + done.stderr
    answer = json.loads(done.stdout)
    if "planar-2r" in line:
        assert [len(row) for row in answer["tau"]] == [2, 2], answer
    elif "inverse-dynamics" in line:
        assert len(answer["tau"]) == 7 and abs(answer["tau"][0]) < 2 < max(map(abs, answer["tau"])), answer
    else:
        assert "panda" in done.stdout, answer
PY
export -f inside
serve() { # ROOT WHO: in a network of its own, so that port 8420 is free whatever runs here
    local start=$SECONDS
    # shellcheck disable=SC2016
    unshare --net bash -c '
        root=$1 who=$2 log=$3 requests=$4
        loopback
        home=/root; [ $who = root ] || home=/srv/user
        as=; [ $who = root ] || as="runuser -u $who --"
        inside "$root" net sh -c "cd /opt/torqued && exec $as env HOME=$home make -s run" >"$log" 2>&1 &
        while :; do
            curl -fs --noproxy "*" -m 2 -o /dev/null http://127.0.0.1:8420/readyz && break
            kill -0 $! 2>/dev/null || break
            [ $SECONDS -lt "${FRESH_SECONDS:-1800}" ] || { pkill -P $!; break; }
            sleep 0.5
        done
        date +%s >"$log.answered"
        pid=$(pgrep --ns $! --nslist net -x torqued | head -1)
        [ -n "$pid" ] || { echo "it does not answer"; exit 1; }
        (cd "$root/opt/torqued" && python3 "$requests") || { kill "$pid"; exit 1; }
        # who only runs the daemon needs no MPI
        if grep -qE "lib(mpi|sundials|petsc|open-pal)" "/proc/$pid/maps"; then echo "the daemon has MPI"; kill "$pid"; exit 1; fi
        kill -TERM "$pid"
        wait $!' - "$1" "$2" "$work/$arm-$2.log" "$work/requests.py"
    local status=$?
    took=$(($(cat "$work/$arm-$2.log.answered" 2>/dev/null || date +%s) - began))
    return $status
}

for who in root user; do
    over "$work/run-$arm-$who" "$deps" "$base" || skip "no overlays here"
    root=$work/run-$arm-$who.root
    if [ $who = user ]; then
        if [ "${FRESH_TESTS:-all}" != all ]; then
            cp -a "$work/run-$arm-root.root/opt/torqued" "$root/opt/"
        else
            clone "$root" /opt/torqued
        fi
        inside "$root" alone chown -R user:user /srv/user /opt/torqued
        # a package is missing again, so that sudo is needed
        cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
        inside "$root" net apt-get remove -qq -y scdoc >/dev/null 2>&1
        if inside "$root" net runuser -u user -- make -s -C /opt/torqued deps >"$work/$arm-user.log" 2>&1 && inside "$root" alone test -x /usr/bin/scdoc; then
            good "make deps of a user with sudo"
        else
            tail -5 "$work/$arm-user.log"
            bad "make deps of a user with sudo"
        fi
    else
        clone "$root" /opt/torqued
        if [ -n "${FRESH_WITHOUT:-}" ]; then
            cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
            # shellcheck disable=SC2086
            inside "$root" net apt-get remove -qq -y $FRESH_WITHOUT >/dev/null 2>&1 || bad "apt remove $FRESH_WITHOUT"
        fi
    fi
    began=$(date +%s)
    if serve "$root" $who; then
        good "make run as $who: README's requests after $took s, SIGTERM, status 0"
    else
        tail -30 "$work/$arm-$who.log"
        bad "make run as $who"
        finish # any other build of it has the same problem
    fi
    [ $who = user ] || echo "fresh, $arm: first answer $((deps_s + took)) s after \`apt install make git\` began (packages $deps_s s, the rest $took s); $fetched_mb MB fetched, $installed_mb MB installed"
done

# --- the C tests, as a user
[ "${FRESH_TESTS:-all}" != none ] || finish
goals=test
[ "${FRESH_TESTS:-all}" = all ] || goals=test-libraries
inside "$root" alone runuser -u user -- timeout -k 10 "${FRESH_SECONDS:-1800}" make -s -j"$(nproc)" -C /opt/torqued $goals >"$work/$arm-tests.log" 2>&1
status=$?
last=$(grep -aE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$work/$arm-tests.log" | tail -1)
if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
    echo "fresh, $arm: C tests: $last"
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=${BASH_REMATCH[3]}
    [ $status = 0 ] || tail -40 "$work/$arm-tests.log"
    [ $status = 0 ] || [ "${BASH_REMATCH[2]}" != 0 ] || bad "the C tests ended with status $status"
else
    tail -40 "$work/$arm-tests.log"
    bad "the C tests did not end (status $status)"
fi
finish
