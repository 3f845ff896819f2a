/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/event.h - `events` of a simulation: rules, and recorded events.
 */
#ifndef TQA_OPERATIONS_SIMULATE_EVENT_H
#define TQA_OPERATIONS_SIMULATE_EVENT_H

#include "api/codec/writer.h"
#include "api/request/robot_fields.h"
#include "core/simulate/event.h"

enum { TQA_EVENTS_MAX = 10000 }; /* recorded in a result; more are counted */

/* In the call's memory. */
typedef struct tqa_events_watch {
    tq_event_rule *rules;
    uint32_t *asked; /* (n_rule) which element of the request's list made it */
    size_t n_rule;
    tq_event *recorded; /* (TQA_EVENTS_MAX) */
    uint64_t n_event;
    const char **pair_names; /* (n_pair x 2) of contacts; NULL: there are none */
} tqa_events_watch;

/* `events`, and `events_omitted` when there were too many. */
void tqa_writer_events(tqa_tree *tree, const tqa_events_watch *watch);

/* Reads the root's `events`, a list; it need not be there. `q` (nq): the start, which must lie
 * within limits that act. False: the problem is set. */
bool tqa_tree_watch(tqa_tree *tree, const tqa_order *order, const double *q, tqa_events_watch *ret);

/* Keeps an event. */
void tqa_watch_note(tqa_events_watch *watch, const tq_event *event);

#endif
