/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/document/test_drive.c - drives of joints: rotor counted once, printed as
 * read, refused with their place. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"

#define MOTOR                                                                                      \
    "'motor': {'constant_nm_a': 0.05, 'resistance': 0.6, 'inertia': 1e-4, 'viscous': 2e-4}"
#define ARM(joint)                                                                                  \
    "{'gravity': [0, 0, -9.81], 'links': [{'name': 'a'}, {'name': 'b', 'mass': 1, 'com': [0.1, 0, " \
    "0]}], 'joints': [{'name': 'j', 'kind': 'revolute', 'parent': 'a', 'child': 'b', 'axis': [0, "  \
    "0, 1]" joint "}]}"

static tqa_robot *parse(const char *text, tqa_problem *problem)
{
    char bytes[2048];
    size_t n = strlen(text);
    cr_assert(n < sizeof bytes);
    for (size_t k = 0; k < n; k++) {
        bytes[k] = text[k] == '\'' ? '"' : text[k];
    }
    return tqa_robot_parse(TQA_MEDIA_JSON, bytes, n, problem);
}

static tqa_robot *good(const char *text)
{
    static tqa_problem problem;
    tqa_robot *robot = parse(text, &problem);
    cr_assert(robot != NULL, "%s", problem.detail);
    return robot;
}

static bool has_finding(const tqa_robot *robot, const char *text)
{
    for (size_t k = 0; k < robot->n_finding; k++) {
        if (strstr(robot->findings[k].text, text) != NULL) {
            return true;
        }
    }
    return false;
}

Test(robot_document_drive, rotor_and_friction_are_the_joints)
{
    tqa_robot *robot = good(ARM(", 'damping': 0.1, 'drive': {" MOTOR ", 'gear': {'ratio': 100}}"));
    const tq_joint *joint = &robot->model->joints[0];
    cr_expect(joint->rotor.inertia == 1e-4 && joint->rotor.ratio == 100.0);
    cr_expect(fabs(joint->friction.viscous - 2.1) < 1e-15, "%.17g", joint->friction.viscous);
    cr_expect(tqa_robot_damping(robot, 0) == 0.1);
    cr_expect(tqa_robot_drive(robot, 0)->motor.resistance == 0.6);
    cr_expect(isinf(tqa_robot_drive(robot, 0)->amplifier.supply));
    cr_expect(has_finding(robot, "joints with drives") && !has_finding(robot, "counted once"));
    tqa_robot_free(robot);
}

Test(robot_document_drive, a_rotor_beside_a_drive_counts_once)
{
    tqa_robot *same = good(
        ARM(", 'rotor': {'inertia': 1, 'ratio': 1}, 'drive': {" MOTOR ", 'gear': {'ratio': 100}}"));
    cr_expect(same->model->joints[0].rotor.inertia == 1.0 && !has_finding(same, "counted once"));
    tqa_robot_free(same);
    tqa_robot *other = good(
        ARM(", 'rotor': {'inertia': 2, 'ratio': 1}, 'drive': {" MOTOR ", 'gear': {'ratio': 100}}"));
    cr_expect(other->model->joints[0].rotor.inertia == 2.0 && has_finding(other, "counted once"));
    tqa_robot_free(other);
}

static const char *const documents[] = {
    ARM(""),
    ARM(", 'drive': {" MOTOR "}"),
    ARM(", 'damping': 0.3, 'drive': {" MOTOR ", 'gear': {'ratio': -50, 'efficiency': 0.8}}"),
    ARM(", 'drive': {" MOTOR ", 'amplifier': {'kind': 'linear'}}"),
    ARM(", 'drive': {" MOTOR ", 'amplifier': {'kind': 'linear', 'supply_v': 30, 'dropout_v': 2, "
        "'bandwidth_hz': 1e4}, 'velocity_loop': {'gain': 0, 'lead': 3}}"),
    ARM(", 'rotor': {'inertia': 2, 'ratio': 1}, 'drive': {" MOTOR ", 'amplifier': {'supply_v': 48, "
        "'frequency_hz': 2e4, 'dead_band': 0.01}, 'current_limit': {'continuous_a': 5, 'peak_a': 15, "
        "'foldback_time_s': 2}, 'current_loop': {'p': 1, 'i': 200, 'compensation': 0.9}, "
        "'velocity_loop': {'gain': 0.5, 'lead': 4, 'lead_time_s': 1e-3, 'tacho_time_s': 1e-3}}"),
};

/* the printed text is the same robot, and prints the same */
Test(robot_document_drive, printed_drives_are_the_same)
{
    for (size_t k = 0; k < sizeof documents / sizeof documents[0]; k++) {
        tqa_robot *robot = good(documents[k]);
        size_t n = 0, again_n = 0;
        char *text = tqa_robot_document(robot, "x", &n);
        tqa_problem problem;
        tqa_robot *again = tqa_robot_parse(TQA_MEDIA_JSON, text, n, &problem);
        cr_assert(again != NULL, "%s: %s", text, problem.detail);
        const tq_drive *a = tqa_robot_drive(robot, 0), *b = tqa_robot_drive(again, 0);
        cr_expect(k == 0 ? a == NULL && b == NULL : memcmp(a, b, sizeof *a) == 0, "%s", text);
        const tq_joint *one = &robot->model->joints[0], *other = &again->model->joints[0];
        cr_expect(one->friction.viscous == other->friction.viscous);
        cr_expect(one->rotor.inertia == other->rotor.inertia &&
                  one->rotor.ratio == other->rotor.ratio);
        char *printed = tqa_robot_document(again, "x", &again_n);
        const char *joints = strstr(text, "\"joints\""), *more = strstr(printed, "\"joints\"");
        cr_expect(strcmp(joints, more) == 0, "%s", printed);
        free(text);
        free(printed);
        tqa_robot_free(robot);
        tqa_robot_free(again);
    }
}

typedef struct refusal {
    const char *text;
    int status;
    const char *slug, *pointer;
} refusal;

/* clang-format off */
static const refusal refusals[] = {
    {ARM(", 'drive': 1"), 400, "wrong-type", "/joints/0/drive"},
    {ARM(", 'drive': {}"), 422, "missing-field", "/joints/0/drive/motor"},
    {ARM(", 'drive': {'motor': {'constant_nm_a': 1}}"), 422, "missing-field", "/joints/0/drive/motor/resistance"},
    {ARM(", 'drive': {" MOTOR ", 'gear': {'ratio': 0}}"), 422, "range", "/joints/0/drive/gear/ratio"},
    {ARM(", 'drive': {" MOTOR ", 'gears': {}}"), 400, "unknown-field", "/joints/0/drive/gears"},
    {ARM(", 'drive': {" MOTOR ", 'gear': {'teeth': 3}}"), 400, "unknown-field", "/joints/0/drive/gear/teeth"},
    {ARM(", 'drive': {" MOTOR ", 'amplifier': {'kind': 'tube'}}"), 422, "invalid-value", "/joints/0/drive/amplifier/kind"},
    {ARM(", 'mimic': {'joint': 'j'}, 'drive': {" MOTOR "}"), 422, "invalid-value", "/joints/0/drive"},
    {"{'gravity': [0,0,0], 'links': [{'name': 'a'}, {'name': 'b'}], 'joints': [{'name': 'j', 'kind': 'spherical', 'parent': 'a', 'child': 'b', 'drive': {" MOTOR "}}]}", 422, "invalid-value", "/joints/0/drive"},
};
/* clang-format on */

ParameterizedTestParameters(robot_document_drive, refusals)
{
    static size_t rows[sizeof refusals / sizeof refusals[0]];
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        rows[k] = k;
    }
    return cr_make_param_array(size_t, rows, sizeof rows / sizeof rows[0]);
}

ParameterizedTest(size_t *row, robot_document_drive, refusals)
{
    const refusal *r = &refusals[*row];
    tqa_problem problem;
    cr_assert(parse(r->text, &problem) == NULL, "%s", r->text);
    cr_expect(problem.status == r->status, "%s: %d", r->text, problem.status);
    cr_expect(problem.n_fault > 0 && strcmp(problem.faults[0].pointer, r->pointer) == 0, "%s: %s",
              r->text, problem.n_fault > 0 ? problem.faults[0].pointer : "");
}
