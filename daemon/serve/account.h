/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/account.h - usage of each client: request rate, bytes of bodies, and requests at the
 * workers. */
#ifndef TQD_SERVE_ACCOUNT_H
#define TQD_SERVE_ACCOUNT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/http/bearer.h"

enum { TQD_ACCOUNTS = 1024 };

struct tqd_client;

/* A client, by the name of its token. Lives as long as the server. */
typedef struct tqd_account {
    char name[TQD_CLIENT_TEXT];
    _Atomic uint64_t body_bytes; /* of bodies that are being received or computed */
    _Atomic uint64_t n_connection;
    _Atomic int64_t arrival_ns; /* time at which the next request conforms to the rate limit
                                    (GCRA) */
    pthread_mutex_t mutex;      /* guards the following members; a leaf */
    struct tqd_client *first;   /* requests that wait for a turn, in order */
    struct tqd_client *last;
    unsigned n_waiting, n_begun; /* begun: in the workers' queue, or running */
} tqd_account;

/* All accounts: an open hash, insertion under the lock, look-up without. Zero-initialised. */
typedef struct tqd_accounts {
    pthread_mutex_t mutex; /* a leaf */
    _Atomic(tqd_account *) slots[TQD_ACCOUNTS];
} tqd_accounts;

void tqd_accounts_init(tqd_accounts *accounts);
void tqd_accounts_clear(tqd_accounts *accounts);
/* The account of this name; NULL when the table is full or memory is short. Any thread. */
tqd_account *tqd_account_find(tqd_accounts *accounts, const char *name);

/* Counts a connection, which was counted for `former` (NULL: for no client), for this client.
 * False: that would exceed `most` (0: no bound), and the connection counts for no client. Both may
 * be NULL. Any thread. */
bool tqd_account_connect(tqd_account *account, tqd_account *former, uint64_t most);

/* Generic cell rate algorithm: `rate` requests a second, with bursts of one second. 0: the request
 * conforms and is counted; else ns until one would conform. Any thread. */
int64_t tqd_account_take(tqd_account *account, uint64_t rate, int64_t now_ns);

#endif
