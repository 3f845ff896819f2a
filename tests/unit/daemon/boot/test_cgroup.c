/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/boot/test_cgroup.c - memory and cores of control groups, version 1 and 2, in
 * the layout of cgroups(7) and the kernel's cgroup-v2.rst. */
#include <criterion/criterion.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/boot/cgroup.h"

static char root[64];

static void setup(void)
{
    snprintf(root, sizeof root, "/tmp/torqued-cgroup-XXXXXX");
    cr_assert(mkdtemp(root) != NULL);
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    (void)facts;
    (void)type;
    (void)place;
    return remove(path);
}

static void teardown(void)
{
    cr_assert_eq(nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void put(const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *at = whole + 1; *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(whole, 0700);
            *at = '/';
        }
    }
    FILE *f = fopen(whole, "w");
    cr_assert(f != NULL, "%s", whole);
    fputs(text, f);
    fclose(f);
}

static int64_t physical(void)
{
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

TestSuite(cgroup, .init = setup, .fini = teardown);

Test(cgroup, no_groups_no_limit)
{
    cr_assert_eq(tqd_cgroup_memory(root), physical());
    cr_assert_eq(tqd_cgroup_cores(root, 7), 7);
}

Test(cgroup, version_2_takes_the_least_of_all_groups_above)
{
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/memory.max", "max\n");
    put("sys/fs/cgroup/a/b/memory.high", "50000000\n");
    put("sys/fs/cgroup/a/memory.max", "40000000\n");
    put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
    cr_assert_eq(tqd_cgroup_memory(root), 40000000);
    cr_assert_eq(tqd_cgroup_cores(root, 64), 3); /* 2.5 */
    cr_assert_eq(tqd_cgroup_cores(root, 2), 2);
    put("sys/fs/cgroup/a/b/memory.high", "30000000\n");
    cr_assert_eq(tqd_cgroup_memory(root), 30000000);
}

Test(cgroup, a_container_has_its_own_group_as_the_root)
{
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/memory.max", "268435456\n");
    put("sys/fs/cgroup/cpu.max", "100000 100000\n");
    cr_assert_eq(tqd_cgroup_memory(root), 268435456);
    cr_assert_eq(tqd_cgroup_cores(root, 64), 1);
}

/* the path is that of the machine, the mount begins at the container's group */
Test(cgroup, version_1_in_a_container_without_a_namespace_of_groups)
{
    put("proc/self/cgroup",
        "5:cpu,cpuacct:/docker/1234\n4:hugetlb,memory:/docker/1234\n0::/docker/1234\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    cr_assert_eq(tqd_cgroup_memory(root), 134217728);
    cr_assert_eq(tqd_cgroup_cores(root, 8), 1);
}

/* cgroups(7): with version 1 a process may be in another group for each controller */
Test(cgroup, version_1_reads_each_limit_in_the_group_of_its_controller)
{
    put("proc/self/cgroup", "6:pids:/small\n5:cpu,cpuacct:/a\n4:memory:/b\n2:memory_old:/small\n");
    put("sys/fs/cgroup/memory/small/memory.limit_in_bytes", "1000000\n");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000000\n");
    put("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "99000000\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "100000\n");
    put("sys/fs/cgroup/cpu/b/cpu.cfs_period_us", "100000\n");
    cr_assert_eq(tqd_cgroup_memory(root), 99000000);
    cr_assert_eq(tqd_cgroup_cores(root, 64), 3);
}

Test(cgroup, version_1_without_a_limit)
{
    put("proc/self/cgroup", "4:memory:/x\n1:cpu:/x\n");
    put("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
    cr_assert_eq(tqd_cgroup_memory(root), physical());
    cr_assert_eq(tqd_cgroup_cores(root, 8), 8);
}

Test(cgroup, hybrid_mounts_version_2_apart)
{
    put("proc/self/cgroup", "1:cpuset:/\n0::/service\n");
    put("sys/fs/cgroup/unified/service/memory.max", "77000000\n");
    cr_assert_eq(tqd_cgroup_memory(root), 77000000);
}

Test(cgroup, invalid_files_give_no_limit)
{
    put("proc/self/cgroup", "::::\n\n0\n0::/../..\nmemory\n4:memory:\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "soon\n");
    put("sys/fs/cgroup/memory.max", "-5\n");
    put("sys/fs/cgroup/cpu.max", "0 0\n");
    cr_assert_eq(tqd_cgroup_memory(root), physical());
    cr_assert_eq(tqd_cgroup_cores(root, 4), 4);
}
