/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/simulate.h - the request and the state of a simulation. */
#ifndef TQA_OPERATIONS_SIMULATE_SIMULATE_H
#define TQA_OPERATIONS_SIMULATE_SIMULATE_H

#include "api/operations/simulate/contacts.h"
#include "api/operations/simulate/controller.h"
#include "api/operations/simulate/disturbance.h"
#include "api/operations/simulate/drives.h"
#include "api/operations/simulate/event.h"
#include "api/operations/simulate/verdict.h"
#include "api/operations/terms/limits.h"
#include "api/request/robot_fields.h"
#include "core/constraints/project.h"
#include "core/plant/torque_table.h"
#include "core/simulate/run.h"

typedef struct tqa_simulation tqa_simulation;

enum { TQA_COLUMNS_MAX = 24, TQA_EFFECTS_MAX = TQA_DISTURBANCES_MAX + 16 };

/* One array of the result over time: n numbers a row, or one number when `flat`. */
typedef struct tqa_column {
    const char *name;
    size_t n;
    bool flat;
    bool is_hidden;      /* not in the answer: input of computations after the run */
    const uint32_t *map; /* user's order -> robot's; NULL: as it is */
    /* Writes n numbers of the run's present state; s->rates are those of that state. False: the
     * state has none, and the run ends here with s->ended. */
    bool (*fill)(tqa_simulation *s, double *to);
} tqa_column;

/* The state of one simulation. Everything lives in the tree's memory. */
struct tqa_simulation {
    tqa_tree *tree;
    tqa_order order;
    const tq_mechanism *mechanism; /* with its payload */
    double *q, *qd;                /* initial, (nq), (nv) in the robot's order */

    double duration; /* s: of the last output */
    size_t n_output;
    double interval; /* s; 0: at `times` */
    double *times;   /* (n_output), the first is 0; NULL: by `interval` */

    tq_table torque;
    tqa_controller controller;
    bool has_controller;
    tqa_drives drives;
    tqa_contacts contacts;
    tq_effect effects[TQA_EFFECTS_MAX];
    tq_plant plant;      /* plant.effects is the array above */
    tq_projection moved; /* the projection of the initial state onto the constraints */
    double gravity[3];

    tq_run_options options;
    tqa_events_watch watch;
    size_t n_column, width; /* columns; numbers of a row, t included */
    size_t multipliers_at;  /* where in a row they begin; 0: they are no column */
    tqa_column columns[TQA_COLUMNS_MAX];

    tqa_run_verdict judge;
    double *balance_row; /* (4 nq + 3 nv + 6 n_wrench): one state with what acts on it */
    tq_scratch judge_scratch;

    /* while it runs */
    tq_run *run;
    tq_scratch scratch;
    tq_rates rates;  /* of the present row, blocks of one sample */
    double fraction; /* last reported */
    bool stopped;    /* cancelled: there is no answer */
    const char *ended;
    uint32_t ended_at; /* joint, or TQ_NONE */

    /* rows as far as they are computed, in memory or in the host's spool */
    size_t n_row;
    bool spooled;
    double *rows; /* all, or those that are not in the spool yet */
    size_t n_held, held_max;
    unsigned char *saved; /* room for a checkpoint, once one was needed */
    uint64_t next_save;
    uint64_t grid; /* index of the next time at which the integrator restarts */

    /* while the answer is printed */
    size_t next_column, next_row;
    double *piece, *line; /* some rows; one of them in the user's order */
    tqa_watched *watched; /* (n_watched) limits of the robot */
    size_t n_watched;
    double *watched_t; /* (n_watched) s: of their worst rows */
    double base_tau;   /* largest entry of tau on a floating joint that nothing drives; */
    uint32_t base;     /* the joint, or TQ_NONE */
};

/* Reads the request. False: the problem is set. */
bool tqa_simulation_read(tqa_simulation *s);
/* The same without verdict and balance. */
bool tqa_simulation_read_plant(tqa_simulation *s);
/* Two parts of it, for a plant without outputs whose duration and interval are set: all up to the
 * solver; then, once what commands torque has been added, what else acts on it. */
bool tqa_simulation_read_start(tqa_simulation *s);
bool tqa_simulation_read_effects(tqa_simulation *s);
/* The long part of reading the request, on a worker, before the run. False: the problem is set. */
bool tqa_simulation_prepare(tqa_simulation *s);
/* `input`: a table of torques, or a controller. */
bool tqa_simulation_read_input(tqa_simulation *s);
/* `solver`, once the outputs are known. */
bool tqa_simulation_read_solver(tqa_simulation *s);
/* Constraints of the robot: the initial state goes where they hold; multipliers may be a column. */
bool tqa_simulation_constrain(tqa_simulation *s, bool with_multipliers);
void tqa_simulation_put_constraints(const tqa_simulation *s);
/* `contacts`: what may touch, columns of forces, impulses and gaps. In the answer: the object
 * `contacts`, and members of `audit.energy`. */
bool tqa_simulation_read_contacts(tqa_simulation *s);
void tqa_simulation_put_contacts(const tqa_simulation *s);
void tqa_simulation_put_contact_losses(const tqa_simulation *s);

/* Compliant contacts, whose pairs are read: the effect and its columns; once all other wrenches are
 * there, its own; their part of the energy at the end. All 0 of other contacts. */
bool tqa_contacts_open_compliant(tqa_simulation *s);
bool tqa_contacts_compliant_columns(tqa_simulation *s);
bool tqa_contacts_add_wrenches(tqa_simulation *s);
tqa_contact_energy tqa_simulation_contact_energy(const tqa_simulation *s);
const char *tqa_simulation_method(tq_run_method method);

/* Adds an effect to the plant, a column to the result. False: there are too many. */
bool tqa_simulation_add_effect(tqa_simulation *s, const tq_effect *effect);
bool tqa_simulation_add_column(tqa_simulation *s, const tqa_column *column);

/* Time of output k, s. */
double tqa_simulation_time(const tqa_simulation *s, size_t k);

/* Makes room for rows; adds the present state as one; reads rows [first, first + n) of one column
 * (or t: column n_column). False: the problem is set, or s->ended. */
bool tqa_simulation_open_rows(tqa_simulation *s);
bool tqa_simulation_add_row(tqa_simulation *s);
bool tqa_simulation_read_rows(tqa_simulation *s, size_t first, size_t n, double *ret);
/* Hands over to the spool what is still held. */
bool tqa_simulation_flush(tqa_simulation *s);

/* A saved run: loaded, with the number of the grid's next point. False: there is none. */
bool tqa_simulation_load(tqa_simulation *s, uint64_t *ret_grid);
void tqa_simulation_save(tqa_simulation *s, uint64_t grid);

/* The largest term on a joint now: a name of the ledger, or "input"; NULL: none. */
const char *tqa_simulation_term(const tqa_simulation *s, uint32_t joint);

/* Reads the root's `drives` and adds columns of the result; needs no outputs yet. False: the
 * problem is set. */
bool tqa_drives_read(tqa_simulation *s);
/* Adds them to the plant, after what commands torque. */
bool tqa_drives_add(tqa_simulation *s);
/* The names of the joints, where there are drives. */
void tqa_drives_put(const tqa_simulation *s);

/* Reads `verdict`, adds the audit to the plant (last) and arrays to the result. */
bool tqa_run_verdict_read(tqa_simulation *s);
/* Before the run: reports the growth rate of errors at its start as progress. */
void tqa_run_verdict_begin(tqa_simulation *s);
/* After it: balance, tracking and growth out of its rows. False: the problem is set. */
bool tqa_run_verdict_run(tqa_simulation *s);

/* States for it: room for them; that at the end of a step (ctx: the simulation); the last. */
bool tqa_points_open(tqa_simulation *s);
void tqa_points_note(void *ctx);
void tqa_points_end(tqa_simulation *s);

/* Whether the answer will have growth. */
bool tqa_run_verdict_wants_points(const tqa_simulation *s);

/* The part of it that is about growth. */
bool tqa_run_verdict_growth(tqa_simulation *s);

/* Objects of the answer: audit, tracking; members of the open object `verdict`. */
void tqa_run_verdict_put(const tqa_simulation *s);
void tqa_run_verdict_put_growth(const tqa_simulation *s);

/* What rows say about the robot, while they are printed: limits that they exceed, and torque of
 * floating joints. Begins. False: there is no memory. */
bool tqa_simulation_watch(tqa_simulation *s);
/* n rows from s->next_row on (in s->piece): of a column, whose numbers begin at `place`. */
void tqa_simulation_watch_rows(tqa_simulation *s, const char *column, size_t place, size_t n);
/* When all are seen: writes `limits`, adds warnings. */
void tqa_simulation_put_watched(tqa_simulation *s);
/* A floating joint that the input drives, though the robot does not list it as `actuated`: the next
 * one from joint `j` on; TQ_NONE: there are no more. */
uint32_t tqa_simulation_undriven(const tqa_simulation *s, uint32_t j);
/* Warns of it. `most`: largest entry of its torque, N m or N; 0: not known. */
void tqa_simulation_remark_undriven(const tqa_simulation *s, uint32_t joint, double most);

/* Writes the answer: first what precedes the arrays, then the arrays in pieces. */
void tqa_simulation_answer(tqa_simulation *s);

#endif
