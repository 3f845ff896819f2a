/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/parts.h - between the files of this folder: the rows of a recording in SI units,
 * and the texts of its faults. */
#ifndef TQA_RECORDINGS_PARTS_H
#define TQA_RECORDINGS_PARTS_H

#include "api/recordings/recording.h"

/* A table of a recording, and where its bytes come from. */
typedef struct tqa_recording_source {
    const tqa_host *host;
    char name[TQA_RECORDING_PINNED_NAME];
    tqa_table *table;
} tqa_recording_source;

/* Room for a run of rows, in one block of memory. False: memory is short. */
bool tqa_raw_run_allocate(size_t n_channel, tq_raw_run *ret);
void tqa_raw_run_free(tq_raw_run *run);

/* Rows of a recording, front to back, up to TQ_RAW_ROWS together. */
typedef struct tqa_recording_rows {
    tqa_recording *recording;
    bool is_cached; /* since before they were opened: a survey writes the cache meanwhile */
    tqa_recording_source sources[TQA_RECORDING_QUANTITIES]; /* one only, unless it is split */
    uint64_t n;                                             /* rows of the file so far */
    uint64_t poll_at; /* rows: then the host is asked for cancellation */
    size_t cache_at;  /* rows of the cache so far */
    double time_base; /* first whole seconds, or first time */
    bool has_base;

    tq_commanded *commanded; /* of one whose torque is its controller's; else NULL */
    void *commanded_memory;
    tq_wrench_rows *wrenches; /* where the request names columns of external ones; else NULL */
    void *wrench_memory;
    size_t n_run;
    tq_raw_run run; /* that is filled: `own`, unless a caller puts another one here */
    tq_raw_run own;
} tqa_recording_rows;

/* False: the problem is set. Close it either way. */
bool tqa_recording_rows_open(tqa_recording_rows *rows, tqa_recording *recording);
void tqa_recording_rows_close(tqa_recording_rows *rows);
/* The next rows of the recording's windows, in rows->run; false at the end, or with the problem
 * set. */
bool tqa_recording_rows_next(tqa_recording_rows *rows, tq_raw_rows *ret);

/* Calls `inspect` once, with the first long stretch of motion; never when there is none. */
bool tqa_recording_inspect_motion(tqa_recording *recording,
                                  bool (*inspect)(void *ctx, const tq_uniform *uniform), void *ctx);

/* (nv) Torques that are read; NULL: all are. */
static inline const bool *tqa_recording_used(const tqa_recording *recording)
{
    return recording->torque_is_used != NULL ? recording->torque_is_used
                                             : recording->request->torque_is_used;
}

/* Finds the request's columns in the tables. */
bool tqa_recording_columns_find(tqa_recording *recording, tqa_recording_source *sources);

/* Where a request says `outer` (and in it `inner`, unless NULL); else where it names the
 * recording. */
tqa_value tqa_recording_place(const tqa_recording *recording, const char *outer, const char *inner);

/* Number of rows of a quantity: nq or nv, 1 for time, 3, 4 or 6 of the base. */
size_t tqa_recording_width(const tqa_recording_request *request, tqa_recording_quantity quantity);
/* The robot's row of q or v for row r, in the user's order; 0 for time; r of the base's. */
uint32_t tqa_recording_row(const tqa_recording_request *request, tqa_recording_quantity quantity,
                           size_t r);
/* The joint of that row; NULL: a mimic joint's. */
const tq_joint *tqa_recording_joint(const tqa_recording_request *request,
                                    tqa_recording_quantity quantity, size_t r);
/* True if a row of the user's order is one of the floating base. */
bool tqa_recording_is_of_base(const tqa_recording_request *request, tqa_recording_quantity quantity,
                              size_t r);
/* Of commanded motion: q_cmd, qd_cmd, tau_ff. */
bool tqa_recording_is_command(tqa_recording_quantity quantity);
extern const char *const tqa_recording_quantity_names[TQA_RECORDING_QUANTITIES];

/* False: the part of a request names a quantity of a floating base where there is none; the problem
 * is set. */
bool tqa_recording_refuse_base(const tqa_recording_request *request, const tqa_value *part);
/* Fields `units` and `scale` of a request. False: the problem is set. */
bool tqa_recording_read_units(tqa_recording_request *request, const tqa_value *object);
bool tqa_recording_read_scale(tqa_recording_request *request, const tqa_value *object);
/* False: the request states currents without drive gains; the problem is set. */
bool tqa_recording_check_amperes(const tqa_recording_request *request, const tqa_value *object);
/* The factor to SI of a unit by its name, for row r in the user's order; 0: there is none. Currents
 * (A, mA) of tau are units of it. */
double tqa_recording_unit(const tqa_recording_request *request, tqa_recording_quantity quantity,
                          size_t r, const char *text, bool *ret_is_current);

/* Sets the problem of a status of core, by its fault where it has one. Always false. */
bool tqa_recording_fail(const tqa_recording *recording, tq_status status,
                        const tq_recording_fault *fault, const tq_error *error);

#endif
