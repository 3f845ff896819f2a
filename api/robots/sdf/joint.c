/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/joint.c - joints of SDF: poses, axes in any frame, limits, springs. */
#include <math.h>
#include <string.h>

#include "api/robots/compound.h"
#include "api/robots/log_law.h"
#include "api/robots/sdf/joint.h"
#include "api/robots/sdf/parts.h"
#include "api/robots/sdf/sdf.h"

tqa_sdf_joint_type tqa_sdf_joint_type_of(const tqa_sdf *s, uint32_t node)
{
    static const struct {
        const char *name;
        tqa_sdf_joint_type type;
    } rows[] = {{"fixed", TQA_SDF_FIXED},
                {"revolute", TQA_SDF_REVOLUTE},
                {"continuous", TQA_SDF_CONTINUOUS},
                {"prismatic", TQA_SDF_PRISMATIC},
                {"ball", TQA_SDF_BALL},
                {"universal", TQA_SDF_UNIVERSAL},
                {"revolute2", TQA_SDF_UNIVERSAL},
                {"screw", TQA_SDF_SCREW},
                {"gearbox", TQA_SDF_GEARBOX}};
    const char *name = tqa_sdf_attribute(s, node, "type");
    for (size_t k = 0; name != NULL && k < sizeof rows / sizeof rows[0]; k++) {
        if (strcmp(rows[k].name, name) == 0) {
            return rows[k].type;
        }
    }
    return TQA_SDF_UNKNOWN;
}

uint32_t tqa_sdf_extra_links(const tqa_sdf *s)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->n_thing; k++) {
        n += s->things[k].kind == TQA_SDF_JOINT &&
             tqa_sdf_joint_type_of(s, s->things[k].node) == TQA_SDF_UNIVERSAL;
    }
    return n;
}

bool tqa_sdf_direction(tqa_sdf *s, const tqa_sdf_thing *joint, uint32_t i, double ret[3])
{
    double xyz[3] = {0.0, 0.0, 1.0};
    const uint32_t node = tqa_sdf_child(s, i, "xyz");
    const char *in = node != TQ_NONE ? tqa_sdf_attribute(s, node, "expressed_in") : NULL;
    const char *of_model = tqa_sdf_text(s, i, "use_parent_model_frame");
    const tq_pose *frame = &joint->pose;
    if (node != TQ_NONE) {
        tqa_sdf_numbers(s, node, 3, xyz);
    }
    if (in != NULL && in[0] != '\0') {
        const uint32_t thing = tqa_sdf_find(s, joint->scope, in);
        if (thing == TQ_NONE && strcmp(in, "world") != 0) {
            tqa_sdf_fault(s, node, "unknown-name", "name a frame that is there",
                          "the axis is expressed in \"%.80s\", which is not there", in);
            return false;
        }
        frame = thing != TQ_NONE ? &s->things[thing].pose : &tq_pose_identity;
    } else if (of_model != NULL ? tqa_sdf_is_true(of_model) : s->version < 1.45) {
        frame = &s->things[joint->scope].pose;
    }
    const double length = sqrt(xyz[0] * xyz[0] + xyz[1] * xyz[1] + xyz[2] * xyz[2]);
    if (!(length > 0.0)) {
        tqa_sdf_fault(s, i, "range", "write the direction of the axis, such as 0 0 1",
                      "the axis is zero");
        return false;
    }
    for (int k = 0; k < 3; k++) {
        xyz[k] /= length;
    }
    tq_mat_vec(frame->r, xyz, ret);
    return true;
}

/* Limits, friction and spring of <axis>. */
static void read_axis(tqa_sdf *s, uint32_t i, tqa_sdf_joint_type type, tq_joint *joint)
{
    const double none = (double)INFINITY;
    const uint32_t limit = tqa_sdf_child(s, i, "limit");
    const uint32_t dynamics = tqa_sdf_child(s, i, "dynamics");
    double lower = -none, upper = none, effort = -1.0, velocity = -1.0;
    if (limit != TQ_NONE) {
        tqa_sdf_optional(s, limit, "lower", &lower);
        tqa_sdf_optional(s, limit, "upper", &upper);
        tqa_sdf_optional(s, limit, "effort", &effort);
        tqa_sdf_optional(s, limit, "velocity", &velocity);
    }
    joint->limits = (tq_limits){
        .lower = lower <= -TQA_SDF_NO_LIMIT || type == TQA_SDF_CONTINUOUS ? -none : lower,
        .upper = upper >= TQA_SDF_NO_LIMIT || type == TQA_SDF_CONTINUOUS ? none : upper,
        .velocity = velocity < 0.0 ? none : velocity,
        .effort = effort < 0.0 ? none : effort};
    if (joint->kind == TQ_JOINT_REVOLUTE && !isfinite(joint->limits.lower) &&
        !isfinite(joint->limits.upper)) {
        joint->kind = TQ_JOINT_CONTINUOUS;
    }
    if (dynamics != TQ_NONE) {
        tqa_sdf_optional(s, dynamics, "damping", &joint->friction.viscous);
        tqa_sdf_optional(s, dynamics, "friction", &joint->friction.coulomb);
        tqa_sdf_optional(s, dynamics, "spring_stiffness", &joint->spring.stiffness);
        tqa_sdf_optional(s, dynamics, "spring_reference", &joint->spring.rest);
        joint->spring.rest = joint->spring.stiffness != 0.0 ? joint->spring.rest : 0.0;
    }
}

/* torqued:friction, torqued:along_log and torqued:rotor, which an exported robot has for what SDF
 * cannot express. */
static void read_extension(tqa_sdf *s, uint32_t node, tq_joint *joint)
{
    tq_friction *f = &joint->friction;
    const struct {
        const char *element, *attribute;
        double *ret;
    } rows[] = {{"torqued:friction", "breakaway", &f->breakaway},
                {"torqued:friction", "stribeck_velocity", &f->stribeck_velocity},
                {"torqued:friction", "smoothing", &f->smoothing},
                {"torqued:friction", "offset", &f->offset},
                {"torqued:rotor", "inertia", &joint->rotor.inertia},
                {"torqued:rotor", "ratio", &joint->rotor.ratio}};
    double *numbers[TQA_LOG_LAW_NUMBERS];
    tqa_log_law_numbers(&joint->log_law, numbers);
    const uint32_t law = tqa_sdf_child(s, node, "torqued:" TQA_LOG_LAW);
    joint->log_law.is_there = law != TQ_NONE;
    for (size_t k = 0; law != TQ_NONE && k < TQA_LOG_LAW_NUMBERS; k++) {
        const char *text = tqa_sdf_attribute(s, law, tqa_log_law_names[k]);
        const tqa_urdf_place place = {
            .draft = s->draft, .path = "torqued:" TQA_LOG_LAW, .line = s->tree.nodes[law].line};
        if (text != NULL) {
            (void)tqa_urdf_read_numbers(&place, tqa_log_law_names[k], text, 1, numbers[k]);
        }
    }
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const uint32_t i = tqa_sdf_child(s, node, rows[k].element);
        const char *text = i != TQ_NONE ? tqa_sdf_attribute(s, i, rows[k].attribute) : NULL;
        if (text != NULL) {
            const tqa_urdf_place place = {
                .draft = s->draft, .path = rows[k].element, .line = s->tree.nodes[i].line};
            (void)tqa_urdf_read_numbers(&place, rows[k].attribute, text, 1, rows[k].ret);
        }
    }
}

/* The number of a link that a joint names; 0, the world's, where it names that. */
static uint32_t resolve(tqa_sdf *s, uint32_t number, const char *role, uint32_t *ret_thing)
{
    const tqa_sdf_thing *joint = &s->things[number];
    const char *name = tqa_sdf_text(s, joint->node, role);
    *ret_thing = TQ_NONE;
    if (strcmp(role, "parent") == 0 && tqa_sdf_hangs_from_world(s, number)) {
        return 0;
    }
    const uint32_t thing = name != NULL && name[0] != '\0'
                               ? tqa_sdf_body(s, tqa_sdf_find(s, joint->scope, name))
                               : TQ_NONE;
    if (thing == TQ_NONE) {
        tqa_sdf_fault(s, joint->node, "unknown-name",
                      "name a link that is there, or a frame of one",
                      "its <%s> is \"%.80s\", which is no link", role, name != NULL ? name : "");
        return TQ_NONE;
    }
    *ret_thing = thing;
    return s->things[thing].link;
}

/* Metres a turn, positive for a right-handed thread: of <screw_thread_pitch>, or of the older
 * <thread_pitch>, rad/m with the other sign. 0: a fault was added. */
static double read_pitch(tqa_sdf *s, const tqa_sdf_thing *joint)
{
    const bool is_newer = tqa_sdf_child(s, joint->node, "screw_thread_pitch") != TQ_NONE;
    const bool is_older = tqa_sdf_child(s, joint->node, "thread_pitch") != TQ_NONE;
    double pitch = 1.0, older = 0.0;
    tqa_sdf_optional(s, joint->node, "screw_thread_pitch", &pitch);
    if (!is_newer && is_older) {
        tqa_sdf_optional(s, joint->node, "thread_pitch", &older);
        pitch = -2.0 * M_PI / older;
    }
    if (!isfinite(pitch) || fabs(pitch) < TQA_PITCH_LEAST) {
        tqa_sdf_fault(s, joint->node, "range",
                      "write <screw_thread_pitch>0.005</screw_thread_pitch>, metres a turn, 1e-12 "
                      "or more",
                      "a screw joint cannot have a %s of %g",
                      is_newer ? "screw_thread_pitch" : "thread_pitch", is_newer ? pitch : older);
        return 0.0;
    }
    if (!is_newer && !is_older) {
        tqa_draft_find(s->draft, TQA_FINDING_DOCTOR,
                       tqa_arena_format(s->draft->arena, "joint %s (line %lu)", joint->name,
                                        s->tree.nodes[joint->node].line),
                       "has no <screw_thread_pitch>: as SDF has it, 1 m a turn", 1);
    }
    return pitch;
}

/* One axis into the chain. */
static bool join(tqa_sdf *s, const tqa_sdf_thing *joint, const char *axis, const char *name,
                 tqa_sdf_joint_type type, tqa_sdf_end parent, tqa_sdf_end child)
{
    static const tq_joint_kind kinds[] = {
        [TQA_SDF_FIXED] = TQ_JOINT_FIXED,           [TQA_SDF_REVOLUTE] = TQ_JOINT_REVOLUTE,
        [TQA_SDF_CONTINUOUS] = TQ_JOINT_CONTINUOUS, [TQA_SDF_PRISMATIC] = TQ_JOINT_PRISMATIC,
        [TQA_SDF_BALL] = TQ_JOINT_SPHERICAL,        [TQA_SDF_UNIVERSAL] = TQ_JOINT_REVOLUTE,
        [TQA_SDF_SCREW] = TQ_JOINT_REVOLUTE};
    const uint32_t i = tqa_sdf_child(s, joint->node, axis);
    const bool turns = type != TQA_SDF_FIXED && type != TQA_SDF_BALL;
    const tq_pose at = tqa_sdf_relative(parent.pose, &joint->pose);
    tqa_chain_joint one = {.name = name,
                           .place = tqa_sdf_joint_place(s, name),
                           .kind = kinds[type],
                           .parent = parent.link,
                           .child = child.link,
                           .pose = tqa_sdf_relative(parent.pose, child.pose)};
    double world[3] = {0.0, 0.0, 1.0};
    memcpy(one.point, at.p, sizeof one.point);
    if (turns && i == TQ_NONE) {
        tqa_sdf_fault(s, joint->node, "missing-field", "add <axis><xyz>0 0 1</xyz></axis>",
                      "the joint has no <%s>", axis);
        return false;
    }
    if (turns && !tqa_sdf_direction(s, joint, i, world)) {
        return false;
    }
    if (type == TQA_SDF_SCREW && (one.pitch = read_pitch(s, joint)) == 0.0) {
        return false;
    }
    tq_mat_tvec(parent.pose->r, world, one.axis);
    /* of poses exp(S q) the inverse is exp(-S q): the opposite screw, of the same pitch */
    for (int k = 0; k < 3 && s->turned[joint - s->things]; k++) {
        one.axis[k] = -one.axis[k];
    }
    /* a joint at the origin of its child is there to the bit, so that no carrier is made */
    if (memcmp(joint->pose.p, child.pose->p, sizeof child.pose->p) == 0) {
        memcpy(one.point, one.pose.p, sizeof one.point);
    }
    tq_joint *made = &s->chain.joints[tqa_chain_join(&s->chain, &one)];
    if (turns) {
        read_axis(s, i, type, made);
        read_extension(s, joint->node, made);
    }
    return true;
}

/* True when a joint made before carries the link. */
static bool is_carried(const tqa_sdf *s, uint32_t link)
{
    for (uint32_t k = 0; k < s->chain.n_joint; k++) {
        if (s->chain.joints[k].child == link) {
            return true;
        }
    }
    return false;
}

static bool add_joint(tqa_sdf *s, uint32_t number)
{
    const tqa_sdf_thing *joint = &s->things[number];
    const tqa_sdf_joint_type type = tqa_sdf_joint_type_of(s, joint->node);
    uint32_t above = TQ_NONE, below = TQ_NONE;
    if (type == TQA_SDF_UNKNOWN) {
        tqa_sdf_fault(s, joint->node, "invalid-value",
                      "type is one of: fixed, revolute, continuous, prismatic, ball, universal, "
                      "revolute2, screw, gearbox",
                      "joints of type \"%.40s\" are not read",
                      tqa_sdf_attribute(s, joint->node, "type") != NULL
                          ? tqa_sdf_attribute(s, joint->node, "type")
                          : "");
        return false;
    }
    const bool turned = s->turned[number];
    const uint32_t parent = resolve(s, number, turned ? "child" : "parent", &above);
    const uint32_t child = resolve(s, number, turned ? "parent" : "child", &below);
    if (parent == TQ_NONE || child == TQ_NONE) {
        return false;
    }
    if (type == TQA_SDF_GEARBOX) {
        return tqa_sdf_couple(s, number, above, below);
    }
    const tqa_sdf_end from = {parent,
                              above != TQ_NONE ? &s->things[above].pose : &tq_pose_identity};
    const tqa_sdf_end to = {child, &s->things[below].pose};
    if (is_carried(s, child) || (!tqa_sdf_is_compound(type) && tqa_sdf_gives_way(s, below))) {
        return tqa_sdf_close_loop(s, number, type, from, to);
    }
    if (turned) {
        tqa_draft_find(s->draft, TQA_FINDING_UNDERSTOOD,
                       tqa_arena_format(s->draft->arena, "joint %s", joint->own),
                       "its parent hangs from its child: read the other way round, about the "
                       "opposite axis, by the same coordinate",
                       1);
    }
    if (type != TQA_SDF_UNIVERSAL) {
        return join(s, joint, "axis", joint->own, type, from, to);
    }
    /* two hinges, a link without mass in between, at the joint */
    tqa_arena *arena = s->draft->arena;
    const uint32_t i = s->chain.n_joint;
    const char *const names[3] = {joint->own,
                                  tqa_compound_joint(arena, TQA_UNIVERSAL, joint->own, i),
                                  tqa_compound_link(arena, TQA_UNIVERSAL, joint->own, i)};
    const tqa_sdf_end between = {
        tqa_chain_link(&s->chain, names[2], tqa_sdf_joint_place(s, joint->name)), &joint->pose};
    tqa_compound_report(s->draft, names, 0.0);
    const char *const axes[2] = {"axis", "axis2"};
    return join(s, joint, axes[turned], names[turned], TQA_SDF_UNIVERSAL, from, between) &&
           join(s, joint, axes[!turned], names[!turned], TQA_SDF_UNIVERSAL, between, to);
}

/* A frame that an exported robot has for a link without mass and its fixed joint. */
static bool add_weld(tqa_sdf *s, uint32_t number)
{
    const tqa_sdf_thing *frame = &s->things[number];
    const char *name = s->tree.nodes[frame->weld].text;
    const char *to = tqa_sdf_attribute(s, frame->node, "attached_to");
    const uint32_t above =
        to != NULL ? tqa_sdf_body(s, tqa_sdf_find(s, frame->scope, to)) : TQ_NONE;
    if (above == TQ_NONE || above == number || name[0] == '\0' ||
        strlen(name) + strlen(s->things[frame->scope].prefix) >= TQA_NAME_MAX) {
        tqa_sdf_fault(s, frame->node, "invalid-robot", "attach it to a link, and name its joint",
                      "a frame with <torqued:joint> is a link without mass");
        return false;
    }
    const char *own =
        tqa_arena_format(s->draft->arena, "%s%s", s->things[frame->scope].prefix, name);
    const tqa_chain_joint one = {.name = own,
                                 .place = tqa_sdf_joint_place(s, name),
                                 .kind = TQ_JOINT_FIXED,
                                 .parent = s->things[above].link,
                                 .child = frame->link,
                                 .pose = tqa_sdf_relative(&s->things[above].pose, &frame->pose)};
    (void)tqa_chain_join(&s->chain, &one);
    return true;
}

/* <axis><mimic joint="leader">: q = multiplier (q_leader - reference) + offset */
static void read_mimic(tqa_sdf *s, const tqa_sdf_thing *joint, const tqa_names *names)
{
    const uint32_t axis = tqa_sdf_child(s, joint->node, "axis");
    const uint32_t mimic = axis != TQ_NONE ? tqa_sdf_child(s, axis, "mimic") : TQ_NONE;
    if (mimic == TQ_NONE) {
        return;
    }
    const char *leader = tqa_sdf_attribute(s, mimic, "joint");
    const char *of = tqa_sdf_attribute(s, mimic, "axis");
    const uint32_t thing = leader != NULL ? tqa_sdf_find(s, joint->scope, leader) : TQ_NONE;
    const char *name = thing != TQ_NONE ? s->things[thing].own : "";
    const uint32_t row = tqa_names_find(names, joint->own, strlen(joint->own));
    const uint32_t master = tqa_names_find(names, name, strlen(name));
    double multiplier = 1.0, offset = 0.0, reference = 0.0;
    const bool second = of != NULL && strcmp(of, "axis2") == 0;
    if (master == TQ_NONE || row == TQ_NONE || master == row || second ||
        tq_joint_kind_nv(s->chain.joints[master].kind) != 1 ||
        tq_joint_kind_nv(s->chain.joints[row].kind) != 1) {
        tqa_sdf_fault(s, mimic, "tree", "name another joint of one axis",
                      "it cannot follow \"%.80s\"", leader != NULL ? leader : "");
        return;
    }
    tqa_sdf_optional(s, mimic, "multiplier", &multiplier);
    tqa_sdf_optional(s, mimic, "offset", &offset);
    tqa_sdf_optional(s, mimic, "reference", &reference);
    s->chain.joints[row].mimic = master;
    s->chain.joints[row].mimic_multiplier = multiplier;
    s->chain.joints[row].mimic_offset = offset - multiplier * reference;
}

bool tqa_sdf_joints(tqa_sdf *s)
{
    tqa_names names;
    for (uint32_t k = 0; k < s->n_thing; k++) {
        if ((s->things[k].kind == TQA_SDF_JOINT && !add_joint(s, k)) ||
            (s->things[k].weld != TQ_NONE && !add_weld(s, k))) {
            return false;
        }
    }
    if (!tqa_names_build(&names, s->draft->arena, s->chain.joint_names, s->chain.n_joint)) {
        return false;
    }
    for (uint32_t k = 0; k < s->n_thing; k++) {
        if (s->things[k].kind == TQA_SDF_JOINT) {
            read_mimic(s, &s->things[k], &names);
        }
    }
    tqa_chain_settle(&s->chain);
    for (uint32_t k = 0; k < s->chain.n_joint; k++) {
        const uint32_t master = s->chain.joints[k].mimic;
        if (master != TQ_NONE && s->chain.joints[master].mimic != TQ_NONE) {
            tqa_draft_fault(s->draft, "tree", s->chain.joint_places[k],
                            "name the joint at the head and multiply the multipliers",
                            "joint \"%.80s\" follows one that follows another",
                            s->chain.joint_names[k]);
        }
    }
    return s->draft->problem->status == 0;
}
