/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/jobs/test_event_hub.c - subscriptions of a hub in memory that held anything:
 * woken by what concerns them, at their time, and when the hub stops. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/jobs/document.h"

enum { WATCHES = 3 };

typedef struct subscriber {
    tqd_head head; /* first */
    tqd_watch watch;
    int n_wake;
} subscriber;

static tqd_event_hub *hub;
static subscriber all[WATCHES];

static void count_wake(const tqd_head *head)
{
    ((subscriber *)(uintptr_t)head)->n_wake++;
}

static void setup(void)
{
    hub = malloc(sizeof *hub);
    cr_assert(hub != NULL);
    memset(hub, 0xff, sizeof *hub);
    tqd_event_hub_init(hub, WATCHES - 1, 0, tqd_hub_event_print);
    memset(all, 0, sizeof all);
    for (size_t i = 0; i < WATCHES; i++) {
        all[i].head.wake = count_wake;
        all[i].watch.head = &all[i].head;
        all[i].watch.until_ms = INT64_MAX;
        snprintf(all[i].watch.id, sizeof all[i].watch.id, "job-%zu", i);
    }
}

static void teardown(void)
{
    tqd_event_hub_clear(hub);
    free(hub);
}

TestSuite(event_hub, .init = setup, .fini = teardown, .timeout = 60);

static void publish(const char *id, uint64_t seq, tqd_job_state state)
{
    tqd_hub_event news = {.seq = seq, .state = state};
    snprintf(news.id, sizeof news.id, "%s", id);
    tqd_event_hub_publish(hub, &news, 1);
}

Test(event_hub, a_new_hub_runs_and_is_empty)
{
    bool own = true;
    uint64_t last = 1, position = 0;
    char text[TQD_HUB_EVENT_BYTES];
    tqd_hub_page page = {.text = text, .size = sizeof text};
    cr_assert(eq(u64, tqd_event_hub_end(hub, &last), (uint64_t)0));
    cr_assert(eq(u64, last, (uint64_t)0));
    cr_assert(tqd_event_hub_watch(hub, &all[0].watch, &own));
    cr_assert(not(own));
    cr_assert(eq(int, all[0].n_wake, 0)); /* only a stopped one wakes at once */
    tqd_event_hub_read(hub, &all[0].watch, &position, &page);
    cr_assert(all(eq(sz, page.n_event, (size_t)0), not(page.lost), not(page.ended)));
    tqd_event_hub_unwatch(hub, &all[0].watch);
    cr_assert(eq(i64, tqd_event_hub_tick(hub), (int64_t)-1));
}

Test(event_hub, wakes_whom_an_event_concerns)
{
    bool own;
    uint64_t position = 0;
    char text[2 * TQD_HUB_EVENT_BYTES];
    tqd_hub_page page = {.text = text, .size = sizeof text};
    all[1].watch.end_only = true;
    cr_assert(tqd_event_hub_watch(hub, &all[0].watch, &own));
    cr_assert(tqd_event_hub_watch(hub, &all[1].watch, &own));
    cr_assert(not(tqd_event_hub_watch(hub, &all[2].watch, &own))); /* watch_max */
    cr_assert(not(own));
    publish("job-0", 1, TQD_JOB_RUNNING);
    publish("job-1", 2, TQD_JOB_RUNNING);
    cr_assert(all(eq(int, all[0].n_wake, 1), eq(int, all[1].n_wake, 0)));
    publish("job-1", 3, TQD_JOB_SUCCEEDED);
    publish("job-1", 4, TQD_JOB_SUCCEEDED); /* once, for a watch of the end */
    cr_assert(all(eq(int, all[0].n_wake, 1), eq(int, all[1].n_wake, 1)));
    tqd_event_hub_read(hub, &all[0].watch, &position, &page);
    cr_assert(all(eq(sz, page.n_event, (size_t)1), eq(u64, page.last_seq, (uint64_t)1)));
    cr_assert(all(not(page.lost), not(page.ended)));
    cr_assert(eq(int, strncmp(text, "id: 1\nevent: state\n", 19), 0));
    tqd_event_hub_unwatch(hub, &all[0].watch);
    publish("job-0", 5, TQD_JOB_SUCCEEDED);
    cr_assert(eq(int, all[0].n_wake, 1));
    tqd_event_hub_unwatch(hub, &all[1].watch);
}

Test(event_hub, a_time_that_has_passed_and_a_stop_wake)
{
    bool own;
    cr_assert(tqd_event_hub_watch(hub, &all[0].watch, &own));
    cr_assert(gt(i64, tqd_event_hub_tick(hub), (int64_t)0));
    cr_assert(eq(int, all[0].n_wake, 0));
    tqd_event_hub_until(hub, &all[0].watch, 0);
    cr_assert(ge(i64, tqd_event_hub_tick(hub), (int64_t)0));
    cr_assert(eq(int, all[0].n_wake, 1));
    tqd_event_hub_stop(hub);
    cr_assert(eq(int, all[0].n_wake, 2));
    cr_assert(tqd_event_hub_watch(hub, &all[1].watch, &own));
    cr_assert(eq(int, all[1].n_wake, 1)); /* later subscriptions too */
    tqd_event_hub_unwatch(hub, &all[0].watch);
    tqd_event_hub_unwatch(hub, &all[1].watch);
}

/* Of eight, by a share of a half: the first client 4, the second 2, and so a third has its own. */
Test(event_hub, greedy_clients_leave_a_place_for_the_next_one)
{
    enum { ALL = 8 };
    static const size_t wanted[] = {4, 2, 1};
    static tqd_head heads[ALL];
    static tqd_identity who[3] = {{.client = "a"}, {.client = "b"}, {.client = "good"}};
    static tqd_watch watches[ALL];
    size_t n = 0;
    tqd_event_hub_clear(hub);
    tqd_event_hub_init(hub, ALL, ALL / 2, tqd_hub_event_print);
    for (size_t i = 0; i < 3; i++) {
        bool own = false;
        const size_t before = n;
        for (bool good = true; good;) {
            cr_assert(lt(sz, n, (size_t)ALL));
            heads[n] = (tqd_head){.who = &who[i], .wake = count_wake};
            watches[n] = (tqd_watch){.head = &heads[n], .until_ms = INT64_MAX};
            good = tqd_event_hub_watch(hub, &watches[n], &own);
            n += good ? 1 : 0;
        }
        cr_assert(own, "its share, not the place");
        cr_assert(eq(sz, n - before, wanted[i]), "client %zu", i);
    }
    while (n > 0) {
        tqd_event_hub_unwatch(hub, &watches[--n]);
    }
}

enum { MANY = 200, TURNS_MOST = 40 };
static subscriber many[MANY + 1]; /* the last one is of another client */

static int woken(int n_wake)
{
    int n = 0;
    for (size_t i = 0; i < MANY; i++) {
        n += many[i].n_wake >= n_wake;
    }
    return n;
}

static void tick_until_woken(int n_wake)
{
    while (woken(n_wake) < MANY) {
        cr_assert(ge(i64, tqd_event_hub_tick(hub), (int64_t)0));
    }
}

/* Of 200 streams 40 wake up at once, the others in their turns, within 200 / 4 = 50 ms. */
Test(event_hub, many_streams_of_one_client_take_turns)
{
    static tqd_identity who[2] = {{.client = "many"}, {.client = "one"}};
    bool own;
    tqd_event_hub_clear(hub);
    tqd_event_hub_init(hub, MANY + 1, 0, tqd_hub_event_print);
    for (size_t i = 0; i <= MANY; i++) {
        many[i].head = (tqd_head){.who = &who[i == MANY], .wake = count_wake};
        many[i].watch = (tqd_watch){.head = &many[i].head, .until_ms = INT64_MAX};
        cr_assert(tqd_event_hub_watch(hub, &many[i].watch, &own));
    }
    publish("job-0", 1, TQD_JOB_RUNNING);
    cr_assert(
        all(ge(int, woken(1), 1), le(int, woken(1), TURNS_MOST), eq(int, many[MANY].n_wake, 1)));
    for (size_t i = 0; i < MANY; i++) { /* a new time of the keep-alive leaves the turn */
        tqd_event_hub_until(hub, &many[i].watch, INT64_MAX);
    }
    tick_until_woken(1);
    publish("job-0", 2, TQD_JOB_RUNNING);
    const int n_again = woken(2); /* whose last turn was 50 ms ago */
    cr_assert(le(int, n_again, TURNS_MOST));
    publish("job-0", 3, TQD_JOB_SUCCEEDED);
    cr_assert(eq(int, many[MANY].n_wake, 3));
    tick_until_woken(2);
    cr_assert(le(int, woken(3), n_again), "two news, one turn");
    for (size_t i = 0; i < MANY; i++) { /* one left: no turns */
        tqd_event_hub_unwatch(hub, &many[i].watch);
    }
    publish("job-0", 4, TQD_JOB_SUCCEEDED);
    cr_assert(eq(int, many[MANY].n_wake, 4));
    tqd_event_hub_unwatch(hub, &many[MANY].watch);
}
