/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/event_hub.c - a ring of events and a list of waiting exchanges under one lock. */
#include "daemon/jobs/event_hub.h"

#include <string.h>
#include <time.h>

#include "daemon/key.h"
#include "daemon/lock.h"
#include "daemon/share.h"

/* of a client with 40 streams or more; news of fewer are sent as they come */
enum { WAKES_MS = 4, PACED_LEAST_MS = 10 };

void tqd_event_hub_init(tqd_event_hub *hub, size_t watch_max, size_t client_max,
                        tqd_event_print *print)
{
    hub->print = print;
    tqd_lock_init(&hub->mutex);
    hub->n = hub->last_seq = 0;
    hub->watches = NULL;
    hub->n_watch = 0;
    hub->watch_max = watch_max;
    hub->client_max = client_max;
    hub->stopped = false;
    hub->turn = 0;
}

void tqd_event_hub_clear(tqd_event_hub *hub)
{
    pthread_mutex_destroy(&hub->mutex);
}

void tqd_event_hub_begin(tqd_event_hub *hub, uint64_t last_seq)
{
    pthread_mutex_lock(&hub->mutex);
    hub->last_seq = last_seq;
    pthread_mutex_unlock(&hub->mutex);
}

int64_t tqd_event_hub_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The lock is held, so the exchange is still open. Cost: an atomic exchange and at most one write
 * to an eventfd. */
static void wake(tqd_watch *watch)
{
    if (!watch->end_only || !watch->woken) {
        watch->woken = true;
        watch->head->wake(watch->head);
    }
}

/* True if the client already has the maximum number of subscriptions. The lock is held. */
static bool has_share(const tqd_event_hub *hub, const tqd_identity *who)
{
    if (who == NULL || who->client[0] == '\0') {
        return false;
    }
    const uint64_t own_max = who->limits.streams;
    size_t n = 0;
    if (own_max == 0 && hub->client_max == 0) {
        return false;
    }
    for (const tqd_watch *w = hub->watches; w != NULL; w = w->next) {
        n += w->head->who != NULL && strcmp(w->head->who->client, who->client) == 0;
    }
    return n >= (own_max != 0 ? own_max
                              : tqd_share_now(hub->watch_max, hub->client_max, hub->n_watch - n));
}

static const char *client_of(const tqd_watch *watch)
{
    return watch->head->who != NULL ? watch->head->who->client : "";
}

static bool is_of_all_jobs(const tqd_watch *watch)
{
    return watch->id[0] == '\0' && !watch->end_only;
}

/* After a stream of `client` has come or gone. The lock is held. */
static void count_alike(tqd_event_hub *hub, const char *client)
{
    size_t n = 0;
    for (tqd_watch *w = hub->watches; w != NULL; w = w->next) {
        n += is_of_all_jobs(w) && strcmp(client_of(w), client) == 0;
    }
    for (tqd_watch *w = hub->watches; w != NULL; w = w->next) {
        if (is_of_all_jobs(w) && strcmp(client_of(w), client) == 0) {
            w->n_alike = n;
        }
    }
}

bool tqd_event_hub_watch(tqd_event_hub *hub, tqd_watch *watch, bool *ret_own)
{
    pthread_mutex_lock(&hub->mutex);
    *ret_own = has_share(hub, watch->head->who);
    const bool good = !*ret_own && hub->n_watch < hub->watch_max;
    if (good) {
        watch->woken = false;
        watch->woken_ms = 0;
        watch->turn_ms = INT64_MAX;
        watch->n_alike = 1;
        watch->prev = NULL;
        watch->next = hub->watches;
        if (hub->watches != NULL) {
            hub->watches->prev = watch;
        }
        hub->watches = watch;
        hub->n_watch++;
        if (is_of_all_jobs(watch)) {
            count_alike(hub, client_of(watch));
        }
        if (hub->stopped) {
            wake(watch);
        }
    }
    pthread_mutex_unlock(&hub->mutex);
    return good;
}

void tqd_event_hub_unwatch(tqd_event_hub *hub, tqd_watch *watch)
{
    pthread_mutex_lock(&hub->mutex);
    if (watch->prev != NULL) {
        watch->prev->next = watch->next;
    } else {
        hub->watches = watch->next;
    }
    if (watch->next != NULL) {
        watch->next->prev = watch->prev;
    }
    hub->n_watch--;
    if (is_of_all_jobs(watch)) {
        count_alike(hub, client_of(watch));
    }
    pthread_mutex_unlock(&hub->mutex);
}

void tqd_event_hub_until(tqd_event_hub *hub, tqd_watch *watch, int64_t until_ms)
{
    pthread_mutex_lock(&hub->mutex);
    watch->until_ms = until_ms;
    pthread_mutex_unlock(&hub->mutex);
}

/* Of its one job, or of a job of its namespace. */
static bool is_of(const tqd_watch *watch, const tqd_hub_event *news)
{
    return watch->id[0] != '\0'
               ? strcmp(watch->id, news->id) == 0
               : tqd_key_is_beside(news->client, tqd_identity_key(watch->head->who));
}

static bool concerns(const tqd_watch *watch, const tqd_hub_event *news, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const bool mine = is_of(watch, &news[i]);
        const bool ends = news[i].seq != 0 && news[i].state >= TQD_JOB_SUCCEEDED;
        if (mine && (!watch->end_only || ends)) {
            return true;
        }
    }
    return false;
}

static void put(tqd_event_hub *hub, const tqd_hub_event *news)
{
    tqd_hub_slot *slot = &hub->slots[hub->n++ % TQD_EVENT_HUB_RING];
    slot->news = *news;
    slot->n_text = hub->print(news, slot->text);
    if (news->seq > hub->last_seq) {
        hub->last_seq = news->seq;
    }
}

/* Wakes the subscription now, or lets tqd_event_hub_tick wake it when its turn has come. Turns are
 * 1 / WAKES_MS apart: streams that were woken by the same news are not woken together again. */
static void wake_in_turn(tqd_event_hub *hub, tqd_watch *watch, int64_t now_ms)
{
    const int64_t pace_ms = is_of_all_jobs(watch) ? (int64_t)watch->n_alike / WAKES_MS : 0;
    if (pace_ms >= PACED_LEAST_MS) {
        if (watch->turn_ms != INT64_MAX) {
            return;
        }
        const int64_t turn = hub->turn > now_ms * WAKES_MS ? hub->turn : now_ms * WAKES_MS;
        const int64_t free_ms = turn / WAKES_MS / TQD_HUB_STEP_MS * TQD_HUB_STEP_MS;
        const int64_t next_ms = watch->woken_ms + pace_ms;
        const int64_t turn_ms = next_ms > free_ms ? next_ms : free_ms;
        hub->turn = turn + 1;
        if (turn_ms > now_ms) {
            watch->turn_ms = turn_ms;
            return;
        }
    }
    watch->woken_ms = now_ms;
    wake(watch);
}

void tqd_event_hub_publish(tqd_event_hub *hub, const tqd_hub_event *news, size_t n)
{
    const int64_t now_ms = tqd_event_hub_now_ms();
    pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < n; i++) {
        put(hub, &news[i]);
    }
    for (tqd_watch *w = hub->watches; w != NULL; w = w->next) {
        if (concerns(w, news, n)) {
            wake_in_turn(hub, w, now_ms);
        }
    }
    pthread_mutex_unlock(&hub->mutex);
}

int64_t tqd_event_hub_tick(tqd_event_hub *hub)
{
    const int64_t now_ms = tqd_event_hub_now_ms();
    int64_t next_ms = INT64_MAX;
    pthread_mutex_lock(&hub->mutex);
    for (tqd_watch *w = hub->watches; w != NULL; w = w->next) {
        const int64_t at_ms = w->turn_ms < w->until_ms ? w->turn_ms : w->until_ms;
        if (at_ms <= now_ms) {
            w->woken_ms = now_ms;
            w->turn_ms = INT64_MAX;
            wake(w);
        } else if (at_ms < next_ms) {
            next_ms = at_ms;
        }
    }
    const bool any = hub->watches != NULL;
    pthread_mutex_unlock(&hub->mutex);
    return any ? next_ms - now_ms : -1;
}

void tqd_event_hub_stop(tqd_event_hub *hub)
{
    pthread_mutex_lock(&hub->mutex);
    hub->stopped = true;
    for (tqd_watch *w = hub->watches; w != NULL; w = w->next) {
        wake(w);
    }
    pthread_mutex_unlock(&hub->mutex);
}

uint64_t tqd_event_hub_end(tqd_event_hub *hub, uint64_t *ret_seq)
{
    pthread_mutex_lock(&hub->mutex);
    const uint64_t n = hub->n;
    *ret_seq = hub->last_seq;
    pthread_mutex_unlock(&hub->mutex);
    return n;
}

/* False: the page has no room for it. */
static bool add_text(tqd_hub_page *page, const tqd_watch *watch, const tqd_hub_slot *slot)
{
    const tqd_hub_event *news = &slot->news;
    if (!is_of(watch, news) || (news->seq != 0 && news->seq <= page->last_seq)) {
        return true; /* of others, or already sent from the store */
    }
    if (page->size - page->n_text < slot->n_text) {
        return false;
    }
    memcpy(page->text + page->n_text, slot->text, slot->n_text);
    page->n_text += slot->n_text;
    page->n_event++;
    if (news->seq != 0) {
        page->last_seq = news->seq;
        page->ended = watch->id[0] != '\0' && news->state >= TQD_JOB_SUCCEEDED;
    }
    return true;
}

void tqd_event_hub_read(tqd_event_hub *hub, const tqd_watch *watch, uint64_t *position,
                        tqd_hub_page *page)
{
    page->n_text = page->n_event = 0;
    page->ended = false;
    pthread_mutex_lock(&hub->mutex);
    page->lost = hub->n - *position > TQD_EVENT_HUB_RING;
    while (!page->lost && !page->ended && *position < hub->n &&
           add_text(page, watch, &hub->slots[*position % TQD_EVENT_HUB_RING])) {
        (*position)++;
    }
    pthread_mutex_unlock(&hub->mutex);
}
