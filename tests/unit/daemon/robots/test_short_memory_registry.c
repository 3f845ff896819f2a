/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/robots/test_short_memory_registry.c - each allocation of a registry's start
 * fails once: no registry, with a reason, or one with all robots. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "tests/support/short_memory.h"
#include "tests/unit/daemon/robots/fake.h"

TestSuite(short_registry, .init = setup, .fini = teardown, .timeout = 100);

enum { STORED = 3, WALK_MAX = 5000 };

/* the parser of the tests does not survive a failed allocation */
static tqa_robot *parse_spared(tqa_media media, const char *bytes, size_t n, tqa_problem *reterr)
{
    const bool was = tqt_short_pause();
    tqa_robot *robot = fake_parse(media, bytes, n, reterr);
    tqt_short_resume(was);
    return robot;
}

static void put_robots(void)
{
    static const tqd_condition always = {.if_match = NULL};
    for (unsigned i = 0; i < STORED; i++) {
        char bytes[32], name[32];
        const int n = snprintf(bytes, sizeof bytes, "robot %u", 10 + i);
        snprintf(name, sizeof name, "arm-%u", i);
        tqa_problem problem;
        const tqa_robot *held = NULL;
        bool created = false;
        tqa_robot *robot = fake_parse(TQA_MEDIA_XML, bytes, (size_t)n, &problem);
        cr_assert(tqd_registry_put(registry, name, robot, bytes, (size_t)n, &always, &held,
                                   &created, &problem));
        tqd_registry_release(registry, held);
    }
}

static void assert_whole(tqd_registry *made, size_t k)
{
    size_t n = 0;
    tqd_registry_row *rows = tqd_registry_list(made, &n);
    cr_assert(rows != NULL);
    cr_assert(eq(sz, n, fake_count() + STORED), "allocation %zu", k);
    free(rows);
}

Test(short_registry, starts_with_all_robots_or_says_why_not)
{
    tqd_robot_parser parser = fake_parser;
    parser.parse = parse_spared;
    const tqd_registry_options options = {.store = store, .parser = &parser};
    put_robots();
    const int parsed = parsed_now;
    size_t k = 0, n = 1, n_refused = 0;
    while (n >= k && k < WALK_MAX) {
        char why[TQD_STORE_WHY] = "";
        k++;
        tqt_short_begin(k, 1);
        tqd_registry *made = tqd_registry_new(&options, why);
        n = tqt_short_end();
        if (made == NULL) {
            n_refused++;
            cr_assert(strstr(why, "memory") != NULL, "allocation %zu: \"%s\"", k, why);
        } else {
            assert_whole(made, k);
        }
        tqd_registry_free(made);
        cr_assert(eq(int, parsed_now, parsed), "allocation %zu", k);
    }
    cr_assert(lt(sz, k, (size_t)WALK_MAX));
    /* itself, cache, built-ins and their names, names of stored ones: none can be missing */
    cr_assert(ge(sz, n_refused, 3 + 2 * fake_count() + STORED));
}
