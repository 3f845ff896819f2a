/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/system_calls.c - an allowlist by libseccomp. */
#include "daemon/boot/system_calls.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* By subject. Calls that are not listed fail with ENOSYS: execve, fork, ptrace, memory of other
 * processes, mount, modules, bpf, io_uring, userfaultfd, keys, namespaces, identities, links,
 * owners, clocks, reboot. */
static const char *const allowed[] = {
    /* files */
    "access",
    "chmod",
    "close",
    "close_range",
    "copy_file_range",
    "dup",
    "dup2",
    "dup3",
    "faccessat",
    "faccessat2",
    "fadvise64",
    "fallocate",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "fcntl",
    "fcntl64",
    "fdatasync",
    "flock",
    "fstat",
    "fstat64",
    "fstatat64",
    "fstatfs",
    "fstatfs64",
    "fsync",
    "ftruncate",
    "ftruncate64",
    "getcwd",
    "getdents",
    "getdents64",
    "ioctl",
    "_llseek",
    "lseek",
    "lstat",
    "lstat64",
    "mkdir",
    "mkdirat",
    "newfstatat",
    "open",
    "openat",
    "openat2",
    "pread64",
    "preadv",
    "preadv2",
    "pwrite64",
    "pwritev",
    "pwritev2",
    "read",
    "readahead",
    "readlink",
    "readlinkat",
    "readv",
    "rename",
    "renameat",
    "renameat2",
    "rmdir",
    "sendfile",
    "sendfile64",
    "splice",
    "stat",
    "stat64",
    "statfs",
    "statfs64",
    "statx",
    "sync_file_range",
    "truncate",
    "umask",
    "unlink",
    "unlinkat",
    "utime",
    "utimensat",
    "write",
    "writev",
    /* sockets; socket itself below */
    "accept",
    "accept4",
    "bind",
    "connect",
    "getpeername",
    "getsockname",
    "getsockopt",
    "recv",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "send",
    "sendmmsg",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    "socketpair",
    /* readiness */
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "eventfd",
    "eventfd2",
    "pipe",
    "pipe2",
    "poll",
    "ppoll",
    "pselect6",
    "select",
    "timerfd_create",
    "timerfd_gettime",
    "timerfd_settime",
    /* memory; mmap, mprotect below */
    "brk",
    "madvise",
    "membarrier",
    "mincore",
    "mlock",
    "mlock2",
    "mremap",
    "msync",
    "munlock",
    "munmap",
    /* threads and time; clone below */
    "arch_prctl",
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "exit",
    "exit_group",
    "futex",
    "futex_waitv",
    "get_robust_list",
    "getcpu",
    "getpid",
    "getppid",
    "getpriority",
    "gettid",
    "gettimeofday",
    "nanosleep",
    "prctl",
    "restart_syscall",
    "rseq",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "sched_getaffinity",
    "sched_getparam",
    "sched_getscheduler",
    "sched_setaffinity",
    "sched_setattr",
    "sched_yield",
    "set_robust_list",
    "set_tid_address",
    "time",
    /* signals to its own threads, and to itself */
    "kill",
    "rt_sigaction",
    "rt_sigpending",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigsuspend",
    "rt_sigtimedwait",
    "rt_tgsigqueueinfo",
    "sigaltstack",
    "signalfd4",
    "tgkill",
    "tkill",
    /* properties of the process and the machine */
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getrandom",
    "getresgid",
    "getresuid",
    "getrlimit",
    "getrusage",
    "getuid",
    "prlimit64",
    "sysinfo",
    "times",
    "ugetrlimit",
    "uname",
};

/* socket(domain, ...): Unix sockets for sd_notify; Internet sockets for a store that is a server,
 * and for name resolution */
static int allow_sockets(scmp_filter_ctx filter, bool connects)
{
    static const scmp_datum_t families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
    int fault = 0;
    for (size_t i = 0; fault == 0 && i < (connects ? sizeof families / sizeof families[0] : 1);
         i++) {
        fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
                                 SCMP_A0(SCMP_CMP_EQ, families[i], 0));
    }
    return fault;
}

/* No memory that is both written and executed, none that becomes executable; the nice value of the
 * calling thread, which RLIMIT_NICE bounds below; threads, but no new processes. clone3 hides its
 * flags from a filter: without it the C library uses clone. */
static int allow_by_argument(scmp_filter_ctx filter)
{
    static const char *const maps[] = {"mmap", "mmap2"};
    int fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
                                 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (fault == 0) {
        fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(setpriority), 2,
                                 SCMP_A0(SCMP_CMP_EQ, PRIO_PROCESS, 0), SCMP_A1(SCMP_CMP_EQ, 0, 0));
    }
    for (size_t i = 0; fault == 0 && i < sizeof maps / sizeof maps[0]; i++) {
        const int number = seccomp_syscall_resolve_name(maps[i]);
        if (number < 0) {
            continue; /* the number is not of this architecture */
        }
        fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 1,
                                 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
        if (fault == 0) {
            fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 1,
                                     SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_WRITE, 0));
        }
    }
    if (fault == 0) {
        fault = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                                 SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    }
    return fault;
}

int tqd_system_calls_restrict(bool connects)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (filter == NULL) {
        return ENOMEM;
    }
    int fault = 0;
    for (size_t i = 0; fault == 0 && i < sizeof allowed / sizeof allowed[0]; i++) {
        /* names that this architecture or version of the library does not have need no rule */
        const int number = seccomp_syscall_resolve_name(allowed[i]);
        fault = number < 0 ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    }
    if (fault == 0) {
        fault = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    }
    if (fault == 0) {
        fault = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    }
    if (fault == 0) {
        fault = allow_sockets(filter, connects);
    }
    if (fault == 0) {
        fault = allow_by_argument(filter);
    }
    if (fault == 0) {
        fault = seccomp_load(filter);
    }
    seccomp_release(filter);
    return -fault;
}
