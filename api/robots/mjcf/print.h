/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/print.h - sections of an exported MJCF; private to this folder. */
#ifndef TQA_ROBOTS_MJCF_PRINT_H
#define TQA_ROBOTS_MJCF_PRINT_H

#include "api/codec/json/text.h"
#include "api/robots/parsed.h"

/* What MuJoCo's conditions for masses and inertias meet. */
typedef struct tqa_mjcf_masses {
    unsigned light; /* bodies that move, whose mass or moments are 0, and so all that is fixed to
                       them */
    unsigned wrong; /* links with a moment that is less than 0 or more than the two others' sum */
    bool bounded;   /* the file makes the light ones heavy enough by the compiler's bounds */
} tqa_mjcf_masses;

/* False: no memory. */
bool tqa_mjcf_weigh(const tqa_robot *robot, tqa_mjcf_masses *ret);

/* <inertial> of link l, indented by `depth`; nothing where it weighs nothing. */
void tqa_mjcf_put_inertial(tqa_json_text *text, const tqa_robot *robot, uint32_t l, uint32_t depth);

/* The comment before everything: what the format cannot express, of what there is. */
void tqa_mjcf_put_lost(tqa_json_text *text, const tqa_robot *robot, const tqa_mjcf_masses *masses);

/* equality, tendon, actuator and custom. */
void tqa_mjcf_put_sections(tqa_json_text *text, const tqa_robot *robot,
                           const tqa_mjcf_masses *masses);

/* tendon; and sites of a body, indented by `depth`, where the link is a point of paths. */
void tqa_mjcf_put_tendons(tqa_json_text *text, const tqa_robot *robot);
void tqa_mjcf_put_sites(tqa_json_text *text, const tqa_robot *robot, uint32_t link, uint32_t depth);

#endif
