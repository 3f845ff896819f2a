/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/inertia.c - mass distributions: frames, sums, principal axes, consistency. */
#include "core/model/inertia.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"

enum { XX, XY, XZ, YY, YZ, ZZ };
static const unsigned row_of[6] = {0, 0, 0, 1, 1, 2};
static const unsigned col_of[6] = {0, 1, 2, 1, 2, 2};

static void full_of(const double s[6], double a[3][3])
{
    for (unsigned k = 0; k < 6; k++) {
        a[row_of[k]][col_of[k]] = a[col_of[k]][row_of[k]] = s[k];
    }
}

/* m (c.c E - c c^T), the tensor of a point mass at c */
static void point_tensor(double mass, const double c[3], double out[6])
{
    const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (unsigned k = 0; k < 6; k++) {
        const double product = c[row_of[k]] * c[col_of[k]];
        out[k] = mass * ((row_of[k] == col_of[k] ? square : 0.0) - product);
    }
}

/* Sigma = tr(I)/2 E - I, with tr(I) = 2 tr(Sigma) */
static void second_moments(const double tensor[6], double sigma[6])
{
    const double half = 0.5 * (tensor[XX] + tensor[YY] + tensor[ZZ]);
    for (unsigned k = 0; k < 6; k++) {
        sigma[k] = (row_of[k] == col_of[k] ? half : 0.0) - tensor[k];
    }
}

static void tensor_of_moments(const double sigma[6], double tensor[6])
{
    const double trace = sigma[XX] + sigma[YY] + sigma[ZZ];
    for (unsigned k = 0; k < 6; k++) {
        tensor[k] = (row_of[k] == col_of[k] ? trace : 0.0) - sigma[k];
    }
}

/* R S R^T */
static void rotate_symmetric(const double r[9], const double s[6], double out[6])
{
    double a[3][3];
    double ra[3][3] = {{0}};
    full_of(s, a);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            for (unsigned k = 0; k < 3; k++) {
                ra[i][j] += r[3 * i + k] * a[k][j];
            }
        }
    }
    for (unsigned k = 0; k < 6; k++) {
        out[k] = 0.0;
        for (unsigned m = 0; m < 3; m++) {
            out[k] += ra[row_of[k]][m] * r[3 * col_of[k] + m];
        }
    }
}

void tq_inertia_about_origin(const tq_inertia *inertia, double ret_about_origin[6])
{
    point_tensor(inertia->mass, inertia->com, ret_about_origin);
    for (unsigned k = 0; k < 6; k++) {
        ret_about_origin[k] += inertia->about_com[k];
    }
}

void tq_inertia_from_origin(double mass, const double com[3], const double about_origin[6],
                            tq_inertia *ret_inertia)
{
    double shift[6];
    point_tensor(mass, com, shift);
    ret_inertia->mass = mass;
    for (unsigned k = 0; k < 3; k++) {
        ret_inertia->com[k] = com[k];
    }
    for (unsigned k = 0; k < 6; k++) {
        ret_inertia->about_com[k] = about_origin[k] - shift[k];
    }
}

tq_inertia tq_inertia_move(const tq_inertia *inertia, const tq_pose *pose)
{
    tq_inertia moved = {.mass = inertia->mass};
    for (unsigned i = 0; i < 3; i++) {
        moved.com[i] = pose->p[i];
        for (unsigned k = 0; k < 3; k++) {
            moved.com[i] += pose->r[3 * i + k] * inertia->com[k];
        }
    }
    rotate_symmetric(pose->r, inertia->about_com, moved.about_com);
    return moved;
}

tq_inertia tq_inertia_add(const tq_inertia *a, const tq_inertia *b)
{
    const double mass = a->mass + b->mass;
    tq_inertia sum = {.mass = mass};
    if (mass != 0.0) {
        for (unsigned k = 0; k < 3; k++) {
            sum.com[k] = (a->mass * a->com[k] + b->mass * b->com[k]) / mass;
        }
    }
    const tq_inertia *part[2] = {a, b};
    for (unsigned p = 0; p < 2; p++) {
        double shift[6];
        const double arm[3] = {part[p]->com[0] - sum.com[0], part[p]->com[1] - sum.com[1],
                               part[p]->com[2] - sum.com[2]};
        point_tensor(part[p]->mass, arm, shift);
        for (unsigned k = 0; k < 6; k++) {
            sum.about_com[k] += part[p]->about_com[k] + shift[k];
        }
    }
    return sum;
}

void tq_inertia_spatial(const tq_inertia *inertia, double ret_spatial[36])
{
    const double m = inertia->mass;
    const double *c = inertia->com;
    const double skew[3][3] = {
        {0.0, -m * c[2], m * c[1]}, {m * c[2], 0.0, -m * c[0]}, {-m * c[1], m * c[0], 0.0}};
    double origin[6];
    double a[3][3];
    tq_inertia_about_origin(inertia, origin);
    full_of(origin, a);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            ret_spatial[6 * i + j] = i == j ? m : 0.0;
            ret_spatial[6 * i + 3 + j] = -skew[i][j];
            ret_spatial[6 * (3 + i) + j] = skew[i][j];
            ret_spatial[6 * (3 + i) + 3 + j] = a[i][j];
        }
    }
}

void tq_inertia_pseudo(const tq_inertia *inertia, double ret_pseudo[16])
{
    double origin[6];
    double sigma[6];
    tq_inertia_about_origin(inertia, origin);
    second_moments(origin, sigma);
    for (unsigned k = 0; k < 6; k++) {
        ret_pseudo[4 * row_of[k] + col_of[k]] = ret_pseudo[4 * col_of[k] + row_of[k]] = sigma[k];
    }
    for (unsigned k = 0; k < 3; k++) {
        ret_pseudo[4 * k + 3] = ret_pseudo[12 + k] = inertia->mass * inertia->com[k];
    }
    ret_pseudo[15] = inertia->mass;
}

/* one Jacobi rotation that annihilates a[p][q], accumulated in v */
static void jacobi_rotate(double a[3][3], double v[3][3], unsigned p, unsigned q)
{
    if (a[p][q] == 0.0) {
        return;
    }
    const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + tq_hypot(1.0, theta));
    const double c = 1.0 / tq_hypot(1.0, t);
    const double s = t * c;
    for (unsigned k = 0; k < 3; k++) {
        const double x = a[k][p];
        const double y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (unsigned k = 0; k < 3; k++) {
        const double x = a[p][k];
        const double y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    for (unsigned k = 0; k < 3; k++) {
        const double x = v[k][p];
        const double y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
    a[p][q] = a[q][p] = 0.0;
}

static void swap_columns(double value[3], double v[3][3], unsigned p, unsigned q)
{
    const double held = value[p];
    value[p] = value[q];
    value[q] = held;
    for (unsigned k = 0; k < 3; k++) {
        const double x = v[k][p];
        v[k][p] = v[k][q];
        v[k][q] = x;
    }
}

void tq_symmetric_eigen(const double s[6], double ret_values[3], double ret_axes[9])
{
    /* quadratic convergence: four sweeps reach rounding, the others are margin */
    enum { SWEEPS = 12 };
    double a[3][3];
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    full_of(s, a);
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        jacobi_rotate(a, v, 0, 1);
        jacobi_rotate(a, v, 0, 2);
        jacobi_rotate(a, v, 1, 2);
    }
    double value[3] = {a[0][0], a[1][1], a[2][2]};
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned k = 0; k < 2; k++) {
            if (value[k] > value[k + 1]) {
                swap_columns(value, v, k, k + 1);
            }
        }
    }
    const double handed = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
                          v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                          v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    for (unsigned i = 0; i < 3; i++) {
        ret_values[i] = value[i];
        for (unsigned j = 0; j < 3; j++) {
            ret_axes[3 * i + j] = j == 2 && handed < 0.0 ? -v[i][j] : v[i][j];
        }
    }
}

/* relative rounding allowance of the moments of one body */
static const double slack = 16.0 * 0x1p-53;

void tq_inertia_check(const tq_inertia *inertia, tq_consistency *ret_consistency)
{
    double *moment = ret_consistency->principal;
    tq_symmetric_eigen(inertia->about_com, moment, ret_consistency->axes);
    const double trace = moment[0] + moment[1] + moment[2];
    ret_consistency->mass_positive = inertia->mass > 0.0;
    ret_consistency->definite = moment[0] > slack * trace;
    ret_consistency->triangle =
        moment[0] >= -slack * trace && moment[2] - moment[1] - moment[0] <= slack * trace;
    /* the smallest second moment is (m0 + m1 - m2) / 2, and their sum is trace / 2 */
    ret_consistency->margin = trace > 0.0 ? (moment[0] + moment[1] - moment[2]) / trace : 0.0;
}

tq_status tq_inertia_nearest(const tq_inertia *inertia, double floor, double mass_floor,
                             tq_inertia *ret_inertia, tq_error *reterr)
{
    if (!(floor >= 0.0 && floor < 1.0 / 3.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "floor", 0, floor);
    }
    if (!(mass_floor > 0.0 && isfinite(mass_floor))) {
        return tq_fail(reterr, TQ_ERR_RANGE, "mass_floor", 0, mass_floor);
    }
    double sum = inertia->mass + inertia->com[0] + inertia->com[1] + inertia->com[2];
    for (unsigned k = 0; k < 6; k++) {
        sum += inertia->about_com[k];
    }
    if (!isfinite(sum)) {
        return tq_fail(reterr, TQ_ERR_NOT_FINITE, "inertia", 0, sum);
    }
    double sigma[6];
    double value[3];
    double axes[9];
    second_moments(inertia->about_com, sigma);
    tq_symmetric_eigen(sigma, value, axes);

    /* Raises the smallest eigenvalues to floor * trace. The trace grows with them: with k
     * eigenvalues raised, trace = rest / (1 - k floor). */
    double raised[3];
    for (unsigned k = 0; k <= 3; k++) {
        double rest = 0.0;
        for (unsigned i = k; i < 3; i++) {
            rest += value[i] > 0.0 ? value[i] : 0.0;
        }
        const double low = floor * rest / (1.0 - (double)k * floor);
        if (k == 3 || value[k] >= low) {
            for (unsigned i = 0; i < 3; i++) {
                raised[i] = i < k ? low : value[i];
            }
            break;
        }
    }
    double diagonal[6] = {raised[0], 0.0, 0.0, raised[1], 0.0, raised[2]};
    rotate_symmetric(axes, diagonal, sigma);
    *ret_inertia = *inertia;
    ret_inertia->mass = inertia->mass > 0.0 ? inertia->mass : mass_floor;
    tensor_of_moments(sigma, ret_inertia->about_com);
    return TQ_OK;
}
