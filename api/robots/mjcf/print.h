/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/print.h - sections of an exported MJCF; private to this folder. */
#ifndef TQA_ROBOTS_MJCF_PRINT_H
#define TQA_ROBOTS_MJCF_PRINT_H

#include "api/codec/json/text.h"
#include "api/robots/parsed.h"

/* The comment before everything: what the format cannot express, of what there is. */
void tqa_mjcf_put_lost(tqa_json_text *text, const tqa_robot *robot);

/* equality, tendon, actuator and custom. */
void tqa_mjcf_put_sections(tqa_json_text *text, const tqa_robot *robot);

/* tendon; and sites of a body, indented by `depth`, where the link is a point of paths. */
void tqa_mjcf_put_tendons(tqa_json_text *text, const tqa_robot *robot);
void tqa_mjcf_put_sites(tqa_json_text *text, const tqa_robot *robot, uint32_t link, uint32_t depth);

#endif
