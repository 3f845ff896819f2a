/* SPDX-License-Identifier: Apache-2.0 */
/* core/motion/desired.h - reference motion of any kind, at any time. */
#ifndef TQ_MOTION_DESIRED_H
#define TQ_MOTION_DESIRED_H

#include <stddef.h>

#include "core/motion/cartesian.h"
#include "core/motion/reference.h"
#include "core/motion/table.h"

typedef enum tq_reference_kind {
    TQ_REFERENCE_SETPOINT,  /* one configuration */
    TQ_REFERENCE_WAYPOINTS, /* from rest to rest by a timing law */
    TQ_REFERENCE_SPLINE,    /* through waypoints without stopping; at rest at both ends */
    TQ_REFERENCE_FOURIER,   /* a periodic excitation */
    TQ_REFERENCE_TABLE,     /* recorded coordinates: their not-a-knot cubic spline */
    TQ_REFERENCE_CELLS,     /* position, velocity and acceleration at both ends of cells: a
                               sampled Cartesian path, or a table with its derivatives */
} tq_reference_kind;

/* A motion divided into cells. In a cell each coordinate is the quintic with the six values of its
 * ends: accelerations may jump between cells only. */
typedef struct tq_motion_cells {
    size_t n_cell, n_coordinate;
    const double *t;    /* (n_cell + 1) s, strictly increasing */
    const double *ends; /* (n_cell x 2 x 3 x n_coordinate): begin and end; x, xd, xdd */
    size_t n_kink;
    const double *kinks; /* (n_kink) times at which xdd jumps; NULL: xddd does, at every t */
} tq_motion_cells;

/* Borrows its arrays. With quaternion joints only TQ_REFERENCE_SETPOINT is possible: n_coordinate
 * is nq; for a motion nq == nv. */
typedef struct tq_reference {
    tq_reference_kind kind;
    size_t n_coordinate;
    const double *setpoint;  /* (n_coordinate): SETPOINT */
    tq_waypoints waypoints;  /* WAYPOINTS, SPLINE, TABLE */
    tq_timing_law law;       /* WAYPOINTS */
    double blend;            /* WAYPOINTS, of a trapezoid */
    const double *curvature; /* of tq_spline_fit (SPLINE), of tq_table_fit (TABLE) */
    tq_fourier fourier;
    tq_motion_cells cells;
} tq_reference;

/* Position, velocity and acceleration (n_coordinate each) at time t. Before its first and after its
 * last time a reference is constant; a Fourier series is periodic. Cost O(n_coordinate), and the
 * search of the interval of t. */
void tq_reference_at(const tq_reference *reference, double t, double *ret_x, double *ret_xd,
                     double *ret_xdd);

/* Next time after t at which accelerations are not smooth, INFINITY if none, and the order: 0 they
 * jump, 1 their slope does. Integrators end a step there. */
double tq_reference_next_break(const tq_reference *reference, double t, unsigned *ret_order);

/* Memory of tq_motion_sample: for cells_max cells. */
typedef struct tq_motion_room {
    size_t cells_max;
    double *t;     /* (cells_max + 1) */
    double *ends;  /* (cells_max x 6 x nq) */
    double *kinks; /* (3 n_pose) */
} tq_motion_room;

/**
 * Divide a Cartesian path into cells that approximate it to 1e-8.
 *
 * From each pose to the next (and at the kinks of a trapezoid) cells are bisected until
 * accelerations inside them agree with the path's own to 1e-8 of the largest, or until
 * bisection does not help. A redundant arm's motion is the integral of its minimum-norm
 * velocity, projected on the path.
 *
 * Shapes   start (nq): coordinates at the first pose, or near it. The arrays of `room` are filled,
 *          and those of *ret_cells point to them.
 * Memory   tq_motion_sample_scratch_size(model, room->cells_max) bytes of `scratch`, released.
 * Returns  TQ_OK
 *          TQ_ERR_NO_CONVERGENCE  "path": out of reach; "cells": cells_max are too few
 *          TQ_ERR_SINGULAR        "path"; for each of them error->value, and ret_t is the time
 *          TQ_ERR_SHAPE, TQ_ERR_RANGE as tq_cartesian_at
 * Cost     One inverse kinematics for each cell.
 * Checked  tests/property/core/motion/test_desired.c
 */
tq_status tq_motion_sample(const tq_model *model, const tq_cartesian_path *path,
                           const double *start, const tq_motion_room *room, tq_scratch *scratch,
                           tq_motion_cells *ret_cells, double *ret_t, tq_error *reterr);
size_t tq_motion_sample_scratch_size(const tq_model *model, size_t cells_max);

#endif
