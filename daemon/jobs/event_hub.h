/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/event_hub.h - publish and subscribe: job events in memory, and exchanges that wait
 * for them. */
#ifndef TQD_JOBS_EVENT_HUB_H
#define TQD_JOBS_EVENT_HUB_H

#include <pthread.h>

#include "daemon/http/bearer.h"
#include "daemon/http/exchange.h"
#include "daemon/store/jobs.h"

enum {
    TQD_EVENT_HUB_RING = 2048,
    TQD_HUB_EVENT_BYTES = 640, /* of an event as text */
    TQD_HUB_STEP_MS = 10,      /* between ticks while streams wait for their turn */
};

/* A change of state (seq > 0: the event's number in the store) or progress (seq 0: not stored). */
typedef struct tqd_hub_event {
    uint64_t seq;
    char id[TQD_JOB_ID_TEXT];
    char client[TQD_JOB_CLIENT_TEXT]; /* key of whose job it is */
    tqd_job_state state;
    uint32_t attempts;
    int64_t at_ms; /* since 1970 */
    double fraction, eta_s;
    char step[TQD_JOB_STEP_TEXT];
} tqd_hub_event;

/* An event as text; `out` has TQD_HUB_EVENT_BYTES; returns its length. */
typedef size_t tqd_event_print(const tqd_hub_event *news, char *out);

/* A subscription; part of its exchange, from tqd_event_hub_watch to tqd_event_hub_unwatch. */
typedef struct tqd_watch {
    const tqd_head *head;
    char id[TQD_JOB_ID_TEXT]; /* "": all jobs of the head's namespace */
    bool end_only;            /* wake once: at the end of the job, or at until_ms */
    int64_t until_ms;         /* monotonic time of an unconditional wake-up: a stream's next
                                 keep-alive */
    int64_t woken_ms;         /* time of the last wake-up */
    int64_t turn_ms;          /* when news that wait for their turn wake it; INT64_MAX: none do */
    size_t n_alike;           /* streams of all jobs that the same client has, this one included */
    _Atomic bool woken;
    struct tqd_watch *prev, *next;
} tqd_watch;

/* Printed once, when it is published, not by each of its streams. */
typedef struct tqd_hub_slot {
    tqd_hub_event news;
    size_t n_text;
    char text[TQD_HUB_EVENT_BYTES];
} tqd_hub_slot;

/* The newest events, in a ring: a subscriber that is too slow reads the store. Lock: a leaf. */
typedef struct tqd_event_hub {
    pthread_mutex_t mutex;
    uint64_t n; /* events published in all; number i is at i % TQD_EVENT_HUB_RING */
    uint64_t last_seq;
    tqd_watch *watches;
    size_t n_watch, watch_max;
    size_t client_max; /* subscriptions of one client that is alone (share.h); 0: no bound */
    bool stopped;
    int64_t turn; /* the next free one; one is 1/4 ms of the monotonic clock */
    tqd_event_print *print;
    tqd_hub_slot slots[TQD_EVENT_HUB_RING];
} tqd_event_hub;

/* Events as text, for a stream. */
typedef struct tqd_hub_page {
    char *text; /* in: `size` bytes */
    size_t size;
    uint64_t last_seq; /* in and out: number of the last stored event that the stream has */
    size_t n_text, n_event;
    bool lost;  /* some were overwritten in the ring before they were read */
    bool ended; /* the one job of the watch has ended; later events are not read */
} tqd_hub_page;

void tqd_event_hub_init(tqd_event_hub *hub, size_t watch_max, size_t client_max,
                        tqd_event_print *print);
void tqd_event_hub_clear(tqd_event_hub *hub);
/* last_seq: the last event of former processes. */
void tqd_event_hub_begin(tqd_event_hub *hub, uint64_t last_seq);

/* Monotonic, as in tqd_watch. */
int64_t tqd_event_hub_now_ms(void);

/* False: too many subscriptions, of this client if *ret_own. Any thread, as all below. */
bool tqd_event_hub_watch(tqd_event_hub *hub, tqd_watch *watch, bool *ret_own);
/* Sets until_ms of a watch in the list. */
void tqd_event_hub_until(tqd_event_hub *hub, tqd_watch *watch, int64_t until_ms);
void tqd_event_hub_unwatch(tqd_event_hub *hub, tqd_watch *watch);

/* Publishes events and wakes their subscribers; streams of all jobs, of a client that has many, at
 * most every n_alike / 4 ms and not all at once, so that they cost 4,000 wake-ups a second. */
void tqd_event_hub_publish(tqd_event_hub *hub, const tqd_hub_event *news, size_t n);
/* Wakes subscriptions whose turn or until_ms has come. Returns the time until the next one's, at
 * least 0; -1: there is no subscription. */
int64_t tqd_event_hub_tick(tqd_event_hub *hub);
/* Wakes all subscriptions, present and later ones. */
void tqd_event_hub_stop(tqd_event_hub *hub);

/* Position of the next event; *ret_seq is the number of the last one published. */
uint64_t tqd_event_hub_end(tqd_event_hub *hub, uint64_t *ret_seq);

/* Copies the text of events that concern the watch from *position on, as many as have room in the
 * page, and advances. */
void tqd_event_hub_read(tqd_event_hub *hub, const tqd_watch *watch, uint64_t *position,
                        tqd_hub_page *page);

#endif
