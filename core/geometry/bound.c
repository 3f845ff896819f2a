/* SPDX-License-Identifier: Apache-2.0 */
/* core/geometry/bound.c - lower bounds of distances. */
#include "core/geometry/bound.h"

#include <math.h>
#include <string.h>

/* relative to the coordinates: more than the rounding of a distance */
static const double slack = 1e-12;

/* The box of a shape's core in its frame, and its middle in the world. */
typedef struct box {
    const tq_pose *pose;
    double middle[3], half[3], at[3];
    double reach; /* of the shape from the middle */
    double radius;
} box;

static box box_of(const tq_geom *shape, const tq_pose *pose)
{
    box r = {.pose = pose, .radius = shape->radius};
    memcpy(r.half, shape->hull != NULL ? shape->hull->half : shape->half, sizeof r.half);
    memcpy(r.at, pose->p, sizeof r.at);
    if (shape->hull != NULL) {
        double turned[3];
        memcpy(r.middle, shape->hull->middle, sizeof r.middle);
        tq_mat_vec(pose->r, r.middle, turned);
        for (unsigned k = 0; k < 3; k++) {
            r.at[k] += turned[k];
        }
    }
    r.reach =
        r.radius + sqrt(r.half[0] * r.half[0] + r.half[1] * r.half[1] + r.half[2] * r.half[2]);
    return r;
}

/* from the box of a, with its radius, to the sphere around b */
static double to_sphere(const box *a, const box *b, const double d[3])
{
    double local[3];
    double square = 0.0;
    tq_mat_tvec(a->pose->r, d, local);
    for (unsigned k = 0; k < 3; k++) {
        const double beyond = fmax(fabs(local[k]) - a->half[k], 0.0);
        square += beyond * beyond;
    }
    return sqrt(square) - a->radius - b->reach;
}

double tq_geom_apart(const tq_geom *a, const tq_pose *pose_a, const tq_geom *b,
                     const tq_pose *pose_b)
{
    if (a->kind == TQ_GEOM_HALF_SPACE || b->kind == TQ_GEOM_HALF_SPACE) {
        return -(double)INFINITY;
    }
    const box one = box_of(a, pose_a), two = box_of(b, pose_b);
    double size = one.reach + two.reach;
    double there[3];
    double back[3];
    for (unsigned k = 0; k < 3; k++) {
        there[k] = two.at[k] - one.at[k];
        back[k] = -there[k];
        size += fabs(one.at[k]) + fabs(two.at[k]);
    }
    const double apart =
        fmax(to_sphere(&one, &two, there), to_sphere(&two, &one, back)) - slack * size;
    return apart > 0.0 ? apart : -(double)INFINITY; /* how deep they are it does not bound */
}
