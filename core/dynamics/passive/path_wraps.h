/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/passive/path_wraps.h - one stretch of a tendon's path around a solid in world axes,
 * and the freedoms that change its length; private to the tendons. */
#ifndef TQ_DYNAMICS_PASSIVE_PATH_WRAPS_H
#define TQ_DYNAMICS_PASSIVE_PATH_WRAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/dynamics/passive/wrap.h"
#include "core/model/model.h"

/* A freedom between the solid and an end. As seen from the solid's link, joints that carry the
 * solid and not the end move the end the other way round: their freedoms are reversed, the last
 * one next to the solid. */
typedef struct tq_path_turner {
    const tq_freedom *freedom;
    bool reversed;
    double turning[3]; /* angular velocity per unit of the freedom */
    struct {
        bool moves;
        int32_t stage; /* smaller is nearer the solid; those of one ball joint have the same */
        double moved[3];
    } end[2];
} tq_path_turner;

/* From the point before a solid to the one behind it. */
typedef struct tq_path_stretch {
    const tq_tendon_point *solid;
    tq_wrap wrap;
    double end[2][3], axis[3]; /* relative to the centre; of a cylinder; world axes */
    double weight;
    size_t n_turner;
    tq_path_turner *turners;
} tq_path_stretch;

/* `from` is the point before the solid; turners (n_freedom). False: the path is straight there, and
 * ret_line is the line of these two points. */
bool tq_path_stretch_begin(const tq_configuration *posture, const tq_tendon_point *from,
                           tq_path_turner *turners, tq_path_stretch *ret,
                           tq_tendon_point ret_line[2]);

/* Its length differentiated by[0] first, then by[1], then by[2]; NULL: by no freedom. */
tq_jet tq_path_stretch_by(const tq_path_stretch *stretch, const tq_path_turner *const by[3]);

/* Some point of the model is a solid. */
bool tq_path_has_wraps(const tq_model *model);

#endif
