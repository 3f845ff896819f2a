/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/verdict.h - what is said of a run beside its motion: audit, tracking,
 * growth of errors. */
#ifndef TQA_OPERATIONS_SIMULATE_VERDICT_H
#define TQA_OPERATIONS_SIMULATE_VERDICT_H

#include "api/request/robot_fields.h"
#include "core/plant/audit.h"
#include "core/stability/linearize.h"

struct tqa_simulation;

/* Names of `include` that add arrays: after the simulation's own. Bits of tqa_judge_read. */
#define TQA_JUDGE_INCLUDES "energy", "momentum", "base_reaction", "tracking_error"
enum {
    TQA_JUDGE_ENERGY = 1u << 0,
    TQA_JUDGE_MOMENTUM = 1u << 1,
    TQA_JUDGE_BASE = 1u << 2,
    TQA_JUDGE_TRACKING = 1u << 3,
};

/* Balance of a whole run. */
typedef struct tqa_audited {
    tq_balance start, end;
    double kinetic_max, residual, residual_max; /* J */
    double z[TQ_AUDIT_ROWS_MAX];                /* at the end */
    double momentum_residual[3];
    const char *why_not; /* NULL: it is known */
} tqa_audited;

/* How well a point and the joints followed. */
typedef struct tqa_tracked {
    double *max, *square, *final; /* (nv), the robot's order */
    tqa_point point;
    double point_max, point_square, point_final; /* m */
    double length;                               /* of the point's reference path, m */
    double last[3];                              /* where the reference was */
    double *force[4]; /* (n_row) largest, sum of squares and last error of multipliers, and room for
                         one row of them; NULL: they have no goals */
    size_t n;
} tqa_tracked;

/* Some states of a run, from its start to its end: t, q, qd, qdd, wrench. */
typedef struct tqa_points {
    double *rows; /* (most + 1) x width; NULL: nobody wants them */
    size_t n, most, width;
    double apart; /* s, at least: grows when there are too many */
} tqa_points;

/* Growth of errors along a run. */
typedef struct tqa_grown {
    bool is_known;  /* else `why_not` */
    bool is_coarse; /* the places were too few to carry errors over them */
    const char *why_not;
    bool is_closed;
    tq_growth start, fastest;
    double fastest_at; /* s */
    tq_trust trust;
    double horizon[TQ_ERROR_SOURCES]; /* s; INFINITY: not within reach */
} tqa_grown;

typedef struct tqa_judge {
    unsigned include;
    double tolerated;   /* rad or m: an error that is too much */
    double uncertainty; /* of inertial parameters, as a part of them */
    tq_audit audit;     /* what its effect borrows */
    size_t z_first;     /* row of the plant's z where the audit's begin */
    tq_balance balance; /* of the row that is being filled */
    size_t balanced;    /* rows before that; its cache is good for one */
    size_t first_point; /* where in a row hidden numbers begin: z, qdd, wrench */
    tqa_audited audited;
    tqa_tracked tracked;
    tqa_points points;
    tqa_grown grown;
} tqa_judge;

/* Reads `verdict`, adds the audit to the plant (last) and arrays to the result. */
bool tqa_judge_read(struct tqa_simulation *s, unsigned include);
/* Before the run: how fast errors grow at its start, told as progress. */
void tqa_judge_begin(struct tqa_simulation *s);
/* After it: balance, tracking and growth out of its rows. False: the problem is set. */
bool tqa_judge_run(struct tqa_simulation *s);

/* States for it: room for them; that at the end of a step (ctx: the simulation); the last. */
bool tqa_points_open(struct tqa_simulation *s);
void tqa_points_note(void *ctx);
void tqa_points_end(struct tqa_simulation *s);

/* Whether anything will be said of growth. */
bool tqa_judge_wants_points(const struct tqa_simulation *s);

/* The part of it that is about growth. */
bool tqa_judge_growth(struct tqa_simulation *s);

/* Objects of the answer: audit, tracking; members of the open object `verdict`. */
void tqa_judge_put(const struct tqa_simulation *s);
void tqa_judge_put_growth(const struct tqa_simulation *s);

#endif
