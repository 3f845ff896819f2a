/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/postgres.h - the PostgreSQL of tests/run/postgres.sh, if there is one. */
#ifndef TEST_SUPPORT_POSTGRES_H
#define TEST_SUPPORT_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the URI of a new empty store, a schema of its own; false: there is no server. */
bool test_postgres_uri(char *uri, size_t size);

/* Runs statements; the number that a query answers. */
void test_postgres_run(const char *uri, const char *text);
long test_postgres_number(const char *uri, const char *text);

/* A connection that has run some statements; it runs another and ends. */
void *test_postgres_hold(const char *uri, const char *text);
void test_postgres_end(void *held, const char *text);

/* Drops that schema. */
void test_postgres_drop(const char *uri);

#endif
