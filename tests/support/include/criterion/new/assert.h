/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/include/criterion/new/assert.h - Criterion's header, with gt and ge corrected */
#ifndef TQT_ASSERT_H
#define TQT_ASSERT_H

#include <stddef.h> /* Criterion uses size_t without including it */

#include_next <criterion/new/assert.h>

/* Criterion 2.4.1 has gt(T, a, b) as !(a < b): it passes for a == b and for NaN; ge passes for NaN.
 * Here both evaluate b < a. Tests find this header before Criterion's own: Makefile. */
#undef CRI_BINOP_T_GT
#undef CRI_BINOP_T_GE
#define CRI_BINOP_T_GT(Tag, Actual, Ref) (CRI_BINOP_LT_TAG(Tag, , Ref, Actual))
#define CRI_BINOP_T_GE(Tag, Actual, Ref)                                                           \
    (CRI_BINOP_LT_TAG(Tag, , Ref, Actual) || CRI_BINOP_EQ_TAG(Tag, , Actual, Ref))

#endif
