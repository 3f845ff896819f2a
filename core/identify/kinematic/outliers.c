/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/outliers.c - poses that do not belong to the others: whole poses by
 * Huber's weights, then each by the rest. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/kinematic/kinematic_private.h"
#include "core/identify/validation/student.h"
#include "core/linalg/dense.h"
#include "core/signal/median.h"
#include "core/spatial/screw.h"

enum { HUBER_ROUNDS = 20, TEST_ROUNDS = 5 };
static const double false_alarms = 0.01; /* of a clean set of poses */
static const double huber = 1.5;         /* deviations of a pose, rms of its numbers */
static const double suspected = 3.0;     /* the same, of the first guess */
static const double exact = 1e-9;        /* m, rad: no noise is smaller */
static const double weight_settled = 1e-2;
static const double nearly_normal = 1e5; /* degrees of freedom */
/* median of chi of 1, 3 degrees of freedom */
static const double median_one = 0.67448975019608171, median_three = 1.5381722544550522;

/* e^T m^-1 e of a positive definite m (n x n, n <= 6); NaN: it is not */
static double form(size_t n, double *m, const double *e)
{
    double y[TQ_KINEMATIC_ROWS];
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) { /* Cholesky, row by row */
        for (size_t j = 0; j <= i; j++) {
            double x = m[n * i + j];
            for (size_t c = 0; c < j; c++) {
                x -= m[n * i + c] * m[n * j + c];
            }
            if (i == j && !(x > 1e-9)) {
                return (double)NAN;
            }
            m[n * i + j] = i == j ? sqrt(x) : x / m[n * j + j];
        }
        y[i] = e[i];
        for (size_t c = 0; c < i; c++) {
            y[i] -= m[n * i + c] * y[c];
        }
        y[i] /= m[n * i + i];
        sum += y[i] * y[i];
    }
    return sum;
}

tq_status tq_kinematic_studentize(tq_kinematic *k, const tq_kinematic_sum *sum,
                                  const tq_kinematic_state *x, const double *gram, double *ret,
                                  tq_error *reterr)
{
    const tq_kinematic_problem *p = k->problem;
    const size_t n = sum->n_active, m = k->m;
    const size_t mark = tq_scratch_mark(k->scratch);
    double *factor = tq_scratch_take(k->scratch, n * n + 1, sizeof *factor);
    double *y = tq_scratch_take(k->scratch, m * n + 1, sizeof *y);
    if (factor == NULL || y == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(p));
    }
    for (size_t a = 0; a < n; a++) {
        memcpy(factor + a * n, gram + a * (n + 1), n * sizeof *factor);
    }
    tq_status status = n == 0 ? TQ_OK : tq_cholesky_factor(n, factor, n, reterr);
    for (size_t i = 0; status == TQ_OK && i < p->n_pose; i++) {
        const double own = p->weight != NULL ? p->weight[i] : 1.0;
        const double used = sum->weight != NULL ? sum->weight[i] : 1.0;
        double e[TQ_KINEMATIC_ROWS];
        double left[TQ_KINEMATIC_ROWS * TQ_KINEMATIC_ROWS];
        tq_kinematic_walk(k, p->q + i * p->model->nq, x);
        tq_kinematic_rows(k, x, i, e, k->rows);
        for (size_t r = 0; r < m; r++) {
            const double scale = sqrt(own) / sum->sigma[r < 3 ? 0 : 1];
            e[r] *= scale;
            for (size_t a = 0; a < n; a++) {
                y[r * n + a] = scale * k->rows[r * k->n + sum->active[a]];
            }
        }
        status = n == 0 ? TQ_OK : tq_cholesky_half_solve(n, factor, n, 0, m, y, n, reterr);
        for (size_t r = 0; r < m; r++) {
            for (size_t c = 0; c < m; c++) {
                double dot = r == c ? 1.0 : 0.0;
                for (size_t a = 0; a < n; a++) {
                    dot -= (used > 0.0 ? used : -1.0) * y[r * n + a] * y[c * n + a];
                }
                left[m * r + c] = dot;
            }
        }
        ret[i] = form(m, left, e) / (double)m;
        if (status == TQ_OK) {
            status = tq_scratch_work(k->scratch, (double)(m * n * (n + m)), reterr);
        }
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Huber's weights
 */

/* Working memory of a search: all (n_pose). */
typedef struct search {
    tq_kinematic *k;
    tq_kinematic_sum sum;
    tq_kinematic_state x;
    double *weight, *size[2], *room;
    double *gram;
} search;

/* Sizes of the poses' residuals at s->x in deviations of the middle one, into size[0]. */
static void measure(search *s)
{
    tq_kinematic *k = s->k;
    const tq_kinematic_problem *p = k->problem;
    const size_t parts = k->m == 6 ? 2 : 1;
    for (size_t i = 0; i < p->n_pose; i++) {
        const double own = p->weight != NULL ? sqrt(p->weight[i]) : 1.0;
        double e[TQ_KINEMATIC_ROWS] = {0.0};
        tq_kinematic_walk(k, p->q + i * p->model->nq, &s->x);
        tq_kinematic_rows(k, &s->x, i, e, NULL);
        for (size_t part = 0; part < parts; part++) {
            s->size[part][i] = own * sqrt(tq_dot3(e + 3 * part, e + 3 * part));
        }
    }
    double scale[2] = {1.0, 1.0};
    for (size_t part = 0; part < parts; part++) {
        const double middle = k->m == 1 ? median_one : median_three;
        memcpy(s->room, s->size[part], p->n_pose * sizeof *s->room);
        scale[part] = fmax(tq_median(p->n_pose, s->room) / middle, exact);
    }
    for (size_t i = 0; i < p->n_pose; i++) {
        double square = 0.0;
        for (size_t part = 0; part < parts; part++) {
            square += s->size[part][i] * s->size[part][i] / (scale[part] * scale[part]);
        }
        s->size[0][i] = sqrt(square / (double)k->m);
    }
}

static tq_status weigh(search *s, tq_error *reterr)
{
    const size_t n_pose = s->k->problem->n_pose;
    tq_status status = TQ_OK;
    double most = (double)INFINITY;
    size_t iterations = 0;
    for (size_t i = 0; i < n_pose; i++) {
        s->weight[i] = 1.0;
    }
    measure(s);
    for (unsigned n = 0; status == TQ_OK && n < HUBER_ROUNDS && most > weight_settled; n++) {
        most = 0.0;
        for (size_t i = 0; i < n_pose; i++) {
            const double weight = s->size[0][i] > huber ? huber / s->size[0][i] : 1.0;
            most = fmax(most, fabs(weight - s->weight[i]));
            s->weight[i] = weight;
        }
        if (most > weight_settled) {
            status = tq_kinematic_fit(s->k, &s->sum, &s->x, s->gram, &iterations, reterr);
            measure(s);
        }
    }
    for (size_t i = 0; i < n_pose; i++) {
        s->weight[i] = s->size[0][i] > suspected ? 0.0 : 1.0;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Each pose by the others
 */

/* A normal deviate with the upper tail of F of m and n degrees of freedom (E. Paulson, Annals of
 * Mathematical Statistics 13, 1942). */
static double normal_of_f(double f, double m, double n)
{
    const double root = f > 0.0 ? tq_exp(tq_log(f) / 3.0) : 0.0;
    const double a = 2.0 / (9.0 * m), b = 2.0 / (9.0 * n);
    return ((1.0 - b) * root - (1.0 - a)) / sqrt(b * root * root + a);
}

/* Weights of poses by the fit to those of weight 1: *ret_changes. */
static tq_status test(search *s, size_t *ret_changes, tq_error *reterr)
{
    const size_t n_pose = s->k->problem->n_pose;
    const double m = (double)s->k->m;
    size_t iterations = 0;
    size_t used = 0;
    tq_status status = tq_kinematic_fit(s->k, &s->sum, &s->x, s->gram, &iterations, reterr);
    if (status == TQ_OK) {
        status = tq_kinematic_studentize(s->k, &s->sum, &s->x, s->gram, s->size[0], reterr);
    }
    *ret_changes = 0;
    for (size_t i = 0; i < n_pose; i++) {
        used += s->weight[i] > 0.0;
    }
    const size_t n = s->sum.n_active;
    const double freedom = m * (double)used - (double)n;
    if (status != TQ_OK || freedom <= m) {
        return status;
    }
    const double left = s->gram[(n + 1) * (n + 1) - 1];
    const double floor = exact / s->sum.sigma[0];
    const double limit =
        tq_student_quantile(1.0 - 2.0 * false_alarms / (double)n_pose, nearly_normal);
    for (size_t i = 0; i < n_pose; i++) {
        const bool is_in = s->weight[i] > 0.0;
        const double own = m * s->size[0][i];
        const double rest = is_in ? freedom - m : freedom;
        const double variance = fmax((is_in ? left - own : left) / rest, floor * floor);
        const bool is_out = normal_of_f(own / m / variance, m, rest) > limit; /* false for NaN */
        *ret_changes += is_out == is_in;
        s->weight[i] = is_out ? 0.0 : 1.0;
    }
    return TQ_OK;
}

/* The worst first: at most TQ_KINEMATIC_OUTLIERS_MAX. */
static void list(const search *s, tq_kinematic_result *ret)
{
    ret->n_outlier = 0;
    for (size_t i = 0; i < s->k->problem->n_pose; i++) {
        if (s->weight[i] > 0.0) {
            continue;
        }
        size_t at =
            ret->n_outlier < TQ_KINEMATIC_OUTLIERS_MAX ? ret->n_outlier : TQ_KINEMATIC_OUTLIERS_MAX;
        ret->n_outlier++;
        for (; at > 0 && s->size[0][ret->outlier[at - 1]] < s->size[0][i]; at--) {
            if (at < TQ_KINEMATIC_OUTLIERS_MAX) {
                ret->outlier[at] = ret->outlier[at - 1];
            }
        }
        if (at < TQ_KINEMATIC_OUTLIERS_MAX) {
            ret->outlier[at] = (uint32_t)i;
        }
    }
}

tq_status tq_kinematic_find_outliers(tq_kinematic *k, const tq_kinematic_sum *sum,
                                     const tq_kinematic_state *x, double *ret_weight,
                                     tq_kinematic_result *ret, tq_error *reterr)
{
    const size_t n_pose = k->problem->n_pose, n = sum->n_active;
    const size_t mark = tq_scratch_mark(k->scratch);
    search s = {.k = k, .sum = *sum, .weight = ret_weight};
    s.sum.weight = ret_weight;
    s.size[0] = tq_scratch_take(k->scratch, n_pose, sizeof(double));
    s.size[1] = tq_scratch_take(k->scratch, n_pose, sizeof(double));
    s.room = tq_scratch_take(k->scratch, n_pose, sizeof(double));
    s.gram = tq_scratch_take(k->scratch, (n + 1) * (n + 1), sizeof(double));
    tq_status status = tq_kinematic_state_new(k, &s.x, reterr);
    if (status == TQ_OK &&
        (s.size[0] == NULL || s.size[1] == NULL || s.room == NULL || s.gram == NULL)) {
        status =
            tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    if (status == TQ_OK) {
        tq_kinematic_copy(k, x, &s.x);
        status = weigh(&s, reterr);
    }
    size_t changes = 1;
    for (unsigned n_round = 0; status == TQ_OK && changes > 0 && n_round < TEST_ROUNDS; n_round++) {
        status = test(&s, &changes, reterr);
    }
    if (status == TQ_ERR_SINGULAR || status == TQ_ERR_NO_CONVERGENCE) {
        /* too few are left to judge the others */
        for (size_t i = 0; i < n_pose; i++) {
            ret_weight[i] = 1.0;
        }
        status = TQ_OK;
    }
    if (status == TQ_OK) {
        list(&s, ret);
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}
