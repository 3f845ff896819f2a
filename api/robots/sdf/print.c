/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/print.c - any tree as SDF: poses of links relative to their parents, joints at
 * their children. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/sdf/names.h"
#include "api/robots/sdf/sdf.h"
#include "api/robots/xml_print.h"
#include "core/spatial/rotation.h"

typedef struct printer {
    tqa_json_text *text;
    const tqa_robot *robot;
    const char *root; /* name of the root's link; NULL: it is the world, which has none */
    tqa_sdf_names names;
} printer;

static void raw(const printer *p, const char *s)
{
    tqa_json_text_raw(p->text, s);
}

static void put_numbers(const printer *p, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        raw(p, k > 0 ? " " : "");
        tqa_json_text_number(p->text, x[k]);
    }
}

/* <key>x</key> */
static void put_element(const printer *p, const char *key, double x)
{
    raw(p, "<");
    raw(p, key);
    raw(p, ">");
    tqa_json_text_number(p->text, x);
    raw(p, "</");
    raw(p, key);
    raw(p, ">");
}

static bool has_nothing(const tq_inertia *inertia)
{
    bool nothing = inertia->mass == 0.0;
    for (int k = 0; k < 6; k++) {
        nothing = nothing && inertia->about_com[k] == 0.0;
    }
    return nothing;
}

/* A link without mass, which SDF does not have, at a fixed joint: it is a frame of the other link.
 */
static bool is_frame(const printer *p, const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_FIXED &&
           !(joint->parent == p->robot->model->root && p->root == NULL) &&
           has_nothing(&p->robot->model->links[joint->child].inertia);
}

static void put_inertial(const printer *p, const tq_inertia *inertia)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    raw(p, "      <inertial>\n        <pose>");
    put_numbers(p, inertia->com, 3);
    raw(p, " 0 0 0</pose>\n        ");
    put_element(p, "mass", inertia->mass);
    raw(p, "\n        <inertia>");
    for (int k = 0; k < 6; k++) {
        put_element(p, names[k], inertia->about_com[k]);
    }
    raw(p, "</inertia>\n      </inertial>\n");
}

/* The robot's own name, where the file has another. */
static void put_own_name(const printer *p, const char *name, const char *own)
{
    if (own != NULL && strcmp(name, own) != 0) {
        raw(p, "      <torqued:name>");
        (void)tqa_xml_put_text(p->text, own);
        raw(p, "</torqued:name>\n");
    }
}

/* A link or frame of the file. */
typedef struct place {
    const char *name, *own; /* in the file and in the robot; own NULL: the robot has none */
    const char *parent;     /* the link that `origin` is seen from; NULL: the model */
    const tq_pose *origin;
    const double *rpy; /* of the origin as it was written; NULL or NaN: not known */
} place;

static void put_pose(const printer *p, const place *at)
{
    double rpy[3];
    if (at->rpy != NULL && !isnan(at->rpy[0])) {
        memcpy(rpy, at->rpy, sizeof rpy);
    } else {
        tq_rotation_to_rpy(at->origin->r, rpy);
    }
    raw(p, "      <pose");
    if (at->parent != NULL) {
        tqa_xml_put_string(p->text, "relative_to", at->parent);
    }
    raw(p, ">");
    put_numbers(p, at->origin->p, 3);
    raw(p, " ");
    put_numbers(p, rpy, 3);
    raw(p, "</pose>\n");
}

/* SDF's links have their whole weight or none of it, and its frames none to carry. */
static void put_carried(const printer *p, double share, bool has_word)
{
    if (share == 1.0 && has_word) {
        raw(p, "      <gravity>false</gravity>\n");
    } else if (share != 0.0) {
        raw(p, "      ");
        put_element(p, TQA_XML_CARRIED, share);
        raw(p, "\n");
    }
}

static void put_link(const printer *p, const place *at, const tq_link *link)
{
    const tq_inertia *inertia = &link->inertia;
    raw(p, "    <link");
    tqa_xml_put_string(p->text, "name", at->name);
    raw(p, ">\n");
    put_pose(p, at);
    if (at->name == p->root && has_nothing(inertia)) {
        /* SDF's default, 1 kg, has no effect on what is welded to the world */
        raw(p, "      <torqued:massless/>\n");
    } else {
        put_inertial(p, inertia);
    }
    put_carried(p, link->gravity_compensation, true);
    put_own_name(p, at->name, at->own);
    raw(p, "    </link>\n");
}

static void put_frame(const printer *p, const place *at, const char *own_joint, double share)
{
    raw(p, "    <frame");
    tqa_xml_put_string(p->text, "name", at->name);
    tqa_xml_put_string(p->text, "attached_to", at->parent);
    raw(p, ">\n");
    put_pose(p, at);
    raw(p, "      <torqued:joint>");
    (void)tqa_xml_put_text(p->text, own_joint);
    raw(p, "</torqued:joint>\n");
    put_carried(p, share, false);
    put_own_name(p, at->name, at->own);
    raw(p, "    </frame>\n");
}

/* The name of a link as joints and poses write it; NULL: the world, and so the model itself. */
static const char *link_name(const printer *p, uint32_t l)
{
    return l == p->robot->model->root ? p->root : p->names.links[l];
}

/* Of the link that joint i carries. */
static place place_of(const printer *p, uint32_t i)
{
    const tqa_robot *robot = p->robot;
    const tq_joint *joint = &robot->model->joints[i];
    return (place){.name = link_name(p, joint->child),
                   .own = robot->link_names[joint->child],
                   .parent = link_name(p, joint->parent),
                   .origin = &joint->origin,
                   .rpy = robot->joint_rpy != NULL ? robot->joint_rpy + 3 * (size_t)i : NULL};
}

static void put_links(const printer *p)
{
    static const tq_link none;
    const tqa_robot *robot = p->robot;
    const tq_model *model = robot->model;
    if (p->root != NULL) {
        /* "world" is SDF's own, and the root of what is read from it */
        const char *own = robot->link_names[model->root];
        const place at = {.name = p->root,
                          .own = strcmp(own, "world") != 0 ? own : NULL,
                          .origin = &tq_pose_identity};
        put_link(p, &at, &model->links[model->root]);
    }
    for (uint32_t k = 0; k < model->n_joint; k++) { /* parents first */
        const uint32_t i = model->order[k];
        const tq_joint *joint = &model->joints[i];
        place at = place_of(p, i);
        const tq_link *link = &model->links[joint->child];
        if (is_frame(p, joint)) {
            continue;
        }
        if (joint->kind != TQ_JOINT_PLANAR) {
            at.parent = joint->kind == TQ_JOINT_FLOATING ? NULL : at.parent;
            put_link(p, &at, link);
            continue;
        }
        const char *const *slides = p->names.slide_links + 2 * (size_t)i;
        for (int e = 0; e < 2; e++) {
            const place before = {slides[e], NULL, e == 0 ? at.parent : slides[0],
                                  e == 0 ? at.origin : &tq_pose_identity, e == 0 ? at.rpy : NULL};
            put_link(p, &before, &none);
        }
        put_link(p, &(place){at.name, at.own, slides[1], &tq_pose_identity, NULL}, link);
    }
}

/* Elements that only torqued's reader understands. */
static void put_extension(const printer *p, const tq_joint *joint)
{
    const tq_friction *f = &joint->friction;
    if (tqa_xml_has_friction(f)) {
        raw(p, "      <torqued:friction");
        tqa_xml_put_number(p->text, "breakaway", f->breakaway);
        tqa_xml_put_number(p->text, "stribeck_velocity", f->stribeck_velocity);
        tqa_xml_put_number(p->text, "smoothing", f->smoothing);
        tqa_xml_put_number(p->text, "offset", f->offset);
        raw(p, "/>\n");
    }
    tqa_xml_put_log_law(p->text, "      ", joint->log_law);
    if (tqa_xml_has_rotor(joint)) {
        raw(p, "      <torqued:rotor");
        tqa_xml_put_number(p->text, "inertia", joint->rotor.inertia);
        tqa_xml_put_number(p->text, "ratio", joint->rotor.ratio);
        raw(p, "/>\n");
    }
}

static void put_limit(const printer *p, const tq_limits *limits)
{
    const struct {
        const char *key;
        double value;
    } rows[] = {{"lower", limits->lower},
                {"upper", limits->upper},
                {"effort", limits->effort},
                {"velocity", limits->velocity}};
    raw(p, "        <limit>");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (isfinite(rows[k].value)) {
            put_element(p, rows[k].key, rows[k].value);
        } else if (k < 2) {
            put_element(p, rows[k].key, k == 0 ? -TQA_SDF_NO_LIMIT : TQA_SDF_NO_LIMIT);
        }
    }
    raw(p, "</limit>\n");
}

static void put_axis(const printer *p, const double axis[3], const tq_joint *joint)
{
    raw(p, "      <axis>\n        <xyz>");
    put_numbers(p, axis, 3);
    raw(p, "</xyz>\n");
    if (joint != NULL) {
        put_limit(p, &joint->limits);
        raw(p, "        <dynamics>");
        put_element(p, "damping", joint->friction.viscous);
        put_element(p, "friction", joint->friction.coulomb);
        put_element(p, "spring_reference", joint->spring.rest);
        put_element(p, "spring_stiffness", joint->spring.stiffness);
        raw(p, "</dynamics>\n");
    }
    if (joint != NULL && joint->mimic != TQ_NONE) {
        raw(p, "        <mimic");
        tqa_xml_put_string(p->text, "joint", p->names.joints[joint->mimic]);
        raw(p, ">");
        put_element(p, "multiplier", joint->mimic_multiplier);
        put_element(p, "offset", joint->mimic_offset);
        raw(p, "<reference>0</reference></mimic>\n");
    }
    raw(p, "      </axis>\n");
}

static void open_joint(const printer *p, const char *name, const char *type, const char *parent,
                       const char *child)
{
    raw(p, "    <joint");
    tqa_xml_put_string(p->text, "name", name);
    tqa_xml_put_string(p->text, "type", type);
    raw(p, ">\n      <parent>");
    (void)tqa_xml_put_text(p->text, parent != NULL ? parent : "world");
    raw(p, "</parent>\n      <child>");
    (void)tqa_xml_put_text(p->text, child);
    raw(p, "</child>\n");
}

static void put_planar(const printer *p, uint32_t i)
{
    const tq_joint *joint = &p->robot->model->joints[i];
    const tqa_sdf_names *names = &p->names;
    const char *const *links = names->slide_links + 2 * (size_t)i;
    double r[9];
    tq_mat_third_column(joint->axis, r);
    for (int k = 0; k < 3; k++) {
        const size_t at = 2 * (size_t)i + (size_t)k;
        const char *name = k < 2 ? names->slides[at] : names->joints[i];
        open_joint(p, name, k < 2 ? "prismatic" : "continuous",
                   k == 0 ? link_name(p, joint->parent) : links[k - 1],
                   k < 2 ? links[k] : link_name(p, joint->child));
        put_own_name(p, name, k < 2 ? names->own_slides[at] : p->robot->joint_names[i]);
        put_axis(p, (const double[3]){r[k], r[3 + k], r[6 + k]}, NULL);
        raw(p, "    </joint>\n");
    }
}

static void put_joint(const printer *p, uint32_t i)
{
    static const char *const types[] = {[TQ_JOINT_FIXED] = "fixed",
                                        [TQ_JOINT_REVOLUTE] = "revolute",
                                        [TQ_JOINT_CONTINUOUS] = "continuous",
                                        [TQ_JOINT_PRISMATIC] = "prismatic",
                                        [TQ_JOINT_SPHERICAL] = "ball"};
    const tq_joint *joint = &p->robot->model->joints[i];
    if (joint->kind == TQ_JOINT_FLOATING) {
        return; /* a link of a world that no joint holds floats */
    }
    if (joint->kind == TQ_JOINT_PLANAR) {
        put_planar(p, i);
        return;
    }
    if (is_frame(p, joint)) {
        const place at = place_of(p, i);
        put_frame(p, &at, p->robot->joint_names[i],
                  p->robot->model->links[joint->child].gravity_compensation);
        return;
    }
    const tq_joint_kind kind = tqa_xml_has_turn_limits(joint) ? TQ_JOINT_REVOLUTE : joint->kind;
    open_joint(p, p->names.joints[i], types[kind], link_name(p, joint->parent),
               link_name(p, joint->child));
    put_own_name(p, p->names.joints[i], p->robot->joint_names[i]);
    if (tq_joint_kind_nv(joint->kind) == 1) {
        put_axis(p, joint->axis, joint);
        put_extension(p, joint);
    }
    raw(p, "    </joint>\n");
}

/* Why the robot cannot be written as SDF; false: it can. */
static bool find_obstacle(const tqa_robot *robot, const char *name, tqa_problem *reterr)
{
    const tq_model *model = robot->model;
    const char *obstacle = tqa_xml_bad_name(robot, name);
    const char *why = "has a name that XML cannot hold";
    for (uint32_t i = 0; i < model->n_joint && obstacle == NULL; i++) {
        const tq_joint *joint = &model->joints[i];
        if (joint->kind == TQ_JOINT_FLOATING && !tqa_xml_floats_in_world(robot, i)) {
            obstacle = robot->joint_names[i];
            why = "floats elsewhere than in the axes of the world, which SDF does not have";
        } else if (joint->kind == TQ_JOINT_PLANAR && !tqa_xml_planar_is_free(robot, i)) {
            obstacle = robot->joint_names[i];
            why = "is planar, and its name with _x or _y is taken, or too long";
        }
    }
    for (uint32_t l = 0; l < model->n_link && obstacle == NULL; l++) {
        if (l != model->root && strcmp(robot->link_names[l], "world") == 0) {
            obstacle = "world";
            why = "is a link that moves: in SDF that is the name of the world";
        }
    }
    return obstacle != NULL ? tqa_xml_refuse(reterr, obstacle, why)
                            : tqa_xml_has_no_words(robot, name, "SDF", reterr);
}

/* A comment for people: parts that the format cannot express; of those that there are. */
static void put_lost(const printer *p)
{
    const tq_model *model = p->robot->model;
    tqa_xml_counts n;
    unsigned planar = 0;
    unsigned floating = 0;
    unsigned massless = 0;
    unsigned frames = 0;
    tqa_xml_count(p->robot, &n);
    for (uint32_t i = 0; i < model->n_joint; i++) {
        planar += model->joints[i].kind == TQ_JOINT_PLANAR;
        floating += model->joints[i].kind == TQ_JOINT_FLOATING;
        frames += is_frame(p, &model->joints[i]);
        massless += model->links[model->joints[i].child].inertia.mass == 0.0;
    }
    const tqa_xml_part lost[] = {{n.drives, "motors and amplifiers of", "joints"},
                                 {tqa_xml_has_undriven(p->robot), "which joints are driven", NULL},
                                 {floating, "names of", "floating joints"}};
    const tqa_xml_part own[] = {{p->names.n_other, "names of", "links and joints"},
                                {n.rotors, "rotors of", "joints"},
                                {n.frictions, "friction beyond damping and Coulomb's of", "joints"},
                                {n.carried - n.weightless, "gravity compensation of", "links"}};
    const tqa_xml_part other[] = {
        {frames, "links without mass are frames of others:", "of them"},
        {planar, "planar joints are two prismatic and a continuous one each:", "of them"}};
    const tqa_xml_part refused[] = {{massless - frames, "links without mass:", "here"}};
    raw(p, "<!-- Written by torqued.");
    tqa_xml_put_parts(p->text, "Not expressed: ", lost, sizeof lost / sizeof lost[0]);
    tqa_xml_put_parts(p->text, "In elements torqued:..., which other programs pass over: ", own,
                      sizeof own / sizeof own[0]);
    tqa_xml_put_parts(p->text, "In other words: ", other, sizeof other / sizeof other[0]);
    tqa_xml_put_parts(p->text, "Other programs may refuse ", refused, 1);
    raw(p, " -->\n");
}

/* Gravity is a world's, and only in one does a body float. */
static bool needs_world(const tqa_robot *robot)
{
    tqa_xml_counts n;
    tqa_xml_count(robot, &n);
    bool needed = n.other_gravity;
    for (uint32_t i = 0; i < robot->model->n_joint; i++) {
        needed = needed || robot->model->joints[i].kind == TQ_JOINT_FLOATING;
    }
    return needed;
}

static void put_model(printer *p, const char *name)
{
    const tq_model *model = p->robot->model;
    char weld[TQA_NAME_MAX];
    if (!tqa_xml_root_is_world(p->robot) || model->n_joint == 0) { /* a model has a link */
        p->root = p->names.links[model->root];
    }
    raw(p, "  <model");
    tqa_xml_put_string(p->text, "name", name);
    raw(p, ">\n");
    put_links(p);
    if (p->root != NULL) {
        tqa_sdf_names_other(&p->names, p->root, "_weld", weld);
        open_joint(p, weld, "fixed", NULL, p->root);
        raw(p, "    </joint>\n");
    }
    for (uint32_t i = 0; i < model->n_joint; i++) {
        put_joint(p, i);
    }
    raw(p, "  </model>\n");
}

char *tqa_robot_sdf(const tqa_robot *robot, const char *name, size_t *ret_n, tqa_problem *reterr)
{
    tqa_json_text text = {0};
    printer p = {.text = &text, .robot = robot};
    bool mimics = false;
    reterr->status = 0;
    reterr->n_fault = 0;
    if (find_obstacle(robot, name, reterr)) {
        return NULL;
    }
    for (uint32_t i = 0; i < robot->model->n_joint; i++) {
        mimics = mimics || robot->model->joints[i].mimic != TQ_NONE;
    }
    if (!tqa_sdf_names_init(&p.names, robot)) {
        tqa_problem_set(reterr, "busy", "memory is short");
        return NULL;
    }
    const bool world = needs_world(robot);
    raw(&p, "<?xml version=\"1.0\"?>\n");
    put_lost(&p);
    raw(&p, mimics ? "<sdf version=\"1.11\"" : "<sdf version=\"1.9\"");
    raw(&p, " xmlns:torqued=\"urn:torqued:robot\">\n");
    if (world) {
        raw(&p, "  <world name=\"default\">\n  <gravity>");
        put_numbers(&p, robot->model->gravity, 3);
        raw(&p, "</gravity>\n");
    }
    put_model(&p, name);
    raw(&p, world ? "  </world>\n</sdf>\n" : "</sdf>\n");
    tqa_sdf_names_free(&p.names);
    char *bytes = tqa_json_text_take(&text, ret_n);
    if (bytes == NULL) {
        tqa_problem_set(reterr, "busy", "memory is short");
    }
    return bytes;
}
