/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/parts.h - between the parts of reading a log: its rows in SI units, one after
 * another. */
#ifndef TQA_RECORDINGS_PARTS_H
#define TQA_RECORDINGS_PARTS_H

#include "api/recordings/recording.h"

/* A table of a log, and where its bytes come from. */
typedef struct tqa_log_source {
    const tqa_world *world;
    char name[TQA_LOG_PINNED_NAME];
    tqa_table *table;
} tqa_log_source;

typedef enum tqa_row_state { TQA_ROW_GOOD, TQA_ROW_NOT_FINITE, TQA_ROW_ABSURD } tqa_row_state;

enum { TQA_LOG_RUN = 256 }; /* rows that are read together */

/* Rows of a log, front to back: those that have been read together, one of them at hand. */
typedef struct tqa_log_rows {
    tqa_log *log;
    tqa_log_source sources[TQA_LOG_QUANTITIES]; /* one only, unless the log is split */
    uint64_t n;                                 /* rows of the file so far */
    uint64_t ask_at;                            /* then: does anybody still want them? */
    size_t n_kept;                              /* rows taken out of memory */
    double time_base;                           /* first whole seconds, or first time */
    bool has_base;

    size_t n_run, at; /* rows [at, n_run) have not been asked for */
    bool all_good;    /* each of the run is */
    double *run;      /* (n_channel x TQA_LOG_RUN) */
    double run_t[TQA_LOG_RUN];
    uint64_t run_row[TQA_LOG_RUN];
    unsigned char run_state[TQA_LOG_RUN];

    /* the present row */
    uint64_t row;
    double t;       /* s from the first row */
    double *values; /* (n_channel) */
    tqa_row_state state;
} tqa_log_rows;

/* False: the problem is set. Close it either way. */
bool tqa_log_rows_open(tqa_log_rows *rows, tqa_log *log);
void tqa_log_rows_close(tqa_log_rows *rows);
/* False, with the problem set: the job is to end. */
bool tqa_log_is_wanted(const tqa_log *log);
/* The next row of the log's windows; false at the end, or with the problem set. */
bool tqa_log_rows_next(tqa_log_rows *rows);
/* False at the end, or with the problem set; else rows [at, n_run) of the run are there. The caller
 * moves `at`. */
bool tqa_log_rows_more(tqa_log_rows *rows);

/* Memory for rows, when the request shares any; row i of a run for it; what there is of them. */
bool tqa_log_keep_begin(tqa_log *log);
void tqa_log_keep(tqa_log *log, const tqa_log_rows *rows, size_t i);
bool tqa_log_kept_serves(const tqa_log *log);
void tqa_log_kept_fill(tqa_log_rows *rows);

/* n bytes, as they were left; NULL: memory is short. rooms may be NULL. */
void *tqa_log_room_take(tqa_log_rooms *rooms, size_t n);
void tqa_log_room_give(tqa_log_rooms *rooms, void *block);

/* Finds what the request's columns are in the tables. */
bool tqa_log_columns_find(tqa_log *log, tqa_log_source *sources);

/* Rests of the survey: rows [at, end) of a run, then what they were. False: memory is short. */
bool tqa_log_stills_begin(tqa_log *log);
void tqa_log_stills_add(tqa_log *log, const tqa_log_rows *rows, size_t at, size_t end);
bool tqa_log_stills_close(tqa_log *log, uint64_t first, uint64_t last, bool moves);
/* Row i of the run belongs to a rest on brakes; inout_brake: the next of these. */
bool tqa_log_is_braked(const tqa_log *log, size_t *inout_brake, const tqa_log_rows *rows, size_t i);
/* How many of the next n rows of the run are far before it. */
size_t tqa_log_before_brake(const tqa_log *log, size_t brake, const tqa_log_rows *rows, size_t n);

/* Where a request says `outer` (and in it `inner`, unless NULL); where it names the log, if it does
 * not say so. */
tqa_part tqa_log_place(const tqa_log *log, const char *outer, const char *inner);

/* Number of rows of a quantity: nq or nv, 1 for time. */
size_t tqa_log_width(const tqa_log_request *request, tqa_log_quantity quantity);
extern const char *const tqa_log_quantity_names[TQA_LOG_QUANTITIES];

/* Samples next to the ends of a segment where the filter has to guess. */
size_t tqa_log_border(const tqa_log *log);

extern const double tqa_log_moves; /* rad or m: a joint moves when its range exceeds this */

void tqa_log_note(tqa_log *log, tqa_log_repair repair, uint64_t row);

/* Evenly sampled, not yet filtered: what a survey looks at. */
typedef struct tqa_log_even {
    size_t n, stride;
    const double *channels; /* (n_channel x stride) */
} tqa_log_even;
/* Spectra of its motion and of its noise, each joint's. False: the problem is set. */
bool tqa_log_measure(tqa_log *log, const tqa_log_even *even);
/* Do the numbers mean what is said of them? False: the problem is set. */
bool tqa_log_judge(tqa_log *log, const tqa_log_even *even);
/* Calls `look` once, with the first long stretch of motion; never when there is none. */
bool tqa_log_look(tqa_log *log, bool (*look)(void *ctx, const tqa_log_even *even), void *ctx);

#endif
