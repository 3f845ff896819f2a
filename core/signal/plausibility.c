/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/plausibility.c - do a log's numbers mean what is said of them: units, signs,
 * columns,
 * by the first stretch of motion. */
#include <math.h>
#include <string.h>

#include "api/recordings/parts.h"
#include "core/dynamics/inverse.h"

static const double slope_s = 0.02;       /* s: of positions apart, so that noise does not matter */
static const double beyond_effort = 20.0; /* times what a joint's limit of effort allows, rms */
static const double farthest = 40.0;      /* rad or m, of joints without limits */
static const double beyond_gravity = 100.0; /* times what holds the robot: no torque in N m */
static const double least_effort = 1.0;     /* a limit that nobody has filled in is 0 or 1 */
static const double none_logged = 1e-4;     /* of the slopes' square: a hundredth of the velocity */
static const double returns = 0.15;         /* of its range: a joint is back where it began */
static const double taken_out = -0.3;       /* correlation of torque and rate that no motor has */

static const double *channel(const tqa_recording *log, const tqa_resample *even,
                             tqa_recording_quantity quantity, size_t row)
{
    return even->channels + (log->first_channel[quantity] + row) * even->stride;
}

static bool judge_positions(const tqa_recording *log, const tqa_resample *even)
{
    const tqa_robot *robot = log->request->control->robot;
    const tq_model *model = robot->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nq != 1 || log->request->unit_known[TQA_RECORDING_Q] ||
            log->request->scaled[TQA_RECORDING_Q]) {
            continue;
        }
        const bool slides = joint->kind == TQ_JOINT_PRISMATIC;
        const double *q = channel(log, even, TQA_RECORDING_Q, joint->q_index);
        const double widest = fmax(fabs(joint->limits.lower), fabs(joint->limits.upper));
        const double most = isfinite(widest) && widest > 0.0 ? 3.0 * widest : farthest;
        for (size_t k = 0; k < even->n; k++) {
            if (fabs(q[k]) > most) {
                return tqa_value_refuse(
                    &log->part, "invalid-value",
                    slides ? "say which, for each joint: \"units\": {\"q\": [..., \"mm\"]}, or "
                             "\"m\" if it is so"
                           : "say which: \"units\": {\"q\": \"deg\"}, or \"rad\" if it is so",
                    "\"%.60s\": joint \"%.60s\" would be at %.6g %s", log->name,
                    robot->joint_names[j], q[k],
                    slides ? "m: its positions are hardly in metres"
                           : "rad: its angles are hardly in radians");
            }
        }
    }
    return true;
}

/* How logged velocity and the slope of logged position go together: means of products. */
typedef struct slope_sums {
    double both, slopes, logged;
} slope_sums;

static slope_sums compare_slopes(const tqa_recording *log, const tqa_resample *even,
                                 const double *q, const double *qd)
{
    const double wide = ceil(slope_s / log->step);
    const size_t half = wide < 1.0 ? 1 : wide < (double)even->n / 4.0 ? (size_t)wide : even->n / 4;
    slope_sums s = {0};
    double around = 0.0; /* sum of qd within half of k, ends halved: what the slope sees */
    for (size_t k = 0; k < 2 * half; k++) {
        around += 0.5 * (qd[k] + qd[k + 1]);
    }
    for (size_t k = half; k + half < even->n; k++) {
        const double slope = (q[k + half] - q[k - half]) / (2.0 * (double)half * log->step);
        const double mean = around / (2.0 * (double)half);
        s.both += slope * mean;
        s.slopes += slope * slope;
        s.logged += mean * mean;
        if (k + half + 1 < even->n) {
            around +=
                0.5 * (qd[k + half] + qd[k + half + 1]) - 0.5 * (qd[k - half] + qd[k - half + 1]);
        }
    }
    return s;
}

/* Logged velocity against the slope of logged position: their ratio is 1, or a unit is wrong; they
 * are alike, or belong to different joints. */
static bool judge_velocities(const tqa_recording *log, const tqa_resample *even)
{
    const tqa_robot *robot = log->request->control->robot;
    const tq_model *model = robot->model;
    if (log->column[TQA_RECORDING_QD] == NULL || even->n < 16) {
        return true;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nq != 1) {
            continue;
        }
        const slope_sums s =
            compare_slopes(log, even, channel(log, even, TQA_RECORDING_Q, joint->q_index),
                           channel(log, even, TQA_RECORDING_QD, joint->v_index));
        const double ratio = s.both / s.slopes;
        const double alike = s.both / sqrt(s.slopes * s.logged);
        const double least = 1e-4 * (double)even->n;
        if (s.slopes > 25.0 * least && s.logged < none_logged * s.slopes &&
            !(fabs(alike) > 0.9)) { /* alike, it is a unit: below */
            return tqa_value_refuse(
                &log->part, "invalid-value", "choose the columns of velocity, or leave \"qd\" out",
                "\"%.60s\": joint \"%.60s\" moves by its position, and its velocity stays at 0",
                log->name, robot->joint_names[j]);
        }
        if (s.slopes > least && fabs(alike) > 0.9 && (ratio < 0.5 || ratio > 2.0)) {
            return tqa_value_refuse(
                &log->part, "invalid-value",
                ratio < 0.0 ? "choose the columns, or turn the sign: \"scale\": {\"qd\": [...]}"
                            : "say the units: \"units\": {\"q\": ..., \"qd\": ..., \"time\": ...}",
                "\"%.60s\": the velocity of joint \"%.60s\" is %.3g times the slope of its "
                "position",
                log->name, robot->joint_names[j], ratio);
        }
        /* fast motion is far above noise: there they must be the same */
        const bool is_fast = s.slopes > 400.0 * least && s.logged > 400.0 * least;
        if (s.slopes > least && s.logged > least && fabs(alike) < (is_fast ? 0.9 : 0.5)) {
            return tqa_value_refuse(
                &log->part, "invalid-value",
                "choose the columns: one of the two is another joint's, or late",
                "\"%.60s\": the velocity of joint \"%.60s\" %s the slope of its position "
                "(correlation %.2f)",
                log->name, robot->joint_names[j],
                fabs(alike) < 0.5 ? "has nothing to do with" : "is not", alike);
        }
    }
    return true;
}

static bool never_changes(const double *x, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        if (x[k] != x[0]) {
            return false;
        }
    }
    return true;
}

/* Torque there is, and of a size that the joints can have. */
static bool judge_efforts(const tqa_recording *log, const tqa_resample *even)
{
    const tqa_robot *robot = log->request->control->robot;
    const tq_model *model = robot->model;
    bool any = false;
    for (size_t v = 0; v < model->nv; v++) {
        any = any || !never_changes(channel(log, even, TQA_RECORDING_TAU, v), even->n);
    }
    if (!any) {
        return tqa_value_refuse(&log->part, "invalid-value", "choose the columns of torque",
                                "\"%.80s\": the joints move, and no torque ever changes",
                                log->name);
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double most = joint->limits.effort;
        const bool told = log->request->unit_known[TQA_RECORDING_TAU] && !log->request->in_amperes;
        if (joint->nv != 1 || !(most > least_effort) || !isfinite(most) || told) {
            continue;
        }
        const double *tau = channel(log, even, TQA_RECORDING_TAU, joint->v_index);
        double square = 0.0;
        for (size_t k = 0; k < even->n; k++) {
            square += tau[k] * tau[k] / (double)even->n;
        }
        if (sqrt(square) > beyond_effort * most) {
            return tqa_value_refuse(
                &log->part, "invalid-value",
                log->request->in_amperes
                    ? "say \"units\": {\"tau\": \"mA\"}, or another \"scale\""
                    : "say the units: \"units\": {\"tau\": \"mNm\"}, or \"A\" with a \"scale\"",
                "\"%.60s\": joint \"%.60s\" would have a torque of %.4g (rms), its limit is %.4g",
                log->name, robot->joint_names[j], sqrt(square), most);
        }
    }
    return true;
}

/* The largest torque with which gravity pulls at a joint along the motion, by the robot's model. */
static bool find_gravity(const tqa_recording *log, const tqa_resample *even, double *ret)
{
    enum { POSES = 16 };
    const tqa_robot *robot = log->request->control->robot;
    const size_t nq = robot->model->nq;
    const size_t nv = robot->model->nv;
    tq_scratch scratch;
    double *rows = tqa_tree_take(log->request->control, (nq + nv) * POSES, sizeof *rows);
    *ret = 0.0;
    if (rows == NULL || !tqa_tree_scratch(log->request->control,
                                          tq_inverse_scratch_size(robot->mechanism, 0), &scratch)) {
        return false;
    }
    for (size_t r = 0; r < nq; r++) {
        const double *q = channel(log, even, TQA_RECORDING_Q, r);
        for (size_t k = 0; k < POSES; k++) {
            rows[r * POSES + k] = q[k * (even->n - 1) / (POSES - 1)];
        }
    }
    const tq_inverse_input in = {
        .n_sample = POSES,
        .stride = POSES,
        .q = rows,
        .without = TQ_WITHOUT_FRICTION | TQ_WITHOUT_SPRING | TQ_WITHOUT_ROTOR,
    };
    _Static_assert(POSES % TQ_BLOCK_PAD == 0, "whole lanes");
    const double *tau = rows + nq * POSES;
    if (tq_inverse_dynamics(robot->mechanism, &in, &scratch, rows + nq * POSES, NULL) != TQ_OK) {
        return true; /* nothing is known */
    }
    for (size_t k = 0; k < nv * POSES; k++) {
        *ret = fmax(*ret, fabs(tau[k]));
    }
    return true;
}

/* Milli-newton-metres look like the torque of a robot of a thousand times the mass. */
static bool judge_sizes(const tqa_recording *log, const tqa_resample *even)
{
    const tq_model *model = log->request->control->robot->model;
    const bool told =
        log->request->unit_known[TQA_RECORDING_TAU] || log->request->scaled[TQA_RECORDING_TAU];
    double gravity = 0.0;
    double most = 0.0;
    if (told || model->nq != model->nv) {
        return true;
    }
    if (!find_gravity(log, even, &gravity)) {
        return false;
    }
    for (size_t r = 0; r < model->nv; r++) {
        const double *tau = channel(log, even, TQA_RECORDING_TAU, r);
        double square = 0.0;
        for (size_t k = 0; k < even->n; k++) {
            square += tau[k] * tau[k] / (double)even->n;
        }
        most = fmax(most, sqrt(square));
    }
    return gravity < least_effort || most <= beyond_gravity * gravity ||
           tqa_value_refuse(
               &log->part, "invalid-value",
               "say the units: \"units\": {\"tau\": \"mNm\"}, or \"Nm\" if it is so and the "
               "robot's masses are not",
               "\"%.60s\": a torque of %.4g (rms), where gravity takes %.4g by the robot's masses",
               log->name, most, gravity);
}

static double range_of(const double *x, size_t n)
{
    double least = x[0];
    double most = x[0];
    for (size_t k = 1; k < n; k++) {
        least = fmin(least, x[k]);
        most = fmax(most, x[k]);
    }
    return most - least;
}

/* Every joint is back where it began: gravity and inertia have taken and given the same. */
static bool is_closed(const tqa_recording *log, const tqa_resample *even)
{
    const tq_model *model = log->request->control->robot->model;
    for (size_t r = 0; r < model->nq; r++) {
        const double *q = channel(log, even, TQA_RECORDING_Q, r);
        if (fabs(q[even->n - 1] - q[0]) > returns * range_of(q, even->n)) {
            return false;
        }
    }
    return true;
}

/* Friction only takes: along a closed path the motors cannot get energy out of the robot, all of
 * them together; one may, that another has put in. */
static bool judge_signs(const tqa_recording *log, const tqa_resample *even)
{
    const tqa_robot *robot = log->request->control->robot;
    const tq_model *model = robot->model;
    if (model->nq != model->nv || !is_closed(log, even)) {
        return true;
    }
    uint32_t worst = TQ_NONE; /* the joint whose torque and rate are least alike */
    double total = 0.0, least = taken_out, least_work = 0.0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nv != 1 || joint->mimic != TQ_NONE) {
            continue;
        }
        const double *q = channel(log, even, TQA_RECORDING_Q, joint->q_index);
        const double *tau = channel(log, even, TQA_RECORDING_TAU, joint->v_index);
        double mean = 0.0, work = 0.0, square = 0.0, way = 0.0;
        for (size_t k = 0; k < even->n; k++) {
            mean += tau[k] / (double)even->n;
        }
        for (size_t k = 1; k + 1 < even->n; k++) {
            const double step = 0.5 * (q[k + 1] - q[k - 1]);
            work += (tau[k] - mean) * step;
            square += (tau[k] - mean) * (tau[k] - mean);
            way += step * step;
        }
        total += work;
        if (way > 0.0 && square > 0.0 && work < least * sqrt(square * way)) {
            worst = j;
            least = work / sqrt(square * way);
            least_work = work;
        }
    }
    return worst == TQ_NONE || total >= 0.0 ||
           tqa_value_refuse(
               &log->part, "invalid-value",
               "turn its sign: \"scale\": {\"tau\": [...]}, or choose the columns",
               "\"%.60s\": joint \"%.60s\" gives its motor %.4g J along a motion that ends where "
               "it began: friction would have to push",
               log->name, robot->joint_names[worst], -least_work);
}

bool tqa_recording_check_plausibility(tqa_recording *log, const tqa_resample *even)
{
    return judge_positions(log, even) && judge_velocities(log, even) &&
           ((log->request->need & 1u << TQA_RECORDING_TAU) == 0 || /* nobody fits to it */
            (judge_efforts(log, even) && judge_sizes(log, even) && judge_signs(log, even)));
}
