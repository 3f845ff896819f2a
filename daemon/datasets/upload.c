/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/upload.c - PUT /v1/datasets/{name}: a body of any length, through the upload
 * queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/datasets/handlers_private.h"
#include "daemon/datasets/samples.h"
#include "daemon/http/bearer.h"
#include "daemon/key.h"
#include "daemon/robots/registry.h"

/* What waiting does not change: its owner must delete something first. `now`: what it keeps. */
static void refuse_own(const tqd_head *head, uint64_t now, uint64_t size, tqd_reply *reply)
{
    tqa_problem problem;
    const uint64_t most = head->who->limits.bytes;
    tqa_problem_set(&problem, "forbidden",
                    "\"%s\" keeps %llu bytes, with these %llu it would be more than the %llu of "
                    "bytes= of its token: delete datasets or jobs first",
                    head->who->client, (unsigned long long)now, (unsigned long long)size,
                    (unsigned long long)most);
    tqd_answer_problem(reply, head->request_id, &problem);
    tqd_answer_quota(reply, "bytes", most, most > now ? most - now : 0);
}

static bool check(const tqd_datasets *datasets, const tqd_head *head, tqa_dataset_options *options,
                  tqa_problem *reterr)
{
    if (!tqd_robot_name_good(head->part[0])) {
        tqa_problem_set(reterr, "invalid-value",
                        "a name has 1 to 128 of A-Z a-z 0-9 . _ - and does not begin with a dot");
        return false;
    }
    if (tqd_sample_is_name(tqd_key_name(head->part[0]))) {
        tqa_problem_set(reterr, "read-only", "dataset %s is built in", tqd_key_name(head->part[0]));
        return false;
    }
    if (!tqa_dataset_options_read(head->query, head->header(head, "Content-Type"), options,
                                  reterr)) {
        return false;
    }
    const uint64_t used = tqd_store_file_bytes(datasets->store);
    const uint64_t most = datasets->file_bytes_max;
    const uint64_t length = head->content_length == UINT64_MAX ? 1 : head->content_length;
    if (most != 0 && (used >= most || length > most - used)) {
        tqa_problem_set(reterr, "storage-full",
                        "files use %llu of the %llu bytes that the setting files_size allows",
                        (unsigned long long)used, (unsigned long long)most);
        return false;
    }
    return true;
}

static void wake(void *ctx)
{
    const tqd_head *head = ((tqd_dataset_exchange *)ctx)->head;
    head->wake(head);
}

static bool open_put(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    tqd_datasets *datasets = ctx;
    tqa_dataset_options options;
    tqa_problem problem;
    const uint64_t most = head->who != NULL ? head->who->limits.bytes : 0;
    if (most != 0 && head->content_length != UINT64_MAX && head->content_length > most) {
        refuse_own(head, 0, head->content_length, reply);
        return false;
    }
    if (!check(datasets, head, &options, &problem)) {
        tqd_answer_problem(reply, head->request_id, &problem);
        return false;
    }
    if (!tqd_dataset_open_exchange(ctx, head, ret_exchange, reply)) {
        return false;
    }
    tqd_dataset_exchange *e = *ret_exchange;
    bool own = false;
    e->intake = tqd_intake_open(datasets->uploads, head->who, &options, wake, e, &own);
    if (e->intake == NULL) {
        if (own) {
            tqa_problem_set(&problem, "too-many-requests",
                            "as many datasets of \"%s\" are being received as it may send at once "
                            "(setting: client_share)",
                            tqd_identity_name(head->who));
        } else {
            tqa_problem_set(&problem, "busy", "other datasets are being received; try again");
        }
        problem.retry_after_s = 1;
        tqd_answer_problem(reply, head->request_id, &problem);
        tqd_dataset_close_exchange(e);
        return false;
    }
    return true;
}

static bool has_room(void *exchange, size_t n)
{
    return tqd_intake_room(((tqd_dataset_exchange *)exchange)->intake, n);
}

static bool feed_put(void *exchange, const char *bytes, size_t n)
{
    tqd_dataset_exchange *e = exchange;
    if (tqd_intake_put(e->intake, bytes, n)) {
        return true;
    }
    tqd_dataset_answer_problem(e, tqd_intake_problem(e->intake));
    return false;
}

/* the preconditions, checked against the present version; the store checks again in its transaction
 * */
static bool read_conditions(tqd_dataset_exchange *e, tqd_dataset_put *put,
                            char match[TQD_DIGEST_TEXT], char none_match[TQD_DIGEST_TEXT])
{
    tqd_dataset_row now;
    const bool exists =
        tqd_store_dataset(e->datasets->store, e->head->part[0], &now, NULL) == TQD_STORE_OK;
    const char *current = exists ? now.digest : "";
    return tqd_dataset_condition(e, "If-Match", current, match, &put->if_match) &&
           tqd_dataset_condition(e, "If-None-Match", current, none_match, &put->if_none_match);
}

static void commit(tqd_dataset_exchange *e, tqd_dataset_row *row, const char *summary,
                   size_t n_summary)
{
    char match[TQD_DIGEST_TEXT];
    char none_match[TQD_DIGEST_TEXT];
    tqd_store *store = e->datasets->store;
    tqd_dataset_put put = {.write.kind = TQD_WRITE_DATASET_PUT,
                           .row = row,
                           .by = tqd_identity_by(e->head->who),
                           .summary = summary,
                           .n_summary = n_summary,
                           .datasets_max = e->datasets->datasets_max,
                           .own_bytes_max = e->head->who != NULL ? e->head->who->limits.bytes : 0};
    if (!read_conditions(e, &put, match, none_match)) {
        return;
    }
    const tqd_store_status status = tqd_store_write(store, &put.write);
    if (status == TQD_STORE_OWNED) {
        tqd_dataset_answer_owned(e, put.owner);
    } else if (status == TQD_STORE_QUOTA && put.own_full) {
        refuse_own(e->head, put.own_bytes, row->size, &e->answer);
    } else if (status != TQD_STORE_OK) {
        tqd_dataset_answer_status(e, status);
    }
    if (status != TQD_STORE_OK) {
        return;
    }
    tqd_intake_keep(e->intake);
    tqd_plots_keep(&e->datasets->plots, row->digest, tqd_intake_blocks(e->intake));
    if (!put.created && strcmp(put.replaced, row->digest) != 0) {
        tqd_plots_drop(&e->datasets->plots, put.replaced);
        (void)tqd_store_file_collect(store, put.replaced);
    }
    /* read back for created_ms, which the store sets */
    (void)tqd_store_dataset(store, row->name, row, NULL);
    tqd_dataset_answer_row(e, put.created ? 201 : 200, row, summary, n_summary);
    if (put.created) {
        tqd_answer_header(&e->answer, "Location", "/v1/datasets/%s", tqd_key_name(row->name));
    }
}

static void run_put(void *exchange)
{
    tqd_dataset_exchange *e = exchange;
    tqd_dataset_row row = {.size = 0};
    char *summary = NULL;
    size_t n_summary = 0;
    snprintf(row.name, sizeof row.name, "%s", e->head->part[0]);
    snprintf(row.owner, sizeof row.owner, "%s", tqd_identity_name(e->head->who));
    if (!tqd_intake_complete(e->intake, &row, &summary, &n_summary)) {
        tqd_dataset_answer_problem(e, tqd_intake_problem(e->intake));
        return;
    }
    commit(e, &row, summary, n_summary);
    free(summary);
}

const tqd_handler tqd_dataset_put_handler = {
    .open = open_put,
    .room = has_room,
    .keeps_little = true,
    .feed = feed_put,
    .finish = tqd_always_run,
    .run = run_put,
    .reply = tqd_dataset_give_reply,
    .close = tqd_dataset_close_exchange,
};
