/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/session/session.h - the state of a session; private to this folder. */
#ifndef TQA_OPERATIONS_SESSION_SESSION_H
#define TQA_OPERATIONS_SESSION_SESSION_H

#include "api/operations/simulate/simulate.h"
#include "api/response/digest.h"
#include "api/session.h"
#include "core/simulate/lock_step.h"

enum {
    TQA_SESSION_EVENTS_MAX = 64
}; /* events listed in an answer; further ones are counted only */

/* A request for steps, once it is read. */
typedef struct tqa_session_request {
    double *tau; /* (nv) in the robot's order */
    uint64_t steps;
    bool has_at;
    uint64_t at;
    bool is_repeated; /* a retry of the last request: no step to make */
} tqa_session_request;

/* malloc'ed; its pointers are into its tree's arena, or malloc'ed where noted. */
struct tqa_session {
    tqa_problem problem; /* of the tree; status 0: none */
    const tqa_host *host;
    const tqa_robot *robot; /* of the host */
    const char *robot_name;
    tqa_tree *tree;
    char *body; /* malloc'ed: the request that opened it, for forks */
    size_t n_body;
    tqa_media content;
    size_t bytes; /* all memory of it */

    tqa_simulation sim; /* the plant, its solver and its events */
    tq_held_torque held;
    tq_lock_step lock;
    tq_lock_step_options options;
    void *records; /* malloc'ed: of lock */
    double step_s;
    double substeps;  /* of a period */
    double period_us; /* estimate of its cost */
    bool with_qdd;
    bool has[TQ_SENSORS]; /* sensors that there are */
    double *line;         /* (2 nq + 2 nv) rows on their way out */
    unsigned char *state; /* (n_state) bits for the hash */
    size_t n_state, n_z;

    tqa_session_request request;
    bool has_last; /* the last request for steps: where it began, how many, and its torques */
    uint64_t last_at, last_steps;
    double *last_tau; /* (nv) */
    tq_event *events; /* (TQA_SESSION_EVENTS_MAX) of the last step */
    uint64_t n_event;
    const char *ended; /* NULL: it goes on */
    uint32_t ended_at; /* joint, or TQ_NONE */
};

/* Reads actuators, sensors, history and include, once the plant is read. False: the problem is
 * set. */
bool tqa_session_read_options(tqa_session *s);

/* A body as a tree of this robot, checked to be an object of `fields`; tqa_tree_free it, also when
 * this is false, with the problem set. */
bool tqa_session_tree(const tqa_robot *robot, const tqa_session_body *body,
                      const char *const *fields, tqa_problem *problem, tqa_tree **ret);

/* An integer up to 2^53 - 1. */
bool tqa_session_number(const tqa_value *part, uint64_t *ret);

/* Checks that the history holds `step` and that the motion continues from it; `part`: the value of
 * the request that names it. False: the problem is set. */
bool tqa_session_check_step(const tqa_session *s, const tqa_value *part, uint64_t step);

#endif
