/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/follow.h - a job's event stream, resumed where it broke. */
#ifndef TORQUECTL_FOLLOW_H
#define TORQUECTL_FOLLOW_H

#include "clients/torquectl/ctl.h"

/* Begins as zeros. */
typedef struct ctl_stream {
    char last_id[24]; /* of the last change of state */
    int n_silent;     /* streams in a row that ended without an event */
} ctl_stream;

typedef struct ctl_follower {
    void (*changed)(void *ctx, const json_t *job);
    int (*is_stopped)(void *ctx); /* asked about once a second */
    void *ctx;
} ctl_follower;

/* Puts state and progress into the job's document as they come and calls `changed`, until the
 * stream ends or is_stopped is true. False: there are no streams here, ask again instead. */
bool ctl_follow(ctl *c, const char *id, ctl_stream *stream, json_t *job,
                const ctl_follower *follower);

#endif
