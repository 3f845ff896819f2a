/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/postgres.h - access to the PostgreSQL server of tests/run/postgres.sh, if it runs.
 */
#ifndef TEST_SUPPORT_POSTGRES_H
#define TEST_SUPPORT_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the URI of a new empty store, a schema of its own; false: no server. */
bool test_postgres_uri(char *uri, size_t size);

/* Runs statements; the result of a query is returned as a number. */
void test_postgres_run(const char *uri, const char *text);
long test_postgres_number(const char *uri, const char *text);

/* Opens a connection and runs statements on it; test_postgres_end runs others and closes it. */
void *test_postgres_hold(const char *uri, const char *text);
void test_postgres_end(void *held, const char *text);

/* Drops that schema. */
void test_postgres_drop(const char *uri);

#endif
