/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/observe/test_trace.c - traceparent by W3C Trace Context, section 3.2. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stddef.h>

#include "daemon/observe/trace.h"

#define TRACE  "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"

Test(trace, valid_and_not)
{
    static const struct {
        const char *text;
        bool is_valid, sampled;
    } rows[] = {
        {"00-" TRACE "-" PARENT "-01", true, true},
        {"00-" TRACE "-" PARENT "-00", true, false},
        {"00-" TRACE "-" PARENT "-ff", true, true},
        {"cc-" TRACE "-" PARENT "-01-what-comes", true, true},
        {"cc-" TRACE "-" PARENT "-01", true, true},
        {"cc-" TRACE "-" PARENT "-01.what", false, false},
        {"00-" TRACE "-" PARENT "-01-what", false, false},
        {"ff-" TRACE "-" PARENT "-01", false, false},
        {"00-00000000000000000000000000000000-" PARENT "-01", false, false},
        {"00-" TRACE "-0000000000000000-01", false, false},
        {"00-0AF7651916CD43DD8448EB211C80319C-" PARENT "-01", false, false},
        {"00-" TRACE "-" PARENT "-0x", false, false},
        {"00-" TRACE "-" PARENT "-1", false, false},
        {"00-" TRACE PARENT "--01", false, false},
        {"00_" TRACE "-" PARENT "-01", false, false},
        {"", false, false},
        {NULL, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqd_trace trace;
        char text[TQD_TRACE_TEXT];
        const bool is_valid = tqd_trace_read(rows[i].text, "01KATEST", &trace);
        cr_assert(is_valid == rows[i].is_valid, "row %zu", i);
        if (is_valid) {
            tqd_trace_print(&trace, text);
            cr_assert(eq(str, trace.id, (char *)TRACE));
            cr_assert(trace.sampled == rows[i].sampled, "row %zu", i);
            cr_assert(tqd_trace_read(text, "another", &trace), "%s", text);
        }
    }
}
