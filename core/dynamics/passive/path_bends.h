/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path_bends.h - second derivatives of the torque of a tendon; private to the
 * tendons. */
#ifndef TQ_DYNAMICS_PASSIVE_PATH_BENDS_H
#define TQ_DYNAMICS_PASSIVE_PATH_BENDS_H

#include "core/dynamics/derivatives/second_arrays.h"
#include "core/dynamics/passive/path_slopes.h"

typedef struct tq_path_bends {
    tq_path_slopes slopes;
    double *slope_slope; /* (nv x nv) d2L/dq2, the row differentiated first */
    double *rate_slope;  /* (nv x nv) d2(dL/dt)/dq2 */
    uint32_t *rows;      /* (nv) that the tendon at hand pulls */
    uint8_t *is_row;     /* (nv) */
} tq_path_bends;

/* As tq_path_slopes_begin, with tq_path_bends_scratch_size(model). */
tq_status tq_path_bends_begin(const tq_model *model, const tq_path_sample *at, tq_scratch *scratch,
                              tq_path_bends *ret, tq_error *reterr);
size_t tq_path_bends_scratch_size(const tq_model *model);

/* Adds the second derivatives of the torque that overcomes the tension (all but those by qdd). Of a
 * line of length l along u between points whose difference is x, with x_f = D_f x and so on:
 *
 *     l_f = u . x_f,  l_fk = u . x_fk + (x_f . x_k - l_f l_k) / l,
 *     l_fkm = u . x_fkm + (x_m . x_fk + x_k . x_fm + x_f . x_km - l_m l_fk - l_k l_fm - l_f l_km) /
 *             l
 *
 * O(cube of the joints between points + cube of the rows). */
void tq_path_bends_add(tq_path_bends *bends, const tq_tendon *tendon,
                       const tq_path_tension *tension, const tq_second_derivatives *ret);

#endif
