/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/crash.c - a handler of fatal signals writes the job's id and lets the signal go on.
 * Only async-signal-safe calls, on a descriptor that is open already. */
#include "daemon/jobs/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A fault may be that the thread's stack is full: the handler has one of its own. */
enum { HANDLER_STACK = 16 << 10 };

static int note_fd = -1;
static const char nobody[TQD_JOB_ID_TEXT] = "..........................";
static _Thread_local const char *volatile blamed;

/* Once for each thread that works on jobs; a sanitizer's threads have theirs already. */
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

void tqd_crash_blame(const char *id)
{
    if (id != NULL) {
        take_stack();
    }
    blamed = id;
}

const char *tqd_crash_blamed(void)
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
        if (n != TQD_JOB_ID_TEXT - 1 || memcmp(ret_id, nobody, sizeof nobody) == 0) {
            ret_id[0] = '\0'; /* half a note blames nobody */
        }
        close(fd);
    }
}

/* A signal that was sent to the process (a watchdog's SIGABRT, kill -SEGV) says nothing about the
 * thread that happens to take it; a fault, abort and assert are of the thread itself. */
static void note(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int saved = errno;
    const char *id = info->si_code != SI_USER && info->si_code != SI_QUEUE ? blamed : NULL;
    if (id != NULL) {
        const ssize_t n = pwrite(note_fd, id, TQD_JOB_ID_TEXT - 1, 0);
        (void)n; /* without the note the job has an interruption more, not a crash */
    }
    /* SA_RESETHAND: the default action takes the process down, with a core where those are kept */
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
    /* the note has its room before it is needed, when the disk may be full; or tries without */
    const ssize_t n = write(fd, nobody, sizeof nobody - 1);
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
