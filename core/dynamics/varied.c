/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/varied.c - per-sample inertial and friction parameters, as rows. */
#include "core/dynamics/varied.h"

#include <assert.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/terms.h"
#include "core/kernels/block.h"
#include "core/model/layout.h"

enum { FRICTION_ROWS = 3 }; /* viscous, Coulomb, breakaway: per joint, after all bodies */

static size_t body_rows(const tq_mechanism *mechanism)
{
    return (size_t)TQ_VARIED_ROWS * (size_t)mechanism->canonical.n_body;
}

size_t tq_varied_rows(const tq_mechanism *mechanism)
{
    return body_rows(mechanism) + (size_t)FRICTION_ROWS * mechanism->model.n_joint;
}

void tq_varied_put(const tq_mechanism *own, size_t stride, size_t i, double *rows)
{
    const tq_canonical *c = &own->canonical;
    double *to = rows + i;
    assert(!c->has_mimic);
    for (int32_t b = 0; b < c->n_body; b++, to += TQ_VARIED_ROWS * stride) {
        const tq_canonical_joint *k = &c->joints[b];
        to[0] = k->m;
        for (size_t r = 0; r < 3; r++) {
            to[(1 + r) * stride] = k->h[r];
        }
        for (size_t r = 0; r < 6; r++) {
            to[(4 + r) * stride] = k->s[r];
            to[(10 + r) * stride] = k->tensor[r];
        }
        to[16 * stride] = k->scale_turn;
        to[17 * stride] = k->scale_slide;
    }
    for (uint32_t j = 0; j < own->model.n_joint; j++, to += FRICTION_ROWS * stride) {
        const tq_friction *friction = &own->model.joints[j].friction;
        to[0] = friction->viscous;
        to[stride] = friction->coulomb;
        to[2 * stride] = friction->breakaway;
    }
}

void tq_varied_add_friction(const tq_mechanism *mechanism, size_t n_sample, size_t stride,
                            const double *q, const double *qd, const double *rows, double sign,
                            double *tau)
{
    const double *at = rows + body_rows(mechanism) * stride;
    for (uint32_t j = 0; j < mechanism->model.n_joint; j++, at += FRICTION_ROWS * stride) {
        const tq_joint *joint = &mechanism->model.joints[j];
        tq_friction friction = joint->friction;
        if (tq_joint_kind_nv(joint->kind) != 1) {
            tq_joint own = *joint;
            for (size_t i = 0; i < n_sample && qd != NULL; i++) {
                own.friction.viscous = at[i];
                tq_ball_add_damper(&own, 1, stride, qd + i, sign, tau + i);
            }
            continue;
        }
        double *row = tau + joint->v_index * stride;
        for (size_t i = 0; i < n_sample; i++) {
            friction.viscous = at[i];
            friction.coulomb = at[stride + i];
            friction.breakaway = at[2 * stride + i];
            const double v = qd != NULL ? qd[joint->v_index * stride + i] : 0.0;
            row[i] += sign * tq_friction_effort(&friction, v);
        }
    }
    tq_tendons_add_friction(&mechanism->model, n_sample, stride, q, qd, sign, tau);
}
