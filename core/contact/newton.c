/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/newton.c - semismooth Newton steps for the laws of contact and friction. */
#include "core/contact/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* r of the first proximal points: p moves by a violation / (r W_ii) where W has no effect; rounding
 * does so too. Of later ones, where velocities contradict each other: until a point opens. */
static const double nearest = 1e-6, farthest = 1e-9;

static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

typedef enum mode { OPEN, STICKS, SLIDES } mode;

/* mode of a point by its impulse and velocity: p_n - u_n / W_nn <= 0;
 * |s| <= mu p_n, s = p_t - u_t / W_tt */
static mode mode_of(const double *diagonal, double mu, const double *p, const double *u, double *s)
{
    s[0] = p[1] - u[1] / diagonal[1];
    s[1] = p[2] - u[2] / diagonal[1];
    if (!(diagonal[0] > 0.0) || p[0] - u[0] / diagonal[0] <= 0.0) {
        return OPEN;
    }
    return length_of(s[0], s[1]) <= mu * fmax(p[0], 0.0) ? STICKS : SLIDES;
}

/* W_nn, and the greater of the tangential diagonal */
static void diagonal_of(const tq_contact_problem *of, size_t i, double ret[2])
{
    const size_t ld = 3 * of->n, k = 3 * i;
    const double *w = of->w;
    ret[0] = w[k * ld + k];
    ret[1] = fmax(fmax(w[(k + 1) * ld + k + 1], w[(k + 2) * ld + k + 2]), DBL_MIN);
}

/* ret = W p + b */
static void velocities(const tq_contact_problem *of, const double *p, double *ret)
{
    const size_t n = of->n;
    for (size_t r = 0; r < 3 * n; r++) {
        double sum = of->b[r];
        for (size_t c = 0; c < 3 * n; c++) {
            sum += of->w[r * 3 * n + c] * p[c];
        }
        ret[r] = sum;
    }
}

/* m/s: p - its projection onto the cone after a step along -u, times the diagonal */
static double violation_of(const tq_contact_problem *of, const double *p, const double *u)
{
    double worst = 0.0;
    for (size_t i = 0; i < of->n; i++) {
        const double *own = p + 3 * i;
        double d[2];
        double s[2];
        diagonal_of(of, i, d);
        const mode is = mode_of(d, of->mu[i], own, u + 3 * i, s);
        const double length = length_of(s[0], s[1]);
        const double most = of->mu[i] * fmax(own[0], 0.0);
        const double scale = is == OPEN ? 0.0 : is == SLIDES ? most / length : 1.0;
        worst = fmax(worst, is == OPEN ? d[0] * fabs(own[0]) : fabs(u[3 * i]));
        worst = fmax(worst, d[1] * fabs(own[1] - scale * s[0]));
        worst = fmax(worst, d[1] * fabs(own[2] - scale * s[1]));
    }
    return worst;
}

/* The three equations of point i for the change of all p: rows of a, right side. */
static void linearise(const tq_contact_problem *of, double near, size_t i, const double *all_p,
                      const double *all_u, double *all_a, double *all_rhs)
{
    const size_t ld = 3 * of->n, at = 3 * i;
    const double mu = of->mu[i], *p = all_p + at, *u = all_u + at;
    double *a = all_a + at * ld, *rhs = all_rhs + at;
    double diagonal[2];
    double s[2];
    diagonal_of(of, i, diagonal);
    const mode is = mode_of(diagonal, mu, p, u, s);
    if (is == OPEN) {
        memset(a, 0, 3 * ld * sizeof *a);
        for (size_t r = 0; r < 3; r++) {
            a[r * ld + at + r] = diagonal[r > 0];
            rhs[r] = -diagonal[r > 0] * p[r];
        }
        return;
    }
    memcpy(a, of->w + at * ld, 3 * ld * sizeof *a);
    for (size_t r = 0; r < 3; r++) {
        a[r * ld + at + r] += near * a[r * ld + at + r];
        rhs[r] = -u[r];
    }
    if (is == STICKS) {
        return;
    }
    /* p_t = mu p_n s / |s|:  dp_t - mu dp_n e - k (I - e e^T) (dp_t - du_t / W_tt) = -F_t */
    const double length = fmax(length_of(s[0], s[1]), DBL_MIN);
    const double e[2] = {s[0] / length, s[1] / length};
    const double most = mu * fmax(p[0], 0.0);
    const double k = most / length;
    double *t[2] = {a + ld, a + 2 * ld};
    const double side[2][2] = {{k * (1.0 - e[0] * e[0]), -k * e[0] * e[1]},
                               {-k * e[0] * e[1], k * (1.0 - e[1] * e[1])}};
    for (size_t c = 0; c < ld; c++) {
        const double x = t[0][c], y = t[1][c];
        t[0][c] = side[0][0] * x + side[0][1] * y;
        t[1][c] = side[1][0] * x + side[1][1] * y;
    }
    for (size_t r = 0; r < 2; r++) {
        for (size_t c = 0; c < 2; c++) {
            t[r][at + 1 + c] += diagonal[1] * ((r == c ? 1.0 : 0.0) - side[r][c]);
        }
        t[r][at] -= diagonal[1] * mu * e[r];
        rhs[1 + r] = -diagonal[1] * (p[1 + r] - most * e[r]);
    }
}

/* a x = b by elimination with row pivots; x in b. 0: singular */
static int eliminate(size_t n, double *a, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t r = k + 1; r < n; r++) {
            pivot = fabs(a[r * n + k]) > fabs(a[pivot * n + k]) ? r : pivot;
        }
        if (!(fabs(a[pivot * n + k]) > 0.0)) {
            return 0;
        }
        for (size_t c = k; pivot != k && c < n; c++) {
            const double x = a[k * n + c];
            a[k * n + c] = a[pivot * n + c];
            a[pivot * n + c] = x;
        }
        const double x = b[k];
        b[k] = b[pivot];
        b[pivot] = pivot != k ? x : b[pivot];
        for (size_t r = k + 1; r < n; r++) {
            const double factor = a[r * n + k] / a[k * n + k];
            for (size_t c = k + 1; factor != 0.0 && c < n; c++) {
                a[r * n + c] -= factor * a[k * n + c];
            }
            b[r] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t c = k + 1; c < n; c++) {
            b[k] -= a[k * n + c] * b[c];
        }
        b[k] /= a[k * n + k];
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * By velocities
 */

/* A dp' + B dp = f of one contact, dp' = u's change; A is 1 of the normal, so of `a` the tangential
 * part */
typedef struct blocks {
    double a[2][2], b[3][3], f[3];
    bool is_open;
} blocks;

/* as linearise */
static void split(const tq_contact_problem *of, double near, size_t i, const double *p,
                  const double *u, blocks *ret)
{
    const double mu = of->mu[i];
    double d[2];
    double s[2];
    diagonal_of(of, i, d);
    const mode is = mode_of(d, mu, p, u, s);
    const size_t ld = 3 * of->n, at = 3 * i;
    *ret = (blocks){.is_open = is == OPEN};
    double prox[3];
    for (size_t r = 0; r < 3; r++) {
        const double own = of->w[(at + r) * ld + at + r];
        prox[r] = near * (own > 0.0 ? own : 1.0); /* what cannot move has any p */
        ret->b[r][r] = is == OPEN ? 1.0 : prox[r];
        ret->f[r] = is == OPEN ? -p[r] : -u[r];
    }
    ret->a[0][0] = ret->a[1][1] = 1.0;
    if (is != SLIDES) {
        return;
    }
    const double length = fmax(length_of(s[0], s[1]), DBL_MIN);
    const double e[2] = {s[0] / length, s[1] / length};
    const double most = mu * fmax(p[0], 0.0);
    const double k = most / length;
    for (size_t r = 0; r < 2; r++) {
        for (size_t c = 0; c < 2; c++) {
            ret->a[r][c] = k * ((r == c ? 1.0 : 0.0) - e[r] * e[c]);
            ret->b[1 + r][1 + c] =
                ret->a[r][c] * prox[1 + c] + d[1] * ((r == c ? 1.0 : 0.0) - ret->a[r][c]);
        }
        ret->b[1 + r][0] = -d[1] * mu * e[r];
        ret->f[1 + r] = -d[1] * (p[1 + r] - most * e[r]);
    }
}

/* x = B^-1 y; B's first row has its diagonal only */
static void unblock(const blocks *k, const double y[3], double x[3])
{
    const double det = k->b[1][1] * k->b[2][2] - k->b[1][2] * k->b[2][1];
    x[0] = y[0] / k->b[0][0];
    const double r1 = y[1] - k->b[1][0] * x[0], r2 = y[2] - k->b[2][0] * x[0];
    x[1] = (k->b[2][2] * r1 - k->b[1][2] * r2) / det;
    x[2] = (k->b[1][1] * r2 - k->b[2][1] * r1) / det;
}

/* the part of y that A takes */
static void take_part(const blocks *k, const double y[3], double ret[3])
{
    ret[0] = k->is_open ? 0.0 : y[0];
    ret[1] = k->is_open ? 0.0 : k->a[0][0] * y[1] + k->a[0][1] * y[2];
    ret[2] = k->is_open ? 0.0 : k->a[1][0] * y[1] + k->a[1][1] * y[2];
}

/* to (m) += g_r of one contact's three rows times y (3 x m) */
static void add_outer(size_t m, const double *restrict g, const double *restrict y,
                      double *restrict to)
{
    for (size_t c = 0; c < m; c++) {
        to[c] += g[0] * y[c] + g[m] * y[m + c] + g[2 * m] * y[2 * m + c];
    }
}

/* x += dp of one step. work: m^2 + 4 m doubles. 0: singular */
static int step_reduced(const tq_contact_problem *of, double near, const double *u, double *work,
                        double *x)
{
    const size_t m = of->m;
    double *a = work, *s = a + m * m, *y = s + m;
    memset(a, 0, (m * m + m) * sizeof *a);
    for (size_t k = 0; k < m; k++) {
        a[k * m + k] = 1.0;
    }
    for (size_t i = 0; i < of->n; i++) {
        const double *g = of->g + 3 * i * m;
        double f[3];
        blocks k;
        split(of, near, i, x + 3 * i, u + 3 * i, &k);
        unblock(&k, k.f, f);
        for (size_t c = 0; c < m; c++) {
            const double column[3] = {g[c], g[m + c], g[2 * m + c]};
            double part[3];
            double solved[3];
            s[c] += column[0] * f[0] + column[1] * f[1] + column[2] * f[2];
            take_part(&k, column, part);
            unblock(&k, part, solved);
            for (size_t r = 0; r < 3; r++) {
                y[r * m + c] = solved[r];
            }
        }
        for (size_t r = 0; !k.is_open && r < m; r++) {
            if (g[r] != 0.0 || g[m + r] != 0.0 || g[2 * m + r] != 0.0) {
                add_outer(m, g + r, y, a + r * m);
            }
        }
    }
    if (!eliminate(m, a, s)) {
        return 0;
    }
    for (size_t i = 0; i < of->n; i++) {
        const double *g = of->g + 3 * i * m;
        double own[3] = {0.0};
        double part[3];
        blocks k;
        split(of, near, i, x + 3 * i, u + 3 * i, &k);
        for (size_t c = 0; c < m; c++) {
            for (size_t r = 0; r < 3; r++) {
                own[r] += g[r * m + c] * s[c];
            }
        }
        take_part(&k, own, part);
        for (size_t r = 0; r < 3; r++) {
            part[r] = k.f[r] - part[r];
        }
        unblock(&k, part, own);
        for (size_t r = 0; r < 3; r++) {
            x[3 * i + r] += own[r];
        }
    }
    return 1;
}

/* x += dp of one step, by impulses. work: 9 n^2 + 3 n doubles. 0: singular */
static int step_full(const tq_contact_problem *of, double near, const double *u, double *work,
                     double *x)
{
    const size_t size = 3 * of->n;
    double *a = work, *rhs = a + size * size;
    for (size_t i = 0; i < of->n; i++) {
        linearise(of, near, i, x, u, a, rhs);
    }
    if (!eliminate(size, a, rhs)) {
        return 0;
    }
    for (size_t r = 0; r < size; r++) {
        x[r] += rhs[r];
    }
    return 1;
}

/* to = p within the cones |p_t| <= mu p_n */
static void keep(const tq_contact_problem *of, const double *p, double *to)
{
    for (size_t i = 0; i < of->n; i++) {
        const double *own = p + 3 * i;
        const double normal = fmax(own[0], 0.0), length = length_of(own[1], own[2]);
        const double most = of->mu[i] * normal;
        const double scale = length > most ? most / length : 1.0;
        to[3 * i] = normal;
        to[3 * i + 1] = scale * own[1];
        to[3 * i + 2] = scale * own[2];
    }
}

double tq_contact_newton(const tq_contact_problem *of, double accuracy, double agreed, double *work,
                         double *p)
{
    const size_t size = 3 * of->n;
    double *x = work + size * size + 4 * size, *u = x + size, *from = u + size;
    double best = (double)INFINITY;
    double near = nearest;
    unsigned n_solved = 0;
    memcpy(x, p, size * sizeof *x);
    memcpy(from, of->start, size * sizeof *from);
    for (unsigned it = 0; it < TQ_CONTACT_NEWTON_STEPS; it++) {
        velocities(of, x, u);
        const double violation = violation_of(of, x, u);
        if (violation < best) {
            best = violation;
            keep(of, x, p);
        }
        for (size_t i = 0; i < size; i++) {
            u[i] += near * of->w[i * size + i] * (x[i] - from[i]);
        }
        const bool solved = violation_of(of, x, u) <= accuracy;
        if (violation <= accuracy || (solved && n_solved > 0 && violation <= agreed)) {
            keep(of, x, p);
            return violation;
        }
        if (!(violation < (double)INFINITY)) {
            break;
        }
        if (solved) {
            velocities(of, x, u);
            memcpy(from, x, size * sizeof *from);
            near = n_solved > 0 ? fmax(0.1 * near, farthest) : near;
            n_solved++;
        }
        if (!(tq_contact_is_reduced(of) ? step_reduced : step_full)(of, near, u, work, x)) {
            break;
        }
    }
    return best;
}
