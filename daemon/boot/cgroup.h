/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/cgroup.h - memory and cores that this process may use: those of the machine, or less
 * if its control groups limit them. */
#ifndef TQD_BOOT_CGROUP_H
#define TQD_BOOT_CGROUP_H

#include <stdint.h>

/* Bytes: the least of physical memory and of memory.max, memory.high (version 2) and
 * memory.limit_in_bytes (version 1) of the process's group and all groups above it. `root` is "";
 * in tests a folder with proc/self/cgroup and sys/fs/cgroup. */
int64_t tqd_cgroup_memory(const char *root);

/* The least of `cores` and of cpu.max or cpu.cfs_quota_us, rounded up to whole cores; at least 1.
 */
int tqd_cgroup_cores(const char *root, int cores);

#endif
