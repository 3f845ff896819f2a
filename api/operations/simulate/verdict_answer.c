/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/verdict_answer.c - balance and tracking in the answer. */
#include "api/operations/simulate/simulate.h"
#include "api/response/robot_writer.h"

#include <math.h>
#include <stdio.h>

enum { FINDING_TEXT = 192 };
static const double lost_part = 0.01; /* of the largest kinetic energy: a finding */

static const double rounding = 1e-9; /* J */

static void put_number(tqa_writer *answer, const char *key, double x)
{
    if (isfinite(x)) {
        tqa_writer_number(answer, key, x);
    } else {
        tqa_writer_none(answer, key, "too large for a number");
    }
}

static void put_relative(tqa_writer *answer, double residual, double scale, const char *none)
{
    if (scale > 0.0) {
        put_number(answer, "relative", residual / scale);
    } else {
        tqa_writer_none(answer, "relative", none);
    }
}

/* the steps made or took energy that no torque did */
static void put_lost_energy(const tqa_simulation *s)
{
    char text[FINDING_TEXT];
    const tq_run_balance *a = &s->judge.audited.all;
    const tq_run_options *o = &s->options;
    const double percent = 100.0 * a->residual_max / a->kinetic_max;
    const char *method = tqa_simulation_method(o->method);
    if (tq_run_is_adaptive(o->method)) {
        (void)snprintf(text, sizeof text,
                       "energy is off by %.2g %% of the largest kinetic energy by %s at rtol %g: "
                       "take a smaller one",
                       percent, method, o->rtol);
    } else {
        (void)snprintf(text, sizeof text,
                       "energy is off by %.2g %% of the largest kinetic energy by %s in steps of "
                       "%g s: take shorter ones, or leave \"solver\" out",
                       percent, method, o->step);
    }
    tqa_writer_string(s->tree->answer, "finding", text);
}

static void put_audit(const tqa_simulation *s)
{
    tqa_writer *answer = s->tree->answer;
    const tq_run_balance *a = &s->judge.audited.all;
    if (s->judge.audited.why_not != NULL) {
        tqa_writer_none(answer, "audit", s->judge.audited.why_not);
        return;
    }
    tqa_writer_object(answer, "audit");
    tqa_writer_object(answer, "energy");
    put_number(answer, "kinetic_start", a->start.kinetic);
    put_number(answer, "kinetic_end", a->end.kinetic);
    put_number(answer, "kinetic_max", a->kinetic_max);
    /* compliant contacts are external wrenches to the run, and springs and dampers to its reader */
    const tqa_contact_energy c = tqa_simulation_contact_energy(s);
    put_number(answer, "potential_change", a->end.potential - a->start.potential + c.stored);
    put_number(answer, "work", a->z[TQ_AUDIT_WORK]);
    put_number(answer, "dissipated", a->z[TQ_AUDIT_DISSIPATED] + (c.damped + c.slid));
    put_number(answer, "external", a->z[TQ_AUDIT_EXTERNAL] + (c.stored + c.damped + c.slid));
    tqa_simulation_put_contact_losses(s);
    put_number(answer, "residual", a->residual);
    put_number(answer, "residual_max", a->residual_max);
    put_relative(answer, a->residual_max, a->kinetic_max, "nothing moves");
    if (a->residual_max > fmax(lost_part * a->kinetic_max, rounding) && a->kinetic_max > 0.0) {
        put_lost_energy(s);
    }
    tqa_writer_end(answer);
    if (s->judge.audit.with_momentum) {
        double size = 0.0;
        double left = 0.0;
        for (unsigned k = 0; k < 3; k++) {
            size = fmax(size, fabs(a->z[TQ_AUDIT_BASE + k]));
            left = fmax(left, fabs(a->momentum_residual[k]));
        }
        tqa_writer_object(answer, "momentum");
        tqa_writer_vector(answer, "base_impulse", a->z + TQ_AUDIT_BASE, 3);
        tqa_writer_vector(answer, "external_impulse", a->z + TQ_AUDIT_PUSH, 3);
        tqa_writer_vector(answer, "residual", a->momentum_residual, 3);
        put_relative(answer, left, size, "nothing holds the robot");
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static void put_joints(const tqa_simulation *s, const char *key, const double *x, bool is_square)
{
    double *row = s->balance_row;
    for (size_t r = 0; r < s->order.nv; r++) {
        const double value = x[s->order.v[r]];
        row[r] = is_square ? sqrt(value / (double)s->judge.tracked.n) : value;
    }
    tqa_writer_vector(s->tree->answer, key, row, s->order.nv);
}

/* errors of the forces that had goals */
static void put_force(const tqa_simulation *s)
{
    static const char *const keys[] = {"max", "rms", "final"};
    tqa_writer *answer = s->tree->answer;
    const tqa_tracking_error *t = &s->judge.tracked;
    const size_t n_row = s->plant.constraints->n_row;
    tqa_writer_object(answer, "force");
    tqa_writer_list(answer, "rows");
    for (size_t r = 0; r < n_row; r++) {
        if (s->controller.pushed[r]) {
            tqa_writer_string(answer, NULL, s->tree->robot->row_names[r]);
        }
    }
    tqa_writer_end(answer);
    for (unsigned k = 0; k < 3; k++) {
        size_t n = 0;
        for (size_t r = 0; r < n_row; r++) {
            if (s->controller.pushed[r]) {
                const double x = t->force[k][r];
                t->force[3][n++] = k == 1 ? sqrt(x / (double)t->n) : x;
            }
        }
        tqa_writer_vector(answer, keys[k], t->force[3], n);
    }
    tqa_writer_end(answer);
}

/* errors along the axes of a point that a controller moves */
static void put_task(const tqa_simulation *s)
{
    static const char *const keys[] = {"max", "rms", "final"};
    static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz"};
    tqa_writer *answer = s->tree->answer;
    const tqa_tracking_error *t = &s->judge.tracked;
    const bool *moved = s->controller.operational.moved;
    tqa_writer_object(answer, "task");
    tqa_writer_list(answer, "axes");
    for (unsigned k = 0; k < TQ_TASK_AXES; k++) {
        if (moved[k]) {
            tqa_writer_string(answer, NULL, axes[k]);
        }
    }
    tqa_writer_end(answer);
    for (unsigned i = 0; i < 3; i++) {
        double row[TQ_TASK_AXES];
        size_t n = 0;
        for (unsigned k = 0; k < TQ_TASK_AXES; k++) {
            if (moved[k]) {
                row[n++] = i == 1 ? sqrt(t->task[i][k] / (double)t->n) : t->task[i][k];
            }
        }
        tqa_writer_vector(answer, keys[i], row, n);
    }
    tqa_writer_end(answer);
}

static void put_tracking(const tqa_simulation *s)
{
    tqa_writer *answer = s->tree->answer;
    const tqa_tracking_error *t = &s->judge.tracked;
    tqa_writer_object(answer, "tracking");
    put_joints(s, "max", t->max, false);
    put_joints(s, "rms", t->square, true);
    put_joints(s, "final", t->final, false);
    tqa_writer_object(answer, "point");
    tqa_writer_point(answer, s->tree->robot, &t->point);
    put_number(answer, "max", t->point_max);
    put_number(answer, "rms", sqrt(t->point_square / (double)t->n));
    put_number(answer, "final", t->point_final);
    put_number(answer, "length", t->length);
    if (t->length > 0.0) {
        put_number(answer, "max_percent", 100.0 * t->point_max / t->length);
        put_number(answer, "final_percent", 100.0 * t->point_final / t->length);
    } else {
        tqa_writer_none(answer, "max_percent", "the reference is constant");
        tqa_writer_none(answer, "final_percent", "the reference is constant");
    }
    tqa_writer_end(answer);
    if (t->force[0] != NULL) {
        put_force(s);
    }
    if (tqa_controller_is_operational(&s->controller)) {
        put_task(s);
    }
    tqa_writer_end(answer);
}

/* kp e = g(q) at rest: without a gravity term a PD ends beside its setpoint. */
static void remark_sag(const tqa_simulation *s)
{
    static const double least = 1e-3; /* rad or m */
    const tq_model *model = tq_mechanism_model(s->mechanism);
    const tq_controller *law = &s->controller.core;
    const double *final = s->judge.tracked.final;
    const double *g = s->gravity;
    uint32_t worst = TQ_NONE;
    if (law->law != TQ_LAW_PD || law->ki != NULL || s->ended != NULL ||
        (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0) ||
        s->controller.reference.motion.kind != TQ_REFERENCE_SETPOINT) {
        return;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const double off = model->joints[j].nv == 1 ? fabs(final[model->joints[j].v_index]) : 0.0;
        if (off > least && (worst == TQ_NONE || off > fabs(final[model->joints[worst].v_index]))) {
            worst = j;
        }
    }
    if (worst != TQ_NONE) {
        tqa_tree_remark(s->tree, worst,
                        "ends %.3g %s from its setpoint: \"pd\" has no term for gravity and rests "
                        "gravity/kp away; \"kind\": \"pd-gravity\" rests at it",
                        fabs(final[model->joints[worst].v_index]),
                        model->joints[worst].kind == TQ_JOINT_PRISMATIC ? "m" : "rad");
    }
}

void tqa_run_verdict_put(const struct tqa_simulation *s)
{
    put_audit(s);
    if (s->has_controller) {
        put_tracking(s);
        remark_sag(s);
    }
}
