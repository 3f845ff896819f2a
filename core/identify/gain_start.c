/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/gain_start.c - sums of a joint's error, its rate and integral against the torque
 * of a model, and gains of them that are not negative. */
#include "core/identify/gain_start.h"

#include <math.h>
#include <string.h>

#include "core/base/block.h"
#include "core/dynamics/inverse.h"

enum {
    KINDS = TQ_GAIN_KI + 1,
    KP = 1u << TQ_GAIN_KP,
    KD = 1u << TQ_GAIN_KD,
    KI = 1u << TQ_GAIN_KI
};

/* Products of a row's factors of gains, of them with the torque that is wanted of them, and the
 * torque's own. */
typedef struct row_sums {
    double gram[KINDS][KINDS], wanted[KINDS], square;
} row_sums;

struct tq_gain_start {
    const tq_mechanism *mechanism;
    size_t nv, n_gain;
    tq_unknown_gain *gains;
    const bool *is_open;
    row_sums *rows; /* (nv) */
    double *tau;    /* (nv x TQ_BLOCK_STRIDE) */
    double *motion; /* (3 nv x TQ_BLOCK_STRIDE) */
    tq_scratch inner;
};

/* ------------------------------------------------------------------------------------------------
 * Parallel rows
 */

typedef struct gain_rows {
    size_t n, stride;
} gain_rows;

static size_t rows_size(const void *of, size_t stride)
{
    (void)of;
    (void)stride;
    return tq_scratch_cost(1, sizeof(gain_rows));
}

static void *rows_begin(const void *of, size_t stride, tq_scratch *memory)
{
    const size_t *n = of;
    gain_rows *state = tq_scratch_take(memory, 1, sizeof *state);
    if (state != NULL) {
        *state = (gain_rows){.n = *n, .stride = stride};
    }
    return state;
}

static void rows_segment(void *state)
{
    (void)state; /* no memory of earlier samples */
}

static void rows_compute(void *state, const tq_parallel_window *window, double *ret)
{
    const gain_rows *s = state;
    for (size_t k = 0; k < s->n; k++) {
        for (size_t i = 0; i < window->n; i++) {
            ret[k * s->stride + i] = k < window->n_gain ? -window->gains[k * s->stride + i] : 0.0;
        }
    }
}

tq_parallel_rows tq_gain_rows(const size_t *n_gain)
{
    return (tq_parallel_rows){.of = n_gain,
                              .n = *n_gain,
                              .size = rows_size,
                              .begin = rows_begin,
                              .segment = rows_segment,
                              .compute = rows_compute};
}

/* ------------------------------------------------------------------------------------------------
 * Sums
 */

size_t tq_gain_start_size(const tq_mechanism *mechanism, size_t n_gain)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    (void)n_gain;
    return tq_scratch_cost(1, sizeof(tq_gain_start)) + tq_scratch_cost(nv, sizeof(row_sums)) +
           tq_scratch_cost(4 * nv * TQ_BLOCK_STRIDE, sizeof(double)) +
           tq_scratch_cost(tq_inverse_scratch_size(mechanism, 0), 1);
}

tq_status tq_gain_start_begin(const tq_mechanism *mechanism, tq_unknown_gain *gains,
                              const bool *is_open, size_t n_gain, tq_scratch *scratch,
                              tq_gain_start **ret, tq_error *reterr)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    const size_t size = tq_inverse_scratch_size(mechanism, 0);
    tq_gain_start *s = tq_scratch_take(scratch, 1, sizeof *s);
    row_sums *rows = tq_scratch_take(scratch, nv, sizeof *rows);
    double *tau = tq_scratch_take(scratch, 4 * nv * TQ_BLOCK_STRIDE, sizeof *tau);
    void *inner = tq_scratch_take(scratch, size, 1);
    if (s == NULL || rows == NULL || tau == NULL || inner == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_gain_start_size(mechanism, n_gain));
    }
    memset(rows, 0, nv * sizeof *rows);
    *s = (tq_gain_start){.mechanism = mechanism,
                         .nv = nv,
                         .n_gain = n_gain,
                         .gains = gains,
                         .is_open = is_open,
                         .rows = rows,
                         .tau = tau,
                         .motion = tau + nv * TQ_BLOCK_STRIDE};
    tq_scratch_init(&s->inner, inner, size);
    *ret = s;
    return TQ_OK;
}

/* tau(model) of the block */
static tq_status find_model(tq_gain_start *s, const tq_experiment_block *block, tq_error *reterr)
{
    const double *from[] = {block->q, block->qd, block->qdd};
    for (size_t k = 0; k < 3 * s->nv; k++) {
        double *to = s->motion + k * TQ_BLOCK_STRIDE;
        memset(to, 0, TQ_BLOCK_STRIDE * sizeof *to);
        memcpy(to, from[k / s->nv] + k % s->nv * block->stride, block->n_sample * sizeof *to);
    }
    const tq_inverse_input in = {.n_sample = block->n_sample,
                                 .stride = TQ_BLOCK_STRIDE,
                                 .q = s->motion,
                                 .qd = s->motion + s->nv * TQ_BLOCK_STRIDE,
                                 .qdd = s->motion + 2 * s->nv * TQ_BLOCK_STRIDE};
    return tq_inverse_dynamics(s->mechanism, &in, &s->inner, s->tau, reterr);
}

/* The torque that open gains of a row are to make: the model's less that of all else. */
static void find_wanted(tq_gain_start *s, const tq_experiment_block *block)
{
    for (size_t r = 0; r < s->nv; r++) {
        double *wanted = s->tau + r * TQ_BLOCK_STRIDE;
        for (size_t i = 0; i < block->n_sample; i++) {
            wanted[i] -= block->tau[r * block->stride + i];
        }
    }
    for (size_t k = 0; k < s->n_gain; k++) {
        const tq_unknown_gain *gain = &s->gains[k];
        const double *e = block->friction_rows + k * block->stride;
        double *wanted = s->tau + gain->row * TQ_BLOCK_STRIDE;
        for (size_t i = 0; s->is_open[k] && i < block->n_sample; i++) {
            wanted[i] -= (gain->start + gain->change) * e[i]; /* e has the other sign */
        }
    }
}

static double product(size_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

tq_status tq_gain_start_push(tq_gain_start *s, const tq_experiment_block *block, tq_error *reterr)
{
    const tq_status status = find_model(s, block, reterr);
    if (status != TQ_OK) {
        return status;
    }
    find_wanted(s, block);
    for (size_t r = 0; r < s->nv; r++) {
        const double *wanted = s->tau + r * TQ_BLOCK_STRIDE;
        s->rows[r].square += product(block->n_sample, wanted, wanted);
    }
    for (size_t k = 0; k < s->n_gain; k++) {
        const tq_unknown_gain *gain = &s->gains[k];
        row_sums *row = &s->rows[gain->row];
        const double *e = block->friction_rows + k * block->stride;
        const double *wanted = s->tau + gain->row * TQ_BLOCK_STRIDE;
        row->wanted[gain->kind] -= product(block->n_sample, e, wanted);
        for (size_t other = 0; other < s->n_gain; other++) {
            const double *e2 = block->friction_rows + other * block->stride;
            if (s->gains[other].row == gain->row) {
                row->gram[gain->kind][s->gains[other].kind] += product(block->n_sample, e, e2);
            }
        }
    }
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Gains
 */

/* Gains of the kinds in `with` by elimination; false: one is not positive, or not determined. */
static bool solve_for(const row_sums *row, unsigned with, double ret[KINDS])
{
    double a[KINDS][KINDS + 1];
    for (unsigned i = 0; i < KINDS; i++) {
        for (unsigned j = 0; j < KINDS; j++) {
            const bool both = (with >> i & 1u) != 0 && (with >> j & 1u) != 0;
            a[i][j] = both ? row->gram[i][j] : i == j ? 1.0 : 0.0;
        }
        a[i][KINDS] = (with >> i & 1u) != 0 ? row->wanted[i] : 0.0;
    }
    for (unsigned k = 0; k < KINDS; k++) {
        if (!(a[k][k] > 1e-9 * ((with >> k & 1u) != 0 ? row->gram[k][k] : 1.0))) {
            return false;
        }
        for (unsigned i = 0; i < KINDS; i++) {
            const double factor = i != k ? a[i][k] / a[k][k] : 0.0;
            for (unsigned j = k; j <= KINDS; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    for (unsigned k = 0; k < KINDS; k++) {
        ret[k] = a[k][KINDS] / a[k][k];
        if ((with >> k & 1u) != 0 && !(ret[k] > 0.0)) {
            return false;
        }
    }
    return true;
}

static void find_gains(const row_sums *row, unsigned open, double ret[KINDS])
{
    static const unsigned tries[] = {KP | KD | KI, KP | KD, KP | KI, KP, KD | KI, KD, KI};
    for (unsigned k = 0; k < sizeof tries / sizeof tries[0]; k++) {
        const bool is_one = (tries[k] & ~open) == 0 && (open & KP) == (tries[k] & KP);
        if (is_one && solve_for(row, tries[k], ret)) {
            return;
        }
    }
    memset(ret, 0, KINDS * sizeof *ret);
    const double square = row->gram[TQ_GAIN_KP][TQ_GAIN_KP];
    ret[TQ_GAIN_KP] = square > 0.0 && row->square > 0.0 ? sqrt(row->square / square) : 1.0;
}

/* share of the squared torque wanted that gains make: (2 b - G k) k / square */
static double share_of(const row_sums *row, const double gain[KINDS])
{
    double made = 0.0;
    for (unsigned i = 0; i < KINDS; i++) {
        made += 2.0 * gain[i] * row->wanted[i];
        for (unsigned j = 0; j < KINDS; j++) {
            made -= gain[i] * row->gram[i][j] * gain[j];
        }
    }
    return row->square > 0.0 ? made / row->square : 0.0;
}

void tq_gain_start_end(tq_gain_start *s, double *ret_share)
{
    for (size_t r = 0; r < s->nv; r++) {
        unsigned open = 0;
        double found[KINDS];
        ret_share[r] = (double)NAN;
        for (size_t k = 0; k < s->n_gain; k++) {
            open |= s->gains[k].row == r && s->is_open[k] ? 1u << s->gains[k].kind : 0u;
        }
        if (open == 0) {
            continue;
        }
        find_gains(&s->rows[r], open, found);
        ret_share[r] = share_of(&s->rows[r], found);
        for (size_t k = 0; k < s->n_gain; k++) {
            tq_unknown_gain *gain = &s->gains[k];
            if (gain->row == r && s->is_open[k]) {
                gain->change = found[gain->kind] - gain->start;
            }
        }
    }
}
