/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/constrained_robot.h - a robot with constraints at one state, and its motion. */
#ifndef TQT_CONSTRAINED_ROBOT_H
#define TQT_CONSTRAINED_ROBOT_H

#include "api/robots/parsed.h"
#include "core/constraints/project.h"
#include "core/constraints/projectors.h"
#include "core/integrate/fixed_step.h"
#include "tests/support/subject.h"

enum { TQT_NV = 8, TQT_ROWS = 8 };

/* A robot with memory for the functions below; any error ends the test. */
typedef struct tqt_robot_state {
    tqa_robot *robot;
    tqt_subject *subject;
    size_t nv, n_row;
    double q[TQT_NV], qd[TQT_NV];
    tq_constrained state; /* at q and qd, after tqt_factor */
    tq_scratch scratch;
    void *memory;
} tqt_robot_state;

/* A built-in robot, or a document (its text starts with a bracket). */
void tqt_open(tqt_robot_state *s, const char *robot);
void tqt_close(tqt_robot_state *s);

/* Nearest state on the constraints to s->q and s->qd, in place. */
void tqt_project(tqt_robot_state *s);
void tqt_factor(tqt_robot_state *s);

/* Accelerations (nv) and multipliers (n_row) of torques (nv). */
void tqt_accelerate(tqt_robot_state *s, const double *tau, double *ret_qdd,
                    double *ret_multipliers);

/* Largest residual of position and of velocity at s->q, s->qd. */
void tqt_residuals(tqt_robot_state *s, double *ret_position, double *ret_velocity);

/* Kinetic plus potential energy. */
double tqt_total_energy(tqt_robot_state *s);

/* Makes n steps of the classical Runge-Kutta method with one effect, or NULL. */
void tqt_run(tqt_robot_state *s, const tq_effect *effect, double *z, double h, size_t n);

#endif
