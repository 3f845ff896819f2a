/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/problems/test_nearest.c - the nearest name, compared with an exhaustive search. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdint.h>
#include <string.h>

#include "api/problems/nearest.h"

enum { WORDS = 12, LETTERS = 9 };

static uint64_t state = 88172645463325252u;

static unsigned below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

static void write_word(char word[LETTERS + 1])
{
    const unsigned n = below(LETTERS + 1);
    for (unsigned i = 0; i < n; i++) {
        word[i] = (char)('a' + below(3));
    }
    word[n] = '\0';
}

/* from its definition */
static size_t distance(const char *a, const char *b)
{
    size_t table[LETTERS + 1][LETTERS + 1];
    for (size_t i = 0; i <= strlen(a); i++) {
        for (size_t j = 0; j <= strlen(b); j++) {
            size_t least = i == 0 ? j : j == 0 ? i : SIZE_MAX;
            if (i > 0 && j > 0) {
                least = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
                least = table[i - 1][j] + 1 < least ? table[i - 1][j] + 1 : least;
                least = table[i][j - 1] + 1 < least ? table[i][j - 1] + 1 : least;
            }
            table[i][j] = least;
        }
    }
    return table[strlen(a)][strlen(b)];
}

Test(nearest, the_first_of_the_least_distance_is_found)
{
    size_t found = 0;
    for (int round = 0; round < 3000; round++) {
        char text[LETTERS + 1];
        char words[WORDS][LETTERS + 1];
        write_word(text);
        tqa_nearest nearest;
        tqa_nearest_init(&nearest, text, strlen(text));
        const char *best = NULL;
        size_t least = nearest.distance;
        for (size_t k = 0; k < WORDS; k++) {
            write_word(words[k]);
            tqa_nearest_offer(&nearest, words[k]);
            if (distance(text, words[k]) < least) {
                least = distance(text, words[k]);
                best = words[k];
            }
        }
        cr_assert(eq(ptr, (void *)nearest.best, (void *)best), "\"%s\"", text);
        found += best != NULL;
    }
    cr_assert(gt(sz, found, 1000));
    cr_assert(lt(sz, found, 3000), "some have none near");
}

Test(nearest, says_what_was_meant_or_what_there_is)
{
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, "Dampping", 8);
    tqa_nearest_offer(&nearest, "friction");
    tqa_nearest_offer(&nearest, "damping");
    cr_expect(eq(str, (char *)tqa_nearest_hint(&nearest), "did you mean \"damping\"?"));
    tqa_nearest_init(&nearest, "xyzzy", 5);
    cr_expect(eq(str, (char *)tqa_nearest_hint(&nearest), "leave it out: nothing is known here"));
    tqa_nearest_offer(&nearest, "friction");
    tqa_nearest_offer(&nearest, "damping");
    cr_expect(eq(str, (char *)tqa_nearest_hint(&nearest), "known here: friction, damping"));
}

Test(nearest, a_name_with_a_word_in_common_comes_before_the_list)
{
    static const char *const names[] = {"friction", "gravity_torque", "mass_matrix"};
    static const char *const hints[][2] = {
        {"sum_of_gravity",
         "did you mean \"gravity_torque\"? known here: friction, gravity_torque, mass_matrix"},
        {"Matrix",
         "did you mean \"mass_matrix\"? known here: friction, gravity_torque, mass_matrix"},
        {"gravity-torque", "did you mean \"gravity_torque\"?"},
        {"the", "known here: friction, gravity_torque, mass_matrix"},
    };
    for (size_t k = 0; k < sizeof hints / sizeof hints[0]; k++) {
        tqa_nearest nearest;
        tqa_nearest_init(&nearest, hints[k][0], strlen(hints[k][0]));
        for (size_t i = 0; i < 3; i++) {
            tqa_nearest_offer(&nearest, names[i]);
        }
        cr_expect(eq(str, (char *)tqa_nearest_hint(&nearest), (char *)hints[k][1]));
    }
    tqa_nearest nearest; /* a long list ends with an ellipsis */
    tqa_nearest_init(&nearest, "sum_of_gravity", 14);
    for (size_t i = 0; i < 60; i++) {
        tqa_nearest_offer(&nearest, names[i % 3]);
    }
    const char *hint = tqa_nearest_hint(&nearest);
    cr_expect(eq(str, (char *)hint + strlen(hint) - 3, "..."));
}

Test(nearest, another_word_says_what_to_write_and_the_first_of_its_names_counts)
{
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, "degrees", 7);
    tqa_nearest_offer(&nearest, "degree");
    tqa_nearest_offer(&nearest, "angles");
    cr_expect(eq(str, (char *)tqa_nearest_hint(&nearest), "say \"angles\": \"deg\""));
    tqa_nearest_init(&nearest, "q", 1);
    tqa_nearest_offer(&nearest, "initial");
    tqa_nearest_offer(&nearest, "setpoint");
    tqa_nearest_offer(&nearest, "waypoints");
    cr_expect(eq(str, (char *)tqa_nearest_hint(&nearest), "did you mean \"setpoint\"?"));
}

/* "return_members" differs from "tell" by 13 edits, while a misspelling may have 2 */
Test(nearest, a_renamed_field_is_hinted_at_however_far_its_new_name_is)
{
    static const char *const renamed[][3] = {
        {"rate", "rows", "rate_hz"},
        {"rate", "axis", "rate_rad_s"},
        {"tell", "cell", "return_members"},
        {"stand", "stands", "setpoint"},
        {"hold", "fold", "setpoint"},
        {"target", "kind", "reference"},
        {"goal", "gaol", "setpoint"},
        {"q", "qd", "initial"},
        {"entropy", "entropy_", "prior_weight"},
        {"seen_from", "from", "frame"},
        {"step", "steps", "step_s"},
    };
    for (size_t k = 0; k < sizeof renamed / sizeof renamed[0]; k++) {
        tqa_nearest nearest;
        tqa_nearest_init(&nearest, renamed[k][0], strlen(renamed[k][0]));
        tqa_nearest_offer(&nearest, renamed[k][1]);
        tqa_nearest_offer(&nearest, renamed[k][2]);
        tqa_nearest_offer(&nearest, renamed[k][1]);
        cr_expect(eq(str, (char *)nearest.best, (char *)renamed[k][2]));
    }
    tqa_nearest nearest; /* not for operations without the new name */
    tqa_nearest_init(&nearest, "rate", 4);
    tqa_nearest_offer(&nearest, "waypoints");
    cr_expect(nearest.best == NULL);
}
