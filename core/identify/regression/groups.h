/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/groups.h - data in groups (experiments or segments), and fits without
 * some of them: private. */
#ifndef TQ_IDENTIFY_REGRESSION_GROUPS_H
#define TQ_IDENTIFY_REGRESSION_GROUPS_H

#include "core/identify/regression/method.h"

/* Groups are experiments if there are enough, else segments of time. Estimates are differences from
 * `found`, in nominal sizes, to avoid cancellation. */
typedef struct tq_groups {
    const tq_fit *fit;
    const tq_fit_found *found;
    size_t n;
    double *whole; /* (n x n) Gram matrix of all data, in nominal sizes */
    double *right; /* (n) products with the residual at `found` */
    double *part, *part_right;
    double *mean, *square, *room, *set;
    tq_scratch *scratch; /* remaining scratch */
    size_t n_group;
} tq_groups;

bool tq_groups_take(const tq_fit *fit, const tq_fit_found *found, tq_scratch *scratch,
                    tq_groups *ret);
size_t tq_groups_size(const tq_fit *fit);

bool tq_groups_are_experiments(const tq_fit *fit);
size_t tq_groups_count(const tq_fit *fit);
size_t tq_groups_most(const tq_fit *fit); /* upper bound, before data are read */
tq_fit_choice tq_groups_choice(const tq_fit *fit, size_t k);

/* gram += products of the rows of a weighted set or group; right += those with the residual. */
void tq_groups_add_set(const tq_groups *groups, const double *set, double *gram, double *right);
void tq_groups_add(const tq_groups *groups, tq_fit_choice choice, double *gram, double *right);

/* part_right := part^-1 part_right; part is destroyed. TQ_ERR_SINGULAR: some column is not
 * identified. */
tq_status tq_groups_solve(const tq_groups *groups, tq_error *reterr);
tq_status tq_groups_factor(const tq_groups *groups, double *gram, tq_error *reterr);

#endif
