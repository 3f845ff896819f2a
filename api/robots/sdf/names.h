/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/names.h - names as SDF has them: unique among links and joints, without "::". */
#ifndef TQA_ROBOTS_SDF_NAMES_H
#define TQA_ROBOTS_SDF_NAMES_H

#include "api/robots/parsed.h"

/* The names of a robot's links and joints in the file: their own, or, where SDF forbids that, a
 * made one, with the own one in <torqued:name>. */
typedef struct tqa_sdf_names {
    const tqa_robot *robot;
    const char **links, **joints;
    /* of the slides of planar joint i, 2 i and 2 i + 1: joints that the robot does not have, by the
     * names of the other formats (own) and of the file, and their links */
    const char **own_slides, **slides, **slide_links;
    char *made; /* n_made of TQA_NAME_MAX bytes each */
    size_t n_made;
    unsigned n_other; /* links and joints with another name than their own */
} tqa_sdf_names;

/* False: no memory. Cost: a look-up for each link and joint. */
bool tqa_sdf_names_init(tqa_sdf_names *names, const tqa_robot *robot);
void tqa_sdf_names_free(tqa_sdf_names *names);

/* `base` + `ending`, or with a number, which no link and no joint of the file has. */
void tqa_sdf_names_other(const tqa_sdf_names *names, const char *base, const char *ending,
                         char ret[TQA_NAME_MAX]);

#endif
