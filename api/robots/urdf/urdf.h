/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/urdf.h - robots in the Unified Robot Description Format of ROS. */
#ifndef TQA_ROBOTS_URDF_URDF_H
#define TQA_ROBOTS_URDF_URDF_H

#include <stdbool.h>
#include <stddef.h>

#include "api/robots/draft.h"
#include "api/robots/xml.h"

/* A limit this large is none: URDF requires an effort and a velocity even where none is known. */
#define TQA_URDF_NO_LIMIT 1e300

/**
 * Read n bytes of URDF into a draft.
 *
 * Understood: links with their inertia (rotated into the link's axes); joints of all six types
 * with origin, axis, limit, dynamics (damping is viscous friction, friction is Coulomb friction)
 * and mimic; rotor inertia and reduction of a transmission. What tqa_robot_urdf writes for our own
 * eyes is understood too: torqued:gravity, and of joints torqued:friction, torqued:spring,
 * torqued:rotor, torqued:limits. Everything else is listed as ignored. Without torqued:gravity it
 * is (0, 0, -9.81).
 *
 * Returns  false when the file is no robot: draft->problem then holds every fault found, up to
 *          TQA_PROBLEM_FAULTS, each with an XML path and a line. tqa_draft_check is the caller's.
 * Source   wiki.ros.org/urdf/XML; the reader of urdfdom for what the pages leave open.
 * Checked  tests/unit/api/robots/urdf/test_urdf.c, tests/fuzz/fuzz_urdf.c
 */
bool tqa_urdf_read(tqa_draft *draft, const char *bytes, size_t n);

/* Gives the elements of a URDF to a reader one after another, at most TQA_XML_DEPTH_MAX inside each
 * other, until that returns false; faults of the XML are added to the draft. */
typedef void tqa_urdf_source(void *ctx, const tqa_xml_reader *reader);

/* The same as tqa_urdf_read, from wherever the elements come. */
bool tqa_urdf_read_from(tqa_draft *draft, tqa_urdf_source *source, void *ctx);

#endif
