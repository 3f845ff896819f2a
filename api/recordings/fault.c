/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/fault.c - texts of faults that make a recording unusable. */
#include <math.h>
#include <stdio.h>

#include "api/recordings/parts.h"

typedef unsigned long long count;

static void list_rows(const tq_repair_count *repairs, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t k = 0; k < TQ_REPAIR_ROWS && k < repairs->n && n + 24 < size; k++) {
        n += (size_t)snprintf(text + n, size - n, "%s%llu", k > 0 ? ", " : "",
                              (count)repairs->rows[k]);
    }
    if (repairs->n > TQ_REPAIR_ROWS) {
        (void)snprintf(text + n, size - n, ", ...");
    }
}

static bool refuse_numbers(const tqa_recording *recording, tq_recording_fault_kind kind)
{
    const tq_recording *signal = &recording->signal;
    const tq_repair_count *no = &signal->repairs[TQ_REPAIR_NOT_FINITE];
    const tq_repair_count *wild = &signal->repairs[TQ_REPAIR_ABSURD];
    char rows[TQA_PROBLEM_TEXT / 2];
    if (kind == TQ_FAULT_FEW_ROWS) {
        return tqa_value_refuse(&recording->part, "wrong-length",
                                "16 rows at least; \"rows\" chooses which",
                                "\"%.80s\" has %llu rows here, too few for a motion",
                                recording->name, (count)signal->n_chosen);
    }
    if (kind == TQ_FAULT_UNPAIRED) {
        return tqa_value_refuse(&recording->part, "wrong-length",
                                "name files of one recording, or choose the \"rows\" of all",
                                "\"%.60s\": its files have %llu rows in common, and one has %llu "
                                "more: they are probably of different recordings",
                                recording->name, (count)signal->n_row, (count)signal->n_unpaired);
    }
    list_rows(no->n > wild->n ? no : wild, rows, sizeof rows);
    return tqa_value_refuse(&recording->part, "invalid-value",
                            "choose other columns, or the good rows: \"rows\": [first, end]",
                            "\"%.60s\": of %llu rows, %llu have a number that is NaN or "
                            "infinite, %llu one beyond any robot (rows %s)",
                            recording->name, (count)signal->n_chosen, (count)no->n, (count)wild->n,
                            rows);
}

static bool refuse_quaternions(const tqa_recording *recording)
{
    const tq_recording *signal = &recording->signal;
    const tq_repair_count *bad = &signal->repairs[TQ_REPAIR_NOT_UNIT];
    const tqa_value where = tqa_recording_place(recording, "columns", "base_quaternion_wxyz");
    char rows[TQA_PROBLEM_TEXT / 2];
    list_rows(bad, rows, sizeof rows);
    return tqa_value_refuse(&where, "quaternion",
                            "name the four columns of a unit quaternion, w x y z, or choose the "
                            "good rows: \"rows\": [first, end]",
                            "\"%.60s\": of %llu rows, %llu have a quaternion whose length is not "
                            "1 (rows %s)",
                            recording->name, (count)signal->n_chosen, (count)bad->n, rows);
}

static bool refuse_time(const tqa_recording *recording, tq_recording_fault_kind kind)
{
    const tq_clock *clock = recording->signal.clock;
    if (kind == TQ_FAULT_TIME_REVERSED) {
        return tqa_value_refuse(&recording->part, "invalid-value",
                                "reverse the order of the rows, or choose the column of times",
                                "\"%.80s\": the time decreases from the first row to the last: "
                                "%.6g s to %.6g s",
                                recording->name, clock->first, clock->last);
    }
    if (kind == TQ_FAULT_TIME_UNSORTED) {
        return tqa_value_refuse(&recording->part, "invalid-value",
                                "choose the column of times, or sort the rows by time",
                                "\"%.80s\": the time decreases in %llu of %llu rows, first in row "
                                "%llu",
                                recording->name, (count)clock->n_backward, (count)clock->n,
                                (count)clock->first_backward);
    }
    return tqa_value_refuse(&recording->part, "invalid-value",
                            "choose the column of times, or leave it out and add \"rate_hz\"",
                            "\"%.80s\": the time does not change in %llu of %llu rows, first in "
                            "row %llu",
                            recording->name, (count)clock->n_repeated, (count)clock->n,
                            (count)clock->first_repeated);
}

static bool refuse_period(const tqa_recording *recording, const tq_recording_fault *fault)
{
    if (fault->kind == TQ_FAULT_PERIOD_LONG) {
        return tqa_value_refuse(
            &recording->part, "invalid-value",
            fault->value > 5e3 ? "say which: \"units\": {\"time\": \"us\"} (or \"ns\")"
                               : "say which: \"units\": {\"time\": \"ms\"} (or \"us\", \"ns\"), "
                                 "or \"s\" if it is so slow",
            "\"%.80s\": the rows would be %.6g s apart: its times are probably "
            "not in seconds",
            recording->name, fault->value);
    }
    if (fault->kind == TQ_FAULT_PERIOD_SHORT) {
        return tqa_value_refuse(&recording->part, "invalid-value",
                                "name the column of times, or its units: \"units\": {\"time\": "
                                "\"s\"}",
                                "\"%.80s\": the rows would be %.6g s apart", recording->name,
                                fault->value);
    }
    return tqa_value_refuse(
        &recording->part, "range", "choose a lower \"rate_hz\"",
        "\"%.80s\" has %.6g rows in a second: a rate of %.6g is more than 20 times that",
        recording->name, fault->value, recording->request->options.rate);
}

static bool refuse_position(const tqa_recording *recording, const tq_recording_fault *fault)
{
    const tqa_robot *robot = recording->request->tree->robot;
    const bool slides = robot->model->joints[fault->joint].kind == TQ_JOINT_PRISMATIC;
    return tqa_value_refuse(
        &recording->part, "invalid-value",
        slides ? "say which, for each joint: \"units\": {\"q\": [..., \"mm\"]}, or "
                 "\"m\" if it is so"
               : "say which: \"units\": {\"q\": \"deg\"}, or \"rad\" if it is so",
        "\"%.60s\": joint \"%.60s\" would be at %.6g %s", recording->name,
        robot->joint_names[fault->joint], fault->value,
        slides ? "m: its positions are probably not in metres"
               : "rad: its angles are probably not in radians");
}

static bool refuse_velocity(const tqa_recording *recording, const tq_recording_fault *fault)
{
    if (fault->kind == TQ_FAULT_VELOCITY_CLOCK) {
        return tqa_value_refuse(
            &recording->part, "invalid-value",
            "correct \"rate_hz\", or the column of times and its unit; or \"scale\" qd, or leave "
            "it out",
            "\"%.60s\": the velocities of all joints are %.3g times the slopes of their positions: "
            "rows come %.3g times as fast as the log says",
            recording->name, fault->value, fault->value);
    }
    const char *joint = recording->request->tree->robot->joint_names[fault->joint];
    if (fault->kind == TQ_FAULT_VELOCITY_ZERO) {
        return tqa_value_refuse(
            &recording->part, "invalid-value",
            "choose the columns of velocity, or leave \"qd\" out",
            "\"%.60s\": joint \"%.60s\" moves by its position, but its velocity stays at 0",
            recording->name, joint);
    }
    if (fault->kind == TQ_FAULT_VELOCITY_RATIO) {
        return tqa_value_refuse(
            &recording->part, "invalid-value",
            fault->value < 0.0
                ? "choose the columns, or reverse the sign: \"scale\": {\"qd\": [...]}"
                : "say the units: \"units\": {\"q\": ..., \"qd\": ..., \"time\": ...}",
            "\"%.60s\": the velocity of joint \"%.60s\" is %.3g times the slope of its "
            "position",
            recording->name, joint, fault->value);
    }
    return tqa_value_refuse(
        &recording->part, "invalid-value",
        "choose the columns: one of the two is another joint's, or delayed",
        "\"%.60s\": the velocity of joint \"%.60s\" %s the slope of its position "
        "(correlation %.2f)",
        recording->name, joint, fabs(fault->value) < 0.5 ? "is unrelated to" : "is not",
        fault->value);
}

/* A twist that is not that of the pose. */
static bool refuse_twist(const tqa_recording *recording, const tq_recording_fault *fault)
{
    const char *joint = recording->request->tree->robot->joint_names[fault->joint];
    const tqa_value columns = tqa_recording_place(recording, "columns", "base_twist");
    const bool is_linear = fault->kind == TQ_FAULT_TWIST_LINEAR;
    if (fault->kind == TQ_FAULT_TWIST_FRAME) {
        return tqa_value_refuse(
            &columns, "invalid-value",
            "turn it into the axes of the base, or leave it out: it is derived from the pose",
            "\"%.60s\": the twist of \"%.60s\" is in the axes of the world, not of the base itself",
            recording->name, joint);
    }
    return tqa_value_refuse(
        &columns, "invalid-value",
        "check columns (v before w) and units, and that the quaternion is w x y z; or leave it "
        "out: it is derived from the pose",
        "\"%.60s\": the %s velocity of \"%.60s\" is %.3g times the slope of its pose (correlation "
        "%.2f)",
        recording->name, is_linear ? "linear" : "angular", joint, fault->other, fault->value);
}

static bool refuse_torque(const tqa_recording *recording, const tq_recording_fault *fault)
{
    const tqa_robot *robot = recording->request->tree->robot;
    const char *gains =
        "check the gains of the \"controller\": N m/rad and N/m on the joint's side "
        "of the gear, and the units of \"q_cmd\"";
    if (fault->kind == TQ_FAULT_TORQUE_CONSTANT) {
        return tqa_value_refuse(&recording->part, "invalid-value", "choose the columns of torque",
                                "\"%.80s\": the joints move, but no torque changes",
                                recording->name);
    }
    if (fault->kind == TQ_FAULT_TORQUE_EFFORT) {
        return tqa_value_refuse(
            &recording->part, "invalid-value",
            recording->is_commanded ? gains
            : recording->request->in_amperes
                ? "say \"units\": {\"tau\": \"mA\"}, or another \"scale\""
                : "say the units: \"units\": {\"tau\": \"mNm\"}, or \"A\" with a \"scale\"",
            "\"%.60s\": joint \"%.60s\" would have a torque of %.4g (rms), its limit is %.4g",
            recording->name, robot->joint_names[fault->joint], fault->value, fault->other);
    }
    if (fault->kind == TQ_FAULT_TORQUE_GRAVITY) {
        return tqa_value_refuse(
            &recording->part, "invalid-value",
            recording->is_commanded
                ? gains
                : "say the units: \"units\": {\"tau\": \"mNm\"}, or \"Nm\" if it is so and the "
                  "robot's masses are not",
            "\"%.60s\": joint \"%.60s\" would have a torque of %.4g (rms), where gravity needs %.4g "
            "by the robot's masses",
            recording->name, robot->joint_names[fault->joint], fault->value, fault->other);
    }
    return tqa_value_refuse(
        &recording->part, "invalid-value",
        "reverse the signs that are wrong: \"scale\": {\"tau\": [1, -1, ...]}, all of them or some",
        "\"%.60s\": over a closed path its motors together take %.4g J out, most by joint "
        "\"%.60s\": friction would have to do work",
        recording->name, fault->value, robot->joint_names[fault->joint]);
}

static bool refuse_filter(const tqa_recording *recording, const tq_recording_fault *fault)
{
    static const char *const fields[] = {
        [TQ_SMOOTHING_BUTTERWORTH] = "cutoff_hz",
        [TQ_SMOOTHING_SAVITZKY_GOLAY] = "window",
        [TQ_SMOOTHING_FIRST_ORDER] = "tau_f_s",
        [TQ_SMOOTHING_NONE] = "kind",
    };
    const tq_recording_filter *filter = &recording->request->options.filter;
    if (fault->kind == TQ_FAULT_DELAY) {
        const tqa_value where = tqa_recording_place(recording, "delay_s", NULL);
        return tqa_value_refuse(&where, "range",
                                "shift the recording's columns by whole rows first",
                                "\"%.60s\": a delay of more than 4 samples of %.6g s and 50 ms",
                                recording->name, recording->signal.step);
    }
    if (fault->kind == TQ_FAULT_CUTOFF) {
        const tqa_value where = tqa_recording_place(recording, "filter", "cutoff_hz");
        return tqa_value_refuse(&where, "range", "choose a lower cut-off",
                                "\"%.60s\" has %.6g samples in a second: the cut-off must lie "
                                "below %.6g Hz",
                                recording->name, fault->value, 0.5 * fault->value);
    }
    const bool is_thinned = filter->is_auto && filter->decimate > 1;
    const tqa_value where =
        tqa_recording_place(recording, "filter", is_thinned ? "decimate" : fields[filter->kind]);
    return tqa_value_refuse(&where, "range",
                            filter->kind == TQ_SMOOTHING_FIRST_ORDER ? "0.001 to 0.05 s, say"
                            : is_thinned                             ? "keep more of the samples"
                                                                     : "choose a higher cut-off",
                            "\"%.60s\": the filter is too slow for %.6g samples in a second",
                            recording->name, fault->value);
}

bool tqa_recording_fail(const tqa_recording *recording, tq_status status,
                        const tq_recording_fault *fault, const tq_error *error)
{
    switch (fault != NULL ? fault->kind : TQ_FAULT_NONE) {
    case TQ_FAULT_NONE:
        break;
    case TQ_FAULT_FEW_ROWS:
    case TQ_FAULT_UNPAIRED:
    case TQ_FAULT_BAD_NUMBERS:
        return refuse_numbers(recording, fault->kind);
    case TQ_FAULT_NOT_UNIT:
        return refuse_quaternions(recording);
    case TQ_FAULT_TIME_REVERSED:
    case TQ_FAULT_TIME_UNSORTED:
    case TQ_FAULT_TIME_CONSTANT:
        return refuse_time(recording, fault->kind);
    case TQ_FAULT_PERIOD_LONG:
    case TQ_FAULT_PERIOD_SHORT:
    case TQ_FAULT_RATE:
        return refuse_period(recording, fault);
    case TQ_FAULT_POSITION:
        return refuse_position(recording, fault);
    case TQ_FAULT_VELOCITY_ZERO:
    case TQ_FAULT_VELOCITY_RATIO:
    case TQ_FAULT_VELOCITY_CLOCK:
    case TQ_FAULT_VELOCITY_CORRELATION:
        return refuse_velocity(recording, fault);
    case TQ_FAULT_TWIST_FRAME:
    case TQ_FAULT_TWIST_ANGULAR:
    case TQ_FAULT_TWIST_LINEAR:
        return refuse_twist(recording, fault);
    case TQ_FAULT_TORQUE_CONSTANT:
    case TQ_FAULT_TORQUE_EFFORT:
    case TQ_FAULT_TORQUE_GRAVITY:
    case TQ_FAULT_TORQUE_SIGN:
        return refuse_torque(recording, fault);
    case TQ_FAULT_DELAY:
    case TQ_FAULT_CUTOFF:
    case TQ_FAULT_FILTER_SLOW:
        return refuse_filter(recording, fault);
    }
    return tqa_tree_fail(recording->request->tree, "", status, error);
}
