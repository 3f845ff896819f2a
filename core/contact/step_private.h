/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/step_private.h - working memory of a step with contacts; private to this folder. */
#ifndef TQ_CONTACT_STEP_PRIVATE_H
#define TQ_CONTACT_STEP_PRIVATE_H

#include "core/contact/points.h"

enum { TQ_CONTACT_LANE = TQ_BLOCK_PAD };

/* One state: points, and the rows of the listed ones. */
typedef struct tq_contact_rows_at {
    tq_contact_point *points; /* (n_point) */
    double *rows;             /* (3 n_listed x nv) */
} tq_contact_rows_at;

typedef struct tq_contact_work {
    const tq_plant *plant;
    const tq_contacts *contacts;
    const tq_model *model;
    tq_scratch *scratch;
    tq_error *error;
    size_t nq, nv, n_point, n_z, first_z;
    size_t n_eval;

    double t;                /* s, of q and v */
    double *q, *v;           /* (nq), (nv) state at the time reached within the step */
    double *next_q, *next_v; /* end state of the last trial */
    double *z;               /* (n_z x LANE) */
    double *held;
    double *zd;                                  /* (n_z x LANE) rates at the last trial's middle */
    double *block_q, *block_v, *rate_q, *rate_v; /* blocks */
    double *middle, *turned;                     /* (nq) */
    double *m;                                   /* (nv x nv) factor of M */
    double *change;                              /* (nv) */

    tq_contact_rows_at now, mid, end;
    unsigned char *is_closed, *is_watched; /* (n_point) */
    uint32_t *listed;                      /* (n_listed) points that act in a trial, or an impact */
    size_t n_listed;
    double *x; /* (nv x 3 n_listed) M^-1 J^T */
    double *w, *b, *u, *p, *start, *mu, *room;
    double *begin;          /* (3 n_point) relative velocities at the begin of a part of the step */
    double *jacobian;       /* (12 x nv) */
    double *force;          /* (3 n_pair) impulses of the whole step without impacts, world */
    unsigned char *has_hit; /* (n_pair) in this step */
} tq_contact_work;

/* M at q (nq), factored. */
tq_status tq_contact_mass(tq_contact_work *w, const double *q);

/* Points at q, found anew, into `now`; with_rows: rows of the listed ones, 0 of open ones. */
tq_status tq_contact_at(tq_contact_work *w, const double *q, int with_rows);

/* The listed points of `now`, at q, and their rows. */
tq_status tq_contact_at_listed(tq_contact_work *w, const double *q, tq_contact_rows_at *to);

/* W = J M^-1 J^T of the listed points by rows at `at`, M factored. */
void tq_contact_delassus(tq_contact_work *w, const tq_contact_rows_at *at);

/* ret (3 n_listed) = J v */
void tq_contact_velocity(const tq_contact_work *w, const tq_contact_rows_at *at, const double *v,
                         double *ret);

/* Impulses p that satisfy the laws, from p and near to `start`; returns their violation, m/s. */
double tq_contact_solve(tq_contact_work *w);

/* v += M^-1 J^T p */
void tq_contact_push(const tq_contact_work *w, double *v);

/* Lists the points whose flag is set. */
void tq_contact_list(tq_contact_work *w, const unsigned char *flags);

/* Energy dissipated by the impulses p of the listed points at their mean relative velocities `mean`
 * (3 n_listed): adds -p . mean to the sum `sum` (TQ_CONTACT_..._LOSS) and passes it to the effects
 * of the plant. */
void tq_contact_account(tq_contact_work *w, size_t sum, const double *mean);

/* An impact of all closed points at the present state. */
tq_status tq_contact_impact(tq_contact_work *w);

/* Integrates the smooth motion of the next h seconds with the listed points in contact, as a
   trial. */
tq_status tq_contact_trial(tq_contact_work *w, double h);

/* m: how deep a feature without a point may come before it is found */
#define TQ_CONTACT_UNSEEN 1e-8

/* Least gap of the watched points now. */
double tq_contact_watched_gap(const tq_contact_work *w);

/* Least gap at the end of the last trial: of the watched points, and of features without a point.
 */
tq_status tq_contact_watch(tq_contact_work *w, double *ret_gap);

/* Auxiliary state k of a pair, or of the sums. */
static inline double *tq_contact_pair_z(const tq_contact_work *w, size_t pair, size_t k)
{
    return w->z + (w->first_z + TQ_CONTACT_SUMS + TQ_CONTACT_OF_PAIR * pair + k) * TQ_CONTACT_LANE;
}

/* Component k of the last force on a point. */
static inline double *tq_contact_point_z(const tq_contact_work *w, size_t point, size_t k)
{
    return tq_contact_pair_z(w, w->contacts->n_pair, 0) + (3 * point + k) * TQ_CONTACT_LANE;
}

static inline double *tq_contact_sum_z(const tq_contact_work *w, size_t k)
{
    return w->z + (w->first_z + k) * TQ_CONTACT_LANE;
}

#endif
