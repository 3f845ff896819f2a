/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/watch.c - what the rows of a run say about its robot, seen as they are
 * printed: limits that they exceed, torque of a floating joint that nothing drives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/call/floating.h"
#include "api/codec/writer.h"
#include "api/operations/simulate/simulate.h"

uint32_t tqa_simulation_undriven(const tqa_simulation *s, uint32_t j)
{
    /* controllers keep to `actuated`, a table of torques need not */
    const bool is_driven =
        s->has_controller ? s->tree->robot->actuated == NULL : s->torque.points.n_point > 0;
    return is_driven ? tqa_floating_undriven(s->tree->robot, j) : TQ_NONE;
}

void tqa_simulation_remark_undriven(const tqa_simulation *s, uint32_t joint, double most)
{
    char text[TQA_PROBLEM_TEXT];
    tqa_floating_text(s->tree->robot, joint, most, text);
    tqa_tree_remark(s->tree, joint, "%s", text);
}

bool tqa_simulation_watch(tqa_simulation *s)
{
    const tq_model *model = s->tree->robot->model;
    const size_t most = TQA_LIMITS * (size_t)model->n_joint;
    s->base = TQ_NONE;
    s->watched = tqa_tree_take(s->tree, most, sizeof *s->watched);
    s->watched_t = tqa_tree_take(s->tree, most, sizeof *s->watched_t);
    if (s->watched == NULL || s->watched_t == NULL) {
        return false;
    }
    s->n_watched = tqa_watched_joints(model, s->watched);
    return true;
}

static const char *column_of(tqa_limit limit)
{
    return limit <= TQA_LIMIT_UPPER ? "q" : limit == TQA_LIMIT_VELOCITY ? "qd" : "tau";
}

static void watch_base(tqa_simulation *s, size_t place, size_t n)
{
    const tq_model *model = s->tree->robot->model;
    for (uint32_t j = tqa_simulation_undriven(s, 0); j != TQ_NONE;
         j = tqa_simulation_undriven(s, j + 1)) {
        const tq_joint *joint = &model->joints[j];
        for (size_t i = 0; i < n; i++) {
            const double *tau = s->piece + i * s->width + place + joint->v_index;
            for (uint32_t k = 0; k < joint->nv; k++) {
                if (fabs(tau[k]) > s->base_tau) {
                    s->base_tau = fabs(tau[k]);
                    s->base = j;
                }
            }
        }
    }
}

void tqa_simulation_watch_rows(tqa_simulation *s, const char *column, size_t place, size_t n)
{
    for (size_t k = 0; k < s->n_watched; k++) {
        tqa_watched *one = &s->watched[k];
        if (strcmp(column_of(one->limit), column) != 0) {
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            const double *row = s->piece + i * s->width;
            const double before = one->by;
            tqa_watched_note(one, row[place + one->row], s->next_row + i);
            s->watched_t[k] = one->by > before ? row[0] : s->watched_t[k];
        }
    }
    if (strcmp(column, "tau") == 0) {
        watch_base(s, place, n);
    }
}

/* The one that is exceeded by the largest part of its bound. */
static void remark_limits(tqa_simulation *s, size_t worst, size_t n)
{
    static const char *const units[] = {"rad", "rad", "rad/s", "N m", "m", "m", "m/s", "N"};
    const tqa_watched *one = &s->watched[worst];
    const tqa_robot *robot = s->tree->robot;
    const bool slides = robot->model->joints[one->joint].kind == TQ_JOINT_PRISMATIC;
    tqa_tree_remark(
        s->tree, one->joint,
        "the %s limit of joint \"%.64s\" is exceeded by %.4g %s at t = %.4g s; \"limits\" "
        "has %s: the motion is that of a robot without them%s",
        tqa_watched_name(one), robot->joint_names[one->joint], one->by,
        units[one->limit + (slides ? TQA_LIMITS : 0)], s->watched_t[worst],
        n > 1 ? "all that are" : "it",
        one->limit == TQA_LIMIT_TORQUE && s->has_controller
            ? ", and \"effort_limits\": \"robot\" in \"input\" keeps torques within"
            : "");
}

void tqa_simulation_put_watched(tqa_simulation *s)
{
    tqa_writer *answer = s->tree->answer;
    size_t n = 0, worst = 0;
    double most = -1.0;
    for (size_t k = 0; k < s->n_watched; k++) {
        const tqa_watched *one = &s->watched[k];
        if (one->n == 0) {
            continue;
        }
        if (n++ == 0) {
            tqa_writer_object(answer, "limits");
            tqa_writer_list(answer, "exceeded");
        }
        tqa_watched_put(one, s->tree->robot->joint_names[one->joint], 1.0, &s->watched_t[k],
                        answer);
        const double part = one->by / fmax(fabs(one->bound), 1e-3);
        if (part > most) {
            most = part;
            worst = k;
        }
    }
    if (n > 0) {
        tqa_writer_end(answer);
        tqa_writer_end(answer);
        remark_limits(s, worst, n);
    }
    if (s->base != TQ_NONE) {
        tqa_simulation_remark_undriven(s, s->base, s->base_tau);
    }
}
