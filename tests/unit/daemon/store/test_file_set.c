/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_file_set.c - the folder of files without a store: a cache removes
 * its oldest files; a sweep whose database fails. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/file_set.h"
#include "daemon/store/file_trim.h"

enum { FILES = 8, BYTES = 100 };

static char folder[64];
static tqd_file_set set;
static char digests[FILES][TQD_DIGEST_TEXT];

/* Files of 100 bytes: number k is k hours younger than number 0. Every other one in the same
 * folder. */
static void open_files(uint64_t bytes_max)
{
    char path[PATH_MAX], why[TQD_STORE_WHY];
    const tqd_store_options options = {
        .folder = folder, .uri = "postgresql:///never", .file_bytes_max = bytes_max};
    snprintf(folder, sizeof folder, "/tmp/torqued-files-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    cr_assert(tqd_file_set_open(&set, &options, why), "%s", why);
    for (unsigned k = 0; k < FILES; k++) {
        snprintf(digests[k], sizeof digests[k], "%02x%062x", k % 2, 7 * k % FILES);
        tqd_file_set_path(&set, digests[k], path);
        *strrchr(path, '/') = '\0';
        cr_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
        tqd_file_set_path(&set, digests[k], path);
        FILE *file = fopen(path, "wb");
        const char bytes[BYTES] = {0};
        cr_assert_eq(fwrite(bytes, 1, BYTES, file), BYTES);
        cr_assert_eq(fclose(file), 0);
        const struct timespec at = {.tv_sec = 1600000000 + 3600 * (long)k};
        const struct timespec times[2] = {at, at};
        cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    atomic_store(&set.bytes, FILES * BYTES);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static void close_files(void)
{
    tqd_file_set_close(&set);
    (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static bool is_there(unsigned k)
{
    char path[PATH_MAX];
    tqd_file_set_path(&set, digests[k], path);
    return access(path, F_OK) == 0;
}

/* to three quarters of the bound, so that the next file does not need a pass of its own */
Test(file_set, a_cache_removes_its_oldest_files)
{
    open_files(7 * BYTES);
    tqd_pin pin = {.next = NULL};
    memcpy(pin.digest, digests[1], sizeof pin.digest);
    tqd_file_set_pin(&set, &pin);
    tqd_file_set_trim(&set);
    for (unsigned k = 0; k < FILES; k++) { /* 525 bytes: five files, one of which is pinned */
        cr_expect_eq(is_there(k), k == 1 || k >= 4, "file %u", k);
    }
    cr_expect_eq(atomic_load(&set.bytes), 5 * BYTES);
    tqd_file_set_trim(&set); /* within its bound: none */
    cr_expect_eq(atomic_load(&set.bytes), 5 * BYTES);
    tqd_file_set_unpin(&set, &pin);
    close_files();
}

Test(file_set, a_cache_within_its_bound_removes_none)
{
    open_files(FILES * BYTES);
    tqd_file_set_trim(&set);
    for (unsigned k = 0; k < FILES; k++) {
        cr_expect(is_there(k), "file %u", k);
    }
    close_files();
}

static unsigned n_asked, n_good;

static tqd_store_status file_used(tqd_engine *engine, const char *digest, bool *ret)
{
    (void)engine, (void)digest;
    *ret = false;
    errno = ENOENT; /* whatever a library left there */
    return n_asked++ < n_good ? TQD_STORE_OK : TQD_STORE_BROKEN;
}

/* what the database could not say is removed by none, and the pass has failed */
Test(file_set, a_sweep_ends_where_the_database_fails)
{
    static const tqd_engine_methods methods = {.file_used = file_used};
    tqd_engine engine = {.methods = &methods};
    open_files(0);
    uint64_t n_moved = 0;
    n_good = 2;
    cr_expect_eq(tqd_file_set_sweep(&set, &engine, 0, &n_moved), TQD_STORE_BROKEN);
    cr_expect_eq(n_asked, 3);
    cr_expect_eq(n_moved, 2);
    n_good = 100;
    n_asked = UINT_MAX; /* the next question alone fails: whether a lost file is referred to */
    cr_expect_eq(tqd_file_set_sweep(&set, &engine, 0, &n_moved), TQD_STORE_BROKEN);
    cr_expect_eq(n_asked, 0);
    cr_expect_eq(n_moved, 2);
    cr_expect_eq(tqd_file_set_sweep(&set, &engine, 0, &n_moved), TQD_STORE_OK);
    cr_expect_eq(n_moved, FILES / 2);
    cr_expect_eq(atomic_load(&set.bytes), FILES / 2 * BYTES);
    close_files();
}
