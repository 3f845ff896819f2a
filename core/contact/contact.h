/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/contact.h - rigid unilateral contacts with Coulomb friction and Newton's restitution
 * between solids fixed to links. */
#ifndef TQ_CONTACT_CONTACT_H
#define TQ_CONTACT_CONTACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/geometry/geom.h"
#include "core/plant/plant.h"

enum {
    TQ_CONTACT_PAIRS_MAX = 4096,
    TQ_CONTACT_PAIR_POINTS = TQ_GEOM_CORNERS_MAX, /* points of one pair, at most */
    /* at one time: points of pairs that are near, and points that touch */
    TQ_CONTACT_NEAR_MAX = 4096,
    TQ_CONTACT_ACTIVE_MAX = 512,
};

/* Two solids that may touch. A half-space meets every corner of the other's core, each of which is
 * a point of contact; a sphere has one point with others, their nearest; capsules, boxes and hulls
 * have those of core/geometry/manifold.h while they touch, their nearest point while they do not.
 */
typedef struct tq_contact_pair {
    uint32_t a, b;      /* indices of the two solids */
    double friction;    /* friction coefficient (Coulomb), >= 0 */
    double restitution; /* coefficient of restitution (Newton), 0 .. 1 */
} tq_contact_pair;

typedef struct tq_contacts {
    const tq_geom *geoms;
    size_t n_pair;
    const tq_contact_pair *pairs; /* (n_pair) */
    bool exhaustive; /* every pair in full, also those far apart: the same bits, for tests */
} tq_contacts;

/* Auxiliary states of the effect, in this order: sums over the run; states of each pair; of each
 * point that touched in the last step its key and force (normal and two tangents, N), in the order
 * of keys, up to a key of 0: from them the iteration of the next step starts. */
enum {
    TQ_CONTACT_FRICTION_LOSS = 0, /* J, dissipated between impacts, by sliding */
    TQ_CONTACT_IMPACT_LOSS = 1,   /* J, dissipated by impacts */
    TQ_CONTACT_RESIDUAL = 2,      /* m/s, the largest violation of the contact laws */
    TQ_CONTACT_IMPACTS = 3,       /* number of impacts */
    TQ_CONTACT_SUMS = 4,
    TQ_CONTACT_IMPULSE = 0,  /* N s, world axes, on b by a, since the start (3 rows) */
    TQ_CONTACT_FORCE = 3,    /* N, mean over the last step, impulses of impacts excluded (3 rows) */
    TQ_CONTACT_CLOSED = 6,   /* 1 or 0 */
    TQ_CONTACT_SINCE = 7,    /* s, the last time at which that changed, or an impact occurred */
    TQ_CONTACT_TOUCHES = 8,  /* number of times at which it closed */
    TQ_CONTACT_APPROACH = 9, /* m/s, approach speed at the last closing */
    TQ_CONTACT_OF_PAIR = 10,
    TQ_CONTACT_OF_POINT = 4,
};

/* m/s: slower approaches do not bounce */
#define TQ_CONTACT_REST_SPEED 1e-3
/* m: a contact with a smaller gap counts as closed */
#define TQ_CONTACT_CLOSED_GAP 1e-7

/* `what` of an error where too many solids touch at once */
#define TQ_CONTACT_CROWDED "contact_points"

/* The effect that owns these states: it applies no force, and tq_contact_step writes the states. */
tq_effect tq_contact_effect(tq_contacts *contacts);

/* First auxiliary state of the plant's contact effect. */
size_t tq_contact_z(const tq_plant *plant);

/**
 * Gap of every pair at one configuration: that of its nearest point.
 *
 * Shapes   q (nq); ret_gap (n_pair), m, below 0: penetration.
 * Memory   tq_contact_gap_scratch_size bytes of `scratch`, all released.
 * Returns  as tq_configuration_compute.
 */
tq_status tq_contact_gaps(const tq_contacts *contacts, const tq_model *model, const double *q,
                          tq_scratch *scratch, double *ret_gap, tq_error *reterr);
size_t tq_contact_gap_scratch_size(const tq_model *model);

/**
 * One step of length h of a plant with contacts: Moreau's time stepping, with impacts located
 * within the step.
 *
 * Between impacts, with v' the velocity at the end and vm = (v + v') / 2:
 *
 *     M(qm) (v' - v) = h f(qm, vm, t + h/2) + J(qm)^T p,   q' = q + h qdot(qm, vm)
 *     0 <= p_n  _|_  gap(q') >= min(gap(q), 0)
 *     u = J_t(q') v' - d,   |p_t| <= mu p_n,   p_t = -mu p_n u / |u|
 *     d = (J(q) v + J(q') v') / 2 - J(qm) vm = O(h^2)
 *
 * J_n is tilted by O(h^2), along the slip at the point and with a couple against turning, so that
 * h J_n vm = gap(q') - gap(q), a discrete gradient (O. Gonzalez, Time integration and discrete
 * Hamiltonian systems, J. Nonlinear Sci. 6, 1996): normal forces that keep a gap do no work, and
 * nothing sinks in. u_n ends at O(h^2); below 0 the next step begins with an impact to remove it.
 * Friction of a point that sticks would do work of O(h^4) a step, and of one that stops more: where
 * that of a pair is above 0, u = 2 J_t(qm) vm, and it is not. Attitudes turn by
 * 2 sin(angle / 2) = h |omega|. What has sunk in all the same, where features change, by up to
 * 1e-8 m, is lifted with energy that contacts have dissipated in the same step, or stays: no step
 * of free bodies with contacts creates energy beyond rounding. Joints that bend get what the
 * midpoint rule misses of a mechanism's energy, a discrete gradient too (balance.c): its steps
 * create 1e-10 J where they created 1e-4.
 *
 * This is the implicit midpoint rule where nothing touches: order 2 between changes of the
 * contacts' state, order 1 across transitions between sticking and sliding, which are not located.
 * Velocities at an impact: u_n + e u_n^- in place of u_n, where the approach is faster than
 * TQ_CONTACT_REST_SPEED. An impact with friction may create energy by Newton's law (T. Kane, D.
 * Levinson, Dynamics: theory and applications, 1985, 5.2): e is reduced until it does not.
 *
 * Shapes   state: one sample of stride TQ_BLOCK_PAD, in and out; unchanged after a failure.
 * Memory   tq_contact_step_scratch_size(plant) bytes of `scratch`, all released.
 * Returns  TQ_OK, the status of tq_plant_rate; TQ_ERR_NO_CONVERGENCE "step": the step is too long
 *          for the controller or springs; TQ_ERR_SINGULAR "mass_matrix"; TQ_ERR_RANGE
 *          TQ_CONTACT_CROWDED: more than `index` points touch, or are of pairs that are near,
 *          `value` of them.
 * Cost     About four evaluations of tq_plant_rate, M and its factor, bounds of all pairs, and for
 *          each island of bodies that touch one another sweeps over its n closed points of at most
 *          9 n^2 products each.
 * Source   J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988;
 *          M. Jean, The non-smooth contact dynamics method, CMAME 177, 1999; V. Acary, B.
 *          Brogliato, Numerical methods for nonsmooth dynamical systems, 2008, ch. 10.
 * Checked  tests/property/core/contact/test_falls.c, test_mechanisms.c,
 *          tests/contract/test_contacts.py,
 *          tests/peers/test_mujoco_contacts.py
 */
tq_status tq_contact_step(const tq_plant *plant, double t, double h, const tq_trajectories *state,
                          tq_scratch *scratch, size_t *ret_evaluations, tq_error *reterr);
size_t tq_contact_step_scratch_size(const tq_plant *plant);

#endif
