/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/payload/poses.c - mass and centre of a payload from poses at rest. */
#include <math.h>
#include <string.h>

#include "core/identify/nominal.h"
#include "core/identify/payload/payload_private.h"
#include "core/identify/validation/student.h"

enum { FOUR = 4, WIDTH = FOUR + 1, EQUATIONS_LEAST = 5 };
static const double dependent = 1e-9;
static const double mixed = 1e-4;

/* Mass and first moments with their covariance; NaN: not identifiable. */
typedef struct four {
    double value[FOUR], covariance[FOUR * FOUR];
    bool is_open[FOUR];
    double freedom;
    size_t n;
} four;

/* Sweeps the independent columns, the largest pivot first. */
static void sweep_all(double *a, const double *scale, bool *is_swept)
{
    for (;;) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < FOUR; i++) {
            if (!is_swept[i] && scale[i] > 0.0 && a[(WIDTH + 1) * i] > dependent &&
                (best == SIZE_MAX || a[(WIDTH + 1) * i] > a[(WIDTH + 1) * best])) {
                best = i;
            }
        }
        if (best == SIZE_MAX) {
            return;
        }
        tq_sweep(WIDTH, a, best);
        is_swept[best] = true;
    }
}

static void solve_four(const tq_static_equations *from, four *ret)
{
    double a[WIDTH * WIDTH], scale[WIDTH];
    bool is_swept[FOUR] = {false};
    size_t rank = 0;
    for (size_t i = 0; i < FOUR; i++) {
        const double d = from->gram[(FOUR + 1) * i];
        scale[i] = d > 0.0 ? 1.0 / sqrt(d) : 0.0;
    }
    scale[FOUR] = 1.0;
    for (size_t i = 0; i < WIDTH; i++) {
        for (size_t j = 0; j < WIDTH; j++) {
            const double x = i < FOUR && j < FOUR     ? from->gram[FOUR * i + j]
                             : i == FOUR && j == FOUR ? from->left
                                                      : from->right[i < j ? i : j];
            a[i * WIDTH + j] = x * scale[i] * scale[j];
        }
    }
    sweep_all(a, scale, is_swept);
    for (size_t i = 0; i < FOUR; i++) {
        rank += is_swept[i];
    }
    ret->n = from->n;
    ret->freedom = fmax((double)from->n - (double)rank, 1.0);
    const double unit = fmax(a[WIDTH * WIDTH - 1] / ret->freedom, 1.0);
    for (size_t i = 0; i < FOUR; i++) {
        ret->is_open[i] = !is_swept[i];
        ret->value[i] = is_swept[i] ? a[i * WIDTH + FOUR] * scale[i] : 0.0;
        for (size_t j = 0; j < FOUR; j++) {
            const bool both = is_swept[i] && is_swept[j];
            ret->covariance[FOUR * i + j] =
                both ? -a[i * WIDTH + j] * scale[i] * scale[j] * unit : 0.0;
            ret->is_open[i] = ret->is_open[i] ||
                              (!is_swept[j] && scale[j] > 0.0 && fabs(a[i * WIDTH + j]) > mixed);
        }
    }
}

static void set_number(tq_payload_number *ret, double value, double variance, double quantile,
                       double most)
{
    const double half = quantile * sqrt(fmax(variance, 0.0));
    if (half < most) {
        *ret = (tq_payload_number){value, sqrt(fmax(variance, 0.0)), value - half, value + half};
    }
}

tq_status tq_payload_of_poses(tq_payload *p, tq_payload_result *ret, tq_error *reterr)
{
    const tq_static_equations alone = tq_static_check_equations(p->checks[0]);
    const tq_static_equations loaded = tq_static_check_equations(p->checks[1]);
    double mass = 0.0, reach = 0.0;
    four x, other;
    ret->from_poses = true;
    ret->n_pose = p->fit->n_row > 0 ? tq_static_check_of(p->checks[1], 0).n_pose : 0;
    if (loaded.n < EQUATIONS_LEAST) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "poses", 0, (double)ret->n_pose);
    }
    solve_four(&loaded, &x);
    if (alone.n >= EQUATIONS_LEAST) { /* the model's own error is known from poses without
                                         payload */
        solve_four(&alone, &other);
        for (size_t i = 0; i < FOUR; i++) {
            x.value[i] -= other.value[i];
            x.is_open[i] = x.is_open[i] || other.is_open[i];
        }
        for (size_t i = 0; i < (size_t)FOUR * FOUR; i++) {
            x.covariance[i] += other.covariance[i];
        }
        x.freedom = fmin(x.freedom, other.freedom);
    }
    tq_nominal_link(&p->fit->mechanism->model, p->fit->mechanism->model.root, &mass, &reach);
    ret->freedom = x.freedom;
    const double quantile = tq_student_quantile(p->plan.confidence, x.freedom);
    for (size_t i = 0; i < FOUR; i++) {
        if (!x.is_open[i]) {
            set_number(&ret->ten[i], x.value[i], x.covariance[(FOUR + 1) * i], quantile,
                       i == 0 ? mass : mass * reach);
        }
    }
    ret->mass = ret->ten[0];
    ret->state = tq_payload_state_of(&ret->mass);
    if (ret->state != TQ_PAYLOAD_FOUND) {
        return TQ_OK;
    }
    for (unsigned k = 0; k < 3; k++) { /* c = h / m: dc = (dh - c dm) / m */
        const size_t i = 1 + (size_t)k;
        const double m = x.value[0], c = x.value[i] / m;
        const double variance =
            (x.covariance[(FOUR + 1) * i] - 2.0 * c * x.covariance[i] + c * c * x.covariance[0]) /
            (m * m);
        if (isfinite(ret->ten[i].value)) {
            set_number(&ret->com[k], c, variance, quantile, reach);
        }
    }
    return tq_payload_adopt_body(p, ret, reterr);
}
