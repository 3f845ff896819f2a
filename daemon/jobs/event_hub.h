/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/event_hub.h - news of jobs in memory, and who waits for them. */
#ifndef TQD_JOBS_EVENT_HUB_H
#define TQD_JOBS_EVENT_HUB_H

#include <pthread.h>

#include "daemon/http/exchange.h"
#include "daemon/store/jobs.h"

enum { TQD_EVENT_HUB_NEWS = 2048 };

/* A change of state (seq > 0: the event's number in the store) or progress (seq 0: not kept). */
typedef struct tqd_news {
    uint64_t seq;
    char id[TQD_JOB_ID_TEXT];
    tqd_job_state state;
    uint32_t attempts;
    int64_t at_ms; /* since 1970 */
    double fraction, eta_s;
    char step[TQD_JOB_STEP_TEXT];
} tqd_news;

/* An exchange that wants to be woken; lives inside it, from tqd_event_hub_watch to
 * tqd_event_hub_unwatch. */
typedef struct tqd_watch {
    const tqd_head *head;
    char id[TQD_JOB_ID_TEXT]; /* "": all jobs */
    bool end_only;            /* wake once: when the job has ended, or at until_ms */
    int64_t until_ms;         /* monotonic: wake then in any case; a stream's next sign of life */
    _Atomic bool woken;
    struct tqd_watch *prev, *next;
} tqd_watch;

/* The newest news in a ring: a watch that is too slow goes back to the store. Lock: a leaf. */
typedef struct tqd_event_hub {
    pthread_mutex_t mutex;
    uint64_t n; /* news ever told; number i is at i % TQD_EVENT_HUB_NEWS */
    uint64_t last_seq;
    tqd_watch *watches;
    size_t n_watch, watch_max;
    bool stopped;
    tqd_news news[TQD_EVENT_HUB_NEWS];
} tqd_event_hub;

void tqd_event_hub_init(tqd_event_hub *feed, size_t watch_max);
void tqd_event_hub_clear(tqd_event_hub *feed);
/* The last event before the process began. */
void tqd_event_hub_begin(tqd_event_hub *feed, uint64_t last_seq);

/* Monotonic, as in tqd_watch. */
int64_t tqd_event_hub_now_ms(void);

/* False: too many wait already. Any thread, as all below. */
bool tqd_event_hub_watch(tqd_event_hub *feed, tqd_watch *watch);
/* Sets until_ms of a watch in the list. */
void tqd_event_hub_until(tqd_event_hub *feed, tqd_watch *watch, int64_t until_ms);
void tqd_event_hub_unwatch(tqd_event_hub *feed, tqd_watch *watch);

/* Adds news and wakes whom they concern. */
void tqd_event_hub_publish(tqd_event_hub *feed, const tqd_news *news, size_t n);
/* Wakes those whose time has come; true while anybody waits. */
bool tqd_event_hub_tick(tqd_event_hub *feed);
/* Wakes everybody, for good. */
void tqd_event_hub_stop(tqd_event_hub *feed);

/* Where the next news will be; *ret_seq is the last event told. */
uint64_t tqd_event_hub_end(tqd_event_hub *feed, uint64_t *ret_seq);

/* Copies news from *position on, of one job or all ("" ), and moves on. Returns how many; *ret_lost
 * is set when some have left the ring before they could be read. */
size_t tqd_event_hub_read(tqd_event_hub *feed, const char *id, uint64_t *position,
                          tqd_news *ret_news, size_t max, bool *ret_lost);

#endif
