/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/search.h - the state of a search: private to this folder. */
#ifndef TQ_IDENTIFY_DIAGNOSIS_SEARCH_H
#define TQ_IDENTIFY_DIAGNOSIS_SEARCH_H

#include "core/identify/diagnosis/diagnosis_private.h"

/* What a fault changes: a factor of a row of the model, an exchange of torques, columns. */
typedef struct tq_change {
    size_t row, other; /* SIZE_MAX: all rows; no exchange */
    uint64_t runs;     /* of factor and exchange; 0: all */
    double factor;
    unsigned kind, width; /* of each of n_extra columns; several: one for each row */
    size_t n_extra;
    uint64_t extra_runs;
} tq_change;

typedef struct tq_search {
    tq_diagnosis *d;
    tq_hypothesis h; /* with the faults found so far */
    double left;     /* S by it */
    tq_change trial, change;
    double best; /* nats beyond its price that `finding` explains */
    tq_finding finding;
    bool is_level; /* a tilt has been looked for, and was none */
} tq_search;

/* Joints that move. */
size_t tq_moved_count(const tq_diagnosis *d);
/* All torques by a factor off the robot's model: a unit, a gear's ratio. After a fit. */
bool tq_search_units(tq_diagnosis *d, tq_finding *ret);
/* The angle of a tilt in steps, each by the bodies that the step before has found. */
tq_status tq_search_tilt(tq_diagnosis *d, tq_finding *inout, tq_error *reterr);
/* Positions exchanged: a regressor of its own for each pair, at the samples kept. */
tq_status tq_search_positions(tq_search *s, tq_error *reterr);
/* The recording that has parameters of its own. */
bool tq_search_runs(tq_search *s, tq_finding *ret);

#endif
