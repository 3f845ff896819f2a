/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/recording.h - recorded motion as operations compute with it: chosen columns of
 * datasets or of jobs' results, in SI units, on a uniform grid, filtered, with every repair
 * counted. */
#ifndef TQA_RECORDINGS_RECORDING_H
#define TQA_RECORDINGS_RECORDING_H

#include "api/codec/writer.h"
#include "api/request/robot_fields.h"
#include "api/tables/table.h"
#include "core/identify/regression/fit.h"
#include "core/signal/commanded/commanded_torque.h"
#include "core/signal/pass.h"
#include "core/signal/recording.h"
#include "core/signal/wrench_rows.h"

enum {
    TQA_RECORDING_WINDOWS_MAX = 64, /* of rows */
    TQA_RECORDING_SOURCE_NAME = 160,
    TQA_RECORDING_PINNED_NAME = 240,
    TQA_RECORDING_WRENCHES_MAX = 64,
};

/* The quantities of core, time, and commanded motion. */
typedef enum tqa_recording_quantity {
    TQA_RECORDING_Q = TQ_QUANTITY_Q,
    TQA_RECORDING_QD = TQ_QUANTITY_QD,
    TQA_RECORDING_QDD = TQ_QUANTITY_QDD,
    TQA_RECORDING_TAU = TQ_QUANTITY_TAU,
    TQA_RECORDING_TIME = TQ_QUANTITIES,
    TQA_RECORDING_Q_CMD, /* of recordings without torque, whose controller is known */
    TQA_RECORDING_QD_CMD,
    TQA_RECORDING_TAU_FF,        /* what the controller adds to its law */
    TQA_RECORDING_BASE_POSITION, /* of the floating base, beside q and qd of the joints alone */
    TQA_RECORDING_BASE_QUATERNION,
    TQA_RECORDING_BASE_TWIST,
    TQA_RECORDING_QUANTITIES,
} tqa_recording_quantity;

/* Memory that a pass leaves for the next one: fresh pages would cost a tenth of each. */
typedef struct tqa_pass_memory {
    void *block;
    size_t n;        /* bytes */
    void *groups[2]; /* of overlapped passes, or NULL */
    size_t n_group[2];
} tqa_pass_memory;

/* An external wrench of which recordings have columns; `sign` times it acts on the robot. */
typedef struct tqa_recording_wrench {
    tqa_value part; /* names the columns */
    uint32_t link;
    double at[3]; /* in the link frame, m */
    double sign;
    bool in_link; /* along the link's axes; else the world's */
} tqa_recording_wrench;

/* Options of a request for all of its recordings. */
typedef struct tqa_recording_request {
    tqa_tree *tree;
    const tqa_order *order;
    unsigned need;    /* bit q: quantity q must be there */
    tqa_value object; /* that has all these fields */
    tqa_value columns;
    const struct tqa_layout *preset;          /* that `columns` names, or NULL */
    double *factor[TQA_RECORDING_QUANTITIES]; /* to SI, in the user's order of joints */
    bool unit_known[TQA_RECORDING_QUANTITIES];
    bool scaled[TQA_RECORDING_QUANTITIES];
    bool in_amperes;     /* of tau */
    bool ff_in_amperes;  /* of tau_ff */
    bool has_delay;      /* the request states it */
    bool takes_rest;     /* the operation has `at_rest`, for joints without columns */
    uint32_t base;       /* the joint that floats; TQ_NONE: none, or several */
    bool takes_contacts; /* the operation has `contacts`, and */
    bool has_contacts;   /* the request states them: torque may be that of the joints alone */
    const bool *torque_is_used; /* (nv) other torques are read as 0; NULL: all are */
    tqa_value rows;
    tq_recording_options options;
    tqa_pass_memory *memory; /* of an operation with many passes, which frees it; NULL: of each */
    const tq_commanded_law *law; /* torque of recordings that have none; NULL: there is none */
    bool reads_gains; /* passes have the rows of unknown gains of it, in the place of friction's */
    const tqa_recording_wrench *wrenches; /* (n_wrench) */
    size_t n_wrench;
    const tq_fit *fit; /* that a pass feeds: blocks bring its friction regressors; or NULL */
} tqa_recording_request;

typedef struct tqa_recording_window {
    uint64_t first, end;
} tqa_recording_window;

/* One experiment. */
typedef struct tqa_recording {
    const tqa_recording_request *request;
    tqa_value part;                       /* place of its name in the request */
    char name[TQA_RECORDING_SOURCE_NAME]; /* for people */
    char source[TQA_RECORDING_QUANTITIES]
               [TQA_RECORDING_SOURCE_NAME]; /* as host->dataset_read takes it */
    /* the same with the digest that each was first read under: all passes read the same bytes */
    char pinned[TQA_RECORDING_QUANTITIES][TQA_RECORDING_PINNED_NAME];
    bool is_split; /* one file per quantity; else source[0] has all */

    /* set by tqa_recording_columns_find */
    /* of its source, in the robot's order, TQ_NONE: of the base, which has none; NULL: not there */
    uint32_t *column[TQA_RECORDING_QUANTITIES];
    double *factor[TQA_RECORDING_QUANTITIES]; /* in the robot's order */
    bool of_joints[TQA_RECORDING_QUANTITIES]; /* the floating base has no columns of it */
    size_t n_time; /* 0: rows are 1 / rate apart; 2: seconds, nanoseconds */
    bool time_unit_known;
    bool unit_known[TQA_RECORDING_QUANTITIES]; /* the file states it */
    const char *layout; /* constant: which names of columns were recognised; NULL: the request's */
    const char **names[TQA_RECORDING_QUANTITIES]; /* of the columns, in the user's order, or NULL */
    size_t n_name[TQA_RECORDING_QUANTITIES];
    size_t n_window;
    tqa_recording_window windows[TQA_RECORDING_WINDOWS_MAX];
    bool cut_last_line;
    bool is_commanded;          /* torque is that of request->law */
    tq_commanded_sums *follows; /* (nv) of all rows, once surveyed; where is_commanded */
    const bool *torque_is_used; /* (nv) as the request's, of this recording; NULL: the request's */
    uint32_t *wrench_column;    /* (6 n_wrench) force and moment of each; TQ_NONE: zero */
    double longest_unseen;      /* s between two rows of a controller with an integral; likewise */
    bool
        fits_signs; /* by the operation: a fit of the whole robot will find wrong signs of torque */

    tq_recording signal;
} tqa_recording;

extern const char *const tqa_recording_repair_names[TQ_REPAIRS];

/* Reads columns, units, scale, rate, rows and filter of `object`. False: the problem is set. */
bool tqa_recording_request_read(const tqa_value *object, const tqa_order *order, unsigned need,
                                tqa_recording_request *ret);

/* One experiment: "name", {"dataset" | "job", "rows"}, or {"q": "name", "qd"...: one file each}. */
bool tqa_recording_read(const tqa_recording_request *request, const tqa_value *part,
                        tqa_recording *ret);

/* Finds the columns and surveys all rows: clock, rest at the ends, plausibility, spectra. */
bool tqa_recording_inspect(tqa_recording *recording);

/* After the surveys: where brakes hold, by the torques with which the first n move. Passes leave
 * these rows out. False: the problem is set. */
bool tqa_recording_find_braked(const tqa_recording_request *request, tqa_recording *recordings,
                               size_t n, size_t n_all);

/* The filter of all recordings, by the spectra of the first n unless the request states it; checks
 * it for each of n_judged. */
void tqa_recording_choose_cutoff(tqa_recording_request *request, tqa_recording *recordings,
                                 size_t n, size_t n_judged);

/* After the cut-off: joints that move slowly where others move fast have their own. False: the
 * problem is set. */
bool tqa_recording_choose_own(tqa_recording_request *request, tqa_recording *recordings, size_t n);

/* Decimates if n_sample is larger than a fit benefits from, unless the request states the factor.
 * */
void tqa_recording_choose_decimation(tqa_recording_request *request, tqa_recording *recordings,
                                     size_t n, double n_sample);

typedef tq_recording_block tqa_recording_block;
/* False: stop, the problem is set. */
typedef tq_block_sink tqa_recording_sink;

/* Reads the recording once from front to back and passes its samples to `sink`, in memory that does
 * not grow with it. False: the problem is set, or the sink has stopped the pass. */
bool tqa_recording_pass(tqa_recording *recording, tqa_recording_sink *sink, void *ctx);

/* An operation that computes with the blocks of a pass while the next ones are read. */
typedef struct tqa_recording_receiver {
    /* on any thread, one call at a time; does not set the problem */
    tqa_recording_sink *sink;
    /* on the caller's thread, after the blocks of each window; false: the problem is set */
    bool (*between)(void *ctx);
    void *ctx;
} tqa_recording_receiver;

/* The same pass with the same blocks, on two threads where the host has them. */
bool tqa_recording_pass_overlapped(tqa_recording *recording,
                                   const tqa_recording_receiver *receiver);

void tqa_pass_memory_free(tqa_pass_memory *memory);

/* Writes findings and repairs as members of the open object of the answer. */
void tqa_recording_report(tqa_writer *answer, const tqa_recording *recording);
/* `datasets` with what each is used for, the first n_first for another than the rest; `filter`. */
void tqa_recording_report_all(tqa_writer *answer, const tqa_recording_request *request,
                              const tqa_recording *recordings, size_t n_first,
                              const char *first_for, size_t n, const char *rest_for);
void tqa_recording_report_filter(tqa_writer *answer, const tqa_recording_request *request);

#endif
