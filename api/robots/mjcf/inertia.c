/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/inertia.c - masses of bodies: as stated, or inferred from simple geoms. */
#include <math.h>
#include <string.h>

#include "api/robots/mjcf/fluid.h"
#include "api/robots/mjcf/parts.h"
#include "api/robots/solid.h"
#include "core/elementary/elementary.h"
#include "core/spatial/rotation.h"

/* Of a body: principal axes in its frame, as MuJoCo's compiler finds them, and their moments: those
 * of <inertial> or of its one geom that weighs something, else of the sum. */
typedef struct principal {
    bool known;
    uint32_t n_geom; /* that weigh something */
    double axes[9], moments[3];
} principal;

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
                           "fullinertia is given beside %s",
                           diagonal ? "diaginertia" : "a rotation");
        }
    } else if (!diagonal) {
        tqa_mjcf_fault(m, i, "missing-field", "add diaginertia=\"x y z\" in kg m^2",
                       "<inertial> has no inertia");
    }
}

/* axes of a tensor that is given in the frame `at` of the body */
static void set_axes(principal *ret, const double at[9], const double tensor[6])
{
    ret->known = true;
    tqa_mjcf_principal(tensor, ret->axes, ret->moments);
    tq_mat_product(at, ret->axes, ret->axes);
}

/* MuJoCo gives a mass as stated only to a geom of some volume (mjEPS, in m^3); a smaller one weighs
 * nothing then, whereas a density weighs any. */
static const double least_volume = 1e-14;

static bool has_room(tqa_mjcf *m, uint32_t i, double volume)
{
    const bool room = volume > least_volume;
    double mass = 0.0;
    (void)tqa_mjcf_numbers(m, i, "mass", 1, 1, &mass);
    if (!room && mass > 0.0) {
        tqa_mjcf_ignore(m, i, "mass", "the geom's volume is 1e-14 m^3 or less: MuJoCo drops it");
    }
    return room || !(mass > 0.0); /* a mass below 0 is refused with its solid */
}

static void add_solid(tq_inertia one, const tq_pose *at, tq_inertia *sum, principal *axes)
{
    if (one.mass > TQA_MJCF_LEAST) {
        set_axes(axes, at->r, one.about_com);
        axes->n_geom++;
    }
    one = tq_inertia_move(&one, at);
    *sum = tq_inertia_add(sum, &one);
}

static void read_inertial(tqa_mjcf *m, uint32_t i, tq_inertia *ret, principal *ret_axes)
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
    const tq_pose at = tq_pose_multiply(&m->nodes[i].at, &pose);
    set_axes(ret_axes, at.r, ret->about_com);
    *ret = tq_inertia_move(ret, &pose);
    *ret = tq_inertia_move(ret, &m->nodes[i].at);
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
        return false;
    }
    return true;
}

/* A geom whose shape is a mesh, or is fitted to one. */
static bool has_mesh(tqa_mjcf *m, uint32_t i)
{
    const char *type = tqa_mjcf_get(m, i, "type");
    const bool mesh = type != NULL && (strcmp(type, "mesh") == 0 || strcmp(type, "sdf") == 0);
    return mesh || tqa_mjcf_get(m, i, "mesh") != NULL;
}

/* A geom without mass, whatever its shape. */
static bool is_weightless(tqa_mjcf *m, uint32_t i)
{
    const char *type = tqa_mjcf_get(m, i, "type");
    const char *of_mass = tqa_mjcf_get(m, i, "mass") != NULL ? "mass" : "density";
    const bool stated = tqa_mjcf_get(m, i, of_mass) != NULL;
    const bool surface =
        type != NULL && (strcmp(type, "plane") == 0 || strcmp(type, "hfield") == 0);
    return surface || (stated && tqa_mjcf_is_zero(m, i, of_mass));
}

/* A geom whose mass cannot be computed: refused on a moving body, else a finding. */
static void miss_mass(tqa_mjcf *m, uint32_t i, bool moves, const char *why)
{
    if (moves) {
        tqa_mjcf_fault(
            m, i, "invalid-value",
            "send the mesh along (zip -r robot.zip FOLDER, curl -T robot.zip), give its "
            "body an <inertial> (MuJoCo writes one with <compiler saveinertial=\"true\"/> "
            "and mj_saveLastXML), or the geom mass=\"0\"",
            "type=\"%.20s\": the mass of the mesh is not known: %.200s",
            tqa_mjcf_get(m, i, "type") != NULL ? tqa_mjcf_get(m, i, "type") : "mesh", why);
        return;
    }
    m->weightless = i;
    tqa_mjcf_doubt(m, i, "type",
                   "the mass of a mesh is not known: this body, which cannot move, weighs too "
                   "little, so that centre of mass and potential energy of the whole are off");
}

bool tqa_mjcf_ends(tqa_mjcf *m, uint32_t i, tq_pose *pose, double *ret_half)
{
    double ends[6];
    if (tqa_mjcf_numbers(m, i, "fromto", 6, 6, ends) == 0) {
        return false;
    }
    /* MuJoCo's z points to the first end: the axes across it are those of a body's box */
    const double d[3] = {ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double sine = tq_hypot(d[0], d[1]);
    const double axis[3] = {sine > 0.0 ? -d[1] / sine : 1.0, sine > 0.0 ? d[0] / sine : 0.0, 0.0};
    tq_rotation_about(axis, tq_atan2(sine, d[2]), pose->r);
    for (int k = 0; k < 3; k++) {
        pose->p[k] = (ends[k] + ends[k + 3]) / 2.0;
    }
    *ret_half = length / 2.0;
    return true;
}

/* A solid of one density, moved from the axes of the geom into those of its body. */
static void add_mesh(tqa_mjcf *m, uint32_t i, bool moves, tq_inertia *sum, principal *axes)
{
    tq_inertia one;
    tq_pose pose;
    double mass = 0.0;
    double density = 1000.0;
    if (is_weightless(m, i)) {
        return;
    }
    const char *why = !tqa_mjcf_is(m, i, "type", "mesh") ? "its shape is fitted to it"
                      : tqa_mjcf_is(m, i, "shellinertia", "true")
                          ? "it is a shell"
                          : tqa_mjcf_mesh_inertia(m, i, &one);
    if (why != NULL) {
        miss_mass(m, i, moves, why);
        return;
    }
    (void)tqa_mjcf_numbers(m, i, "density", 1, 1, &density);
    const bool stated = tqa_mjcf_numbers(m, i, "mass", 1, 1, &mass) > 0;
    if (stated && !has_room(m, i, one.mass)) { /* of density 1, it weighs its volume */
        return;
    }
    const double factor = stated ? mass / one.mass : density;
    one.mass *= factor;
    for (int e = 0; e < 6; e++) {
        one.about_com[e] *= factor;
    }
    tqa_mjcf_pose(m, i, &pose);
    const tq_pose at = tq_pose_multiply(&m->nodes[i].at, &pose);
    add_solid(one, &at, sum, axes);
}

static void add_geom(tqa_mjcf *m, uint32_t i, bool moves, tq_inertia *sum, principal *axes)
{
    tq_shape shape = TQ_SHAPE_SPHERE;
    tq_inertia one;
    tq_pose pose;
    double size[3] = {0.0, 0.0, 0.0};
    double half = 0.0;
    double mass = 0.0;
    double density = 1000.0;
    if (has_mesh(m, i)) {
        add_mesh(m, i, moves, sum, axes);
        return;
    }
    tqa_mjcf_pose(m, i, &pose);
    const bool along = tqa_mjcf_ends(m, i, &pose, &half);
    if (!read_shape(m, i, along, half, &shape, size)) {
        return;
    }
    if (tqa_mjcf_is(m, i, "shellinertia", "true")) {
        tqa_mjcf_refuse(m, i, "shellinertia", "the inertia of a shell");
    }
    (void)tqa_mjcf_numbers(m, i, "density", 1, 1, &density);
    const double volume = tqa_shape_volume(shape, size);
    const bool stated = tqa_mjcf_numbers(m, i, "mass", 1, 1, &mass) > 0;
    if (!stated) {
        mass = density * volume;
    } else if (volume >= 0.0 && !has_room(m, i, volume)) {
        return;
    }
    tq_error error = {.what = ""};
    if (tq_inertia_of_shape(shape, mass, size, &one, &error) != TQ_OK) {
        tqa_mjcf_fault(m, i, "range", "masses and sizes are zero or more", "%s cannot be %g",
                       error.what, error.value);
        return;
    }
    const tq_pose at = tq_pose_multiply(&m->nodes[i].at, &pose);
    add_solid(one, &at, sum, axes);
}

/* The compiler's lower bounds, along the principal axes; and a tensor that no body has made a
 * ball's, where the compiler is asked to. */
static void bound(const tqa_mjcf *m, tq_inertia *inertia, principal *own)
{
    const tqa_mjcf_settings *set = &m->set;
    double moments[3], axes[9];
    if (inertia->mass >= 0.0 && set->bound_mass > inertia->mass) { /* below 0 is refused later */
        inertia->mass = set->bound_mass;
    }
    if (!(set->bound_inertia > 0.0) && !set->balance_inertia) {
        return;
    }
    tq_symmetric_eigen(inertia->about_com, moments, axes);
    bool changed = false;
    for (int k = 0; k < 3; k++) {
        own->moments[k] = fmax(own->moments[k], set->bound_inertia);
        changed = changed || moments[k] < set->bound_inertia;
        moments[k] = fmax(moments[k], set->bound_inertia);
    }
    if (set->balance_inertia && moments[0] + moments[1] < moments[2]) {
        moments[0] = moments[1] = moments[2] = (moments[0] + moments[1] + moments[2]) / 3.0;
        memcpy(own->moments, moments, sizeof moments);
        changed = true;
    }
    for (int e = 0; changed && e < 6; e++) {
        static const int row[] = {0, 0, 0, 1, 1, 2}, column[] = {0, 1, 2, 1, 2, 2};
        inertia->about_com[e] = 0.0;
        for (int k = 0; k < 3; k++) {
            inertia->about_com[e] += axes[3 * row[e] + k] * moments[k] * axes[3 * column[e] + k];
        }
    }
}

static bool in_groups(tqa_mjcf *m, uint32_t i)
{
    double group = 0.0;
    (void)tqa_mjcf_numbers(m, i, "group", 1, 1, &group);
    return group >= m->set.groups[0] && group <= m->set.groups[1];
}

/* False: the body has no <inertial>, and no geom that weighs anything. */
static bool read_body(tqa_mjcf *m, uint32_t body, tq_inertia *ret, principal *axes)
{
    uint32_t inertial = TQ_NONE;
    *ret = (tq_inertia){.mass = 0.0};
    for (uint32_t i = body + 1; i < m->nodes[body].end; i++) {
        if (m->nodes[i].owner == body && strcmp(m->nodes[i].name, "inertial") == 0) {
            inertial = i;
        }
    }
    if (inertial != TQ_NONE && m->set.from_geoms <= 0) {
        read_inertial(m, inertial, ret, axes);
        return true;
    }
    if (inertial != TQ_NONE) {
        tqa_mjcf_ignore(m, inertial, NULL, "the compiler infers all inertias from geoms");
    }
    for (uint32_t i = body + 1; i < m->nodes[body].end && m->set.from_geoms >= 0; i++) {
        if (m->nodes[i].owner == body && strcmp(m->nodes[i].name, "geom") == 0 && in_groups(m, i)) {
            add_geom(m, i, m->nodes[body].moves, ret, axes);
        }
    }
    axes->known = axes->n_geom == 1;
    return ret->mass != 0.0;
}

/* Geoms with a model of their own, of an ellipsoid with lift and added mass. */
static void refuse_ellipsoids(tqa_mjcf *m, uint32_t body)
{
    for (uint32_t i = body + 1; i < m->nodes[body].end; i++) {
        if (m->nodes[i].owner == body && strcmp(m->nodes[i].name, "geom") == 0 &&
            tqa_mjcf_is(m, i, "fluidshape", "ellipsoid")) {
            tqa_mjcf_refuse(m, i, "fluidshape", "lift and drag of an ellipsoid");
        }
    }
}

void tqa_mjcf_inertia(tqa_mjcf *m, uint32_t body, tq_link *link)
{
    const tq_medium *medium = &m->draft->model.medium;
    tq_inertia *ret = &link->inertia;
    principal axes = {.known = false};
    if (!read_body(m, body, ret, &axes) && m->set.bound_mass > 0.0) {
        /* MuJoCo takes the body's place in its parent for the centre in the body */
        tq_pose pose;
        tqa_mjcf_pose(m, body, &pose);
        pose = tq_pose_multiply(&m->nodes[body].at, &pose);
        memcpy(ret->com, pose.p, sizeof ret->com);
    }
    if (!axes.known) {
        set_axes(&axes, tq_pose_identity.r, ret->about_com);
    }
    bound(m, ret, &axes);
    if (medium->density > 0.0 || medium->viscosity > 0.0) {
        tqa_mjcf_box(ret->mass, ret->com, axes.axes, axes.moments, &link->drag);
        if (m->nodes[body].moves) {
            refuse_ellipsoids(m, body);
        }
    }
}

void tqa_mjcf_scale_masses(tqa_mjcf *m)
{
    double sum = 0.0;
    if (!(m->set.total_mass > 0.0)) {
        return;
    }
    if (m->weightless != TQ_NONE) {
        miss_mass(m, m->weightless, true, "settotalmass shares it out");
        return;
    }
    for (uint32_t k = 0; k < m->chain.n_link; k++) {
        sum += m->chain.links[k].inertia.mass;
    }
    const double scale = sum > 0.0 ? m->set.total_mass / sum : 1.0;
    for (uint32_t k = 0; k < m->chain.n_link; k++) {
        tq_inertia *inertia = &m->chain.links[k].inertia;
        inertia->mass *= scale;
        for (int e = 0; e < 6; e++) {
            inertia->about_com[e] *= scale;
        }
    }
}
