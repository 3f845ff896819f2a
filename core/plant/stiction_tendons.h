/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/stiction_tendons.h - tendons that dry friction holds: rows, and tensions of the holds;
 * private to the equations of motion with held joints. */
#ifndef TQ_PLANT_STICTION_TENDONS_H
#define TQ_PLANT_STICTION_TENDONS_H

#include <stdbool.h>

#include "core/dynamics/forward.h"

typedef struct tq_stuck_tendons {
    size_t n;
    uint32_t *tendon;
    double *q, *qd; /* (nq), (nv) flat */
    double *rows;   /* (n x nv) dL/dq */
    double *target; /* (n) d2L/dt2 less what M^-1 does, or -dL/dt */
    double *y, *s;  /* (n x nv) M^-1 J^T of the moving rows; (n x n) */
    double *hold;   /* (n) tensions */
} tq_stuck_tendons;

size_t tq_stuck_tendons_size(const tq_model *model);
bool tq_stuck_tendons_take(const tq_model *model, tq_scratch *scratch, tq_stuck_tendons *ret);

/* The tendons whose mode (n_joint + n_tendon) is TQ_MODE_STUCK, and their rows; all else 0. */
void tq_stuck_tendons_find(const tq_model *model, const signed char *mode, size_t stride,
                           const double *q, const double *qd, tq_stuck_tendons *ret);

/* target = -qd^T d2L/dq2 qd. As tq_tendon_turn. */
tq_status tq_stuck_tendons_turn(const tq_model *model, tq_scratch *scratch, tq_stuck_tendons *at,
                                tq_error *reterr);

/* x (n_moving) += M^-1 J^T hold with J x = target, by the factor l of M over the moving rows: (J
 * M^-1 J^T) hold = target - J x. Of tendons that depend on each other the last ones have no hold.
 * TQ_OK, TQ_ERR_SINGULAR. */
tq_status tq_stuck_tendons_hold(const tq_model *model, tq_stuck_tendons *at, size_t n_moving,
                                const size_t *moving, const double *l, double *x, tq_error *reterr);

#endif
