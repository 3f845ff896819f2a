/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/sdf.h - robots in SDF, the format of Gazebo. */
#ifndef TQA_ROBOTS_SDF_SDF_H
#define TQA_ROBOTS_SDF_SDF_H

#include <stdbool.h>
#include <stddef.h>

#include "api/robots/draft.h"

/* A limit this large is none. */
#define TQA_SDF_NO_LIMIT 1e16

/* True when the outermost element is <sdf>. */
bool tqa_sdf_recognise(const tqa_draft *draft, const char *bytes, size_t n);

/**
 * Read n bytes of SDF (1.4 to 1.11) into a draft.
 *
 * Understood: models, nested ones too (their names are "model::link"), links with inertial,
 * frames, poses relative to any of these, in radians, degrees or as quaternions; revolute,
 * continuous, prismatic, fixed, ball, universal, revolute2 and screw joints with axes expressed
 * in any frame (up to 1.4: in the model's), limits, damping, friction, springs, mimic; gearboxes;
 * gravity of a world, and links without; of joints torqued:friction and torqued:rotor, which
 * tqa_robot_sdf writes. Universal and screw joints become two (api/robots/compound.h).
 *
 * A joint to a link that an earlier one carries closes a loop, as a constraint; a screw or
 * universal joint, which no constraint can be, carries its child before others.
 *
 * A model outside of a <world> that no joint fixes has its first link fixed to the world, as in
 * URDF (draft->base changes that); in a <world> it floats, unless it is static. A link without
 * <inertial> weighs 1 kg with a tensor of 1 kg m^2, as the format has it, and the doctor says so.
 *
 * What else would change torque is refused by name: included models, added mass, masses of shapes
 * (auto), placement frames, screw and universal joints that close a loop where no other joint to
 * their child can.
 *
 * Returns  false when the file is no robot: draft->problem then holds the faults. tqa_draft_check
 *          is the caller's.
 * Source   sdformat.org/spec, and its tutorials on the semantics of poses
 * Checked  tests/contract/test_sdf.py, tests/fuzz/fuzz_urdf.c
 */
bool tqa_sdf_read(tqa_draft *draft, const char *bytes, size_t n);

#endif
