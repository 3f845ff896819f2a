/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/trajectory/reference_timed.c - paths with times of their own: series, postures,
 * tables. */
#include <math.h>
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/operations/trajectory/reference_private.h"

enum { TABLE_POINTS_MAX = 1 << 20, HARMONICS_MAX = 256 };

/* A table and a series may be answers of `trajectory` and `excitation`, which name their joints. */
static bool own_order(tqa_plan *p, const tqa_value *object, tqa_order *ret)
{
    const tqa_value joints = tqa_value_field(object, "joints");
    if (joints.value == NULL) {
        return true;
    }
    *ret = (tqa_order){.q = tqa_tree_take(p->tree, p->order->nq, sizeof(uint32_t)),
                       .v = tqa_tree_take(p->tree, p->order->nv, sizeof(uint32_t))};
    return ret->q != NULL && ret->v != NULL && tqa_value_order(&joints, ret);
}

static bool read_fourier(tqa_plan *p, const tqa_order *order, const tqa_value *fourier)
{
    static const char *const known[] = {TQA_FIELDS_TRAJECTORY_REQUEST_FOURIER, NULL};
    static const char *const harmonics[2] = {"a", "b"};
    const tqa_value duration = tqa_value_field(p->object, "duration_s");
    const size_t nq = order->nq;
    if (!tqa_value_object(fourier, known)) {
        return false;
    }
    const tqa_value frequency = tqa_value_field(fourier, "frequency_hz");
    const tqa_value offset = tqa_value_field(fourier, "offset");
    const tqa_value first = tqa_value_field(fourier, "a");
    size_t n = 0;
    double *all = NULL;
    if (!tqa_value_positive(&frequency, &p->to->motion.fourier.frequency) ||
        !tqa_value_array(&first, 1, HARMONICS_MAX, &n) ||
        (all = tqa_tree_take(p->tree, (2 * n + 1) * nq, sizeof *all)) == NULL ||
        !tqa_value_row(&offset, order, TQA_ROW_Q, all)) {
        return false;
    }
    for (unsigned k = 0; k < 2; k++) {
        const tqa_value table = tqa_value_field(fourier, harmonics[k]);
        size_t n_row = 0;
        if (!tqa_value_array(&table, n, n, &n_row)) {
            return false;
        }
        for (size_t i = 0; i < n; i++) {
            const tqa_value row = tqa_value_item(&table, i);
            if (!tqa_value_row(&row, order, TQA_ROW_RATE_ARRAY, all + (1 + k * n + i) * nq)) {
                return false;
            }
        }
    }
    tq_fourier *series = &p->to->motion.fourier;
    p->to->motion.kind = TQ_REFERENCE_FOURIER;
    series->n_harmonic = n;
    series->n_coordinate = nq;
    series->offset = all;
    series->a = all + nq;
    series->b = all + (1 + n) * nq;
    p->to->end = 1.0 / series->frequency; /* one period */
    return duration.value == NULL || tqa_value_positive(&duration, &p->to->end);
}

/* `joints` and `angles` of a nested object are of its series; those of the root of everything. */
bool tqa_plan_fourier(tqa_plan *p, const tqa_value *fourier)
{
    const tqa_value root = tqa_value_root(p->tree);
    if (p->object->value == root.value) {
        return read_fourier(p, p->order, fourier);
    }
    const tqa_value angles = tqa_value_field(p->object, "angles");
    const bool in_degrees = p->tree->in_degrees;
    tqa_order order = *p->order;
    const bool good = (angles.value == NULL || tqa_value_angles(&angles, &p->tree->in_degrees)) &&
                      own_order(p, p->object, &order) && read_fourier(p, &order, fourier);
    p->tree->in_degrees = in_degrees;
    return good;
}

/* quaternions, normalised if off unit length by rounding only */
static bool check_quaternions(const tqa_value *stand, const tqa_order *order, double *q)
{
    static const double off_unit = 1e-6;
    const tqa_robot *robot = stand->tree->robot;
    for (size_t k = 0; k < order->n_joint; k++) {
        const tq_joint *joint = &robot->model->joints[order->joints[k]];
        if (joint->nq == joint->nv) {
            continue;
        }
        double *w = q + joint->q_index + joint->nq - 4;
        const double length = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
        if (!(fabs(length - 1.0) <= off_unit)) {
            return tqa_value_refuse(stand, "quaternion", "w x y z of length 1, such as 1, 0, 0, 0",
                                    "the quaternion of joint \"%.80s\" has length %g",
                                    robot->joint_names[order->joints[k]], length);
        }
        for (unsigned i = 0; i < 4; i++) {
            w[i] /= length;
        }
    }
    return true;
}

bool tqa_plan_stand(tqa_plan *p, const tqa_value *stand)
{
    double *q = tqa_tree_take(p->tree, p->order->nq, sizeof *q);
    p->to->motion.kind = TQ_REFERENCE_SETPOINT;
    p->to->motion.setpoint = q;
    return q != NULL && tqa_value_row(stand, p->order, TQA_ROW_Q, q) &&
           check_quaternions(stand, p->order, q);
}

/* Row `part` of every end of the cells: x, xd or xdd of point k ends cell k - 1 and begins cell k.
 */
static bool read_ends(tqa_plan *p, const tqa_order *order, const tqa_value *rows, size_t part,
                      double *ends)
{
    const size_t nq = order->nq;
    double *row = tqa_tree_take(p->tree, nq, sizeof *row);
    size_t n = 0;
    if (row == NULL || !tqa_value_array(rows, p->n_point, p->n_point, &n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value item = tqa_value_item(rows, k);
        if (!tqa_value_row(&item, order, part == 0 ? TQA_ROW_Q : TQA_ROW_RATE, row)) {
            return false;
        }
        if (k > 0) {
            memcpy(ends + ((2 * k - 1) * 3 + part) * nq, row, nq * sizeof *row);
        }
        if (k + 1 < n) {
            memcpy(ends + (2 * k * 3 + part) * nq, row, nq * sizeof *row);
        }
    }
    return true;
}

/* q alone: their spline; with qd and qdd: quintics between them */
static bool read_table(tqa_plan *p, const tqa_value *table)
{
    static const char *const known[] = {TQA_FIELDS_REFERENCE_TABLE, NULL};
    if (!tqa_value_object(table, known)) {
        return false;
    }
    const tqa_value t = tqa_value_field(table, "t");
    const tqa_value q = tqa_value_field(table, "q");
    const tqa_value qd = tqa_value_field(table, "qd");
    const tqa_value qdd = tqa_value_field(table, "qdd");
    const size_t nq = p->order->nq;
    tqa_order order = *p->order;
    if (!own_order(p, table, &order)) {
        return false;
    }
    if (!tqa_value_need(&t, "add \"t\": the times of the coordinates, s") ||
        !tqa_value_array(&t, 2, TABLE_POINTS_MAX, &p->n_point) ||
        !tqa_value_need(&q, "add \"q\": an array of coordinates for each time")) {
        return false;
    }
    if ((qd.value == NULL) != (qdd.value == NULL)) {
        return tqa_value_need(qd.value == NULL ? &qd : &qdd,
                              "give both \"qd\" and \"qdd\", or neither");
    }
    const size_t n = p->n_point;
    double *times = tqa_tree_take(p->tree, n, sizeof *times);
    double *x = tqa_tree_take(p->tree, 6 * n * nq, sizeof *x);
    if (times == NULL || x == NULL || !tqa_value_numbers(&t, n, times)) {
        return false;
    }
    for (size_t k = 1; k < n; k++) {
        if (!(times[k] > times[k - 1])) {
            const tqa_value item = tqa_value_item(&t, k);
            return tqa_value_refuse(&item, "range", "times of a table increase",
                                    "time %g follows %g", times[k], times[k - 1]);
        }
    }
    p->to->begin = times[0];
    p->to->end = times[n - 1];
    tq_reference *motion = &p->to->motion;
    if (qd.value != NULL) {
        motion->kind = TQ_REFERENCE_CELLS;
        motion->cells =
            (tq_motion_cells){.n_cell = n - 1, .n_coordinate = nq, .t = times, .ends = x};
        return read_ends(p, &order, &q, 0, x) && read_ends(p, &order, &qd, 1, x) &&
               read_ends(p, &order, &qdd, 2, x);
    }
    size_t n_row = 0;
    if (!tqa_value_array(&q, n, n, &n_row)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value row = tqa_value_item(&q, k);
        if (!tqa_value_row(&row, &order, TQA_ROW_Q, x + k * nq)) {
            return false;
        }
    }
    tq_scratch scratch;
    tq_error error = {0};
    if (!tqa_tree_scratch(p->tree, tq_scratch_cost(n, sizeof(double)), &scratch)) {
        return false;
    }
    motion->kind = TQ_REFERENCE_TABLE;
    motion->waypoints = (tq_waypoints){.n_point = n, .n_coordinate = nq, .t = times, .x = x};
    motion->curvature = x + n * nq;
    const tq_status status = tq_table_fit(&motion->waypoints, &scratch, x + n * nq, &error);
    return status == TQ_OK || tqa_tree_fail(p->tree, table->pointer, status, &error);
}

bool tqa_plan_table(tqa_plan *p, const tqa_value *table)
{
    const tqa_value angles = tqa_value_field(table, "angles");
    const bool in_degrees = p->tree->in_degrees;
    const bool good = (angles.value == NULL || tqa_value_angles(&angles, &p->tree->in_degrees)) &&
                      read_table(p, table);
    p->tree->in_degrees = in_degrees;
    return good;
}
