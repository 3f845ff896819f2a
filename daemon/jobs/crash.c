/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/crash.c - a handler of fatal signals writes the job's id, then the default action
 * follows. Async-signal-safe calls only, on a descriptor that is already open. */
#include "daemon/jobs/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Alternate signal stack (sigaltstack): the fault may be an overflow of the thread's own stack. */
enum { HANDLER_STACK = 16 << 10 };

static int note_fd = -1;
static const char no_job[TQD_JOB_ID_TEXT] = "..........................";
static _Thread_local const char *volatile blamed;

/* Once for each thread that runs jobs; under a sanitizer threads have one already. */
static void take_stack(void)
{
    static _Thread_local char stack[HANDLER_STACK];
    static _Thread_local bool is_taken;
    stack_t before;
    if (!is_taken && sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0) {
        const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
        (void)sigaltstack(&own, NULL);
    }
    is_taken = true;
}

void tqd_crash_set_job(const char *id)
{
    if (id != NULL) {
        take_stack();
    }
    blamed = id;
}

const char *tqd_crash_job(void)
{
    return blamed;
}

static bool path_of(const char *state, char path[PATH_MAX])
{
    const int n = snprintf(path, PATH_MAX, "%s/crashed", state);
    return n > 0 && n < PATH_MAX;
}

void tqd_crash_read(const char *state, char ret_id[TQD_JOB_ID_TEXT])
{
    char path[PATH_MAX];
    memset(ret_id, 0, TQD_JOB_ID_TEXT);
    if (!path_of(state, path)) {
        return;
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        const ssize_t n = read(fd, ret_id, TQD_JOB_ID_TEXT - 1);
        if (n != TQD_JOB_ID_TEXT - 1 || memcmp(ret_id, no_job, sizeof no_job) == 0) {
            ret_id[0] = '\0'; /* an incomplete note is ignored */
        }
        close(fd);
    }
}

/* A signal from kill(2), such as a watchdog's SIGABRT, is not caused by the thread that receives
 * it; a hardware fault, abort and assert are caused by the thread itself. */
static void note(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int saved = errno;
    const char *id = info->si_code != SI_USER && info->si_code != SI_QUEUE ? blamed : NULL;
    if (id != NULL) {
        const ssize_t n = pwrite(note_fd, id, TQD_JOB_ID_TEXT - 1, 0);
        (void)n; /* if the write fails, the end counts as an interruption, not as a crash */
    }
    /* SA_RESETHAND: the default action ends the process, with a core dump where enabled */
    errno = saved;
    raise(number);
}

bool tqd_crash_arm(const char *state)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    char path[PATH_MAX];
    if (!path_of(state, path)) {
        return false;
    }
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return false;
    }
    /* allocates the note's block now, as the disk may be full later; a failure is ignored */
    const ssize_t n = write(fd, no_job, sizeof no_job - 1);
    (void)n;
    note_fd = fd;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note;
    action.sa_flags = SA_NODEFER | SA_SIGINFO | SA_ONSTACK;
    action.sa_flags |= (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        sigaction(fatal[i], &action, NULL);
    }
    return true;
}
