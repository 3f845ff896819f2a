/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_datasets.c - names of files: put, replace, delete, collect. */
#include <criterion/criterion.h>
#include <string.h>

#include "daemon/store/datasets.h"
#include "daemon/store/files.h"
#include "tests/support/store.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(datasets, .init = setup, .fini = teardown, .timeout = 100);

/* a file of `text`, its upload still open */
static tqd_upload *make_file(const char *text, tqd_dataset_row *row)
{
    tqd_store_status status;
    tqd_upload *upload = tqd_upload_open(store, &status);
    cr_assert(upload != NULL);
    cr_assert_eq(tqd_upload_append(upload, text, strlen(text)), TQD_STORE_OK);
    cr_assert_eq(tqd_upload_finish(upload, row->digest, &row->size), TQD_STORE_OK);
    return upload;
}

static tqd_store_status put(const char *name, const char *text, tqd_dataset_put *ret)
{
    tqd_dataset_row row = {.media = "text/csv", .n_row = 3, .n_column = 2};
    snprintf(row.name, sizeof row.name, "%s", name);
    tqd_upload *upload = make_file(text, &row);
    ret->write.kind = TQD_WRITE_DATASET_PUT;
    ret->row = &row;
    ret->summary = "\"rows\":3";
    ret->n_summary = 8;
    const tqd_store_status status = tqd_store_write(store, &ret->write);
    tqd_upload_close(upload);
    return status;
}

static bool file_exists(const char *digest)
{
    uint64_t size;
    tqd_file *file = tqd_file_open(store, digest, &size);
    tqd_file_close(file);
    return file != NULL;
}

static int count(void *ctx, const tqd_dataset_row *row, const char *summary)
{
    cr_assert_str_eq(summary, "\"rows\":3");
    cr_assert(row->name[0] != '\0');
    ++*(int *)ctx;
    return 0;
}

Test(datasets, put_get_replace_delete)
{
    tqd_dataset_put first = {.created = false};
    tqd_dataset_put second = {.created = false};
    tqd_dataset_row row;
    char *summary = NULL;
    cr_assert_eq(tqd_store_dataset(store, "a", &row, NULL), TQD_STORE_NOT_FOUND);
    cr_assert_eq(put("a", "1,2\n", &first), TQD_STORE_OK);
    cr_assert(first.created && first.replaced[0] == '\0');
    cr_assert_eq(tqd_store_dataset(store, "a", &row, &summary), TQD_STORE_OK);
    cr_assert_str_eq(summary, "\"rows\":3");
    free(summary);
    cr_assert(row.size == 4 && row.n_row == 3 && row.n_column == 2 && row.created_ms > 0);
    cr_assert_str_eq(row.media, "text/csv");

    char before[TQD_DIGEST_TEXT];
    memcpy(before, row.digest, sizeof before);
    cr_assert_eq(put("a", "3,4\n", &second), TQD_STORE_OK);
    cr_assert(!second.created);
    cr_assert_str_eq(second.replaced, before);
    tqd_store_file_collect(store, before);
    cr_assert(!file_exists(before));

    cr_assert_eq(tqd_store_dataset(store, "a", &row, NULL), TQD_STORE_OK);
    tqd_dataset_delete deletion = {.write.kind = TQD_WRITE_DATASET_DELETE, .name = "a"};
    deletion.if_match = before;
    cr_assert_eq(tqd_store_write(store, &deletion.write), TQD_STORE_MISMATCH);
    deletion.if_match = "*";
    cr_assert_eq(tqd_store_write(store, &deletion.write), TQD_STORE_OK);
    cr_assert_str_eq(deletion.replaced, row.digest);
    cr_assert_eq(tqd_store_write(store, &deletion.write), TQD_STORE_NOT_FOUND);
}

Test(datasets, one_file_under_two_names_stays_until_both_are_gone)
{
    tqd_dataset_put a = {.created = false};
    tqd_dataset_put b = {.created = false};
    cr_assert_eq(put("a", "1\n", &a), TQD_STORE_OK);
    cr_assert_eq(put("b", "1\n", &b), TQD_STORE_OK);
    cr_assert_eq(tqd_store_file_bytes(store), 2);
    tqd_dataset_delete deletion = {.write.kind = TQD_WRITE_DATASET_DELETE, .name = "a"};
    cr_assert_eq(tqd_store_write(store, &deletion.write), TQD_STORE_OK);
    tqd_store_file_collect(store, deletion.replaced);
    cr_assert(file_exists(deletion.replaced));
    uint64_t removed = 9;
    cr_assert_eq(tqt_store_sweep(store, &removed), TQD_STORE_OK);
    cr_assert_eq(removed, 0);
    deletion.name = "b";
    cr_assert_eq(tqd_store_write(store, &deletion.write), TQD_STORE_OK);
    tqd_store_file_collect(store, deletion.replaced);
    cr_assert(!file_exists(deletion.replaced));
    cr_assert_eq(tqd_store_file_bytes(store), 0);
}

Test(datasets, conditions_and_bound)
{
    tqd_dataset_put p = {.datasets_max = 1};
    cr_assert_eq(put("a", "1\n", &p), TQD_STORE_OK);
    cr_assert_eq(put("b", "2\n", &p), TQD_STORE_QUOTA);
    cr_assert_eq(put("a", "2\n", &p), TQD_STORE_OK, "replacing needs no new name");
    p.if_none_match = "*";
    cr_assert_eq(put("a", "3\n", &p), TQD_STORE_MISMATCH);
    p.if_none_match = NULL;
    p.if_match = "*";
    p.datasets_max = 0;
    cr_assert_eq(put("c", "3\n", &p), TQD_STORE_MISMATCH);
}

Test(datasets, listed_by_name_and_kept_over_a_restart)
{
    tqd_dataset_put p = {.datasets_max = 0};
    cr_assert_eq(put("b", "1\n", &p), TQD_STORE_OK);
    cr_assert_eq(put("a", "2\n", &p), TQD_STORE_OK);
    stop_store();
    start_store();
    int n = 0;
    cr_assert_eq(tqd_store_datasets(store, count, &n), TQD_STORE_OK);
    cr_assert_eq(n, 2);
}
