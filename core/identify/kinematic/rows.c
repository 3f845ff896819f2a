/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/rows.c - residuals of measured poses, and their derivatives by the screws
 * of the frames. */
#include <math.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"
#include "core/identify/kinematic/rotation.h"
#include "core/spatial/screw.h"

/* Columns of one pose: a motion (dp, w) of the tip in the root's frame becomes m numbers. */
typedef struct columns {
    size_t n, m;
    bool has_rotation;
    double base[9]; /* root's axes -> tracker's */
    double turn[9]; /* w of the root -> rate of the rotation's residual */
    double normal[3];
    double *rows; /* (m x n) */
} columns;

static void put(const columns *c, size_t column, const double dp[3], const double w[3])
{
    double x[3];
    if (c->m == 1) {
        c->rows[column] += tq_dot3(c->normal, dp);
        return;
    }
    tq_mat_vec(c->base, dp, x);
    for (size_t r = 0; r < 3; r++) {
        c->rows[r * c->n + column] += x[r];
    }
    if (c->has_rotation) {
        tq_mat_vec(c->turn, w, x);
        for (size_t r = 0; r < 3; r++) {
            c->rows[(3 + r) * c->n + column] += x[r];
        }
    }
}

/* motion of the tip for rates of a frame's axis: shifted along it, or turned about it at `at` */
static void put_axis(const tq_kinematic *k, const columns *c, size_t column, bool turns,
                     const double axis[3], const double at[3])
{
    static const double none[3] = {0.0};
    double arm[3];
    double dp[3];
    if (!turns) {
        put(c, column, axis, none);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        arm[i] = k->tip.p[i] - at[i];
    }
    tq_vec_cross(axis, arm, dp);
    put(c, column, dp, axis);
}

static void column_of(const double m[9], unsigned k, double ret[3])
{
    for (unsigned i = 0; i < 3; i++) {
        ret[i] = m[3 * i + k];
    }
}

static void put_steps(const tq_kinematic *k, const tq_kinematic_state *x, const columns *c)
{
    double dp[3];
    double w[3];
    for (size_t s = 0; s < k->n_step; s++) {
        const tq_kinematic_step *step = &k->steps[s];
        if (step->zero != TQ_NONE && tq_kinematic_screw(k, step, dp, w)) {
            put(c, step->zero, dp, w);
        }
        if (step->frame == TQ_NONE) {
            continue;
        }
        double left[9];
        double turned[9];
        tq_rotation_left(x->frame + 6 * (size_t)step->joint + 3, left);
        tq_mat_product(step->outer, left, turned);
        for (unsigned axis = 0; axis < 6; axis++) {
            double e[3];
            column_of(axis < 3 ? step->outer : turned, axis % 3, e);
            put_axis(k, c, step->frame + axis, axis >= 3, e, step->at.p);
        }
    }
}

static void put_outer(const tq_kinematic *k, const tq_kinematic_state *x, uint32_t plane,
                      const columns *c)
{
    static const double origin[3] = {0.0};
    double tilts[9] = {0.0};
    if (k->problem->kind == TQ_KINEMATIC_PLANES) {
        tq_mat_third_column(x->plane + 4 * (size_t)plane, tilts);
    }
    for (size_t column = 0; column < k->n; column++) {
        const tq_kinematic_parameter *p = &k->list[column];
        double e[3];
        if (p->part == TQ_KINEMATIC_TOOL) {
            column_of(k->link.r, p->axis % 3, e);
            put_axis(k, c, column, p->axis >= 3, e, k->tip.p);
        } else if (p->part == TQ_KINEMATIC_BASE) {
            /* axes of the tracker, in the root's frame */
            memcpy(e, x->base.r + 3 * (size_t)(p->axis % 3), sizeof e);
            put_axis(k, c, column, p->axis >= 3, e, origin);
        } else if (p->part == TQ_KINEMATIC_PLANE && p->index == plane && c->m == 1) {
            column_of(tilts, p->axis, e);
            c->rows[column] = p->axis == 2 ? -1.0 : tq_dot3(e, k->tip.p);
        }
    }
}

void tq_kinematic_derivatives(const tq_kinematic *k, const tq_kinematic_state *x, uint32_t plane,
                              const double e[TQ_KINEMATIC_ROWS], double *ret_rows)
{
    columns c = {.n = k->n,
                 .m = k->m,
                 .has_rotation = k->problem->kind == TQ_KINEMATIC_POSES,
                 .rows = ret_rows};
    memset(ret_rows, 0, k->m * k->n * sizeof *ret_rows);
    memcpy(c.base, x->base.r, sizeof c.base);
    if (c.has_rotation) {
        double inverse[9];
        tq_rotation_left_inverse(e + 3, inverse);
        tq_mat_product(inverse, c.base, c.turn);
    }
    if (c.m == 1) {
        memcpy(c.normal, x->plane + 4 * (size_t)plane, sizeof c.normal);
    }
    put_outer(k, x, plane, &c);
    put_steps(k, x, &c);
}

void tq_kinematic_position_rows(const tq_kinematic *k, const tq_kinematic_state *x,
                                double *ret_rows)
{
    columns c = {.n = k->n, .m = 3, .rows = ret_rows};
    const bool is_tracked = k->problem->kind != TQ_KINEMATIC_PLANES;
    memset(ret_rows, 0, 3 * k->n * sizeof *ret_rows);
    memcpy(c.base, is_tracked ? x->base.r : tq_pose_identity.r, sizeof c.base);
    put_outer(k, x, 0, &c);
    put_steps(k, x, &c);
}

void tq_kinematic_rows(const tq_kinematic *k, const tq_kinematic_state *x, size_t i, double *ret_e,
                       double *ret_rows)
{
    const tq_kinematic_problem *p = k->problem;
    double e[TQ_KINEMATIC_ROWS] = {0.0};
    uint32_t plane = 0;
    if (p->kind == TQ_KINEMATIC_PLANES) {
        plane = p->plane[i];
        const double *n = x->plane + 4 * (size_t)plane;
        e[0] = tq_dot3(n, k->tip.p) - n[3];
    } else {
        const tq_pose pose = tq_pose_multiply(&x->base, &k->tip);
        for (unsigned r = 0; r < 3; r++) {
            e[r] = pose.p[r] - p->position[3 * i + r];
        }
        if (p->kind == TQ_KINEMATIC_POSES) {
            double measured[9];
            double off[9];
            tq_mat_of_quaternion(p->quaternion + 4 * i, measured);
            const double transposed[9] = {measured[0], measured[3], measured[6],
                                          measured[1], measured[4], measured[7],
                                          measured[2], measured[5], measured[8]};
            tq_mat_product(pose.r, transposed, off);
            tq_rotation_log(off, e + 3);
        }
    }
    memcpy(ret_e, e, k->m * sizeof *e);
    if (ret_rows != NULL) {
        tq_kinematic_derivatives(k, x, plane, e, ret_rows);
    }
}
