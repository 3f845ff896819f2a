/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/mjcf.c - bodies and joints of MJCF into links and joints. */
#include "api/robots/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

#include "api/robots/mjcf/parts.h"
#include "core/spatial/rotation.h"

static bool is(const tqa_mjcf *m, uint32_t i, const char *name)
{
    return strcmp(m->nodes[i].name, name) == 0;
}

/* Which body everything belongs to, and the frames in between. */
static void find_owners(tqa_mjcf *m)
{
    for (uint32_t i = 1; i < m->n_node; i++) {
        tqa_mjcf_node *node = &m->nodes[i];
        const uint32_t p = node->parent;
        if (is(m, p, "body") || is(m, p, "worldbody")) {
            node->owner = p;
        } else if (is(m, p, "frame") && m->nodes[p].owner != TQ_NONE) {
            tq_pose pose;
            tqa_mjcf_pose(m, p, &pose);
            node->owner = m->nodes[p].owner;
            node->at = tq_pose_multiply(&m->nodes[p].at, &pose);
        }
    }
}

static bool is_joint(const tqa_mjcf *m, uint32_t i)
{
    return is(m, i, "joint") || is(m, i, "freejoint");
}

static uint32_t count_links(const tqa_mjcf *m)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < m->n_node; i++) {
        n += m->nodes[i].owner != TQ_NONE && (is(m, i, "body") || is_joint(m, i));
    }
    return n;
}

static bool read_kind(tqa_mjcf *m, uint32_t i, tq_joint_kind *ret)
{
    static const struct {
        const char *name;
        tq_joint_kind kind;
    } rows[] = {{"hinge", TQ_JOINT_REVOLUTE},
                {"slide", TQ_JOINT_PRISMATIC},
                {"ball", TQ_JOINT_SPHERICAL},
                {"free", TQ_JOINT_FLOATING}};
    const char *type = is(m, i, "freejoint") ? "free" : tqa_mjcf_get(m, i, "type");
    type = type != NULL ? type : "hinge";
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (strcmp(type, rows[k].name) == 0) {
            *ret = rows[k].kind;
            return true;
        }
    }
    tqa_mjcf_fault(m, i, "invalid-value", "type is one of: hinge, slide, ball, free",
                   "unknown joint type %.40s", type);
    return false;
}

/* Spring, damper and dry friction, as far as option/flag leaves them on. */
static void read_passive(tqa_mjcf *m, uint32_t i, tq_joint *joint, double unit)
{
    double damping[3] = {0.0}; /* of qd, qd^2 ... : what follows the first is refused */
    double stiffness[3] = {0.0};
    double springref = 0.0;
    double *spring_damper = m->spring_dampers + 2 * (joint - m->chain.joints);
    (void)tqa_mjcf_numbers(m, i, "springdamper", 2, 2, spring_damper);
    const bool has_one = spring_damper[0] > 0.0 && spring_damper[1] > 0.0;
    m->spring_damper = m->spring_damper == 0 && has_one ? i : m->spring_damper;
    (void)tqa_mjcf_numbers(m, i, "armature", 1, 1, &joint->rotor.inertia);
    (void)tqa_mjcf_numbers(m, i, "damping", 1, 3, damping);
    (void)tqa_mjcf_numbers(m, i, "stiffness", 1, 3, stiffness);
    (void)tqa_mjcf_numbers(m, i, "springref", 1, 1, &springref);
    if (tq_joint_kind_nv(joint->kind) == 1) {
        (void)tqa_mjcf_numbers(m, i, "frictionloss", 1, 1, &joint->friction.coulomb);
    }
    joint->friction.viscous = m->set.no_damper ? 0.0 : damping[0];
    joint->spring.stiffness = m->set.no_spring ? 0.0 : stiffness[0];
    m->spring_references[joint - m->chain.joints] = springref * unit;
    const bool springs = joint->spring.stiffness != 0.0 || spring_damper[0] > 0.0;
    joint->spring.rest = springs && !m->set.no_spring ? springref * unit : 0.0;
    joint->friction.coulomb *= m->set.no_frictionloss ? 0.0 : 1.0;
}

/* Attributes of a joint of one dof beside its axis. */
static void read_drive(tqa_mjcf *m, uint32_t i, tq_joint *joint)
{
    const double unit = joint->kind == TQ_JOINT_PRISMATIC ? 1.0 : m->set.angle;
    double range[2];
    const char *limited = tqa_mjcf_get(m, i, "limited");
    const bool automatic = limited == NULL || strcmp(limited, "auto") == 0;
    const bool bounded = automatic ? m->set.autolimits : strcmp(limited, "true") == 0;
    if (tqa_mjcf_numbers(m, i, "range", 2, 2, range) > 0 && bounded) {
        joint->limits.lower = range[0] > -TQA_MJCF_NO_LIMIT ? range[0] * unit : -HUGE_VAL;
        joint->limits.upper = range[1] < TQA_MJCF_NO_LIMIT ? range[1] * unit : HUGE_VAL;
    }
    if (joint->kind == TQ_JOINT_REVOLUTE && !isfinite(joint->limits.lower) &&
        !isfinite(joint->limits.upper)) {
        joint->kind = TQ_JOINT_CONTINUOUS;
    }
    if (tqa_mjcf_numbers(m, i, "actuatorfrcrange", 2, 2, range) > 0) {
        joint->limits.effort = fmax(fabs(range[0]), fabs(range[1]));
    }
    read_passive(m, i, joint, unit);
}

/* Of a ball or free joint; `rest`: the body's pose in the file, where the spring is at rest. */
static void read_ball(tqa_mjcf *m, uint32_t i, tq_joint *joint, const tq_pose *rest)
{
    if (is(m, i, "freejoint")) {
        return; /* it has neither these nor defaults of them */
    }
    read_passive(m, i, joint, 0.0);
    if (joint->kind == TQ_JOINT_FLOATING) {
        memcpy(joint->spring.pose, rest->p, sizeof rest->p);
        tq_quaternion_of_mat(rest->r, joint->spring.pose + 3);
    }
}

/* The body is modelled where the joint reads `ref`; a joint of the model reads 0 there. */
static void apply_reference(tqa_mjcf *m, uint32_t i, tqa_chain_joint *joint)
{
    double ref = 0.0;
    if (tqa_mjcf_numbers(m, i, "ref", 1, 1, &ref) == 0 || ref == 0.0) {
        return;
    }
    if (joint->kind == TQ_JOINT_PRISMATIC) {
        for (int k = 0; k < 3; k++) {
            joint->pose.p[k] -= ref * joint->axis[k];
        }
        return;
    }
    double turn[9];
    double arm[3];
    double turned[3];
    tq_pose pose = joint->pose;
    tq_rotation_about(joint->axis, -ref * m->set.angle, turn);
    for (int k = 0; k < 3; k++) {
        arm[k] = pose.p[k] - joint->point[k];
    }
    tq_mat_vec(turn, arm, turned);
    for (int k = 0; k < 3; k++) {
        joint->pose.p[k] = joint->point[k] + turned[k];
    }
    tq_mat_product(turn, pose.r, joint->pose.r);
}

/* Axis and anchor of joint i, which are given in the frame of the body, into the parent's frame,
 * where the body is at `joint->pose`. False: a fault was added. */
static bool place_joint(tqa_mjcf *m, uint32_t i, tqa_chain_joint *joint)
{
    const tq_pose at = tq_pose_multiply(&joint->pose, &m->nodes[i].at);
    double axis[3] = {0.0, 0.0, 1.0};
    double pos[3] = {0.0, 0.0, 0.0};
    (void)tqa_mjcf_numbers(m, i, "axis", 3, 3, axis);
    (void)tqa_mjcf_numbers(m, i, "pos", 3, 3, pos);
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(length > 0.0)) {
        tqa_mjcf_fault(m, i, "range", "write the direction of the axis, such as 0 0 1",
                       "the axis is zero");
        return false;
    }
    for (int k = 0; k < 3; k++) {
        axis[k] /= length;
    }
    tq_mat_vec(at.r, axis, joint->axis);
    tq_mat_vec(at.r, pos, joint->point);
    for (int k = 0; k < 3; k++) {
        joint->point[k] += at.p[k];
    }
    /* an anchor at the origin of the body is there to the bit, so that no carrier is made */
    if (pos[0] == 0.0 && pos[1] == 0.0 && pos[2] == 0.0 &&
        memcmp(&m->nodes[i].at, &tq_pose_identity, sizeof at) == 0) {
        memcpy(joint->point, joint->pose.p, sizeof joint->point);
    }
    return true;
}

/* qpos0 */
static void read_reference(tqa_mjcf *m, uint32_t i, const tq_joint *joint)
{
    double *ref = m->references + (joint - m->chain.joints);
    (void)tqa_mjcf_numbers(m, i, "ref", 1, 1, ref);
    *ref *= joint->kind == TQ_JOINT_PRISMATIC ? 1.0 : m->set.angle;
}

static const char *place_text(tqa_mjcf *m, const char *element, const char *name)
{
    return tqa_arena_format(m->draft->arena, "/mujoco//%s[@name='%.60s']", element, name);
}

static const char *name_of(tqa_mjcf *m, uint32_t i, const char *otherwise)
{
    const char *name = tqa_mjcf_get(m, i, "name");
    if (name == NULL || name[0] == '\0') {
        return otherwise;
    }
    if (strlen(name) >= TQA_NAME_MAX) {
        tqa_mjcf_fault(m, i, "invalid-value", "names have at most 127 bytes",
                       "the name has %zu bytes", strlen(name));
        return otherwise;
    }
    return name;
}

/* One joint of a body, number `k` of `n`; the last carries the body, those before a link without
 * mass. `joint` says where the body is and goes on to the next joint. */
static bool add_joint(tqa_mjcf *m, uint32_t i, uint32_t k, uint32_t n, tqa_chain_joint *joint)
{
    tqa_chain *chain = &m->chain;
    const char *body = chain->link_names[joint->child];
    const uint32_t link = joint->child;
    joint->name =
        name_of(m, i,
                k == 0 ? tqa_arena_format(m->draft->arena, "%.100s_joint", body)
                       : tqa_arena_format(m->draft->arena, "%.100s_joint%u", body, k + 1));
    joint->place = place_text(m, "joint", joint->name);
    if (!read_kind(m, i, &joint->kind)) {
        return false;
    }
    const bool is_free = joint->kind == TQ_JOINT_FLOATING;
    const tq_pose rest = joint->pose;
    if (is_free && (n > 1 || joint->parent != 0)) {
        tqa_mjcf_fault(m, i, "invalid-value",
                       "let the body hang from the world by this joint alone",
                       "a free joint inside another body, or beside another joint");
        return false;
    }
    if (is_free) {
        joint->pose = tq_pose_identity; /* qpos is the pose in the world */
    } else if (!place_joint(m, i, joint)) {
        return false;
    } else if (joint->kind != TQ_JOINT_SPHERICAL) {
        apply_reference(m, i, joint);
    }
    if (k + 1 < n) {
        joint->child = tqa_chain_link(
            chain, tqa_arena_format(m->draft->arena, "%.110s_link", joint->name), joint->place);
    }
    tq_joint *made = &chain->joints[tqa_chain_join(chain, joint)];
    if (tq_joint_kind_nv(joint->kind) == 1) {
        read_drive(m, i, made);
        read_reference(m, i, made);
    } else {
        read_ball(m, i, made, &rest);
    }
    joint->parent = joint->child;
    joint->child = link;
    joint->pose = tq_pose_identity;
    return true;
}

static bool add_body(tqa_mjcf *m, uint32_t body)
{
    tqa_mjcf_node *node = &m->nodes[body];
    tqa_chain *chain = &m->chain;
    uint32_t n = 0;
    uint32_t k = 0;
    const char *name = name_of(m, body, tqa_arena_format(m->draft->arena, "body%u", chain->n_link));
    node->link = tqa_chain_link(chain, name, place_text(m, "body", name));
    tqa_chain_joint joint = {.parent = m->nodes[node->owner].link, .child = node->link};
    tqa_mjcf_pose(m, body, &joint.pose);
    joint.pose = tq_pose_multiply(&node->at, &joint.pose);
    for (uint32_t i = body + 1; i < node->end; i++) {
        n += m->nodes[i].owner == body && is_joint(m, i);
    }
    node->moves = n > 0 || m->nodes[node->owner].moves;
    tqa_mjcf_inertia(m, body, &chain->links[node->link]);
    for (uint32_t i = body + 1; i < node->end; i++) {
        if (m->nodes[i].owner == body && is_joint(m, i) && !add_joint(m, i, k++, n, &joint)) {
            return false;
        }
    }
    if (n == 0) {
        joint.kind = TQ_JOINT_FIXED;
        joint.name = tqa_arena_format(m->draft->arena, "%.100s_weld", name);
        joint.place = chain->link_places[node->link];
        (void)tqa_chain_join(chain, &joint);
    }
    return true;
}

/* <custom>: what torqued's own export says there of joints of one freedom, once they are indexed */
static void read_own_friction(tqa_mjcf *m)
{
    static const size_t n_key = sizeof TQA_MJCF_FRICTION - 1;
    for (uint32_t i = 1; i < m->n_node; i++) {
        const uint32_t parent = m->nodes[i].parent;
        const char *name = is(m, i, "numeric") ? tqa_mjcf_get(m, i, "name") : NULL;
        double data[4];
        if (name == NULL || m->nodes[parent].parent != 0 || !is(m, parent, "custom") ||
            strncmp(name, TQA_MJCF_FRICTION, n_key) != 0) {
            continue;
        }
        const char *joint = name + n_key;
        const uint32_t k = tqa_names_find(&m->draft->joints, joint, strlen(joint));
        if (k == TQ_NONE || tq_joint_kind_nv(m->chain.joints[k].kind) != 1) {
            tqa_mjcf_fault(m, i, "unknown-name", "name a hinge or a slide",
                           "friction of \"%.80s\", which is no joint of one freedom", joint);
        } else if (tqa_mjcf_numbers(m, i, "data", 4, 4, data) == 4) {
            tq_friction *f = &m->chain.joints[k].friction;
            f->breakaway = data[0];
            f->stribeck_velocity = data[1];
            f->smoothing = data[2];
            f->offset = data[3];
        }
    }
}

static bool build(tqa_mjcf *m)
{
    if (!tqa_chain_init(&m->chain, m->draft, count_links(m))) {
        return false;
    }
    tqa_arena *arena = m->draft->arena;
    m->references = tqa_arena_take(arena, m->chain.joint_max + 1, sizeof(double), 16);
    m->spring_dampers = tqa_arena_take(arena, m->chain.joint_max + 1, 2 * sizeof(double), 16);
    m->spring_references = tqa_arena_take(arena, m->chain.joint_max + 1, sizeof(double), 16);
    if (m->references == NULL || m->spring_dampers == NULL || m->spring_references == NULL) {
        return tqa_draft_no_memory(m->draft);
    }
    (void)tqa_chain_link(&m->chain, "world", "/mujoco/worldbody");
    bool has_world = false;
    for (uint32_t i = 1; i < m->n_node; i++) {
        if (m->nodes[i].parent == 0 && is(m, i, "worldbody")) {
            m->nodes[i].link = 0;
            has_world = true;
        } else if (is(m, i, "body") && m->nodes[i].owner != TQ_NONE) {
            /* inside something that is ignored there is no link to hang from */
            if (m->nodes[m->nodes[i].owner].link != TQ_NONE && !add_body(m, i)) {
                return false;
            }
        }
    }
    if (!has_world) {
        tqa_mjcf_fault(m, 0, "invalid-robot", "add <worldbody> with the bodies of the robot",
                       "the model has no <worldbody>");
        return false;
    }
    tqa_mjcf_scale_masses(m);
    if (!tqa_chain_finish(&m->chain)) {
        return false;
    }
    tqa_mjcf_compensate(m);
    read_own_friction(m);
    tqa_mjcf_tendon_armatures(m);
    tqa_mjcf_convert_spring_dampers(m);
    return tqa_mjcf_followers(m) && tqa_mjcf_actuators(m) && tqa_mjcf_tendons(m) &&
           tqa_mjcf_equality(m);
}

bool tqa_mjcf_read(tqa_draft *draft, const char *bytes, size_t n)
{
    tqa_mjcf *m = tqa_arena_take(draft->arena, 1, sizeof *m, 16);
    if (m == NULL) {
        return tqa_draft_no_memory(draft);
    }
    m->draft = draft;
    m->ignored.draft = draft;
    m->doubts.draft = draft;
    m->weightless = TQ_NONE;
    draft->source = "mjcf";
    draft->model.gravity[2] = -9.81;
    if (!tqa_mjcf_tree(m, bytes, n) || !tqa_mjcf_classes(m)) {
        return false;
    }
    const char *name = tqa_mjcf_get(m, 0, "model");
    draft->name = name != NULL ? name : "";
    tqa_mjcf_read_settings(m);
    find_owners(m);
    tqa_mjcf_guard(m);
    if (draft->problem->status != 0 || !build(m)) {
        return false;
    }
    tqa_mjcf_report(m);
    return draft->problem->status == 0;
}
