/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/handlers.h - the routes under /v1/datasets. */
#ifndef TQD_DATASETS_HANDLERS_H
#define TQD_DATASETS_HANDLERS_H

#include "daemon/datasets/plots.h"
#include "daemon/datasets/upload_queue.h"
#include "daemon/http/exchange.h"

/* Data common to the handlers; outlives the server. */
typedef struct tqd_datasets {
    tqd_store *store;
    tqd_upload_queue *uploads;
    tqd_plots plots;            /* opened by tqd_dataset_routes */
    uint64_t dataset_bytes_max; /* limit of one dataset */
    uint64_t file_bytes_max;    /* limit of all files; 0: no limit. The store enforces it too */
    uint64_t datasets_max;      /* limit of the number of names */
} tqd_datasets;

enum { TQD_DATASET_ROUTES = 8 };
void tqd_dataset_routes(tqd_datasets *datasets, tqd_route routes[TQD_DATASET_ROUTES]);

/* The handlers, one file each; private to this folder. */
extern const tqd_handler tqd_dataset_put_handler;
extern const tqd_handler tqd_dataset_list_handler;
extern const tqd_handler tqd_dataset_get_handler;
extern const tqd_handler tqd_dataset_content_handler;

#endif
