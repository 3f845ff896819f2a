/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/link.c - inertias of links, and parts of a link that are not read. */
#include <string.h>

#include "api/robots/sdf/parts.h"
#include "core/model/inertia.h"

/* Children of a link that change torque and are not read, and those without effect. */
static void guard_link(tqa_sdf *s, uint32_t link)
{
    static const char *const looks[][2] = {
        {"visual", "a shape to draw: it has no effect on the dynamics"},
        {"collision", "a shape to touch: state it in \"contacts\" of simulate"},
        {"sensor", "a sensor"},
        {"light", "a light"},
        {"self_collide", "contacts are stated in \"contacts\" of simulate"},
        {"enable_wind", "wind is not computed"},
        {"must_be_base_link", "has no effect on the dynamics"},
        {"kinematic", "has no effect on the dynamics"},
    };
    for (uint32_t k = link + 1; k < s->tree.nodes[link].end; k = s->tree.nodes[k].end) {
        for (size_t row = 0; row < sizeof looks / sizeof looks[0]; row++) {
            if (strcmp(s->tree.nodes[k].name, looks[row][0]) == 0) {
                tqa_sdf_ignore(s, k, looks[row][1]);
            }
        }
    }
}

/* "velocity_decay" acts on bodies, not on joints. */
static void guard_decay(tqa_sdf *s, uint32_t link)
{
    const uint32_t decay = tqa_sdf_child(s, link, "velocity_decay");
    double linear = 0.0, angular = 0.0;
    if (decay != TQ_NONE) {
        tqa_sdf_optional(s, decay, "linear", &linear);
        tqa_sdf_optional(s, decay, "angular", &angular);
        if (linear != 0.0 || angular != 0.0) {
            tqa_draft_find(s->draft, TQA_FINDING_DOCTOR,
                           tqa_arena_format(s->draft->arena, "link/velocity_decay (line %lu)",
                                            s->tree.nodes[decay].line),
                           "a drag on the link that is not read: torques of moving robots are too "
                           "small",
                           1);
        }
    }
}

static void read_inertial(tqa_sdf *s, uint32_t inertial, tq_inertia *ret)
{
    static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const uint32_t tensor = tqa_sdf_child(s, inertial, "inertia");
    tq_pose pose;
    if (tqa_sdf_is_true(tqa_sdf_attribute(s, inertial, "auto")) ||
        tqa_sdf_child(s, inertial, "fluid_added_mass") != TQ_NONE) {
        tqa_sdf_fault(s, inertial, "invalid-value", "write mass, pose and inertia of the link",
                      "inertias of shapes and added mass are not read");
    }
    tqa_sdf_optional(s, inertial, "mass", &ret->mass);
    for (int e = 0; e < 6 && tensor != TQ_NONE; e++) {
        tqa_sdf_optional(s, tensor, names[e], &ret->about_com[e]);
    }
    tqa_sdf_pose(s, inertial, &pose);
    *ret = tq_inertia_move(ret, &pose);
}

void tqa_sdf_inertia(tqa_sdf *s, uint32_t thing, tq_inertia *ret)
{
    const uint32_t link = s->things[thing].node;
    const uint32_t inertial = tqa_sdf_child(s, link, "inertial");
    /* the format's defaults */
    *ret = (tq_inertia){.mass = 1.0, .about_com = {1.0, 0.0, 0.0, 1.0, 0.0, 1.0}};
    guard_link(s, link);
    guard_decay(s, link);
    if (tqa_sdf_child(s, link, "torqued:massless") != TQ_NONE) {
        *ret = (tq_inertia){.mass = 0.0}; /* of an exported robot whose root has none */
        return;
    }
    if (inertial != TQ_NONE) {
        read_inertial(s, inertial, ret);
    }
    if (inertial == TQ_NONE || tqa_sdf_child(s, inertial, "inertia") == TQ_NONE) {
        tqa_draft_find(s->draft, TQA_FINDING_DOCTOR,
                       tqa_arena_format(s->draft->arena, "link %s (line %lu)",
                                        s->things[thing].name, s->tree.nodes[link].line),
                       inertial == TQ_NONE
                           ? "has no <inertial>: as SDF has it, 1 kg with moments of 1 kg m^2"
                           : "its <inertial> has no <inertia>: as SDF has it, moments of 1 kg m^2",
                       1);
    }
}
