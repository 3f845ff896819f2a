#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/system/boot.sh - boot.sh FOLDER SCRIPT: a systemd of its own, in namespaces of its own, over a copy-on-write view of
# this machine with FOLDER/inst laid over it, starts torqued.service and runs SCRIPT, whose output is FOLDER/up/out.txt.
# Needs root. Nothing outside of FOLDER changes; everything ends with the first process of the namespace. BOOT_SYSTEM: the
# folder of another system in place of this machine's.
set -eu
folder=$1
script=$2
if [ "${3:-}" != inside ]; then
    exec unshare --mount --pid --fork --kill-child --net --uts --ipc --cgroup "$0" "$folder" "$script" inside
fi
mount --make-rprivate /
mkdir -p "$folder/up" "$folder/work" "$folder/root"
cd "$folder"
mount -t overlay overlay -o "lowerdir=${BOOT_SYSTEM:-/},upperdir=$folder/up,workdir=$folder/work" root
cp -r inst/. root/
cp "$script" root/script
for place in tmp run dev; do mount -t tmpfs tmpfs "root/$place"; done
for n in null zero full random urandom tty; do mknod -m 666 "root/dev/$n" c $(stat -c '0x%t 0x%T' "/dev/$n"); done
mkdir -p root/dev/pts root/dev/shm root/dev/mqueue root/dev/hugepages root/old
mount -t devpts devpts root/dev/pts -o newinstance,ptmxmode=666
mount -t tmpfs tmpfs root/dev/shm
ln -s pts/ptmx root/dev/ptmx
ln -s /proc/self/fd root/dev/fd
mount -t proc proc root/proc
mount -t sysfs sysfs root/sys -o ro
mount -t tmpfs tmpfs root/sys/fs/cgroup
mount -t cgroup2 cgroup2 root/sys/fs/cgroup
# what is for a whole machine is not for this one
own=root/etc/systemd/system
for unit in sysctl udevd udev-trigger modules-load remount-fs firstboot random-seed networkd resolved timesyncd logind binfmt; do
    ln -sf /dev/null "$own/systemd-$unit.service"
done
: >root/etc/fstab
printf '[Unit]\nRequires=basic.target\nWants=torqued.service script.service\nAfter=basic.target\n' >"$own/alone.target"
printf '[Unit]\nAfter=torqued.service\n[Service]\nType=oneshot\nExecStart=/bin/bash /script\nStandardOutput=append:/out.txt\nStandardError=inherit\nExecStopPost=/bin/bash -c "kill -s RTMIN+4 1"\n' >"$own/script.service"
cd root
pivot_root . old
cd /
umount -l /old
exec env -i container=test PATH=/usr/bin:/usr/sbin:/bin:/sbin \
    /lib/systemd/systemd --system --unit=alone.target --log-target=journal --log-level=info
