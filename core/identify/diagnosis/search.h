/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/search.h - the state of a search: private to this folder. */
#ifndef TQ_IDENTIFY_DIAGNOSIS_SEARCH_H
#define TQ_IDENTIFY_DIAGNOSIS_SEARCH_H

#include "core/identify/diagnosis/diagnosis_private.h"

/* What a fault changes: the factor of a row, the assignment of torques, additional columns. */
typedef struct tq_change {
    size_t row, other; /* SIZE_MAX: all rows; no exchange */
    uint64_t runs;     /* runs that factor and exchange apply to; 0: all */
    double factor;
    unsigned kind, width; /* of each of n_extra columns; more than one: one for each row */
    size_t n_extra;
    uint64_t extra_runs;
} tq_change;

typedef struct tq_search {
    tq_diagnosis *d;
    tq_hypothesis h; /* includes the faults accepted so far */
    double left;     /* S of this hypothesis */
    /* nats that a fault must explain more where accelerations are noisy: of the sums, of samples */
    double price_noise, price_kept;
    tq_change trial, change;
    double best; /* nats that `finding` explains beyond its price */
    tq_finding finding;
    bool is_level; /* a tilt was searched and is below least_angle */
} tq_search;

/* True if the joint of row r moves: at rest its torque fits the position of any joint. */
bool tq_is_moved(const tq_diagnosis *d, size_t r);
/* Number of joints that move. */
size_t tq_moved_count(const tq_diagnosis *d);
/* Recordings in which every torque counts against its position. */
bool tq_search_turned(const tq_diagnosis *d, tq_finding *ret);
/* All torques by a factor off the robot's model: a unit, a gear's ratio. After a fit. */
bool tq_search_units(tq_diagnosis *d, tq_finding *ret);
/* Gauss-Newton steps for a large tilt: each uses the inertial parameters of the step before. */
tq_status tq_search_tilt(tq_diagnosis *d, tq_finding *inout, tq_error *reterr);
/* Exchanged positions: for each pair the regressor is computed anew at the samples kept. */
tq_status tq_search_positions(tq_search *s, tq_error *reterr);
/* The recording whose parameters differ from those of all others. */
bool tq_search_runs(tq_search *s, tq_finding *ret);

#endif
