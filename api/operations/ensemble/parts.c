/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/parts.c - a large ensemble in parts, which several runners compute.
 *
 * A part is a run of whole blocks that the request alone determines, and its bytes are their
 * records. Statistics are made of all records in the order of the members, as without parts: no bit
 * depends on who has computed what, or on whether there are parts. */
#include <string.h>

#include "api/operations/ensemble/ensemble.h"

enum {
    PART_STEPS = 1 << 20, /* steps of members: a quarter of a second of a core, or more */
    PART_BLOCKS = 16,     /* at least: all workers of a process have some of one part */
    PART_BYTES = 4 << 20, /* at most: a row of the store */
    PARTS_MAX = 1024,     /* rows of the store */
    PARTS_MIN = 4,
    ALL_STEPS = 8 << 20, /* at least: a smaller ensemble ends before others have begun to help */
};

/* blocks of a part; 0: no parts */
static size_t blocks_of(const tqa_ensemble *e)
{
    const double steps = tqa_ensemble_member_steps(e) * (double)e->per;
    const size_t bytes = e->record * sizeof(double);
    if (bytes > PART_BYTES || steps * (double)e->n_block < (double)ALL_STEPS) {
        return 0;
    }
    size_t n = steps * (double)PART_BLOCKS < (double)PART_STEPS
                   ? (size_t)((double)PART_STEPS / steps)
                   : (size_t)PART_BLOCKS;
    const size_t least = (e->n_block + PARTS_MAX - 1) / PARTS_MAX;
    n = n * bytes > PART_BYTES ? PART_BYTES / bytes : n;
    n = n < least ? least : n;
    return (e->n_block + n - 1) / n >= PARTS_MIN ? n : 0;
}

bool tqa_ensemble_has_parts(const tqa_ensemble *e)
{
    const tqa_host *host = e->simulation->tree->host;
    return host != NULL && host->run_parts != NULL && blocks_of(e) > 0;
}

typedef struct split {
    tqa_ensemble *e;
    size_t n_block; /* of a part; the last one may have fewer */
    void *own;      /* scratch of this thread */
} split;

static size_t size_of(const split *s, size_t part)
{
    const size_t left = s->e->n_block - part * s->n_block;
    return left < s->n_block ? left : s->n_block;
}

static tqa_part_end run_part(void *arg, size_t part)
{
    const split *s = arg;
    tqa_problem *problem = s->e->simulation->tree->problem;
    memset(problem, 0, sizeof *problem); /* of a part that failed here before one that decides */
    return tqa_ensemble_run_blocks(s->e, part * s->n_block, size_of(s, part), s->own);
}

static void *bytes_of(void *arg, size_t part, size_t *ret_n)
{
    const split *s = arg;
    *ret_n = size_of(s, part) * s->e->record * sizeof(double);
    return s->e->records + part * s->n_block * s->e->record;
}

bool tqa_ensemble_run_parts(tqa_ensemble *e)
{
    tqa_tree *tree = e->simulation->tree;
    const size_t n_block = blocks_of(e);
    split s = {.e = e,
               .n_block = n_block > 0 ? n_block : e->n_block,
               .own = tqa_tree_take(tree, tqa_ensemble_scratch_size(e), 1)};
    if (s.own == NULL) {
        return false;
    }
    const tqa_parts parts = {.n = (e->n_block + s.n_block - 1) / s.n_block,
                             .run = run_part,
                             .bytes = bytes_of,
                             .arg = &s};
    if (tree->host->progress != NULL) {
        tree->host->progress(tree->host->ctx, 0.0, "ensemble");
    }
    if (tree->host->run_parts(tree->host->ctx, &parts)) {
        return true;
    }
    if (tree->problem->status == 0) {
        (void)tqa_problem_set(tree->problem, "busy", "the ensemble was stopped");
    }
    return false;
}
