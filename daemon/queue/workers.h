/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/workers.h - a bounded queue of jobs, the workers that take them, and parallel_for.
 */
#ifndef TQD_QUEUE_WORKERS_H
#define TQD_QUEUE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lock order: its one mutex is a leaf; no other lock is taken while it is held. */
typedef struct tqd_workers tqd_workers;

/* NULL when memory is short. Makes no thread: each of the caller's threads calls
 * tqd_workers_run. */
tqd_workers *tqd_workers_new(size_t queue_max);
void tqd_workers_free(tqd_workers *workers); /* after the worker threads have returned */

/* The life of one worker thread: takes jobs until tqd_workers_stop and the queue is empty. */
void tqd_workers_run(void *workers);
void tqd_workers_stop(tqd_workers *workers);

/* Adds a job. False when the queue is full or stopped: nothing has been added. Never waits. */
bool tqd_workers_submit(tqd_workers *workers, void (*run)(void *arg), void *arg);
/* The same for what is short (a look into the store): before all that is not, in its own order; of
 * every nine jobs one is of the others, so that they move on as well. */
bool tqd_workers_submit_soon(tqd_workers *workers, void (*run)(void *arg), void *arg);

/* Takes back a job that no worker has begun; false: there is none. Any thread. */
bool tqd_workers_withdraw(tqd_workers *workers, void (*run)(void *arg), void *arg);

/* Jobs waiting now. */
size_t tqd_workers_waiting(tqd_workers *workers);

/* How long a job that is submitted now would wait, by what jobs have taken lately and those that
 * run have taken so far; 0 while the queue moves on within a second. An estimate, in ms. */
int64_t tqd_workers_wait_ms(tqd_workers *workers);

/* A sign of progress of the worker that this thread is (any other: nothing): called between the
 * steps of what takes long. A job and an index of a loop that end are one by themselves. */
void tqd_workers_beat(void);

/* False when workers hang: since the last call, through all of the time between, there was work to
 * do (jobs waited, or every worker was inside of one) and no worker has given a sign of progress.
 * How much waits does not matter: only that something moves. One thread asks, now and then. */
bool tqd_workers_alive(tqd_workers *workers);

/* Runs body(arg, i, scratch) for i = 0 .. n-1 on this thread and on idle workers, and returns when
 * all are done. May be called from a job, from another thread and from inside a body: the caller
 * works through the indices itself and never waits for a thread that has not started, so it cannot
 * deadlock. Begun by a thread that is no worker it may take long: it leaves one worker, and jobs
 * that wait go before its next index. `scratch` is the running thread's, of scratch_size bytes;
 * NULL if that is above the bound. */
void tqd_workers_parallel_for(tqd_workers *workers, size_t n, size_t scratch_size,
                              void (*body)(void *arg, size_t i, void *scratch), void *arg);

/* A parallel loop that begins before its end is known: indices are told as what they need comes. */
typedef struct tqd_task_stream tqd_task_stream;

/* NULL when memory is short. One more worker is woken for each `worth` indices that wait; one that
 * has worked on a course whose indices come fast looks out for up to 100 us before it sleeps.
 * `destroy` is for tqd_task_stream_abandon. */
tqd_task_stream *tqd_task_stream_new(tqd_workers *workers, size_t worth, size_t scratch_size,
                                     void (*body)(void *arg, size_t i, void *scratch),
                                     void (*destroy)(void *arg), void *arg);
/* Idle workers may begin with indices below n, which never shrinks. Never waits. */
void tqd_task_stream_publish(tqd_task_stream *course, size_t n);
/* Does what nobody has begun, waits for those inside an index, and ends the course. Not on a thread
 * that must not wait. */
void tqd_task_stream_finish(tqd_task_stream *course);
/* Nothing more is begun; calls destroy(arg) when nobody is inside, now or on the last worker. Never
 * waits. */
void tqd_task_stream_abandon(tqd_task_stream *course);

#endif
