#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/container.sh - the image's root as a container runs it: read-only, user 8420, no capability, 256 MiB, one core   (make test-container)
# By chroot in namespaces and a memory control group of either version. Needs root, namespaces and build/container (make container): else it is
# skipped. The last line is the count.
set -u
top=$PWD
passed=0
failed=0
check() { if [ "$2" = 0 ]; then echo "container: $1"; passed=$((passed + 1)); else echo "container: FAILED: $1"; failed=$((failed + 1)); fi; }
skip() { echo "SKIP test-container: $1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
[ "$(id -u)" = 0 ] || skip "needs root"
[ -e build/container/root.tar ] || skip "no image (make deps-container container)"
unshare --mount --pid --fork --net true 2>/dev/null || skip "no namespaces here"
for tool in curl nsenter setpriv taskset; do command -v $tool >/dev/null || skip "no $tool"; done

work=$top/build/container/test
rm -rf "$work"
mkdir -p "$work/root" "$work/state" "$work/run"
# the layer of the image itself, where there is one
if [ -e build/container/torqued.tar ]; then
    mkdir "$work/image"
    tar -C "$work/image" -xf build/container/torqued.tar
    config=$work/image/$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[0]["Config"])' "$work/image/manifest.json")
    python3 - "$config" <<'PY'
import json, sys
c = json.load(open(sys.argv[1]))["config"]
assert c["User"] == "8420:8420" and c["Healthcheck"]["Test"][:2] == ["CMD", "/usr/bin/torquectl"], c
assert set(c["Volumes"]) == {"/var/lib/torqued", "/run/torqued"} and c["Entrypoint"][0] == "/usr/bin/torqued", c
PY
    check "the image has its user, its health check, its volumes" $?
    for layer in "$work"/image/*.tar "$work"/image/*/layer.tar; do [ ! -f "$layer" ] || tar -C "$work/root" -xf "$layer"; done
else
    tar -C "$work/root" -xf build/container/root.tar
fi
[ ! -e "$work/root/bin/sh" ] && [ ! -e "$work/root/usr/bin/sh" ]
check "it has no shell" $?
chown 8420:8420 "$work/state" "$work/run"

# a control group of 256 MiB, of version 2 or 1
group=
for tree in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/memory; do
    new=$tree/torqued-test-$$
    mkdir "$new" 2>/dev/null || continue
    if { [ -e "$new/memory.max" ] && echo $((256 << 20)) >"$new/memory.max"; } 2>/dev/null ||
        { [ -e "$new/memory.limit_in_bytes" ] && echo $((256 << 20)) >"$new/memory.limit_in_bytes"; } 2>/dev/null; then
        group=$new
        break
    fi
    rmdir "$new"
done
[ -n "$group" ] || echo "container: no control group of memory to be had here: without the bound of 256 MiB"
tidy() { [ -z "${server:-}" ] || kill -KILL "$server" 2>/dev/null; wait 2>/dev/null; [ -z "$group" ] || rmdir "$group" 2>/dev/null; rm -rf "$work"; }
trap tidy EXIT

# shellcheck disable=SC2016
unshare --mount --pid --ipc --uts --net --fork --kill-child bash -c '
    set -e
    work=$1 group=$2
    root=$work/root
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=755 dev "$root/dev"
    for n in null zero random urandom; do mknod -m 666 "$root/dev/$n" c $(stat -c "0x%t 0x%T" "/dev/$n"); done
    mount -t tmpfs -o mode=755 sys "$root/sys" && mkdir -p "$root/sys/fs/cgroup" && mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
    mount --bind "$work/state" "$root/var/lib/torqued"
    mount --bind "$work/run" "$root/run/torqued"
    mount -o remount,bind,ro "$root"
    [ -z "$group" ] || echo $$ >"$group/cgroup.procs"
    exec env -i STATE_DIRECTORY=/var/lib/torqued OPENBLAS_NUM_THREADS=1 TORQUED_URL=unix:/run/torqued/torqued.sock \
        "$(command -v taskset)" -c 0 "$(command -v setpriv)" --no-new-privs "$(command -v chroot)" --userspec=8420:8420 --groups= "$root" /usr/bin/torqued --config /etc/torqued/torqued.conf
' - "$work" "$group" 2>"$work/log" &
server=$!
ask() { curl -sS --max-time 120 --unix-socket "$work/run/torqued.sock" "$@"; }
for _ in $(seq 300); do
    ask -f http://localhost/readyz >/dev/null 2>&1 && break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
done
ask -f http://localhost/readyz >/dev/null
check "it is ready" $?
pid=$(pgrep -P $server | head -1)
[ -n "$pid" ] || { cat "$work/log"; echo "$passed passed, $((failed + 1)) failed, 0 skipped"; exit 1; }
grep -q '"event":"listening"' "$work/log" && grep -o '"confinement":"[^"]*"' "$work/log"
status() { awk -v f="$1:" '$1 == f { print $2 }' "/proc/$pid/status"; }
[ "$(status Uid)" = 8420 ] && [ "$(status CapEff)" = 0000000000000000 ] && [ "$(status NoNewPrivs)" = 1 ] && [ "$(status Seccomp)" = 2 ]
check "user 8420, no capability, no new privileges, seccomp" $?
nsenter --target "$pid" --mount --root --setgid 8420 --setuid 8420 -- /usr/bin/torquectl -s unix:/run/torqued/torqued.sock --timeout 5 --retries 0 ready >/dev/null
check "the health check is content" $?
if [ -n "$group" ]; then # an eighth of 256 MiB; one core of as many as there are
    # shellcheck disable=SC2016
    sh -c 'echo $$ >"$1/cgroup.procs"; exec nsenter --target "$2" --mount --pid --root -- /usr/bin/torqued --state-dir /var/lib/torqued --check-config' - "$group" "$pid" |
        grep -qx "body_budget = 32MiB"
    check "its budgets fit 256 MiB" $?
fi
ask -f http://localhost/v1/robots/panda/inverse-dynamics -H 'Content-Type: application/json' -d '{"q":[0,0,0,-1,0,1,0],"qd":[0,0,0,0,0,0,0],"qdd":[0,0,0,0,0,0,0]}' | grep -q '"tau"'
check "it computes" $?
[ "$(ask -o /dev/null -w '%{http_code}' http://localhost/v1/robots/planar-2r/simulate -H 'Content-Type: application/json' -H 'Prefer: wait=60' \
    -d '{"initial":{"q":[0.3,-0.2]},"duration_s":10,"output":{"interval_s":0.1}}')" = 200 ]
check "it simulates" $?
head -c 60000000 /dev/zero | tr '\0' '1' >"$work/ones"
(echo t,q; yes 0.123456,0.654321 | head -c 40000000) >"$work/log.csv"
[ "$(ask -o /dev/null -w '%{http_code}' -T "$work/log.csv" http://localhost/v1/datasets/log)" = 201 ]
check "it stores a recording of 40 MB" $?
code=$(ask -o /dev/null -w '%{http_code}' http://localhost/v1/robots/panda/inverse-dynamics -H 'Content-Type: application/json' --data-binary @"$work/ones")
case $code in 4?? | 503) true ;; *) false ;; esac
check "a body beyond its memory is refused ($code)" $?
kill -0 "$pid" && ask -f http://localhost/readyz >/dev/null
check "and it lives" $?
[ -z "$group" ] || echo "container: peak of the group: $(($(cat "$group/memory.peak" "$group/memory.max_usage_in_bytes" 2>/dev/null | head -1) >> 20)) MiB, resident $(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$pid/status") MiB"
kill -TERM "$pid"
wait $server
check "SIGTERM ends it with status 0" $?
server=
[ "$failed" = 0 ] || tail -5 "$work/log"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
