/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/groups.c - recordings that a hypothesis treats alike share one Gram
 * matrix, the sum of theirs: a fit costs as many recordings as it distinguishes. */
#include <string.h>

#include "core/identify/diagnosis/diagnosis_private.h"

static const uint32_t left_out = UINT32_MAX;

size_t tq_diagnosis_block_count(size_t n_run)
{
    return n_run > 1 ? (n_run + TQ_DIAGNOSIS_BLOCK - 1) / TQ_DIAGNOSIS_BLOCK : 0;
}

static void add(size_t n, const double *x, double *inout)
{
    for (size_t i = 0; i < n; i++) {
        inout[i] += x[i];
    }
}

void tq_diagnosis_sum_blocks(tq_diagnosis *d)
{
    memset(d->blocks, 0, tq_diagnosis_block_count(d->n_run) * d->set_size * sizeof *d->blocks);
    for (size_t e = 0; d->n_run > 1 && e < d->n_run; e++) {
        add(d->set_size, d->sets + e * d->set_size,
            d->blocks + e / TQ_DIAGNOSIS_BLOCK * d->set_size);
    }
    d->is_pooled = false;
}

/* the same extra columns, factors and responses */
static bool are_alike(const tq_diagnosis *d, const tq_hypothesis *h, size_t a, size_t b)
{
    const size_t nv = d->nv;
    for (size_t k = 0; k < h->n_extra; k++) {
        if (tq_is_in(h->extra[k].runs, a) != tq_is_in(h->extra[k].runs, b)) {
            return false;
        }
    }
    for (size_t r = 0; r < nv; r++) {
        if (d->gain[a * nv + r] != d->gain[b * nv + r] ||
            d->response[a * nv + r] != d->response[b * nv + r]) {
            return false;
        }
    }
    return true;
}

/* the group of every recording; returns how many groups have several */
static size_t find_groups(tq_diagnosis *d, const tq_hypothesis *h)
{
    size_t n_shared = 0;
    d->n_group = 0;
    for (size_t e = 0; e < d->n_run; e++) {
        size_t g = 0;
        if (!tq_is_in(h->runs, e)) {
            d->group_of[e] = left_out;
            continue;
        }
        while (g < d->n_group && !are_alike(d, h, e, d->groups[g].run)) {
            g++;
        }
        if (g == d->n_group) {
            d->groups[d->n_group++] =
                (tq_run_group){.set = d->sets + e * d->set_size, .run = e, .n = 0};
        }
        n_shared += d->groups[g].n == 1;
        d->groups[g].n++;
        d->group_of[e] = (uint32_t)g;
    }
    return n_shared;
}

static void separate(tq_diagnosis *d, const tq_hypothesis *h)
{
    d->n_group = 0;
    for (size_t e = 0; e < d->n_run; e++) {
        if (tq_is_in(h->runs, e)) {
            d->groups[d->n_group++] =
                (tq_run_group){.set = d->sets + e * d->set_size, .run = e, .n = 1};
        }
    }
}

/* the sums of recordings begin .. end - 1, which are one block or a part of it */
static void pool_block(tq_diagnosis *d, size_t begin, size_t end, double *const *pool)
{
    const uint32_t first = d->group_of[begin];
    bool is_whole = true;
    for (size_t e = begin; e < end; e++) {
        is_whole = is_whole && d->group_of[e] == first;
    }
    if (is_whole) {
        if (first != left_out && pool[first] != NULL) {
            add(d->set_size, d->blocks + begin / TQ_DIAGNOSIS_BLOCK * d->set_size, pool[first]);
        }
        return;
    }
    for (size_t e = begin; e < end; e++) {
        const uint32_t g = d->group_of[e];
        if (g != left_out && pool[g] != NULL) {
            add(d->set_size, d->sets + e * d->set_size, pool[g]);
        }
    }
}

/* One pool for each group of several recordings; those of the hypothesis before, if it had the same
 * groups. */
static void pool_groups(tq_diagnosis *d)
{
    double *pool[TQ_DIAGNOSIS_GROUPS] = {NULL};
    size_t n = 0;
    for (size_t g = 0; g < d->n_group; g++) {
        if (d->groups[g].n > 1) {
            pool[g] = d->pools + n++ * d->set_size;
            d->groups[g].set = pool[g];
        }
    }
    if (d->is_pooled && memcmp(d->group_of, d->pooled, d->n_run * sizeof *d->pooled) == 0) {
        return;
    }
    memset(d->pools, 0, n * d->set_size * sizeof *d->pools);
    for (size_t begin = 0; begin < d->n_run; begin += TQ_DIAGNOSIS_BLOCK) {
        const size_t end = begin + TQ_DIAGNOSIS_BLOCK;
        pool_block(d, begin, end < d->n_run ? end : d->n_run, pool);
    }
    memcpy(d->pooled, d->group_of, d->n_run * sizeof *d->pooled);
    d->is_pooled = true;
}

void tq_diagnosis_group(tq_diagnosis *d, const tq_hypothesis *h)
{
    const size_t n_shared = find_groups(d, h);
    if (n_shared > TQ_DIAGNOSIS_POOLS || (n_shared > 0 && d->n_group > TQ_DIAGNOSIS_GROUPS)) {
        separate(d, h);
    } else if (n_shared > 0) {
        pool_groups(d);
    }
}
