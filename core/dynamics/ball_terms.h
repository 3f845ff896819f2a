/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/ball_terms.h - dampers, springs and inertias of spherical and floating joints. */
#ifndef TQ_DYNAMICS_BALL_TERMS_H
#define TQ_DYNAMICS_BALL_TERMS_H

#include <stddef.h>

#include "core/model/mechanism.h"
#include "core/model/model.h"

/* The same in every direction, so that neither the axes of the parent nor of the child matter. With
 * w the angular velocity, v the velocity of the child's origin, both relative to the parent and in
 * the child's axes, x its displacement from rest, R^T x in the child's axes, and th u = log of the
 * rotation from rest (th <= pi):
 *     moment   d w + k th u + a dw/dt
 *     force    d v + k R^T x + a (dv/dt + w x v)          (floating only)
 * d: friction.viscous, k: spring.stiffness, a: ratio^2 inertia of the rotor; rest: spring.pose.
 * The last term is a times the acceleration of the origin: mass a there, without weight.
 * MuJoCo's damping, stiffness and armature of ball and free joints, whose linear velocity is in the
 * world's axes. */

/* Adds sign * term to the rows of tau (nv x stride), for n_sample samples; of joint j, which is
 * spherical or floating. qd, qdd NULL: zero. */
void tq_ball_add_damper(const tq_joint *joint, size_t n_sample, size_t stride, const double *qd,
                        double sign, double *tau);
void tq_ball_add_spring(const tq_joint *joint, size_t n_sample, size_t stride, const double *q,
                        double sign, double *tau);
void tq_ball_add_inertia(const tq_joint *joint, size_t n_sample, size_t stride, const double *qd,
                         const double *qdd, double sign, double *tau);

/* All joints of the model with an inertia: its part of M, of the Coriolis matrix (a skew block) and
 * of the Christoffel symbols, added to one sample. m, c (nv x nv), entries `stride` apart; gamma
 * (nv x nv x nv). */
void tq_ball_add_mass(const tq_model *model, size_t stride, double *m);
void tq_ball_add_mass_diagonal(const tq_model *model, double *diagonal); /* (nv) */
void tq_ball_add_coriolis(const tq_model *model, size_t stride, const double *qd, double *c);
void tq_ball_add_christoffel(const tq_model *model, double *gamma);

/* Partial derivatives of these terms at one sample, added to dq and dqd (nv x nv, entries `stride`
 * apart; rows of q and qd too). TQ_BALL_INERTIA: of its part with w x v. */
enum { TQ_BALL_DAMPER = 1, TQ_BALL_SPRING = 2, TQ_BALL_INERTIA = 4 };
void tq_ball_add_derivatives(const tq_model *model, unsigned terms, size_t stride, const double *q,
                             const double *qd, double *dq, double *dqd);

/* Their derivatives by q (of dq: the springs') and by qd (of dqd: the inertias'), of one flat
 * sample, added to dq_dq and dqd_dqd (nv x nv x nv, the last index that of the last derivative). */
void tq_ball_add_second_derivatives(const tq_model *model, unsigned terms, const double *q,
                                    double *dq_dq, double *dqd_dqd);

/* Adds a |(v, w)|^2 / 2 and k (|x|^2 + th^2) / 2 of one joint at one sample, rows `stride` apart;
 * qd NULL: zero. */
void tq_ball_energy(const tq_joint *joint, size_t stride, const double *q, const double *qd,
                    double *kinetic, double *potential);

/* Inertia a of a spherical or floating joint, else 0. */
double tq_ball_inertia(const tq_joint *joint);

#endif
