/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/confine.c - landlock(7), for which the C library has no functions, and code common to
 * it and seccomp. */
#include "daemon/boot/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/landlock.h>

#include "daemon/boot/system_calls.h"

/* Newer than the headers of Debian 12: linux/landlock.h of 6.2, 6.7, 6.10 and 6.12. */
enum { ABI_REFER = 2, ABI_TRUNCATE = 3, ABI_TCP = 4, ABI_DEVICES = 5, ABI_SCOPES = 6 };
#define FS_REFER       (1ULL << 13)
#define FS_TRUNCATE    (1ULL << 14)
#define FS_DEVICES     (1ULL << 15)
#define FS_FIRST       ((1ULL << 13) - 1) /* of ABI 1 */
#define TCP_BIND       (1ULL << 0)
#define TCP_CONNECT    (1ULL << 1)
#define SCOPE_ABSTRACT (1ULL << 0)
#define SCOPE_SIGNAL   (1ULL << 1)

/* struct landlock_ruleset_attr as of 6.12; older kernels accept trailing zeros */
typedef struct ruleset {
    uint64_t files, tcp, scopes;
} ruleset;

static const uint64_t may_read = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t may_write = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
/* no execution, no symbolic links, sockets, pipes or devices */
static const uint64_t may_keep = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                                 LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                 LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_MAKE_DIR | FS_REFER | FS_TRUNCATE;

/* Adds a rule for the tree below `path`. A path that does not exist needs no rule. */
static bool allow(int rules, uint64_t handled, const char *path, uint64_t access)
{
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == EACCES || errno == ENOTDIR;
    }
    const struct landlock_path_beneath_attr rule = {.allowed_access = access & handled,
                                                    .parent_fd = fd};
    const bool good =
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(fd);
    return good;
}

static bool allow_folder_of(int rules, uint64_t handled, const char *path, uint64_t access)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (path == NULL || path[0] == '\0') {
        return true;
    }
    if (slash == NULL) {
        return allow(rules, handled, ".", access);
    }
    char *folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    const bool good = folder != NULL && allow(rules, handled, folder, access);
    free(folder);
    return good;
}

/* Files that libpq reads at every new connection: the password, certificates. */
static bool allow_client_files(int rules, uint64_t handled)
{
    static const char *const names[] = {".pgpass", ".postgresql"};
    const char *home = getenv("HOME");
    const char *given = getenv("PGPASSFILE");
    bool good = given == NULL || allow(rules, handled, given, LANDLOCK_ACCESS_FS_READ_FILE);
    for (size_t i = 0; home != NULL && i < sizeof names / sizeof names[0]; i++) {
        char path[1024];
        const int n = snprintf(path, sizeof path, "%s/%s", home, names[i]);
        if (n > 0 && (size_t)n < sizeof path) {
            good = good &&
                   allow(rules, handled, path, i == 0 ? LANDLOCK_ACCESS_FS_READ_FILE : may_read);
        }
    }
    return good;
}

static bool allow_all(int rules, uint64_t handled, const tqd_confinement *of)
{
    /* libraries that are loaded late (name services), time zones, and files about the machine that
     * the C library and the allocator read */
    static const char *const system[] = {"/usr",       "/lib",         "/lib64",
                                         "/etc",       "/proc/self",   "/proc/meminfo",
                                         "/proc/stat", "/proc/sys/vm", "/sys/devices/system"};
    static const char *const devices[] = {"/dev/null", "/dev/urandom", "/dev/random"};
    const char *given = getenv("CREDENTIALS_DIRECTORY");
    bool good = allow(rules, handled, of->state, may_keep) &&
                (given == NULL || allow(rules, handled, given, may_read)) &&
                (!of->connects || allow_client_files(rules, handled)) &&
                allow_folder_of(rules, handled, of->socket, LANDLOCK_ACCESS_FS_REMOVE_FILE);
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++) {
        /* a single file has no entries to list */
        const uint64_t access =
            strcmp(system[i], "/proc/meminfo") == 0 || strcmp(system[i], "/proc/stat") == 0
                ? LANDLOCK_ACCESS_FS_READ_FILE
                : may_read;
        good = good && allow(rules, handled, system[i], access);
    }
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        good = good && allow(rules, handled, devices[i], may_write);
    }
    for (size_t i = 0; i < TQD_CONFINE_READ; i++) {
        good = good && allow_folder_of(rules, handled, of->readable[i], may_read);
    }
    return good;
}

/* The version of the Landlock interface that was applied; 0 with errno: none. */
static int restrict_files(const tqd_confinement *of)
{
    const int abi =
        (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) {
        return 0;
    }
    const char *notify = getenv("NOTIFY_SOCKET");
    ruleset attributes = {.files = FS_FIRST | (abi >= ABI_REFER ? FS_REFER : 0ULL) |
                                   (abi >= ABI_TRUNCATE ? FS_TRUNCATE : 0ULL) |
                                   (abi >= ABI_DEVICES ? FS_DEVICES : 0ULL)};
    if (abi >= ABI_TCP) {
        attributes.tcp = TCP_BIND | (of->connects ? 0ULL : TCP_CONNECT);
    }
    if (abi >= ABI_SCOPES) {
        /* sd_notify may send to an abstract socket */
        attributes.scopes = SCOPE_SIGNAL;
        if (notify == NULL || notify[0] != '@') {
            attributes.scopes |= SCOPE_ABSTRACT;
        }
    }
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0) {
        return 0;
    }
    const bool good = allow_all(rules, attributes.files, of) &&
                      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    const int saved = errno;
    close(rules);
    errno = saved;
    return good ? abi : 0;
}

bool tqd_confine(const tqd_confinement *of, char ret_text[TQD_CONFINED_TEXT])
{
#ifdef TQD_SANITIZED
    /* leak detection attaches by ptrace(2) */
    (void)of;
    (void)restrict_files;
    snprintf(ret_text, TQD_CONFINED_TEXT, "none: a sanitizer");
    return true;
#else
    const int abi = restrict_files(of);
    char without[40] = "";
    if (abi == 0) {
        snprintf(without, sizeof without, "no landlock (%s)", strerrorname_np(errno));
    }
    const int fault = tqd_system_calls_restrict(of->connects);
    if (abi > 0 && fault == 0) {
        snprintf(ret_text, TQD_CONFINED_TEXT, "landlock %d, seccomp", abi);
    } else if (abi > 0) {
        snprintf(ret_text, TQD_CONFINED_TEXT, "landlock %d, no seccomp (%s)", abi,
                 strerrorname_np(fault));
    } else if (fault == 0) {
        snprintf(ret_text, TQD_CONFINED_TEXT, "seccomp, %s", without);
    } else {
        snprintf(ret_text, TQD_CONFINED_TEXT, "none: %s, no seccomp (%s)", without,
                 strerrorname_np(fault));
    }
    return abi > 0 && fault == 0;
#endif
}
