/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/sum.c - tqd_sum(value, ...): a checksum of a row's values, stored in the row.
 * SQLite has none: it does not detect a flipped bit inside a value. */
#include <string.h>
#include <xxhash.h>

#include "daemon/store/sqlite/sqlite.h"

/* Type and length precede each value, so that the encoding of a list is injective. */
static bool add_value(XXH3_state_t *state, sqlite3_value *value)
{
    const int kind = sqlite3_value_type(value);
    const bool is_whole = kind == SQLITE_INTEGER;
    const int64_t whole = is_whole ? sqlite3_value_int64(value) : 0;
    const void *bytes = is_whole              ? &whole
                        : kind == SQLITE_TEXT ? (const void *)sqlite3_value_text(value)
                        : kind == SQLITE_BLOB ? sqlite3_value_blob(value)
                                              : NULL;
    const uint64_t n = is_whole        ? sizeof whole
                       : bytes != NULL ? (uint64_t)sqlite3_value_bytes(value)
                                       : 0;
    const uint64_t head[2] = {(uint64_t)kind, n};
    return XXH3_64bits_update(state, head, sizeof head) == XXH_OK &&
           (n == 0 || XXH3_64bits_update(state, bytes, (size_t)n) == XXH_OK);
}

static void sum(sqlite3_context *context, int n, sqlite3_value **values)
{
    XXH3_state_t *state = sqlite3_user_data(context);
    bool good = XXH3_64bits_reset(state) == XXH_OK;
    for (int i = 0; good && i < n; i++) {
        good = add_value(state, values[i]);
    }
    if (!good) {
        sqlite3_result_error_nomem(context);
        return;
    }
    const uint64_t found = XXH3_64bits_digest(state);
    int64_t result;
    memcpy(&result, &found, sizeof result);
    sqlite3_result_int64(context, result);
}

static void free_state(void *state)
{
    (void)XXH3_freeState(state);
}

int tqd_sqlite_sum_add(sqlite3 *db)
{
    XXH3_state_t *state = XXH3_createState(); /* a connection is used by one thread at a time */
    if (state == NULL) {
        return SQLITE_NOMEM;
    }
    return sqlite3_create_function_v2(db, "tqd_sum", -1,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, state,
                                      sum, NULL, NULL, free_state);
}
