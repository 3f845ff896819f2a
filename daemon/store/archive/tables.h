/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/archive/tables.h - the rows of both engines, by which a store is copied from one to
 * the other. Private to daemon/store. */
#ifndef TQD_STORE_ARCHIVE_TABLES_H
#define TQD_STORE_ARCHIVE_TABLES_H

#include "daemon/store/types.h"

/* One value of a row. Text and bytes end with a NUL that is not counted. */
typedef enum tqd_cell_kind {
    TQD_CELL_NULL,
    TQD_CELL_INTEGER,
    TQD_CELL_REAL,
    TQD_CELL_TEXT,
    TQD_CELL_BYTES,
} tqd_cell_kind;
typedef struct tqd_cell {
    tqd_cell_kind kind;
    int64_t integer;
    double real;
    const char *bytes;
    size_t n;
} tqd_cell;

enum { TQD_CELLS_MAX = 29 };

/* Columns by name, and a letter each: t text, i integer, d double, b bytes, o boolean (in SQLite an
 * integer). */
typedef struct tqd_table {
    const char *name;
    const char *letters;
    const char *columns[TQD_CELLS_MAX];
    const char *order; /* order of the rows that are read */
    const char *sum;   /* SQLite: the value of the column `sum`, of parameters $1, ...; or NULL */
    const char *put;   /* a statement that takes a row, in both dialects; NULL: it is inserted */
} tqd_table;

/* Every row follows the rows that it refers to. Two tables are not copied: the garbage list, since
 * unused files are not copied, and spools of running jobs, which restart from the beginning. */
extern const tqd_table tqd_tables[];
extern const size_t tqd_n_table;

/* Callback for a row; a status other than OK ends the reading with that status. */
typedef struct tqd_rows {
    tqd_store_status (*each)(void *ctx, const tqd_table *table, const tqd_cell *cells);
    void *ctx;
} tqd_rows;

/* The statement that takes a row of a table. False: `size` is too small. */
enum { TQD_TABLE_SQL = 1024 };
bool tqd_table_put_sql(const tqd_table *table, bool with_sum, char sql[TQD_TABLE_SQL]);

/* SQLite, in daemon/store/sqlite/rows.c. Reads all rows of a database file that does not change;
 * and creates a database of the present schema at `path`, replacing a file there: filled row by
 * row, complete and durable when `end` returns OK, and removed in all other cases. */
tqd_store_status tqd_sqlite_rows(const char *path, const tqd_rows *rows);
/* The files that a database file refers to. */
tqd_store_status
tqd_sqlite_references_of(const char *path,
                         bool (*each)(void *ctx, const char *digest, uint64_t size), void *ctx);
typedef struct tqd_sqlite_filling tqd_sqlite_filling;
tqd_sqlite_filling *tqd_sqlite_fill(const char *path, char why[TQD_STORE_WHY]);
tqd_store_status tqd_sqlite_fill_row(tqd_sqlite_filling *filling, const tqd_table *table,
                                     const tqd_cell *cells);
tqd_store_status tqd_sqlite_fill_end(tqd_sqlite_filling *filling, bool good);

#endif
