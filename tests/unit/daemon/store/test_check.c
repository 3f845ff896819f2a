/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_check.c - the cost of reading files whose checksums are missing or
 * wrong; a scrub ends on request. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/check.h"
#include "daemon/store/datasets.h"
#include "daemon/store/files.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(check, .init = setup, .fini = teardown, .timeout = 100);

enum { CHUNK = 64 << 10, SIZE = 5 * CHUNK + 3 };

static char bytes[SIZE];
static char sums[256]; /* path of its checksums */
static char digest[TQD_DIGEST_TEXT];

static void put_large(void)
{
    tqd_store_status status;
    tqd_dataset_row row = {.name = "large", .media = "text/csv", .n_row = 1, .n_column = 1};
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (char)(i * 31 >> 3);
    }
    tqd_upload *upload = tqd_upload_open(store, &status);
    cr_assert_eq(tqd_upload_append(upload, bytes, SIZE), TQD_STORE_OK);
    cr_assert_eq(tqd_upload_finish(upload, row.digest, &row.size), TQD_STORE_OK);
    tqd_dataset_put write = {
        .write.kind = TQD_WRITE_DATASET_PUT, .row = &row, .summary = "x", .n_summary = 1};
    cr_assert_eq(tqd_store_write(store, &write.write), TQD_STORE_OK);
    tqd_upload_close(upload);
    memcpy(digest, row.digest, sizeof digest);
    snprintf(sums, sizeof sums, "%s/files/sums/%s", folder, digest);
    cr_assert_eq(access(sums, F_OK), 0);
}

/* Each read of the whole file computes its checksums anew, by which the test detects it. */
Test(check, wrong_sums_cost_one_read_of_the_whole_file)
{
    static char piece[CHUNK];
    static const char zeros[6 * sizeof(uint64_t)];
    uint64_t size = 0;
    put_large();
    FILE *file = fopen(sums, "wb"); /* as after a power failure */
    cr_assert_eq(fwrite(zeros, 1, sizeof zeros, file), sizeof zeros);
    cr_assert_eq(fclose(file), 0);
    tqd_file *read = tqd_file_open(store, digest, &size);
    cr_assert_eq(tqd_file_read(read, 0, piece, CHUNK), CHUNK);
    cr_assert_eq(memcmp(piece, bytes, CHUNK), 0);
    cr_assert_eq(unlink(sums), 0);
    for (uint64_t at = CHUNK; at < SIZE; at += CHUNK) {
        const long n = tqd_file_read(read, at, piece, CHUNK);
        cr_assert_eq(n, at + CHUNK < SIZE ? (long)CHUNK : (long)(SIZE - at));
        cr_assert_eq(memcmp(piece, bytes + at, (size_t)n), 0);
    }
    cr_assert_neq(access(sums, F_OK), 0);
    tqd_file_close(read);
}

static bool count_and_end(void *ctx, size_t n_byte)
{
    (void)n_byte;
    ++*(int *)ctx;
    return false;
}

/* A file of 100 GB without checksums, as after a restore, takes minutes to read: a stop does not
 * wait for it. */
Test(check, ends_within_a_file_without_sums)
{
    int n = 0;
    tqd_check check = {.read = count_and_end, .ctx = &n};
    put_large();
    cr_assert_eq(unlink(sums), 0);
    cr_assert_eq(tqd_store_check_files(store, &check), TQD_STORE_OK);
    cr_assert_eq(n, 1);
    cr_assert_eq(check.n_damaged, 0);
    cr_assert_neq(access(sums, F_OK), 0);
}

static bool go_on(void *ctx, size_t n_byte)
{
    *(uint64_t *)ctx += n_byte;
    return true;
}

Test(check, every_byte_read_is_reported)
{
    uint64_t n = 0;
    tqd_check check = {.read = go_on, .ctx = &n};
    put_large();
    cr_assert_eq(tqd_store_check_files(store, &check), TQD_STORE_OK);
    cr_assert_eq(n, SIZE);
    cr_assert_eq(unlink(sums), 0);
    cr_assert_eq(tqd_store_check_files(store, &check), TQD_STORE_OK);
    cr_assert_eq(n, 3 * (uint64_t)SIZE); /* once for the checksums, once to compare */
    cr_assert_eq(check.n_byte, SIZE);
    cr_assert_eq(check.n_damaged, 0);
}
