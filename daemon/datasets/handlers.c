/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/handlers.c - the routes under /v1/datasets, DELETE, and reads on workers. */
#include "daemon/datasets/handlers.h"

#include <stdio.h>
#include <string.h>

#include "daemon/datasets/handlers_private.h"
#include "daemon/datasets/samples.h"
#include "daemon/http/bearer.h"
#include "daemon/key.h"
#include "daemon/store/store.h"

static void run_delete(void *exchange)
{
    tqd_dataset_exchange *e = exchange;
    tqd_store *store = e->datasets->store;
    char tag[TQD_DIGEST_TEXT];
    tqd_dataset_row now;
    tqd_dataset_delete deletion = {.write.kind = TQD_WRITE_DATASET_DELETE,
                                   .name = e->head->part[0],
                                   .by = tqd_identity_by(e->head->who)};
    if (tqd_sample_is_name(tqd_key_name(deletion.name))) {
        tqa_problem problem;
        tqa_problem_set(&problem, "read-only", "dataset %s is built in",
                        tqd_key_name(deletion.name));
        tqd_dataset_answer_problem(e, &problem);
        return;
    }
    const bool exists = tqd_store_dataset(store, deletion.name, &now, NULL) == TQD_STORE_OK;
    if (!tqd_dataset_condition(e, "If-Match", exists ? now.digest : "", tag, &deletion.if_match)) {
        return;
    }
    const tqd_store_status status = tqd_store_write(store, &deletion.write);
    if (status == TQD_STORE_OWNED) {
        tqd_dataset_answer_owned(e, deletion.owner);
        return;
    }
    if (status != TQD_STORE_OK) {
        tqd_dataset_answer_status(e, status);
        return;
    }
    tqd_plots_drop(&e->datasets->plots, deletion.replaced);
    (void)tqd_store_file_collect(store, deletion.replaced);
    e->answer.status = 204;
}

static const tqd_handler delete_handler = {
    .open = tqd_dataset_open_exchange,
    .finish = tqd_always_run,
    .run = run_delete,
    .reply = tqd_dataset_give_reply,
    .close = tqd_dataset_close_exchange,
};

void tqd_dataset_routes(tqd_datasets *datasets, tqd_route routes[TQD_DATASET_ROUTES])
{
    const uint64_t most = datasets->dataset_bytes_max;
    pthread_mutex_init(&datasets->plots.mutex, NULL);
    const tqd_route table[TQD_DATASET_ROUTES] = {
        {TQD_GET, "/v1/datasets", 0, &tqd_dataset_list_handler, datasets, false},
        {TQD_HEAD, "/v1/datasets", 0, &tqd_dataset_list_handler, datasets, false},
        {TQD_GET, "/v1/datasets/{}", 0, &tqd_dataset_get_handler, datasets, true},
        {TQD_HEAD, "/v1/datasets/{}", 0, &tqd_dataset_get_handler, datasets, true},
        {TQD_GET, "/v1/datasets/{}/content", 0, &tqd_dataset_content_handler, datasets, false},
        {TQD_HEAD, "/v1/datasets/{}/content", 0, &tqd_dataset_content_handler, datasets, false},
        {TQD_PUT, "/v1/datasets/{}", most, &tqd_dataset_put_handler, datasets, true},
        {TQD_DELETE, "/v1/datasets/{}", 0, &delete_handler, datasets, false},
    };
    memcpy(routes, table, sizeof table);
}
