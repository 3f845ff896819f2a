/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/verdict_run.c - balance and tracking of a simulation, out of its rows. */
#include "api/openapi/generated/fields.h"
#include "api/operations/simulate/simulate.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/elementary/elementary.h"
#include "core/plant/state.h"

static const double default_tolerated = 0.01; /* rad or m */

/* ------------------------------------------------------------------------------------------------
 * Arrays over time
 */

/* the balance of the row that is being filled */
static const tq_balance *balance_now(tqa_simulation *s)
{
    tqa_run_verdict *j = &s->judge;
    if (j->balanced == s->n_row + 1) {
        return &j->balance;
    }
    double *q = s->balance_row;
    double *qd = q + s->order.nq;
    double *qdd = qd + s->order.nv;
    double *wrench = qdd + s->order.nv;
    for (size_t k = 0; k < s->order.nq; k++) {
        q[k] = s->run->state->q[k * TQ_BLOCK_PAD];
    }
    for (size_t k = 0; k < s->order.nv; k++) {
        qd[k] = s->run->state->qd[k * TQ_BLOCK_PAD];
        qdd[k] = s->rates.qd[k * TQ_BLOCK_PAD];
    }
    for (size_t k = 0; k < 6 * s->plant.n_wrench; k++) {
        wrench[k] = s->rates.wrench[k * TQ_BLOCK_PAD];
    }
    tq_error error = {0};
    const tq_status status =
        tq_audit_balance(&s->plant, q, qd, qdd, wrench, &s->judge_scratch, &j->balance, &error);
    if (status != TQ_OK) {
        s->ended = tq_status_text(status);
        return NULL;
    }
    j->balanced = s->n_row + 1;
    return &j->balance;
}

static bool fill_kinetic(tqa_simulation *s, double *to)
{
    const tq_balance *b = balance_now(s);
    *to = b != NULL ? b->kinetic : 0.0;
    return b != NULL;
}

static bool fill_potential(tqa_simulation *s, double *to)
{
    const tq_balance *b = balance_now(s);
    *to = b != NULL ? b->potential + s->contacts.stored : 0.0;
    return b != NULL;
}

static bool fill_momentum(tqa_simulation *s, double *to)
{
    const tq_balance *b = balance_now(s);
    if (b != NULL) {
        memcpy(to, b->momentum, sizeof b->momentum);
    }
    return b != NULL;
}

static bool fill_base(tqa_simulation *s, double *to)
{
    const tq_balance *b = balance_now(s);
    if (b != NULL) {
        memcpy(to, b->base, sizeof b->base);
    }
    return b != NULL;
}

static bool fill_tracking(tqa_simulation *s, double *to)
{
    double *desired = s->balance_row;
    double *q = desired + 3 * s->order.nq;
    for (size_t k = 0; k < s->order.nq; k++) {
        q[k] = s->run->state->q[k * TQ_BLOCK_PAD];
    }
    tqa_controller_desired(&s->controller, s->run->t, q, desired);
    tq_state_difference(tq_mechanism_model(s->mechanism), desired, q, 1, to, 1);
    s->judge.balanced = 0; /* the room was used */
    return true;
}

/* columns that only the verdict reads */
static bool fill_hidden(tqa_simulation *s, double *to)
{
    const size_t n_z = s->plant.effects[s->plant.n_effect - 1].n_z;
    for (size_t k = 0; k < n_z; k++) {
        *to++ = s->run->state->z[(s->judge.z_first + k) * TQ_BLOCK_PAD];
    }
    for (size_t k = 0; k < s->order.nv; k++) {
        *to++ = s->rates.qd[k * TQ_BLOCK_PAD];
    }
    for (size_t k = 0; k < 6 * s->plant.n_wrench; k++) {
        *to++ = s->rates.wrench[k * TQ_BLOCK_PAD];
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The request
 */

static bool read_verdict(tqa_simulation *s)
{
    static const char *const known[] = {TQA_FIELDS_SIMULATE_REQUEST_VERDICT, NULL};
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value verdict = tqa_value_field(&root, "verdict");
    s->judge.tolerated = default_tolerated;
    if (verdict.value == NULL) {
        return true;
    }
    const tqa_value tolerated = tqa_value_field(&verdict, "tolerated_error");
    const tqa_value uncertainty = tqa_value_field(&verdict, "model_uncertainty");
    return tqa_value_object(&verdict, known) &&
           (tolerated.value == NULL || tqa_value_positive(&tolerated, &s->judge.tolerated)) &&
           (uncertainty.value == NULL || tqa_value_positive(&uncertainty, &s->judge.uncertainty));
}

static bool add_columns(tqa_simulation *s, unsigned include)
{
    const struct {
        unsigned bit;
        tqa_column column;
    } all[] = {
        {TQA_RUN_VERDICT_ENERGY,
         {.name = "kinetic_energy", .n = 1, .flat = true, .fill = fill_kinetic}},
        {TQA_RUN_VERDICT_ENERGY,
         {.name = "potential_energy", .n = 1, .flat = true, .fill = fill_potential}},
        {TQA_RUN_VERDICT_MOMENTUM, {.name = "momentum", .n = 3, .fill = fill_momentum}},
        {TQA_RUN_VERDICT_BASE, {.name = "base_reaction", .n = 6, .fill = fill_base}},
        {TQA_RUN_VERDICT_TRACKING,
         {.name = "tracking_error", .n = s->order.nv, .map = s->order.v, .fill = fill_tracking}},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        if ((include & all[k].bit) != 0 && !tqa_simulation_add_column(s, &all[k].column)) {
            return false;
        }
    }
    const size_t n_z = s->plant.effects[s->plant.n_effect - 1].n_z;
    const tqa_column hidden = {.name = "hidden",
                               .n = n_z + s->order.nv + 6 * s->plant.n_wrench,
                               .is_hidden = true,
                               .fill = fill_hidden};
    s->judge.first_point = s->width;
    return tqa_simulation_add_column(s, &hidden);
}

bool tqa_run_verdict_read(struct tqa_simulation *s)
{
    tqa_run_verdict *j = &s->judge;
    const unsigned include = j->include;
    const tqa_value root = tqa_value_root(s->tree);
    const tqa_value names = tqa_value_field(&root, "include");
    if ((include & TQA_RUN_VERDICT_TRACKING) != 0 && !s->has_controller) {
        return tqa_value_refuse(&names, "invalid-value",
                                "leave \"tracking_error\" out, or give \"input\" a reference",
                                "there is no reference to be tracked");
    }
    if (!read_verdict(s)) {
        return false;
    }
    j->audit =
        (tq_audit){.plant = &s->plant, .with_momentum = (include & TQA_RUN_VERDICT_MOMENTUM) != 0};
    j->z_first = tq_plant_n_z(&s->plant);
    const size_t n_row = 4 * s->order.nq + 3 * s->order.nv + 6 * s->plant.n_wrench + 1;
    s->balance_row = tqa_tree_take(s->tree, n_row, sizeof(double));
    const tq_effect effect = tq_audit_effect(&j->audit);
    return s->balance_row != NULL && tqa_simulation_add_effect(s, &effect) &&
           add_columns(s, include) &&
           tqa_tree_scratch(s->tree, tq_audit_scratch_size(&s->plant), &s->judge_scratch);
}

/* ------------------------------------------------------------------------------------------------
 * After the run: balance
 */

/* Some rows, and room to compute with them. */
typedef struct pieces {
    double *rows;
    tq_scratch scratch;
} pieces;

static bool open_pieces(tqa_simulation *s, pieces *p)
{
    const size_t n = TQ_BLOCK;
    p->rows = tqa_tree_take(s->tree, n * s->width, sizeof(double));
    const size_t of_posture = tq_configuration_scratch_size(tq_mechanism_model(s->mechanism));
    const size_t of_task = s->has_controller && tqa_controller_is_operational(&s->controller)
                               ? tq_operational_error_scratch_size(&s->controller.operational)
                               : 0;
    return p->rows != NULL &&
           tqa_tree_scratch(s->tree,
                            2 * of_posture + of_task + tq_run_balance_scratch_size(&s->plant),
                            &p->scratch);
}

static const double *row_of(const tqa_simulation *s, const pieces *p, size_t k)
{
    return p->rows + k * s->width;
}

static void audit_piece(tqa_simulation *s, pieces *p, size_t first, size_t n)
{
    tqa_energy_balance *a = &s->judge.audited;
    const tq_run_rows rows = {.rows = p->rows,
                              .n = n,
                              .width = s->width,
                              .audited = s->judge.first_point,
                              .is_first = first == 0,
                              .is_last = first + n == s->n_row};
    const tq_status status = tq_run_balance_add(&s->plant, &rows, &p->scratch, &a->all, NULL);
    /* an overflow of an energy does not withhold the motion */
    a->why_not = status != TQ_OK ? tq_status_text(status) : NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Tracking
 */

static bool place_point(tqa_simulation *s, pieces *p, const double *q, double ret[3])
{
    const tqa_point *point = &s->judge.tracked.point;
    const size_t mark = tq_scratch_mark(&p->scratch);
    tq_configuration posture = {0};
    tq_error error = {0};
    const tq_status status = tq_configuration_compute(tq_mechanism_model(s->mechanism), q, NULL,
                                                      &p->scratch, &posture, &error);
    if (status == TQ_OK) {
        const tq_pose *pose = &posture.pose[point->link];
        for (unsigned i = 0; i < 3; i++) {
            ret[i] = pose->p[i];
            for (unsigned k = 0; k < 3; k++) {
                ret[i] += pose->r[3 * i + k] * point->at[k];
            }
        }
    }
    tq_scratch_rewind(&p->scratch, mark);
    return status == TQ_OK || tqa_tree_fail(s->tree, "", status, &error);
}

static double distance(const double a[3], const double b[3])
{
    return tq_hypot(tq_hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* forces of constraints against their goals */
static void track_force(tqa_simulation *s, const double *row, double *room)
{
    tqa_tracking_error *to = &s->judge.tracked;
    tq_table_at(&s->controller.force, row[0], room, 1);
    for (size_t r = 0; r < s->plant.constraints->n_row; r++) {
        const double e = room[r] - row[s->multipliers_at + r];
        to->force[0][r] = fmax(to->force[0][r], fabs(e));
        to->force[1][r] += e * e;
        to->force[2][r] = e;
    }
}

/* the distance of a row from its reference: of the point, along the axes that are followed */
static void track_point(tqa_simulation *s, double off, const double there[3])
{
    tqa_tracking_error *to = &s->judge.tracked;
    to->point_max = fmax(to->point_max, off);
    to->point_square += off * off;
    to->point_final = off;
    if (to->n > 0 && !s->controller.reference.is_cartesian) {
        to->length += distance(there, to->last);
    }
    memcpy(to->last, there, 3 * sizeof *there);
    to->n++;
}

/* errors of a point that a controller moves in space */
static bool track_task(tqa_simulation *s, pieces *p, const double *row)
{
    tqa_tracking_error *to = &s->judge.tracked;
    static const double none[3] = {0.0};
    double e[TQ_TASK_AXES];
    double there[3];
    tq_error error = {0};
    const tq_status status = tq_operational_error(&s->controller.operational, row[0], row + 1,
                                                  &p->scratch, e, there, &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(s->tree, "", status, &error);
    }
    for (unsigned k = 0; k < TQ_TASK_AXES; k++) {
        to->task[0][k] = fmax(to->task[0][k], fabs(e[k]));
        to->task[1][k] += e[k] * e[k];
        to->task[2][k] = e[k];
    }
    track_point(s, distance(e, none), there);
    return true;
}

static bool track_row(tqa_simulation *s, pieces *p, const double *row)
{
    tqa_tracking_error *to = &s->judge.tracked;
    const size_t nv = s->order.nv;
    double *desired = s->balance_row;
    double here[3] = {0.0};
    double there[3] = {0.0};
    double *error = desired + 3 * s->order.nq;
    if (tqa_controller_is_operational(&s->controller)) {
        return track_task(s, p, row);
    }
    tqa_controller_desired(&s->controller, row[0], row + 1, desired);
    tq_state_difference(tq_mechanism_model(s->mechanism), desired, row + 1, 1, error, 1);
    for (size_t k = 0; k < nv; k++) {
        const double e = error[k];
        to->max[k] = fmax(to->max[k], fabs(e));
        to->square[k] += e * e;
        to->final[k] = e;
    }
    if (!place_point(s, p, row + 1, here) || !place_point(s, p, desired, there)) {
        return false;
    }
    if (to->force[0] != NULL) {
        track_force(s, row, to->force[3]);
    }
    track_point(s, distance(here, there), there);
    return true;
}

static bool open_tracking(tqa_simulation *s)
{
    tqa_tracking_error *to = &s->judge.tracked;
    const tqa_reference *reference = &s->controller.reference;
    const tq_model *model = tq_mechanism_model(s->mechanism);
    double *rows = tqa_tree_take(s->tree, 3 * s->order.nv + 1, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    for (unsigned k = 0; s->controller.pushed != NULL && k < 4; k++) {
        to->force[k] = tqa_tree_take(s->tree, s->plant.constraints->n_row, sizeof(double));
        if (to->force[k] == NULL) {
            return false;
        }
    }
    to->max = rows;
    to->square = rows + s->order.nv;
    to->final = rows + 2 * s->order.nv;
    if (tqa_controller_is_operational(&s->controller)) {
        to->point.link = s->controller.operational.link;
        memcpy(to->point.at, s->controller.operational.at, sizeof to->point.at);
    } else if (reference->is_cartesian) {
        to->point = reference->point;
        to->length = reference->length;
    } else if (s->order.n_joint > 0) {
        /* the end of the arm: the child link of its last joint */
        to->point.link = model->joints[model->order[model->n_joint - 1]].child;
    }
    return true;
}

bool tqa_run_verdict_run(struct tqa_simulation *s)
{
    pieces p;
    if (!open_pieces(s, &p) || (s->has_controller && !open_tracking(s))) {
        return false;
    }
    for (size_t first = 0; first < s->n_row; first += TQ_BLOCK) {
        const size_t left = s->n_row - first;
        const size_t n = left < TQ_BLOCK ? left : TQ_BLOCK;
        if (!tqa_simulation_read_rows(s, first, n, p.rows)) {
            return false;
        }
        if (s->judge.audited.why_not == NULL) {
            audit_piece(s, &p, first, n);
        }
        for (size_t k = 0; s->has_controller && k < n; k++) {
            if (!track_row(s, &p, row_of(s, &p, k))) {
                return false;
            }
        }
    }
    return tqa_run_verdict_growth(s);
}
