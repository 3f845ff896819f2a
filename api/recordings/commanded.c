/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/commanded.c - torque of recordings that have none: the law of their controller
 * along commanded and measured motion, row by row. */
#include "api/recordings/commanded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/recordings/integral.h"
#include "core/dynamics/inverse.h"

static const double turn = 2.0 * M_PI;

enum { RUN = TQ_RAW_ROWS, COMMANDS = 3 }; /* position, rate, feed-forward torque */
_Static_assert((int)TQ_RAW_ROWS <= (int)TQ_BLOCK, "a run of rows is a block");

/* What differences are taken of, a row of RUN numbers for each joint. */
typedef enum series { OF_ERROR, OF_COMMAND, OF_COMMANDED_RATE, OF_POSITION, SERIES } series;

/* The state between runs of rows: the last row waits for the next, of which its rate depends. */
struct tqa_commanded {
    size_t nv;
    bool *turns;     /* (nv) angles: they may jump by a whole turn */
    double *command; /* (COMMANDS nv x RUN) q_cmd, qd_cmd, tau_ff; 0 where it is not logged */
    double *series;  /* (SERIES x nv x RUN) */
    double *before;  /* (SERIES x nv) of the row before the run, */
    double t_before; /* its time */
    uint64_t before_row;
    bool has_before;
    double *held; /* (n_channel + COMMANDS nv): a row that waits */
    double held_t;
    uint64_t held_row;
    unsigned char held_state;
    bool has_held;
    double *motion; /* (4 nv x TQ_BLOCK_STRIDE) q, qd, qdd, tau of the controller's model */
    tqa_integral integral;
    double *one; /* (4 nv x TQ_BLOCK_PAD) the same of a single row */
    tq_scratch scratch;
};

static const tqa_commanded_law *law_of(const tqa_recording_rows *rows)
{
    return rows->recording->request->law;
}

bool tqa_commanded_has_feed_forward(const tqa_recording *recording)
{
    return recording->column[TQA_RECORDING_TAU_FF] != NULL;
}

bool tqa_commanded_has_rates(const tqa_recording *recording)
{
    return recording->column[TQA_RECORDING_QD] != NULL &&
           recording->column[TQA_RECORDING_QD_CMD] != NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Memory
 */

static void mark_turns(const tqa_recording *recording, bool *turns)
{
    const tq_model *model = recording->request->tree->robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv == 1) {
            turns[model->joints[j].v_index] = model->joints[j].kind != TQ_JOINT_PRISMATIC;
        }
    }
}

bool tqa_commanded_open(tqa_recording_rows *rows)
{
    tqa_recording *recording = rows->recording;
    const tqa_recording_request *request = recording->request;
    if (!recording->is_commanded) {
        return true;
    }
    const size_t nv = request->order->nv;
    const size_t n_channel = recording->signal.channels.n;
    const tq_mechanism *mechanism = request->options.mechanism;
    const size_t scratch = tq_inverse_scratch_size(mechanism, 0);
    const size_t n_motion = 4 * nv * (TQ_BLOCK_STRIDE + TQ_BLOCK_PAD) * sizeof(double);
    tqa_commanded *c = calloc(1, sizeof *c);
    rows->commanded = c;
    if (c == NULL) {
        return tqa_problem_set(request->tree->problem, "busy", "there is no memory for this now");
    }
    c->nv = nv;
    c->turns = calloc(nv, sizeof *c->turns);
    c->command = calloc(COMMANDS * nv * RUN, sizeof *c->command);
    c->series = calloc(SERIES * nv * RUN, sizeof *c->series);
    c->before = calloc(SERIES * nv, sizeof *c->before);
    c->held = calloc(n_channel + COMMANDS * nv, sizeof *c->held);
    c->motion = aligned_alloc(64, (n_motion + scratch + 127) / 64 * 64);
    if (recording->follows == NULL) {
        recording->follows = tqa_tree_take(request->tree, nv, sizeof *recording->follows);
    }
    if (c->turns == NULL || c->command == NULL || c->series == NULL || c->before == NULL ||
        c->held == NULL || c->motion == NULL || recording->follows == NULL ||
        !tqa_integral_allocate(&c->integral, nv)) {
        return tqa_problem_set(request->tree->problem, "busy", "there is no memory for this now");
    }
    memset(c->motion, 0, n_motion);
    tq_scratch_init(&c->scratch, (char *)c->motion + (n_motion + 63) / 64 * 64, scratch);
    c->one = c->motion + 4 * nv * TQ_BLOCK_STRIDE;
    mark_turns(recording, c->turns);
    return true;
}

void tqa_commanded_close(tqa_recording_rows *rows)
{
    tqa_commanded *c = rows->commanded;
    if (c == NULL) {
        return;
    }
    free(c->turns);
    free(c->command);
    free(c->series);
    free(c->before);
    free(c->held);
    free(c->motion);
    tqa_integral_free(&c->integral);
    free(c);
    rows->commanded = NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Rows
 */

void tqa_commanded_resume(tqa_recording_rows *rows)
{
    tqa_commanded *c = rows->commanded;
    if (c == NULL || !c->has_held) {
        return;
    }
    const size_t n_channel = rows->recording->signal.channels.n;
    for (size_t k = 0; k < n_channel; k++) {
        rows->run.values[k * RUN] = c->held[k];
    }
    for (size_t k = 0; k < COMMANDS * c->nv; k++) {
        c->command[k * RUN] = c->held[n_channel + k];
    }
    rows->run.t[0] = c->held_t;
    rows->run.row[0] = c->held_row;
    rows->run.state[0] = c->held_state;
    rows->n_run = 1;
    c->has_held = false;
}

void tqa_commanded_convert(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES],
                           size_t n, size_t pitch)
{
    const tqa_recording *recording = rows->recording;
    tqa_commanded *c = rows->commanded;
    static const tqa_recording_quantity commands[COMMANDS] = {
        TQA_RECORDING_Q_CMD, TQA_RECORDING_QD_CMD, TQA_RECORDING_TAU_FF};
    static const tq_quantity like[COMMANDS] = {TQ_QUANTITY_Q, TQ_QUANTITY_QD, TQ_QUANTITY_TAU};
    for (size_t k = 0; c != NULL && k < COMMANDS; k++) {
        const tqa_recording_quantity q = commands[k];
        const size_t width = recording->column[q] != NULL && cells[q] != NULL ? c->nv : 0;
        for (size_t r = 0; r < width; r++) {
            const double *from = cells[q] + recording->column[q][r];
            double *to = c->command + (k * c->nv + r) * RUN + rows->n_run;
            for (size_t i = 0; i < n; i++) {
                to[i] = recording->factor[q][r] * from[i * pitch];
            }
            tq_rows_check(like[k], n, to, rows->run.state + rows->n_run);
        }
    }
}

/* The last row waits for its successor. */
static void hold(tqa_recording_rows *rows)
{
    tqa_commanded *c = rows->commanded;
    const size_t n_channel = rows->recording->signal.channels.n;
    const size_t last = rows->n_run - 1;
    for (size_t k = 0; k < n_channel; k++) {
        c->held[k] = rows->run.values[k * RUN + last];
    }
    for (size_t k = 0; k < COMMANDS * c->nv; k++) {
        c->held[n_channel + k] = c->command[k * RUN + last];
    }
    c->held_t = rows->run.t[last];
    c->held_row = rows->run.row[last];
    c->held_state = rows->run.state[last];
    c->has_held = true;
    rows->n_run = last;
}

/* ------------------------------------------------------------------------------------------------
 * The law
 */

static double nearest_turn(double x)
{
    return x - turn * round(x / turn);
}

static void find_series(const tqa_recording_rows *rows)
{
    const tqa_commanded *c = rows->commanded;
    const size_t first = rows->recording->signal.channels.first[TQ_QUANTITY_Q];
    for (size_t r = 0; r < c->nv; r++) {
        const double *q = rows->run.values + (first + r) * RUN;
        const double *command = c->command + r * RUN;
        double *error = c->series + (OF_ERROR * c->nv + r) * RUN;
        for (size_t i = 0; i < rows->n_run; i++) {
            const double off = command[i] - q[i];
            error[i] = c->turns[r] && isfinite(off) ? nearest_turn(off) : off;
        }
        memcpy(c->series + (OF_COMMAND * c->nv + r) * RUN, command, RUN * sizeof *command);
        memcpy(c->series + (OF_COMMANDED_RATE * c->nv + r) * RUN, command + c->nv * RUN,
               RUN * sizeof *command);
        memcpy(c->series + (OF_POSITION * c->nv + r) * RUN, q, RUN * sizeof *q);
    }
}

/* Steps of time to the rows before and after row i; 0: they are no neighbours. */
typedef struct neighbours {
    double before, after;
} neighbours;

static double step_between(uint64_t row, double t, uint64_t next_row, double next_t)
{
    const double step = next_t - t;
    return next_row == row + 1 && step > 0.0 ? step : 0.0;
}

static neighbours find_neighbours(const tqa_recording_rows *rows, size_t i)
{
    const tqa_commanded *c = rows->commanded;
    const uint64_t *row = rows->run.row;
    const double *t = rows->run.t;
    neighbours ret = {0};
    if (i > 0 && rows->run.state[i - 1] == TQ_ROW_GOOD) {
        ret.before = step_between(row[i - 1], t[i - 1], row[i], t[i]);
    } else if (i == 0 && c->has_before) {
        ret.before = step_between(c->before_row, c->t_before, row[0], t[0]);
    }
    if (i + 1 < rows->n_run + (c->has_held ? 1 : 0) && rows->run.state[i + 1] == TQ_ROW_GOOD) {
        ret.after = step_between(row[i], t[i], row[i + 1], t[i + 1]);
    }
    return ret;
}

/* first and second derivative by time at row i: of second order where both neighbours are there */
static void differentiate(const tqa_commanded *c, series of, size_t r, size_t i, neighbours step,
                          double *ret_first, double *ret_second)
{
    const double *x = c->series + (of * c->nv + r) * RUN;
    const bool turns = c->turns[r] && of != OF_COMMANDED_RATE;
    double back = 0.0;
    double forth = 0.0;
    if (step.before > 0.0) {
        const double off = x[i] - (i > 0 ? x[i - 1] : c->before[of * c->nv + r]);
        back = (turns ? nearest_turn(off) : off) / step.before;
    }
    if (step.after > 0.0) {
        const double off = x[i + 1] - x[i];
        forth = (turns ? nearest_turn(off) : off) / step.after;
    }
    const bool both = step.before > 0.0 && step.after > 0.0;
    const double all = step.before + step.after;
    *ret_first = both ? (step.after * back + step.before * forth) / all : back + forth;
    *ret_second = both ? 2.0 * (forth - back) / all : 0.0;
}

/* kp e + kd e' of row i into acceleration or torque of the model, and tau_ff into torque; the
 * motion of the model beside */
static void find_feedback(const tqa_recording_rows *rows, size_t i)
{
    const tqa_commanded *c = rows->commanded;
    const tqa_recording *recording = rows->recording;
    const tqa_commanded_law *law = law_of(rows);
    const tq_channels *channels = &recording->signal.channels;
    const neighbours step = find_neighbours(rows, i);
    const bool logged = tqa_commanded_has_rates(recording);
    for (size_t r = 0; r < c->nv; r++) {
        const double *commanded_rate = c->command + (c->nv + r) * RUN;
        double *motion = c->motion + r * TQ_BLOCK_STRIDE + i;
        double rate_off = 0.0;
        double rate = 0.0;
        double acceleration = 0.0;
        double ignored = 0.0;
        differentiate(c, OF_ERROR, r, i, step, &rate_off, &ignored);
        differentiate(c, OF_POSITION, r, i, step, &rate, &ignored);
        if (recording->column[TQA_RECORDING_QD_CMD] != NULL) {
            differentiate(c, OF_COMMANDED_RATE, r, i, step, &acceleration, &ignored);
        } else {
            differentiate(c, OF_COMMAND, r, i, step, &ignored, &acceleration);
        }
        if (channels->has[TQ_QUANTITY_QD]) {
            rate = rows->run.values[(channels->first[TQ_QUANTITY_QD] + r) * RUN + i];
        }
        const double e = c->series[(OF_ERROR * c->nv + r) * RUN + i];
        const double e_rate = logged ? commanded_rate[i] - rate : rate_off;
        const double feedback = law->kp[r] * e + law->kd[r] * e_rate;
        const bool is_computed = law->kind == TQA_COMMANDED_COMPUTED;
        motion[0] = c->series[(OF_POSITION * c->nv + r) * RUN + i];
        motion[c->nv * TQ_BLOCK_STRIDE] = is_computed ? rate : 0.0;
        motion[2 * c->nv * TQ_BLOCK_STRIDE] = is_computed ? acceleration + feedback : 0.0;
        rows->run.values[(channels->first[TQ_QUANTITY_TAU] + r) * RUN + i] =
            (is_computed ? 0.0 : feedback) + c->command[(2 * c->nv + r) * RUN + i];
    }
}

/* torque of the controller's model, the robot of the request, behind n_sample rows of `motion` */
static bool ask_model(const tqa_recording_rows *rows, double *motion, size_t n_sample,
                      size_t stride)
{
    tqa_commanded *c = rows->commanded;
    const tqa_recording_request *request = rows->recording->request;
    const tqa_commanded_law *law = law_of(rows);
    const size_t n = c->nv * stride;
    tq_error error = {0};
    const tq_inverse_input in = {
        .n_sample = n_sample,
        .stride = stride,
        .q = motion,
        .qd = motion + n,
        .qdd = motion + 2 * n,
        .without = law->kind == TQA_COMMANDED_COMPUTED ? 0u : (unsigned)TQ_WITHOUT_FRICTION};
    const tq_status status =
        tq_inverse_dynamics(request->options.mechanism, &in, &c->scratch, motion + 3 * n, &error);
    return status == TQ_OK || tqa_recording_fail(rows->recording, status, NULL, &error);
}

/* torque of a model that does not depend on the integral */
static bool add_model(const tqa_recording_rows *rows)
{
    tqa_commanded *c = rows->commanded;
    const tqa_commanded_law *law = law_of(rows);
    const size_t n = c->nv * TQ_BLOCK_STRIDE;
    if (law->kind == TQA_COMMANDED_PD || (law->kind == TQA_COMMANDED_COMPUTED && law->ki != NULL)) {
        return true;
    }
    for (size_t k = 0; k < 3 * c->nv; k++) { /* rows that are left out may hold anything */
        double *x = c->motion + k * TQ_BLOCK_STRIDE;
        for (size_t i = 0; i < TQ_BLOCK_STRIDE; i++) {
            x[i] = i < rows->n_run && fabs(x[i]) < 1e6 ? x[i] : 0.0;
        }
    }
    if (!ask_model(rows, c->motion, rows->n_run, TQ_BLOCK_STRIDE)) {
        return false;
    }
    const size_t first = rows->recording->signal.channels.first[TQ_QUANTITY_TAU];
    for (size_t r = 0; r < c->nv; r++) {
        const double *tau = c->motion + 3 * n + r * TQ_BLOCK_STRIDE;
        for (size_t i = 0; i < rows->n_run; i++) {
            rows->run.values[(first + r) * RUN + i] += tau[i];
        }
    }
    return true;
}

/* M (qdd_cmd + kp e + kd e' + ki s) + ... of row i into c->one */
static bool compute_one(const tqa_recording_rows *rows, size_t i)
{
    const tqa_commanded *c = rows->commanded;
    const double *ki = law_of(rows)->ki;
    for (size_t k = 0; k < 3 * c->nv; k++) {
        const double x = c->motion[k * TQ_BLOCK_STRIDE + i];
        const double sum = k < 2 * c->nv ? 0.0 : ki[k - 2 * c->nv] * c->integral.sum[k - 2 * c->nv];
        c->one[k * TQ_BLOCK_PAD] = fabs(x + sum) < 1e6 ? x + sum : 0.0;
    }
    return ask_model(rows, c->one, 1, TQ_BLOCK_PAD);
}

/* Adds the integral's torque, row by row, as it depends on the torque of the row before. */
static bool add_integral(const tqa_recording_rows *rows)
{
    tqa_commanded *c = rows->commanded;
    const tqa_commanded_law *law = law_of(rows);
    const bool is_computed = law->kind == TQA_COMMANDED_COMPUTED;
    const size_t first = rows->recording->signal.channels.first[TQ_QUANTITY_TAU];
    for (size_t i = 0; law->ki != NULL && i < rows->n_run; i++) {
        if (rows->run.state[i] != TQ_ROW_GOOD) { /* the rule goes on from the row before */
            continue;
        }
        tqa_integral_advance(&c->integral, rows->run.t[i], c->series + OF_ERROR * c->nv * RUN + i,
                             RUN);
        if (is_computed && !compute_one(rows, i)) {
            return false;
        }
        for (size_t r = 0; r < c->nv; r++) {
            double *tau = rows->run.values + (first + r) * RUN + i;
            *tau += is_computed ? c->one[(3 * c->nv + r) * TQ_BLOCK_PAD]
                                : law->ki[r] * c->integral.sum[r];
            tqa_integral_limit(&c->integral, r, *tau, law->limit[r]);
        }
    }
    if (!rows->recording->signal.has_survey) {
        rows->recording->longest_unseen = c->integral.longest;
    }
    return true;
}

/* Torque at a limit is not the law's. */
static void mark_saturated(tqa_recording_rows *rows)
{
    const tqa_commanded *c = rows->commanded;
    const double *limit = law_of(rows)->limit;
    const size_t first = rows->recording->signal.channels.first[TQ_QUANTITY_TAU];
    for (size_t r = 0; r < c->nv; r++) {
        const double *tau = rows->run.values + (first + r) * RUN;
        tq_rows_check(TQ_QUANTITY_TAU, rows->n_run, tau, rows->run.state);
        for (size_t i = 0; i < rows->n_run; i++) {
            if (fabs(tau[i]) >= limit[r] && rows->run.state[i] == TQ_ROW_GOOD) {
                rows->run.state[i] = TQ_ROW_SATURATED;
            }
        }
    }
}

static void add_sums(const tqa_recording_rows *rows)
{
    const tqa_commanded *c = rows->commanded;
    const tqa_recording *recording = rows->recording;
    for (size_t r = 0; !recording->signal.has_survey && r < c->nv; r++) {
        tqa_commanded_sums *sums = &recording->follows[r];
        const double *q = c->series + (OF_POSITION * c->nv + r) * RUN;
        const double *error = c->series + (OF_ERROR * c->nv + r) * RUN;
        for (size_t i = 0; i < rows->n_run; i++) {
            if (rows->run.state[i] == TQ_ROW_GOOD) {
                sums->n += 1.0;
                sums->q += q[i];
                sums->q_square += q[i] * q[i];
                sums->off_square += error[i] * error[i];
            }
        }
    }
}

static void keep_before(const tqa_recording_rows *rows)
{
    tqa_commanded *c = rows->commanded;
    const size_t last = rows->n_run - 1;
    for (size_t k = 0; k < SERIES * c->nv; k++) {
        c->before[k] = c->series[k * RUN + last];
    }
    c->t_before = rows->run.t[last];
    c->before_row = rows->run.row[last];
    c->has_before =
        rows->run.state[last] != TQ_ROW_NOT_FINITE && rows->run.state[last] != TQ_ROW_ABSURD;
}

bool tqa_commanded_finish(tqa_recording_rows *rows, bool more)
{
    tqa_commanded *c = rows->commanded;
    if (c == NULL || rows->n_run == 0) {
        return true;
    }
    find_series(rows);
    if (more) {
        hold(rows);
    }
    if (rows->n_run == 0) {
        return true;
    }
    for (size_t i = 0; i < rows->n_run; i++) {
        find_feedback(rows, i);
    }
    if (!add_model(rows) || !add_integral(rows)) {
        return false;
    }
    add_sums(rows);
    mark_saturated(rows);
    keep_before(rows);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Checks of a surveyed recording
 */

/* A controller's integral is that of all rows since it was 0. */
static bool check_integral(const tqa_recording *recording)
{
    const tqa_recording_window *windows = recording->windows;
    const bool has_all =
        recording->n_window == 0 || (recording->n_window == 1 && windows[0].first == 0);
    if (!recording->is_commanded || recording->request->law->ki == NULL) {
        return true;
    }
    if (!has_all) {
        return tqa_value_refuse(
            &recording->part, "invalid-value", "choose one range of rows, from row 0 on",
            "\"%.60s\": the integral of \"ki\" is that of all rows before", recording->name);
    }
    return !(recording->longest_unseen > recording->signal.gap) ||
           tqa_value_refuse(&recording->part, "invalid-value",
                            "choose the \"rows\" before it, or log the controller's integral as a "
                            "part of \"tau_ff\", without \"ki\"",
                            "\"%.60s\": %.3g s without a row, in which the integral of \"ki\" "
                            "went on",
                            recording->name, recording->longest_unseen);
}

bool tqa_commanded_check(const tqa_recording *recording)
{
    static const double most_off = 1.0;      /* of the deviation of the measured motion */
    static const double least_moving = 1e-3; /* rad, m */
    const tqa_robot *robot = recording->request->tree->robot;
    const uint64_t n_saturated = recording->signal.repairs[TQ_REPAIR_SATURATED].n;
    for (uint32_t j = 0; recording->is_commanded && j < robot->model->n_joint; j++) {
        const tq_joint *joint = &robot->model->joints[j];
        const tqa_commanded_sums *sums = &recording->follows[joint->v_index];
        if (joint->nv != 1 || joint->mimic != TQ_NONE || !(sums->n > 0.0)) {
            continue;
        }
        const double mean = sums->q / sums->n;
        const double moving = sqrt(fmax(sums->q_square / sums->n - mean * mean, 0.0));
        const double off = sqrt(sums->off_square / sums->n);
        if (moving > least_moving && off > most_off * moving) {
            return tqa_value_refuse(&recording->part, "invalid-value",
                                    "choose the columns of \"q_cmd\", or say their units: "
                                    "\"units\": {\"q_cmd\": \"deg\"}",
                                    "\"%.60s\": joint \"%.60s\" is %.3g off its commanded position "
                                    "(rms) where it moves by %.3g: it does not follow it",
                                    recording->name, robot->joint_names[j], off, moving);
        }
    }
    if (recording->is_commanded && 2 * n_saturated > recording->signal.n_chosen) {
        return tqa_value_refuse(&recording->part, "invalid-value",
                                "check the gains and their units, or state the limits that hold: "
                                "\"controller\": {\"effort_limits\": [...]}",
                                "\"%.60s\": in %llu of %llu rows the controller's law is at the "
                                "limit of a joint's effort, where torque is not known",
                                recording->name, (unsigned long long)n_saturated,
                                (unsigned long long)recording->signal.n_chosen);
    }
    return check_integral(recording);
}
