/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xacro/xacro.h - URDF written with xacro's properties, macros and conditions. */
#ifndef TQA_ROBOTS_XACRO_XACRO_H
#define TQA_ROBOTS_XACRO_XACRO_H

#include <stdbool.h>
#include <stddef.h>

#include "api/robots/draft.h"

/* True when the outermost element is a <robot> that names xacro's namespace. */
bool tqa_xacro_recognise(const tqa_draft *draft, const char *bytes, size_t n);

/**
 * Read n bytes of xacro into a draft, as the URDF that they expand to.
 *
 * Understood: xacro:property (values, blocks, default, scope), xacro:macro with every kind of
 * parameter, xacro:arg by its default, xacro:include of files of the same archive, xacro:if and
 * xacro:unless, xacro:insert_block, ${...} with numbers, texts, comparisons, and, or, not, if else
 * and the functions of Python's math, $(arg), $(find), $(optenv) by its default, $(eval).
 * Everything else of xacro is refused by name: lists, dictionaries, YAML, the environment.
 *
 * Bounds   200,000 elements, 32 calls inside each other, 2,000,000 steps of evaluation.
 * Returns  false when it cannot be expanded, or is no robot: draft->problem then holds the faults,
 *          with lines of the files as they are. tqa_draft_check is the caller's.
 * Source   github.com/ros/xacro/wiki; the program itself for what that leaves open
 * Checked  tests/contract/test_xacro.py, tests/peers/models.py, tests/fuzz/fuzz_urdf.c
 */
bool tqa_xacro_read(tqa_draft *draft, const char *bytes, size_t n);

#endif
