/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/compound.h - joints of files that are two joints of core, with a link without mass
 * between them. */
#ifndef TQA_ROBOTS_COMPOUND_H
#define TQA_ROBOTS_COMPOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "api/robots/draft.h"

/* Helical (a screw): a joint that turns by q and has the joint's name, then along the same axis a
 * slide that follows it, "<name>_advance", by pitch / (2 pi) q. The pitch is in metres a turn, that
 * of a right-handed thread positive. Limits, friction, spring, rotor and drive are those of the
 * angle, and so is the torque: the slide's force times pitch / (2 pi) is part of it.
 *
 * Universal (a Hooke joint): a joint that turns about the first axis and has the joint's name, then
 * one about the second, "<name>_axis2". Limits, friction, spring and rotor are of each of them. */
typedef enum tqa_compound { TQA_COMPOUND_NONE, TQA_HELICAL, TQA_UNIVERSAL } tqa_compound;

/* The compound whose word in a robot document this is; NONE: none. */
tqa_compound tqa_compound_find(const char *word);

/* A name with an ending, or, where that would be too long, one made of the number. Arena. */
const char *tqa_compound_name(tqa_arena *arena, const char *name, const char *ending,
                              uint32_t number);
/* Names of the second joint and of the link between: "<name>_advance" and "<name>_nut", or
 * "<name>_axis2" and "<name>_cross"; number: of the first joint. */
const char *tqa_compound_joint(tqa_arena *arena, tqa_compound compound, const char *name,
                               uint32_t number);
const char *tqa_compound_link(tqa_arena *arena, tqa_compound compound, const char *name,
                              uint32_t number);

/* The least size of a pitch, metres a turn: a hundredth of an atom. What 1 kg on the slide adds to
 * the mass matrix, (pitch / (2 pi))^2 = 2.5e-26 kg m^2, is then below the rounding of a spindle of
 * 1e-9 kg m^2; further down numbers underflow to a slide that stands still. */
#define TQA_PITCH_LEAST 1e-12

/* A pitch that can be had; false: a fault at the place was added. */
bool tqa_helical_check(tqa_draft *draft, double pitch, const char *pointer);

/* joints[first] leads from its parent to its child as in the file, with all that it has. Afterwards
 * it carries the link `between`, and joints[first + 1] leads from there to its child. */
void tqa_helical_split(tq_joint *joints, uint32_t first, uint32_t between);
void tqa_universal_split(tq_joint *joints, uint32_t first, uint32_t between, const double axis2[3]);

/* Lets the slide follow what the turning joint `first` follows, or it itself, once limits and mimic
 * of that are known. */
void tqa_helical_settle(tq_joint *joints, uint32_t first, double pitch);

/* "Understood": what a joint of the file is here. The names are those of its first and second
 * joint, and of the link between; pitch: of a helical one. */
void tqa_compound_report(tqa_draft *draft, const char *const names[3], double pitch);

#endif
