/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/particles.h - the example arms as clouds of point masses, with positions in closed
 * form. */
#ifndef TQT_PARTICLES_H
#define TQT_PARTICLES_H

#include "tests/support/jet.h"
#include "tests/support/seed_robots.h"

#include <stddef.h>

/* A rigid body is equivalent to a few particles of the same mass, mass centre and inertia: a
 * slender bar to m/6 at each end and 2m/3 in its middle; a body with second moments S_x, S_y, S_z
 * to m/6 at +- sqrt(3 S_i / m) on each axis. With the positions of all particles as functions of q,
 * d'Alembert's principle for particles,
 *
 *     tau_k = sum m (a - g) . dp/dq_k,
 *
 * is the complete equation of motion: no rotation of a tensor, no recursion, and only dimensions
 * are taken from core's models. Bars have no width here, so that tqt_bar's inertia must be m l^2 /
 * 12. */
enum { TQT_PARTICLE_MAX = 18, TQT_CLOUD_Q = 3 };

typedef struct tqt_particle {
    double mass;
    int link;     /* from 1, as in the model */
    double at[3]; /* in the frame of the model's link */
} tqt_particle;

typedef struct tqt_cloud {
    size_t n_q, n;
    double gravity[3];
    double length[3]; /* dimensions used by `place` */
    tqt_particle particles[TQT_PARTICLE_MAX];
    /* position of a point of a link in the world */
    void (*place)(const struct tqt_cloud *cloud, int link, const double at[3], const tqt_jet *q,
                  tqt_jet ret_p[3]);
} tqt_cloud;

tqt_cloud tqt_cloud_planar(const tqt_bar *bars, size_t n, double g);
tqt_cloud tqt_cloud_scara(const tqt_scara *from);
tqt_cloud tqt_cloud_rrp(const tqt_rrp *from);
tqt_cloud tqt_cloud_elbow(const tqt_elbow *from);

/* Torques (n_q); qd and qdd may be NULL for rest. */
void tqt_cloud_torque(const tqt_cloud *cloud, const double *q, const double *qd, const double *qdd,
                      double *ret_tau);
/* sum m dp/dq_i . dp/dq_j (n_q x n_q), sum m v^2 / 2, -sum m g . p */
void tqt_cloud_mass(const tqt_cloud *cloud, const double *q, double *ret_m);
double tqt_cloud_kinetic(const tqt_cloud *cloud, const double *q, const double *qd);
double tqt_cloud_potential(const tqt_cloud *cloud, const double *q);
/* -sum m g . dp/dq_k (n_q) */
void tqt_cloud_gravity(const tqt_cloud *cloud, const double *q, double *ret_g);

/* Wrench (force, moment about the origin of `link`'s frame, both along its axes) for the motion of
 * all particles of `link` and its descendants: sum m (a - g), sum (p - o) x m (a - g). */
void tqt_cloud_wrench(const tqt_cloud *cloud, int link, const double *q, const double *qd,
                      const double *qdd, double ret_wrench[6]);

#endif
