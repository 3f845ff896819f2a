/* SPDX-License-Identifier: Apache-2.0 */
/* tests/run/forked.c - a main for the C tests that forks, where Criterion's own starts no test
 *
 * Criterion starts a test by copying its process's memory map into a new one; under qemu-user that
 * process is the emulator. The tests themselves are pointers in the section cr_tst, their suites in
 * cr_sts: here each runs in a forked child. What assertions call in libcriterion is defined here,
 * and the program's definitions come before a library's. Linked by FORKED=1; it prints what
 * tests/run/units.sh reads of Criterion's output. $FORKED_SKIPS is a file of lines "suite/name
 * reason": those are skipped. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_S = 1800, POLL_NS = 2000000 };

/* the linker's bounds of both sections; a program without suites has no second one */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

/* shared with the child, and with what a test forks itself */
static struct {
    int failed, skipped, ended;
} * said;
static const struct criterion_test *test;
static const struct criterion_test_extra_data *suite;
static void *parameter;
static jmp_buf abandoned;

static void say_va(const char *kind, const char *format, va_list values)
{
    fprintf(stderr, "[%s] %s/%s: ", kind, test->category, test->name);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}
static void say(const char *kind, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say_va(kind, format, values);
    va_end(values);
}

/* --- what assertions call */

static void failed_at(const char *file, unsigned line, const char *message)
{
    said->failed++;
    say("----", "%s:%u: %s", file, line, message ? message : "assertion failed");
}
void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (!stats->passed)
        failed_at(stats->file, stats->line, stats->message);
}
/* a failure's root: its own text is the user's, those of the children are the conditions */
void cri_assert_node_send(const char *file, size_t line, struct cri_assert_node *node)
{
    failed_at(file, (unsigned)line, node->message);
    for (uint32_t i = 0; i < node->nchild; i++) {
        const struct cri_assert_node *child = &node->children[i];
        if (child->pass)
            continue;
        say("----", "  %s", child->repr);
        for (int k = 0; k < CRI_ASSERT_MAX_PARAMS && child->params[k].name; k++)
            if (child->params[k].type == CRI_ASSERT_RT_STR)
                say("----", "    %s: %s", child->params[k].name,
                    (const char *)child->params[k].data);
    }
}
void cri_asserts_passed_incr(void)
{
}
void criterion_continue_test(void)
{
}
void criterion_abort_test(void)
{
    longjmp(abandoned, 1);
}
void criterion_skip_test(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    said->skipped = 1;
    say_va("SKIP", format, values);
    va_end(values);
    longjmp(abandoned, 1);
}
void cr_log(enum criterion_severity severity, const char *format, ...)
{
    va_list values;
    (void)severity;
    va_start(values, format);
    say_va("----", format, values);
    va_end(values);
}

/* --- one test: its function calls these three in order */

void criterion_internal_test_setup(void)
{
    if (suite && suite->init)
        suite->init();
    if (test->data->init)
        test->data->init();
}
void criterion_internal_test_main(void (*body)(void))
{
    if (setjmp(abandoned))
        return;
    if (test->data->kind_ == CR_TEST_PARAMETERIZED)
        ((void (*)(void *))body)(parameter);
    else
        body();
}
void criterion_internal_test_teardown(void)
{
    if (setjmp(abandoned))
        return;
    if (test->data->fini)
        test->data->fini();
    if (suite && suite->fini)
        suite->fini();
}

static const struct criterion_test_extra_data *suite_of(const char *name)
{
    for (struct criterion_suite **s = __start_cr_sts; s < __stop_cr_sts; s++)
        if (*s && strcmp((*s)->name, name) == 0)
            return (*s)->data;
    return NULL;
}

static bool named_skipped(void)
{
    char name[256], line[512];
    const char *path = getenv("FORKED_SKIPS");
    FILE *file = path ? fopen(path, "r") : NULL;
    bool found = false;
    int n = snprintf(name, sizeof name, "%s/%s ", test->category, test->name);
    while (file && !found && fgets(line, sizeof line, file)) {
        found = strncmp(line, name, (size_t)n) == 0;
        if (found)
            say("SKIP", "%.*s", (int)strcspn(line + n, "\n"), line + n);
    }
    if (file)
        fclose(file);
    return found;
}

/* In the child: a test that leaves by exit has not ended. */
static void child(void)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a limit on the program ends its tests too */
    if (!setjmp(abandoned))
        test->test();
    said->ended = 1;
    fflush(NULL);
    exit(test->data->exit_code);
}

static bool waited(pid_t pid, int *status)
{
    const struct timespec pause = {0, POLL_NS};
    const time_t end = time(NULL) + LIMIT_S;
    while (waitpid(pid, status, WNOHANG) != pid) {
        if (time(NULL) > end) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
            waitpid(pid, status, 0);
            say("FAIL", "ran out of %d s", LIMIT_S);
            return false;
        }
        nanosleep(&pause, NULL);
    }
    kill(-pid, SIGKILL);
    return true;
}

static bool passes(void)
{
    int status = 0;
    const int expected = test->data->signal ? test->data->signal : suite ? suite->signal : 0;
    memset(said, 0, sizeof *said);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        child();
    if (pid < 0 || !waited(pid, &status))
        return false;
    if (said->skipped && !said->failed)
        return true;
    /* a test that is to end by a status of its own does not come to its end */
    const int code = test->data->exit_code;
    const bool ended =
        expected ? WIFSIGNALED(status) && WTERMSIG(status) == expected
                 : WIFEXITED(status) && WEXITSTATUS(status) == code && (code || said->ended);
    if (!ended)
        say("FAIL", "ended by status 0x%x", (unsigned)status);
    if (ended && said->failed)
        say("FAIL", "%d assertions", said->failed);
    return ended && !said->failed;
}

int main(void)
{
    int passed = 0, failed = 0;
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED)
        return 2;
    for (struct criterion_test **t = __start_cr_tst; t < __stop_cr_tst; t++) {
        if (!*t)
            continue;
        test = *t;
        suite = suite_of(test->category);
        if (test->data->disabled || (suite && suite->disabled) || named_skipped())
            continue;
        struct criterion_test_params all = {.length = 1};
        if (test->data->kind_ == CR_TEST_PARAMETERIZED)
            all = test->data->param_();
        for (size_t i = 0; i < all.length; i++) {
            parameter = (char *)all.params + i * all.size;
            const bool ok = passes();
            passed += ok && !said->skipped;
            failed += !ok;
        }
        if (all.cleanup)
            all.cleanup(&all);
    }
    fprintf(stderr, "[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | Crashing: 0\n",
            passed + failed, passed, failed);
    return failed > 0;
}
