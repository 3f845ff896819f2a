/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_lost.c - files without a row are kept for their retention time, and
 * moved back when a row refers to them; the mark. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/datasets.h"
#include "daemon/store/files.h"
#include "daemon/store/lost.h"
#include "daemon/store/mark.h"
#include "tests/support/store.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(lost, .init = setup, .fini = teardown, .timeout = 100);

static const char digest_of_abc[] =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; /* FIPS 180-2, B.1 */

/* state left by a process that dies after writing a file and before committing its row */
static void leave_file(void)
{
    only_sqlite();
    char path[256];
    snprintf(path, sizeof path, "%s/files/ba", folder);
    cr_assert(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/files/ba/%s", folder, digest_of_abc);
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL);
    cr_assert_eq(fwrite("abc", 1, 3, file), 3);
    cr_assert_eq(fclose(file), 0);
}

/* Replaces utimensat of the C library: the times of another user's file cannot be set. */
static bool refuses_dates;
int utimensat(int fd, const char *path, const struct timespec times[2], int flags)
{
    if (refuses_dates) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_utimensat, fd, path, times, flags);
}

static uint64_t count_lost(void)
{
    tqd_store_health health;
    tqd_store_health_read(store, &health);
    return health.n_file_lost;
}

static bool is_there(void)
{
    uint64_t size = 0;
    tqd_file *file = tqd_file_open(store, digest_of_abc, &size);
    tqd_file_close(file);
    return file != NULL && size == 3;
}

static void refer_to_it(void)
{
    const tqd_dataset_row row = {
        .name = "abc", .media = "text/csv", .size = 3, .n_row = 1, .n_column = 1};
    tqd_dataset_row with = row;
    memcpy(with.digest, digest_of_abc, sizeof with.digest);
    tqd_dataset_put put = {
        .write.kind = TQD_WRITE_DATASET_PUT, .row = &with, .summary = "x", .n_summary = 1};
    cr_assert_eq(tqd_store_write(store, &put.write), TQD_STORE_OK);
}

Test(lost, a_lost_file_is_deleted_after_its_time)
{
    uint64_t n = 0;
    leave_file();
    cr_assert_eq(tqt_store_sweep(store, &n), TQD_STORE_OK);
    cr_assert_eq(n, 1);
    cr_assert_eq(count_lost(), 1);
    cr_assert(is_there() == false);
    cr_assert_eq(tqd_store_lost_expire(store, 3600000), 0);
    stop_store();
    start_store();
    cr_assert_eq(count_lost(), 1);
    cr_assert_eq(tqd_store_lost_expire(store, -10000), 1); /* as if ten seconds had passed */
    cr_assert_eq(count_lost(), 0);
}

/* one pass over a folder finds all files in it that no row refers to, and no other */
Test(lost, all_lost_files_of_a_folder_are_found_at_once)
{
    only_sqlite();
    uint64_t n = 0;
    leave_file();
    refer_to_it();
    for (unsigned k = 0; k < 3; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s/files/ba/ba%062x", folder, k);
        FILE *file = fopen(path, "wb");
        cr_assert(file != NULL);
        cr_assert_eq(fclose(file), 0);
    }
    cr_assert_eq(tqd_store_sweep_shelf(store, 0xba, &n), TQD_STORE_OK);
    cr_assert_eq(n, 3);
    cr_assert_eq(count_lost(), 3);
    cr_assert(is_there());
}

Test(lost, a_lost_file_is_restored_when_it_is_read)
{
    uint64_t n = 0;
    leave_file();
    cr_assert_eq(tqt_store_sweep(store, &n), TQD_STORE_OK);
    refer_to_it();
    cr_assert(is_there());
    cr_assert_eq(count_lost(), 0);
}

Test(lost, a_lost_file_is_restored_by_the_next_sweep)
{
    uint64_t n = 0;
    leave_file();
    cr_assert_eq(tqt_store_sweep(store, &n), TQD_STORE_OK);
    refer_to_it();
    n = 0;
    cr_assert_eq(tqt_store_sweep(store, &n), TQD_STORE_OK);
    cr_assert_eq(n, 0);
    cr_assert_eq(count_lost(), 0);
    cr_assert(is_there());
}

Test(lost, the_mark_counts_commits_and_refuses_nonsense)
{
    tqd_mark before;
    tqd_mark after;
    char id[TQD_JOB_ID_TEXT];
    submit_job(id);
    cr_assert_eq(tqd_mark_read(folder, &before), TQD_MARK_GOOD);
    submit_job(id);
    cr_assert_eq(tqd_mark_read(folder, &after), TQD_MARK_GOOD);
    cr_assert_eq(after.n_commit, before.n_commit + 1);
    cr_assert_str_eq(after.identity, before.identity);
    char path[128];
    snprintf(path, sizeof path, "%s/torqued.commit", folder);
    const char *const texts[] = {"x", "0123456789abcdef 0000000000000000000x\n",
                                 "0123456789abcdeg 00000000000000000001\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        FILE *file = fopen(path, "wb");
        fputs(texts[i], file);
        fclose(file);
        cr_assert_eq(tqd_mark_read(folder, &after), TQD_MARK_UNREADABLE, "%s", texts[i]);
    }
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(tqd_mark_read(folder, &after), TQD_MARK_NONE);
}

Test(lost, a_file_whose_date_cannot_be_set_is_not_moved)
{
    uint64_t n = 0;
    char path[256];
    leave_file();
    refuses_dates = true;
    (void)tqt_store_sweep(store, &n);
    refuses_dates = false;
    cr_assert_eq(n, 0);
    cr_assert_eq(count_lost(), 0);
    snprintf(path, sizeof path, "%s/files/ba/%s", folder, digest_of_abc);
    cr_assert_eq(access(path, F_OK), 0);
}

Test(lost, deletions_wait_where_the_mark_is_missing)
{
    only_sqlite();
    uint64_t n = 0;
    char path[256];
    leave_file();
    refer_to_it();
    tqd_dataset_delete deletion = {.write.kind = TQD_WRITE_DATASET_DELETE, .name = "abc"};
    cr_assert_eq(tqd_store_write(store, &deletion.write), TQD_STORE_OK);
    stop_store();
    snprintf(path, sizeof path, "%s/torqued.commit", folder);
    cr_assert_eq(unlink(path), 0);
    start_store(); /* the database may be an older copy: rows that were lost may have referred to
                      the file */
    (void)tqd_store_collect(store);
    cr_assert_eq(tqt_store_sweep(store, &n), TQD_STORE_OK);
    cr_assert_eq(n, 1);
    cr_assert_eq(count_lost(), 1);
}
