/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/sample.c - external wrenches of one sample. */
#include "core/dynamics/sample.h"

#include <string.h>

#include "core/spatial/screw.h"

void tq_sample_world_wrench(const tq_configuration *posture, const tq_point_wrench *wrench,
                            double ret_wrench[6])
{
    const tq_pose *pose = &posture->pose[wrench->link];
    double point[3];
    double turned[3];
    tq_mat_vec(pose->r, wrench->at, point);
    for (unsigned k = 0; k < 3; k++) {
        point[k] += pose->p[k];
    }
    if (wrench->expressed_in == TQ_FRAME_LINK) {
        tq_mat_vec(pose->r, wrench->value, ret_wrench);
        tq_mat_vec(pose->r, wrench->value + 3, ret_wrench + 3);
    } else {
        memcpy(ret_wrench, wrench->value, 6 * sizeof(double));
    }
    tq_vec_cross(point, ret_wrench, turned);
    for (unsigned k = 0; k < 3; k++) {
        ret_wrench[3 + k] += turned[k];
    }
}

void tq_sample_add_wrenches(const tq_configuration *posture, const tq_sample *sample, double *tau)
{
    for (size_t w = 0; w < sample->n_wrench; w++) {
        double world[6];
        tq_sample_world_wrench(posture, &sample->wrenches[w], world);
        tq_configuration_add_wrench(posture, sample->wrenches[w].link, world, tau);
    }
}
