/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/doctor.c - simple suspicions about masses, inertias, units and singular mass matrices.
 */
#include "core/model/doctor.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "core/model/inertia.h"

/* files carry inertias in some six digits: a flat plate may miss the triangle by that much */
static const double ROUNDED = 1e-6;
/* nothing that is bolted together is this far from its neighbour, m */
static const double FAR_ORIGIN = 50.0;
/* kg/m^3; osmium has 22600, and a robot is mostly air */
static const double DENSEST = 22600.0;
/* of a joint's own inertia, left when the joints before it give way */
static const double SHARE_LEFT = 1e-9;

tq_doctor_about tq_doctor_about_of(tq_doctor_code code)
{
    static const tq_doctor_about about[] = {
#define ABOUT(code_, about_, text_) TQ_DOCTOR_##about_,
        TQ_DOCTOR_LIST(ABOUT)
#undef ABOUT
    };
    return about[code];
}

const char *tq_doctor_text(tq_doctor_code code)
{
    switch (code) {
#define TEXT(code_, about_, text_)                                                                 \
    case code_:                                                                                    \
        return text_;
        TQ_DOCTOR_LIST(TEXT)
#undef TEXT
    }
    return "unknown finding";
}

size_t tq_doctor_finding_max(const tq_model *model)
{
    return (size_t)7 * model->n_link + (size_t)5 * model->n_joint;
}

/* What is known of the joint that carries a link. */
typedef struct verdict {
    double share;
    bool heavy; /* the link, or anything it carries, has mass or inertia */
    bool massless, singular;
} verdict;

size_t tq_doctor_scratch_size(const tq_model *model)
{
    return tq_scratch_cost(model->n_link, 36 * sizeof(double)) +
           tq_scratch_cost(model->n_link, sizeof(verdict));
}

typedef struct notes {
    tq_doctor_finding *rows;
    size_t n;
} notes;

static void note(notes *out, tq_doctor_code code, uint32_t index, double value)
{
    out->rows[out->n++] = (tq_doctor_finding){.code = code, .index = index, .value = value};
}

static double norm3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* How far the robot can stretch, at most, without its links' own extent. */
static double reach_of(const tq_model *model)
{
    double reach = 0.0;
    for (uint32_t i = 0; i < model->n_joint; i++) {
        reach += norm3(model->joints[i].origin.p);
    }
    return reach;
}

static void check_units(const tq_inertia *inertia, double reach, uint32_t l, notes *out)
{
    tq_consistency shape = {.margin = 0.0};
    tq_inertia_check(inertia, &shape);
    const double far = norm3(inertia->com);
    const double gyration = sqrt(fmax(shape.principal[2], 0.0) / inertia->mass);
    if (!(reach > 0.0)) {
        return;
    }
    if (far > 20.0 * reach) {
        note(out, TQ_DOCTOR_COM_FAR, l, far);
        return; /* what follows would measure with a wrong ruler */
    }
    const double size = reach + far;
    if (gyration > 5.0 * size) {
        note(out, TQ_DOCTOR_INERTIA_LARGE, l, gyration);
        return;
    }
    if (gyration > 0.0 && gyration < 1e-4 * size) {
        note(out, TQ_DOCTOR_INERTIA_SMALL, l, gyration);
    }
    const double extent = size + 3.0 * gyration;
    if (inertia->mass > DENSEST * extent * extent * extent) {
        note(out, TQ_DOCTOR_DENSE, l, inertia->mass);
    }
}

static void check_link(const tq_model *model, double reach, uint32_t l, notes *out)
{
    const tq_inertia *inertia = &model->links[l].inertia;
    tq_consistency shape = {.margin = 0.0};
    tq_inertia_check(inertia, &shape);
    const double largest = fmax(fabs(shape.principal[0]), fabs(shape.principal[2]));
    if (largest == 0.0 && inertia->mass == 0.0) {
        return;
    }
    if (inertia->mass == 0.0) {
        note(out, TQ_DOCTOR_NO_MASS, l, 0.0);
    }
    if (shape.principal[0] < -ROUNDED * largest) {
        note(out, TQ_DOCTOR_NOT_DEFINITE, l, shape.principal[0]);
    } else if (largest > 0.0 && shape.margin < -ROUNDED) {
        note(out, TQ_DOCTOR_TRIANGLE, l, shape.margin);
    }
    if (inertia->mass > 0.0) {
        check_units(inertia, reach, l, out);
    }
}

static void check_joint(const tq_model *model, uint32_t i, notes *out)
{
    const tq_joint *joint = &model->joints[i];
    const double far = norm3(joint->origin.p);
    if (far > FAR_ORIGIN) {
        note(out, TQ_DOCTOR_ORIGIN_FAR, i, far);
    }
    if (joint->limits.lower > joint->limits.upper) {
        note(out, TQ_DOCTOR_LIMITS, i, joint->limits.lower);
    }
    const double friction = fmin(joint->friction.viscous, joint->friction.coulomb);
    if (friction < 0.0) {
        note(out, TQ_DOCTOR_FRICTION, i, friction);
    }
    if (joint->rotor.inertia < 0.0) {
        note(out, TQ_DOCTOR_ROTOR, i, joint->rotor.inertia);
    }
}

/* sum += X^T a X, X taking a twist (v, w) of the parent frame into the child frame at `pose`. */
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

/* Lets the joint give way: takes its free direction out of the articulated inertia `a`. Returns
 * what `a` has along it, as a share of `scale`; below SHARE_LEFT the joint is left locked. */
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
    if (share >= SHARE_LEFT) {
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                a[6 * i + j] -= u[i] * u[j] / d;
            }
        }
    }
    return share;
}

/* The largest mass of a link, and the largest moment of inertia that one could have out there. */
static void find_scales(const tq_model *model, double reach, double *ret_mass, double *ret_moment)
{
    *ret_mass = 0.0;
    *ret_moment = 0.0;
    for (uint32_t l = 0; l < model->n_link; l++) {
        const tq_inertia *inertia = &model->links[l].inertia;
        const double far = reach + norm3(inertia->com);
        const double own = inertia->about_com[0] + inertia->about_com[3] + inertia->about_com[5];
        *ret_mass = fmax(*ret_mass, inertia->mass);
        *ret_moment = fmax(*ret_moment, inertia->mass * far * far + own);
    }
}

/* Articulated inertias from the leaves to the root, as in forward dynamics. */
static void find_singular(const tq_model *model, double reach, double (*articulated)[36],
                          verdict *verdicts)
{
    double mass = 0.0;
    double moment = 0.0;
    find_scales(model, reach, &mass, &moment);
    for (uint32_t l = 0; l < model->n_link; l++) {
        const tq_inertia *inertia = &model->links[l].inertia;
        tq_inertia_spatial(inertia, articulated[l]);
        verdicts[l] = (verdict){.heavy = inertia->mass != 0.0};
        for (int k = 0; k < 6; k++) {
            verdicts[l].heavy = verdicts[l].heavy || inertia->about_com[k] != 0.0;
        }
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const tq_joint *joint = &model->joints[model->order[k]];
        double *a = articulated[joint->child];
        verdict *v = &verdicts[joint->child];
        if (joint->nv > 0 && !v->heavy && joint->rotor.inertia == 0.0) {
            v->massless = true;
        } else if (joint->nv == 1) {
            v->share = release(joint, joint->kind == TQ_JOINT_PRISMATIC ? mass : moment, a);
            v->singular = v->share < SHARE_LEFT;
        }
        if (v->heavy) {
            verdicts[joint->parent].heavy = true;
        }
        if (joint->kind != TQ_JOINT_FLOATING) {
            add_seen_from_parent(a, &joint->origin, articulated[joint->parent]);
        }
    }
}

tq_status tq_doctor_check(const tq_model *model, tq_scratch *scratch,
                          tq_doctor_finding *ret_findings, size_t *ret_n, tq_error *reterr)
{
    assert(model != NULL && scratch != NULL && ret_findings != NULL && ret_n != NULL);
    const size_t mark = tq_scratch_mark(scratch);
    double(*articulated)[36] = tq_scratch_take(scratch, model->n_link, sizeof *articulated);
    verdict *verdicts = tq_scratch_take(scratch, model->n_link, sizeof *verdicts);
    if (articulated == NULL || verdicts == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_doctor_scratch_size(model));
    }
    notes out = {.rows = ret_findings};
    const double reach = reach_of(model);
    for (uint32_t l = 0; l < model->n_link; l++) {
        check_link(model, reach, l, &out);
    }
    find_singular(model, reach, articulated, verdicts);
    for (uint32_t i = 0; i < model->n_joint; i++) {
        check_joint(model, i, &out);
        const verdict *v = &verdicts[model->joints[i].child];
        if (v->massless) {
            note(&out, TQ_DOCTOR_MASSLESS, i, 0.0);
        } else if (v->singular) {
            note(&out, TQ_DOCTOR_SINGULAR, i, v->share);
        }
    }
    *ret_n = out.n;
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
