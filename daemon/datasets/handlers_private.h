/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/handlers_private.h - types and functions common to the handlers of this folder.
 */
#ifndef TQD_DATASETS_HANDLERS_PRIVATE_H
#define TQD_DATASETS_HANDLERS_PRIVATE_H

#include "daemon/datasets/handlers.h"
#include "daemon/http/answer.h"
#include "daemon/http/document.h"

/* One request. `run` makes the answer, `reply` returns it. */
typedef struct tqd_dataset_exchange {
    tqd_datasets *datasets;
    const tqd_head *head;
    tqd_reply answer;
    tqd_intake *intake; /* PUT */
    /* a file being sent: a worker fills the window, the I/O thread sends it */
    tqd_file *file;
    uint64_t at, end; /* range of the file that is still to be read */
    char *window;
    size_t n_window, taken;
    bool failed; /* read error, or the stored bytes have changed */
} tqd_dataset_exchange;

bool tqd_dataset_open_exchange(void *datasets, const tqd_head *head, void **ret_exchange,
                               tqd_reply *reply);
void tqd_dataset_give_reply(void *exchange, tqd_reply *reply);
void tqd_dataset_close_exchange(void *exchange);

/* Fills the answer. */
void tqd_dataset_answer_problem(tqd_dataset_exchange *e, const tqa_problem *problem);
void tqd_dataset_answer_status(tqd_dataset_exchange *e, tqd_store_status status);

/* The dataset is another client's. */
void tqd_dataset_answer_owned(tqd_dataset_exchange *e, const char *owner);

/* name, sha256, bytes, media_type, created and owner, into the open object. */
void tqd_dataset_members(tqa_writer *document, const tqd_dataset_row *row);

/* 200 or 201 with the row and its summary. */
void tqd_dataset_answer_row(tqd_dataset_exchange *e, int status, const tqd_dataset_row *row,
                            const char *summary, size_t n_summary);

/* The entity tag of a conditional header, reduced against `current`. False with a problem as
 * answer. *ret is NULL without that header. */
bool tqd_dataset_condition(tqd_dataset_exchange *e, const char *name, const char *current,
                           char tag[TQD_DIGEST_TEXT], const char **ret);

#endif
