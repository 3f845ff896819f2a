/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/mjcf.h - robots in MuJoCo's XML format, as far as it describes rigid trees. */
#ifndef TQA_ROBOTS_MJCF_MJCF_H
#define TQA_ROBOTS_MJCF_MJCF_H

#include <stdbool.h>
#include <stddef.h>

#include "api/robots/draft.h"

/* A limit this large is none: a range has two ends. */
#define TQA_MJCF_NO_LIMIT 1e10

/* <custom><numeric name="torqued:friction:JOINT" data="breakaway stribeck_velocity smoothing
 * offset"/>: what an exported robot has beyond damping and frictionloss. */
#define TQA_MJCF_FRICTION "torqued:friction:"

/* <equality><joint name="torqued:follower:JOINT">: where an exported robot has no coordinate, since
 * the joint follows another. While it is linear, it is read so again. */
#define TQA_MJCF_FOLLOWER "torqued:follower:"

/* <custom><numeric name="torqued:bounds" data="boundmass boundinertia"/>: bounds of the compiler
 * that are there for MuJoCo alone, in an exported robot with bodies that weigh nothing. */
#define TQA_MJCF_BOUNDS "torqued:bounds"

/* True when the outermost element is <mujoco>. */
bool tqa_mjcf_recognise(const tqa_draft *draft, const char *bytes, size_t n);

/**
 * Read n bytes of MJCF into a draft.
 *
 * Understood: bodies and frames with every form of a rotation; hinge, slide, ball and free joints
 * with pos, axis, range, ref, and on joints of one freedom stiffness, springref, damping, armature
 * (rotor inertia) and frictionloss (Coulomb friction); inertial with diaginertia or fullinertia;
 * inertias of simple geoms, and of meshes whose files came along, by mass or density where the
 * compiler infers them; files of the same archive that are included; default classes; springs,
 * dampers and dry friction of fixed tendons, and of spatial ones through sites and pulleys;
 * equality constraints connect, weld and joint, as rigid ones; angle, eulerseq, autolimits,
 * inertiafromgeom, inertiagrouprange, boundmass, boundinertia, balanceinertia and settotalmass of
 * the compiler; gravity; density, viscosity and wind of a fluid, in which bodies are boxes of equal
 * inertia; gravcomp of bodies; and the flags that leave gravity, springs, dampers, dry friction or
 * equality constraints out. Where a file has actuators, joints without one are passive, and the
 * largest torques of the others are limits of effort: gear times range of force, or of control.
 *
 * What else would change M, gravity or passive forces is refused by name, unless its value does
 * nothing (guard.c): actuators that compensate gravity within limits, geoms with a fluid model of
 * their own, masses of meshes that are not there, shells, armature of tendons of several joints or
 * along a path, dry friction of balls and free joints, springs and dampers that are not linear,
 * armature and dampers of actuators, aligned free joints, copies and composites, plugins,
 * deformable bodies.
 * What has no effect is listed as ignored:
 * appearance, contacts, sensors, actuators. What no table here has, and equality constraints by
 * sites or tendons, are the doctor's.
 *
 * The world is the root link "world". Coordinates are those of qpos, but the velocity of a free
 * joint is a twist in the frame of its body, where MuJoCo has its linear part in the world.
 *
 * Returns  false when the file is no robot: draft->problem then holds the faults. tqa_draft_check
 *          is the caller's.
 * Source   mujoco.readthedocs.io/en/stable/XMLreference.html
 * Checked  tests/unit/api/robots/mjcf/test_mjcf.c, test_mjcf_guard.c,
 * tests/peers/test_mujoco_mjcf.py,
 *          tests/fuzz/fuzz_urdf.c
 */
bool tqa_mjcf_read(tqa_draft *draft, const char *bytes, size_t n);

#endif
