/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/exchange.h - what the handlers of this folder have in common; private to it. */
#ifndef TQD_DATASETS_EXCHANGE_H
#define TQD_DATASETS_EXCHANGE_H

#include "daemon/datasets/handlers.h"
#include "daemon/http/answer.h"

/* One request. What it answers with is made in `run` and handed over in `reply`. */
typedef struct tqd_dataset_exchange {
    tqd_datasets *datasets;
    const tqd_head *head;
    tqd_reply answer;
    tqd_intake *intake; /* PUT */
    /* a file on its way out: a worker fills the window, the I/O thread empties it */
    tqd_file *file;
    uint64_t at, end; /* bytes of the file not read yet */
    char *window;
    size_t n_window, taken;
    bool failed; /* the rest cannot be read, or is not what was stored */
} tqd_dataset_exchange;

bool tqd_dataset_open_exchange(void *datasets, const tqd_head *head, void **ret_exchange,
                               tqd_reply *reply);
tqd_next tqd_dataset_always_run(void *exchange);
void tqd_dataset_give_reply(void *exchange, tqd_reply *reply);
void tqd_dataset_close_exchange(void *exchange);

/* Fills the answer. */
void tqd_dataset_answer_problem(tqd_dataset_exchange *e, const tqa_problem *problem);
void tqd_dataset_answer_status(tqd_dataset_exchange *e, tqd_store_status status);

enum { TQD_DATASET_ROW_BYTES = 640 };
/* {"name":...,"sha256":...,"bytes":...,"media_type":...,"created":... and no closing brace */
size_t tqd_dataset_print(const tqd_dataset_row *row, char out[TQD_DATASET_ROW_BYTES]);

/* 200 or 201 with the row and its summary. */
void tqd_dataset_answer_row(tqd_dataset_exchange *e, int status, const tqd_dataset_row *row,
                            const char *summary, size_t n_summary);

/* The entity tag that a condition's header asks for, reduced against `current`. False with a
 * problem answered. *ret is NULL when there is no such header. */
bool tqd_dataset_condition(tqd_dataset_exchange *e, const char *name, const char *current,
                           char tag[TQD_DIGEST_TEXT], const char **ret);

#endif
