/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/compliant.h - contacts that give way: forces out of depth and velocity. */
#ifndef TQ_CONTACT_COMPLIANT_H
#define TQ_CONTACT_COMPLIANT_H

#include "core/contact/contact.h"

/* With x the depth of a point (m, minus its gap), v its rate and w the velocity of sliding:
 *
 *     normal    F = k x^n max(0, 1 + c v)             for x > 0, else 0
 *     tangent   -mu F w / sqrt(|w|^2 + s^2)
 *
 * The normal force never pulls, and the loss of an impact grows with its speed: for small c v the
 * coefficient of restitution is 1 - 2/3 c v, and for any it solves
 * v/c - ln(1 + c v)/c^2 = -e v/c - ln(1 - e c v)/c^2. Sliding slower than s is creep: this law does
 * not hold a body on a slope, where it creeps at s tan(slope) / sqrt(mu^2 - tan(slope)^2). */
typedef struct tq_compliance {
    double stiffness;   /* k, N/m^n, > 0 */
    double exponent;    /* n, >= 1: 1 linear, 1.5 Hertz's spheres */
    double dissipation; /* c, s/m, >= 0 */
    double slip_speed;  /* s, m/s, > 0 */
} tq_compliance;

/* Restitution of the pairs is not used, their friction is mu. Borrowed. */
typedef struct tq_compliant_contacts {
    const tq_model *model;
    const tq_contacts *contacts;
    const tq_compliance *laws; /* (n_pair) */
    size_t first_wrench; /* of the plant's, one for each of `links` at its origin, in world axes */
    size_t n_link;
    const uint32_t *links; /* (n_link) with solids on them, each once */
} tq_compliant_contacts;

/* Auxiliary states of the effect: sums over the run, then the impulse of each pair (3 rows, N s,
 * world axes, on b by a). */
enum {
    TQ_COMPLIANT_DAMPED = 0, /* J, dissipated along the normal */
    TQ_COMPLIANT_SLID = 1,   /* J, dissipated by sliding */
    TQ_COMPLIANT_SUMS = 2,
};

/**
 * The effect that applies these forces, as external wrenches: any integrator steps it.
 *
 * The force is continuous, and smooth but where a point touches or leaves (order 1 for n = 1).
 * Between k and the masses the motion is stiff: its frequency is sqrt(k J M^-1 J^T), that of
 * friction's creep mu F J M^-1 J^T / s.
 *
 * Memory   tq_compliant_scratch_size(model) bytes of scratch.
 * Returns  the effect, which borrows `compliant`.
 * Cost     A sample: one configuration, the distances of all pairs.
 * Source   K. Hunt, F. Crossley, Coefficient of restitution interpreted as damping in vibroimpact,
 *          J. Applied Mechanics 42, 1975; D. Marhefka, D. Orin, A compliant contact model with
 *          nonlinear damping for simulation of robotic systems, IEEE Trans. SMC A 29(6), 1999.
 * Checked  tests/contract/test_compliant_contacts.py
 */
tq_effect tq_compliant_effect(tq_compliant_contacts *compliant);

/* First auxiliary state of the plant's compliant effect; tq_plant_n_z(plant) if it has none. */
size_t tq_compliant_z(const tq_plant *plant);

/**
 * Forces and stored energy at one state.
 *
 * Shapes   q (nq), qd (nv); ret_force (3 n_pair), N, world axes, on b by a; *ret_stored: J.
 * Memory   tq_compliant_scratch_size(model) bytes of `scratch`, all released.
 * Returns  as tq_configuration_compute.
 */
tq_status tq_compliant_at(const tq_compliant_contacts *compliant, const double *q, const double *qd,
                          tq_scratch *scratch, double *ret_force, double *ret_stored,
                          tq_error *reterr);
size_t tq_compliant_scratch_size(const tq_model *model);

#endif
