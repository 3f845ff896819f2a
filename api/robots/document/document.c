/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/document.c - prints the robot document, and the report on what was read. */
#include <math.h>

#include "api/codec/json/text.h"
#include "api/robots/document/drive_fields.h"
#include "api/robots/document/parts.h"
#include "api/robots/draft.h"
#include "api/robots/parsed.h"

static void put_matrix(tqa_json_text *text, const double m[9])
{
    tqa_json_text_raw(text, "[");
    for (size_t i = 0; i < 3; i++) {
        tqa_json_text_raw(text, i > 0 ? ", " : "");
        tqa_json_text_numbers(text, m + 3 * i, 3);
    }
    tqa_json_text_raw(text, "]");
}

/* key: number, when the number is finite: an absent limit is not printed */
static void put_finite(tqa_json_text *text, const char *key, double x, bool *first)
{
    if (isfinite(x)) {
        tqa_json_text_raw(text, *first ? "" : ", ");
        tqa_json_text_raw(text, key);
        tqa_json_text_number(text, x);
        *first = false;
    }
}

static void put_slice(tqa_json_text *text, const char *key, uint32_t index, uint32_t count)
{
    tqa_json_text_raw(text, key);
    tqa_json_text_raw(text, "{\"index\": ");
    tqa_json_text_count(text, index);
    tqa_json_text_raw(text, ", \"count\": ");
    tqa_json_text_count(text, count);
    tqa_json_text_raw(text, "}");
}

/* What only a joint of one freedom has. */
static void put_drive(tqa_json_text *text, const tqa_robot *robot, const tq_joint *joint)
{
    bool first = true;
    tqa_json_text_raw(text, ",\n     \"limits\": {");
    put_finite(text, "\"lower\": ", joint->limits.lower, &first);
    put_finite(text, "\"upper\": ", joint->limits.upper, &first);
    put_finite(text, "\"velocity\": ", joint->limits.velocity, &first);
    put_finite(text, "\"effort\": ", joint->limits.effort, &first);
    tqa_json_text_raw(text, "}, \"damping\": ");
    tqa_json_text_number(text, tqa_robot_damping(robot, (uint32_t)(joint - robot->model->joints)));
    tqa_json_text_raw(text, ", \"friction\": {\"coulomb\": ");
    tqa_json_text_number(text, joint->friction.coulomb);
    tqa_json_text_raw(text, ", \"breakaway\": ");
    tqa_json_text_number(text, joint->friction.breakaway);
    tqa_json_text_raw(text, ", \"stribeck_velocity\": ");
    tqa_json_text_number(text, joint->friction.stribeck_velocity);
    tqa_json_text_raw(text, ", \"smoothing\": ");
    tqa_json_text_number(text, joint->friction.smoothing);
    tqa_json_text_raw(text, ", \"offset\": ");
    tqa_json_text_number(text, joint->friction.offset);
    tqa_json_text_raw(text, "},\n     \"spring\": {\"stiffness\": ");
    tqa_json_text_number(text, joint->spring.stiffness);
    tqa_json_text_raw(text, ", \"rest\": ");
    tqa_json_text_number(text, joint->spring.rest);
    tqa_json_text_raw(text, "}, \"rotor\": {\"inertia\": ");
    tqa_json_text_number(text, joint->rotor.inertia);
    tqa_json_text_raw(text, ", \"ratio\": ");
    tqa_json_text_number(text, joint->rotor.ratio);
    tqa_json_text_raw(text, "}");
    if (joint->mimic != TQ_NONE) {
        tqa_json_text_raw(text, ", \"mimic\": {\"joint\": ");
        tqa_json_text_string(text, robot->joint_names[joint->mimic]);
        tqa_json_text_raw(text, ", \"multiplier\": ");
        tqa_json_text_number(text, joint->mimic_multiplier);
        tqa_json_text_raw(text, ", \"offset\": ");
        tqa_json_text_number(text, joint->mimic_offset);
        tqa_json_text_raw(text, "}");
    }
}

static void put_joint(tqa_json_text *text, const tqa_robot *robot, uint32_t i)
{
    const tq_joint *joint = &robot->model->joints[i];
    const uint32_t freedoms = tq_joint_kind_nv(joint->kind);
    tqa_json_text_raw(text, "\n    {\"name\": ");
    tqa_json_text_string(text, robot->joint_names[i]);
    tqa_json_text_raw(text, ", \"kind\": \"");
    tqa_json_text_raw(text, tqa_joint_kind_name(joint->kind));
    tqa_json_text_raw(text, "\", \"parent\": ");
    tqa_json_text_string(text, robot->link_names[joint->parent]);
    tqa_json_text_raw(text, ", \"child\": ");
    tqa_json_text_string(text, robot->link_names[joint->child]);
    tqa_json_text_raw(text, ",\n     \"origin\": {\"position\": ");
    tqa_json_text_numbers(text, joint->origin.p, 3);
    tqa_json_text_raw(text, ", \"rotation\": ");
    put_matrix(text, joint->origin.r);
    const double *rpy = robot->joint_rpy != NULL ? robot->joint_rpy + 3 * (size_t)i : NULL;
    if (rpy != NULL && !isnan(rpy[0])) {
        tqa_json_text_raw(text, ", \"rpy\": ");
        tqa_json_text_numbers(text, rpy, 3);
    }
    tqa_json_text_raw(text, "}");
    if (freedoms == 1 || joint->kind == TQ_JOINT_PLANAR) {
        tqa_json_text_raw(text, ", \"axis\": ");
        tqa_json_text_numbers(text, joint->axis, 3);
    }
    put_slice(text, ",\n     \"q\": ", joint->q_index, joint->nq);
    put_slice(text, ", \"v\": ", joint->v_index, joint->nv);
    if (freedoms == 1) {
        put_drive(text, robot, joint);
        tqa_document_put_motor(text, tqa_robot_drive(robot, i));
    }
    tqa_json_text_raw(text, "}");
}

static void put_link(tqa_json_text *text, const tqa_robot *robot, uint32_t l)
{
    const tq_inertia *inertia = &robot->model->links[l].inertia;
    const double *s = inertia->about_com;
    const double tensor[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
    tqa_json_text_raw(text, "\n    {\"name\": ");
    tqa_json_text_string(text, robot->link_names[l]);
    tqa_json_text_raw(text, ", \"mass\": ");
    tqa_json_text_number(text, inertia->mass);
    tqa_json_text_raw(text, ", \"com\": ");
    tqa_json_text_numbers(text, inertia->com, 3);
    tqa_json_text_raw(text, ",\n     \"inertia\": ");
    put_matrix(text, tensor);
    tqa_json_text_raw(text, ", \"inertia_about\": \"com\"}");
}

static void put_findings(tqa_json_text *text, const tqa_robot *robot, const char *key,
                         tqa_finding_kind kind)
{
    bool first = true;
    tqa_json_text_raw(text, key);
    for (size_t i = 0; i < robot->n_finding; i++) {
        const tqa_finding *finding = &robot->findings[i];
        if (finding->kind != kind) {
            continue;
        }
        tqa_json_text_raw(text, first ? "\n    {\"where\": " : ",\n    {\"where\": ");
        tqa_json_text_string(text, finding->where);
        tqa_json_text_raw(text, ", \"text\": ");
        tqa_json_text_string(text, finding->text);
        tqa_json_text_raw(text, ", \"count\": ");
        tqa_json_text_count(text, finding->count);
        tqa_json_text_raw(text, "}");
        first = false;
    }
    tqa_json_text_raw(text, "]");
}

static char *print(const tqa_robot *robot, const char *name, bool report, size_t *ret_n)
{
    tqa_json_text text = {0};
    const tq_model *model = robot->model;
    tqa_json_text_raw(&text, "{\"name\": ");
    tqa_json_text_string(&text, name);
    if (robot->description[0] != '\0') {
        tqa_json_text_raw(&text, ",\n \"description\": ");
        tqa_json_text_string(&text, robot->description);
    }
    tqa_json_text_raw(&text, ",\n \"source\": ");
    tqa_json_text_string(&text, robot->source);
    tqa_json_text_raw(&text, ", \"digest\": ");
    tqa_json_text_string(&text, robot->digest);
    tqa_json_text_raw(&text, ",\n \"nq\": ");
    tqa_json_text_count(&text, model->nq);
    tqa_json_text_raw(&text, ", \"nv\": ");
    tqa_json_text_count(&text, model->nv);
    tqa_json_text_raw(&text, ", \"root\": ");
    tqa_json_text_string(&text, robot->link_names[model->root]);
    tqa_json_text_raw(&text, ", \"gravity\": ");
    tqa_json_text_numbers(&text, model->gravity, 3);
    tqa_json_text_raw(&text, ",\n \"joints\": [");
    for (uint32_t i = 0; i < model->n_joint; i++) {
        tqa_json_text_raw(&text, i > 0 ? "," : "");
        put_joint(&text, robot, i);
    }
    tqa_json_text_raw(&text, "],\n \"links\": [");
    for (uint32_t l = 0; l < model->n_link; l++) {
        tqa_json_text_raw(&text, l > 0 ? "," : "");
        put_link(&text, robot, l);
    }
    tqa_json_text_raw(&text, "]");
    tqa_document_print_constraints(&text, robot);
    if (report) {
        put_findings(&text, robot, ",\n \"understood\": [", TQA_FINDING_UNDERSTOOD);
        put_findings(&text, robot, ",\n \"ignored\": [", TQA_FINDING_IGNORED);
        put_findings(&text, robot, ",\n \"doctor\": [", TQA_FINDING_DOCTOR);
    }
    tqa_json_text_raw(&text, "}\n");
    return tqa_json_text_take(&text, ret_n);
}

char *tqa_robot_document(const tqa_robot *robot, const char *name, size_t *ret_n)
{
    return print(robot, name, false, ret_n);
}

char *tqa_robot_report(const tqa_robot *robot, const char *name, size_t *ret_n)
{
    return print(robot, name, true, ret_n);
}
