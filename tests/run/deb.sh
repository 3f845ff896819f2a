#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/run/deb.sh - the Debian packages on a bare system under its own systemd: install, upgrade, remove, purge   (make test-deb)
# Packages of the commit before and of this one are built (FROM=COMMIT: of another before; BUILT=yes: those that are there), this one's is lintian's; then a bare Debian
# boots in namespaces and dpkg does all four, with a dataset and a job inside; then a new user's first torque and report by torquectl, timed. Needs root, namespaces, debhelper, lintian and mmdebstrap: else it is
# skipped. The bare system is kept in build/deb/system. The last line is the count.
set -u
top=$PWD
passed=0
failed=0
finish() { echo "$passed passed, $failed failed, 0 skipped"; [ "$failed" = 0 ]; exit; }
check() { if [ "$2" = 0 ]; then echo "deb: $1"; passed=$((passed + 1)); else echo "deb: FAILED: $1"; failed=$((failed + 1)); fi; }
skip() { echo "SKIP test-deb: $1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
[ "$(id -u)" = 0 ] || skip "needs root"
for tool in dh lintian mmdebstrap unshare git; do command -v $tool >/dev/null || skip "no $tool (make deps-deb)"; done
unshare --mount --pid --fork --net --cgroup true 2>/dev/null || skip "no namespaces here"

from=${FROM:-HEAD~1}
git cat-file -e "$from:systemd/debian/build.sh" 2>/dev/null || { echo "deb: $from has no packages: it is upgraded from itself"; from=HEAD; }
if [ -z "${BUILT:-}" ]; then
    rm -rf build/deb/before build/deb/now
    systemd/debian/build.sh build/deb/before "$from" >/dev/null
    check "packages of $from" $?
    systemd/debian/build.sh build/deb/now HEAD >/dev/null
    check "packages of HEAD" $?
fi
[ $failed = 0 ] || finish
lintian --fail-on error,warning --allow-root build/deb/now/*.changes
check "lintian: no error, no warning" $?

# --- a bare system, with what the packages depend on
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirrors() { apt-get indextargets --format "\$(LABEL)|\$(REPO_URI)" "Created-By: Packages" 2>/dev/null | sort -u | sed -n "s/^$1|//p" | head -1; }
main=$(mirrors Debian)
[ -n "$main" ] || skip "apt here has no Debian mirror"
needs=$(for deb in build/deb/now/*.deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g; s/:any//' | grep -v '^libtqc0$' | sort -u | paste -sd,),systemd,systemd-sysv,curl,man-db,procps
key=$(echo "$suite $main $needs" | sha256sum | cut -c1-12)
system=$top/build/deb/system/$key
if [ ! -d "$system" ]; then
    rm -rf build/deb/system
    mkdir -p build/deb/system
    mmdebstrap --quiet --variant=minbase --include="$needs" "$suite" "$system.new" "deb $main $suite main" \
        >build/deb/system.log 2>&1 || { tail -5 build/deb/system.log; skip "mmdebstrap could not reach the mirror"; }
    mv "$system.new" "$system"
fi

# --- what an administrator does, in it
run=$top/build/deb/run
rm -rf "$run"
mkdir -p "$run/inst/packages"
cp -r build/deb/before build/deb/now "$run/inst/packages/"
cat >"$run/script" <<'S'
export DEBIAN_FRONTEND=noninteractive
url=http://127.0.0.1:8420
say() { echo "== $1 $2"; }
holds() { local what=$1; shift; if "$@" >/tmp/said 2>&1; then say ok "$what"; else say FAILED "$what"; cat /tmp/said; fi; }
gone() { [ ! -e "$1" ]; }
ready() { for _ in $(seq 300); do curl -fs --max-time 5 $url/readyz >/dev/null && return; sleep 0.2; done; journalctl -u torqued --no-pager | tail -20; return 1; }
torque() { curl -fsS --max-time 60 $url/v1/robots/planar-2r/inverse-dynamics -H 'Content-Type: application/json' -d '{"q":[0.1,0.2],"qd":[0,0],"qdd":[0,0]}' | grep -q '"tau"'; }
printf 't,q\n0,1\n1,2\n' >/log.csv
holds "install of the commit before" dpkg -i /packages/before/*.deb
holds "the service is enabled and started" sh -c 'systemctl is-enabled torqued && systemctl is-active torqued'
holds "the activated socket is neither" sh -c '! systemctl is-enabled torqued-activated.socket && ! systemctl is-active torqued-activated.socket'
holds "it is ready" ready
holds "it computes" torque
holds "it runs as torqued, its state is private" sh -c '[ "$(stat -c %U-%a /var/lib/torqued)" = torqued-700 ] && [ "$(ps -o user= -C torqued | tr -d " ")" = torqued ]'
holds "a dataset is stored" curl -fsS --max-time 30 -T /log.csv $url/v1/datasets/log
holds "a setting is changed" sh -c 'sed -i "s/^# log_requests.*/log_requests = 1/" /etc/torqued/torqued.conf && grep -qx "log_requests = 1" /etc/torqued/torqued.conf'
before=$(systemctl show -p MainPID --value torqued)
holds "upgrade" dpkg -i --force-confold /packages/now/*.deb
holds "it was restarted" sh -c "[ $before != \$(systemctl show -p MainPID --value torqued) ]"
holds "it is ready again" ready
holds "it is the new one" sh -c 'dpkg-query -W -f "\${Version}" torqued | grep -qxF "$(dpkg-deb -f /packages/now/torqued_*.deb Version)"'
holds "the dataset is there, byte for byte" sh -c "curl -fsS --max-time 30 $url/v1/datasets/log/content | cmp - /log.csv"
holds "the changed setting is kept" grep -qx "log_requests = 1" /etc/torqued/torqued.conf
holds "the autopkgtest" sh /packages/smoke
holds "programs compile against the library's package" sh -c '[ -e /usr/include/tqc.h ] && ls /usr/lib/*/libtqc.so.0 /usr/lib/*/pkgconfig/tqc.pc'
holds "remove" dpkg -r torqued
holds "it has stopped" sh -c '! pgrep -x torqued && ! systemctl is-active torqued'
holds "remove keeps state and settings" sh -c '[ -s /var/lib/torqued/torqued.db ] && [ -e /etc/torqued/torqued.conf ]'
holds "install again" dpkg -i --force-confold /packages/now/torqued_*.deb
holds "ready, with what it had" ready
holds "the dataset" sh -c "curl -fsS --max-time 30 $url/v1/datasets/log | grep -q log"
holds "purge" dpkg -P torqued torquectl libtqc-dev libtqc0
for path in /var/lib/torqued /etc/torqued /usr/bin/torqued /usr/bin/torquectl /usr/include/tqc.h /run/torqued; do holds "$path is gone" gone $path; done
holds "nothing else of it is left" sh -c '! find / -xdev \( -path /packages -o -path /proc -o -path /sys -o -path /tmp -o -path /var/log -o -path /old \) -prune -o \( -name "*torque*" -o -name "*libtqc*" \) -print | grep -v "/var/lib/systemd/deb-systemd\|/var/cache" | grep .'
# a new user's first minutes by torquectl: installed, first torque, first calibration report
begin=$(date +%s%N)
past() { say took "$1 after $((($(date +%s%N) - begin) / 1000000)) ms"; }
first_torque() { torquectl id panda q=0,-0.8,0,-2.4,0,1.6,0.8 -o csv | tail -n 1 | awk -F, '{ exit !(NF == 7 && $4 != 0) }'; }
first_report() { id=$(torquectl calibrate panda sample-panda-1 sample-panda-2 columns.time=t columns.q=q columns.tau=tau filter.cutoff_hz=8 --detach) && [ -n "$id" ] &&
    torquectl jobs wait "$id" && torquectl jobs report "$id" /tmp/report.html && grep -q '<svg' /tmp/report.html; }
holds "a new user installs" dpkg -i /packages/now/torqued_*.deb /packages/now/torquectl_*.deb /packages/now/libtqc0_*.deb
holds "and need not wait for long" ready
past "installed and ready"
holds "first torque by torquectl" first_torque
past "first torque"
holds "first calibration report by torquectl" first_report
past "first report"
holds "a manual page of each command" sh -c 'torquectl help commands | while read -r c; do [ -e "/usr/share/man/man1/torquectl-$(echo "$c" | tr " " -).1.gz" ] || exit 1; done'
holds "purge again" dpkg -P torqued torquectl libtqc0
say end end
S
cp systemd/debian/tests/smoke "$run/inst/packages/smoke"
BOOT_SYSTEM=$system timeout 500 tests/system/boot.sh "$run" "$run/script" >"$run/boot.log" 2>&1
out=$run/up/out.txt
grep -q '^== end end' "$out" 2>/dev/null || { tail -40 "$out" "$run/boot.log" 2>/dev/null; check "the script came to its end" 1; }
while read -r _ verdict what; do
    case $verdict in
    ok) check "$what" 0 ;;
    took) echo "deb: $what" ;;
    FAILED) check "$what" 1; sed -n "/^== FAILED $(printf %s "$what" | sed 's/[\/&.*]/\\&/g')\$/,/^== /p" "$out" | tail -n +2 | head -20 ;;
    esac
done < <(grep -a '^== ' "$out")
[ $failed = 0 ] && rm -rf "$run"
finish
