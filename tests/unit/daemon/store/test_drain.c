/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_drain.c - a drained node claims nothing, over restarts, until it is
 * resumed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "tests/unit/daemon/store/fixture.h"

TestSuite(drain, .init = setup, .fini = teardown, .timeout = 100);

static tqd_store_status claim(const char *node)
{
    tqd_job_claim op = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = node, .lease_ms = 1000000};
    return tqd_store_write(store, &op.write);
}

static void drain(const char *name, bool drained)
{
    tqd_node_drain op = {.write.kind = TQD_WRITE_NODE_DRAIN, .name = name, .drained = drained};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_OK));
}

static bool is_drained(const char *name)
{
    bool found = false;
    cr_assert(eq(int, (int)tqd_store_node_drained(store, name, &found), TQD_STORE_OK));
    return found;
}

static int keep_node(void *ctx, const tqd_node *node)
{
    *(tqd_node *)ctx = *node;
    return 0;
}

Test(drain, a_drained_node_claims_nothing_until_it_is_resumed)
{
    char first[TQD_JOB_ID_TEXT];
    char second[TQD_JOB_ID_TEXT];
    submit_job(first);
    submit_job(second);
    cr_assert(not(is_drained("north")));
    drain("north", true);
    drain("north", true);
    cr_assert(eq(int, (int)claim("north"), TQD_STORE_NOT_FOUND));
    cr_assert(eq(int, (int)claim("south"), TQD_STORE_OK), "others go on");
    stop_store();
    start_store();
    cr_assert(is_drained("north"));
    cr_assert(not(is_drained("south")));
    cr_assert(eq(int, (int)claim("north"), TQD_STORE_NOT_FOUND));
    drain("north", false);
    drain("north", false);
    cr_assert(not(is_drained("north")));
    cr_assert(eq(int, (int)claim("north"), TQD_STORE_OK));
}

Test(drain, a_node_is_listed_with_its_heartbeat)
{
    tqd_node node = {.name = "north",
                     .version = "9",
                     .n_running = 2,
                     .n_runner = 3,
                     .n_lane = 4,
                     .memory_bytes = (uint64_t)5 << 33};
    tqd_node found = {.n_lane = 0};
    cr_assert(eq(int, (int)tqd_store_node_beat(store, &node, 1000), TQD_STORE_OK));
    drain("north", true);
    cr_assert(eq(int, (int)tqd_store_nodes(store, keep_node, &found), TQD_STORE_OK));
    cr_assert(eq(str, found.name, "north"));
    cr_assert(eq(str, found.version, "9"));
    cr_assert(eq(u32, found.n_running, 2));
    cr_assert(eq(u32, found.n_runner, 3));
    cr_assert(eq(u32, found.n_lane, 4));
    cr_assert(eq(u64, found.memory_bytes, (uint64_t)5 << 33));
    cr_assert(found.drained);
    cr_assert(ge(i64, found.seen_ms - found.since_ms, 1000));
}
