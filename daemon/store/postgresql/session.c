/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/session.c - one connection: its settings, values and errors. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store/postgresql/postgresql.h"

/* Before the URI, which may say otherwise. A dead host is noticed after about 10 s: bytes that are
 * not acknowledged for 5 s, or three probes of a silent connection. Nothing is set by SET: a pooler
 * in transaction mode would give it to somebody else. */
static const char *const names[] = {"connect_timeout",  "tcp_user_timeout",
                                    "keepalives_idle",  "keepalives_interval",
                                    "keepalives_count", "client_encoding",
                                    "application_name", "target_session_attrs",
                                    "dbname",           NULL};

/* The server's notices and warnings: libpq would print them. */
static void count_notice(void *ctx, const PGresult *result)
{
    const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity != NULL && strcmp(severity, "WARNING") == 0) {
        ((tqd_session *)ctx)->n_warning++;
    }
}

tqd_session *tqd_session_open(const char *uri, char why[TQD_STORE_WHY])
{
    const char *const values[] = {"3",    "5000",    "5",          "2", "3",
                                  "UTF8", "torqued", "read-write", uri, NULL};
    tqd_session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        snprintf(why, TQD_STORE_WHY, "memory is short");
        return NULL;
    }
    session->uri = uri;
    session->silence_ms = TQD_SILENCE_MS;
    session->db = PQconnectdbParams(names, values, 1);
    (void)PQsetNoticeReceiver(session->db, count_notice, session);
    /* nothing is waited for but in tqd_session_pump, not even by PQfinish */
    if (PQstatus(session->db) != CONNECTION_OK || PQsetnonblocking(session->db, 1) != 0) {
        const char *reason = PQerrorMessage(session->db);
        snprintf(why, TQD_STORE_WHY, "PostgreSQL: %.*s", (int)strcspn(reason, "\n"), reason);
        tqd_session_close(session);
        return NULL;
    }
    return session;
}

void tqd_session_close(tqd_session *session)
{
    if (session != NULL) {
        PQfinish(session->db);
        free(session);
    }
}

bool tqd_session_is_good(const tqd_session *session)
{
    return !session->is_lost && PQstatus(session->db) == CONNECTION_OK;
}

/* ----------------------------------------------------------------------------------- statements */

static void bind_one(tqd_parameters *p, char letter, va_list *arguments)
{
    const int i = p->n++;
    char *number = p->numbers[i];
    assert(i < TQD_PARAMETERS);
    p->lengths[i] = 0;
    p->formats[i] = 0;
    p->values[i] = number;
    switch (letter) {
    case 't':
        p->values[i] = va_arg(*arguments, const char *);
        break;
    case 'i':
        snprintf(number, sizeof p->numbers[i], "%" PRId64, va_arg(*arguments, int64_t));
        break;
    case 'd':
        snprintf(number, sizeof p->numbers[i], "%.17g", va_arg(*arguments, double));
        break;
    case 'o':
        snprintf(number, sizeof p->numbers[i], "%s", va_arg(*arguments, int) != 0 ? "t" : "f");
        break;
    case 'b':
        p->values[i] = va_arg(*arguments, const char *);
        p->lengths[i] = (int)va_arg(*arguments, size_t);
        p->formats[i] = 1;
        break;
    default:
        assert(false); /* unknown letter */
    }
}

void tqd_bind(tqd_parameters *parameters, const char *letters, ...)
{
    va_list arguments;
    va_start(arguments, letters);
    for (; *letters != '\0'; letters++) {
        bind_one(parameters, *letters, &arguments);
    }
    va_end(arguments);
}

/* SQLSTATE: class 53 is a lack of resources, 55P03 a lock that was not had in time. */
tqd_store_status tqd_result_status(const PGresult *result)
{
    const ExecStatusType status = PQresultStatus(result);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_SINGLE_TUPLE) {
        return TQD_STORE_OK;
    }
    return state == NULL                     ? TQD_STORE_BROKEN
           : strcmp(state, "53100") == 0     ? TQD_STORE_NO_SPACE
           : strcmp(state, "53200") == 0     ? TQD_STORE_NO_MEMORY
           : strcmp(state, "55P03") == 0     ? TQD_STORE_BUSY
           : strncmp(state, "XX001", 5) == 0 ? TQD_STORE_DAMAGED
                                             : TQD_STORE_BROKEN;
}

/* -------------------------------------------------------------------------------------- columns */

int64_t tqd_integer(const PGresult *result, int row, int column)
{
    return strtoll(PQgetvalue(result, row, column), NULL, 10);
}

/* float8send: \x, then the 16 hexadecimal digits of its bits; exact in every locale */
double tqd_real(const PGresult *result, int row, int column)
{
    const char *text = PQgetvalue(result, row, column);
    const uint64_t bits = strlen(text) == 18 ? strtoull(text + 2, NULL, 16) : 0;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool tqd_truth(const PGresult *result, int row, int column)
{
    return PQgetvalue(result, row, column)[0] == 't';
}

void tqd_text(const PGresult *result, int row, int column, char *out, size_t size)
{
    snprintf(out, size, "%s", PQgetvalue(result, row, column));
}

static int hex(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

/* bytea_output = hex: \x, then two digits a byte */
tqd_store_status tqd_bytes(const PGresult *result, int row, int column, char **ret_bytes)
{
    const char *text = PQgetvalue(result, row, column);
    const size_t length = (size_t)PQgetlength(result, row, column);
    if (length != 0 && (length < 2 || strncmp(text, "\\x", 2) != 0)) {
        return TQD_STORE_BROKEN; /* the role has bytea_output = escape */
    }
    const size_t n = length > 2 ? (length - 2) / 2 : 0;
    char *bytes = malloc(n + 1);
    if (bytes == NULL) {
        return TQD_STORE_NO_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (char)(hex(text[2 + 2 * i]) << 4 | hex(text[3 + 2 * i]));
    }
    bytes[n] = '\0';
    *ret_bytes = bytes;
    return TQD_STORE_OK;
}

void tqd_job_read(const PGresult *result, int row, int column, tqd_job *job)
{
    int c = column;
    memset(job, 0, sizeof *job);
    job->seq = (uint64_t)tqd_integer(result, row, c++);
    tqd_text(result, row, c++, job->id, sizeof job->id);
    tqd_text(result, row, c++, job->kind, sizeof job->kind);
    tqd_text(result, row, c++, job->robot, sizeof job->robot);
    tqd_text(result, row, c++, job->robot_digest, sizeof job->robot_digest);
    tqd_text(result, row, c++, job->client, sizeof job->client);
    job->state = (tqd_job_state)tqd_integer(result, row, c++);
    job->priority = (int)tqd_integer(result, row, c++);
    job->attempts = (uint32_t)tqd_integer(result, row, c++);
    job->fence = (uint64_t)tqd_integer(result, row, c++);
    job->cancel_asked = tqd_truth(result, row, c++);
    job->fraction = tqd_real(result, row, c++);
    job->eta_s = tqd_real(result, row, c++);
    tqd_text(result, row, c++, job->step, sizeof job->step);
    tqd_text(result, row, c++, job->node, sizeof job->node);
    job->created_ms = tqd_integer(result, row, c++);
    job->started_ms = tqd_integer(result, row, c++);
    job->finished_ms = tqd_integer(result, row, c++);
    job->waited = tqd_truth(result, row, c++);
    tqd_text(result, row, c, job->trace, sizeof job->trace);
}
