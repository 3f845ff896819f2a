/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/table.h - the kernels of one build, and how a caller finds the right build. */
#ifndef TQ_KERNELS_TABLE_H
#define TQ_KERNELS_TABLE_H

#include "core/kernels/block.h"
#include "core/lanes/build.h"
#include "core/model/canonical.h"

/* Samples of a run that is folded at once, and lanes of triangles at every width. */
enum { TQ_FOLD_RUN = 64, TQ_FOLD_LANES = 8 };
/* Signals that are filtered side by side; entries that are read along a row of a triangle. */
enum { TQ_SECTION_LANES = 8, TQ_TRIANGLE_LANES = 8 };

/* `work` is aligned to 64 bytes and holds tq_work_doubles(...) doubles. */
typedef struct tq_kernels {
    /* ret_tau (nv rows): inverse dynamics without friction, springs and rotors */
    void (*rnea)(const tq_canonical *c, const tq_kernel_input *in, double *work, double *ret_tau);
    /* ret_m (n_row^2 rows): entry (rows[a], rows[b]) for all freedoms a, b, both triangles. rows:
     * row of each freedom, 0 .. n_row - 1, each once. 1: |M_ab| <= sqrt(M_aa M_bb), so that its
     * caller looks at the diagonal alone */
    int (*crba)(const tq_canonical *c, const tq_kernel_input *in, double *work, const int32_t *rows,
                long n_row, double *ret_m);
    /* ret_c (n_row^2 rows): the Coriolis matrix at in->qd, as crba; tq_coriolis_work_doubles. 0
     * when some entry may not be finite */
    int (*coriolis)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                    const int32_t *rows, long n_row, double *ret_c);
    /* ret_qdd (nv rows): from in->tau; not for robots with mimicking joints */
    void (*aba)(const tq_canonical *c, const tq_kernel_input *in, double *work, double *ret_qdd,
                tq_kernel_fault *ret_fault);
    /* ret_y: entry (rows[freedom], 10 column + p) of a matrix of 10 (n_link - 1) columns, for all
     * freedoms and links but the root; p: m, h_x, h_y, h_z, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz
     * about the link's origin. rows as for crba; work: tq_regressor_work_doubles. again: what is 0
     * at every state is there already. 0 when some entry may not be finite, for finite angles */
    int (*regressor)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                     const int32_t *rows, int again, double *ret_y);
    /* Folds one run of samples into TQ_FOLD_LANES triangles (n x n, entry (i, j) of lane l at
     * r[(i n + j) TQ_FOLD_LANES + l]). Column c is x[offset[c]] and the TQ_FOLD_RUN - 1 after it;
     * aligned to 64 bytes, destroyed. Sample i belongs to lane i % TQ_FOLD_LANES */
    void (*fold)(long n, const int64_t *offset, double *x, double *r);
    /* ret (TQ_FOLD_RUN) += sum of weights[c] times column c, which is x[offset[c]] and those after
     * it */
    void (*contract)(long n, const int64_t *offset, const double *weights, const double *x,
                     double *ret);
    /* Folds triangle x (n x n, row by row, destroyed) into triangle r, whose entries below the
     * diagonal are read and written as they are */
    void (*triangle)(long n, double *r, double *x);
    /* Second-order sections, five coefficients b0 b1 b2 a1 a2 each, along TQ_SECTION_LANES signals
     * (sample k of signal l at x[k TQ_SECTION_LANES + l]), in place, from the first sample to the
     * last or backward; each starts as if its first input had stood there for ever */
    void (*sections)(long n_section, const double *coefficients, long n, double *x, int backward);
    /* ret_poses (12 rows a body): rotation row by row, then origin, of each body in the world */
    void (*kinematics)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       double *ret_poses, long pose_stride);
    /* ret_jacobian (6 nv rows, in->out_stride apart): v then w, row by row; ret_rate: the same of
     * its rate of change at in->qd, or NULL */
    void (*jacobian)(const tq_canonical *c, const tq_kernel_input *in, const tq_kernel_point *point,
                     double *work, double *ret_jacobian, double *ret_rate);
    /* ret_energy (2 rows, in->out_stride apart): kinetic, and potential of gravity, of bodies */
    void (*energy)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                   double *ret_energy);
    /* ret_d (2 n_row^2 rows): derivatives of what rnea computes, by q, then by qd; as crba;
     * tq_derivatives_work_doubles. Rows of quaternions are displaced like their velocities. No
     * wrenches. 0: its caller looks at all entries */
    int (*derivatives)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       const int32_t *rows, long n_row, double *ret_d);
    /* ret_momentum (12 rows, in->out_stride apart): first moment of mass, linear momentum and
     * angular momentum, in world axes about a point O; O in the world */
    void (*momentum)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                     double *ret_momentum);
    /* to[k * stride + i] = from[i * pitch + k] for n_row rows and n_column columns; nothing need be
     * aligned */
    void (*turn)(long n_row, long n_column, const double *from, long pitch, double *to,
                 long stride);
    /* aba with the moments of in->varied for those of c */
    void (*aba_varied)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       double *ret_qdd, tq_kernel_fault *ret_fault);
    /* ret (n_row rows): from + factor * (sum of weights[k] * terms[k]) */
    void (*combine)(const tq_kernel_sum *in, double *ret);
    /* 0 when some of the numbers is NaN or infinite */
    int (*finite)(long n_row, long n_sample, long stride, const double *x);
    /* 0 when two neighbours among n + 1 numbers differ by more than `most`, or one is NaN */
    int (*steady)(long n, const double *x, double most);
    /* 0 when some quaternion's squared length is off 1 by more than `tolerance` */
    int (*unit)(long n_sample, long stride, const double *quaternion, double tolerance);
} tq_kernels;

/* Doubles of working memory that any kernel but those with a size of their own needs. */
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
    enum { A_BODY = 26 + 28, A_BALL = 12, A_FREEDOM = 21 + 3 };
    return (size_t)TQ_WORK_LANES *
           ((size_t)c->n_body * A_BODY + (size_t)c->n_ball * A_BALL + (size_t)c->n_dof * A_FREEDOM);
}

static inline size_t tq_regressor_work_doubles(const tq_canonical *c)
{
    const size_t screws = (size_t)c->n_dof + (size_t)c->kept;
    /* screws of now, as a link sees them and kept; columns that links share; three numbers */
    const size_t path = 6 * screws + (6 + 10 + 3) * (size_t)c->n_dof;
    return tq_work_doubles(c) + (size_t)TQ_WORK_LANES * path;
}

extern const tq_kernels tq_kernels_portable;
#if defined(__x86_64__)
extern const tq_kernels tq_kernels_w1, tq_kernels_w1v, tq_kernels_w2, tq_kernels_w4, tq_kernels_w8;
#endif

/* The build in force; a single sample takes the one-lane build, which gives the same bits. */
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
