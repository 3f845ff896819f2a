/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/http/test_header.c - names in any case, and no similar names. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <ctype.h>
#include <string.h>

#include "daemon/http/header.h"

static const struct {
    const char *name;
    tqd_header header;
} cases[] = {
    {"Host", TQD_HEADER_HOST},
    {"Accept", TQD_HEADER_ACCEPT},
    {"Origin", TQD_HEADER_ORIGIN},
    {"Prefer", TQD_HEADER_PREFER},
    {"Expect", TQD_HEADER_EXPECT},
    {"Content-Type", TQD_HEADER_CONTENT_TYPE},
    {"Content-Length", TQD_HEADER_CONTENT_LENGTH},
    {"Content-Encoding", TQD_HEADER_CONTENT_ENCODING},
    {"Transfer-Encoding", TQD_HEADER_TRANSFER_ENCODING},
    {"Torqued-Deadline", TQD_HEADER_DEADLINE},
    {"Traceparent", TQD_HEADER_TRACEPARENT},
};

Test(header, any_case_of_the_letters_and_no_other_byte)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char name[32];
        const size_t n = strlen(cases[k].name);
        memcpy(name, cases[k].name, n);
        cr_expect(tqd_header_find(name, n) == cases[k].header, "%s", cases[k].name);
        for (size_t i = 0; i < n; i++) {
            name[i] = (char)tolower((unsigned char)name[i]);
        }
        cr_expect(tqd_header_find(name, n) == cases[k].header, "%s, small", cases[k].name);
        for (size_t i = 0; i < n; i++) {
            const char kept = name[i];
            for (int c = 0; c < 256; c++) {
                name[i] = (char)c;
                const bool same = tolower(c) == (unsigned char)kept && c < 128;
                const tqd_header found = tqd_header_find(name, n);
                cr_expect(same == (found == cases[k].header), "%s with byte %d at %zu",
                          cases[k].name, c, i);
            }
            name[i] = kept;
        }
    }
}

Test(header, others)
{
    static const char *const names[] = {"",        "X",      "Hos",          "Hosts",
                                        "Accepts", "Cookie", "X-Request-Id", "Content-Lengthy",
                                        "Referer", "Upgrade"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        cr_expect(tqd_header_find(names[k], strlen(names[k])) == TQD_HEADER_OTHER, "%s", names[k]);
    }
}
