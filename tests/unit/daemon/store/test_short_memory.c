/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_short_memory.c - each allocation of opening and reading a file fails
 * once: the call is refused with NO_MEMORY, or its bytes are correct; likewise the first of an
 * engine. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>
#include <string.h>

#include "daemon/store/engine.h"
#include "daemon/store/files.h"
#include "daemon/store/store.h"
#include "daemon/store/sums.h"
#include "tests/support/short_memory.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(short_files, .init = setup, .fini = teardown, .timeout = 100);

enum { CHUNKS = 16, WALK_MAX = 200 }; /* the checksum of the next chunk needs a longer array */

static char bytes[CHUNKS * TQD_CHUNK + 5];

static tqd_upload *upload(char digest[TQD_DIGEST_TEXT])
{
    tqd_store_status status = TQD_STORE_OK;
    uint64_t size = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 31 >> 3);
    }
    tqd_upload *up = tqd_upload_open(store, &status);
    cr_assert(up != NULL);
    cr_assert(eq(int, (int)tqd_upload_append(up, bytes, sizeof bytes), TQD_STORE_OK));
    cr_assert(eq(int, (int)tqd_upload_finish(up, digest, &size), TQD_STORE_OK));
    return up;
}

Test(short_files, are_opened_completely_or_not_at_all)
{
    char digest[TQD_DIGEST_TEXT];
    tqd_upload *up = upload(digest);
    size_t k = 0, n = 1;
    while (n >= k && k < WALK_MAX) {
        k++;
        tqd_store_status status = TQD_STORE_OK;
        tqd_sums_remove(tqd_store_file_set(store), digest); /* so that they are computed again */
        tqt_short_begin(k, 1);
        tqd_file *file = tqd_file_open_sized(store, digest, sizeof bytes, &status);
        n = tqt_short_end();
        cr_assert(eq(int, (int)status, n >= k ? TQD_STORE_NO_MEMORY : TQD_STORE_OK), "%zu of %zu",
                  k, n);
        cr_assert(eq(int, file != NULL, n < k));
        tqd_file_close(file);
    }
    cr_assert(k > 4 && k < WALK_MAX, "%zu", k); /* file, digest, piece, checksums: twice */
    tqd_upload_close(up);
}

Test(short_files, are_read_completely_or_not_at_all)
{
    static char found[sizeof bytes];
    char digest[TQD_DIGEST_TEXT];
    tqd_upload *up = upload(digest);
    size_t k = 0, n = 1;
    while (n >= k && k < WALK_MAX) {
        k++;
        tqd_store_status status = TQD_STORE_OK;
        tqd_sums_remove(tqd_store_file_set(store), digest); /* so that they are computed again */
        tqd_file *file = tqd_file_open_sized(store, digest, sizeof bytes, &status);
        cr_assert(file != NULL);
        tqt_short_begin(k, 1);
        long got = 0;
        for (size_t at = 0; at < sizeof bytes && got >= 0; at += (size_t)got) {
            got = tqd_file_read(file, at, found + at, sizeof bytes - at);
            cr_assert(got != 0);
        }
        n = tqt_short_end();
        cr_assert(got < 0 || memcmp(found, bytes, sizeof bytes) == 0, "%zu of %zu", k, n);
        cr_assert(n >= k || got > 0);
        tqd_file_close(file);
    }
    cr_assert(k < WALK_MAX);
    tqd_upload_close(up);
}

static void open_short(size_t k)
{
    const tqd_engine_options options = {.uri = "postgresql://nowhere/none"};
    char why[TQD_STORE_WHY] = "";
    tqt_short_begin(k, 1);
    tqd_engine *engine = tqd_postgresql_open(&options, why);
    (void)tqt_short_end();
    cr_assert(engine == NULL);
    cr_assert(strstr(why, "memory") != NULL, "allocation %zu: \"%s\"", k, why);
}

/* The engine, then its address (but for AddressSanitizer, whose strdup asks for no malloc): what is
 * left of one alone the heap counts. Libraries may keep something at their first use: so it is done
 * many times, each of which would leave 32 bytes or more. */
Test(short_files, an_engine_of_postgresql_is_not_half_made)
{
    enum { TIMES = 100 };
    for (size_t k = 1; k <= 2; k++) {
        open_short(k);
        const size_t before = mallinfo2().uordblks;
        for (unsigned i = 0; i < TIMES; i++) {
            open_short(k);
        }
        cr_assert(lt(sz, mallinfo2().uordblks, before + (size_t)16 * TIMES), "allocation %zu", k);
    }
}
