/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/queue/pipe.h - a body on its way to a worker: one thread fills pieces, a worker empties
 * them in order while the next ones come. */
#ifndef TQD_QUEUE_PIPE_H
#define TQD_QUEUE_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/queue/workers.h"

/* Lock order: its mutex is held for a few instructions, and while `wake` is called. */
typedef struct tqd_pipe tqd_pipe;

enum { TQD_PIPE_PIECE = 256 << 10 };

/* What is done with the bytes. All get ctx. */
typedef struct tqd_pipe_ends {
    /* On a worker, one call after another: the next bytes. False: it wants no more of them. */
    bool (*take)(void *ctx, const char *bytes, size_t n);
    /* On a worker: there is room again, or it is over. Not after tqd_pipe_close. */
    void (*wake)(void *ctx);
    /* Any thread, last: nobody looks at ctx any more. The pipe is gone. */
    void (*destroy)(void *ctx);
} tqd_pipe_ends;

/* For about n_byte bytes (UINT64_MAX: not known): takes 0.5 to 2 MiB of the memory of samples.
 * NULL: there is none. */
tqd_pipe *tqd_pipe_new(tqd_workers *workers, uint64_t n_byte, const tqd_pipe_ends *ends, void *ctx);

/* The rest is for the thread that fills. None waits. */

/* True: n bytes can be put now, n <= TQD_PIPE_PIECE. False: `wake` comes. */
bool tqd_pipe_room(tqd_pipe *pipe, size_t n);
/* Where bytes can be received to, so that they need no copy: the next put may tell of them. There
 * is room. */
char *tqd_pipe_space(tqd_pipe *pipe, size_t *ret_size);

typedef enum tqd_pipe_state {
    TQD_PIPE_GOOD,
    TQD_PIPE_STOPPED, /* `take` was false */
    TQD_PIPE_BUSY,    /* the workers' queue is full: what was put may not be taken */
} tqd_pipe_state;

/* Takes n bytes, for which there must be room. */
tqd_pipe_state tqd_pipe_put(tqd_pipe *pipe, const char *bytes, size_t n);
/* No more will come: as put. */
tqd_pipe_state tqd_pipe_end(tqd_pipe *pipe);
/* After tqd_pipe_end: all has been taken, or will not be, and no worker looks at ctx any more.
 * Its memory is given back, so that only tqd_pipe_close is left. False: `wake` comes. */
bool tqd_pipe_is_over(tqd_pipe *pipe);
/* Calls `destroy`, or has the worker call it that is at work. */
void tqd_pipe_close(tqd_pipe *pipe);

#endif
