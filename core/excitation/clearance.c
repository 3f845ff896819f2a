/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/clearance.c - distances of a robot's solids along a motion. */
#include <math.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/excitation/excitation_private.h"
#include "core/geometry/distance.h"

enum { DENSE = 100 }; /* samples per period of the highest harmonic */

/* slope += factor normal . J(point of the link) */
static void add_point(const tq_configuration *at, uint32_t link, const double *point,
                      const double *normal, double factor, double *slope)
{
    if (link == TQ_NONE) {
        return;
    }
    const double *p = point, *n = normal;
    /* a force along the normal at the point, about the world origin */
    const double wrench[6] = {factor * n[0],
                              factor * n[1],
                              factor * n[2],
                              factor * (p[1] * n[2] - p[2] * n[1]),
                              factor * (p[2] * n[0] - p[0] * n[2]),
                              factor * (p[0] * n[1] - p[1] * n[0])};
    tq_configuration_add_wrench(at, link, wrench, slope);
}

tq_status tq_clearance_at(tq_excitation *search, const double *q, double reach, double gain,
                          double *ret_least, double *penalty, double *slope, tq_error *reterr)
{
    const tq_clearance *c = search->task.clearance;
    struct tq_excitation_room *room = search->room;
    tq_configuration at;
    tq_scratch_init(&room->scratch, room->rest, room->n_rest);
    const tq_status status =
        tq_configuration_compute(search->task.model, q, NULL, &room->scratch, &at, reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t i = 0; i < c->n_geom; i++) {
        const tq_geom *geom = &c->geoms[i];
        room->poses[i] = geom->link == TQ_NONE
                             ? geom->pose
                             : tq_pose_multiply(&at.pose[geom->link], &geom->pose);
    }
    *ret_least = HUGE_VAL;
    for (size_t k = 0; k < c->n_pair; k++) {
        const uint32_t a = c->pairs[k][0], b = c->pairs[k][1];
        tq_proximity is;
        tq_geom_distance(&c->geoms[a], &room->poses[a], &c->geoms[b], &room->poses[b], &is);
        *ret_least = fmin(*ret_least, is.distance);
        const double lacks = reach - is.distance;
        if (slope != NULL && lacks > 0.0) {
            /* d distance = normal . (J_b - J_a) dq */
            *penalty += gain * lacks * lacks;
            add_point(&at, c->geoms[b].link, is.b, is.normal, -2.0 * gain * lacks, slope);
            add_point(&at, c->geoms[a].link, is.a, is.normal, 2.0 * gain * lacks, slope);
        }
    }
    return TQ_OK;
}

tq_status tq_clearance_of(tq_excitation *search, const tq_fourier *motion, double *ret,
                          tq_error *reterr)
{
    struct tq_excitation_room *room = search->room;
    const size_t n = DENSE * motion->n_harmonic;
    *ret = HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        double least = HUGE_VAL;
        tq_fourier_at(motion, (double)i / (double)n / motion->frequency, room->q, room->qd,
                      room->qdd);
        const tq_status status =
            tq_clearance_at(search, room->q, 0.0, 0.0, &least, NULL, NULL, reterr);
        if (status != TQ_OK) {
            return status;
        }
        *ret = fmin(*ret, least);
    }
    return TQ_OK;
}
