/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/group.c - group commit: a transaction is one pipeline, from BEGIN to
 * COMMIT in one go.
 *
 * The whole group is on its way before its first answer is read, so no lock waits for this process:
 * one that is stopped in between has its group finished by the server. COMMIT is acknowledged only
 * by its own answer. Where that is lost, or has a warning, the server is asked what became of the
 * transaction, and what remains unknown is BROKEN. */
#include "daemon/store/postgresql/group.h"

#include <stdio.h>
#include <string.h>

/* PIECE: its answers fit into the buffer of a socket, so that the server never waits for this
 * process while it holds the lock */
enum { PIECE = 128, RETRY_MS = 1000 };

/* What the server is. Numbers of transactions that were not on the disk yet are given anew after a
 * crash, and those that a replica did not have after its promotion: the number alone may mean the
 * transaction of another node. Each recovery ends with a checkpoint, each promotion with another
 * timeline; a checkpoint of every few minutes only makes an end unknown. */
#define SERVER "left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || c.checkpoint_lsn"

typedef struct piece {
    size_t n;
    tqd_write *writes[PIECE];
    unsigned n_statement[PIECE];
    bool is_rejected[PIECE]; /* it has failed alone, and has its status */
    char xid[32];            /* of the transaction, once its first answer is here */
    char server[64];         /* that it was given by */
    uint64_t n_commit;
    uint64_t n_warning; /* of the session before the commit */
    bool complete;      /* all answers of writes are here */
} piece;

typedef enum outcome {
    COMMITTED,
    REJECTED, /* one write failed, and is marked: the others, rolled back, can be tried again */
    FAILED,   /* all of them, for `status` */
    LOST,     /* the connection, with or without a commit */
} outcome;

static bool connect_again(tqd_writer *writer)
{
    char why[TQD_STORE_WHY];
    if (writer->session != NULL && tqd_session_is_good(writer->session)) {
        return true;
    }
    tqd_session_close(writer->session);
    writer->session = NULL;
    if (tqd_pg_clock_ms() < writer->retry_at_ms) {
        return false;
    }
    writer->session = tqd_session_open(writer->uri, why);
    writer->retry_at_ms = tqd_pg_clock_ms() + RETRY_MS;
    return writer->session != NULL;
}

/* --------------------------------------------------------------------------------- the pipeline */

/* The next result; a statement ends with a NULL, which is taken too. NULL: lost. */
static PGresult *next_result(tqd_session *session)
{
    PGresult *result = tqd_session_pump(session) ? PQgetResult(session->db) : NULL;
    if (result != NULL && PQresultStatus(result) != PGRES_PIPELINE_SYNC &&
        tqd_session_pump(session)) {
        PQclear(PQgetResult(session->db));
    }
    return result;
}

static bool send_all(PGconn *db, piece *p)
{
    static const char begin_sql[] = "BEGIN";
    static const char first_sql[] =
        "SELECT g.n_commit, g.xid, " SERVER " FROM pg_control_checkpoint() c, tqd_begin() g";
    bool good = PQenterPipelineMode(db) == 1 &&
                PQsendQueryParams(db, begin_sql, 0, NULL, NULL, NULL, NULL, 0) == 1 &&
                PQsendQueryParams(db, first_sql, 0, NULL, NULL, NULL, NULL, 0) == 1;
    for (size_t i = 0; good && i < p->n; i++) {
        p->n_statement[i] = p->is_rejected[i] ? 0 : tqd_write_send(db, p->writes[i]);
        good = p->is_rejected[i] || p->n_statement[i] != 0;
    }
    /* answers before the commit: if that one is lost, they are here */
    return good && PQsendFlushRequest(db) == 1 &&
           PQsendQueryParams(db, "COMMIT", 0, NULL, NULL, NULL, NULL, 0) == 1 &&
           PQpipelineSync(db) == 1;
}

/* BEGIN and its first statement. Their failure, such as a lock that was not had, is the group's. */
static outcome take_begin(tqd_session *session, piece *p, tqd_store_status *status)
{
    PGresult *result = next_result(session);
    const bool begun = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    result = begun ? next_result(session) : NULL;
    *status = result != NULL ? tqd_result_status(result) : TQD_STORE_BROKEN;
    if (*status == TQD_STORE_OK) {
        p->n_commit = (uint64_t)tqd_integer(result, 0, 0);
        tqd_text(result, 0, 1, p->xid, sizeof p->xid);
        tqd_text(result, 0, 2, p->server, sizeof p->server);
    }
    PQclear(result);
    return *status == TQD_STORE_OK ? COMMITTED : tqd_session_is_good(session) ? FAILED : LOST;
}

static outcome take_writes(tqd_session *session, piece *p)
{
    for (size_t i = 0; i < p->n; i++) {
        for (unsigned k = 0; k < p->n_statement[i]; k++) {
            p->n_warning = session->n_warning;
            PGresult *result = next_result(session);
            const tqd_store_status status =
                result != NULL ? tqd_result_status(result) : TQD_STORE_BROKEN;
            if (status == TQD_STORE_OK) {
                tqd_write_take(p->writes[i], result, k);
            }
            PQclear(result);
            if (result == NULL || !tqd_session_is_good(session)) {
                return LOST;
            }
            if (status != TQD_STORE_OK) {
                p->writes[i]->status = status;
                p->is_rejected[i] = true;
                return REJECTED;
            }
        }
    }
    p->complete = true;
    return COMMITTED;
}

/* Only the answer of COMMIT itself commits: a failed transaction answers it with ROLLBACK. With a
 * warning, an administrator has ended its wait for a replica: it may still be lost. */
static outcome take_commit(tqd_session *session, const piece *p, tqd_store_status *status)
{
    session->silence_ms = TQD_SILENCE_COMMIT_MS;
    PGresult *result = next_result(session);
    session->silence_ms = TQD_SILENCE_MS;
    *status = result != NULL ? tqd_result_status(result) : TQD_STORE_BROKEN;
    const bool good =
        *status == TQD_STORE_OK && strcmp(PQcmdStatus((PGresult *)result), "COMMIT") == 0;
    PQclear(result);
    *status = good ? TQD_STORE_OK : *status == TQD_STORE_OK ? TQD_STORE_BROKEN : *status;
    if (good) {
        return session->n_warning == p->n_warning ? COMMITTED : LOST;
    }
    return tqd_session_is_good(session) ? FAILED : LOST;
}

/* Takes the rest up to the end of the pipeline, and leaves it; false: the connection is of no more
 * use. */
static bool drain(tqd_session *session)
{
    PGconn *db = session->db;
    bool ended = false;
    while (!ended && tqd_session_is_good(session) && tqd_session_pump(session)) {
        PGresult *result = PQgetResult(db);
        ended = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        PQclear(result);
    }
    if (!ended || PQexitPipelineMode(db) != 1) {
        return false;
    }
    if (PQtransactionStatus(db) != PQTRANS_IDLE) {
        PQclear(tqd_query(session, "ROLLBACK", NULL));
    }
    tqd_session_drop_news(session);
    return PQtransactionStatus(db) == PQTRANS_IDLE;
}

static outcome attempt(tqd_writer *writer, piece *p, tqd_store_status *status)
{
    tqd_session *session = writer->session;
    p->xid[0] = '\0';
    p->complete = false;
    *status = TQD_STORE_BROKEN;
    if (!send_all(session->db, p)) {
        tqd_session_close(writer->session); /* nothing has begun that could be committed */
        writer->session = NULL;
        return FAILED;
    }
    outcome found = take_begin(session, p, status);
    found = found == COMMITTED ? take_writes(session, p) : found;
    found = found == COMMITTED ? take_commit(session, p, status) : found;
    /* a server that refuses writes has become a replica: the next connection looks for another */
    if (found == LOST || (found == FAILED && *status == TQD_STORE_BROKEN) || !drain(session)) {
        if (session->is_unanswered) { /* nor will it answer what became of the group */
            writer->retry_at_ms = tqd_pg_clock_ms() + RETRY_MS;
            *status = found == LOST ? TQD_STORE_BROKEN : *status;
            found = found == LOST ? FAILED : found;
        }
        tqd_session_close(session);
        writer->session = NULL;
    }
    return found;
}

/* ----------------------------------------------------------------------------- lost connections */

/* Whether a transaction whose commit was not answered is committed. The question is a group of its
 * own: it waits for the transaction's lock, so that one has ended, and its commit is durable, on
 * replicas as well, only after that of the other. */
static bool was_committed(tqd_writer *writer, const piece *p)
{
    static const char ask_sql[] = "SELECT pg_xact_status($1::xid8) = 'committed' AND " SERVER
                                  " = $2 FROM pg_control_checkpoint() c, tqd_begin()";
    tqd_parameters values = {.n = 0};
    tqd_bind(&values, "tt", p->xid, p->server);
    writer->retry_at_ms = 0;
    if (!connect_again(writer)) {
        return false;
    }
    tqd_session *session = writer->session;
    const uint64_t n_warning = session->n_warning;
    session->silence_ms = TQD_SILENCE_COMMIT_MS;
    PGresult *result = tqd_query(session, ask_sql, &values);
    session->silence_ms = TQD_SILENCE_MS;
    const bool known = tqd_result_status(result) == TQD_STORE_OK && tqd_truth(result, 0, 0) &&
                       session->n_warning == n_warning;
    PQclear(result);
    return known;
}

/* A node that is frozen or cut off while it sends a group holds the lock of all, and no timeout of
 * the server runs while that waits for the rest of a pipeline. Who did not get the lock ends such a
 * group: it is rolled back, and its node answers 503. True if there was one. */
static bool end_frozen(tqd_writer *writer)
{
    static const char end_sql[] =
        "SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a"
        " WHERE a.usename = current_user AND a.wait_event = 'ClientRead' AND a.state = 'active'"
        " AND a.state_change < clock_timestamp() - interval '5s'"
        " AND a.pid IN (SELECT pid FROM pg_locks WHERE relation = 'identity'::regclass AND granted"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
    if (!connect_again(writer)) {
        return false;
    }
    PGresult *result = tqd_query(writer->session, end_sql, NULL);
    const bool some = tqd_result_status(result) == TQD_STORE_OK && tqd_integer(result, 0, 0) > 0;
    PQclear(result);
    return some;
}

/* All others, sent or not: a status that a write had of a former attempt is void. */
static void fail_rest(piece *p, tqd_store_status status)
{
    for (size_t i = 0; i < p->n; i++) {
        if (!p->is_rejected[i]) {
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
        if (found == FAILED && status == TQD_STORE_BUSY && end_frozen(writer)) {
            found = REJECTED;
        }
    }
    if (found == LOST) {
        const bool known = p->complete && p->xid[0] != '\0' && was_committed(writer, p);
        found = known ? COMMITTED : FAILED;
        status = TQD_STORE_BROKEN;
    }
    if (found == COMMITTED) {
        writer->n_lost += p->n_commit <= writer->n_commit ? writer->n_commit - p->n_commit + 1 : 0;
        writer->n_commit = p->n_commit;
    } else {
        /* REJECTED: rolled back, and there is no connection for another attempt */
        fail_rest(p, found == FAILED ? status : TQD_STORE_BROKEN);
    }
}

void tqd_writer_run(tqd_writer *writer, tqd_write *list)
{
    while (list != NULL) {
        piece p = {.n = 0};
        for (; list != NULL && p.n < PIECE; list = list->next) {
            p.writes[p.n++] = list;
        }
        run_piece(writer, &p);
    }
}
