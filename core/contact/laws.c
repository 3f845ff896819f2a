/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/laws.c - nonlinear Gauss-Seidel for normal and friction impulses. */
#include "core/contact/laws.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contact/newton.h"

/* Newton steps follow every PERIOD sweeps, up to ROUNDS times */
enum { INNER = 60, PERIOD = 16, ROUNDS = 40 };
static const size_t sweeps_max = 20000, products_max = 20000000, products_max_many = 2000000000;
/* tolerance, relative to the largest |b|; the same where velocities contradict each other */
static const double accuracy = 1e-13, agreed = 1e-8;
/* the same where Newton steps came to no end and PERIOD sweeps change less than by `slow` */
static const double unsolved = 1e-5, slow = 0.98;
static const double least = 1e-17; /* m/s: tolerances are not below rounding */

/* W_ii of one contact */
typedef struct block {
    double w[3][3];
    double tangential; /* a bound on the eigenvalues of the tangential part */
} block;

static block block_of(size_t n, const double *w, size_t i)
{
    block k;
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < 3; c++) {
            k.w[r][c] = w[(3 * i + r) * 3 * n + 3 * i + c];
        }
    }
    const double mean = 0.5 * (k.w[1][1] + k.w[2][2]);
    const double half = 0.5 * (k.w[1][1] - k.w[2][2]);
    k.tangential = mean + sqrt(half * half + k.w[1][2] * k.w[1][2]);
    return k;
}

/* sticking: W p + b = 0 by Cramer's rule; 0: the block is singular */
static int stick(const block *k, const double *b, double *p)
{
    double c0[3];
    double c1[3];
    double c2[3];
    const double(*w)[3] = k->w;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned j = (i + 1) % 3, l = (i + 2) % 3;
        c0[i] = w[1][j] * w[2][l] - w[1][l] * w[2][j];
        c1[i] = w[2][j] * w[0][l] - w[2][l] * w[0][j];
        c2[i] = w[0][j] * w[1][l] - w[0][l] * w[1][j];
    }
    const double det = w[0][0] * c0[0] + w[0][1] * c0[1] + w[0][2] * c0[2];
    if (!(det > 1e-12 * w[0][0] * k->tangential * k->tangential)) {
        return 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        p[i] = -(c0[i] * b[0] + c1[i] * b[1] + c2[i] * b[2]) / det;
    }
    return 1;
}

/* sliding: p_n from u_n = 0, p_t by projection onto the disk of radius mu p_n, in turn */
static void slide(const block *k, const double *b, double mu, double *p)
{
    for (unsigned it = 0; it < INNER; it++) {
        const double old[3] = {p[0], p[1], p[2]};
        const double un = b[0] + k->w[0][1] * p[1] + k->w[0][2] * p[2];
        p[0] = fmax(0.0, -un / k->w[0][0]);
        double t[2];
        for (unsigned r = 0; r < 2; r++) {
            const double u =
                b[1 + r] + k->w[1 + r][0] * p[0] + k->w[1 + r][1] * p[1] + k->w[1 + r][2] * p[2];
            t[r] = p[1 + r] - (k->tangential > 0.0 ? u / k->tangential : 0.0);
        }
        const double length = sqrt(t[0] * t[0] + t[1] * t[1]);
        const double most = mu * p[0];
        const double scale = length > most ? most / length : 1.0;
        p[1] = scale * t[0];
        p[2] = scale * t[1];
        const double change = fabs(p[0] - old[0]) + fabs(p[1] - old[1]) + fabs(p[2] - old[2]);
        if (change <= 4.0 * DBL_EPSILON * p[0]) {
            break;
        }
    }
}

/* one contact with all others' impulses in b; p: its last impulse in, the next out */
static void solve_one(const block *k, const double *b, double mu, double *p)
{
    double s[3];
    if (!(k->w[0][0] > 0.0)) { /* the point cannot move along its normal */
        memset(p, 0, sizeof s);
        return;
    }
    if (mu > 0.0 && stick(k, b, s) && s[0] >= 0.0 &&
        s[1] * s[1] + s[2] * s[2] <= mu * mu * s[0] * s[0]) {
        memcpy(p, s, sizeof s);
        return;
    }
    if (b[0] >= 0.0 && p[0] == 0.0) {
        memset(p, 0, sizeof s);
        return;
    }
    slide(k, b, mu, p);
}

/* One sweep over all contacts. Returns the largest violation, m/s. */
static double sweep(const tq_contact_problem *of, double *p)
{
    const size_t n = of->n;
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        const block k = block_of(n, of->w, i);
        double own[3];
        double rest[3];
        memcpy(own, p + 3 * i, sizeof own);
        for (size_t r = 0; r < 3; r++) {
            const double *row = of->w + (3 * i + r) * 3 * n;
            double sum = of->b[3 * i + r];
            for (size_t c = 0; c < 3 * n; c++) {
                sum += row[c] * p[c];
            }
            rest[r] = sum - (k.w[r][0] * own[0] + k.w[r][1] * own[1] + k.w[r][2] * own[2]);
        }
        solve_one(&k, rest, of->mu[i], p + 3 * i);
        const double diagonal = fmax(k.w[0][0], k.tangential);
        for (size_t r = 0; r < 3; r++) {
            worst = fmax(worst, diagonal * fabs(p[3 * i + r] - own[r]));
        }
    }
    return worst;
}

/* One sweep of one projection of each impulse, normal and tangential. */
static void creep(const tq_contact_problem *of, double *p)
{
    const size_t n = of->n;
    for (size_t i = 0; i < n; i++) {
        const block k = block_of(n, of->w, i);
        double *own = p + 3 * i;
        const double before = own[0];
        double u[3];
        for (size_t r = 0; r < 3; r++) {
            const double *row = of->w + (3 * i + r) * 3 * n;
            u[r] = of->b[3 * i + r];
            for (size_t c = 0; c < 3 * n; c++) {
                u[r] += row[c] * p[c];
            }
        }
        own[0] = k.w[0][0] > 0.0 ? fmax(0.0, before - u[0] / k.w[0][0]) : 0.0;
        for (size_t r = 1; r < 3 && k.tangential > 0.0; r++) {
            own[r] -= (u[r] + k.w[r][0] * (own[0] - before)) / k.tangential;
        }
        const double length = sqrt(own[1] * own[1] + own[2] * own[2]);
        const double most = of->mu[i] * own[0];
        own[1] *= length > most ? most / length : 1.0;
        own[2] *= length > most ? most / length : 1.0;
    }
}

/* Newton steps after sweeps that creep from `start`, where those of exact blocks lead from one
 * point that slides to another. Returns the violation; p is the best. */
static double solve_creeping(const tq_contact_problem *of, size_t rounds, double little,
                             double accepted, double *work, double *p)
{
    double *from = work + tq_contact_newton_work(of->n);
    double worst = (double)INFINITY;
    memcpy(from, of->start, 3 * of->n * sizeof *from);
    for (size_t k = 0; k < rounds && !(worst <= accepted); k++) {
        for (size_t i = 0; i < PERIOD; i++) {
            creep(of, from);
        }
        memcpy(p, from, 3 * of->n * sizeof *p);
        worst = tq_contact_newton(of, little, accepted, work, p);
    }
    return worst;
}

double tq_contact_laws(const tq_contact_problem *of, double *work, double *p)
{
    const size_t n = of->n, budget = n < TQ_CONTACT_MANY ? products_max : products_max_many;
    const size_t afford = budget / (9 * n * n + 1);
    const size_t most = afford < sweeps_max ? afford : sweeps_max;
    double size = 0.0;
    double worst = 0.0;
    double last = (double)INFINITY;
    for (size_t i = 0; i < 3 * n; i++) {
        size = fmax(size, fabs(of->b[i]));
    }
    const double little = fmax(accuracy * size, least);
    const double accepted = fmax(agreed * size, least);
    size_t rounds = budget / (tq_contact_newton_products(of) * TQ_CONTACT_NEWTON_STEPS + 1);
    rounds = rounds < ROUNDS ? rounds : ROUNDS;
    for (size_t k = 1; k <= most; k++) {
        worst = sweep(of, p);
        if (worst <= little) {
            break;
        }
        if (k > rounds * PERIOD && k % PERIOD == 0) {
            if (worst <= unsolved * size && worst > slow * last) {
                break;
            }
            last = worst;
        }
        if (k % PERIOD == 0 && k <= rounds * PERIOD) {
            worst = tq_contact_newton(of, little, accepted, work, p);
            if (worst > accepted && k == rounds * PERIOD) {
                worst = solve_creeping(of, rounds, little, accepted, work, p);
            }
            if (worst <= accepted) {
                break;
            }
        }
    }
    return worst;
}
