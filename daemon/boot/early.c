/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/early.c - resource limits that crash the libraries' constructors; OpenBLAS with one
 * thread. */
#include "daemon/boot/early.h"

#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/* Below these limits the process crashes without a message, or cannot serve (measured with the
 * default settings on two cores: 165 MiB, 80 KiB). */
static const rlim_t address_space_least = (rlim_t)192 << 20;
static const rlim_t stack_least = (rlim_t)256 << 10;

enum { VARIABLES_MAX = 4096 };
static char one_thread[] = "OPENBLAS_NUM_THREADS=1";

static int is_below(__rlimit_resource_t what, rlim_t least)
{
    struct rlimit limit;
    return getrlimit(what, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           limit.rlim_cur < least;
}

/* Returns only if the variable is set already, or exec fails. */
static void restart_with_one_thread(char **argv, char **envp)
{
    static char *more[VARIABLES_MAX + 2];
    const size_t n_name = strcspn(one_thread, "=") + 1;
    size_t n = 0;
    for (; n < VARIABLES_MAX && envp[n] != NULL; n++) {
        if (strncmp(envp[n], one_thread, n_name) == 0) {
            return;
        }
        more[n] = envp[n];
    }
    if (envp[n] != NULL) {
        return;
    }
    more[n] = one_thread;
    more[n + 1] = NULL;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the auxiliary vector holds it as a number */
    const char *self = (const char *)getauxval(AT_EXECFN); /* /proc/self/exe may be an emulator */
    if (self != NULL) {
        (void)execve(self, argv, more);
    }
}

const char *tqd_early(char **argv, char **envp)
{
    if (is_below(RLIMIT_AS, address_space_least)) {
        return "torqued: the limit of its address space is too low: 192 MiB at least (ulimit -v)\n";
    }
    if (is_below(RLIMIT_STACK, stack_least)) {
        return "torqued: the limit of its stack is too low: 256 KiB at least (ulimit -s)\n";
    }
    restart_with_one_thread(argv, envp);
    return NULL;
}
