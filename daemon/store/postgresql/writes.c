/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/writes.c - each write as calls of the functions in the steps of the
 * schema, and what their rows say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/postgresql/postgresql.h"
#include "daemon/store/problem.h"

#define JOB TQD_JOB_LIST("(j).")
static const char submit_sql[] =
    "SELECT status, repeated, queue_full, client_full, own_full, own_jobs, own_bytes,"
    " client_bytes_full, " JOB " FROM tqd_submit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,"
    " $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)";
static const char claim_sql[] = "SELECT status, " JOB " FROM tqd_claim($1, $2)";
static const char claim_other_sql[] = "SELECT status, " JOB " FROM tqd_claim_other($1, $2, $3)";
static const char beat_sql[] = "SELECT status, cancel FROM tqd_beat($1, $2, $3, $4, $5, $6)";
static const char checkpoint_sql[] = "SELECT tqd_checkpoint($1, $2, $3, $4, $5, $6, $7, $8)";
static const char finish_sql[] = "SELECT tqd_finish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
static const char attach_sql[] = "SELECT tqd_attach($1, $2, $3, $4, $5, $6, $7)";
static const char release_sql[] = "SELECT tqd_release($1, $2)";
static const char cancel_sql[] = "SELECT status, " JOB " FROM tqd_cancel($1, $2)";
static const char delete_sql[] = "SELECT status, whose FROM tqd_delete($1, $2)";
static const char keep_sql[] = "SELECT tqd_keep($1)";
static const char expire_sql[] =
    "SELECT status, n_job FROM tqd_expire($1, $2, $3, $4, $5, $6, $7, $8)";
static const char retain_sql[] = "SELECT status, n_job FROM tqd_retain($1, $2, $3, $4)";
static const char purge_sql[] =
    "SELECT status, n_job, last_seq FROM tqd_purge($1, $2, $3, $4, $5, $6, $7, $8, $9)";
static const char robot_put_sql[] =
    "SELECT status, whose, replaced"
    " FROM tqd_robot_put($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
static const char robot_delete_sql[] = "SELECT status, whose FROM tqd_robot_delete($1, $2, $3)";
static const char dataset_put_sql[] =
    "SELECT status, whose, replaced, own_bytes"
    " FROM tqd_dataset_put($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
static const char dataset_delete_sql[] =
    "SELECT status, whose, replaced FROM tqd_dataset_delete($1, $2, $3)";
static const char drain_sql[] = "SELECT tqd_node_drain($1, $2)";
static const char garbage_sql[] = "SELECT tqd_garbage_drop($1)";

/* -------------------------------------------------------------------------------------- sending */

static bool send(PGconn *db, const char *text, const tqd_parameters *p)
{
    return PQsendQueryParams(db, text, p->n, NULL, p->values, p->lengths, p->formats, 0) == 1;
}

/* media, size, file, bytes; all NULL where there is no body */
static void bind_body(tqd_parameters *p, const tqd_body *body)
{
    const bool inlined = body->bytes != NULL;
    tqd_bind(p, "titb", body->media, (int64_t)body->size, inlined ? NULL : body->file, body->bytes,
             inlined ? (size_t)body->size : (size_t)0);
}

/* The names as an array literal, each in quotation marks; NULL when memory is short. */
static char *array_of(const char *names)
{
    size_t n = 3;
    for (const char *name = names; name != NULL && name[0] != '\0'; name += strlen(name) + 1) {
        n += 2 * strlen(name) + 3;
    }
    char *text = malloc(n);
    char *at = text;
    if (text == NULL) {
        return NULL;
    }
    *at++ = '{';
    for (const char *name = names; name != NULL && name[0] != '\0'; name += strlen(name) + 1) {
        if (name != names) {
            *at++ = ',';
        }
        *at++ = '"';
        for (const char *c = name; *c != '\0'; c++) {
            if (*c == '"' || *c == '\\') {
                *at++ = '\\';
            }
            *at++ = *c;
        }
        *at++ = '"';
    }
    *at++ = '}';
    *at = '\0';
    return text;
}

static bool send_submit(PGconn *db, const tqd_job_submit *w)
{
    static const tqd_robot_row no_robot = {.name = ""};
    const tqd_robot_row *robot = w->builtin != NULL ? w->builtin : &no_robot;
    char *inputs = array_of(w->inputs);
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "tttttoiitt", w->id, w->kind, w->robot, w->robot_digest, w->client, (int)w->waited,
             (int64_t)w->priority, w->deadline_ms, w->key, w->digest);
    bind_body(&p, &w->request);
    tqd_bind(&p, "tttiibtiiitiii", w->builtin != NULL ? robot->digest : NULL, robot->media,
             robot->source, (int64_t)robot->nv, (int64_t)robot->size, w->builtin_bytes,
             (size_t)robot->size, inputs, (int64_t)w->queued_max, (int64_t)w->bytes_max,
             (int64_t)w->client_queued_max, w->trace != NULL ? w->trace : "",
             (int64_t)w->own_jobs_max, (int64_t)w->own_bytes_max, (int64_t)w->client_bytes_max);
    const bool good = inputs != NULL && send(db, submit_sql, &p);
    free(inputs);
    return good;
}

static unsigned send_finish(PGconn *db, const tqd_job_finish *w)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "tii", w->id, (int64_t)w->fence, (int64_t)w->state);
    bind_body(&p, &w->result);
    bind_body(&p, &w->problem);
    bool good = send(db, finish_sql, &p);
    for (size_t i = 0; good && i < w->n_attachment; i++) {
        p.n = 0;
        tqd_bind(&p, "tit", w->id, (int64_t)w->fence, w->attachments[i].name);
        bind_body(&p, &w->attachments[i].body);
        good = send(db, attach_sql, &p);
    }
    return good ? 1 + (unsigned)w->n_attachment : 0;
}

static bool send_expire(PGconn *db, const tqd_job_expire *w)
{
    tqd_parameters p = {.n = 0};
    char late[TQD_JOB_END_TEXT], crashed[TQD_JOB_END_TEXT], interrupted[TQD_JOB_END_TEXT];
    const size_t n_late = tqd_job_end_print(TQD_JOB_END_LATE, late);
    const size_t n_crashed = tqd_job_end_print(TQD_JOB_END_CRASHED, crashed);
    const size_t n_interrupted = tqd_job_end_print(TQD_JOB_END_INTERRUPTED, interrupted);
    tqd_bind(&p, "ttiiibbb", w->node, w->blamed, (int64_t)w->crashes_max,
             (int64_t)w->interruptions_max, (int64_t)w->limit, late, n_late, crashed, n_crashed,
             interrupted, n_interrupted);
    return send(db, expire_sql, &p);
}

/* tqd_purge takes as states only those of finished jobs */
static bool send_purge(PGconn *db, const tqd_job_purge *w)
{
    const tqd_job_filter *filter = &w->filter;
    const unsigned states =
        filter->states != 0 ? filter->states & TQD_JOBS_FINISHED : (unsigned)TQD_JOBS_FINISHED;
    tqd_parameters p = {.n = 0};
    char prefix[TQD_JOB_CLIENT_TEXT];
    tqd_bind(&p, "ittiiiitt", (int64_t)states, filter->kind, filter->robot, filter->newer_ms,
             filter->older_ms, filter->before_seq != 0 ? (int64_t)filter->before_seq : INT64_MAX,
             (int64_t)filter->limit, filter->by, tqd_job_filter_prefix(filter, prefix));
    return send(db, purge_sql, &p);
}

static bool send_job(PGconn *db, const tqd_write *write)
{
    tqd_parameters p = {.n = 0};
    const tqd_job_claim *claim = (const tqd_job_claim *)write;
    const tqd_job_beat *beat = (const tqd_job_beat *)write;
    const tqd_job_checkpoint *checkpoint = (const tqd_job_checkpoint *)write;
    const tqd_job_retain *retain = (const tqd_job_retain *)write;
    switch ((int)write->kind) {
    case TQD_WRITE_JOB_CLAIM:
        tqd_bind(&p, "ti", claim->node, claim->lease_ms);
        if (claim->not_of == NULL) {
            return send(db, claim_sql, &p);
        }
        tqd_bind(&p, "t", claim->not_of);
        return send(db, claim_other_sql, &p);
    case TQD_WRITE_JOB_BEAT:
        tqd_bind(&p, "tiiddt", beat->id, (int64_t)beat->fence, beat->lease_ms, beat->fraction,
                 beat->eta_s, beat->step);
        return send(db, beat_sql, &p);
    case TQD_WRITE_JOB_CHECKPOINT:
        tqd_bind(&p, "tii", checkpoint->id, (int64_t)checkpoint->fence, checkpoint->lease_ms);
        bind_body(&p, &checkpoint->body);
        tqd_bind(&p, "i", (int64_t)checkpoint->bytes_max);
        return send(db, checkpoint_sql, &p);
    case TQD_WRITE_JOB_RELEASE:
        tqd_bind(&p, "ti", ((const tqd_job_release *)write)->id,
                 (int64_t)((const tqd_job_release *)write)->fence);
        return send(db, release_sql, &p);
    case TQD_WRITE_JOB_CANCEL:
        tqd_bind(&p, "tt", ((const tqd_job_cancel *)write)->id,
                 ((const tqd_job_cancel *)write)->by);
        return send(db, cancel_sql, &p);
    case TQD_WRITE_JOB_DELETE:
        tqd_bind(&p, "tt", ((const tqd_job_delete *)write)->id,
                 ((const tqd_job_delete *)write)->by);
        return send(db, delete_sql, &p);
    case TQD_WRITE_JOB_KEEP:
        tqd_bind(&p, "t", ((const tqd_job_keep *)write)->id);
        return send(db, keep_sql, &p);
    case TQD_WRITE_NODE_DRAIN:
        tqd_bind(&p, "to", ((const tqd_node_drain *)write)->name,
                 (int)((const tqd_node_drain *)write)->drained);
        return send(db, drain_sql, &p);
    default:
        tqd_bind(&p, "iiii", retain->age_ms, retain->age_waited_ms,
                 retain->bytes_max > INT64_MAX ? INT64_MAX : (int64_t)retain->bytes_max,
                 (int64_t)retain->limit);
        return send(db, retain_sql, &p);
    }
}

static bool send_name(PGconn *db, const tqd_write *write)
{
    tqd_parameters p = {.n = 0};
    const tqd_robot_put *robot = (const tqd_robot_put *)write;
    const tqd_robot_delete *gone = (const tqd_robot_delete *)write;
    const tqd_dataset_put *data = (const tqd_dataset_put *)write;
    const tqd_dataset_delete *data_gone = (const tqd_dataset_delete *)write;
    switch ((int)write->kind) {
    case TQD_WRITE_ROBOT_PUT:
        tqd_bind(&p, "ttttibttiiitt", robot->row->name, robot->row->digest, robot->row->media,
                 robot->row->source, (int64_t)robot->row->nv, robot->bytes, robot->n_byte,
                 robot->if_match, robot->if_none_match, (int64_t)robot->robots_max,
                 (int64_t)robot->bytes_max, (int64_t)TQD_ROBOT_VERSIONS, robot->row->owner,
                 robot->by);
        return send(db, robot_put_sql, &p);
    case TQD_WRITE_ROBOT_DELETE:
        tqd_bind(&p, "ttt", gone->name, gone->if_match, gone->by);
        return send(db, robot_delete_sql, &p);
    case TQD_WRITE_DATASET_PUT:
        tqd_bind(&p, "tttiiibttitti", data->row->name, data->row->digest, data->row->media,
                 (int64_t)data->row->size, (int64_t)data->row->n_row, (int64_t)data->row->n_column,
                 data->summary, data->n_summary, data->if_match, data->if_none_match,
                 (int64_t)data->datasets_max, data->row->owner, data->by,
                 (int64_t)data->own_bytes_max);
        return send(db, dataset_put_sql, &p);
    case TQD_WRITE_DATASET_DELETE:
        tqd_bind(&p, "ttt", data_gone->name, data_gone->if_match, data_gone->by);
        return send(db, dataset_delete_sql, &p);
    default:
        tqd_bind(&p, "i", ((const tqd_garbage_drop *)write)->last_seq);
        return send(db, garbage_sql, &p);
    }
}

static bool send_part(PGconn *db, const tqd_write *write)
{
    tqd_parameters p = {.n = 0};
    const char *text = tqd_part_bind(write, &p);
    return send(db, text, &p);
}

unsigned tqd_write_send(PGconn *db, const tqd_write *write)
{
    switch ((int)write->kind) {
    case TQD_WRITE_JOB_SUBMIT:
        return send_submit(db, (const tqd_job_submit *)write);
    case TQD_WRITE_JOB_FINISH:
        return send_finish(db, (const tqd_job_finish *)write);
    case TQD_WRITE_JOB_EXPIRE:
        return send_expire(db, (const tqd_job_expire *)write);
    case TQD_WRITE_JOB_PURGE:
        return send_purge(db, (const tqd_job_purge *)write);
    case TQD_WRITE_ROBOT_PUT:
    case TQD_WRITE_ROBOT_DELETE:
    case TQD_WRITE_DATASET_PUT:
    case TQD_WRITE_DATASET_DELETE:
    case TQD_WRITE_GARBAGE_DROP:
        return send_name(db, write);
    case TQD_WRITE_PART_OPEN:
    case TQD_WRITE_PART_CLAIM:
    case TQD_WRITE_PART_BEAT:
    case TQD_WRITE_PART_END:
    case TQD_WRITE_PART_DROP:
        return send_part(db, write);
    default:
        return send_job(db, write);
    }
}

/* --------------------------------------------------------------------------------------- taking */

static void take_submit(tqd_job_submit *w, const PGresult *result)
{
    w->repeated = tqd_truth(result, 0, 1);
    w->queue_full = tqd_truth(result, 0, 2);
    w->client_full = tqd_truth(result, 0, 3);
    w->own_full = tqd_truth(result, 0, 4);
    w->own_jobs = (uint64_t)tqd_integer(result, 0, 5);
    w->own_bytes = (uint64_t)tqd_integer(result, 0, 6);
    w->client_bytes_full = tqd_truth(result, 0, 7);
    if (w->write.status == TQD_STORE_OK) {
        tqd_job_read(result, 0, 8, &w->job);
    }
}

static void take_name(tqd_write *write, const PGresult *result)
{
    tqd_robot_put *robot = (tqd_robot_put *)write;
    tqd_dataset_put *data = (tqd_dataset_put *)write;
    char *owner = robot->owner;
    if (write->kind == TQD_WRITE_ROBOT_PUT) {
        tqd_text(result, 0, 2, robot->replaced, sizeof robot->replaced);
        robot->created = robot->replaced[0] == '\0';
    } else if (write->kind == TQD_WRITE_DATASET_PUT) {
        tqd_text(result, 0, 2, data->replaced, sizeof data->replaced);
        data->created = data->replaced[0] == '\0';
        data->own_full = !PQgetisnull(result, 0, 3);
        data->own_bytes = (uint64_t)tqd_integer(result, 0, 3);
        owner = data->owner;
    } else if (write->kind == TQD_WRITE_DATASET_DELETE) {
        tqd_dataset_delete *gone = (tqd_dataset_delete *)write;
        tqd_text(result, 0, 2, gone->replaced, sizeof gone->replaced);
        owner = gone->owner;
    } else {
        owner = write->kind == TQD_WRITE_ROBOT_DELETE ? ((tqd_robot_delete *)write)->owner
                                                      : ((tqd_job_delete *)write)->owner;
    }
    tqd_text(result, 0, 1, owner, TQD_OWNER_TEXT);
}

static void take_bulk(tqd_write *write, const PGresult *result)
{
    const uint32_t n = (uint32_t)tqd_integer(result, 0, 1);
    if (write->kind == TQD_WRITE_JOB_EXPIRE) {
        ((tqd_job_expire *)write)->n_job = n;
    } else if (write->kind == TQD_WRITE_JOB_RETAIN) {
        ((tqd_job_retain *)write)->n_job = n;
    } else {
        ((tqd_job_purge *)write)->n_job = n;
        if (n > 0) {
            ((tqd_job_purge *)write)->last_seq = (uint64_t)tqd_integer(result, 0, 2);
        }
    }
}

void tqd_write_take(tqd_write *write, const PGresult *result, unsigned statement)
{
    if (statement > 0) {
        return; /* an attachment follows its tqd_finish: stored or refused with it */
    }
    write->status = (tqd_store_status)tqd_integer(result, 0, 0);
    const bool good = write->status == TQD_STORE_OK;
    switch ((int)write->kind) {
    case TQD_WRITE_JOB_SUBMIT:
        take_submit((tqd_job_submit *)write, result);
        break;
    case TQD_WRITE_JOB_CLAIM:
        if (good) {
            tqd_job_read(result, 0, 1, &((tqd_job_claim *)write)->job);
        }
        break;
    case TQD_WRITE_JOB_BEAT:
        ((tqd_job_beat *)write)->cancel_asked = tqd_truth(result, 0, 1);
        break;
    case TQD_WRITE_JOB_CANCEL:
        if (write->status != TQD_STORE_NOT_FOUND) {
            tqd_job_read(result, 0, 1, &((tqd_job_cancel *)write)->job);
        }
        break;
    case TQD_WRITE_JOB_EXPIRE:
    case TQD_WRITE_JOB_RETAIN:
    case TQD_WRITE_JOB_PURGE:
        take_bulk(write, result);
        break;
    case TQD_WRITE_ROBOT_PUT:
    case TQD_WRITE_ROBOT_DELETE:
    case TQD_WRITE_JOB_DELETE:
    case TQD_WRITE_DATASET_PUT:
    case TQD_WRITE_DATASET_DELETE:
        take_name(write, result);
        break;
    case TQD_WRITE_PART_CLAIM:
        tqd_part_take(write, result);
        break;
    default:
        break;
    }
}
