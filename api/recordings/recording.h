/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/recording.h - recorded motion as operations compute with it: chosen columns of
 * datasets
 * or of jobs' results, in SI units, on an even clock, filtered, with every repair counted. */
#ifndef TQA_RECORDINGS_RECORDING_H
#define TQA_RECORDINGS_RECORDING_H

#include "api/request/robot_fields.h"
#include "api/tables/table.h"
#include "core/signal/experiment.h"
#include "core/identify/regression/fit.h"
#include "core/signal/clock.h"
#include "core/signal/filter.h"
#include "core/signal/spectrum.h"

enum {
    TQA_RECORDING_ROWS_TOLD = 8,    /* of each kind of repair */
    TQA_RECORDING_WINDOWS_MAX = 64, /* of rows */
    TQA_RECORDING_SOURCE_NAME = 160,
    TQA_RECORDING_PINNED_NAME = 240,
    TQA_RECORDING_CLEAN_MAX = 256,
    TQA_RECORDING_KEPT_ROWS = 65536, /* in memory, of all logs of a request */
    TQA_RECORDING_SAMPLES = 250000,  /* of all logs of a fit: beyond it fewer tell the same */
};

typedef enum tqa_recording_quantity {
    TQA_RECORDING_Q,
    TQA_RECORDING_QD,
    TQA_RECORDING_QDD,
    TQA_RECORDING_TAU,
    TQA_RECORDING_TIME,
    TQA_RECORDING_QUANTITIES,
} tqa_recording_quantity;

typedef enum tqa_recording_filter_kind {
    TQA_RECORDING_BUTTERWORTH,
    TQA_RECORDING_SAVITZKY_GOLAY,
    TQA_RECORDING_FIRST_ORDER,
    TQA_RECORDING_NO_FILTER,
} tqa_recording_filter_kind;

/* How signals are smoothed: the same for all of them. */
typedef struct tqa_recording_filter {
    tqa_recording_filter_kind kind;
    unsigned order;    /* Butterworth */
    double cutoff;     /* Hz; 0: from the spectra */
    bool is_auto;      /* it was left to the spectra */
    double tau_f;      /* s, first order */
    size_t window;     /* Savitzky-Golay: samples, odd */
    unsigned degree;   /* Savitzky-Golay */
    size_t decimate;   /* every so many samples are used, from 1 */
    bool has_decimate; /* it was told */
    bool thins;        /* it was not, and a long log needs no more */
} tqa_recording_filter;

/* Memory that passes leave for the next one. */
enum { TQA_BUFFER_POOLS_MAX = 24 };
typedef struct tqa_buffer_pool {
    void *block;
    size_t n; /* bytes */
    bool is_taken;
} tqa_buffer_pool;
typedef struct tqa_buffer_pools {
    tqa_buffer_pool rooms[TQA_BUFFER_POOLS_MAX];
} tqa_buffer_pools;

/* What a request says about its logs, the same for all of them. */
typedef struct tqa_recording_request {
    tqa_tree *control;
    const tqa_order *order;
    unsigned need;    /* bit q: quantity q must be there */
    tqa_value object; /* that says all this */
    tqa_value columns;
    const char *columns_text; /* constant, of default and preset columns: their name */
    double *factor[TQA_RECORDING_QUANTITIES]; /* to SI, in the user's order of joints */
    bool unit_known[TQA_RECORDING_QUANTITIES];
    bool scaled[TQA_RECORDING_QUANTITIES];
    bool in_amperes; /* of tau */
    double rate;     /* Hz of the even clock; 0: the log's own */
    double delay;    /* s that q, qd and qdd are behind the torque */
    bool has_delay;  /* it was told */
    tqa_value rows;
    tqa_recording_filter filter;
    double half_gain;   /* Hz, at which it leaves half of an amplitude; 0: nothing is filtered */
    size_t n_kept_logs; /* share the memory for rows; 0: each pass reads its log again */
    bool finds_brakes;  /* the surveys look for rests without torque */
    bool searches;      /* passes need no more of a long log than what is in memory */
    tqa_buffer_pools
        *rooms;        /* of an operation that passes often, and frees them; NULL: none stay */
    const tq_fit *fit; /* that a pass reads for: blocks bring its shapes of friction; or NULL */
} tqa_recording_request;

/* Something that was wrong with rows: how many, and the first of them. */
typedef struct tqa_recording_count {
    uint64_t n;
    uint64_t rows[TQA_RECORDING_ROWS_TOLD];
} tqa_recording_count;

/* Kinds of repair, in the order of their names. */
typedef enum tqa_recording_repair {
    TQA_RECORDING_NOT_FINITE,   /* rows left out: a number that is none */
    TQA_RECORDING_ABSURD,       /* rows left out: beyond anything built */
    TQA_RECORDING_SPIKE,        /* rows left out: far from their neighbours */
    TQA_RECORDING_REPEATED,     /* rows left out: the time of another row */
    TQA_RECORDING_OUT_OF_ORDER, /* rows put where their time belongs */
    TQA_RECORDING_SET_BACK,     /* a new segment begins: the clock went far back */
    TQA_RECORDING_BRIDGED,      /* gaps of a few periods, interpolated */
    TQA_RECORDING_SPLIT,        /* gaps beyond that: a new segment begins */
    TQA_RECORDING_UNWRAPPED,    /* angles that jumped by a whole turn */
    TQA_RECORDING_BRAKED,       /* rests left out: without torque, where gravity pulls */
    TQA_RECORDING_UNPAIRED,     /* rows left out: another file of the log has ended */
    TQA_RECORDING_TOO_SHORT,    /* segments of fewer than eight rows, left out */
    TQA_RECORDING_REPAIRS,
} tqa_recording_repair;
extern const char *const tqa_recording_repair_names[TQA_RECORDING_REPAIRS];

typedef struct tqa_recording_window {
    uint64_t first, end;
} tqa_recording_window;

/* Rows in SI units that stay in memory: all, or runs of rows spread evenly over the log. */
typedef struct tqa_row_cache {
    size_t n, room, run; /* rows; of a run */
    uint64_t every;      /* one run in so many; 1: all rows */
    uint64_t n_run;      /* runs so far */
    size_t in_run;       /* rows of the one at hand */
    bool keeps;          /* that one is kept */
    double *values, *t;  /* (room x n_channel) as they are read, (room) */
    uint64_t *row;
    unsigned char *state;
} tqa_row_cache;

/* A stretch of rows at rest: brakes hold where torque is none and gravity pulls. */
typedef struct tqa_standstill {
    uint64_t first, last;
    size_t n;     /* rows looked at */
    double *sums; /* (nq + nv) of positions, of torques' squares; braked: the torques that are none
                   */
} tqa_standstill;

typedef struct tqa_standstills {
    tqa_standstill *list; /* NULL: nobody looks for them */
    size_t n, n_braked; /* the first n_braked are, once tqa_recording_find_braked has been called */
    bool rests;         /* the last one may go on */
    double *moving;     /* (nv) of torques' squares in motion */
    size_t n_moving;
    double *group; /* sums of the rows that are judged together */
    size_t n_group;
} tqa_standstills;

/* A window of rows that was found to have no spikes. */
typedef struct tqa_recording_clean {
    uint64_t first, last;
    size_t n;
} tqa_recording_clean;

/* One experiment. */
typedef struct tqa_recording {
    const tqa_recording_request *request;
    tqa_value part;                       /* where the request names it */
    char name[TQA_RECORDING_SOURCE_NAME]; /* for people */
    char source[TQA_RECORDING_QUANTITIES]
               [TQA_RECORDING_SOURCE_NAME]; /* as host->dataset_read takes it */
    /* the same with the digest that each was first read under: all passes read the same bytes */
    char pinned[TQA_RECORDING_QUANTITIES][TQA_RECORDING_PINNED_NAME];
    bool is_split; /* one file per quantity; else source[0] has all */

    /* found when its columns are */
    uint32_t *
        column[TQA_RECORDING_QUANTITIES]; /* of its source, in the robot's order; NULL: not there */
    double *factor[TQA_RECORDING_QUANTITIES]; /* in the robot's order */
    size_t n_time; /* 0: rows are 1 / rate apart; 2: seconds, nanoseconds */
    bool time_unit_known;
    size_t first_channel[TQA_RECORDING_QUANTITIES], n_channel;

    /* found by the survey */
    size_t n_window;
    tqa_recording_window windows[TQA_RECORDING_WINDOWS_MAX];
    uint64_t n_row, n_chosen; /* in the file, in the windows */
    uint64_t n_unpaired;      /* rows that only the longest of several files has */
    bool cut_last_line;
    tq_clock *clock;
    bool is_even;
    double period; /* s, of the log */
    double step;   /* s, of the even clock */
    double gap;    /* s: longer steps split */
    tqa_standstills stills;
    bool moves;
    uint64_t first_moving, last_moving; /* rows */
    tq_bandwidth bandwidth;             /* of the joint with the widest */
    double resolution;                  /* Hz, of the spectra that tell it */
    double *followed;      /* (nq) Hz up to which a joint's torque follows its position */
    double velocity_noise; /* rad/s or m/s, of the joint with the most */
    tq_cutoff cutoff;
    bool has_survey;
    tqa_row_cache kept;
    double *floor; /* (nv) noise of the signal that accelerations are made of, by so many
                      differences: its unit^2 / Hz; NULL: nobody has looked */
    unsigned n_difference;
    size_t n_clean;
    tqa_recording_clean clean[TQA_RECORDING_CLEAN_MAX];

    /* of the last pass */
    tqa_recording_count repairs[TQA_RECORDING_REPAIRS];
    uint64_t n_sample, n_segment;
    uint64_t n_rest;   /* samples at rest at the ends, left out */
    uint64_t n_border; /* samples at the ends of segments, left out where the filter has to guess */
    uint64_t n_braked; /* rows left out where brakes hold */
    double longest_gap; /* s, of those bridged */
} tqa_recording;

/* Reads columns, units, scale, rate, rows and filter of `object`. False: the problem is set. */
bool tqa_recording_request_read(const tqa_value *object, const tqa_order *order, unsigned need,
                                tqa_recording_request *ret);

/* One experiment: "name", {"dataset" | "job", "rows"}, or {"q": "name", "qd"...: one file each}. */
bool tqa_recording_read(const tqa_recording_request *request, const tqa_value *part,
                        tqa_recording *ret);

/* Finds the columns and looks at all rows: clock, rest at the ends, spectra. */
bool tqa_recording_inspect(tqa_recording *log);

/* After the surveys: where brakes hold, by the torques with which the first n move. Passes leave
 * these rows out. False: memory is short. */
bool tqa_recording_find_braked(const tqa_recording_request *request, tqa_recording *logs, size_t n,
                               size_t n_all);

/* After it: only runs of its rows are in memory, and long enough for searches. */
bool tqa_recording_is_sampled(const tqa_recording *log);
/* Forgets half of those runs; false, and nothing, where too few would be left. */
bool tqa_recording_search_less(tqa_recording *log);

/* Friction's way is that of the unfiltered velocity. Coarse velocities are better filtered, and
 * what only positions tell as well. */
bool tqa_recording_gives_displacement(const tqa_recording *log);

/* The filter of all logs, when it was left to the spectra of the first n; judges it for each of
 * n_judged. */
void tqa_recording_choose_cutoff(tqa_recording_request *request, tqa_recording *logs, size_t n,
                                 size_t n_judged);

/* More samples than a fit gains by: only so many of them, as long as they still follow what passes
 * the filter. Unless a number was told. */
void tqa_recording_choose_decimation(tqa_recording_request *request, const tqa_recording *logs,
                                     size_t n, double n_sample);

/* Some samples. Pointers are borrowed for the call. */
typedef struct tqa_recording_block {
    tq_experiment_block data; /* tau and tau_raw are NULL when the log has none */
    const double *t;          /* (n_sample) s from the log's first row */
    const uint64_t *row;      /* (n_sample) of the file, from 0 */
} tqa_recording_block;
/* False: stop, the problem is set. */
typedef bool tqa_recording_sink(void *ctx, const tqa_recording_block *block);

/* Reads the log once from front to back and gives its samples to `sink`, in memory that does not
 * grow with it. False: the problem is set. */
bool tqa_recording_pass(tqa_recording *log, tqa_recording_sink *sink, void *ctx);

void tqa_buffer_pools_free(tqa_buffer_pools *rooms);

/* Members that say what was found and repaired, into the open object of the answer. */
void tqa_recording_report(tqa_writer *answer, const tqa_recording *log);
void tqa_recording_report_filter(tqa_writer *answer, const tqa_recording_request *request);

#endif
