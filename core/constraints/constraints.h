/* SPDX-License-Identifier: Apache-2.0 */
/* core/constraints/constraints.h - kinematic constraints beyond joints: loops, contacts, rolling,
 * couplings. */
#ifndef TQ_CONSTRAINTS_CONSTRAINTS_H
#define TQ_CONSTRAINTS_CONSTRAINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/constraints/expression.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/model/model.h"

enum {
    TQ_CONSTRAINT_MAX = 256,     /* of one robot */
    TQ_CONSTRAINT_ROW_MAX = 384, /* of all of them */
};

/* Each constraint is one or several rows A(q) qd = b. Rows from a condition h(q) = 0 on coordinates
 * (holonomic) also have the residual h, and A = dh/dq. a and b are links; all quantities are of b
 * relative to a, so a row's multiplier is positive if its force pushes b along the row's direction.
 */
typedef enum tq_constraint_kind {
    TQ_CONSTRAINT_LOOP,            /* frame of b coincides with frame of a, in the chosen
                                      directions of a */
    TQ_CONSTRAINT_DISTANCE,        /* origins of the frames are `length` apart */
    TQ_CONSTRAINT_POINT_ON_PLANE,  /* origin of b's frame in the plane x y of a's */
    TQ_CONSTRAINT_POINT_ON_SPHERE, /* origin of b's frame `length` from the origin of a's */
    TQ_CONSTRAINT_ROLLING,         /* a ball or disk of b rolls on a plane or sphere of a */
    TQ_CONSTRAINT_COUPLING,        /* a linear equation of coordinates */
    TQ_CONSTRAINT_PFAFFIAN,        /* rows of expressions times velocities (Pfaffian constraint) */
    TQ_CONSTRAINT_EQUATION,        /* an expression of coordinates is 0 */
} tq_constraint_kind;

typedef struct tq_link_frame {
    uint32_t link;
    tq_pose pose; /* in the link frame */
} tq_link_frame;

/* factor * q[q_index], or factor * qd[v_index] */
typedef struct tq_coupling_term {
    uint32_t q_index, v_index;
    double factor;
} tq_coupling_term;

/* One entry of a Pfaffian row: expression * qd[v_index]. */
typedef struct tq_pfaffian_term {
    uint32_t row; /* of this constraint */
    uint32_t v_index;
    tq_expression expression;
} tq_pfaffian_term;

/* Arrays are borrowed. The kind determines which members are used. */
typedef struct tq_constraint {
    tq_constraint_kind kind;
    tq_link_frame a, b;
    unsigned axes; /* LOOP: bit k: x, y, z of the point, rotations about x, y, z; in a's frame */
    double length; /* DISTANCE, POINT_ON_SPHERE; m, > 0 */

    /* ROLLING: the origin of b's frame is the body's centre; a disk is in its plane x y. The
     * surface is the plane x y of a's frame with b on the side of +z, or a sphere about its origin.
     */
    double radius;  /* of the body, m, > 0 */
    double surface; /* radius of the sphere of a, m; 0: a plane */
    bool inside;    /* the ball rolls inside a hollow sphere: surface > radius */
    bool disk;      /* on planes only */
    bool slips;     /* one row, the contact only; else the contact points have equal velocity (no
                       slip) */
    bool no_spin;   /* one more row: no rotation about the contact normal */

    const tq_coupling_term *coupling; /* sum of terms = offset */
    size_t n_coupling;
    double offset;

    const tq_pfaffian_term *pfaffian; /* row r: sum of terms = equals[r] */
    size_t n_pfaffian;
    uint32_t n_equation;
    const double *equals; /* (n_equation) */

    tq_expression equation;

    uint32_t first_row, n_row; /* set by tq_constraints_finish */
} tq_constraint;

/* The constraints of a robot, in addition to its model. Immutable once finished. */
typedef struct tq_constraints {
    uint32_t n_constraint, n_row;
    tq_constraint *items; /* (n_constraint) */
    const bool *actuated; /* (nv) rows of tau that are actuated; NULL: all */
} tq_constraints;

/**
 * Check constraints of a finished model, and number their rows.
 *
 * Memory   Writes only n_row, and first_row and n_row of the items.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE  "constraints": more than TQ_CONSTRAINT_MAX, or rows than
 *                        TQ_CONSTRAINT_ROW_MAX (value: their number)
 *          TQ_ERR_RANGE  the field of constraint `index` that is invalid: "link", "axes", "length",
 *                        "radius", "surface", "joint" (a row of q or qd that does not exist),
 *                        "expression"
 * Cost     O(n_constraint).
 * Checked  tests/unit/core/constraints/test_constraints.c
 */
tq_status tq_constraints_finish(const tq_model *model, tq_constraints *constraints,
                                tq_error *reterr);

/* True if row r of the constraint comes from a condition on coordinates. */
bool tq_constraint_is_holonomic(const tq_constraint *constraint, uint32_t r);

/* Rows of all constraints at one state; `a` is required, the others may be NULL. */
typedef struct tq_constraint_rows {
    double *a;        /* (n_row x nv), row by row */
    double *rate;     /* (n_row x nv) dA/dt at the posture's velocity */
    double *position; /* (n_row) h, m or rad; 0 for nonholonomic rows */
    double *velocity; /* (n_row) A qd - b at the posture's velocity */
} tq_constraint_rows;

/**
 * Compute the rows at one state.
 *
 * Shapes   q (nq) and qd (nv; NULL: rest) those of the posture.
 * Memory   tq_constraint_rows_scratch_size(model) bytes of `scratch`, all released.
 * Returns  TQ_OK, TQ_ERR_SCRATCH
 *          TQ_ERR_SINGULAR "constraint": constraint `index` is undefined here: a disk lies flat, a
 *                          ball's centre is that of the sphere, an expression is not finite
 * Cost     O(n_row depth) plus the expressions.
 * Source   Murray, Li & Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, ch. 6.
 * Checked  tests/property/core/constraints/test_rows.c
 */
tq_status tq_constraint_rows_compute(const tq_constraints *constraints,
                                     const tq_configuration *posture, const double *q,
                                     const double *qd, tq_scratch *scratch,
                                     const tq_constraint_rows *ret, tq_error *reterr);
size_t tq_constraint_rows_scratch_size(const tq_model *model);

#endif
