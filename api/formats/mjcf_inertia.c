/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/mjcf_inertia.c - masses of bodies: as told, or inferred from simple geoms. */
#include <math.h>
#include <string.h>

#include "api/formats/mjcf_parts.h"
#include "api/formats/rotation.h"
#include "api/formats/solid.h"
#include "core/elementary/elementary.h"

static const char *const orientations[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};

/* The tensor of <inertial> along its own axes. */
static void read_tensor(tqa_mjcf *m, uint32_t i, double ret[6])
{
    double s[6];
    memset(ret, 0, 6 * sizeof *ret);
    const bool diagonal = tqa_mjcf_numbers(m, i, "diaginertia", 3, 3, s) > 0;
    if (diagonal) {
        memcpy(ret, (const double[6]){s[0], 0.0, 0.0, s[1], 0.0, s[2]}, 6 * sizeof *ret);
    }
    if (tqa_mjcf_numbers(m, i, "fullinertia", 6, 6, s) > 0) {
        memcpy(ret, (const double[6]){s[0], s[3], s[4], s[1], s[5], s[2]}, 6 * sizeof *ret);
        bool turned = false;
        for (size_t k = 0; k < sizeof orientations / sizeof orientations[0]; k++) {
            turned = turned || tqa_mjcf_get(m, i, orientations[k]) != NULL;
        }
        if (diagonal || turned) {
            tqa_mjcf_fault(m, i, "invalid-value", "keep fullinertia alone",
                           "fullinertia stands beside %s", diagonal ? "diaginertia" : "a rotation");
        }
    } else if (!diagonal) {
        tqa_mjcf_fault(m, i, "missing-field", "add diaginertia=\"x y z\" in kg m^2",
                       "<inertial> has no inertia");
    }
}

static void read_inertial(tqa_mjcf *m, uint32_t i, tq_inertia *ret)
{
    tq_pose pose;
    *ret = (tq_inertia){.mass = 0.0};
    if (tqa_mjcf_get(m, i, "mass") == NULL || tqa_mjcf_get(m, i, "pos") == NULL) {
        tqa_mjcf_fault(m, i, "missing-field", "add mass=\"...\" in kg and pos=\"x y z\"",
                       "<inertial> must say mass and pos");
        return;
    }
    (void)tqa_mjcf_numbers(m, i, "mass", 1, 1, &ret->mass);
    read_tensor(m, i, ret->about_com);
    tqa_mjcf_pose(m, i, &pose);
    *ret = tq_inertia_move(ret, &pose);
    const tq_pose at = m->nodes[i].at;
    *ret = tq_inertia_move(ret, &at);
}

/* Half sizes of MJCF -> shape and size. False: no shape with a mass. */
static bool read_shape(tqa_mjcf *m, uint32_t i, bool along, double half, tq_shape *ret,
                       double size[3])
{
    double s[3] = {0.0, 0.0, 0.0};
    const char *type = tqa_mjcf_get(m, i, "type");
    type = type != NULL ? type : "sphere";
    (void)tqa_mjcf_numbers(m, i, "size", 1, 3, s);
    if (along) { /* fromto: the last size is the distance between the ends */
        const bool round = strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0;
        s[round ? 1 : 2] = half;
        s[1] = round ? half : s[0];
    }
    if (strcmp(type, "sphere") == 0) {
        *ret = TQ_SHAPE_SPHERE;
        size[0] = s[0];
    } else if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0) {
        *ret = type[1] == 'a' ? TQ_SHAPE_CAPSULE : TQ_SHAPE_CYLINDER;
        size[0] = s[0];
        size[1] = 2.0 * s[1];
    } else if (strcmp(type, "box") == 0) {
        *ret = TQ_SHAPE_BOX;
        for (int k = 0; k < 3; k++) {
            size[k] = 2.0 * s[k];
        }
    } else if (strcmp(type, "ellipsoid") == 0) {
        *ret = TQ_SHAPE_ELLIPSOID;
        memcpy(size, s, 3 * sizeof *size);
    } else {
        if (strcmp(type, "plane") != 0 && strcmp(type, "hfield") != 0) {
            tqa_mjcf_ignore(m, i, "type",
                            "the mass of a mesh is not inferred: give its body an <inertial>");
        }
        return false;
    }
    return true;
}

/* Centre and direction of a geom told by its two ends. True when it is. */
static bool read_ends(tqa_mjcf *m, uint32_t i, tq_pose *pose, double *ret_half)
{
    double ends[6];
    if (tqa_mjcf_numbers(m, i, "fromto", 6, 6, ends) == 0) {
        return false;
    }
    const double d[3] = {ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double sine = tq_hypot(d[0], d[1]);
    const double axis[3] = {sine > 0.0 ? -d[1] / sine : 1.0, sine > 0.0 ? d[0] / sine : 0.0, 0.0};
    tqa_rotation_about(axis, tq_atan2(sine, d[2]), pose->r);
    for (int k = 0; k < 3; k++) {
        pose->p[k] = (ends[k] + ends[k + 3]) / 2.0;
    }
    *ret_half = length / 2.0;
    return true;
}

static void add_geom(tqa_mjcf *m, uint32_t i, tq_inertia *sum)
{
    tq_shape shape = TQ_SHAPE_SPHERE;
    tq_inertia one;
    tq_pose pose;
    double size[3] = {0.0, 0.0, 0.0};
    double half = 0.0;
    double mass = 0.0;
    double density = 1000.0;
    tqa_mjcf_pose(m, i, &pose);
    const bool along = read_ends(m, i, &pose, &half);
    if (!read_shape(m, i, along, half, &shape, size)) {
        return;
    }
    if (tqa_mjcf_is(m, i, "shellinertia", "true")) {
        tqa_mjcf_ignore(m, i, "shellinertia", "read as a solid");
    }
    (void)tqa_mjcf_numbers(m, i, "density", 1, 1, &density);
    if (tqa_mjcf_numbers(m, i, "mass", 1, 1, &mass) == 0) {
        mass = density * tqa_shape_volume(shape, size);
    }
    tq_error error = {.what = ""};
    if (tq_inertia_of_shape(shape, mass, size, &one, &error) != TQ_OK) {
        tqa_mjcf_fault(m, i, "range", "masses and sizes are zero or more", "%s cannot be %g",
                       error.what, error.value);
        return;
    }
    const tq_pose at = tqa_pose_multiply(&m->nodes[i].at, &pose);
    one = tq_inertia_move(&one, &at);
    *sum = tq_inertia_add(sum, &one);
}

void tqa_mjcf_inertia(tqa_mjcf *m, uint32_t body, tq_inertia *ret)
{
    uint32_t inertial = TQ_NONE;
    *ret = (tq_inertia){.mass = 0.0};
    for (uint32_t i = body + 1; i < m->nodes[body].end; i++) {
        if (m->nodes[i].owner == body && strcmp(m->nodes[i].name, "inertial") == 0) {
            inertial = i;
        }
    }
    if (inertial != TQ_NONE && m->from_geoms <= 0) {
        read_inertial(m, inertial, ret);
        return;
    }
    if (inertial != TQ_NONE) {
        tqa_mjcf_ignore(m, inertial, NULL, "the compiler infers all inertias from geoms");
    }
    for (uint32_t i = body + 1; i < m->nodes[body].end && m->from_geoms >= 0; i++) {
        if (m->nodes[i].owner == body && strcmp(m->nodes[i].name, "geom") == 0) {
            add_geom(m, i, ret);
        }
    }
}
