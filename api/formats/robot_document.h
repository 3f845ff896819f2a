/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/robot_document.h - robots as JSON documents: our own format, read and printed. */
#ifndef TQA_FORMATS_ROBOT_DOCUMENT_H
#define TQA_FORMATS_ROBOT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "api/formats/draft.h"

/* The document, as it is printed; what may be left out when it is read stands in brackets:
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
 *     origin      [position [m], rotation [3 rows of 3] or quaternion_wxyz]: the joint's frame in
 *                 its parent's
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
 *   links       each:
 *     name
 *     mass, com   [kg; m, in the link's frame], both or neither
 *     inertia, inertia_about   [3 rows of 3, kg m^2, in the link's axes, products negative
 *                 (Ixy = -integral of x y dm); "com" or "origin"], both or neither (a point mass)
 *
 * limits to mimic are for revolute, continuous and prismatic joints only. joints and links may
 * also stand together inside `tree`. The report on PUT adds understood, ignored and doctor, lists
 * of {where, text, count}. */

/**
 * Read a robot document: `links` and `joints` (or both inside `tree`) and `gravity`, as
 * tqa_robot_document prints them, so that what was got can be put again and is the same robot.
 * What a document says of itself beyond that (digest, nq, nv, slices, findings) is computed anew
 * and listed as ignored; a field that nobody knows is a fault.
 *
 * Returns  false when the bytes are no robot: draft->problem then holds every fault found, each
 *          with a JSON pointer. tqa_draft_check is the caller's.
 * Memory   At most 64 levels and a million values; text that claims more is refused unread.
 * Checked  tests/unit/api/formats/test_robot_document.c
 */
bool tqa_robot_document_read(tqa_draft *draft, const char *bytes, size_t n);

#endif
