/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/postgres.h - the PostgreSQL of tests/run/postgres.sh, if there is one. */
#ifndef TEST_SUPPORT_POSTGRES_H
#define TEST_SUPPORT_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the URI of a new empty store, a schema of its own; false: there is no server. */
bool test_postgres_uri(char *uri, size_t size);

/* Drops that schema. */
void test_postgres_drop(const char *uri);

#endif
