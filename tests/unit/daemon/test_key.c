/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/test_key.c - keys of names in namespaces: no two names have one key. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "daemon/key.h"

Test(key, names_and_namespaces_are_split)
{
    cr_assert(eq(sz, tqd_key_prefix("arm"), 0));
    cr_assert(eq(sz, tqd_key_prefix("lab-a/arm"), 6));
    cr_assert(eq(str, (char *)tqd_key_name("arm"), "arm"));
    cr_assert(eq(str, (char *)tqd_key_name("lab-a/arm"), "arm"));
    cr_assert(eq(str, (char *)tqd_key_name("lab-a/"), ""));
}

Test(key, beside_is_of_one_namespace)
{
    static const char *const keys[] = {"",           "arm",      "lab-a/", "lab-a/arm",
                                       "lab-ab/arm", "lab-/arm", "b/arm"};
    static const int of[] = {0, 0, 1, 1, 2, 3, 4};
    const size_t n = sizeof keys / sizeof keys[0];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            cr_assert(eq(int, tqd_key_is_beside(keys[i], keys[j]), of[i] == of[j]), "%s, %s",
                      keys[i], keys[j]);
        }
    }
}

Test(key, a_key_is_made_of_names_only)
{
    char key[12];
    cr_assert(tqd_key_make("lab-a/ann", "arm", key, sizeof key));
    cr_assert(eq(str, key, "lab-a/arm"));
    cr_assert(tqd_key_make("ann", "arm", key, sizeof key));
    cr_assert(eq(str, key, "arm"));
    cr_assert(not(tqd_key_make("ann", "lab-a/arm", key, sizeof key)));
    cr_assert(not(tqd_key_make("lab-b/", "lab-a/arm", key, sizeof key)));
    cr_assert(tqd_key_make("lab-a/", "12345", key, sizeof key), "fits with its NUL");
    cr_assert(not(tqd_key_make("lab-a/", "123456", key, sizeof key)));
}

Test(key, a_namespace_is_a_word)
{
    static const char longest[] = "12345678901234567890123456789012";
    cr_assert(tqd_namespace_good("lab-A_1.x", 9));
    cr_assert(tqd_namespace_good(longest, strlen(longest)));
    cr_assert(not(tqd_namespace_good("123456789012345678901234567890123", 33)));
    cr_assert(not(tqd_namespace_good("", 0)));
    cr_assert(not(tqd_namespace_good(".lab", 4)));
    cr_assert(not(tqd_namespace_good("a/b", 3)));
    cr_assert(not(tqd_namespace_good("a b", 3)));
}
