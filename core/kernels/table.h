/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/table.h - the kernels of one build, and the choice of the build. */
#ifndef TQ_KERNELS_TABLE_H
#define TQ_KERNELS_TABLE_H

#include "core/kernels/block.h"
#include "core/kernels/path/path.h"
#include "core/lanes/build.h"
#include "core/model/canonical.h"

/* Samples of a run that is folded at once, and triangles side by side at every width. */
enum { TQ_FOLD_RUN = 64, TQ_FOLD_LANES = 8 };
/* Signals that are filtered side by side; entries per step along a row of a triangle. */
enum { TQ_SECTION_LANES = 8, TQ_TRIANGLE_LANES = 8 };

/* `work` is aligned to 64 bytes and holds tq_work_doubles(...) doubles. */
typedef struct tq_kernels {
    /* ret_tau (nv rows): inverse dynamics without friction, springs and rotors. RNEA, O(n) */
    void (*rnea)(const tq_canonical *c, const tq_kernel_input *in, double *work, double *ret_tau);
    /* ret_m (n_row^2 rows): entry (rows[a], rows[b]) for all dofs a, b, both triangles. rows: row
     * of each dof, 0 .. n_row - 1, each once. Returns 1: |M_ab| <= sqrt(M_aa M_bb), so a finite
     * diagonal implies finite entries. CRBA, O(n depth) */
    int (*crba)(const tq_canonical *c, const tq_kernel_input *in, double *work, const int32_t *rows,
                long n_row, double *ret_m);
    /* ret_c (n_row^2 rows): Coriolis matrix at in->qd, layout as crba; tq_coriolis_work_doubles.
     * Returns 0 if some entry may not be finite */
    int (*coriolis)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                    const int32_t *rows, long n_row, double *ret_c);
    /* ret_qdd (nv rows): from in->tau, by ABA, O(n); not for robots with mimic joints */
    void (*aba)(const tq_canonical *c, const tq_kernel_input *in, double *work, double *ret_qdd,
                tq_kernel_fault *ret_fault);
    /* ret_y: entry (rows[dof], 10 column + p) of a matrix of 10 (n_link - 1) columns, for all dofs
     * and all links except the root; p: m, h_x, h_y, h_z, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz about
     * the link's origin. rows as for crba; work: tq_regressor_work_doubles. again: structural zeros
     * are in ret_y already. Returns 0 if some entry may not be finite although angles are */
    int (*regressor)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                     const int32_t *rows, int again, double *ret_y);
    /* Householder QR update: folds one run of samples into TQ_FOLD_LANES triangles (n x n, entry
     * (i, j) of lane l at r[(i n + j) TQ_FOLD_LANES + l]). Column c is the TQ_FOLD_RUN doubles from
     * x[offset[c]] on; aligned to 64 bytes, destroyed. Sample i belongs to lane i % TQ_FOLD_LANES
     */
    void (*fold)(long n, const int64_t *offset, double *x, double *r);
    /* ret (TQ_FOLD_RUN) += sum over c of weights[c] column c, the doubles from x[offset[c]] on */
    void (*contract)(long n, const int64_t *offset, const double *weights, const double *x,
                     double *ret);
    /* Householder QR update: folds triangle x (n x n, row-major, destroyed) into triangle r.
     * Entries of r below the diagonal keep their values */
    void (*triangle)(long n, double *r, double *x);
    /* Second-order sections, five coefficients b0 b1 b2 a1 a2 each, along TQ_SECTION_LANES signals
     * (sample k of signal l at x[k TQ_SECTION_LANES + l]), in place, forward or backward in time;
     * each starts in the steady state of its first input */
    void (*sections)(long n_section, const double *coefficients, long n, double *x, int backward);
    /* ret_poses (12 rows per body): rotation row by row, then origin, of each body in the world */
    void (*kinematics)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       double *ret_poses, long pose_stride);
    /* ret_energy (2 rows, in->out_stride apart): kinetic and gravitational potential energy, J */
    void (*energy)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                   double *ret_energy);
    /* ret_d (2 n_row^2 rows): derivatives of the torque of rnea by q, then by qd; layout as crba;
     * tq_derivatives_work_doubles. Quaternions are varied by angular displacements. Without
     * external wrenches. Returns 0 if some entry may not be finite */
    int (*derivatives)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       const int32_t *rows, long n_row, double *ret_d);
    /* ret (4 n_row^3 rows): of the derivatives by q, by q; of those by qd, by qd and by q; and of
     * M, by q; entry (i, j, k) is in row (i n_row + j) n_row + k; else as derivatives;
     * tq_second_derivatives_work_doubles */
    int (*second_derivatives)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                              const int32_t *rows, long n_row, double *ret);
    /* ret_momentum (15 rows, in->out_stride apart), in world axes: centre of mass, its velocity,
     * linear momentum, angular momentum about the centre of mass and about the world's origin */
    void (*momentum)(const tq_canonical *c, const tq_kernel_input *in,
                     const tq_kernel_masses *masses, double *work, double *ret_momentum);
    /* transposition: to[k * stride + i] = from[i * pitch + k] for n_row rows and n_column columns;
     * no alignment required */
    void (*transpose)(long n_row, long n_column, const double *from, long pitch, double *to,
                      long stride);
    /* aba with the inertial parameters in->varied instead of those of c */
    void (*aba_varied)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       double *ret_qdd, tq_kernel_fault *ret_fault);
    /* ret (n_row rows) = from + factor * sum over k of weights[k] * terms[k] */
    void (*combine)(const tq_kernel_sum *in, double *ret);
    /* 0 if some number is NaN or infinite */
    int (*finite)(long n_row, long n_sample, long stride, const double *x);
    /* 0 if two neighbours of n + 1 numbers differ by more than `most`, or one is NaN */
    int (*steady)(long n, const double *x, double most);
    /* 0 if | |quaternion|^2 - 1 | > tolerance in some sample */
    int (*unit)(long n_sample, long stride, const double *quaternion, double tolerance);
    /* limits at the nodes as rows; cap and floor are tightened, those that are there stay */
    void (*path_rows)(const tq_path_interval *in, tq_path_rows *ret);
    /* least and largest x of the rows, searched from `start`; 0: no x satisfies them */
    int (*path_range)(const tq_path_rows *rows, double start, double ret[2]);
    /* largest u at x */
    double (*path_upper)(const tq_path_rows *rows, double x);
    /* (3 x n_row): velocity, acceleration and torque over their limits, the largest at the points;
     * ret_high: a bound on it between them. Returns the largest of ret_high */
    double (*path_use)(const tq_path_interval *in, double *ret_use, double *ret_high);
    /* value, slope and curvature (n x n_row) at n parts of a piece of a spline */
    void (*path_spline)(const tq_path_cubic *in, long n, const double *part, double *ret_x,
                        double *ret_slope, double *ret_bend);
} tq_kernels;

/* Doubles of working memory for every kernel that has no size function of its own. */
static inline size_t tq_work_doubles(const tq_canonical *c)
{
    enum { A_BODY = 26 + 34, A_BALL = 12 + 15 + 6 * 6 };
    return (size_t)TQ_WORK_LANES * ((size_t)c->n_body * A_BODY + (size_t)c->n_ball * A_BALL);
}

static inline size_t tq_coriolis_work_doubles(const tq_canonical *c)
{
    enum { A_BODY = 2 + 18 + 21, A_BALL = 12, A_FREEDOM = 12 + 3 };
    return (size_t)TQ_WORK_LANES *
           ((size_t)c->n_body * A_BODY + (size_t)c->n_ball * A_BALL + (size_t)c->n_dof * A_FREEDOM);
}

static inline size_t tq_momentum_work_doubles(const tq_canonical *c)
{
    enum { A_BODY = 26, A_BALL = 12 };
    return (size_t)TQ_WORK_LANES * ((size_t)c->n_body * A_BODY + (size_t)c->n_ball * A_BALL);
}

static inline size_t tq_derivatives_work_doubles(const tq_canonical *c)
{
    enum { A_BODY = 26 + 27, A_BALL = 12, A_FREEDOM = 21 + 5 };
    return (size_t)TQ_WORK_LANES * (2 * 27 + (size_t)c->n_body * A_BODY +
                                    (size_t)c->n_ball * A_BALL + (size_t)c->n_dof * A_FREEDOM);
}

static inline size_t tq_second_derivatives_work_doubles(const tq_canonical *c)
{
    enum { A_BODY = 26 + 27, A_BALL = 12, A_FREEDOM = 24 + 5 };
    return (size_t)TQ_WORK_LANES *
           ((size_t)c->n_body * A_BODY + (size_t)c->n_ball * A_BALL + (size_t)c->n_dof * A_FREEDOM);
}

static inline size_t tq_regressor_work_doubles(const tq_canonical *c)
{
    const size_t screws = (size_t)c->n_dof + (size_t)c->kept;
    /* axes: current, in a link's frame, kept; shared entries; three index arrays */
    const size_t path = 6 * screws + (6 + 10 + 3) * (size_t)c->n_dof;
    return tq_work_doubles(c) + (size_t)TQ_WORK_LANES * path;
}

extern const tq_kernels tq_kernels_portable;
#if defined(__x86_64__)
extern const tq_kernels tq_kernels_w1, tq_kernels_w1v, tq_kernels_w2, tq_kernels_w4, tq_kernels_w8;
#endif

/* The active build; a single sample takes the one-lane build, which gives the same bits. */
static inline const tq_kernels *tq_kernels_for(size_t n_sample)
{
#if defined(__x86_64__)
    switch (n_sample == 1 ? tq_lanes_build_single() : tq_lanes_build_now()) {
    case TQ_BUILD_W1:
        return &tq_kernels_w1;
    case TQ_BUILD_W1V:
        return &tq_kernels_w1v;
    case TQ_BUILD_W2:
        return &tq_kernels_w2;
    case TQ_BUILD_W4:
        return &tq_kernels_w4;
    case TQ_BUILD_W8:
        return &tq_kernels_w8;
    case TQ_BUILD_PORTABLE:
    case TQ_BUILD_COUNT:
        break;
    }
#else
    (void)n_sample;
#endif
    return &tq_kernels_portable;
}

#endif
