/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xml_print.h - attributes and texts of the XML formats that robots are written in. */
#ifndef TQA_ROBOTS_XML_PRINT_H
#define TQA_ROBOTS_XML_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "api/codec/json/text.h"
#include "api/robots/parsed.h"

/* Text of an attribute or an element, escaped. False: it has a character that XML has not. */
bool tqa_xml_put_text(tqa_json_text *text, const char *s);

/* ' key="s"', ' key="x"' and ' key="x y z"'; numbers in the fewest digits that read back alike */
void tqa_xml_put_string(tqa_json_text *text, const char *key, const char *s);
void tqa_xml_put_number(tqa_json_text *text, const char *key, double x);
void tqa_xml_put_numbers(tqa_json_text *text, const char *key, const double *x, size_t n);

/* The element of a joint's law along recorded motion, if it has one. */
void tqa_xml_put_log_law(tqa_json_text *text, const char *indent, tq_log_law law);

/* Parts of a robot that a format cannot express: numbers of joints, and of links whose weight is
 * carried, with them. */
typedef struct tqa_xml_counts {
    unsigned springs, frictions, rotors, turns, drives, velocities;
    unsigned carried, weightless; /* weightless: those of them that are carried whole */
    bool other_gravity;           /* not (0, 0, -9.81) */
} tqa_xml_counts;
void tqa_xml_count(const tqa_robot *robot, tqa_xml_counts *ret);

/* A part of the comment at the head of a file: "rotors of 7 joints"; with n 0 there is none.
 * `after` NULL: no number, `before` alone. */
typedef struct tqa_xml_part {
    unsigned n;
    const char *before, *after;
} tqa_xml_part;

/* A sentence of that comment on a line of its own, "Not expressed: ..., ..."; nothing without
 * parts. */
void tqa_xml_put_parts(tqa_json_text *text, const char *head, const tqa_xml_part *parts,
                       size_t n_part);
/* Whether only some joints are driven. */
bool tqa_xml_has_undriven(const tqa_robot *robot);

/* Beyond damping and Coulomb's friction; a spring; a rotor; limits of a joint without an end. */
bool tqa_xml_has_friction(const tq_friction *f);
bool tqa_xml_has_spring(const tq_joint *joint);
bool tqa_xml_has_rotor(const tq_joint *joint);
bool tqa_xml_has_turn_limits(const tq_joint *joint);

/* Of a spherical or floating joint: its spring rests elsewhere than at the identity. */
bool tqa_xml_rests_elsewhere(const tq_joint *joint);

/* True, with a problem: the robot has no such file, because `obstacle` (a name) `why`. */
bool tqa_xml_refuse(tqa_problem *reterr, const char *obstacle, const char *why);
/* The same where it has a part for which only MJCF and the document have words: constraints,
 * dampers, springs and inertias of spherical and floating joints, tendons, drag. */
bool tqa_xml_has_no_words(const tqa_robot *robot, const char *name, const char *format,
                          tqa_problem *reterr);

/* The element in which a link's gravity compensation is, where the format has no word for it. */
#define TQA_XML_CARRIED "torqued:gravity_compensation"

/* The name of a link, a joint or the robot that XML cannot hold, or NULL. */
const char *tqa_xml_bad_name(const tqa_robot *robot, const char *name);

/* True when the root is only a place: named "world", without mass. Formats whose world is not a
 * link write no body for it. */
bool tqa_xml_root_is_world(const tqa_robot *robot);

/* `base` + `ending`, or with a number, that no link of the robot has; at most `room` bytes. */
void tqa_xml_free_link_name(const tqa_robot *robot, const char *base, const char *ending, char *ret,
                            size_t room);

/* A planar joint as two slides and a hinge: their names are its own with these endings. False: one
 * of them is taken. */
extern const char *const tqa_xml_planar_endings[3];
bool tqa_xml_planar_is_free(const tqa_robot *robot, uint32_t i);

/* Joint i hangs from the root where the world is: 7 coordinates that are a pose in the world. */
bool tqa_xml_floats_in_world(const tqa_robot *robot, uint32_t i);

#endif
