/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/robots/test_conditions.c - lists of entity tags, and Accept. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "daemon/robots/conditions.h"

/* clang-format off */
static const struct {
    const char *header, *current;
    bool weak, good;
    const char *tag;
} tags[] = {
    {"\"a\"",             "a", false, true,  "a"},
    {"\"a\"",             "b", false, true,  "a"},
    {" \"a\" , \"b\"",    "b", false, true,  "b"},
    {"\"a\", \"b\"",      "c", false, true,  "a"},
    {"\"a\",\"b\"",       "b", false, true,  "b"},
    {"*",                 "a", false, true,  "*"},
    {" * ",               "",  false, true,  "*"},
    {"W/\"a\"",           "a", true,  true,  "a"},
    {"W/\"a\"",           "a", false, true,  "-"},
    {"W/\"a\", \"b\"",    "a", false, true,  "b"},
    {"\"\"",              "",  false, true,  "-"},
    {"a",                 "a", false, false, NULL},
    {"\"a",               "a", false, false, NULL},
    {"\"a\" \"b\"",       "a", false, true,  "a"},
    {"\"x\" \"b\"",       "a", false, false, NULL},
    {"\"x\",",            "a", false, false, NULL},
    {"* \"a\"",           "a", false, false, NULL},
    {"",                  "a", false, false, NULL},
};
static const struct {
    const char *header;
    bool accepted;
} accepts[] = {
    {NULL, true}, {"", true}, {"*/*", true}, {"application/*", true}, {"application/json", true},
    {"Application/JSON;q=0.5", true}, {"text/html, */*;q=0.1", true}, {"text/html", false},
    {"application/xml", false}, {"application/json;q=0", false}, {"application/json; q=0.000", false},
    {"application/json;q=0.001", true}, {"application/xml, application/json", true},
    {"application/jsonx", false}, {"appl/*", false}, {"applicatiox/*", false}, {",,", false},
};
/* clang-format on */

Test(conditions, tags)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        char tag[TQD_TAG_TEXT];
        const bool good = tqd_tags_reduce(tags[i].header, tags[i].current, tags[i].weak, tag);
        cr_assert(eq(int, good, tags[i].good), "row %zu", i);
        if (good) {
            cr_assert(eq(str, tag, (char *)tags[i].tag), "row %zu", i);
        }
    }
}

Test(conditions, accept)
{
    for (size_t i = 0; i < sizeof accepts / sizeof accepts[0]; i++) {
        cr_assert(eq(int, tqd_accepts(accepts[i].header, "application/json"), accepts[i].accepted),
                  "row %zu: %s", i, accepts[i].header);
    }
}

/* the representation for a client that accepts JSON or XML; JSON if both have the same weight */
Test(conditions, wanted_representation)
{
    static const struct {
        const char *header;
        bool xml;
    } rows[] = {
        {NULL, false},
        {"", false},
        {"*/*", false},
        {"application/xml", true},
        {"application/json", false},
        {"application/xml, application/json", false},
        {"application/xml;q=0.9, application/json;q=0.8", true},
        {"application/xml;q=0.125, application/json;q=0.124", true},
        {"application/xml;q=0.124, application/json;q=0.125", false},
        {"application/xml, */*;q=0.1", true},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true},
        {"application/xml;q=0, */*", false},
        {"application/*;q=0.5, application/json;q=0", true},
        {"Application/XML;q=1.000, application/json;q=0.999", true},
        {"image/png", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool xml = tqd_accept_weight(rows[i].header, "application/xml") >
                         tqd_accept_weight(rows[i].header, "application/json");
        cr_assert(eq(int, xml, rows[i].xml), "row %zu: %s", i, rows[i].header);
    }
    cr_assert(eq(int, (int)tqd_accept_weight("image/png", "application/json"), 0));
}
