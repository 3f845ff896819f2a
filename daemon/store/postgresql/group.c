/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/group.c - group commit: a transaction is one pipeline, from BEGIN to
 * COMMIT in one go.
 *
 * The whole group is on its way before its first answer is read, so no lock waits for this process:
 * one that is stopped in between has its group finished by the server. COMMIT is acknowledged only
 * by its own answer. Where that is lost, the server is asked what became of the transaction
 * (pg_xact_status), and what remains unknown is BROKEN. */
#include "daemon/store/postgresql/group.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* PIECE: its answers fit into the buffer of a socket, so that the server never waits for this
 * process while it holds the lock */
enum { PIECE = 128, SILENCE_MS = 75000, RETRY_MS = 1000, ASKED_MAX = 20, ASK_MS = 100 };

typedef struct piece {
    size_t n;
    tqd_write *writes[PIECE];
    unsigned n_statement[PIECE]; /* 0: it has failed alone */
    char xid[32];                /* of the transaction, once its first answer is here */
    uint64_t n_commit;
    bool complete; /* all answers of writes are here */
} piece;

typedef enum outcome {
    COMMITTED,
    REJECTED, /* one write failed, and is marked: the others can be tried again */
    FAILED,   /* all of them, for `status` */
    LOST,     /* the connection, with or without a commit */
} outcome;

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool connect_again(tqd_writer *writer)
{
    char why[TQD_STORE_WHY];
    if (writer->session != NULL && PQstatus(writer->session->db) == CONNECTION_OK) {
        return true;
    }
    tqd_session_close(writer->session);
    writer->session = NULL;
    if (now_ms() < writer->retry_at_ms) {
        return false;
    }
    writer->session = tqd_session_open(writer->uri, why);
    writer->retry_at_ms = now_ms() + RETRY_MS;
    return writer->session != NULL;
}

/* --------------------------------------------------------------------------------- the pipeline */

/* Sends what is buffered and takes what comes, until a result can be read. False: lost. */
static bool pump(PGconn *db)
{
    for (;;) {
        const int left = PQflush(db);
        if (left < 0) {
            return false;
        }
        if (left == 0 && !PQisBusy(db)) {
            return true;
        }
        struct pollfd fd = {.fd = PQsocket(db),
                            .events = (short)(POLLIN | (left > 0 ? POLLOUT : 0))};
        if (poll(&fd, 1, SILENCE_MS) <= 0) {
            return false;
        }
        if ((fd.revents & (POLLIN | POLLERR | POLLHUP)) != 0 && PQconsumeInput(db) != 1) {
            return false;
        }
    }
}

/* The next result; a statement ends with a NULL, which is taken too. NULL: lost. */
static PGresult *next_result(PGconn *db)
{
    PGresult *result = pump(db) ? PQgetResult(db) : NULL;
    if (result != NULL && PQresultStatus(result) != PGRES_PIPELINE_SYNC && pump(db)) {
        PQclear(PQgetResult(db));
    }
    return result;
}

static bool send_all(PGconn *db, piece *p)
{
    static const char begin_sql[] = "BEGIN";
    static const char first_sql[] = "SELECT n_commit, xid FROM tqd_begin()";
    bool good = PQsetnonblocking(db, 1) == 0 && PQenterPipelineMode(db) == 1 &&
                PQsendQueryParams(db, begin_sql, 0, NULL, NULL, NULL, NULL, 0) == 1 &&
                PQsendQueryParams(db, first_sql, 0, NULL, NULL, NULL, NULL, 0) == 1;
    for (size_t i = 0; good && i < p->n; i++) {
        if (p->n_statement[i] != 0) {
            p->n_statement[i] = tqd_write_send(db, p->writes[i]);
            good = p->n_statement[i] != 0;
        }
    }
    /* answers before the commit: if that one is lost, they are here */
    return good && PQsendFlushRequest(db) == 1 &&
           PQsendQueryParams(db, "COMMIT", 0, NULL, NULL, NULL, NULL, 0) == 1 &&
           PQpipelineSync(db) == 1;
}

/* BEGIN and its first statement. Their failure, such as a lock that was not had, is the group's. */
static outcome take_begin(PGconn *db, piece *p, tqd_store_status *status)
{
    PGresult *result = next_result(db);
    const bool begun = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    result = begun ? next_result(db) : NULL;
    *status = result != NULL ? tqd_result_status(result) : TQD_STORE_BROKEN;
    if (*status == TQD_STORE_OK) {
        p->n_commit = (uint64_t)tqd_integer(result, 0, 0);
        tqd_text(result, 0, 1, p->xid, sizeof p->xid);
    }
    PQclear(result);
    return *status == TQD_STORE_OK ? COMMITTED : PQstatus(db) != CONNECTION_OK ? LOST : FAILED;
}

static outcome take_writes(PGconn *db, piece *p)
{
    for (size_t i = 0; i < p->n; i++) {
        for (unsigned k = 0; k < p->n_statement[i]; k++) {
            PGresult *result = next_result(db);
            const tqd_store_status status =
                result != NULL ? tqd_result_status(result) : TQD_STORE_BROKEN;
            if (status == TQD_STORE_OK) {
                tqd_write_take(p->writes[i], result, k);
            }
            PQclear(result);
            if (PQstatus(db) != CONNECTION_OK || result == NULL) {
                return LOST;
            }
            if (status != TQD_STORE_OK) {
                p->writes[i]->status = status;
                p->n_statement[i] = 0;
                return REJECTED;
            }
        }
    }
    p->complete = true;
    return COMMITTED;
}

/* Only the answer of COMMIT itself commits: a failed transaction answers it with ROLLBACK. */
static outcome take_commit(PGconn *db, tqd_store_status *status)
{
    PGresult *result = next_result(db);
    *status = result != NULL ? tqd_result_status(result) : TQD_STORE_BROKEN;
    const bool good =
        *status == TQD_STORE_OK && strcmp(PQcmdStatus((PGresult *)result), "COMMIT") == 0;
    PQclear(result);
    *status = good ? TQD_STORE_OK : *status == TQD_STORE_OK ? TQD_STORE_BROKEN : *status;
    return good ? COMMITTED : PQstatus(db) != CONNECTION_OK ? LOST : FAILED;
}

/* Takes the rest up to the end of the pipeline, and leaves it; false: the connection is of no more
 * use. */
static bool drain(PGconn *db)
{
    bool ended = false;
    while (!ended && pump(db)) {
        PGresult *result = PQgetResult(db);
        ended = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        if (PQstatus(db) != CONNECTION_OK) {
            PQclear(result);
            return false;
        }
        PQclear(result);
    }
    if (!ended || PQexitPipelineMode(db) != 1 || PQsetnonblocking(db, 0) != 0) {
        return false;
    }
    if (PQtransactionStatus(db) != PQTRANS_IDLE) {
        PQclear(PQexec(db, "ROLLBACK"));
    }
    return PQtransactionStatus(db) == PQTRANS_IDLE;
}

static outcome attempt(tqd_writer *writer, piece *p, tqd_store_status *status)
{
    PGconn *db = writer->session->db;
    p->xid[0] = '\0';
    p->complete = false;
    *status = TQD_STORE_BROKEN;
    if (!send_all(db, p)) {
        tqd_session_close(writer->session); /* nothing has begun that could be committed */
        writer->session = NULL;
        return FAILED;
    }
    outcome found = take_begin(db, p, status);
    found = found == COMMITTED ? take_writes(db, p) : found;
    found = found == COMMITTED ? take_commit(db, status) : found;
    if (found == LOST || !drain(db)) {
        tqd_session_close(writer->session);
        writer->session = NULL;
    }
    return found;
}

/* ----------------------------------------------------------------------------- lost connections */

/* What became of a transaction whose commit was not answered. */
static bool was_committed(tqd_writer *writer, const char *xid)
{
    char state[16] = "in progress";
    tqd_parameters p = {.n = 0};
    const struct timespec pause = {.tv_nsec = ASK_MS * 1000000L};
    tqd_bind(&p, "t", xid);
    writer->retry_at_ms = 0;
    for (int i = 0; i < ASKED_MAX && strcmp(state, "in progress") == 0; i++) {
        if (!connect_again(writer)) {
            return false;
        }
        PGresult *result = tqd_query(writer->session, "SELECT pg_xact_status($1::xid8)", &p);
        state[0] = '\0';
        if (tqd_result_status(result) == TQD_STORE_OK) {
            tqd_text(result, 0, 0, state, sizeof state);
        }
        PQclear(result);
        if (strcmp(state, "in progress") == 0) {
            nanosleep(&pause, NULL); /* the server has not noticed yet */
        }
    }
    return strcmp(state, "committed") == 0;
}

static void fail_rest(piece *p, tqd_store_status status)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->n_statement[i] != 0) {
            p->writes[i]->status = status;
        }
    }
}

static void run_piece(tqd_writer *writer, piece *p)
{
    outcome found = REJECTED;
    tqd_store_status status = TQD_STORE_BROKEN;
    while (found == REJECTED) {
        if (!connect_again(writer)) {
            break;
        }
        found = attempt(writer, p, &status);
    }
    if (found == LOST) {
        const bool known = p->complete && p->xid[0] != '\0' && was_committed(writer, p->xid);
        found = known ? COMMITTED : FAILED;
        status = TQD_STORE_BROKEN;
    }
    if (found == COMMITTED) {
        writer->n_commit = p->n_commit;
    } else {
        fail_rest(p, status);
    }
}

void tqd_writer_run(tqd_writer *writer, tqd_write *list)
{
    while (list != NULL) {
        piece p = {.n = 0};
        for (; list != NULL && p.n < PIECE; list = list->next) {
            p.n_statement[p.n] = 1;
            p.writes[p.n++] = list;
        }
        run_piece(writer, &p);
    }
}
