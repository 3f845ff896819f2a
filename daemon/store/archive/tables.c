/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/archive/tables.c - the tables and columns that both engines store. */
#include "daemon/store/archive/tables.h"

#include <stdio.h>
#include <string.h>

#define BODY_COLUMNS "media", "size", "file", "bytes"
#define BODY_SUM     "tqd_sum($3, $4, $5, $6)"

/* SQLite numbers parameters called $N by their first occurrence: in `put` and `sum` they occur in
 * the order of the columns. The greatest event number so far is copied as usage 'event'. */
const tqd_table tqd_tables[] = {
    {"robot_version",
     "tttiib",
     {"digest", "media", "source", "nv", "size", "bytes"},
     "1",
     "tqd_sum($1, $2, $3, $4, $5, $6)",
     NULL},
    {"robot_revision", "itti", {"seq", "name", "digest", "created_ms"}, "1", NULL, NULL},
    {"robot", "ttt", {"name", "digest", "owner"}, "1", NULL, NULL},
    {"job",
     "ittttt"
     "iiiiii"
     "iooddt"
     "tiitt"
     "iiiit",
     {"seq",
      "id",
      "kind",
      "robot",
      "robot_digest",
      "client",
      "state",
      "priority",
      "tag",
      "attempts",
      "tries",
      "crashes",
      "fence",
      "cancel_asked",
      "waited",
      "fraction",
      "eta_s",
      "step",
      "node",
      "lease_until_ms",
      "deadline_at_ms",
      "idem_key",
      "request_digest",
      "created_ms",
      "started_ms",
      "finished_ms",
      "changed_ms",
      "trace"},
     "1",
     NULL,
     NULL},
    {"job_body", "iititb", {"job", "what", BODY_COLUMNS}, "1, 2", BODY_SUM, NULL},
    {"job_attachment", "ittitb", {"job", "name", BODY_COLUMNS}, "1, 2", BODY_SUM, NULL},
    {"job_input", "ittitb", {"job", "name", BODY_COLUMNS}, "1, 2", BODY_SUM, NULL},
    {"job_event", "iiiii", {"seq", "job", "state", "attempts", "at_ms"}, "1", NULL, NULL},
    {"dataset",
     "tttiiiibt",
     {"name", "file", "media", "size", "n_row", "n_column", "created_ms", "summary", "owner"},
     "1",
     "tqd_sum($1, $2, $3, $4, $5, $6, $7, $8, $9)",
     NULL},
    {"drained", "ti", {"name", "since_ms"}, "1", NULL, NULL},
    {"usage",
     "iit",
     {"n", "bytes", "what"},
     "3",
     NULL,
     "INSERT INTO usage(n, bytes, what) VALUES ($1, $2, $3) ON CONFLICT (what)"
     " DO UPDATE SET n = excluded.n, bytes = excluded.bytes"},
    {"identity", "ti", {"id", "n_commit"}, "1", NULL, "UPDATE identity SET id = $1, n_commit = $2"},
};
const size_t tqd_n_table = sizeof tqd_tables / sizeof tqd_tables[0];

bool tqd_table_put_sql(const tqd_table *table, bool with_sum, char sql[TQD_TABLE_SQL])
{
    const size_t size = TQD_TABLE_SQL;
    const bool sums = with_sum && table->sum != NULL;
    if (table->put != NULL) {
        return (size_t)snprintf(sql, size, "%s", table->put) < size;
    }
    size_t n = (size_t)snprintf(sql, size, "INSERT INTO %s(", table->name);
    for (size_t i = 0; i < strlen(table->letters) && n < size; i++) {
        n += (size_t)snprintf(sql + n, size - n, "%s%s", i > 0 ? ", " : "", table->columns[i]);
    }
    n += n < size ? (size_t)snprintf(sql + n, size - n, "%s) VALUES (", sums ? ", sum" : "") : 0;
    for (size_t i = 0; i < strlen(table->letters) && n < size; i++) {
        n += (size_t)snprintf(sql + n, size - n, "%s$%zu", i > 0 ? ", " : "", i + 1);
    }
    n += n < size ? (size_t)snprintf(sql + n, size - n, "%s%s)", sums ? ", " : "",
                                     sums ? table->sum : "")
                  : 0;
    return n < size;
}
