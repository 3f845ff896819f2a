/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/regressor/regressor.h - torque as a linear function of parameters, in the user's
 * frames. */
#ifndef TQ_DYNAMICS_REGRESSOR_REGRESSOR_H
#define TQ_DYNAMICS_REGRESSOR_REGRESSOR_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/model/model.h"

/* The parameter of a column of the regressor. */
typedef enum tq_parameter_kind {
    TQ_PARAMETER_MASS, /* kg; of a link, in its own frame and about its own origin: */
    TQ_PARAMETER_MX,   /* mass times centre of mass, kg m */
    TQ_PARAMETER_MY,
    TQ_PARAMETER_MZ,
    TQ_PARAMETER_IXX, /* inertia tensor about the frame's origin, kg m^2; IXY = -integral x y dm */
    TQ_PARAMETER_IXY,
    TQ_PARAMETER_IXZ,
    TQ_PARAMETER_IYY,
    TQ_PARAMETER_IYZ,
    TQ_PARAMETER_IZZ,
    TQ_PARAMETER_ROTOR,     /* reflected inertia ratio^2 inertia of a joint, kg m^2 or kg */
    TQ_PARAMETER_VISCOUS,   /* N m s/rad or N s/m */
    TQ_PARAMETER_COULOMB,   /* N m or N, times sign(qd) or tanh(qd / smoothing) */
    TQ_PARAMETER_OFFSET,    /* N m or N */
    TQ_PARAMETER_STIFFNESS, /* of a spring with the model's rest position, N m/rad or N/m */
} tq_parameter_kind;

enum { TQ_PARAMETERS_OF_LINK = 10 };

/* Joint parameters that have columns; the ten of every moving link always do. */
enum {
    TQ_REGRESS_ROTOR = 1u << 0,
    TQ_REGRESS_VISCOUS = 1u << 1,
    TQ_REGRESS_COULOMB = 1u << 2,
    TQ_REGRESS_OFFSET = 1u << 3,
    TQ_REGRESS_STIFFNESS = 1u << 4,
};

/* One column: the parameter and its link or joint. */
typedef struct tq_parameter {
    tq_parameter_kind kind;
    uint32_t link;  /* of the first ten kinds, else TQ_NONE */
    uint32_t joint; /* of the others, else TQ_NONE */
} tq_parameter;

/* Number of columns, and their parameters (n_parameter): links in the order of their joints in the
 * model's `order`, ten each, without the root; then the chosen kinds joint by joint, for one-dof
 * joints. */
size_t tq_parameter_count(const tq_model *model, unsigned with);
void tq_parameter_list(const tq_model *model, unsigned with, tq_parameter *ret_parameters);

/* The model's own values, in the same order. */
void tq_parameter_values(const tq_model *model, unsigned with, double *ret_values);

/* One state. Borrowed. */
typedef struct tq_regressor_input {
    const double *q;       /* (nq) */
    const double *qd;      /* (nv); NULL: zero */
    const double *qdd;     /* (nv); NULL: zero */
    const double *gravity; /* 3, m/s^2 in the world frame; NULL: the model's own */
} tq_regressor_input;

/**
 * Regressor of one state: tau = Y parameters, without the terms that have no column.
 *
 * Shapes   ret_y (nv x n_parameter, row by row).
 * Memory   tq_regressor_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_QUATERNION, TQ_ERR_SCRATCH.
 * Cost     O(n_link depth).
 * Source   C. Atkeson, C. An, J. Hollerbach, Estimation of inertial parameters of manipulator loads
 *          and links, IJRR 5(3), 1986.
 * Checked  tests/property/core/dynamics/regressor/test_regressor.c
 */
tq_status tq_regressor(const tq_model *model, unsigned with, const tq_regressor_input *in,
                       tq_scratch *scratch, double *ret_y, tq_error *reterr);
size_t tq_regressor_scratch_size(const tq_model *model);

#endif
