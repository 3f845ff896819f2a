/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/doctor.c - plausibility of masses, inertias, units, and singular mass matrices. */
#include "core/model/doctor.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "core/model/inertia.h"
#include "core/model/singular.h"

/* relative rounding of inertias in files (six digits): a flat plate may violate the triangle
 * inequality by that much */
static const double ROUNDED = 1e-6;
/* m; larger than any distance between joints of a robot */
static const double FAR_ORIGIN = 50.0;
/* kg/m^3: osmium has 22600, and a robot is mostly air */
static const double DENSEST = 22600.0;
/* rad; larger than the range of a revolute joint (six revolutions either way) */
static const double FAR_TURN = 40.0;

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
    return (size_t)8 * model->n_link + (size_t)8 * model->n_joint;
}

size_t tq_doctor_scratch_size(const tq_model *model)
{
    return tq_scratch_cost(model->n_link, 36 * sizeof(double)) +
           tq_scratch_cost(model->n_link, sizeof(tq_singular_verdict));
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

/* Upper bound of the robot's reach without the extent of its links, m. */
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
        return; /* the length unit may be wrong: the following checks would repeat that */
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
    /* volume of a ball with this radius of gyration; thinner bodies have less volume for the same
     * inertia */
    const double ball = 16.6 * gyration * gyration * gyration;
    if (inertia->mass > DENSEST * extent * extent * extent) {
        note(out, TQ_DOCTOR_DENSE, l, inertia->mass);
    } else if (gyration >= 1e-4 * size && inertia->mass > 10.0 * DENSEST * ball) {
        note(out, TQ_DOCTOR_HEAVY, l, inertia->mass / ball);
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

static void check_limits(const tq_joint *joint, uint32_t i, notes *out)
{
    const double lower = joint->limits.lower;
    const double upper = joint->limits.upper;
    const double far =
        fmax(isfinite(lower) ? fabs(lower) : 0.0, isfinite(upper) ? fabs(upper) : 0.0);
    const double weakest = fmin(joint->limits.velocity, joint->limits.effort);
    const bool turns = joint->kind == TQ_JOINT_REVOLUTE || joint->kind == TQ_JOINT_CONTINUOUS;
    if (joint->nv != 1) {
        return;
    }
    if (lower > upper) {
        note(out, TQ_DOCTOR_LIMITS, i, lower);
    }
    if (turns && far > FAR_TURN) {
        note(out, TQ_DOCTOR_DEGREES, i, far);
    } else if (!turns && far > FAR_ORIGIN) {
        note(out, TQ_DOCTOR_TRAVEL_FAR, i, far);
    }
    if (weakest < 0.0) {
        note(out, TQ_DOCTOR_NEGATIVE_LIMIT, i, weakest);
    }
}

static void check_joint(const tq_model *model, uint32_t i, notes *out)
{
    const tq_joint *joint = &model->joints[i];
    const double far = norm3(joint->origin.p);
    if (far > FAR_ORIGIN) {
        note(out, TQ_DOCTOR_ORIGIN_FAR, i, far);
    }
    check_limits(joint, i, out);
    if (joint->spring.stiffness < 0.0) {
        note(out, TQ_DOCTOR_SPRING, i, joint->spring.stiffness);
    }
    const double friction = fmin(joint->friction.viscous, joint->friction.coulomb);
    if (friction < 0.0) {
        note(out, TQ_DOCTOR_FRICTION, i, friction);
    }
    if (joint->rotor.inertia < 0.0) {
        note(out, TQ_DOCTOR_ROTOR, i, joint->rotor.inertia);
    }
}

/* True if mimic joints of joint i move an inertia: joint i then moves it too. */
static bool follower_moves(const tq_model *model, const tq_singular_verdict *verdicts, uint32_t i)
{
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const tq_joint *joint = &model->joints[k];
        if (joint->mimic == i && joint->mimic_multiplier != 0.0 &&
            (verdicts[joint->child].heavy || joint->rotor.inertia > 0.0)) {
            return true;
        }
    }
    return false;
}

tq_status tq_doctor_check(const tq_model *model, tq_scratch *scratch,
                          tq_doctor_finding *ret_findings, size_t *ret_n, tq_error *reterr)
{
    assert(model != NULL && scratch != NULL && ret_findings != NULL && ret_n != NULL);
    const size_t mark = tq_scratch_mark(scratch);
    double(*articulated)[36] = tq_scratch_take(scratch, model->n_link, sizeof *articulated);
    tq_singular_verdict *verdicts = tq_scratch_take(scratch, model->n_link, sizeof *verdicts);
    if (articulated == NULL || verdicts == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_doctor_scratch_size(model));
    }
    notes out = {.rows = ret_findings};
    const double reach = reach_of(model);
    for (uint32_t l = 0; l < model->n_link; l++) {
        check_link(model, reach, l, &out);
    }
    tq_singular_find(model, reach, articulated, verdicts);
    for (uint32_t i = 0; i < model->n_joint; i++) {
        check_joint(model, i, &out);
        const tq_singular_verdict *v = &verdicts[model->joints[i].child];
        if (follower_moves(model, verdicts, i)) {
            continue;
        }
        if (v->massless) {
            note(&out, TQ_DOCTOR_MASSLESS, i, 0.0);
        } else if (v->elsewhere < TQ_SINGULAR_SHARE) {
            note(&out, TQ_DOCTOR_SINGULAR_ALWAYS, i, v->elsewhere);
        } else if (v->at_rest < TQ_SINGULAR_SHARE) {
            note(&out, TQ_DOCTOR_SINGULAR, i, v->at_rest);
        }
    }
    *ret_n = out.n;
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
