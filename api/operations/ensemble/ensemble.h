/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/ensemble/ensemble.h - the request and the state of an ensemble. */
#ifndef TQA_OPERATIONS_ENSEMBLE_ENSEMBLE_H
#define TQA_OPERATIONS_ENSEMBLE_ENSEMBLE_H

#include "api/host.h"
#include "api/operations/simulate/simulate.h"
#include "core/ensemble/ensemble.h"

enum { TQA_GAINS = 4, TQA_DRAWS_MAX = 10000000, TQA_VALUES_MAX = 100000 };
enum { TQA_VARIATIONS_MAX = 64, TQA_QUANTILES_MAX = 32, TQA_MEMBERS_MAX_COUNT = 1 << 24 };

/* Quantities that a variation can change. */
typedef enum tqa_varied {
    TQA_VARIED_Q,       /* added to the initial coordinate `row` */
    TQA_VARIED_QD,      /* added to the initial velocity `row` */
    TQA_VARIED_TORQUE,  /* added to torque `row`, all the time */
    TQA_VARIED_MASS,    /* factor on mass and inertia of link `row` */
    TQA_VARIED_VISCOUS, /* factor on the viscous friction of joint `row` */
    TQA_VARIED_COULOMB, /* factor on the Coulomb and breakaway friction of joint `row` */
    TQA_VARIED_PAYLOAD, /* kg at a point `at` of link `row` */
    TQA_VARIED_KP,      /* factor on the controller's gain of row `row`, or TQ_NONE: of all */
    TQA_VARIED_KD,
    TQA_VARIED_KI,
    TQA_VARIED_LAMBDA,
    TQA_VARIED_SEED,        /* of the noise of effect `row` */
    TQA_VARIED_DISTURBANCE, /* factor on the disturbance that is effect `row` */
} tqa_varied;

#define TQA_NOISE_SEED_MAX 0x1p53 /* up to here a double holds every whole number */

typedef enum tqa_spread { TQA_SPREAD_UNIFORM, TQA_SPREAD_NORMAL, TQA_SPREAD_LIST } tqa_spread;

typedef struct tqa_variation {
    tqa_varied varied;
    uint32_t row;
    double at[3];
    tqa_spread spread;
    double low, high;       /* uniform */
    double mean, deviation; /* normal */
    size_t n_value;         /* list, or grid */
    double *values;         /* (n_value) */
    size_t repeat;          /* neighbours in a list's product that share a value */
} tqa_variation;

typedef struct tqa_ensemble {
    tqa_simulation *simulation; /* shared by all members */
    uint64_t seed;
    size_t n_draw;   /* members for each point of the product of lists */
    size_t n_point;  /* points of that product */
    size_t n_member; /* that run */
    uint64_t *ids;   /* (n_member), or NULL: 0 .. n_member - 1 */
    size_t n_variation;
    tqa_variation *variations;
    tq_offsets offsets;  /* of torque, in the order of the variations */
    size_t first_offset; /* row of the first one among the auxiliary states */
    bool own_mechanisms; /* members have different models */
    bool varied_rows;    /* they do so side by side */
    bool own_effects;    /* members differ in gains or disturbances */
    size_t n_event;      /* that the request defines */
    bool in_lanes;       /* by tq_ensemble_run; else each by a tq_run */
    size_t n_level;
    double levels[TQA_QUANTILES_MAX]; /* of quantiles */
    size_t n_returned;
    size_t *returned; /* (n_returned) indices of the members whose motion is returned */
    bool end_states;

    /* records of blocks: rows (n_output x n_row x per), when each member ended (per), why (per);
     * with events see ensemble_block.h */
    size_t per; /* members of a block: 1 when each has a mechanism or steps of its own */
    size_t n_row, n_block, record; /* numbers of a record */
    double *times;                 /* (n_output) */
    double *records;               /* (n_block x record) */
    tq_status *status;             /* (n_block) */
    tq_error *errors;              /* (n_block) */
} tqa_ensemble;

/* Reads the request. False: the problem is set. */
bool tqa_ensemble_read(tqa_ensemble *e);
/* `vary`, once the plant is known. */
bool tqa_ensemble_read_variations(tqa_ensemble *e, const tqa_value *root);

/* The number of a member, as draws and lists count; the value of variation v for it. */
uint64_t tqa_ensemble_id(const tqa_ensemble *e, size_t member);
double tqa_ensemble_value(const tqa_ensemble *e, size_t v, uint64_t id);

/* Runs block b in a scratch of that size; its status stays in e->status[b]. */
void tqa_ensemble_run_block(tqa_ensemble *e, size_t b, void *memory, size_t size);
size_t tqa_ensemble_scratch_size(const tqa_ensemble *e);

/* Number c (0 .. n_row: q, then qd) of a member at output k, NAN once it has ended; and when. */
double tqa_ensemble_number(const tqa_ensemble *e, size_t member, size_t k, size_t c);
double tqa_ensemble_ended(const tqa_ensemble *e, size_t member);
tq_run_end tqa_ensemble_end(const tqa_ensemble *e, size_t member);

/* With events, or NULL: the last state of a member (n_row); how often it met each event (n_event);
 * which one stopped it, when tqa_ensemble_end is TQ_RUN_EVENT. */
const double *tqa_ensemble_last(const tqa_ensemble *e, size_t member);
const double *tqa_ensemble_events(const tqa_ensemble *e, size_t member);
size_t tqa_ensemble_stopped_by(const tqa_ensemble *e, size_t member);

/* Runs n blocks from `first` on, by all workers; `own`: scratch of this thread. Not DONE: the
 * problem is set. */
tqa_part_end tqa_ensemble_run_blocks(tqa_ensemble *e, size_t first, size_t n, void *own);
/* About how many steps a member takes. */
double tqa_ensemble_member_steps(const tqa_ensemble *e);

/* parts.c: whether the request is large enough for parts, and the host computes such; all of them.
 * False: the problem is set. */
bool tqa_ensemble_has_parts(const tqa_ensemble *e);
bool tqa_ensemble_run_parts(tqa_ensemble *e);

/* Statistics and the answer, once all blocks are done. False: the problem is set. */
bool tqa_ensemble_put(tqa_ensemble *e);

#endif
