/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/parts.h - between the parts of reading a log: its rows in SI units, one after
 * another. */
#ifndef TQA_RECORDINGS_PARTS_H
#define TQA_RECORDINGS_PARTS_H

#include "api/recordings/recording.h"

/* A table of a log, and where its bytes come from. */
typedef struct tqa_recording_source {
    const tqa_host *host;
    char name[TQA_RECORDING_PINNED_NAME];
    tqa_table *table;
} tqa_recording_source;

typedef enum tqa_row_state { TQA_ROW_GOOD, TQA_ROW_NOT_FINITE, TQA_ROW_ABSURD } tqa_row_state;

enum { TQA_RECORDING_RUN = 256 }; /* rows that are read together */

/* Rows of a log, front to back: those that have been read together, one of them at hand. */
typedef struct tqa_recording_rows {
    tqa_recording *log;
    tqa_recording_source sources[TQA_RECORDING_QUANTITIES]; /* one only, unless the log is split */
    uint64_t n;                                             /* rows of the file so far */
    uint64_t ask_at;  /* then: does anybody still want them? */
    size_t n_kept;    /* rows taken out of memory */
    double time_base; /* first whole seconds, or first time */
    bool has_base;

    size_t n_run, at; /* rows [at, n_run) have not been asked for */
    bool all_good;    /* each of the run is */
    double *run;      /* (n_channel x TQA_RECORDING_RUN) */
    double run_t[TQA_RECORDING_RUN];
    uint64_t run_row[TQA_RECORDING_RUN];
    unsigned char run_state[TQA_RECORDING_RUN];

    /* the present row */
    uint64_t row;
    double t;       /* s from the first row */
    double *values; /* (n_channel) */
    tqa_row_state state;
} tqa_recording_rows;

/* False: the problem is set. Close it either way. */
bool tqa_recording_rows_open(tqa_recording_rows *rows, tqa_recording *log);
void tqa_recording_rows_close(tqa_recording_rows *rows);
/* False, with the problem set: the job is to end. */
bool tqa_recording_is_wanted(const tqa_recording *log);
/* The next row of the log's windows; false at the end, or with the problem set. */
bool tqa_recording_rows_next(tqa_recording_rows *rows);
/* False at the end, or with the problem set; else rows [at, n_run) of the run are there. The caller
 * moves `at`. */
bool tqa_recording_rows_more(tqa_recording_rows *rows);

/* Memory for rows, when the request shares any; row i of a run for it; what there is of them. */
bool tqa_row_cache_keep_begin(tqa_recording *log);
void tqa_row_cache_keep(tqa_recording *log, const tqa_recording_rows *rows, size_t i);
bool tqa_row_cache_serves(const tqa_recording *log);
void tqa_row_cache_fill(tqa_recording_rows *rows);

/* n bytes, as they were left; NULL: memory is short. rooms may be NULL. */
void *tqa_buffer_pool_take(tqa_buffer_pools *rooms, size_t n);
void tqa_buffer_pool_give(tqa_buffer_pools *rooms, void *block);

/* Finds what the request's columns are in the tables. */
bool tqa_recording_columns_find(tqa_recording *log, tqa_recording_source *sources);

/* Rests of the survey: rows [at, end) of a run, then what they were. False: memory is short. */
bool tqa_standstills_begin(tqa_recording *log);
void tqa_standstills_add(tqa_recording *log, const tqa_recording_rows *rows, size_t at, size_t end);
bool tqa_standstills_close(tqa_recording *log, uint64_t first, uint64_t last, bool moves);
/* Row i of the run belongs to a rest on brakes; inout_brake: the next of these. */
bool tqa_recording_is_braked(const tqa_recording *log, size_t *inout_brake,
                             const tqa_recording_rows *rows, size_t i);
/* How many of the next n rows of the run are far before it. */
size_t tqa_recording_before_brake(const tqa_recording *log, size_t brake,
                                  const tqa_recording_rows *rows, size_t n);

/* Where a request says `outer` (and in it `inner`, unless NULL); where it names the log, if it does
 * not say so. */
tqa_value tqa_recording_place(const tqa_recording *log, const char *outer, const char *inner);

/* Number of rows of a quantity: nq or nv, 1 for time. */
size_t tqa_recording_width(const tqa_recording_request *request, tqa_recording_quantity quantity);
extern const char *const tqa_recording_quantity_names[TQA_RECORDING_QUANTITIES];

/* Samples next to the ends of a segment where the filter has to guess. */
size_t tqa_recording_border(const tqa_recording *log);

extern const double tqa_recording_moves; /* rad or m: a joint moves when its range exceeds this */

void tqa_recording_note(tqa_recording *log, tqa_recording_repair repair, uint64_t row);

/* Evenly sampled, not yet filtered: what a survey looks at. */
typedef struct tqa_resample {
    size_t n, stride;
    const double *channels; /* (n_channel x stride) */
} tqa_resample;
/* Spectra of its motion and of its noise, each joint's. False: the problem is set. */
bool tqa_recording_measure(tqa_recording *log, const tqa_resample *even);
/* Do the numbers mean what is said of them? False: the problem is set. */
bool tqa_recording_check_plausibility(tqa_recording *log, const tqa_resample *even);
/* Calls `look` once, with the first long stretch of motion; never when there is none. */
bool tqa_recording_look(tqa_recording *log, bool (*look)(void *ctx, const tqa_resample *even),
                        void *ctx);

#endif
