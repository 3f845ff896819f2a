/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/geom_fields.h - solids fixed to links, and the pairs of them that may touch. */
#ifndef TQA_REQUEST_GEOM_FIELDS_H
#define TQA_REQUEST_GEOM_FIELDS_H

#include "api/request/value.h"
#include "core/geometry/geom.h"

/* Solids of a request, in its order. */
typedef struct tqa_geoms {
    size_t n;
    tq_geom *geoms;     /* (n) */
    const char **names; /* (n) from the request, else link, shape and number: "forearm box 2" */
    const char **link_names; /* (n) "world" for a solid without a link */
} tqa_geoms;

/* Why a pair is not considered. */
typedef enum tqa_pair_state {
    TQA_PAIR_FREE,
    TQA_PAIR_SAME_BODY, /* links without a moving joint between them */
    TQA_PAIR_ADJACENT,  /* bodies that one joint connects */
    TQA_PAIR_EXCLUDED,  /* by the request */
    TQA_PAIR_PLANES,    /* two half-spaces */
    TQA_PAIR_STATES,
} tqa_pair_state;

/* Reads an array of solids (CollisionShape of the schema). False: the problem is set. */
bool tqa_value_geoms(const tqa_value *part, tqa_geoms *ret);

/* Reads pairs of names of solids or links, which then are not considered: marks (n x n). */
bool tqa_value_excluded(const tqa_value *part, const tqa_geoms *geoms, bool *ret_marks);

/* State of the pair (i, j). marks: NULL, or of tqa_value_excluded. */
tqa_pair_state tqa_geom_pair(const tqa_robot *robot, const tqa_geoms *geoms, const bool *marks,
                             bool with_adjacent, size_t i, size_t j);

#endif
