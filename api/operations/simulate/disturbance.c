/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/disturbance.c - pulses, sines, noise and tables of torques and wrenches.
 */
#include "api/operations/simulate/disturbance.h"

#include "api/openapi/generated/fields.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TABLE_POINTS_MAX = 1 << 20, WRENCH_ROWS = 6 };

/* By the numbers of tq_signal. */
static const char *const kinds[] = {TQA_WORDS_DISTURBANCE_KIND, NULL};
static const char *const interpolations[] = {TQA_WORDS_TABLE_DISTURBANCE_INTERPOLATION, NULL};
static const char *const pulse_fields[] = {TQA_FIELDS_PULSE_DISTURBANCE, NULL};
static const char *const sine_fields[] = {TQA_FIELDS_SINE_DISTURBANCE, NULL};
static const char *const noise_fields[] = {TQA_FIELDS_NOISE_DISTURBANCE, NULL};
static const char *const table_fields[] = {TQA_FIELDS_TABLE_DISTURBANCE, NULL};
static const char *const *const fields_of[] = {pulse_fields, sine_fields, noise_fields,
                                               table_fields};
static const tqa_needed sine_needed[] = {{"frequency_hz", "add \"frequency_hz\": Hz"},
                                         {NULL, NULL}};
static const tqa_needed noise_needed[] = {
    {"interval_s", "add \"interval_s\": 0.001 (s for which each number is held)"},
    {"seed", "add \"seed\": a whole number; the same one gives the same noise"},
    {NULL, NULL}};
static const tqa_needed table_needed[] = {{"t", "add \"t\": the times of the rows, s"},
                                          {NULL, NULL}};
static const tqa_needed *const needed_of[] = {NULL, sine_needed, noise_needed, table_needed};

/* What is being read. */
typedef struct reading {
    tqa_tree *tree;
    const tqa_order *order;
    const tq_mechanism *mechanism;
    tqa_disturbances *to;
} reading;

static void add_place(const reading *r, const tqa_load *load, tq_disturbance *d)
{
    tqa_disturbances *to = r->to;
    tq_external_wrench *w = &to->wrenches[to->n_wrench];
    *w = (tq_external_wrench){.link = load->point.link,
                              .expressed_in = load->in_link ? TQ_FRAME_LINK : TQ_FRAME_WORLD};
    memcpy(w->at, load->point.at, sizeof w->at);
    d->is_wrench = true;
    d->place = to->n_wrench++;
}

static bool add_effect(const reading *r, const tqa_value *part, tq_disturbance *d)
{
    tq_error error = {0};
    const tq_status status = tq_disturbance_effect(d, &r->to->effects[r->to->n_effect], &error);
    if (status != TQ_OK) {
        return tqa_tree_fail(r->tree, part->pointer, status, &error);
    }
    r->to->n_effect++;
    return true;
}

/* Which of the two is there: torque of all joints, or wrench at one place. */
static bool choose_target(const tqa_value *object, tqa_value *ret_torque, tqa_value *ret_wrench)
{
    *ret_torque = tqa_value_field(object, "torque");
    *ret_wrench = tqa_value_field(object, "wrench");
    if (ret_torque->value != NULL && ret_wrench->value != NULL) {
        return tqa_value_refuse(ret_wrench, "invalid-value", "make two disturbances of it",
                                "\"torque\" and \"wrench\" exclude each other");
    }
    return ret_wrench->value != NULL ||
           tqa_value_need(ret_torque,
                          "add \"torque\": one for each joint; or \"wrench\": {\"link\", "
                          "\"force\", \"moment\", \"at\", \"applied_to\", "
                          "\"expressed_in\"}");
}

/* amplitudes: a row of torques, or a wrench */
static bool read_size(const reading *r, const tqa_value *object, tq_disturbance *d)
{
    tqa_value torque;
    tqa_value wrench;
    double *size = tqa_tree_take(r->tree, r->order->nv + WRENCH_ROWS, sizeof *size);
    if (size == NULL || !choose_target(object, &torque, &wrench)) {
        return false;
    }
    d->size = size;
    if (torque.value != NULL) {
        return tqa_value_row(&torque, r->order, TQA_ROW_TORQUE, size);
    }
    tqa_load load;
    if (!tqa_value_load(&wrench, &load)) {
        return false;
    }
    memcpy(size, load.wrench, sizeof load.wrench);
    add_place(r, &load, d);
    return true;
}

static bool read_span(const tqa_value *object, tq_disturbance *d)
{
    const tqa_value start = tqa_value_field(object, "start_s");
    const tqa_value duration = tqa_value_field(object, "duration_s");
    d->duration = (double)INFINITY;
    return (start.value == NULL || tqa_value_number(&start, &d->start)) &&
           (duration.value == NULL || tqa_value_positive(&duration, &d->duration));
}

static bool read_sine(const tqa_value *object, tq_disturbance *d)
{
    const tqa_value frequency = tqa_value_field(object, "frequency_hz");
    const tqa_value phase = tqa_value_field(object, "phase_rad");
    return tqa_value_positive(&frequency, &d->frequency) &&
           (phase.value == NULL || tqa_value_number(&phase, &d->phase));
}

static bool read_noise(const tqa_value *object, tq_disturbance *d)
{
    const tqa_value interval = tqa_value_field(object, "interval_s");
    const tqa_value seed = tqa_value_field(object, "seed");
    size_t number = 0;
    if (!tqa_value_positive(&interval, &d->interval) ||
        !tqa_value_count(&seed, 0, (size_t)1 << DBL_MANT_DIG, &number)) {
        return false;
    }
    d->seed = number;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Tables
 */

static bool read_times(const reading *r, const tqa_value *object, size_t *ret_n, double **ret_t)
{
    const tqa_value t = tqa_value_field(object, "t");
    size_t n = 0;
    if (!tqa_value_array(&t, 2, TABLE_POINTS_MAX, &n)) {
        return false;
    }
    double *times = tqa_tree_take(r->tree, n, sizeof *times);
    if (times == NULL || !tqa_value_numbers(&t, n, times)) {
        return false;
    }
    for (size_t k = 1; k < n; k++) {
        if (!(times[k] > times[k - 1])) {
            const tqa_value item = tqa_value_item(&t, k);
            return tqa_value_refuse(&item, "range", "times of a table increase",
                                    "time %g follows %g", times[k], times[k - 1]);
        }
    }
    *ret_n = n;
    *ret_t = times;
    return true;
}

/* rows of force and moment, as they act on the robot */
static bool read_wrenches(const reading *r, const tqa_value *wrench, size_t n, double *rows,
                          tq_disturbance *d)
{
    static const char *const known[] = {TQA_FIELDS_WRENCH, NULL};
    static const char *const halves[] = {"force", "moment"};
    tqa_load load;
    double sign = 1.0;
    if (!tqa_value_fields(wrench, known, tqa_load_needs(wrench))) {
        return false;
    }
    for (size_t h = 0; h < 2; h++) {
        const tqa_value half = tqa_value_field(wrench, halves[h]);
        size_t n_row = 0;
        if (half.value != NULL && !tqa_value_array(&half, n, n, &n_row)) {
            return false;
        }
        for (size_t k = 0; k < n_row; k++) { /* none where it is left out: zero */
            const tqa_value row = tqa_value_item(&half, k);
            if (!tqa_value_numbers(&row, 3, rows + k * WRENCH_ROWS + 3 * h)) {
                return false;
            }
        }
    }
    if (!tqa_value_place(wrench, &load, &sign)) {
        return false;
    }
    for (size_t k = 0; k < n * WRENCH_ROWS; k++) {
        rows[k] = sign > 0.0 ? rows[k] : 0.0 - rows[k];
    }
    add_place(r, &load, d);
    return true;
}

static bool read_torques(const reading *r, const tqa_value *torque, size_t n, double *rows)
{
    const size_t nv = r->order->nv;
    size_t n_row = 0;
    if (!tqa_value_array(torque, n, n, &n_row)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value row = tqa_value_item(torque, k);
        if (!tqa_value_row(&row, r->order, TQA_ROW_TORQUE, rows + k * nv)) {
            return false;
        }
    }
    return true;
}

/* `wrench` may be the object itself: an external wrench is a place with times */
static bool read_table(const reading *r, const tqa_value *object, const tqa_value *torque,
                       const tqa_value *wrench, tq_disturbance *d)
{
    const tqa_value how = tqa_value_field(object, "interpolation");
    const size_t width = wrench->value != NULL ? WRENCH_ROWS : r->order->nv;
    unsigned interpolation = TQ_INTERPOLATE_LINEAR;
    size_t n = 0;
    double *t = NULL;
    if ((how.value != NULL && !tqa_value_choice(&how, interpolations, &interpolation)) ||
        !read_times(r, object, &n, &t)) {
        return false;
    }
    double *rows = tqa_tree_take(r->tree, 2 * n * width + 1, sizeof *rows);
    tq_table *table = tqa_tree_take(r->tree, 1, sizeof *table);
    if (rows == NULL || table == NULL ||
        !(wrench->value != NULL ? read_wrenches(r, wrench, n, rows, d)
                                : read_torques(r, torque, n, rows))) {
        return false;
    }
    double *curvature = rows + n * width;
    *table = (tq_table){.points = {.n_point = n, .n_coordinate = width, .t = t, .x = rows},
                        .interpolation = (tq_interpolation)interpolation,
                        .curvature = curvature};
    d->signal = TQ_SIGNAL_TABLE;
    d->table = table;
    if (interpolation != TQ_INTERPOLATE_CUBIC) {
        return true;
    }
    tq_scratch scratch;
    tq_error error = {0};
    if (!tqa_tree_scratch(r->tree, tq_scratch_cost(n, sizeof(double)), &scratch)) {
        return false;
    }
    const tq_status status = tq_table_fit(&table->points, &scratch, curvature, &error);
    return status == TQ_OK || tqa_tree_fail(r->tree, object->pointer, status, &error);
}

/* ------------------------------------------------------------------------------------------------
 * Lists
 */

static bool read_disturbance(const reading *r, const tqa_value *object)
{
    const tqa_value kind = tqa_value_field(object, "kind");
    tq_disturbance *d = tqa_tree_take(r->tree, 1, sizeof *d);
    unsigned k = 0;
    if (d == NULL ||
        !tqa_value_need(&kind, "add \"kind\": \"pulse\", \"sine\", \"noise\" or \"table\"") ||
        !tqa_value_choice(&kind, kinds, &k) ||
        !tqa_value_fields(object, fields_of[k], needed_of[k])) {
        return false;
    }
    d->signal = (tq_signal)k;
    d->mechanism = r->mechanism;
    bool good = false;
    if (d->signal == TQ_SIGNAL_TABLE) {
        tqa_value torque;
        tqa_value wrench;
        good =
            choose_target(object, &torque, &wrench) && read_table(r, object, &torque, &wrench, d);
    } else {
        good = read_size(r, object, d) &&
               (d->signal == TQ_SIGNAL_NOISE ? read_noise(object, d) : read_span(object, d)) &&
               (d->signal != TQ_SIGNAL_SINE || read_sine(object, d));
    }
    return good && add_effect(r, object, d);
}

/* A wrench that is stated whole: for ever, or with `t` over time. */
static bool read_external(const reading *r, const tqa_value *object)
{
    const tqa_value t = tqa_value_field(object, "t");
    tq_disturbance *d = tqa_tree_take(r->tree, 1, sizeof *d);
    if (d == NULL) {
        return false;
    }
    d->mechanism = r->mechanism;
    if (t.value != NULL) {
        /* without the times, a place with rows remains */
        json_t *place = json_copy(object->value);
        tqa_value wrench = *object;
        wrench.value = place;
        const tqa_value none = {.tree = r->tree};
        bool good = place != NULL && json_object_del(place, "t") == 0;
        if (place != NULL) {
            (void)json_object_del(place, "interpolation");
        }
        good = good && read_table(r, object, &none, &wrench, d);
        json_decref(place);
        return good && add_effect(r, object, d);
    }
    tqa_load load;
    double *size = tqa_tree_take(r->tree, WRENCH_ROWS, sizeof *size);
    if (size == NULL || !tqa_value_load(object, &load)) {
        return false;
    }
    memcpy(size, load.wrench, sizeof load.wrench);
    d->signal = TQ_SIGNAL_PULSE;
    d->size = size;
    d->start = -DBL_MAX;
    d->duration = (double)INFINITY;
    add_place(r, &load, d);
    return add_effect(r, object, d);
}

bool tqa_value_disturbances(const tqa_value *object, const tqa_order *order,
                            const tq_mechanism *mechanism, tqa_disturbances *ret)
{
    static const struct {
        const char *name;
        bool (*read)(const reading *r, const tqa_value *object);
    } lists[] = {{"disturbance", read_disturbance}, {"external_wrenches", read_external}};
    tqa_tree *tree = object->tree;
    const reading r = {.tree = tree, .order = order, .mechanism = mechanism, .to = ret};
    *ret = (tqa_disturbances){
        .effects = tqa_tree_take(tree, 2 * TQA_DISTURBANCES_MAX, sizeof(tq_effect)),
        .wrenches = tqa_tree_take(tree, 2 * TQA_DISTURBANCES_MAX, sizeof(tq_external_wrench))};
    if (ret->effects == NULL || ret->wrenches == NULL) {
        return false;
    }
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        const tqa_value list = tqa_value_field(object, lists[k].name);
        size_t n = 0;
        if (list.value != NULL && !tqa_value_array(&list, 0, TQA_DISTURBANCES_MAX, &n)) {
            return false;
        }
        for (size_t i = 0; i < n; i++) {
            const tqa_value item = tqa_value_item(&list, i);
            if (!lists[k].read(&r, &item)) {
                return false;
            }
        }
    }
    return true;
}
