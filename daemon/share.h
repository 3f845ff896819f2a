/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/share.h - the share of one client in a bound that all clients have in common. */
#ifndef TQD_SHARE_H
#define TQD_SHARE_H

#include <stdint.h>

/* The most that a client may hold of `all` while other clients hold `others`; a client alone may
 * hold `alone` (0: no share, `all`). At least 1, as a right; what is free decides.
 *
 *   most = alone / all (all - others)
 *
 * A constant share is no protection against several greedy clients: two with a half each leave
 * nothing. With this one n of them that take what they get hold x = s (all - (n - 1) x) each, s =
 * alone / all, so that (1 - s) / (1 + (n - 1) s) of all stays free: 1 / (n + 1) for s = 1/2. Where
 * others came later, a client may hold more than its present share: nothing is taken from it.
 *
 * Source: Choudhury & Hahne, Dynamic queue length thresholds for shared-memory packet switches,
 * IEEE/ACM Transactions on Networking 6(2), 1998, with alpha = s / (1 - s). */
static inline uint64_t tqd_share_now(uint64_t all, uint64_t alone, uint64_t others)
{
    if (alone == 0 || alone >= all) {
        return all;
    }
    const uint64_t left = others < all ? all - others : 0;
    const uint64_t most = (uint64_t)((double)alone / (double)all * (double)left);
    return most > 0 ? most : 1;
}

/* tqd_share_now solved for what the client itself may hold, where the others' part is not known but
 * what is free: own <= alone / (all - alone) free. */
static inline uint64_t tqd_share_of_free(uint64_t all, uint64_t alone, uint64_t unused)
{
    if (alone == 0 || alone >= all) {
        return all;
    }
    const double most = (double)alone / (double)(all - alone) * (double)unused;
    return most < (double)alone ? (uint64_t)most : alone;
}

#endif
