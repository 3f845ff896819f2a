/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_reconnect.c - connections that the server ends: writes are stored,
 * or refused at once, until the next connection; none twice. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/daemon/store/fixture.h"

TestSuite(reconnect, .init = setup, .fini = teardown, .timeout = 100);

/* ends all connections of this store */
static void end_connections(void)
{
    test_postgres_run(
        uri, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name "
             "= current_setting('application_name') AND pid <> pg_backend_pid()");
}

static tqd_store_status try_robot(unsigned k)
{
    tqd_robot_row row = {.digest = "d", .media = "m", .source = "urdf"};
    snprintf(row.name, sizeof row.name, "robot-%u", k);
    tqd_robot_put put = {.write.kind = TQD_WRITE_ROBOT_PUT, .row = &row, .bytes = "x", .n_byte = 1};
    return tqd_store_write(store, &put.write);
}

Test(reconnect, what_is_acknowledged_is_stored_once)
{
    if (uri[0] == '\0') {
        cr_skip("of a server");
    }
    long n_stored = 0;
    unsigned k = 0;
    cr_assert_eq(try_robot(k++), TQD_STORE_OK);
    n_stored++;
    /* the second end comes before the writer may connect again: it retries once a second */
    for (unsigned i = 0; i < 4; i++) {
        end_connections();
        const tqd_store_status status = try_robot(k++);
        cr_assert(status == TQD_STORE_OK || status == TQD_STORE_BROKEN, "%d", (int)status);
        n_stored += status == TQD_STORE_OK ? 1 : 0;
    }
    tqd_store_status status = TQD_STORE_BROKEN;
    for (unsigned i = 0; i < 600 && status == TQD_STORE_BROKEN; i++) {
        usleep(100000);
        status = try_robot(k++);
    }
    cr_assert_eq(status, TQD_STORE_OK);
    n_stored++;
    cr_assert_eq(test_postgres_number(uri, "SELECT count(*) FROM robot"), n_stored);
    cr_assert_eq(test_postgres_number(uri, "SELECT count(DISTINCT name) FROM robot"), n_stored);
}
