/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/block.h - input of every kernel, and its working memory. */
#ifndef TQ_KERNELS_BLOCK_H
#define TQ_KERNELS_BLOCK_H

#include <stddef.h>

/* Entries of a matrix over all dofs that need no write: structural zeros (pairs of dofs on
 * different branches) that are in the buffer already, and the lower triangle (which may be written
 * anyway). */
enum { TQ_FILL_AGAIN = 1, TQ_FILL_UPPER = 2 };

enum { TQ_VARIED_ROWS = 1 + 3 + 6 + 6 + 2 };

/* One block of samples in the layout of core/base/block.h; all row arrays have the same stride.
 * Quaternions are normalised inside. Angles above 1e5, NaN and infinities are computed, not
 * rejected. */
typedef struct tq_kernel_input {
    long n_sample, stride, wrench_stride;
    long out_stride; /* of the mass matrix */
    int fill;        /* of matrices over all dofs: TQ_FILL_... */
    const double *q;
    const double *qd;  /* NULL: zero */
    const double *qdd; /* NULL: zero */
    const double *tau; /* forward dynamics only */
    const double
        *wrench; /* 6 rows (f, m) per body, in the body's frame about its origin, acting on the
                    robot; or NULL */
    /* aba_varied: TQ_VARIED_ROWS rows per body, varied_stride apart, the inertial parameters of
     * each sample: m, h, s, tensor, scale_turn and scale_slide of tq_canonical_joint */
    const double *varied;
    long varied_stride;
    double gravity[3]; /* world axes */
    double rotors;     /* 1, or 0: mass matrix and forward dynamics without rotor inertia */
} tq_kernel_input;

/* Samples at zero gravity; output stride = input stride. Assigned field by field: a memset of the
 * struct costs 5 % of a single call. */
static inline tq_kernel_input tq_kernel_input_at(size_t n_sample, size_t stride, const double *q,
                                                 const double *qd)
{
    return (tq_kernel_input){
        .n_sample = (long)n_sample,
        .stride = (long)stride,
        .wrench_stride = 0,
        .out_stride = (long)stride,
        .fill = 0,
        .q = q,
        .qd = qd,
        .qdd = NULL,
        .tau = NULL,
        .wrench = NULL,
        .varied = NULL,
        .varied_stride = 0,
        .gravity = {0.0, 0.0, 0.0},
        .rotors = 0.0,
    };
}

/* Mass of all links, kg; of the links fixed to the world, and their first moment about its origin,
 * kg m. */
typedef struct tq_kernel_masses {
    double all, resting, moment[3];
} tq_kernel_masses;

/* The first sample in which D of some body's joint is zero up to rounding (singular mass matrix),
 * or, with `overflow`, in which D is not finite. */
typedef struct tq_kernel_fault {
    long sample; /* -1: none */
    int body;
    int overflow;
} tq_kernel_fault;

/* A linear combination of blocks, the stage of a Runge-Kutta method. `ret` may be `from`. */
typedef struct tq_kernel_sum {
    long n_row, n_sample, stride;
    const double *from;   /* (n_row x stride); NULL: 0 */
    const double *factor; /* (stride) one per sample */
    int n_term;
    const double *weights;      /* (n_term) */
    const double *const *terms; /* (n_term) blocks (n_row x stride) */
} tq_kernel_sum;

/* Maximum number of lanes; working memory is counted per lane. */
enum { TQ_WORK_LANES = 8 };

#endif
