/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/singular.c - joints without inertia, by articulated-body inertias. */
#include "core/model/singular.h"

#include <math.h>

#include "core/elementary/elementary.h"
#include "core/model/inertia.h"

enum { N_STATE = 4 }; /* number of states in addition to q = 0 */

/* sum += X^T a X, X the transform of twists (v, w) from the parent frame to the child frame at
 * `pose`. */
static void add_seen_from_parent(const double a[36], const tq_pose *pose, double sum[36])
{
    const double *r = pose->r;
    const double *p = pose->p;
    const double cross[9] = {0.0, -p[2], p[1], p[2], 0.0, -p[0], -p[1], p[0], 0.0};
    double x[36] = {0.0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            x[6 * i + j] = r[3 * j + i];
            x[6 * (i + 3) + j + 3] = r[3 * j + i];
            for (int k = 0; k < 3; k++) {
                x[6 * i + j + 3] -= r[3 * k + i] * cross[3 * k + j];
            }
        }
    }
    double ax[36] = {0.0};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < 6; j++) {
                ax[6 * i + j] += a[6 * i + k] * x[6 * k + j];
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < 6; j++) {
                sum[6 * i + j] += x[6 * k + i] * ax[6 * k + j];
            }
        }
    }
}

/* Eliminates the joint from the articulated inertia: a -= U U^T / D with U = a s, D = s^T U +
 * rotor. Returns D / scale; below TQ_SINGULAR_SHARE the joint stays locked. */
static double release(const tq_joint *joint, double scale, double a[36])
{
    const int half = joint->kind == TQ_JOINT_PRISMATIC ? 0 : 3;
    double u[6];
    double d = joint->rotor.ratio * joint->rotor.ratio * joint->rotor.inertia;
    for (int i = 0; i < 6; i++) {
        u[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            u[i] += a[6 * i + half + k] * joint->axis[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        d += u[half + k] * joint->axis[k];
    }
    const double share = scale > 0.0 ? d / scale : 1.0;
    if (share >= TQ_SINGULAR_SHARE) {
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                a[6 * i + j] -= u[i] * u[j] / d;
            }
        }
    }
    return share;
}

/* The largest mass of a link, and the largest moment of inertia a link could have at full reach. */
static void find_scales(const tq_model *model, double reach, double *ret_mass, double *ret_moment)
{
    *ret_mass = 0.0;
    *ret_moment = 0.0;
    for (uint32_t l = 0; l < model->n_link; l++) {
        const tq_inertia *inertia = &model->links[l].inertia;
        const double *c = inertia->com;
        const double far = reach + sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        const double own = inertia->about_com[0] + inertia->about_com[3] + inertia->about_com[5];
        *ret_mass = fmax(*ret_mass, inertia->mass);
        *ret_moment = fmax(*ret_moment, inertia->mass * far * far + own);
    }
}

/* Coordinate of joint i in a state: 0 in state 0, else equidistributed between the limits and
 * deterministic (multiples of two irrationals, different for every joint). */
static double coordinate(const tq_joint *joint, uint32_t i, unsigned state, double reach)
{
    if (state == 0 || joint->nv != 1) {
        return 0.0;
    }
    const double turns = (i + 1.0) * (0.6180339887498949 + 0.41421356237309503 * state);
    const double share = turns - floor(turns);
    const double wide = joint->kind == TQ_JOINT_PRISMATIC ? fmax(reach, 1e-3) : 3.0;
    const double lower = isfinite(joint->limits.lower) ? joint->limits.lower : -wide;
    const double upper = isfinite(joint->limits.upper) ? joint->limits.upper : wide;
    return lower + share * (upper - lower);
}

/* The child frame in the parent's, at coordinate q. */
static tq_pose place(const tq_joint *joint, double q)
{
    tq_pose pose = joint->origin;
    const double *u = joint->axis;
    if (q == 0.0) {
        return pose;
    }
    if (joint->kind == TQ_JOINT_PRISMATIC) {
        for (int i = 0; i < 3; i++) {
            const double *r = joint->origin.r + 3 * i;
            pose.p[i] += q * (r[0] * u[0] + r[1] * u[1] + r[2] * u[2]);
        }
        return pose;
    }
    const double c = tq_cos(q);
    const double s = tq_sin(q);
    const double cross[9] = {0.0, -u[2], u[1], u[2], 0.0, -u[0], -u[1], u[0], 0.0};
    double turn[9];
    for (int k = 0; k < 9; k++) {
        turn[k] = (k % 4 == 0 ? c : 0.0) + (1.0 - c) * u[k / 3] * u[k % 3] + s * cross[k];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double *r = joint->origin.r + 3 * i;
            pose.r[3 * i + j] = r[0] * turn[j] + r[1] * turn[3 + j] + r[2] * turn[6 + j];
        }
    }
    return pose;
}

/* Relative articulated inertia of every joint in one state, from the leaves to the root. */
static void find_shares(const tq_model *model, unsigned state, double reach,
                        double (*articulated)[36], tq_singular_verdict *verdicts)
{
    double mass = 0.0;
    double moment = 0.0;
    find_scales(model, reach, &mass, &moment);
    for (uint32_t l = 0; l < model->n_link; l++) {
        tq_inertia_spatial(&model->links[l].inertia, articulated[l]);
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const uint32_t i = model->order[k];
        const tq_joint *joint = &model->joints[i];
        double *a = articulated[joint->child];
        tq_singular_verdict *v = &verdicts[joint->child];
        if (joint->nv == 1 && !v->massless) {
            const double share =
                release(joint, joint->kind == TQ_JOINT_PRISMATIC ? mass : moment, a);
            if (state == 0) {
                v->at_rest = share;
            } else {
                v->elsewhere = fmax(v->elsewhere, share);
            }
        }
        if (joint->kind != TQ_JOINT_FLOATING) {
            const tq_pose pose = place(joint, coordinate(joint, i, state, reach));
            add_seen_from_parent(a, &pose, articulated[joint->parent]);
        }
    }
}

/* Joints without any inertia to move. */
static void find_massless(const tq_model *model, tq_singular_verdict *verdicts)
{
    for (uint32_t l = 0; l < model->n_link; l++) {
        const tq_inertia *inertia = &model->links[l].inertia;
        verdicts[l] = (tq_singular_verdict){.heavy = inertia->mass != 0.0};
        for (int k = 0; k < 6; k++) {
            verdicts[l].heavy = verdicts[l].heavy || inertia->about_com[k] != 0.0;
        }
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const tq_joint *joint = &model->joints[model->order[k]];
        tq_singular_verdict *v = &verdicts[joint->child];
        v->massless = joint->nv > 0 && !v->heavy && joint->rotor.inertia == 0.0;
        if (v->massless || joint->nv != 1) {
            v->at_rest = 1.0;
            v->elsewhere = 1.0;
        }
        verdicts[joint->parent].heavy = verdicts[joint->parent].heavy || v->heavy;
    }
}

void tq_singular_find(const tq_model *model, double reach, double (*articulated)[36],
                      tq_singular_verdict *verdicts)
{
    find_massless(model, verdicts);
    for (unsigned state = 0; state <= N_STATE; state++) {
        find_shares(model, state, reach, articulated, verdicts);
    }
}
