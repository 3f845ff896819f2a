/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/document.h - robots as JSON documents: our own format, read and printed. */
#ifndef TQA_ROBOTS_DOCUMENT_DOCUMENT_H
#define TQA_ROBOTS_DOCUMENT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "api/robots/draft.h"

/* The document, as it is printed; what may be left out when it is read is in brackets:
 *
 *   name        [text]
 *   description [text for people]
 *   source      [printed only: "urdf", "document"]
 *   digest      [printed only: BLAKE2b-256 of the bytes that were put]
 *   nq, nv      [printed only: rows of q, and of qd, qdd, tau]
 *   root        [printed only: name of the link that is fixed to the world]
 *   gravity     [x, y, z] in the root link's frame, m/s^2
 *   joints      in the order of q, each:
 *     name, kind   fixed, revolute, continuous, prismatic, planar, spherical, floating
 *     parent, child   names of links
 *     origin      [position [m], and one of rotation [3 rows of 3], rpy [roll, pitch, yaw about
 *                 fixed axes, rad], quaternion_wxyz]: the joint's frame in its parent's. rotation
 *                 and rpy are printed together where both are known; then rotation counts
 *     axis        direction in the joint's frame; for planar, the normal; none for the others
 *     q, v        [printed only: index and count of its rows]
 *     limits      [lower, upper (rad or m), velocity (rad/s or m/s), effort (N m or N)]; one that
 *                 is left out does not exist
 *     damping     [N m s/rad or N s/m]
 *     friction    [coulomb, breakaway, offset (N m or N), stribeck_velocity, smoothing (rad/s or
 *                 m/s)], or one number: coulomb
 *     spring      [stiffness (N m/rad or N/m), rest (rad or m)]
 *     rotor       [inertia (kg m^2), ratio (motor turns per joint turn)]
 *     mimic       [joint, multiplier, offset]
 *     drive       [motor {constant, resistance, inductance, inertia, viscous}, gear, amplifier,
 *                 current_limit, current_loop, velocity_loop: drive_fields.h]. The motor's inertia
 *                 is the joint's rotor unless `rotor` states one; its friction adds to `damping`
 *   A joint of kind helical or universal is read as two joints and a link without mass, and printed
 *   as these (compound.h): as a revolute or continuous joint by its name and a prismatic one that
 *   follows it, or as two revolute ones.
 *     pitch       helical: m a turn along `axis`, positive for a right-handed thread, not 0. limits
 *                 to drive are those of the angle
 *     axis2       universal: the second axis, in the frame of the joint at rest, not along `axis`.
 *                 limits, damping, friction, spring and rotor are of each of its two coordinates
 *   links       each:
 *     name
 *     mass, com   [kg; m, in the link's frame], both or neither
 *     inertia, inertia_about   [3 rows of 3, kg m^2, in the link's axes, products negative
 *                 (Ixy = -integral of x y dm); "com" or "origin"], both or neither (a point mass)
 *     solid       instead of these: {shape, size, mass or density, pose [as origin]}, or an array
 *                 of such; shapes and sizes as in core/model/inertia.h, by the words of solid.h
 *
 *   constraints [each with a kind and, if you like, a name; poses of frames as origin]:
 *     loop             a, b: frames {link, position, ...}; [axes: of x y z rx ry rz in a's frame,
 *                      in which b's frame stays on a's; all of them]
 *     distance         a, b: points {link, position}; length
 *     point-on-plane   plane {link, position, normal}; point {link, position}
 *     point-on-sphere  sphere {link, position, radius}; point {link, position}
 *     rolling          body {link, position, radius, [axis: then it is a disk, else a ball]};
 *                      plane, or sphere with [inside: false]; [slips: false], [spins: true: it may
 *                      turn about the normal of the contact]
 *     coupling         coefficients {joint: number}; [offset]: sum of coefficient * q = offset
 *     pfaffian         rows, each {joint: expression}; [equals: numbers]: sum of expression * qd
 *     equation         expression: it is 0
 *                 expressions (expression.h) are texts in names of joints, or numbers
 *   actuated    [names of the joints that are driven; all]
 *   freedoms, assembled   [printed only: what constraints leave, and coordinates that satisfy them]
 *
 * limits to drive are for revolute, continuous and prismatic joints only. joints and links may
 * also be together inside `tree`. Instead of them, one of:
 *
 *   dh   {convention: "standard" or "modified", joints: [{name, [kind: revolute], [theta, d, a,
 *        alpha, offset: 0], [link: {name, mass ... solid}], [pitch of a helical one], [limits to
 *        drive]}], [base, tool: {name, pose, mass ... solid}]}. Frames of links are those of the
 *        table; offset adds to theta, or to d of a slide. Inertias are in the frame of the row.
 *   poe  {joints: [{name, kind, screw: [v, w] in the base frame at q = 0 (w.v is 0, or of a helical
 *        joint pitch / (2 pi)), [link: {name, home [pose
 *        in the base frame at q = 0; identity if absent], mass ... solid or spatial_inertia [6 rows
 *        of 6, linear first, about the link's own frame]}], [limits to drive]}], [tool: {name,
 *        home, mass ... solid}]}
 *   urdf the text of a URDF; its gravity is (0, 0, -9.81) unless `gravity` is given
 *
 * Their base is a link "world". Where a link's frame lies beside its axis, a massless link on the
 * axis carries it (chain.h). The report on PUT adds understood, ignored and doctor, lists
 * of {where, text, count}. */

/**
 * Read a robot document: `links` and `joints` (or both inside `tree`) and `gravity`, as
 * tqa_robot_document prints them, so that what was got can be put again and is the same robot.
 * What a document says of itself beyond that (digest, nq, nv, slices, findings) is computed anew
 * and listed as ignored; an unknown field is a fault.
 *
 * Returns  false when the bytes are no robot: draft->problem then holds every fault found, each
 *          with a JSON pointer. tqa_draft_check is the caller's.
 * Memory   At most 64 levels and a million values; text that claims more is refused unread.
 * Checked  tests/unit/api/robots/document/test_document.c
 */
bool tqa_robot_document_read(tqa_draft *draft, const char *bytes, size_t n);

#endif
