/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/seed_robots.h - the example arms of the specification, built link by link. */
#ifndef TQT_SEED_ROBOTS_H
#define TQT_SEED_ROBOTS_H

#include "core/model/model.h"

#include <stddef.h>

/* Every function returns a finished model; free it with tqt_model_free. */

/* One link of a planar arm: length, mass, distance of the mass centre from its joint, moment of
 * inertia about the mass centre, viscous friction of its joint. */
typedef struct tqt_bar {
    double length, mass, com, inertia, viscous;
} tqt_bar;

/* A slender homogeneous bar. */
tqt_bar tqt_slender_bar(double length, double mass);

/* n bars in the x-y plane, rotating about z, gravity g along -y. */
tq_model *tqt_planar_arm(const tqt_bar *bars, uint32_t n, double g);

/* Taghirad's SCARA: two slender bars rotating about z, a slender vertical rod of length `rod` that
 * translates along -z, its mass centre at height d1 - d3 + rod / 2; gravity g along -z. */
typedef struct tqt_scara {
    double m[3], a[2];
    double d1, rod, g;
} tqt_scara;
tq_model *tqt_scara_arm(const tqt_scara *from);

/* The RRP homework: a post of height H rotating about z, a bar of length L along x rotating about
 * x, a rod of length L1 translating along its z with a point mass at its tip; gravity g along -z.
 */
typedef struct tqt_rrp {
    double m[4], height, reach, rod, g;
} tqt_rrp;

/* The masses of the homework, rounded as printed there, with H = .2, L = L1 = .1, g = 9.81. */
extern const tqt_rrp tqt_rrp_homework;
tq_model *tqt_rrp_arm(const tqt_rrp *from);

/* Li & Wu's elbow arm of three dofs (Murray, Li & Sastry, example 4.3): a post rotating about z,
 * then two links along y rotating about -x at heights l0; principal moments ix, iy, iz. */
typedef struct tqt_elbow {
    double l0, l1, r0, r1, r2, g;
    double m[3], ix[3], iy[3], iz[3];
} tqt_elbow;
tq_model *tqt_elbow_arm(const tqt_elbow *from);

/* A copy of `fixed` on a floating joint (rows 0 to 5, then those of `fixed`), its root link without
 * mass: the six torques of the joint at rest are the wrench of the ground on the robot. */
tq_model *tqt_floating_copy(const tq_model *fixed);

#endif
