/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/workers.h - a thread pool with a bounded work queue, and parallel_for. */
#ifndef TQD_QUEUE_WORKERS_H
#define TQD_QUEUE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lock order: its one mutex is a leaf lock. */
typedef struct tqd_workers tqd_workers;

/* NULL: out of memory. Starts no thread: each of the caller's threads calls tqd_workers_run. */
tqd_workers *tqd_workers_new(size_t queue_max);
void tqd_workers_free(tqd_workers *workers); /* after the worker threads have returned */

/* Body of a worker thread: runs jobs until tqd_workers_stop has been called and the queue is empty.
 * */
void tqd_workers_run(void *workers);
/* Body of one more thread, which may be left out: runs short jobs (tqd_workers_submit_soon) while
 * no worker is idle. They precede others in the queue, but a computation that has begun may take
 * minutes, and there are as many workers as cores. Returns as tqd_workers_run does. */
void tqd_workers_run_soon(void *workers);
void tqd_workers_stop(tqd_workers *workers);

/* Appends a job. False: the queue is full or stopped. Never blocks. */
bool tqd_workers_submit(tqd_workers *workers, void (*run)(void *arg), void *arg);
/* The same for short jobs (a query to the store), which precede the others, first in first out; of
 * nine jobs one is from the others, so that these do not starve. */
bool tqd_workers_submit_soon(tqd_workers *workers, void (*run)(void *arg), void *arg);

/* Removes a job that no worker has begun; false: none. Any thread. */
bool tqd_workers_withdraw(tqd_workers *workers, void (*run)(void *arg), void *arg);

/* Jobs waiting now. */
size_t tqd_workers_waiting(tqd_workers *workers);

/* Expected queueing time of a job submitted now, ms, from the mean duration of jobs and the time
 * that running jobs have taken; 0 while the queue makes progress every second. */
int64_t tqd_workers_wait_ms(tqd_workers *workers);

/* Heartbeat of the calling worker (other threads: no effect), for the steps of a long job. The end
 * of a job or of a loop's index counts as one. */
void tqd_workers_beat(void);

/* Liveness check. False: since the last call there was work all the time (queued jobs, or every
 * worker busy) and no worker had a heartbeat. The length of the queue does not matter, only
 * progress. One thread calls it periodically. */
bool tqd_workers_alive(tqd_workers *workers);

/* Runs body(arg, i, scratch) for i = 0 .. n-1 on this thread and on idle workers, and returns when
 * all are done. May be called from a job, from another thread and from inside a body: the caller
 * runs indices itself and never waits for a thread that has not started, so it cannot deadlock. A
 * loop of a thread that is no worker counts as long: it leaves one worker free, and queued jobs
 * precede its next index. `scratch` is the running thread's, of scratch_size bytes; NULL if that is
 * above the bound. */
void tqd_workers_parallel_for(tqd_workers *workers, size_t n, size_t scratch_size,
                              void (*body)(void *arg, size_t i, void *scratch), void *arg);

/* A parallel loop whose indices are published while their input arrives. */
typedef struct tqd_task_stream tqd_task_stream;

/* NULL: out of memory. One more worker is woken for each `grain` published indices; a worker of a
 * stream whose indices follow each other fast busy-polls up to 100 us before it blocks. `destroy`
 * is for tqd_task_stream_abandon. */
tqd_task_stream *tqd_task_stream_new(tqd_workers *workers, size_t grain, size_t scratch_size,
                                     void (*body)(void *arg, size_t i, void *scratch),
                                     void (*destroy)(void *arg), void *arg);
/* Publishes the indices below n, which never shrinks, to idle workers. Never blocks. */
void tqd_task_stream_publish(tqd_task_stream *stream, size_t n);
/* Runs indices on the calling thread until at most `waiting_max` published indices wait for a
 * worker, which bounds the data in flight if indices are published faster than workers run them.
 * Never blocks. */
void tqd_task_stream_help(tqd_task_stream *stream, size_t waiting_max);
/* Runs the indices that no worker has begun, waits for the others, and frees the stream. Blocks:
 * not for an I/O thread. */
void tqd_task_stream_finish(tqd_task_stream *stream);
/* Cancels: no further index begins; calls destroy(arg) when no worker is inside, now or on the last
 * of them. Never blocks. */
void tqd_task_stream_abandon(tqd_task_stream *stream);

#endif
