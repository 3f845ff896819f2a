/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/diagnosis_private.h - sums and hypotheses: private to this folder. */
#ifndef TQ_IDENTIFY_DIAGNOSIS_DIAGNOSIS_PRIVATE_H
#define TQ_IDENTIFY_DIAGNOSIS_DIAGNOSIS_PRIVATE_H

#include "core/identify/diagnosis/diagnosis.h"
#include "core/identify/regression/fit_private.h"

/* Columns of a row of torque after the fit's own columns: all torques (nv), then these. */
enum {
    TQ_EXTRA_RATE,                           /* qd of the row's joint */
    TQ_EXTRA_DRIFT,                          /* qd t */
    TQ_EXTRA_PAYLOAD,                        /* mass and three first moments on the last link */
    TQ_EXTRA_GRAVITY = TQ_EXTRA_PAYLOAD + 4, /* torque by gravity along two horizontal directions */
    TQ_EXTRA_BODIES = TQ_EXTRA_GRAVITY + 2,  /* rigid-body torque by the robot's model */
    TQ_EXTRAS,
};
enum { TQ_DIAGNOSIS_KEPT = 384 }; /* samples kept for the test of exchanged positions */

enum {
    TQ_DIAGNOSIS_BLOCK = 8,    /* recordings whose sums are also kept as one */
    TQ_DIAGNOSIS_POOLS = 4,    /* groups of several recordings */
    TQ_DIAGNOSIS_GROUPS = 64,  /* groups, where some have several */
    TQ_DIAGNOSIS_TOGETHER = 4, /* rows that are added to a Gram matrix together */
};

/* Recordings that a hypothesis treats alike: their Gram matrices, summed. */
typedef struct tq_run_group {
    const double *set;
    size_t run; /* one of them */
    size_t n;
} tq_run_group;

struct tq_diagnosis {
    const tq_fit *fit;
    const tq_fit_solution *solution;
    size_t n_run, nv;
    uint32_t tip;        /* the last link's parameters start at 10 tip */
    double across[2][3]; /* horizontal vectors as long as gravity */
    tq_fit_run run, tilted;
    double *bodies;       /* (n_parameter) of the robot's model */
    double *full;         /* (n_parameter) parameters for the torque by a tilted gravity */
    size_t set_size;      /* number of doubles of the Gram matrices of one recording */
    size_t *at;           /* (nv) offset of a row's Gram matrix in a set */
    double *sets;         /* (n_run x set_size) width x width, row by row, upper triangle */
    double *spare;        /* (set_size) for samples kept */
    double *blocks;       /* (tq_diagnosis_block_count x set_size) sums over blocks of recordings */
    double *pools;        /* (TQ_DIAGNOSIS_POOLS x set_size) sums over groups, of pooled's */
    tq_run_group *groups; /* (n_run) of the present hypothesis */
    uint32_t *group_of, *pooled; /* (n_run) each */
    size_t n_group;
    bool is_pooled;
    double *count;  /* (n_run) number of samples in the sums */
    double *length; /* (n_run) s */
    double *x;      /* (TQ_DIAGNOSIS_TOGETHER x width) samples of a row */
    double *kept;   /* (TQ_DIAGNOSIS_KEPT x (nq + 3 nv)) */
    size_t n_kept, kept_every;
    tq_diagnosis_window window;
    double *mean;          /* (nv x widest row) sums of the samples of a window */
    double *square;        /* (nv) of the means of accelerations */
    size_t n_mean, n_wide; /* samples so far, and of a window; 0: of single samples */
    double n_window;
    double acceleration[TQ_DIAGNOSIS_ROWS_MAX]; /* of the samples of a window */
    bool has_window;                            /* the present recording's */
    size_t now, every, n_seen, n_filled;        /* of the current recording; samples in `run` */
    double t[TQ_FOLD_RUN];
    double *h, *right, *theta, *room; /* (p^2), (p), (p), (p) of a hypothesis */
    double *sigma, *usual;            /* (nv) */
    double *gain;                     /* (n_run x nv) factors of the model torque by a hypothesis */
    uint32_t *response;               /* (n_run x nv) row of torque that belongs to the joint */
};

/* A column that a fault adds: of `kind`, in one row or all (SIZE_MAX), in the runs of a bit mask.
 */
typedef struct tq_extra {
    unsigned kind, n;
    size_t row;
    uint64_t runs;
} tq_extra;

enum { TQ_EXTRA_MAX = 64, TQ_EXTRA_COLUMNS = 128 };

/* A fit; the factors and exchanged rows of torque (gain, response) are in the diagnosis. */
typedef struct tq_hypothesis {
    uint64_t runs; /* bit mask of the fitted runs */
    size_t n_extra;
    tq_extra extra[TQ_EXTRA_MAX];
} tq_hypothesis;

static inline size_t tq_diagnosis_width(const tq_diagnosis *d, size_t r)
{
    return d->fit->rows[r].n + d->nv + TQ_EXTRAS;
}

static inline bool tq_is_in(uint64_t runs, size_t e)
{
    return e >= TQ_FINDING_RUNS || (runs >> e & 1) != 0;
}

/* Entry (a, b) of row r's Gram matrix in a set. */
static inline double tq_diagnosis_gram(const tq_diagnosis *d, const double *set, size_t r, size_t a,
                                       size_t b)
{
    const size_t width = tq_diagnosis_width(d, r);
    const size_t low = a < b ? a : b, high = a < b ? b : a;
    return set[d->at[r] + low * width + high];
}

/* Number of blocks of several recordings. */
size_t tq_diagnosis_block_count(size_t n_run);
/* Once all samples are in the sums. */
void tq_diagnosis_sum_blocks(tq_diagnosis *d);
/* Sets d->groups for a hypothesis, with the factors and responses of d. */
void tq_diagnosis_group(tq_diagnosis *d, const tq_hypothesis *h);
/* The sets whose sum is that of all recordings. */
static inline size_t tq_diagnosis_part_count(const tq_diagnosis *d)
{
    return d->n_run > 1 ? tq_diagnosis_block_count(d->n_run) : d->n_run;
}
static inline const double *tq_diagnosis_part(const tq_diagnosis *d, size_t part)
{
    return (d->n_run > 1 ? d->blocks : d->sets) + part * d->set_size;
}

/* Adds the n samples in d->run, whose signs are set, to the sums of recording e. */
tq_status tq_diagnosis_add(tq_diagnosis *d, size_t e, size_t n, tq_error *reterr);
void tq_diagnosis_signs(tq_diagnosis *d, size_t n);

/* S of a hypothesis, with d->theta and d->sigma of its fit. INFINITY: no solution. */
double tq_hypothesis_fit(tq_diagnosis *d, const tq_hypothesis *h);
/* The same, started with a weight near 0 for row `doubtful`: S has a local minimum for each row
 * that contradicts the others. */
double tq_hypothesis_fit_beside(tq_diagnosis *d, const tq_hypothesis *h, size_t doubtful);
/* rms of the torque of extra column `extra` in a row, over the runs of the column, at d->theta */
double tq_extra_effect(const tq_diagnosis *d, const tq_hypothesis *h, size_t extra, size_t row);
size_t tq_extra_column(const tq_diagnosis *d, const tq_hypothesis *h, size_t extra);

#endif
