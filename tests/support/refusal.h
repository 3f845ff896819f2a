/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/refusal.h - an argument that core refuses: status and location of the error. */
#ifndef TESTS_SUPPORT_REFUSAL_H
#define TESTS_SUPPORT_REFUSAL_H

#include <string.h>

#include "core/base/status.h"

/* call: an expression with `&error`. A scalar argument has index 0. */
#define cr_refused(call, expected, name, at, given)                                                \
    do {                                                                                           \
        tq_error error = {.index = 77, .value = 77.0};                                             \
        cr_assert_eq((call), (expected), "%s", name);                                              \
        cr_assert_str_eq(error.what, (name));                                                      \
        cr_assert_eq(error.index, (size_t)(at), "%s: index %zu", name, error.index);               \
        cr_assert(error.value == (double)(given), "%s: %g", name, error.value);                    \
    } while (0)

#endif
