/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/assert.h - Criterion's assertions, with gt and ge put right; every test gets it. */
#ifndef TQT_ASSERT_H
#define TQT_ASSERT_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* Criterion 2.4.1 has gt(T, a, b) as !(a < b): it passes for a == b and for NaN; ge passes for NaN.
 * Here both ask whether b < a. The Makefile includes this header before each test's first line. */
#undef CRI_BINOP_T_GT
#undef CRI_BINOP_T_GE
#define CRI_BINOP_T_GT(Tag, Actual, Ref) (CRI_BINOP_LT_TAG(Tag, , Ref, Actual))
#define CRI_BINOP_T_GE(Tag, Actual, Ref)                                                           \
    (CRI_BINOP_LT_TAG(Tag, , Ref, Actual) || CRI_BINOP_EQ_TAG(Tag, , Actual, Ref))

#endif
