/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/boot/test_confine.c - a confined process can use its state folder and threads,
 * but not other files, programs, processes and networks. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/boot/confine.h"

static char folder[64], state[96], secret[96], socket_path[96], config[96];

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/torqued-confine-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(state, sizeof state, "%s/state", folder);
    snprintf(secret, sizeof secret, "%s/secret/key", folder);
    snprintf(socket_path, sizeof socket_path, "%s/run/torqued.sock", folder);
    snprintf(config, sizeof config, "%s/etc/torqued.conf", folder);
    cr_assert_eq(mkdir(state, 0700), 0);
    const char *const files[] = {secret, socket_path, config};
    for (size_t i = 0; i < 3; i++) {
        char parent[96];
        snprintf(parent, sizeof parent, "%s", files[i]);
        *strrchr(parent, '/') = '\0';
        cr_assert_eq(mkdir(parent, 0700), 0);
        const int fd = open(files[i], O_CREAT | O_WRONLY, 0600);
        cr_assert(fd >= 0);
        close(fd);
    }
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
    cr_assert_eq(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

TestSuite(confine, .init = setup, .fini = teardown);

/* 0, or the errno of open */
static int opened(const char *path, int flags)
{
    const int fd = open(path, flags, 0600);
    if (fd < 0) {
        return errno;
    }
    close(fd);
    return 0;
}

static void *answer(void *arg)
{
    *(int *)arg = 42;
    return NULL;
}

/* The number of the first failed check; 0: none. Runs in a process of its own. */
static int check_files(void)
{
    char path[128];
    char moved[128];
    snprintf(path, sizeof path, "%s/a", state);
    snprintf(moved, sizeof moved, "%s/files/b", state);
    char sub[128];
    snprintf(sub, sizeof sub, "%s/files", state);
    if (opened(path, O_CREAT | O_RDWR) != 0 || mkdir(sub, 0700) != 0 || rename(path, moved) != 0 ||
        truncate(moved, 10) != 0 || unlink(moved) != 0) {
        return 1;
    }
    if (opened(secret, O_RDONLY) != EACCES || opened(secret, O_WRONLY) != EACCES) {
        return 2;
    }
    snprintf(path, sizeof path, "%s/new", folder);
    if (opened(path, O_CREAT | O_WRONLY) != EACCES) {
        return 3;
    }
    if (opened(config, O_RDONLY) != 0 || opened(config, O_WRONLY) != EACCES) {
        return 4;
    }
    if (unlink(config) == 0 || unlink(socket_path) != 0) {
        return 5;
    }
    return opened("/dev/null", O_RDWR) != 0 || opened("/etc/passwd", O_RDONLY) != 0 ||
                   opened("/proc/self/statm", O_RDONLY) != 0 ||
                   opened("/etc/x", O_CREAT | O_WRONLY) != EACCES
               ? 6
               : 0;
}

static int check_calls(void)
{
    char name[] = "/bin/true";
    char *const argv[] = {name, NULL};
    if (execv(name, argv) == 0 || errno != ENOSYS) {
        return 11;
    }
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    if (child > 0 || errno != ENOSYS) {
        return 12;
    }
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_PACKET, SOCK_RAW, 0) >= 0) {
        return 13;
    }
    const int local = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (local < 0) {
        return 14;
    }
    close(local);
    if (mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
        MAP_FAILED) {
        return 15;
    }
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0 ||
        mprotect(page, 4096, PROT_READ) != 0) {
        return 16;
    }
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 || errno != ENOSYS || setuid(0) == 0 ||
        chroot("/") == 0) {
        return 17;
    }
    /* its own turns, and those of nobody else */
    const int nice = getpriority(PRIO_PROCESS, 0);
    if (setpriority(PRIO_PROCESS, 0, nice + 1) != 0 || getpriority(PRIO_PROCESS, 0) != nice + 1 ||
        setpriority(PRIO_PROCESS, (id_t)getppid(), nice) == 0 ||
        setpriority(PRIO_USER, 0, nice + 1) == 0) {
        return 19;
    }
    pthread_t thread;
    int got = 0;
    if (pthread_create(&thread, NULL, answer, &got) != 0 || pthread_join(thread, NULL) != 0 ||
        got != 42) {
        return 18;
    }
    return 0;
}

/* The result of `check` in a confined process; -1: this kernel does not support both mechanisms. */
static int confined(int (*check)(void), char text[TQD_CONFINED_TEXT])
{
    int pipes[2];
    cr_assert_eq(pipe(pipes), 0);
    const pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        const tqd_confinement of = {.state = state, .socket = socket_path, .readable = {config}};
        char said[TQD_CONFINED_TEXT] = "";
        const bool whole = tqd_confine(&of, said);
        (void)!write(pipes[1], said, sizeof said);
        const bool none = strncmp(said, "none", 4) == 0;
        _exit(!whole || none ? 99 : check());
    }
    int status = 0;
    cr_assert_eq(read(pipes[0], text, TQD_CONFINED_TEXT), TQD_CONFINED_TEXT);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    close(pipes[0]);
    close(pipes[1]);
    cr_assert(WIFEXITED(status), "status %d", status);
    return WEXITSTATUS(status) == 99 ? -1 : WEXITSTATUS(status);
}

Test(confine, files_outside_the_state_folder_are_inaccessible)
{
    char text[TQD_CONFINED_TEXT];
    const int place = confined(check_files, text);
    if (place < 0) {
        cr_skip("this kernel or build has %s", text);
    }
    cr_assert_eq(place, 0, "at %d, with %s", place, text);
    cr_assert(strncmp(text, "landlock ", 9) == 0 && strstr(text, ", seccomp") != NULL, "%s", text);
}

Test(confine, no_programs_processes_networks_or_code_of_its_own)
{
    char text[TQD_CONFINED_TEXT];
    const int place = confined(check_calls, text);
    if (place < 0) {
        cr_skip("this kernel or build has %s", text);
    }
    cr_assert_eq(place, 0, "at %d, with %s", place, text);
}
