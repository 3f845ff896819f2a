/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/datasets.h - names of uploaded files (files.h). */
#ifndef TQD_STORE_DATASETS_H
#define TQD_STORE_DATASETS_H

#include "daemon/store/types.h"

/* The row of a dataset, without its file. */
typedef struct tqd_dataset_row {
    char name[TQD_NAME_TEXT];
    char digest[TQD_DIGEST_TEXT]; /* of the file */
    char media[TQD_MEDIA_TEXT];   /* "text/csv", ... */
    uint64_t size;                /* of the file */
    uint64_t n_row, n_column;
    int64_t created_ms;         /* of these bytes under this name, since 1970 */
    char owner[TQD_OWNER_TEXT]; /* as in tqd_robot_row */
    bool is_damaged; /* in a list: the row does not match its checksum; its name may be wrong
                           too */
} tqd_dataset_row;

/* Creates or replaces a name. The file must exist and must not be collected before the commit: its
 * upload is still open. Status: OK (`created`, `replaced` and `owner` are set), MISMATCH, QUOTA,
 * OWNED (`owner` is set). */
typedef struct tqd_dataset_put {
    tqd_write write;
    const tqd_dataset_row *row; /* created_ms is not read; owner: of a new name */
    const char *by;             /* as in tqd_robot_put */
    const char *summary;        /* opaque to the store, returned unchanged */
    size_t n_summary;
    const char *if_match;      /* digest that must be current; "*": any; NULL: no condition */
    const char *if_none_match; /* "*": must not exist; NULL */
    uint64_t datasets_max;     /* names; 0: no bound */
    uint64_t own_bytes_max;    /* of what row->owner keeps, as in tqd_job_submit; 0: no bound */
    bool created;              /* set: the name was new */
    char replaced[TQD_DIGEST_TEXT]; /* set: the former file, "" if none */
    char owner[TQD_OWNER_TEXT];     /* set: whose the name is */
    bool own_full;                  /* set with QUOTA: by own_bytes_max */
    uint64_t own_bytes;             /* set with own_full: what it keeps now */
} tqd_dataset_put;

/* Deletes a name; its file is removed by tqd_store_file_collect. Status: OK, NOT_FOUND, MISMATCH,
 * OWNED (`owner` is set). */
typedef struct tqd_dataset_delete {
    tqd_write write;
    const char *name;
    const char *by;                 /* as in tqd_robot_put */
    const char *if_match;           /* as above */
    char replaced[TQD_DIGEST_TEXT]; /* set: its former file */
    char owner[TQD_OWNER_TEXT];     /* set */
} tqd_dataset_delete;

/* The row, and its summary, malloc'ed and NUL-terminated, unless ret_summary is NULL. OK, NOT_FOUND
 * or a failure. Any thread that may block on the disk. */
tqd_store_status tqd_store_dataset(tqd_store *store, const char *name, tqd_dataset_row *ret_row,
                                   char **ret_summary);

/* Calls `each` for every dataset, by name; `summary` is NULL for a damaged row. A non-zero
 * return of `each` ends the iteration. */
tqd_store_status tqd_store_datasets(tqd_store *store,
                                    int (*each)(void *ctx, const tqd_dataset_row *row,
                                                const char *summary),
                                    void *ctx);

#endif
