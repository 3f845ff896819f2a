/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/event_hub.c - a ring of events and a list of waiting exchanges under one lock. */
#include "daemon/jobs/event_hub.h"

#include <string.h>
#include <time.h>

#include "daemon/key.h"
#include "daemon/share.h"

void tqd_event_hub_init(tqd_event_hub *hub, size_t watch_max, size_t client_max)
{
    pthread_mutex_init(&hub->mutex, NULL);
    hub->n = hub->last_seq = 0;
    hub->watches = NULL;
    hub->n_watch = 0;
    hub->watch_max = watch_max;
    hub->client_max = client_max;
    hub->stopped = false;
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

bool tqd_event_hub_watch(tqd_event_hub *hub, tqd_watch *watch, bool *ret_own)
{
    pthread_mutex_lock(&hub->mutex);
    *ret_own = has_share(hub, watch->head->who);
    const bool good = !*ret_own && hub->n_watch < hub->watch_max;
    if (good) {
        watch->woken = false;
        watch->prev = NULL;
        watch->next = hub->watches;
        if (hub->watches != NULL) {
            hub->watches->prev = watch;
        }
        hub->watches = watch;
        hub->n_watch++;
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

void tqd_event_hub_publish(tqd_event_hub *hub, const tqd_hub_event *news, size_t n)
{
    pthread_mutex_lock(&hub->mutex);
    for (size_t i = 0; i < n; i++) {
        hub->news[hub->n++ % TQD_EVENT_HUB_RING] = news[i];
        if (news[i].seq > hub->last_seq) {
            hub->last_seq = news[i].seq;
        }
    }
    for (tqd_watch *w = hub->watches; w != NULL; w = w->next) {
        if (concerns(w, news, n)) {
            wake(w);
        }
    }
    pthread_mutex_unlock(&hub->mutex);
}

bool tqd_event_hub_tick(tqd_event_hub *hub)
{
    const int64_t now_ms = tqd_event_hub_now_ms();
    pthread_mutex_lock(&hub->mutex);
    for (tqd_watch *w = hub->watches; w != NULL; w = w->next) {
        if (w->until_ms <= now_ms) {
            wake(w);
        }
    }
    const bool any = hub->watches != NULL;
    pthread_mutex_unlock(&hub->mutex);
    return any;
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

size_t tqd_event_hub_read(tqd_event_hub *hub, const tqd_watch *watch, uint64_t *position,
                          tqd_hub_event *ret_news, size_t max, bool *ret_lost)
{
    size_t n = 0;
    pthread_mutex_lock(&hub->mutex);
    *ret_lost = hub->n - *position > TQD_EVENT_HUB_RING;
    while (!*ret_lost && *position < hub->n && n < max) {
        const tqd_hub_event *news = &hub->news[(*position)++ % TQD_EVENT_HUB_RING];
        if (is_of(watch, news)) {
            ret_news[n++] = *news;
        }
    }
    pthread_mutex_unlock(&hub->mutex);
    return n;
}
