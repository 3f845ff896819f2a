/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/robot_writer.h - points, inertias and rows of joints as members of an answer. */
#ifndef TQA_RESPONSE_ROBOT_WRITER_H
#define TQA_RESPONSE_ROBOT_WRITER_H

#include "api/codec/writer.h"
#include "api/request/robot_fields.h"

/* mass, com, inertia and inertia_about, into the open object: it can be sent back unchanged. */
void tqa_writer_inertia(tqa_writer *answer, const tq_inertia *inertia);

/* {link, at} in an answer, into the open object. */
void tqa_writer_point(tqa_writer *answer, const tqa_robot *robot, const tqa_point *point);
/* The names of the moving joints in the request's order. */
void tqa_writer_joints(tqa_writer *answer, const tqa_robot *robot, const tqa_order *order);
/* Rows of q, or of rates, in the unit of the request: in place. */
void tqa_rows_to_user(const tqa_tree *tree, tqa_row_kind kind, double *rows, size_t n_sample);
/* An array of rows in the user's order; `flat` leaves out the outer rank, which is then 1. */
void tqa_writer_rows(tqa_writer *answer, const char *key, double *rows, size_t n_sample, bool flat,
                     const uint32_t *map, size_t n);

#endif
