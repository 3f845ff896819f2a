/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/event_hub.c - a ring of news and a list of waiting exchanges under one lock. */
#include "daemon/jobs/event_hub.h"

#include <string.h>
#include <time.h>

void tqd_event_hub_init(tqd_event_hub *feed, size_t watch_max)
{
    pthread_mutex_init(&feed->mutex, NULL);
    feed->n = feed->last_seq = 0;
    feed->watches = NULL;
    feed->n_watch = 0;
    feed->watch_max = watch_max;
    feed->stopped = false;
}

void tqd_event_hub_clear(tqd_event_hub *feed)
{
    pthread_mutex_destroy(&feed->mutex);
}

void tqd_event_hub_begin(tqd_event_hub *feed, uint64_t last_seq)
{
    pthread_mutex_lock(&feed->mutex);
    feed->last_seq = last_seq;
    pthread_mutex_unlock(&feed->mutex);
}

int64_t tqd_event_hub_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The lock is held, so the exchange is still open; a wake-up is an atomic exchange and at most one
 * write to an eventfd. */
static void wake(tqd_watch *watch)
{
    if (!watch->end_only || !watch->woken) {
        watch->woken = true;
        watch->head->wake(watch->head);
    }
}

bool tqd_event_hub_watch(tqd_event_hub *feed, tqd_watch *watch)
{
    pthread_mutex_lock(&feed->mutex);
    const bool good = feed->n_watch < feed->watch_max;
    if (good) {
        watch->woken = false;
        watch->prev = NULL;
        watch->next = feed->watches;
        if (feed->watches != NULL) {
            feed->watches->prev = watch;
        }
        feed->watches = watch;
        feed->n_watch++;
        if (feed->stopped) {
            wake(watch);
        }
    }
    pthread_mutex_unlock(&feed->mutex);
    return good;
}

void tqd_event_hub_unwatch(tqd_event_hub *feed, tqd_watch *watch)
{
    pthread_mutex_lock(&feed->mutex);
    if (watch->prev != NULL) {
        watch->prev->next = watch->next;
    } else {
        feed->watches = watch->next;
    }
    if (watch->next != NULL) {
        watch->next->prev = watch->prev;
    }
    feed->n_watch--;
    pthread_mutex_unlock(&feed->mutex);
}

void tqd_event_hub_until(tqd_event_hub *feed, tqd_watch *watch, int64_t until_ms)
{
    pthread_mutex_lock(&feed->mutex);
    watch->until_ms = until_ms;
    pthread_mutex_unlock(&feed->mutex);
}

static bool concerns(const tqd_watch *watch, const tqd_news *news, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const bool mine = watch->id[0] == '\0' || strcmp(watch->id, news[i].id) == 0;
        const bool ends = news[i].seq != 0 && news[i].state >= TQD_JOB_SUCCEEDED;
        if (mine && (!watch->end_only || ends)) {
            return true;
        }
    }
    return false;
}

void tqd_event_hub_publish(tqd_event_hub *feed, const tqd_news *news, size_t n)
{
    pthread_mutex_lock(&feed->mutex);
    for (size_t i = 0; i < n; i++) {
        feed->news[feed->n++ % TQD_EVENT_HUB_NEWS] = news[i];
        if (news[i].seq > feed->last_seq) {
            feed->last_seq = news[i].seq;
        }
    }
    for (tqd_watch *w = feed->watches; w != NULL; w = w->next) {
        if (concerns(w, news, n)) {
            wake(w);
        }
    }
    pthread_mutex_unlock(&feed->mutex);
}

bool tqd_event_hub_tick(tqd_event_hub *feed)
{
    const int64_t now_ms = tqd_event_hub_now_ms();
    pthread_mutex_lock(&feed->mutex);
    for (tqd_watch *w = feed->watches; w != NULL; w = w->next) {
        if (w->until_ms <= now_ms) {
            wake(w);
        }
    }
    const bool any = feed->watches != NULL;
    pthread_mutex_unlock(&feed->mutex);
    return any;
}

void tqd_event_hub_stop(tqd_event_hub *feed)
{
    pthread_mutex_lock(&feed->mutex);
    feed->stopped = true;
    for (tqd_watch *w = feed->watches; w != NULL; w = w->next) {
        wake(w);
    }
    pthread_mutex_unlock(&feed->mutex);
}

uint64_t tqd_event_hub_end(tqd_event_hub *feed, uint64_t *ret_seq)
{
    pthread_mutex_lock(&feed->mutex);
    const uint64_t n = feed->n;
    *ret_seq = feed->last_seq;
    pthread_mutex_unlock(&feed->mutex);
    return n;
}

size_t tqd_event_hub_read(tqd_event_hub *feed, const char *id, uint64_t *position,
                          tqd_news *ret_news, size_t max, bool *ret_lost)
{
    size_t n = 0;
    pthread_mutex_lock(&feed->mutex);
    *ret_lost = feed->n - *position > TQD_EVENT_HUB_NEWS;
    while (!*ret_lost && *position < feed->n && n < max) {
        const tqd_news *news = &feed->news[(*position)++ % TQD_EVENT_HUB_NEWS];
        if (id[0] == '\0' || strcmp(id, news->id) == 0) {
            ret_news[n++] = *news;
        }
    }
    pthread_mutex_unlock(&feed->mutex);
    return n;
}
