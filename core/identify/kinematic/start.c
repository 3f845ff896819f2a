/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/start.c - base, tool and planes by closed forms: where the fit begins. */
#include <math.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"
#include "core/linalg/dense.h"
#include "core/spatial/screw.h"

enum { POSES_MOST = 2000, ROUNDS = 60, STARTS = 7 };
static const double reach_of_starts = 0.15; /* m, of tools that are tried */
static const double rank_of_means = 1e-9;
static const double settled = 1e-9; /* of the squared misfit, a round */

/* Measured poses beside those of the link by the model's own chain. */
typedef struct sample {
    tq_pose link;
    tq_pose measured;
    double weight;
    uint32_t plane;
} sample;

typedef struct start {
    tq_kinematic *k;
    const tq_kinematic_problem *p;
    size_t n;
    sample *samples;
    tq_kinematic_state *x;
} start;

static void transpose(const double *m, double *ret)
{
    const double t[9] = {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
    memcpy(ret, t, sizeof t);
}

/* The rotation nearest to m (3 x 3, row by row): R with the largest trace(R^T m). */
static tq_status nearest_rotation(start *s, const double *m, double *ret, tq_error *reterr)
{
    double a[9];
    double values[3];
    double u[9];
    double vt[9]; /* column-major: of the transposed matrix they are v and u^T */
    double cross[3];
    memcpy(a, m, sizeof a);
    const tq_status status = tq_svd(3, 3, a, 3, s->k->scratch, values, u, vt, reterr);
    if (status != TQ_OK) {
        return status;
    }
    /* column-major a is m^T = U S V^T, so m = V S U^T; R = V diag(1, 1, d) U^T */
    tq_vec_cross(u, u + 3, cross);
    double det = tq_dot3(cross, u + 6);
    const double v[3][3] = {{vt[0], vt[3], vt[6]}, {vt[1], vt[4], vt[7]}, {vt[2], vt[5], vt[8]}};
    tq_vec_cross(v[0], v[1], cross);
    det *= tq_dot3(cross, v[2]);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            ret[3 * i + j] =
                v[0][i] * u[j] + v[1][i] * u[3 + j] + (det < 0.0 ? -1.0 : 1.0) * v[2][i] * u[6 + j];
        }
    }
    return TQ_OK;
}

static tq_status read_samples(start *s, tq_error *reterr)
{
    const tq_kinematic_problem *p = s->p;
    const size_t each = p->kind == TQ_KINEMATIC_PLANES ? 1 : 1 + (p->n_pose - 1) / POSES_MOST;
    s->n = (p->n_pose + each - 1) / each;
    s->samples = tq_scratch_take(s->k->scratch, s->n, sizeof *s->samples);
    if (s->samples == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(p));
    }
    for (size_t i = 0; i < s->n; i++) {
        const size_t at = i * each;
        sample *to = &s->samples[i];
        *to = (sample){.measured = tq_pose_identity,
                       .weight = p->weight != NULL ? p->weight[at] : 1.0,
                       .plane = p->plane != NULL ? p->plane[at] : 0};
        tq_kinematic_walk(s->k, p->q + at * p->model->nq, s->x);
        to->link = s->k->link;
        if (p->position != NULL) {
            memcpy(to->measured.p, p->position + 3 * at, sizeof to->measured.p);
        }
        if (p->kind == TQ_KINEMATIC_POSES) {
            tq_mat_of_quaternion(p->quaternion + 4 * at, to->measured.r);
        }
    }
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Translations: linear once rotations and normals are known
 */

/* x of least norm with (a^T a) x = a^T b: sums of n normal equations, column-major */
static tq_status solve_least(start *s, size_t n, double *gram, double *right, tq_error *reterr)
{
    size_t rank = 0;
    return tq_lstsq(n, n, gram, right, rank_of_means, s->k->scratch, &rank, reterr);
}

static void add_row(size_t n, const double *row, double value, double weight, double *gram,
                    double *right)
{
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            gram[b * n + a] += weight * row[a] * row[b];
        }
        right[a] += weight * row[a] * value;
    }
}

/* p_measured = R_base (R_link t + p_link) + p_base, for t and p_base or what is unknown of them */
static tq_status solve_positions(start *s, tq_error *reterr)
{
    const size_t n_tool = s->p->knows_tool ? 0 : 3, n_base = s->p->knows_base ? 0 : 3;
    const size_t n = n_tool + n_base;
    double gram[36] = {0.0};
    double right[6] = {0.0};
    if (n == 0) {
        return TQ_OK;
    }
    for (size_t i = 0; i < s->n; i++) {
        const sample *m = &s->samples[i];
        double turn[9];
        double at[3];
        tq_mat_product(s->x->base.r, m->link.r, turn);
        tq_mat_vec(s->x->base.r, m->link.p, at);
        for (unsigned r = 0; r < 3; r++) {
            double row[6] = {0.0};
            double value = m->measured.p[r] - at[r];
            for (unsigned c = 0; c < 3; c++) {
                row[c] = n_tool > 0 ? turn[3 * r + c] : 0.0;
                value -= n_tool > 0 ? 0.0 : turn[3 * r + c] * s->x->tool.p[c];
            }
            if (n_base > 0) {
                row[n_tool + r] = 1.0;
            } else {
                value -= s->x->base.p[r];
            }
            add_row(n, row, value, m->weight, gram, right);
        }
    }
    const tq_status status = solve_least(s, n, gram, right, reterr);
    if (status == TQ_OK) {
        memcpy(s->x->tool.p, n_tool > 0 ? right : s->x->tool.p, sizeof s->x->tool.p);
        memcpy(s->x->base.p, n_base > 0 ? right + n_tool : s->x->base.p, sizeof s->x->base.p);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Full poses
 */

/* R_base and R_tool with the largest sum of trace(R_measured^T R_base R_link R_tool): singular
 * vectors of a 9 x 9 matrix (Shah). */
static tq_status solve_both_rotations(start *s, tq_error *reterr)
{
    double m[81] = {0.0};
    double values[9];
    double u[81];
    double vt[81];
    double base[9];
    double tool[9];
    double cross[3];
    for (size_t i = 0; i < s->n; i++) {
        const double *r = s->samples[i].measured.r, *l = s->samples[i].link.r;
        for (unsigned ac = 0; ac < 9; ac++) {     /* R_base[a][c] */
            for (unsigned db = 0; db < 9; db++) { /* R_tool[d][b] */
                m[9 * db + ac] +=
                    s->samples[i].weight * r[3 * (ac / 3) + db % 3] * l[3 * (ac % 3) + db / 3];
            }
        }
    }
    tq_status status = tq_svd(9, 9, m, 9, s->k->scratch, values, u, vt, reterr);
    for (unsigned i = 0; i < 9; i++) {
        base[i] = u[i];
        tool[i] = vt[9 * i];
    }
    tq_vec_cross(base, base + 3, cross);
    const double sign = tq_dot3(cross, base + 6) < 0.0 ? -1.0 : 1.0;
    for (unsigned i = 0; i < 9; i++) {
        base[i] *= sign;
        tool[i] *= sign;
    }
    status = status == TQ_OK ? nearest_rotation(s, base, s->x->base.r, reterr) : status;
    return status == TQ_OK ? nearest_rotation(s, tool, s->x->tool.r, reterr) : status;
}

/* One rotation while the other is known: sum of R_measured (R_link R_tool)^T, or its mirror. */
static tq_status solve_one_rotation(start *s, tq_error *reterr)
{
    double sum[9] = {0.0};
    for (size_t i = 0; i < s->n; i++) {
        const sample *m = &s->samples[i];
        double chain[9];
        double part[9];
        if (s->p->knows_tool) {
            tq_mat_product(m->link.r, s->x->tool.r, chain);
            transpose(chain, chain);
            tq_mat_product(m->measured.r, chain, part);
        } else {
            tq_mat_product(s->x->base.r, m->link.r, chain);
            tq_mat_tproduct(chain, m->measured.r, part);
        }
        for (unsigned e = 0; e < 9; e++) {
            sum[e] += m->weight * part[e];
        }
    }
    return nearest_rotation(s, sum, s->p->knows_tool ? s->x->base.r : s->x->tool.r, reterr);
}

static tq_status start_poses(start *s, tq_error *reterr)
{
    tq_status status = TQ_OK;
    if (!s->p->knows_base && !s->p->knows_tool) {
        status = solve_both_rotations(s, reterr);
    } else if (!s->p->knows_base || !s->p->knows_tool) {
        status = solve_one_rotation(s, reterr);
    }
    return status == TQ_OK ? solve_positions(s, reterr) : status;
}

/* ------------------------------------------------------------------------------------------------
 * Points, planes: rotations and normals for a given tool, the tool for given rotations, in turn
 */

static void tip_of(const start *s, size_t i, double ret[3])
{
    const tq_pose *link = &s->samples[i].link;
    tq_mat_vec(link->r, s->x->tool.p, ret);
    for (unsigned c = 0; c < 3; c++) {
        ret[c] += link->p[c];
    }
}

/* R_base from two clouds of points (Kabsch). */
static tq_status turn_base(start *s, tq_error *reterr)
{
    double mean[6] = {0.0};
    double sum[9] = {0.0};
    double total = 0.0;
    double x[3];
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->n; i++) {
            const sample *m = &s->samples[i];
            tip_of(s, i, x);
            for (unsigned a = 0; a < 3 && pass == 0; a++) {
                mean[a] += m->weight * x[a];
                mean[3 + a] += m->weight * m->measured.p[a];
            }
            total += pass == 0 ? m->weight : 0.0;
            for (unsigned e = 0; e < 9 && pass == 1; e++) {
                sum[e] += m->weight * (m->measured.p[e / 3] - mean[3 + e / 3] / total) *
                          (x[e % 3] - mean[e % 3] / total);
            }
        }
    }
    return nearest_rotation(s, sum, s->x->base.r, reterr);
}

/* Mean of plane `a` and, with the mean, products of what is left (column-major). */
static void moments_of(const start *s, uint32_t a, double mean[3], double products[9])
{
    double total = 0.0;
    double x[3];
    memset(mean, 0, 3 * sizeof *mean);
    memset(products, 0, 9 * sizeof *products);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->n; i++) {
            if (s->samples[i].plane != a) {
                continue;
            }
            const double weight = s->samples[i].weight;
            tip_of(s, i, x);
            total += pass == 0 ? weight : 0.0;
            for (unsigned e = 0; e < 3 && pass == 0; e++) {
                mean[e] += weight * x[e];
            }
            for (unsigned e = 0; e < 9 && pass == 1; e++) {
                products[e] += weight * (x[e / 3] - mean[e / 3]) * (x[e % 3] - mean[e % 3]);
            }
        }
        for (unsigned e = 0; e < 3 && pass == 0; e++) {
            mean[e] /= total;
        }
    }
}

static tq_status turn_planes(start *s, tq_error *reterr)
{
    tq_status status = TQ_OK;
    for (uint32_t a = 0; status == TQ_OK && a < s->p->n_plane; a++) {
        double *plane = s->x->plane + 4 * (size_t)a;
        double mean[3];
        double products[9];
        double values[3];
        moments_of(s, a, mean, products);
        status = tq_eigen_symmetric(3, products, 3, s->k->scratch, values, reterr);
        const double side = tq_dot3(products, mean) < 0.0 ? -1.0 : 1.0;
        for (unsigned c = 0; c < 3; c++) {
            plane[c] = side * products[c];
        }
        plane[3] = tq_dot3(plane, mean);
    }
    return status;
}

/* t with n (R t + p) = d of each plane, d eliminated */
static tq_status solve_tip(start *s, tq_error *reterr)
{
    double gram[9] = {0.0};
    double right[3] = {0.0};
    for (uint32_t a = 0; a < s->p->n_plane; a++) {
        const double *plane = s->x->plane + 4 * (size_t)a;
        double mean[4] = {0.0};
        double total = 0.0;
        for (unsigned pass = 0; pass < 2; pass++) {
            for (size_t i = 0; i < s->n; i++) {
                const sample *m = &s->samples[i];
                double row[4];
                if (m->plane != a) {
                    continue;
                }
                tq_mat_tvec(m->link.r, plane, row);
                row[3] = -tq_dot3(plane, m->link.p);
                total += pass == 0 ? m->weight : 0.0;
                for (unsigned c = 0; c < 4; c++) {
                    mean[c] += pass == 0 ? m->weight * row[c] : 0.0;
                    row[c] -= pass == 1 ? mean[c] / total : 0.0;
                }
                if (pass == 1) {
                    add_row(3, row, row[3], m->weight, gram, right);
                }
            }
        }
    }
    const tq_status status = solve_least(s, 3, gram, right, reterr);
    memcpy(s->x->tool.p, status == TQ_OK ? right : s->x->tool.p, sizeof s->x->tool.p);
    return status;
}

static tq_status round_of(start *s, tq_error *reterr)
{
    if (s->p->kind == TQ_KINEMATIC_PLANES) {
        const tq_status status = turn_planes(s, reterr);
        return status == TQ_OK && !s->p->knows_tool ? solve_tip(s, reterr) : status;
    }
    const tq_status status = s->p->knows_base ? TQ_OK : turn_base(s, reterr);
    return status == TQ_OK ? solve_positions(s, reterr) : status;
}

static double misfit(const start *s)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        const sample *m = &s->samples[i];
        double x[3];
        double e[3] = {0.0};
        tip_of(s, i, x);
        if (s->p->kind == TQ_KINEMATIC_PLANES) {
            const double *plane = s->x->plane + 4 * (size_t)m->plane;
            e[0] = tq_dot3(plane, x) - plane[3];
        } else {
            tq_mat_vec(s->x->base.r, x, e);
            for (unsigned c = 0; c < 3; c++) {
                e[c] += s->x->base.p[c] - m->measured.p[c];
            }
        }
        sum += m->weight * tq_dot3(e, e);
    }
    return sum;
}

/* From the given tool, and from tools on all sides of it: what fits best. */
static tq_status start_in_turn(start *s, tq_kinematic_state *best, tq_error *reterr)
{
    const tq_pose given = s->x->tool;
    const unsigned n_start = s->p->knows_tool ? 1 : STARTS;
    double least = (double)INFINITY;
    tq_status status = TQ_OK;
    for (unsigned a = 0; status == TQ_OK && a < n_start; a++) {
        s->x->tool = given;
        if (a > 0) {
            s->x->tool.p[(a - 1) / 2] += a % 2 == 0 ? -reach_of_starts : reach_of_starts;
        }
        double before = (double)INFINITY;
        for (unsigned n = 0; status == TQ_OK && n < ROUNDS; n++) {
            status = round_of(s, reterr);
            const double now = misfit(s);
            if (before - now <= settled * before) {
                break;
            }
            before = now;
        }
        const double now = misfit(s);
        if (status == TQ_OK && now < least) {
            least = now;
            tq_kinematic_copy(s->k, s->x, best);
        }
        status = status == TQ_OK
                     ? tq_scratch_work(s->k->scratch, 200.0 * (double)ROUNDS * (double)s->n, reterr)
                     : status;
    }
    if (status == TQ_OK && isfinite(least)) {
        tq_kinematic_copy(s->k, best, s->x);
    }
    return status;
}

tq_status tq_kinematic_start(tq_kinematic *k, tq_kinematic_state *x, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(k->scratch);
    start s = {.k = k, .p = k->problem, .x = x};
    tq_kinematic_state best;
    tq_status status = read_samples(&s, reterr);
    if (status != TQ_OK || s.samples == NULL) {
        tq_scratch_rewind(k->scratch, mark);
        return status;
    }
    if (k->problem->kind == TQ_KINEMATIC_POSES) {
        status = start_poses(&s, reterr);
    } else {
        status = tq_kinematic_state_new(k, &best, reterr);
        status = status == TQ_OK ? start_in_turn(&s, &best, reterr) : status;
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}
