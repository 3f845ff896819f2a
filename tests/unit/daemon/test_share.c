/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/test_share.c - greedy clients that come one after another or in turn leave a
 * part for the next one; the equilibrium is that of Choudhury & Hahne 1998. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stddef.h>

#include "daemon/share.h"

enum { CLIENTS_MAX = 20, ALL = 4096 };

static uint64_t held[CLIENTS_MAX];

static uint64_t total(void)
{
    uint64_t n = 0;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        n += held[i];
    }
    return n;
}

/* One more for client i, if its share and what is free admit it. */
static int take(size_t i, uint64_t alone)
{
    const uint64_t others = total() - held[i];
    const int good = total() < ALL && held[i] < tqd_share_now(ALL, alone, others);
    held[i] += good ? 1 : 0;
    return good;
}

Test(share, alone_a_client_has_its_share_and_never_more_than_all)
{
    cr_assert(eq(u64, tqd_share_now(100, 50, 0), 50));
    cr_assert(eq(u64, tqd_share_now(100, 0, 70), 100), "no share");
    cr_assert(eq(u64, tqd_share_now(100, 100, 70), 100));
    cr_assert(eq(u64, tqd_share_now(100, 50, 60), 20));
    cr_assert(eq(u64, tqd_share_now(100, 50, 100), 1), "what is free decides");
    cr_assert(eq(u64, tqd_share_now(100, 50, 250), 1));
    cr_assert(eq(u64, tqd_share_now(UINT64_C(1) << 62, UINT64_C(1) << 61, UINT64_C(1) << 61),
                 UINT64_C(1) << 60));
}

/* Client after client takes all that it gets: halves of what is left, 2048, 1024, ... */
Test(share, clients_that_come_one_after_another)
{
    uint64_t wanted = ALL / 2;
    for (size_t i = 0; i < 12; i++, wanted /= 2) {
        while (take(i, ALL / 2)) {
        }
        cr_assert(eq(u64, held[i], wanted), "client %zu", i);
    }
}

/* In turn n of them come to x = s (all - (n - 1) x): with s = 1/2 each has all / (n + 1), and so
 * much is free. Each step is a whole one, so it may lack one for each client. */
Test(share, clients_in_turn_have_equal_parts)
{
    for (size_t n = 1; n <= CLIENTS_MAX; n++) {
        for (size_t i = 0; i < CLIENTS_MAX; i++) {
            held[i] = 0;
        }
        for (int more = 1; more != 0;) {
            more = 0;
            for (size_t i = 0; i < n; i++) {
                more += take(i, ALL / 2);
            }
        }
        for (size_t i = 0; i < n; i++) {
            cr_assert(all(le(u64, held[i], ALL / (n + 1) + 1), ge(u64, held[i] + 2, ALL / (n + 1))),
                      "client %zu of %zu has %llu", i, n, (unsigned long long)held[i]);
        }
        cr_assert(ge(u64, ALL - total() + n, ALL / (n + 1)));
    }
}
