/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/account.c - accounts by name; requests a second. */
#include "daemon/serve/account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/lock.h"

static const int64_t second_ns = 1000000000;

void tqd_accounts_init(tqd_accounts *accounts)
{
    memset(accounts, 0, sizeof *accounts);
    tqd_lock_init(&accounts->mutex);
}

void tqd_accounts_clear(tqd_accounts *accounts)
{
    for (size_t k = 0; k < TQD_ACCOUNTS; k++) {
        tqd_account *account = atomic_load(&accounts->slots[k]);
        if (account != NULL) {
            pthread_mutex_destroy(&account->mutex);
            free(account);
        }
    }
    pthread_mutex_destroy(&accounts->mutex);
}

/* FNV-1a */
static size_t slot_of(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
    }
    return (size_t)(hash % TQD_ACCOUNTS);
}

/* The account, or the first free slot after its hash; TQD_ACCOUNTS: the table is full. */
static tqd_account *look_up(tqd_accounts *accounts, const char *name, size_t *ret_free)
{
    const size_t first = slot_of(name);
    for (size_t i = 0; i < TQD_ACCOUNTS; i++) {
        const size_t k = (first + i) % TQD_ACCOUNTS;
        tqd_account *account = atomic_load_explicit(&accounts->slots[k], memory_order_acquire);
        *ret_free = k;
        if (account == NULL || strcmp(account->name, name) == 0) {
            return account;
        }
    }
    *ret_free = TQD_ACCOUNTS;
    return NULL;
}

tqd_account *tqd_account_find(tqd_accounts *accounts, const char *name)
{
    size_t k = 0;
    tqd_account *account = look_up(accounts, name, &k);
    if (account != NULL || k == TQD_ACCOUNTS) {
        return account;
    }
    pthread_mutex_lock(&accounts->mutex);
    account = look_up(accounts, name, &k); /* another thread may have been first */
    if (account == NULL && k < TQD_ACCOUNTS) {
        account = calloc(1, sizeof *account);
        if (account != NULL) {
            snprintf(account->name, sizeof account->name, "%s", name);
            tqd_lock_init(&account->mutex);
            atomic_store_explicit(&accounts->slots[k], account, memory_order_release);
        }
    }
    pthread_mutex_unlock(&accounts->mutex);
    return account;
}

bool tqd_account_connect(tqd_account *account, tqd_account *former, uint64_t most)
{
    if (former != NULL) {
        atomic_fetch_sub_explicit(&former->n_connection, 1, memory_order_relaxed);
    }
    if (account == NULL) {
        return true;
    }
    const uint64_t before =
        atomic_fetch_add_explicit(&account->n_connection, 1, memory_order_relaxed);
    if (most == 0 || before < most) {
        return true;
    }
    atomic_fetch_sub_explicit(&account->n_connection, 1, memory_order_relaxed);
    return false;
}

int64_t tqd_account_take(tqd_account *account, uint64_t rate, int64_t now_ns)
{
    const int64_t interval_ns = second_ns / (int64_t)rate;
    int64_t due_ns = atomic_load_explicit(&account->arrival_ns, memory_order_relaxed);
    for (;;) {
        const int64_t from_ns = due_ns > now_ns ? due_ns : now_ns;
        /* t_arrival + interval - now <= 1 s, the burst */
        const int64_t over_ns = from_ns + interval_ns - now_ns - second_ns;
        if (over_ns > 0) {
            return over_ns;
        }
        if (atomic_compare_exchange_weak_explicit(&account->arrival_ns, &due_ns,
                                                  from_ns + interval_ns, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            return 0;
        }
    }
}
