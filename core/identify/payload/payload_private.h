/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/payload/payload_private.h - the sums of a payload: private to this folder. */
#ifndef TQ_IDENTIFY_PAYLOAD_PAYLOAD_PRIVATE_H
#define TQ_IDENTIFY_PAYLOAD_PAYLOAD_PRIVATE_H

#include "core/identify/payload/payload.h"
#include "core/identify/regression/fit_private.h"
#include "core/identify/sweep.h"
#include "core/identify/validation/static_check.h"

/* Columns of a row: the carrier's ten parameters, its joint's friction, the model's residual
 * torque. */
enum {
    TQ_PAYLOAD_FRICTION = TQ_PAYLOAD_TEN,
    TQ_PAYLOAD_LEFT = TQ_PAYLOAD_TEN + TQ_PAYLOAD_FRICTIONS,
    TQ_PAYLOAD_WIDTH,
    TQ_PAYLOAD_GRAM = TQ_PAYLOAD_WIDTH * TQ_PAYLOAD_WIDTH,
    TQ_PAYLOAD_DERIVED = 10, /* mass, centre of mass, tensor about it */
};

struct tq_payload {
    const tq_fit *fit;
    tq_payload_plan plan;
    uint32_t at;     /* the carrier is the child of joint model->order[at] */
    size_t n_row;    /* rows of torque whose joints move the carrier */
    uint32_t *row;   /* (n_row) */
    uint32_t *joint; /* (n_row) the one-dof joint of the row; TQ_NONE: no friction is fitted */
    double *value;   /* (n_column) of the model */
    tq_fit_run run;
    double *torque;               /* (TQ_FOLD_RUN) model torque of one row */
    size_t each;                  /* number of segments of a recording */
    size_t n_segment;             /* number of segments begun */
    double *grams;                /* (n_recording each x n_row x TQ_PAYLOAD_GRAM) upper triangles */
    double *count;                /* (n_recording each x n_row) number of samples in them */
    uint8_t *carries;             /* (n_recording each) */
    size_t seen, expected, first; /* samples seen and expected of the current recording; its first
                                     segment */
    bool now_carries;
    size_t n_sample, n_moving;  /* samples of recordings with payload */
    tq_static_check *checks[2]; /* poses without and with payload */
    double *total;              /* (2 x n_row x TQ_PAYLOAD_GRAM) */
    double *sigma;              /* (n_row) */
    double *friction;           /* (nv x TQ_PAYLOAD_FRICTIONS) */
    double *rms;                /* (2 nv) */
    tq_scratch *memory;
};

/* Estimates mass and first moments from poses: fills ten, counts and freedom. */
tq_status tq_payload_of_poses(tq_payload *payload, tq_payload_result *ret, tq_error *reterr);

tq_payload_state tq_payload_state_of(const tq_payload_number *mass);
/* Mass, centre of mass and tensor about it from ten parameters whose mass is not 0. */
void tq_payload_derive(const double ten[TQ_PAYLOAD_TEN], double ret[TQ_PAYLOAD_DERIVED]);
/* The payload's normal equations from motion, with the model's error eliminated: ret_a (10 x 10),
 * ret_right (10); ret_left: objective at the estimate. */
void tq_payload_equations(const tq_payload *payload, double *ret_a, double *ret_right,
                          double *ret_left);
/* The body of positive density nearest to the estimate: replaces its values and intervals. */
tq_status tq_payload_adopt_body(tq_payload *payload, tq_payload_result *ret, tq_error *reterr);

#endif
