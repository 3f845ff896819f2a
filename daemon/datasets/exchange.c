/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/exchange.c - functions common to the handlers of this folder. */
#include "daemon/datasets/handlers_private.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/datasets/samples.h"
#include "daemon/key.h"
#include "daemon/robots/conditions.h"
#include "daemon/store/problem.h"

bool tqd_dataset_open_exchange(void *datasets, const tqd_head *head, void **ret_exchange,
                               tqd_reply *reply)
{
    tqd_dataset_exchange *e = calloc(1, sizeof *e);
    if (e == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    e->datasets = datasets;
    e->head = head;
    *ret_exchange = e;
    return true;
}

void tqd_dataset_give_reply(void *exchange, tqd_reply *reply)
{
    tqd_dataset_exchange *e = exchange;
    *reply = e->answer;
    e->answer.body = NULL;
}

void tqd_dataset_close_exchange(void *exchange)
{
    tqd_dataset_exchange *e = exchange;
    if (e->intake != NULL) {
        tqd_intake_close(e->intake);
    }
    tqd_file_close(e->file);
    free(e->window);
    free(e->answer.body);
    free(e);
}

void tqd_dataset_answer_problem(tqd_dataset_exchange *e, const tqa_problem *problem)
{
    tqd_answer_problem(&e->answer, e->head->request_id, problem);
}

void tqd_dataset_answer_status(tqd_dataset_exchange *e, tqd_store_status status)
{
    tqa_problem problem;
    if (status == TQD_STORE_NOT_FOUND) {
        tqa_problem_set(&problem, "not-found", "there is no dataset \"%.128s\"",
                        tqd_key_name(e->head->part[0]));
    } else {
        tqd_store_problem(status, &problem);
    }
    if (status == TQD_STORE_DAMAGED) {
        tqa_problem_fault(&problem, "", "restore it from a backup, or PUT the dataset once more",
                          "dataset \"%.128s\"", tqd_key_name(e->head->part[0]));
    }
    tqd_dataset_answer_problem(e, &problem);
}

void tqd_dataset_answer_owned(tqd_dataset_exchange *e, const char *owner)
{
    tqa_problem problem;
    tqd_store_owned("dataset", tqd_key_name(e->head->part[0]), owner, &problem);
    tqd_dataset_answer_problem(e, &problem);
}

void tqd_dataset_members(tqa_writer *document, const tqd_dataset_row *row)
{
    tqa_writer_string(document, "name", tqd_key_name(row->name));
    tqa_writer_string(document, "sha256", row->digest);
    tqa_writer_count(document, "bytes", row->size);
    tqa_writer_string(document, "media_type", row->media);
    tqd_document_time(document, "created", row->created_ms);
    tqd_document_text(document, "owner", row->owner);
}

void tqd_dataset_answer_row(tqd_dataset_exchange *e, int status, const tqd_dataset_row *row,
                            const char *summary, size_t n_summary)
{
    tqa_writer text = {.cbor = false};
    tqa_writer_object(&text, NULL);
    tqd_dataset_members(&text, row);
    if (tqd_sample_is_name(row->name)) {
        tqa_writer_flag(&text, "built_in", true);
    }
    tqa_writer_encoded_members(&text, summary, n_summary);
    tqa_writer_end(&text);
    if (!tqd_document_answer(&e->answer, e->head->request_id, status, &text)) {
        return;
    }
    tqd_answer_header(&e->answer, "ETag", "\"%s\"", row->digest);
    tqd_answer_header(&e->answer, "Cache-Control", "no-cache");
}

bool tqd_dataset_condition(tqd_dataset_exchange *e, const char *name, const char *current,
                           char tag[TQD_DIGEST_TEXT], const char **ret)
{
    const char *header = e->head->header(e->head, name);
    *ret = NULL;
    if (header == NULL) {
        return true;
    }
    if (!tqd_tags_reduce(header, current, strcmp(name, "If-None-Match") == 0, tag)) {
        tqa_problem problem;
        tqa_problem_set(&problem, "malformed", "%s takes * or a list of tags in quotes", name);
        tqd_dataset_answer_problem(e, &problem);
        return false;
    }
    *ret = tag;
    return true;
}
