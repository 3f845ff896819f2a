/* SPDX-License-Identifier: Apache-2.0 */
/* core/contact/points.h - points of contact at one configuration: gaps, frames, Jacobians; private
 * to this folder. */
#ifndef TQ_CONTACT_POINTS_H
#define TQ_CONTACT_POINTS_H

#include "core/contact/contact.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/geometry/manifold.h"

typedef enum tq_contact_kind {
    TQ_CONTACT_NEAREST, /* of the two solids */
    TQ_CONTACT_TOUCH,   /* of features: a corner and a half-space; those that touched where the
                           points were found */
} tq_contact_kind;

/* A point of contact. Of pairs that are far apart there is one, of others there are those of
 * features, by pair; the number of a corner within its pair is the same at all configurations, that
 * of a touch only until points are found anew. */
typedef struct tq_contact_point {
    uint32_t pair, number;
    tq_contact_kind kind;
    double gap;      /* m; of a pair that is far apart a lower bound, without at and frame */
    double at[3];    /* position of the point on b, world, m */
    double frame[9]; /* columns: two tangents, then the normal, from a to b */
    tq_touch touch;
    double apart; /* m, the distance of the two solids where a manifold was found */
} tq_contact_point;

/* m: of pairs that are farther apart a lower bound of their gap is computed where it is enough */
#define TQ_CONTACT_FAR 1e-5

/* The points of one pair at one configuration: into ret (TQ_CONTACT_PAIR_POINTS). in_full: the gap
 * and corners of a pair that is far apart too. Returns their number, 1 or more. */
unsigned tq_contact_find_pair(const tq_contacts *contacts, const tq_configuration *at, size_t pair,
                              bool in_full, tq_contact_point *ret);

/* Points of all pairs at one configuration: into ret (`room`). Returns their number, or room + 1.
 */
size_t tq_contact_find(const tq_contacts *contacts, const tq_configuration *at, size_t room,
                       tq_contact_point *ret);

/* The most points that are found, and that touch, at once: those of all pairs, or the bounds of
 * contact.h. */
size_t tq_contact_room(const tq_contacts *contacts);
size_t tq_contact_room_active(const tq_contacts *contacts);

/* A number of a point: above 0, and increasing in the order of points. */
static inline double tq_contact_key(const tq_contact_point *point)
{
    return (double)point->pair * (double)TQ_CONTACT_PAIR_POINTS + (double)point->number + 1.0;
}

/* The point `from` at another configuration: the same corner, or the same features; tangents that
 * turn with the normal, and not about it. */
void tq_contact_follow(const tq_contacts *contacts, const tq_configuration *at,
                       const tq_contact_point *from, tq_contact_point *ret);

/* A lower bound of the gap of a pair, m, and with a half-space the gap; -INFINITY where it is not
 * to be used. */
double tq_contact_apart(const tq_contacts *contacts, const tq_configuration *at, size_t pair);

/* Gap of a pair, m, of all its features. */
double tq_contact_distance(const tq_contacts *contacts, const tq_configuration *at, size_t pair);

/* Rows of one point: relative velocity of b against a along normal and tangents, = J qd. work (12 x
 * nv); ret (3 x nv), row by row. */
void tq_contact_rows(const tq_contacts *contacts, const tq_configuration *at,
                     const tq_contact_point *point, double *work, double *ret);

/* How fast b turns against a: ret (3 x nv), world axes. work (6 x nv). */
void tq_contact_turns(const tq_contacts *contacts, const tq_configuration *at,
                      const tq_contact_point *point, double *work, double *ret);

/* m: a size of the smaller of the two solids */
double tq_contact_reach(const tq_contacts *contacts, size_t pair);

/* Force of local components (normal, two tangents) along the world's axes. */
void tq_contact_to_world(const tq_contact_point *point, const double local[3], double ret[3]);

#endif
