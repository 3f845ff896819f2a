/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/loop.c - joints that are no joint of the tree: those that close loops, gearboxes.
 */
#include <math.h>
#include <string.h>

#include "api/robots/constraint.h"
#include "api/robots/sdf/joint.h"
#include "api/robots/sdf/parts.h"

tq_pose tqa_sdf_relative(const tq_pose *a, const tq_pose *b)
{
    const tq_pose back = tq_pose_inverse(a);
    return tq_pose_multiply(&back, b);
}

const char *tqa_sdf_joint_place(tqa_sdf *s, const char *name)
{
    return tqa_arena_format(s->draft->arena, "/sdf//joint[@name='%.90s']", name);
}

/* Passive forces that only a joint of the tree can have. */
static void doubt_passive(tqa_sdf *s, const tqa_sdf_thing *joint)
{
    const uint32_t axis = tqa_sdf_child(s, joint->node, "axis");
    const uint32_t dynamics = axis != TQ_NONE ? tqa_sdf_child(s, axis, "dynamics") : TQ_NONE;
    double x[3] = {0.0, 0.0, 0.0};
    if (dynamics != TQ_NONE) {
        tqa_sdf_optional(s, dynamics, "damping", &x[0]);
        tqa_sdf_optional(s, dynamics, "friction", &x[1]);
        tqa_sdf_optional(s, dynamics, "spring_stiffness", &x[2]);
    }
    if (x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0) {
        tqa_draft_find(s->draft, TQA_FINDING_DOCTOR,
                       tqa_arena_format(s->draft->arena, "joint %s/dynamics (line %lu)",
                                        joint->name, s->tree.nodes[dynamics].line),
                       "the joint closes a loop, as a constraint: its damping, friction and spring "
                       "are not read",
                       1);
    }
}

static tqa_sdf_loop *add_loop(tqa_sdf *s, uint32_t thing)
{
    tqa_sdf_loop *loops =
        tqa_arena_grow(s->draft->arena, s->loops, s->n_loop, &s->loop_capacity, sizeof *loops);
    if (loops == NULL) {
        return NULL;
    }
    s->loops = loops;
    loops[s->n_loop] = (tqa_sdf_loop){.thing = thing};
    return &loops[s->n_loop++];
}

/* The hinge between two links, and by what its angle counts as that of b from a about `axis` of the
 * gearbox: 1 or -1; 0: there is none, or it is not parallel. */
static double find_hinge(tqa_sdf *s, uint32_t gearbox, const char *axis, uint32_t a, uint32_t b,
                         uint32_t *ret)
{
    double own[3], other[3];
    const uint32_t given = tqa_sdf_child(s, s->things[gearbox].node, axis);
    const uint32_t node =
        given != TQ_NONE ? given : tqa_sdf_child(s, s->things[gearbox].node, "axis");
    if (node == TQ_NONE || !tqa_sdf_direction(s, &s->things[gearbox], node, own)) {
        return 0.0;
    }
    for (uint32_t k = 0; k < s->n_thing; k++) {
        const tqa_sdf_thing *joint = &s->things[k];
        const tqa_sdf_joint_type type =
            joint->kind == TQA_SDF_JOINT ? tqa_sdf_joint_type_of(s, joint->node) : TQA_SDF_UNKNOWN;
        if (type != TQA_SDF_REVOLUTE && type != TQA_SDF_CONTINUOUS) {
            continue;
        }
        const char *up = tqa_sdf_text(s, joint->node, "parent");
        const char *down = tqa_sdf_text(s, joint->node, "child");
        const uint32_t from =
            up != NULL ? tqa_sdf_body(s, tqa_sdf_find(s, joint->scope, up)) : TQ_NONE;
        const uint32_t to =
            down != NULL ? tqa_sdf_body(s, tqa_sdf_find(s, joint->scope, down)) : TQ_NONE;
        const uint32_t at = tqa_sdf_child(s, joint->node, "axis");
        if (((from == a && to == b) || (from == b && to == a)) && at != TQ_NONE &&
            tqa_sdf_direction(s, joint, at, other)) {
            const double cosine = own[0] * other[0] + own[1] * other[1] + own[2] * other[2];
            *ret = k;
            return fabs(cosine) > 1.0 - 1e-6 ? (from == a ? 1.0 : -1.0) * copysign(1.0, cosine)
                                             : 0.0;
        }
    }
    return 0.0;
}

bool tqa_sdf_couple(tqa_sdf *s, uint32_t number, uint32_t parent, uint32_t child)
{
    const tqa_sdf_thing *joint = &s->things[number];
    const char *name = tqa_sdf_text(s, joint->node, "gearbox_reference_body");
    const uint32_t body =
        name != NULL ? tqa_sdf_body(s, tqa_sdf_find(s, joint->scope, name)) : TQ_NONE;
    double ratio = 1.0;
    tqa_sdf_optional(s, joint->node, "gearbox_ratio", &ratio);
    tq_coupling_term *terms = tqa_arena_take(s->draft->arena, 2, sizeof *terms, 16);
    tqa_sdf_loop *loop = terms != NULL ? add_loop(s, number) : NULL;
    if (loop == NULL) {
        return false;
    }
    terms[0].factor = ratio * find_hinge(s, number, "axis", body, parent, &terms[0].q_index);
    terms[1].factor = find_hinge(s, number, "axis2", body, child, &terms[1].q_index);
    if (body == TQ_NONE || terms[0].factor == 0.0 || terms[1].factor == 0.0) {
        tqa_sdf_fault(s, joint->node, "invalid-robot",
                      "let a revolute joint along its axis connect each of its links to "
                      "<gearbox_reference_body>",
                      "the gearbox couples no two hinges of one body");
        return false;
    }
    loop->terms = terms;
    loop->constraint =
        (tq_constraint){.kind = TQ_CONSTRAINT_COUPLING, .coupling = terms, .n_coupling = 2};
    return true;
}

bool tqa_sdf_close_loop(tqa_sdf *s, uint32_t number, tqa_sdf_joint_type type, tqa_sdf_end parent,
                        tqa_sdf_end child)
{
    static const unsigned axes[] = {[TQA_SDF_FIXED] = 63,
                                    [TQA_SDF_REVOLUTE] = 31,
                                    [TQA_SDF_CONTINUOUS] = 31,
                                    [TQA_SDF_PRISMATIC] = 59,
                                    [TQA_SDF_BALL] = 7};
    const tqa_sdf_thing *joint = &s->things[number];
    const uint32_t axis = tqa_sdf_child(s, joint->node, "axis");
    tq_pose at = joint->pose;
    double world[3];
    if (type == TQA_SDF_UNIVERSAL || type == TQA_SDF_SCREW) {
        tqa_sdf_fault(s, joint->node, "invalid-robot",
                      "let its child hang from it: exchange its parent and child, or have another "
                      "joint of the loop close it",
                      "a %s joint closes a loop", type == TQA_SDF_SCREW ? "screw" : "universal");
        return false;
    }
    if (type != TQA_SDF_FIXED && type != TQA_SDF_BALL) {
        if (axis == TQ_NONE || !tqa_sdf_direction(s, joint, axis, world)) {
            return false;
        }
        tq_mat_third_column(world, at.r);
    }
    tqa_sdf_loop *loop = add_loop(s, number);
    if (loop == NULL) {
        return false;
    }
    loop->constraint = (tq_constraint){.kind = TQ_CONSTRAINT_LOOP,
                                       .axes = axes[type],
                                       .a = {parent.link, tqa_sdf_relative(parent.pose, &at)},
                                       .b = {child.link, tqa_sdf_relative(child.pose, &at)}};
    doubt_passive(s, joint);
    return true;
}

bool tqa_sdf_loops(tqa_sdf *s)
{
    tqa_draft *draft = s->draft;
    if (s->n_loop == 0) {
        return true;
    }
    if (!tqa_constraints_begin(draft, s->n_loop)) {
        return false;
    }
    for (size_t k = 0; k < s->n_loop; k++) {
        const char *name = s->things[s->loops[k].thing].own;
        draft->constraints.items[k] = s->loops[k].constraint;
        for (size_t t = 0; t < s->loops[k].constraint.n_coupling; t++) {
            tq_coupling_term *term = &s->loops[k].terms[t];
            const char *of = s->things[term->q_index].own;
            term->q_index = term->v_index = tqa_names_find(&draft->joints, of, strlen(of));
        }
        draft->constraint_notes[k].name = name;
        draft->constraint_notes[k].place = tqa_sdf_joint_place(s, name);
    }
    return true;
}
