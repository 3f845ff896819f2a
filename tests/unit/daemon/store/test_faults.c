/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_faults.c - the disk is full or fails at every write and sync in
 * turn: acknowledged writes are not lost, and work continues when the disk recovers. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/fault_vfs.h"
#include "tests/unit/daemon/store/fixture.h"

static void setup_fault(void)
{
    tqt_fault_vfs_use();
    setup();
}

TestSuite(faults, .init = setup_fault, .fini = teardown, .timeout = 100);

enum { PUTS = 6 };

static tqd_store_status put(unsigned i)
{
    static char bytes[9000]; /* more than one page */
    tqd_robot_row row = {.media = "m", .source = "urdf"};
    snprintf(row.name, sizeof row.name, "r%u", i);
    snprintf(row.digest, sizeof row.digest, "%064x", i);
    snprintf(bytes, sizeof bytes, "robot %u", i);
    tqd_robot_put op = {
        .write.kind = TQD_WRITE_ROBOT_PUT, .row = &row, .bytes = bytes, .n_byte = sizeof bytes};
    return tqd_store_write(store, &op.write);
}

static bool is_stored(unsigned i)
{
    tqd_robot_row row;
    char name[16];
    char expected[32];
    char *bytes = NULL;
    snprintf(name, sizeof name, "r%u", i);
    snprintf(expected, sizeof expected, "robot %u", i);
    const tqd_store_status status = tqd_store_robot(store, name, NULL, &row, &bytes);
    const bool good = status == TQD_STORE_OK && strcmp(bytes, expected) == 0;
    free(bytes);
    return good;
}

/* fails from the n-th write or sync on, for a while; returns the number of faults */
static long try_at(long n, int code, tqd_store_status expected)
{
    bool acknowledged[PUTS + 1];
    tqt_fault_after(n, code);
    for (unsigned i = 0; i < PUTS; i++) {
        const tqd_store_status status = put(i);
        acknowledged[i] = status == TQD_STORE_OK;
        /* a failed sync is an I/O error for any reason */
        cr_assert(status == TQD_STORE_OK || status == expected || status == TQD_STORE_BROKEN,
                  "after %ld: %s", n, tqd_store_status_text(status));
        cr_assert(not(acknowledged[i] && !is_stored(i)), "after %ld", n);
    }
    const long met = tqt_fault_count();
    tqt_fault_after(-1, 0);
    acknowledged[PUTS] = put(PUTS) == TQD_STORE_OK;
    cr_assert(acknowledged[PUTS], "after %ld: no recovery", n);
    stop_store();
    start_store(); /* also runs the integrity check */
    for (unsigned i = 0; i <= PUTS; i++) {
        cr_assert(not(acknowledged[i] && !is_stored(i)), "after %ld: robot %u is lost", n, i);
    }
    return met;
}

static void try_everywhere(int code, tqd_store_status expected)
{
    long n = 0;
    while (try_at(n, code, expected) > 0) {
        stop_store();
        remove_folder();
        cr_assert(mkdir(folder, 0700) == 0);
        start_store();
        n++;
    }
    cr_assert(gt(long, n, PUTS * 2), "every write and sync of %d commits was tried", PUTS);
}

Test(faults, full_disk)
{
    try_everywhere(SQLITE_FULL, TQD_STORE_NO_SPACE);
}

Test(faults, failing_disk)
{
    try_everywhere(SQLITE_IOERR, TQD_STORE_BROKEN);
}
