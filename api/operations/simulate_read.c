/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate_read.c - the request of a simulation, checked before anything moves. */
#include <math.h>
#include <string.h>

#include "api/operations/simulate.h"
#include "core/dynamics/inverse.h"

static const double default_step = 1e-3; /* s: a hundredth of an arm's fastest motion */
static const double duration_max = 1e6;  /* s */
static const double steps_max = 1e9;     /* about an hour of a worker */
enum { TABLE_POINTS_MAX = 1 << 20, ROW_PARTS = 1 };

static const char *const initial_fields[] = {"q", "qd", NULL};
static const char *const output_fields[] = {"interval", "times", NULL};
static const char *const input_fields[] = {"kind", "t", "tau", "interpolation", NULL};
static const char *const solver_fields[] = {"method", "step", NULL};
static const char *const input_kinds[] = {"torque", NULL};
static const char *const interpolations[] = {"hold", "linear", "cubic", NULL};
static const char *const methods[] = {"rk4", "semi-implicit-euler", NULL};
static const char *const includes[] = {"qdd", NULL};
static const char *const left_out[] = {"friction", "rotor", "spring", "gravity", NULL};
static const unsigned left_out_bits[] = {TQ_WITHOUT_FRICTION, TQ_WITHOUT_ROTOR, TQ_WITHOUT_SPRING,
                                         TQ_WITHOUT_GRAVITY};

static bool read_initial(tqa_simulation *s)
{
    const tqa_part root = tqa_part_root(s->control);
    const tqa_part initial = tqa_part_field(&root, "initial");
    if (!tqa_part_need(&initial, "add \"initial\": {\"q\": [...], \"qd\": [...]}") ||
        !tqa_part_object(&initial, initial_fields)) {
        return false;
    }
    const tqa_part q = tqa_part_field(&initial, "q");
    const tqa_part qd = tqa_part_field(&initial, "qd");
    s->q = tqa_control_take(s->control, s->order.nq + 1, sizeof(double));
    s->qd = tqa_control_take(s->control, s->order.nv + 1, sizeof(double));
    return s->q != NULL && s->qd != NULL &&
           tqa_part_need(&q, "add \"q\": the coordinates at the start") &&
           tqa_part_row(&q, s->order.nq, s->order.q, s->q) &&
           (qd.value == NULL || tqa_part_row(&qd, s->order.nv, s->order.v, s->qd));
}

/* rows that an answer may have: bounded by its numbers */
static size_t rows_max(const tqa_simulation *s)
{
    return TQA_CONTROL_ANSWER_MAX / s->n_column;
}

static bool read_times(tqa_simulation *s, const tqa_part *times, double duration)
{
    size_t n = 0;
    if (!tqa_part_array(times, 1, rows_max(s) - 1, &n)) {
        return false;
    }
    s->n_output = n + 1;
    s->times = tqa_control_take(s->control, s->n_output, sizeof(double));
    if (s->times == NULL || !tqa_part_numbers(times, n, s->times + 1)) {
        return false;
    }
    size_t from = 1;
    if (s->times[1] == 0.0) { /* the start is always told */
        s->n_output = n;
        memmove(s->times, s->times + 1, n * sizeof(double));
    }
    for (size_t k = from; k < s->n_output; k++) {
        if (!(s->times[k] > s->times[k - 1] && s->times[k] <= duration)) {
            const tqa_part item = tqa_part_item(times, k - (s->n_output == n ? 0 : 1));
            return tqa_part_refuse(&item, "range", "times increase and end by the duration",
                                   "time %g follows %g", s->times[k], s->times[k - 1]);
        }
    }
    return true;
}

static bool read_output(tqa_simulation *s)
{
    const tqa_part root = tqa_part_root(s->control);
    const tqa_part duration = tqa_part_field(&root, "duration");
    const tqa_part output = tqa_part_field(&root, "output");
    double seconds = 0.0;
    if (!tqa_part_need(&duration, "add \"duration\": seconds") ||
        !tqa_part_positive(&duration, &seconds)) {
        return false;
    }
    if (seconds > duration_max) {
        return tqa_part_refuse(&duration, "range", NULL, "%g s is more than %g s", seconds,
                               duration_max);
    }
    if (!tqa_part_need(&output, "add \"output\": {\"interval\": 0.01}") ||
        !tqa_part_object(&output, output_fields)) {
        return false;
    }
    const tqa_part interval = tqa_part_field(&output, "interval");
    const tqa_part times = tqa_part_field(&output, "times");
    if (times.value != NULL) {
        return interval.value == NULL
                   ? read_times(s, &times, seconds)
                   : tqa_part_refuse(&times, "invalid-value", "give one of them",
                                     "\"interval\" and \"times\" exclude each other");
    }
    if (!tqa_part_need(&interval, "add \"interval\": seconds between outputs") ||
        !tqa_part_positive(&interval, &s->interval)) {
        return false;
    }
    /* the last output is the one at the duration; a rest shorter than rounding is none */
    const double n = floor(seconds / s->interval * (1.0 + 4e-16)) + 1.0;
    if (n > (double)rows_max(s)) {
        return tqa_part_refuse(&interval, "range", "a longer interval",
                               "%.0f output samples, but an answer has %zu at most for this robot",
                               n, rows_max(s));
    }
    if (n < 2.0) {
        return tqa_part_refuse(&interval, "range", "an interval of at most the duration",
                               "the interval is longer than the duration");
    }
    s->n_output = (size_t)n;
    return true;
}

double tqa_simulation_time(const tqa_simulation *simulation, size_t k)
{
    return simulation->interval > 0.0 ? (double)k * simulation->interval : simulation->times[k];
}

double tqa_simulation_steps(const tqa_simulation *simulation)
{
    const double end = tqa_simulation_time(simulation, simulation->n_output - 1);
    return end / simulation->step + (double)simulation->n_output;
}

static bool read_solver(tqa_simulation *s)
{
    const tqa_part root = tqa_part_root(s->control);
    const tqa_part solver = tqa_part_field(&root, "solver");
    unsigned method = 0;
    s->step = s->interval > 0.0 && s->interval < default_step ? s->interval : default_step;
    if (solver.value != NULL) {
        if (!tqa_part_object(&solver, solver_fields)) {
            return false;
        }
        const tqa_part name = tqa_part_field(&solver, "method");
        const tqa_part step = tqa_part_field(&solver, "step");
        if ((name.value != NULL && !tqa_part_choice(&name, methods, &method)) ||
            (step.value != NULL && !tqa_part_positive(&step, &s->step))) {
            return false;
        }
    }
    s->method = method == 0 ? TQ_FIXED_RK4 : TQ_FIXED_SEMI_IMPLICIT;
    if (tqa_simulation_steps(s) > steps_max) {
        return tqa_part_refuse(&solver, "range", "a longer step, or a shorter duration",
                               "%g steps are more than %g", tqa_simulation_steps(s), steps_max);
    }
    return true;
}

static bool read_table(tqa_simulation *s, const tqa_part *input)
{
    const tqa_part t = tqa_part_field(input, "t");
    const tqa_part tau = tqa_part_field(input, "tau");
    const tqa_part how = tqa_part_field(input, "interpolation");
    const size_t nv = s->order.nv;
    unsigned interpolation = TQ_INTERPOLATE_LINEAR;
    size_t n = 0;
    if (!tqa_part_need(&t, "add \"t\": the times of the torques, s") ||
        !tqa_part_array(&t, 2, TABLE_POINTS_MAX, &n) ||
        !tqa_part_need(&tau, "add \"tau\": an array of torques for each time") ||
        !tqa_part_array(&tau, n, n, &n) ||
        (how.value != NULL && !tqa_part_choice(&how, interpolations, &interpolation))) {
        return false;
    }
    double *times = tqa_control_take(s->control, n, sizeof *times);
    double *values = tqa_control_take(s->control, n * nv, sizeof *values);
    double *curvature = tqa_control_take(s->control, n * nv, sizeof *curvature);
    if (times == NULL || values == NULL || curvature == NULL || !tqa_part_numbers(&t, n, times)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_part row = tqa_part_item(&tau, k);
        if (!tqa_part_row(&row, nv, s->order.v, values + k * nv)) {
            return false;
        }
        if (k > 0 && times[k] <= times[k - 1]) {
            const tqa_part item = tqa_part_item(&t, k);
            return tqa_part_refuse(&item, "range", "times of a table increase",
                                   "time %g follows %g", times[k], times[k - 1]);
        }
    }
    s->torque = (tq_table){.points = {.n_point = n, .n_coordinate = nv, .t = times, .x = values},
                           .interpolation = (tq_interpolation)interpolation,
                           .curvature = curvature};
    s->has_torque = true;
    if (interpolation != TQ_INTERPOLATE_CUBIC) {
        return true;
    }
    tq_scratch scratch;
    tq_error error = {0};
    if (!tqa_control_scratch(s->control, tq_scratch_cost(n, sizeof(double)), &scratch)) {
        return false;
    }
    const tq_status status = tq_table_fit(&s->torque.points, &scratch, curvature, &error);
    return status == TQ_OK || tqa_control_fail(s->control, "/input", status, &error);
}

static bool read_input(tqa_simulation *s)
{
    const tqa_part root = tqa_part_root(s->control);
    const tqa_part input = tqa_part_field(&root, "input");
    unsigned kind = 0;
    if (input.value == NULL) {
        return true;
    }
    if (!tqa_part_object(&input, input_fields)) {
        return false;
    }
    const tqa_part name = tqa_part_field(&input, "kind");
    return tqa_part_need(&name, "add \"kind\": \"torque\"") &&
           tqa_part_choice(&name, input_kinds, &kind) && read_table(s, &input);
}

static bool read_terms(tqa_simulation *s)
{
    const tqa_part root = tqa_part_root(s->control);
    const tqa_part gravity = tqa_part_field(&root, "gravity");
    const tqa_part without = tqa_part_field(&root, "without");
    const tqa_part include = tqa_part_field(&root, "include");
    unsigned bits = 0;
    memcpy(s->gravity, s->control->robot->model->gravity, sizeof s->gravity);
    if ((gravity.value != NULL && !tqa_part_numbers(&gravity, 3, s->gravity)) ||
        (without.value != NULL && !tqa_part_choices(&without, left_out, &bits))) {
        return false;
    }
    for (unsigned k = 0; left_out[k] != NULL; k++) {
        s->without |= (bits >> k & 1u) != 0 ? left_out_bits[k] : 0u;
    }
    bits = 0;
    if (include.value != NULL && !tqa_part_choices(&include, includes, &bits)) {
        return false;
    }
    s->want_qdd = bits != 0;
    return true;
}

bool tqa_simulation_read(tqa_simulation *simulation)
{
    if (!tqa_control_order(simulation->control, &simulation->order)) {
        return false;
    }
    const tq_model *model = simulation->control->robot->model;
    simulation->n_column = ROW_PARTS + model->nq + 3 * (size_t)model->nv;
    if (!read_initial(simulation) || !read_output(simulation) || !read_solver(simulation) ||
        !read_input(simulation) || !read_terms(simulation)) {
        return false;
    }
    simulation->rows = tqa_control_take(
        simulation->control, simulation->n_output * simulation->n_column, sizeof(double));
    return simulation->rows != NULL;
}
