/* SPDX-License-Identifier: Apache-2.0 */
/* core/ensemble/variation.h - quantities that differ between the members of an ensemble, and the
 * values that each member has of them. */
#ifndef TQ_ENSEMBLE_VARIATION_H
#define TQ_ENSEMBLE_VARIATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Quantities that a variation can change. */
typedef enum tq_varied {
    TQ_VARIED_Q,       /* added to the initial coordinate `row` */
    TQ_VARIED_QD,      /* added to the initial velocity `row` */
    TQ_VARIED_TORQUE,  /* added to torque `row`, all the time */
    TQ_VARIED_MASS,    /* factor on mass and inertia of link `row` */
    TQ_VARIED_VISCOUS, /* factor on the viscous friction of joint `row` */
    TQ_VARIED_COULOMB, /* factor on the Coulomb and breakaway friction of joint `row` */
    TQ_VARIED_PAYLOAD, /* kg at a point `at` of link `row` */
    TQ_VARIED_KP,      /* factor on the controller's gain of row `row`, or TQ_NONE: of all */
    TQ_VARIED_KD,
    TQ_VARIED_KI,
    TQ_VARIED_LAMBDA,
    TQ_VARIED_SEED,        /* of the noise of effect `row` */
    TQ_VARIED_DISTURBANCE, /* factor on the disturbance that is effect `row` */
} tq_varied;

enum { TQ_VARIED_GAINS = TQ_VARIED_LAMBDA - TQ_VARIED_KP + 1 };
#define TQ_VARIED_SEED_MAX 0x1p53 /* up to here a double holds every whole number */

typedef enum tq_spread { TQ_SPREAD_UNIFORM, TQ_SPREAD_NORMAL, TQ_SPREAD_LIST } tq_spread;

typedef struct tq_variation {
    tq_varied varied;
    uint32_t row;
    double at[3]; /* of a payload, in the link frame, m */
    tq_spread spread;
    double low, high;       /* uniform */
    double mean, deviation; /* normal */
    size_t n_value;         /* list */
    double *values;         /* (n_value) */
    size_t repeat;          /* neighbours in the product of lists that share a value */
} tq_variation;

/* All variations of an ensemble. Member number `id` has the draw id mod n_draw of the point id /
 * n_draw of the product of lists, of which the first list runs fastest. Borrowed. */
typedef struct tq_variations {
    size_t n;
    tq_variation *items; /* (n) */
    uint64_t seed;
    size_t n_draw;       /* members for each point of the product; 1 if nothing is drawn */
    const uint64_t *ids; /* numbers of the members that are computed; NULL: 0, 1, 2 ... */
} tq_variations;

/* The number of the member at place `member`, on which its values depend. */
static inline uint64_t tq_variations_id(const tq_variations *all, size_t member)
{
    return all->ids != NULL ? all->ids[member] : (uint64_t)member;
}

/**
 * The value of variation v for member `id`: a function of seed, v and id alone, so that it depends
 * neither on threads nor on which members are computed.
 *
 *     uniform  low + (high - low) u, u of the grid of 2^-53 in [0, 1)
 *     normal   mean + deviation z, z by Box-Muller
 *     list     values[(id / n_draw / repeat) mod n_value]
 *
 * Masses, friction and gains are cut at 0 (the tail of a normal distribution), seeds at 2^53 too.
 *
 * Units    that of the quantity; factors have none.
 * Returns  the value.
 * Cost     O(1).
 * Source   core/plant/noise.h.
 * Checked  tests/property/core/ensemble/test_variation.c
 */
double tq_variation_value(const tq_variations *all, size_t v, uint64_t id);

/* Does a variation change masses or friction, gains or disturbances? */
bool tq_varied_is_of_model(tq_varied varied);
bool tq_varied_is_of_effects(tq_varied varied);

#endif
