/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/serve/turns.c - fair queueing for the workers: a client has a few requests in their queue
 * at a time, its other requests wait here, so that those of other clients are not delayed. */
#include "daemon/serve/server_private.h"

static void run(void *client);

static bool submit(tqd_client *client)
{
    const tqd_server_options *options = &client->loop->server->options;
    const bool is_soon = !client->request.is_patient && options->submit_soon != NULL;
    return (is_soon ? options->submit_soon : options->submit)(options->submit_ctx, run, client);
}

tqd_turn tqd_turn_submit(tqd_client *client)
{
    const tqd_server_options *options = &client->loop->server->options;
    tqd_account *account = client->request.account;
    if (account == NULL) {
        return submit(client) ? TQD_TURN_TAKEN : TQD_TURN_FULL;
    }
    pthread_mutex_lock(&account->mutex);
    const bool begins = account->n_begun < options->turns_max;
    const bool waits = !begins && account->n_waiting < options->client_queue_max;
    if (begins) {
        account->n_begun++;
    } else if (waits) {
        client->request.waits_turn = true;
        client->next_turn = NULL;
        if (account->last != NULL) {
            account->last->next_turn = client;
        } else {
            account->first = client;
        }
        account->last = client;
        account->n_waiting++;
    }
    pthread_mutex_unlock(&account->mutex);
    if (begins && !submit(client)) {
        pthread_mutex_lock(&account->mutex);
        account->n_begun--;
        pthread_mutex_unlock(&account->mutex);
        return TQD_TURN_FULL;
    }
    return begins || waits ? TQD_TURN_TAKEN : TQD_TURN_OWN_FULL;
}

/* The client's next request to be queued when one has ended; NULL: none waits. */
static tqd_client *pass_turn(tqd_account *account)
{
    pthread_mutex_lock(&account->mutex);
    tqd_client *next = account->first;
    if (next == NULL) {
        account->n_begun--;
    } else {
        account->first = next->next_turn;
        account->last = account->first != NULL ? account->last : NULL;
        account->n_waiting--;
        next->request.waits_turn = false;
    }
    pthread_mutex_unlock(&account->mutex);
    return next;
}

/* Removes the request from the client's list; false: it is not in the list. */
static bool leave(tqd_account *account, tqd_client *client)
{
    pthread_mutex_lock(&account->mutex);
    const bool waited = client->request.waits_turn;
    tqd_client *before = NULL;
    for (tqd_client *at = waited ? account->first : NULL; at != NULL && at != client;
         at = at->next_turn) {
        before = at;
    }
    if (waited) {
        *(before != NULL ? &before->next_turn : &account->first) = client->next_turn;
        account->last = account->last == client ? before : account->last;
        account->n_waiting--;
        client->request.waits_turn = false;
    }
    pthread_mutex_unlock(&account->mutex);
    return waited;
}

/* a task of the workers: runs a request, and begins the client's next one */
static void run(void *arg)
{
    tqd_client *client = arg;
    while (client != NULL) {
        tqd_account *account = client->request.account;
        tqd_request_compute(client);
        tqd_client *next = account != NULL ? pass_turn(account) : NULL;
        if (next != NULL && submit(next)) {
            next = NULL;
        }                             /* the queue is full: this worker runs it */
        tqd_request_complete(client); /* last statement: the server may end when the request is
                                         complete, with its accounts */
        client = next;
    }
}

bool tqd_turn_withdraw(tqd_client *client)
{
    const tqd_server_options *options = &client->loop->server->options;
    tqd_account *account = client->request.account;
    if (account != NULL && leave(account, client)) {
        return true;
    }
    if (options->withdraw == NULL || !options->withdraw(options->submit_ctx, run, client)) {
        return false;
    }
    /* its place in the queue is free for the next request */
    tqd_client *next = account != NULL ? pass_turn(account) : NULL;
    if (next != NULL && !submit(next)) {
        pthread_mutex_lock(&account->mutex); /* first again: for the next request that ends */
        account->n_begun--;
        next->next_turn = account->first;
        account->first = next;
        account->last = account->last != NULL ? account->last : next;
        account->n_waiting++;
        next->request.waits_turn = true;
        pthread_mutex_unlock(&account->mutex);
    }
    return true;
}
