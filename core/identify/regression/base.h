/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/base.h - base parameters: the minimal set of parameters that determines
 * torque. */
#ifndef TQ_IDENTIFY_REGRESSION_BASE_H
#define TQ_IDENTIFY_REGRESSION_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/regressor/regressor.h"

/* Base parameters: beta_i = parameter[independent[i]] + sum_j k[i][j] parameter[dependent[j]], and
 * tau = Y_independent beta. Arrays are the caller's, each of n_parameter entries, k of
 * n_parameter^2. */
typedef struct tq_base_set {
    size_t n_parameter; /* columns of the full regressor */
    size_t n_base;      /* structural rank */
    size_t n_dependent; /* columns that are combinations of the base columns */
    size_t n_without;   /* columns that are always zero: no effect on torque */
    uint32_t *independent, *dependent, *without;
    double *k;  /* (n_base x n_dependent, row by row) coefficients, 0 below rounding */
    double gap; /* smallest retained over largest dropped pivot: clarity of the rank */
} tq_base_set;

typedef struct tq_base_options {
    uint64_t seed;              /* of the random states */
    const bool *row_is_used;    /* (nv) rows of torque that are known; NULL: all */
    const bool *column_is_used; /* (n_parameter) parameters that are not known already: the others
                                   count as without effect; NULL: all */
    const double *gravity;      /* 3, world frame; NULL: the model's own */
    bool at_rest;               /* states without velocity and acceleration */
    bool (*stop)(void *ctx);    /* called before each state and each column; true: the search ends
                                without result. NULL: never */
    void *stop_ctx;
} tq_base_options;

/**
 * Find the base parameters of a model from random states.
 *
 * Columns are tried in an order that gives the usual combinations (masses and the
 * moments that regroup towards the base last within each link), on the triangle of a stacked
 * regressor with columns scaled to one length. A column that the others combine to within 1e-4 of
 * its length is one of their combinations.
 *
 * Memory   tq_base_scratch_size(model, with) bytes of `scratch`, all released.
 * Returns  TQ_OK
 *          TQ_ERR_NO_CONVERGENCE  "stop": `stop` returned true
 *          TQ_ERR_SCRATCH, TQ_ERR_SHAPE (no freedom)
 * Cost     O(n_parameter) states of O(n_link depth), and O(n_parameter^3).
 * Source   M. Gautier, Numerical calculation of the base inertial parameters of robots, J. Robotic
 *          Systems 8(4), 1991.
 * Checked  tests/property/core/identify/regression/test_base.c
 */
tq_status tq_base_find(const tq_model *model, unsigned with, const tq_base_options *options,
                       tq_scratch *scratch, tq_base_set *ret_base, tq_error *reterr);
size_t tq_base_scratch_size(const tq_model *model, unsigned with);

/* Base values from full ones: ret_beta (n_base) of values (n_parameter). */
void tq_base_values(const tq_base_set *base, const double *values, double *ret_beta);

#endif
