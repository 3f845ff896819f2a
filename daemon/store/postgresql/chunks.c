/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/postgresql/chunks.c - files and spools as rows of 1 MiB, streamed both ways. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/postgresql/postgresql.h"

enum { CHUNK = 1 << 20 };

static const char begin_sql[] = "SELECT status, there FROM tqd_file_begin($1, $2, $3)";
static const char put_sql[] = "INSERT INTO file_chunk(digest, n, bytes) VALUES ($1, $2, $3)";
static const char size_sql[] = "SELECT size FROM file WHERE digest = $1";
static const char get_sql[] = "SELECT bytes FROM file_chunk WHERE digest = $1 AND n = $2";
static const char spool_put_sql[] = "SELECT tqd_spool_put($1, $2, $3, $4, $5)";
static const char spool_get_sql[] =
    "SELECT s.bytes FROM job_spool s JOIN job j ON j.seq = s.job WHERE j.id = $1 AND s.n = $2";

/* OK or the failure of a statement without rows */
static tqd_store_status run(tqd_session *session, const char *text, const tqd_parameters *p)
{
    PGresult *result = tqd_query(session, text, p);
    const tqd_store_status status = tqd_result_status(result);
    PQclear(result);
    return status;
}

static long read_chunk(int fd, uint64_t at, char *piece, uint64_t end)
{
    const size_t wanted = end - at < CHUNK ? (size_t)(end - at) : (size_t)CHUNK;
    size_t n = 0;
    while (n < wanted) {
        const ssize_t some = pread(fd, piece + n, wanted - n, (off_t)(at + n));
        if (some <= 0) {
            return -1;
        }
        n += (size_t)some;
    }
    return (long)n;
}

static tqd_store_status put_chunks(tqd_session *session, int fd, const char *digest, uint64_t size)
{
    char *piece = malloc(CHUNK);
    tqd_store_status status = piece != NULL ? TQD_STORE_OK : TQD_STORE_NO_MEMORY;
    for (uint64_t at = 0; status == TQD_STORE_OK && at < size; at += CHUNK) {
        const long n = read_chunk(fd, at, piece, size);
        tqd_parameters p = {.n = 0};
        tqd_bind(&p, "tib", digest, (int64_t)(at / CHUNK), piece, (size_t)(n > 0 ? n : 0));
        status = n > 0 ? run(session, put_sql, &p) : TQD_STORE_BROKEN;
    }
    free(piece);
    return status;
}

tqd_store_status tqd_pg_file_put(tqd_session *session, int fd, const char *digest, uint64_t size,
                                 uint64_t bytes_max)
{
    tqd_parameters p = {.n = 0};
    bool there = false;
    tqd_store_status status = run(session, "BEGIN", NULL);
    if (status != TQD_STORE_OK) {
        return status;
    }
    tqd_bind(&p, "tii", digest, (int64_t)size, (int64_t)bytes_max);
    PGresult *result = tqd_query(session, begin_sql, &p);
    status = tqd_result_status(result);
    if (status == TQD_STORE_OK) {
        status = (tqd_store_status)tqd_integer(result, 0, 0);
        there = tqd_truth(result, 0, 1);
    }
    PQclear(result);
    if (status == TQD_STORE_OK && !there) {
        status = put_chunks(session, fd, digest, size);
    }
    if (status == TQD_STORE_OK) {
        result = tqd_query(session, "COMMIT", NULL);
        status = tqd_result_status(result);
        status = status == TQD_STORE_OK && strcmp(PQcmdStatus(result), "COMMIT") != 0
                     ? TQD_STORE_BROKEN
                     : status;
        PQclear(result);
    }
    if (status != TQD_STORE_OK) {
        (void)run(session, "ROLLBACK", NULL);
    }
    return status;
}

/* The bytes of one chunk, NOT_FOUND where there is none. */
static tqd_store_status get_chunk(tqd_session *session, const char *text, const char *of, int64_t n,
                                  const tqd_chunks *chunks, uint64_t *ret_n)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "ti", of, n);
    PGresult *result = tqd_query_binary(session, text, &p);
    tqd_store_status status = tqd_result_status(result);
    if (status == TQD_STORE_OK && PQntuples(result) == 0) {
        status = TQD_STORE_NOT_FOUND;
    } else if (status == TQD_STORE_OK) {
        *ret_n = (uint64_t)PQgetlength(result, 0, 0);
        status = chunks->each(chunks->ctx, PQgetvalue(result, 0, 0), (size_t)*ret_n);
    }
    PQclear(result);
    return status;
}

tqd_store_status tqd_pg_file_get(tqd_session *session, const char *digest, const tqd_chunks *chunks)
{
    tqd_parameters p = {.n = 0};
    tqd_bind(&p, "t", digest);
    PGresult *result = tqd_query(session, size_sql, &p);
    tqd_store_status status = tqd_result_status(result);
    const bool there = status == TQD_STORE_OK && PQntuples(result) == 1;
    const uint64_t size = there ? (uint64_t)tqd_integer(result, 0, 0) : 0;
    PQclear(result);
    if (!there) {
        return status == TQD_STORE_OK ? TQD_STORE_NOT_FOUND : status;
    }
    uint64_t n = 0;
    for (uint64_t at = 0; status == TQD_STORE_OK && at < size; at += n) {
        status = get_chunk(session, get_sql, digest, (int64_t)(at / CHUNK), chunks, &n);
    }
    return status;
}

tqd_store_status tqd_pg_spool_put(tqd_session *session, const char *job, uint64_t fence, int fd,
                                  uint64_t from, uint64_t size)
{
    char *piece = malloc(CHUNK);
    tqd_store_status status = piece != NULL ? TQD_STORE_OK : TQD_STORE_NO_MEMORY;
    const uint64_t end = size > 0 ? size : 1; /* an empty spool is one empty chunk */
    for (uint64_t at = from - from % CHUNK; status == TQD_STORE_OK && at < end; at += CHUNK) {
        const long n = size > 0 ? read_chunk(fd, at, piece, size) : 0;
        tqd_parameters p = {.n = 0};
        tqd_bind(&p, "tiibo", job, (int64_t)fence, (int64_t)(at / CHUNK), piece,
                 (size_t)(n > 0 ? n : 0), (int)(at + CHUNK >= end));
        PGresult *result = n >= 0 ? tqd_query(session, spool_put_sql, &p) : NULL;
        status = n < 0 ? TQD_STORE_BROKEN : tqd_result_status(result);
        status = status == TQD_STORE_OK ? (tqd_store_status)tqd_integer(result, 0, 0) : status;
        PQclear(result);
    }
    free(piece);
    return status;
}

tqd_store_status tqd_pg_spool_get(tqd_session *session, const char *job, const tqd_chunks *chunks)
{
    tqd_store_status status = TQD_STORE_OK;
    uint64_t n = CHUNK;
    for (int64_t i = 0; status == TQD_STORE_OK && n == CHUNK; i++) {
        status = get_chunk(session, spool_get_sql, job, i, chunks, &n);
    }
    return status == TQD_STORE_NOT_FOUND ? TQD_STORE_OK : status;
}
