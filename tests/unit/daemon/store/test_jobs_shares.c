/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_jobs_shares.c - a client's share of the queue and of the runners,
 * with any engine. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "daemon/store/jobs.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(shares, .init = setup, .fini = teardown, .timeout = 100);

static tqd_job_submit submitted;

typedef struct wish {
    const char *client, *kind, *key;
    int priority;
    int64_t deadline_ms;
    uint64_t queued_max, own_max;
    size_t size;        /* of the request; 0: 2 */
    uint64_t bytes_max; /* half of them of one client */
} wish;

static tqd_store_status submit(wish w)
{
    static char request[1000];
    char id[TQD_JOB_ID_TEXT];
    tqd_job_id_make(id);
    submitted = (tqd_job_submit){.write.kind = TQD_WRITE_JOB_SUBMIT,
                                 .id = id,
                                 .kind = w.kind != NULL ? w.kind : "excitation",
                                 .robot = "",
                                 .robot_digest = "",
                                 .client = w.client,
                                 .priority = w.priority,
                                 .deadline_ms = w.deadline_ms,
                                 .key = w.key,
                                 .digest = "d",
                                 .request = {.media = "application/json",
                                             .bytes = request,
                                             .size = w.size != 0 ? w.size : 2},
                                 .queued_max = w.queued_max,
                                 .client_queued_max = w.own_max,
                                 .bytes_max = w.bytes_max,
                                 .client_bytes_max = w.bytes_max / 2};
    return tqd_store_write(store, &submitted.write);
}

/* the kind of the job, "" if there is none */
static const char *claim(const char *not_of)
{
    static tqd_job_claim op;
    op = (tqd_job_claim){
        .write.kind = TQD_WRITE_JOB_CLAIM, .node = "node-1", .not_of = not_of, .lease_ms = 1000000};
    return tqd_store_write(store, &op.write) == TQD_STORE_OK ? op.job.kind : "";
}

/* claims of the other clients in turn, independent of jobs before them in the queue */
Test(shares, a_claim_may_leave_clients_out)
{
    const char *const clients[] = {"ann", "ann", "", "bob", "bob", "an"};
    const char *const kinds[] = {"a1", "a2", "n1", "b1", "b2", "c1"};
    for (size_t i = 0; i < 6; i++) {
        submit((wish){.client = clients[i], .kind = kinds[i], .priority = i == 1 ? 3 : 0});
    }
    submit((wish){.client = "bob", .kind = "b0", .deadline_ms = -1});
    const struct {
        const char *not_of, *next;
    } rows[] = {{"\nann\n", "n1"}, {"\nann\n\n", "b1"}, {"\nann\n\nbob\n", "c1"}, {"\nbob\n", "a1"},
                {"\nbob\n", "a2"}, {"\n\nann\n", "b2"}, {"\nann\n", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(eq(str, (char *)claim(rows[i].not_of), (char *)rows[i].next), "place %zu", i);
    }
}

static bool is_refused(wish w)
{
    return submit(w) == TQD_STORE_QUOTA && submitted.queue_full;
}

/* only waiting jobs count: running jobs are not in the queue */
Test(shares, a_client_has_a_part_of_the_queue)
{
    cr_assert(
        eq(int, (int)submit((wish){.client = "ann", .own_max = 2, .key = "k"}), TQD_STORE_OK));
    cr_assert(eq(int, (int)submit((wish){.client = "ann", .own_max = 2}), TQD_STORE_OK));
    cr_assert(is_refused((wish){.client = "ann", .own_max = 2}) && submitted.client_full);
    cr_assert(
        eq(int, (int)submit((wish){.client = "ann", .own_max = 2, .key = "k"}), TQD_STORE_OK));
    cr_assert(submitted.repeated);
    cr_assert(eq(int, (int)submit((wish){.client = "bob", .own_max = 2}), TQD_STORE_OK));
    cr_assert(not(submitted.client_full));
    cr_assert(is_refused((wish){.client = "bob", .own_max = 2, .queued_max = 3}) &&
              !submitted.client_full);
    cr_assert(ne(str, (char *)claim(NULL), (char *)""));
    cr_assert(eq(int, (int)submit((wish){.client = "ann", .own_max = 2}), TQD_STORE_OK));
}

static const char *by_bytes(const char *client, const char *key, size_t size)
{
    const tqd_store_status status =
        submit((wish){.client = client, .key = key, .size = size, .bytes_max = 1000});
    return status == TQD_STORE_OK                                     ? "in"
           : status == TQD_STORE_QUOTA && submitted.client_bytes_full ? "share"
           : status == TQD_STORE_QUOTA && !submitted.client_full      ? "full"
                                                                      : "?";
}

/* own <= 1/2 / (1 - 1/2) free, so that clients who come later find room; a first job needs none */
Test(shares, a_client_has_a_part_of_the_bytes)
{
    const struct {
        const char *client, *key, *expected;
        size_t size;
    } rows[] = {
        {"ann", "k", "in", 200},   {"ann", NULL, "in", 200},    {"ann", NULL, "share", 200},
        {"ann", "k", "in", 200},   {"bob", NULL, "in", 200},    {"bob", NULL, "in", 200},
        {"bob", NULL, "share", 1}, {"carl", NULL, "full", 201}, {"carl", NULL, "in", 200},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(eq(str, (char *)by_bytes(rows[i].client, rows[i].key, rows[i].size),
                     (char *)rows[i].expected),
                  "row %zu", i);
    }
    /* what runs does not wait: "ann" first, "bob" second */
    for (int i = 0; i < 2; i++) {
        cr_assert(ne(str, (char *)claim(NULL), (char *)""));
    }
    cr_assert(eq(str, (char *)by_bytes("dan", NULL, 1), (char *)"full"));
    cr_assert(eq(str, (char *)by_bytes("ann", NULL, 1), (char *)"share"));
}
