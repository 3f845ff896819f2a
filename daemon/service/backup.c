/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/service/backup.c - POST /v1/backup: the whole store as one archive. */
#include "daemon/service/backup.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/answer.h"
#include "daemon/http/bearer.h"
#include "daemon/store/archive/backup.h"
#include "daemon/store/problem.h"

enum { WINDOW = 256 << 10 };

typedef struct exchange {
    tqd_store *store;
    const tqd_head *head;
    tqd_backup *backup;
    tqd_reply answer;
    char *window;
    size_t n_window, taken;
    uint64_t left; /* bytes of the archive not read yet */
} exchange;

/* A backup copies the database, and no file may be removed meanwhile: one backup at a time. */
static _Atomic bool is_taken;

static bool open_backup(void *ctx, const tqd_head *head, void **ret_exchange, tqd_reply *reply)
{
    exchange *e = calloc(1, sizeof *e);
    if (e == NULL) {
        tqd_answer_no_memory(reply, head->request_id);
        return false;
    }
    if (atomic_exchange(&is_taken, true)) {
        tqa_problem problem;
        tqa_problem_set(&problem, "too-many-requests", "a backup is being taken: one at a time");
        problem.retry_after_s = 30;
        tqd_answer_problem(reply, head->request_id, &problem);
        free(e);
        return false;
    }
    e->store = ctx;
    e->head = head;
    *ret_exchange = e;
    return true;
}

static void fill_window(exchange *e)
{
    const long n = tqd_backup_read(e->backup, e->window, WINDOW);
    /* a read error closes the connection: the client receives fewer bytes than Content-Length */
    e->n_window = n > 0 ? (size_t)n : 0;
    e->left -= e->n_window;
    e->taken = 0;
    if (e->left == 0) {
        /* closed here on a worker, since it may block on the disk */
        tqd_backup_close(e->backup);
        e->backup = NULL;
    }
}

static size_t read_window(void *arg, char *out, size_t size)
{
    exchange *e = arg;
    if (e->taken == e->n_window) {
        return e->left == 0 || e->n_window == 0 ? 0 : TQD_READ_RUN;
    }
    const size_t rest = e->n_window - e->taken;
    const size_t n = rest < size ? rest : size;
    memcpy(out, e->window + e->taken, n);
    e->taken += n;
    return n;
}

static void run_backup(void *arg)
{
    exchange *e = arg;
    if (e->backup != NULL) {
        fill_window(e);
        return;
    }
    tqd_store_status status = TQD_STORE_NO_MEMORY;
    e->window = malloc(WINDOW);
    e->backup = e->window != NULL ? tqd_backup_open(e->store, &status) : NULL;
    if (e->backup == NULL) {
        tqa_problem problem;
        tqd_store_problem(status, &problem);
        tqd_answer_problem(&e->answer, e->head->request_id, &problem);
        return;
    }
    e->left = tqd_backup_size(e->backup);
    e->answer.status = 200;
    e->answer.media = "application/x-tar";
    e->answer.n_body = (size_t)e->left;
    e->answer.read = read_window;
    tqd_answer_header(&e->answer, "Content-Disposition", "attachment; filename=\"torqued.tar\"");
    fill_window(e);
}

static void reply_backup(void *arg, tqd_reply *reply)
{
    exchange *e = arg;
    *reply = e->answer;
    e->answer.body = NULL;
}

static void close_backup(void *arg)
{
    exchange *e = arg;
    tqd_backup_close(e->backup);
    atomic_store(&is_taken, false);
    free(e->answer.body);
    free(e->window);
    free(e);
}

const tqd_handler tqd_backup_handler = {
    .role = TQD_ROLE_ADMIN,
    .open = open_backup,
    .finish = tqd_always_run,
    .run = run_backup,
    .reply = reply_backup,
    .close = close_backup,
};
