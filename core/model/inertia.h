/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/inertia.h - mass distributions: solids, frames, sums, principal axes, physical
 * consistency. */
#ifndef TQ_MODEL_INERTIA_H
#define TQ_MODEL_INERTIA_H

#include <stdbool.h>

#include "core/base/status.h"
#include "core/model/model.h"

/* Symmetric 3x3 matrices are stored xx xy xz yy yz zz. Products of inertia have the sign of the
 * tensor: Ixy = -integral of x y dm. */

/* Solids of uniform density, centred at their centre of mass; `size` by solid, in metres. */
typedef enum tq_shape {
    TQ_SHAPE_BOX,            /* length along x, y, z */
    TQ_SHAPE_CYLINDER,       /* radius, length along z */
    TQ_SHAPE_CYLINDER_SHELL, /* radius, length along z; open at both ends */
    TQ_SHAPE_SPHERE,         /* radius */
    TQ_SHAPE_SPHERE_SHELL,   /* radius */
    TQ_SHAPE_ELLIPSOID,      /* semi-axis along x, y, z */
    TQ_SHAPE_CONE,    /* base radius, height along z (apex up); com is at a quarter of the height */
    TQ_SHAPE_CAPSULE, /* radius, length of the cylindrical part along z */
    TQ_SHAPE_DISK,    /* radius, in the x-y plane, no thickness */
    TQ_SHAPE_BAR,     /* length along x, no thickness */
    TQ_SHAPE_POINT,   /* none */
} tq_shape;

/* Number of entries of `size` that a solid uses. */
unsigned tq_shape_size_count(tq_shape shape);

/**
 * Inertia of a uniform solid of given mass; the centre of mass is the origin.
 *
 * Memory   Writes *ret_inertia only. Allocates nothing.
 * Returns  TQ_OK
 *          TQ_ERR_NOT_FINITE  "mass" or "size" at `index`
 *          TQ_ERR_RANGE       "mass" or "size" at `index` is negative
 * Source   J. L. Meriam, L. G. Kraige, Engineering Mechanics: Dynamics, app. D.
 * Checked  tests/golden/test_seeds_rigid_body.c
 */
tq_status tq_inertia_of_shape(tq_shape shape, double mass, const double size[3],
                              tq_inertia *ret_inertia, tq_error *reterr);

/* Tensor about the link frame's origin (parallel-axis theorem): I + m (c.c E - c c^T). */
void tq_inertia_about_origin(const tq_inertia *inertia, double ret_about_origin[6]);

/* The inverse: mass, centre of mass and tensor about the origin -> tensor about the centre of mass.
 */
void tq_inertia_from_origin(double mass, const double com[3], const double about_origin[6],
                            tq_inertia *ret_inertia);

/* The same body in another frame: x_new = pose.r x + pose.p. */
tq_inertia tq_inertia_move(const tq_inertia *inertia, const tq_pose *pose);

/* Two bodies fixed to each other, both in one frame. To subtract a body, add one of negative mass
 * and tensor. With zero total mass the centre of mass is the origin. */
tq_inertia tq_inertia_add(const tq_inertia *a, const tq_inertia *b);

/* Spatial inertia about the link frame, order (linear, angular), row by row: [m E, -m c^; m c^, I -
 * m c^ c^] (Featherstone 2008, eq. 2.63). */
void tq_inertia_spatial(const tq_inertia *inertia, double ret_spatial[36]);

/* Pseudo-inertia J = [Sigma, h; h^T, m], row by row, Sigma the second moments about the link
 * frame's origin (Wensing, Kim & Slotine, 2018). */
void tq_inertia_pseudo(const tq_inertia *inertia, double ret_pseudo[16]);

/**
 * Eigenvalues (ascending) and right-handed orthonormal eigenvectors of a symmetric 3x3 matrix.
 * ret_axes holds the vectors as columns, row by row: axes^T S axes = diag(values).
 *
 * Source   Cyclic Jacobi rotations; Golub & Van Loan, Matrix Computations, 8.5.
 * Checked  tests/golden/test_seeds_rigid_body.c
 */
void tq_symmetric_eigen(const double s[6], double ret_values[3], double ret_axes[9]);

/* Conditions of physical consistency. All three hold for any body of positive density. */
typedef struct tq_consistency {
    bool mass_positive;
    bool definite;       /* the tensor about the centre of mass is positive definite */
    bool triangle;       /* each principal moment is at most the sum of the two others */
    double principal[3]; /* principal moments, ascending, kg m^2 */
    double axes[9];      /* of the principal frame in the link frame, as columns, row by row */
    double margin;       /* smallest eigenvalue of the second-moment matrix over its trace; < 0:
                            inconsistent */
} tq_consistency;

/* Never fails: an inertia with NaN is inconsistent. A thin body (a disk, a bar) is consistent with
 * margin 0 within rounding, but a bar is not definite. */
void tq_inertia_check(const tq_inertia *inertia, tq_consistency *ret_consistency);

/**
 * Nearest consistent inertia: mass and second moments are raised to the floor, the centre of
 * mass is kept.
 *
 * The second-moment matrix Sigma = tr(I)/2 E - I is projected on { Sigma >= floor * tr(Sigma) E }
 * in the Frobenius norm; a mass that is not positive becomes mass_floor.
 *
 * Returns  TQ_OK
 *          TQ_ERR_NOT_FINITE  "inertia"
 *          TQ_ERR_RANGE       "floor" outside [0, 1/3), or "mass_floor" not positive
 * Source   P. Wensing, S. Kim, J.-J. Slotine, Linear matrix inequalities for physically consistent
 *          inertial parameter identification, IEEE RA-L 3(1), 2018.
 * Checked  tests/golden/test_seeds_rigid_body.c
 */
tq_status tq_inertia_nearest(const tq_inertia *inertia, double floor, double mass_floor,
                             tq_inertia *ret_inertia, tq_error *reterr);

#endif
