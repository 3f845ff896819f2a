/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/pipe.h - a bounded buffer between the I/O thread that receives a body (producer) and
 * a worker that consumes its pieces in order. */
#ifndef TQD_QUEUE_PIPE_H
#define TQD_QUEUE_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/queue/workers.h"

/* Lock order: its mutex is held for a few instructions, and while `wake` is called. */
typedef struct tqd_pipe tqd_pipe;

enum { TQD_PIPE_PIECE = 256 << 10 };

/* Callbacks of the consumer, each with ctx. */
typedef struct tqd_pipe_ends {
    /* On a worker, one call after another: the next bytes. False: it stops consuming. */
    bool (*take)(void *ctx, const char *bytes, size_t n);
    /* On a worker: there is space again, or all pieces have been consumed. Not after
     * tqd_pipe_close. */
    void (*wake)(void *ctx);
    /* Any thread, the last call: ctx is no longer used, and the pipe is freed. */
    void (*destroy)(void *ctx);
} tqd_pipe_ends;

/* For about n_byte bytes (UINT64_MAX: unknown): takes 0.5 to 2 MiB from the pool of samples. NULL:
 * out of memory. */
tqd_pipe *tqd_pipe_new(tqd_workers *workers, uint64_t n_byte, const tqd_pipe_ends *ends, void *ctx);

/* The functions below are for the producer. None blocks. */

/* Backpressure. True: n bytes can be put now, n <= TQD_PIPE_PIECE. False: `wake` follows. */
bool tqd_pipe_room(tqd_pipe *pipe, size_t n);
/* The buffer to receive into without a copy: the next put may pass its bytes. There must be room.
 * */
char *tqd_pipe_space(tqd_pipe *pipe, size_t *ret_size);

typedef enum tqd_pipe_state {
    TQD_PIPE_GOOD,
    TQD_PIPE_STOPPED, /* `take` returned false */
    TQD_PIPE_BUSY,    /* the work queue is full: the bytes put may never be consumed */
} tqd_pipe_state;

/* Appends n bytes, for which there must be room. */
tqd_pipe_state tqd_pipe_put(tqd_pipe *pipe, const char *bytes, size_t n);
/* End of the body; returns as put does. */
tqd_pipe_state tqd_pipe_end(tqd_pipe *pipe);
/* After tqd_pipe_end: everything has been consumed or dropped, and no worker uses ctx. The pieces
 * are freed; only tqd_pipe_close may follow. False: `wake` follows. */
bool tqd_pipe_is_over(tqd_pipe *pipe);
/* Calls `destroy`, or leaves that to the worker that is in `take`. */
void tqd_pipe_close(tqd_pipe *pipe);

#endif
