/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_backup.c - a backup is a snapshot of one moment, with all files that
 * it refers to. */
#include <criterion/criterion.h>
#include <string.h>

#include "daemon/store/archive/backup.h"
#include "daemon/store/datasets.h"
#include "daemon/store/files.h"
#include "tests/support/store.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(backup, .init = setup, .fini = teardown, .timeout = 100);

static void put(const char *name, const char *text, char digest[TQD_DIGEST_TEXT])
{
    tqd_store_status status;
    tqd_dataset_row row = {.media = "text/csv", .n_row = 1, .n_column = 1};
    snprintf(row.name, sizeof row.name, "%s", name);
    tqd_upload *upload = tqd_upload_open(store, &status);
    cr_assert_eq(tqd_upload_append(upload, text, strlen(text)), TQD_STORE_OK);
    cr_assert_eq(tqd_upload_finish(upload, row.digest, &row.size), TQD_STORE_OK);
    tqd_dataset_put write = {
        .write.kind = TQD_WRITE_DATASET_PUT, .row = &row, .summary = "x", .n_summary = 1};
    cr_assert_eq(tqd_store_write(store, &write.write), TQD_STORE_OK);
    tqd_upload_close(upload);
    memcpy(digest, row.digest, TQD_DIGEST_TEXT);
}

static void drop(const char *name, const char *digest)
{
    tqd_dataset_delete deletion = {.write.kind = TQD_WRITE_DATASET_DELETE, .name = name};
    cr_assert_eq(tqd_store_write(store, &deletion.write), TQD_STORE_OK);
    tqd_store_file_collect(store, digest);
}

/* the whole archive, read in pieces of n bytes */
static char *read_all(tqd_backup *backup, size_t n, uint64_t *ret_size)
{
    const uint64_t size = tqd_backup_size(backup);
    char *text = malloc(size + n);
    uint64_t used = 0;
    long got;
    while ((got = tqd_backup_read(backup, text + used, n)) > 0) {
        used += (uint64_t)got;
        cr_assert(used <= size);
    }
    cr_assert_eq(got, 0);
    cr_assert_eq(used, size);
    *ret_size = size;
    return text;
}

static bool contains(const char *bytes, uint64_t n, const char *what)
{
    return memmem(bytes, n, what, strlen(what)) != NULL;
}

Test(backup, contains_files_deleted_meanwhile_and_none_added)
{
    only_sqlite();
    char early[TQD_DIGEST_TEXT];
    char late[TQD_DIGEST_TEXT];
    tqd_store_status status;
    uint64_t n = 0;
    uint64_t removed = 0;
    put("early", "content of the early one\n", early);
    tqd_backup *backup = tqd_backup_open(store, &status);
    cr_assert(backup != NULL);
    drop("early", early);
    cr_assert_eq(tqt_store_sweep(store, &removed), TQD_STORE_OK);
    cr_assert_eq(removed, 0, "held while a backup needs it");
    put("late", "content of the late one\n", late);
    char *text = read_all(backup, 700, &n);
    cr_assert_eq(n % 512, 0);
    cr_assert(contains(text, n, "content of the early one\n"));
    cr_assert(contains(text, n, early));
    cr_assert(!contains(text, n, "content of the late one\n"));
    free(text);
    tqd_backup_close(backup);
    cr_assert_eq(tqt_store_sweep(store, &removed), TQD_STORE_OK);
    cr_assert_eq(removed, 1);
}

Test(backup, reads_the_same_in_any_pieces)
{
    only_sqlite();
    char digest[TQD_DIGEST_TEXT];
    tqd_store_status status;
    char *texts[3];
    uint64_t sizes[3];
    const size_t pieces[3] = {511, 513, 1 << 20};
    put("a", "1\n2\n3\n", digest);
    for (size_t i = 0; i < 3; i++) {
        tqd_backup *backup = tqd_backup_open(store, &status);
        texts[i] = read_all(backup, pieces[i], &sizes[i]);
        tqd_backup_close(backup);
    }
    for (size_t i = 1; i < 3; i++) {
        cr_assert_eq(sizes[i], sizes[0]);
        /* the times in the headers may differ by a second; the contents may not */
        for (uint64_t at = 0; at < sizes[0]; at += 512) {
            const bool header = memcmp(texts[0] + at + 257, "ustar", 6) == 0;
            cr_assert(header || memcmp(texts[0] + at, texts[i] + at, 512) == 0);
        }
        free(texts[i]);
    }
    free(texts[0]);
}

Test(backup, leaves_no_files)
{
    tqd_store_status status;
    tqd_backup *backup = tqd_backup_open(store, &status);
    tqd_backup_close(backup);
    char path[128];
    snprintf(path, sizeof path, "%s/files/tmp", folder);
    DIR *dir = opendir(path);
    size_t n = 0;
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        n += entry->d_name[0] != '.' ? 1 : 0;
    }
    closedir(dir);
    cr_assert_eq(n, 0);
}

/* In SQLite's URI these three characters have a meaning. */
Test(backup, of_a_folder_with_any_name)
{
    only_sqlite();
    char digest[TQD_DIGEST_TEXT];
    char plain[sizeof folder];
    tqd_store_status status;
    uint64_t size = 0;
    stop_store();
    memcpy(plain, folder, sizeof plain);
    snprintf(folder, sizeof folder, "%.40s/a%%20b?c#d", plain);
    cr_assert_eq(mkdir(folder, 0700), 0);
    start_store();
    put("d", "q0\n1\n", digest);
    tqd_backup *backup = tqd_backup_open(store, &status);
    cr_assert_eq(status, TQD_STORE_OK);
    char *text = read_all(backup, 4096, &size);
    cr_assert(contains(text, size, digest));
    free(text);
    tqd_backup_close(backup);
    stop_store();
    memcpy(folder, plain, sizeof folder);
}
