/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/mjcf.h - robots in the XML format of MuJoCo, as far as it tells rigid trees. */
#ifndef TQA_FORMATS_MJCF_H
#define TQA_FORMATS_MJCF_H

#include <stdbool.h>
#include <stddef.h>

#include "api/formats/draft.h"

/* True when the outermost element is <mujoco>. */
bool tqa_mjcf_recognise(const char *bytes, size_t n);

/**
 * Read n bytes of MJCF into a draft.
 *
 * Understood: bodies and frames with every way to tell a rotation; hinge, slide, ball and free
 * joints with pos, axis, range, ref, stiffness, springref, damping, armature (rotor inertia) and
 * frictionloss (Coulomb friction); inertial with diaginertia or fullinertia; inertias of simple
 * geoms by mass or density where the compiler infers them; default classes; angle, eulerseq,
 * autolimits and inertiafromgeom of the compiler; gravity. Everything else is listed as ignored,
 * equality constraints and actuators among it.
 *
 * The world is the root link "world". Coordinates are those of qpos, but the velocity of a free
 * joint is a twist in the frame of its body, where MuJoCo has its linear part in the world.
 *
 * Returns  false when the file is no robot: draft->problem then holds the faults. tqa_draft_check
 *          is the caller's.
 * Source   mujoco.readthedocs.io/en/stable/XMLreference.html
 * Checked  tests/unit/api/formats/test_mjcf.c, tests/fuzz/fuzz_urdf.c
 */
bool tqa_mjcf_read(tqa_draft *draft, const char *bytes, size_t n);

#endif
