/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/postgres.c - one schema of a common database for each tested store. */
#include "tests/support/postgres.h"

#include <assert.h>
#include <postgresql/libpq-fe.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char schema_word[] = "search_path%3D";

static PGresult *query(PGconn *db, const char *text)
{
    PGresult *result = PQexec(db, text);
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        fprintf(stderr, "%s: %s\n", text, PQerrorMessage(db));
        abort();
    }
    return result;
}

void *test_postgres_hold(const char *uri, const char *text)
{
    PGconn *db = PQconnectdb(uri);
    PQclear(query(db, text));
    return db;
}

void test_postgres_end(void *held, const char *text)
{
    PQclear(query(held, text));
    PQfinish(held);
}

void test_postgres_run(const char *uri, const char *text)
{
    PQfinish(test_postgres_hold(uri, text));
}

long test_postgres_number(const char *uri, const char *text)
{
    PGconn *db = PQconnectdb(uri);
    PGresult *result = query(db, text);
    const long number = strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    PQfinish(db);
    return number;
}

bool test_postgres_uri(char *uri, size_t size)
{
    static _Atomic unsigned n;
    char schema[64];
    char text[128];
    const char *server = getenv("TORQUED_POSTGRESQL");
    if (server == NULL) {
        return false;
    }
    snprintf(schema, sizeof schema, "test_%ld_%u", (long)getpid(), atomic_fetch_add(&n, 1));
    snprintf(text, sizeof text, "CREATE SCHEMA %s", schema);
    test_postgres_run(server, text);
    snprintf(uri, size,
             "%s&application_name=%s&options=-c%%20client_min_messages%%3Dwarning%%20-c%%20%s%s",
             server, schema, schema_word, schema);
    return true;
}

void test_postgres_drop(const char *uri)
{
    char text[128];
    const char *schema = strstr(uri, schema_word);
    assert(schema != NULL);
    snprintf(text, sizeof text, "SET client_min_messages = warning; DROP SCHEMA %s CASCADE",
             schema + strlen(schema_word));
    test_postgres_run(uri, text);
}
