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

/* The listed points of one island: bodies that touch one another, directly or through others that
 * move. Impulses of one have no effect on the velocities of another. */
typedef struct tq_contact_island {
    size_t n;
    uint32_t *member; /* (n) which of the listed ones, in their order */
    double *w;        /* (3n x 3n) J M^-1 J^T */
    size_t m;         /* its degrees of freedom */
    double *g;        /* (3n x m) W = g g^T, of TQ_CONTACT_MANY points and more */
    double *b, *p, *start, *mu;
} tq_contact_island;

typedef struct tq_contact_work {
    const tq_plant *plant;
    const tq_contacts *contacts;
    const tq_model *model;
    tq_scratch *scratch;
    tq_error *error;
    size_t nq, nv, n_z, first_z;
    size_t n_point;           /* of `now` */
    size_t room, room_active; /* the most points, and the most that are listed */
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
    double *qdd, *tau;                           /* blocks: of the energy balance */
    double *direction, *correction; /* (nv) of the balance; m/s, rad/s, what it adds in a trial */
    double part, lacking;           /* of a joint's velocity; J */
    double energy, energy_size;     /* J, where the trial begins; sum of the parts' sizes */
    bool bends, is_balanced;        /* has joints that bend; has been balanced in this trial */
    unsigned balance_left;          /* times that the balance is drawn again in this trial */
    double *change, *mean, *tilted; /* (nv) */

    tq_contact_rows_at now, mid, end;
    unsigned char *is_closed, *is_watched; /* (n_point) */
    uint32_t *listed;                      /* (n_listed) points that act in a trial, or an impact */
    size_t n_listed;
    double *x; /* (nv x 3 n_listed) M^-1 J^T */
    double *b, *u, *p, *start, *mu;
    double *begin;          /* (3 n_point) relative velocities at the begin of a part of the step */
    double *missed;         /* (n_listed) m/s, what J_n(mid) vm misses of the chord of the gap */
    double *bend;           /* (n_listed) m/s, the part of it that normals are tilted by */
    double *push;           /* (n_listed) m/s, of a point by its own normal impulse */
    double *tilt;           /* (2 n_listed) of normals of chords along the tangents at the middle */
    unsigned char *is_mean; /* (n_listed) friction is opposed to the mean velocity */
    double *jacobian;       /* (12 x nv) */
    uint32_t *tied;         /* (nv) a coordinate of the same island, or itself */
    uint32_t *of_coordinate; /* (nv) number of its island, or none */
    uint32_t *island;        /* (n_listed) 0 to n_island - 1 */
    size_t n_island;
    tq_contact_island own;  /* of the island that is being solved */
    double *newton;         /* (tq_contact_laws_work) */
    double *force;          /* (3 n_pair) impulses of the whole step without impacts, world */
    unsigned char *has_hit; /* (n_pair) in this step */
} tq_contact_work;

/* M at q (nq), factored. */
tq_status tq_contact_mass(tq_contact_work *w, const double *q);

/* Points at q, found anew, into `now`. */
tq_status tq_contact_at(tq_contact_work *w, const double *q);

/* The same; the closed ones are listed, with their rows. */
tq_status tq_contact_at_closed(tq_contact_work *w, const double *q);

/* The listed points of `now`, at q, and their rows. */
tq_status tq_contact_at_listed(tq_contact_work *w, const double *q, tq_contact_rows_at *to);

/* The listed points and their rows at q, the middle of a motion of length h and mean velocity vm
 * that ends at `end`: w->bend, w->tilt; p_n times the tilts into w->tilted. With normals tilted to
 * those of the chord,
 *     (J_n(mid) + tilt) vm = J_n(mid) vm + bend = (gap(end) - gap(now)) / h,
 * a normal force that keeps the gap does no work. */
tq_status tq_contact_at_middle(tq_contact_work *w, const double *q, const double *vm, double h);

/* The energy of a mechanism is not quadratic, and the midpoint rule changes it by O(h^3) a step
 * more than forces give. A discrete gradient makes up for it (Gonzalez, see contact.h):
 * joints that bend get the velocity `part` of their mean one, and free bases what keeps their rows
 * of M dv 0, so that no force acts on them, with
 *
 *     E(q', v') - E(q, v) = vm . (M(qm) (v' - v - dv) + h bias(qm, vm)),
 *
 * which is the work of all other forces. */
void tq_contact_balance_open(tq_contact_work *w);

/* As the laws of a trial have changed. */
void tq_contact_balance_again(tq_contact_work *w);

/* Of the last iterate of a trial of length h, after its middle: w->correction, and how often it is
 * to be drawn again, w->balance_left. */
tq_status tq_contact_balance(tq_contact_work *w, double h);

/* M^-1 J^T and the islands of the listed points by rows at `at`, M factored. */
void tq_contact_couple(tq_contact_work *w, const tq_contact_rows_at *at);

/* Island k into w->own: its members and W. */
void tq_contact_open_island(tq_contact_work *w, const tq_contact_rows_at *at, size_t k);

/* ret (3 n_listed) = J v */
void tq_contact_velocity(const tq_contact_work *w, const tq_contact_rows_at *at, const double *v,
                         double *ret);

/* Impulses p of w->own that satisfy the laws, from p and near to `start`; returns their violation,
 * m/s. */
double tq_contact_solve_island(tq_contact_work *w);

/* The same of all listed points, island by island. */
double tq_contact_solve(tq_contact_work *w, const tq_contact_rows_at *at);

/* v += M^-1 J^T p */
void tq_contact_push(const tq_contact_work *w, double *v);

/* Lists the points whose flag is set. TQ_ERR_RANGE: more than room_active. */
tq_status tq_contact_list(tq_contact_work *w, const unsigned char *flags);

/* Adds to the sum `sum` (TQ_CONTACT_..._LOSS), J, and passes it to the effects of the plant. */
void tq_contact_lose(tq_contact_work *w, size_t sum, double loss);

/* The same of the energy dissipated by the impulses p of the listed points at their mean relative
 * velocities `mean` (3 n_listed): -p . mean. */
void tq_contact_account(tq_contact_work *w, size_t sum, const double *mean);

/* An impact of all closed points at the present state. */
tq_status tq_contact_impact(tq_contact_work *w);

/* Integrates the smooth motion of the next h seconds with the listed points in contact, as a
   trial. */
tq_status tq_contact_trial(tq_contact_work *w, double h);

/* The least motion that ends penetration after a step, W lambda >= -gap of the closed points, which
 * are those of `now` at q. It creates no more energy than `spent`, J, which contacts have
 * dissipated in the step; the rest stays sunk. Where points were more than 1e-5 m deep `before` the
 * step, m, they were laid there, and are lifted all the way. The loss by friction is less by what
 * it takes. */
tq_status tq_contact_lift(tq_contact_work *w, double before, double spent);

/* m: how deep the deepest point of `now` is, 0 or more */
double tq_contact_deepest(const tq_contact_work *w);

/* m: how deep a feature without a point may come before it is found */
#define TQ_CONTACT_UNSEEN 1e-8

/* Least gap of the watched points now. */
tq_status tq_contact_watched_gap(tq_contact_work *w, double *ret_gap);

/* Least gap at the end of the last trial: of the watched points, and of features without a point.
 */
tq_status tq_contact_watch(tq_contact_work *w, double *ret_gap);

/* Auxiliary state k of a pair, or of the sums. */
static inline double *tq_contact_pair_z(const tq_contact_work *w, size_t pair, size_t k)
{
    return w->z + (w->first_z + TQ_CONTACT_SUMS + TQ_CONTACT_OF_PAIR * pair + k) * TQ_CONTACT_LANE;
}

/* Auxiliary state k of a point that touched in the last step: its key, then its force. */
static inline double *tq_contact_point_z(const tq_contact_work *w, size_t slot, size_t k)
{
    return tq_contact_pair_z(w, w->contacts->n_pair, 0) +
           (TQ_CONTACT_OF_POINT * slot + k) * TQ_CONTACT_LANE;
}

static inline double *tq_contact_sum_z(const tq_contact_work *w, size_t k)
{
    return w->z + (w->first_z + k) * TQ_CONTACT_LANE;
}

#endif
