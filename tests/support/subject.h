/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/subject.h - the library under test with its memory; special cases of inverse
 * dynamics. */
#ifndef TQT_SUBJECT_H
#define TQT_SUBJECT_H

#include "core/base/scratch.h"
#include "core/dynamics/inverse.h"
#include "core/model/mechanism.h"

#include <stddef.h>

/* A mechanism built from a finished model, and scratch for it. Selects the widest lanes if none are
 * selected yet. An error of the library ends the test. */
typedef struct tqt_subject {
    const tq_model *model; /* borrowed */
    const tq_mechanism *mechanism;
    tq_scratch scratch;
    void *mechanism_memory, *scratch_memory;
} tqt_subject;

tqt_subject *tqt_subject_new(const tq_model *model, size_t n_wrench);
void tqt_subject_free(tqt_subject *subject);

/* Fills free scratch with NaN, so that no call depends on the former contents. */
void tqt_spoil(tq_scratch *scratch);

/* Torques (nv) of one sample, flat. qd and qdd may be NULL. */
void tqt_torque(tqt_subject *subject, const double *q, const double *qd, const double *qdd,
                unsigned without, double *ret_tau);

/* Wrenches (6 (n_joint + 1)) at every joint and at the base; see tq_reactions. */
void tqt_reactions(tqt_subject *subject, const double *q, const double *qd, const double *qdd,
                   double *ret_wrench);

/* Torques (nv) in static equilibrium with one wrench on `link`, without gravity and springs: -J^T
 * w. */
void tqt_hold(tqt_subject *subject, const double *q, const tq_external_wrench *wrench,
              double *ret_tau);

/* Special cases of inverse dynamics. M (nv x nv) row by row, rotors included; v = C qd (nv);
 * g (nv). */
void tqt_mass(tqt_subject *subject, const double *q, double *ret_m);
void tqt_velocity(tqt_subject *subject, const double *q, const double *qd, double *ret_v);
void tqt_gravity(tqt_subject *subject, const double *q, double *ret_g);

/* Symbols of the first kind [k][i][j] (nv^3), k the equation: v_k = sum_ij qd_i qd_j symbol. By
 * polarisation of v. */
void tqt_christoffel(tqt_subject *subject, const double *q, double *ret_symbols);

/* C (nv x nv) from them: C_kj = sum_i symbol[k][i][j] qd_i. */
void tqt_coriolis(tqt_subject *subject, const double *q, const double *qd, double *ret_c);

#endif
