/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/named_rows.c - rows of numbers as an object of joints' names: one sample, or many,
 * each joint with its own over all of them. */
#include <stdio.h>
#include <string.h>

#include "api/request/refusal.h"
#include "api/request/robot_fields.h"

enum { SAMPLES_MAX = 1 << 17, QUOTE_MAX = 64 };

/* Hint: the numbers of a joint that has several; NULL: their count says it. */
static const char *order_of(const tq_joint *joint, bool of_q)
{
    if (joint->kind == TQ_JOINT_FLOATING) {
        return of_q ? "give 7 numbers: x y z, then the quaternion qw qx qy qz"
                    : "give 6 numbers: linear x y z, then angular x y z, along the child's axes";
    }
    if (joint->kind == TQ_JOINT_SPHERICAL) {
        return of_q ? "give 4 numbers: the quaternion qw qx qy qz"
                    : "give 3 numbers: x y z, along the child's axes";
    }
    return NULL;
}

/* The joint that a field of the object names; NULL: refused. */
static const tq_joint *find_joint(const tqa_value *part, const char *name)
{
    const tqa_robot *robot = part->tree->robot;
    const uint32_t j = tqa_robot_joint(robot, name, strlen(name));
    const tq_joint *joint = j != TQ_NONE ? &robot->model->joints[j] : NULL;
    if (joint == NULL) {
        (void)tqa_value_refuse_joint(part, name);
        return NULL;
    }
    if (joint->nq == 0) {
        (void)tqa_value_refuse(part, "invalid-value", "leave it out",
                               "joint \"%.*s\" has no coordinates of its own", QUOTE_MAX, name);
        return NULL;
    }
    return joint;
}

static bool read_one(const tqa_value *part, const tq_joint *joint, bool of_q, double *row)
{
    const uint32_t n = of_q ? joint->nq : joint->nv;
    double *to = row + (of_q ? joint->q_index : joint->v_index);
    return n == 1 ? tqa_value_number(part, to)
                  : tqa_value_vector(part, n, order_of(joint, of_q), to);
}

bool tqa_value_of_joint(const tqa_value *part, const char *name, tqa_row_kind kind, double *ret)
{
    const tq_joint *joint = find_joint(part, name);
    return joint != NULL && read_one(part, joint, kind == TQA_ROW_Q, ret);
}

/* Zeros; quaternions that turn nothing. */
static void clear(const tq_model *model, tqa_row_kind kind, double *ret)
{
    memset(ret, 0, (kind == TQA_ROW_Q ? model->nq : model->nv) * sizeof *ret);
    for (uint32_t j = 0; kind == TQA_ROW_Q && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->nq > joint->nv) {
            ret[joint->q_index + joint->nq - 4] = 1.0;
        }
    }
}

bool tqa_value_by_name(const tqa_value *part, tqa_row_kind kind, double *ret)
{
    const char *name = NULL;
    json_t *value = NULL;
    clear(part->tree->robot->model, kind, ret);
    json_object_foreach(part->value, name, value)
    {
        const tqa_value one = tqa_value_field(part, name);
        if (!tqa_value_of_joint(&one, name, kind, ret)) {
            return false;
        }
    }
    return true;
}

/* Whether a joint's value has a number, or an array of its numbers, for each sample. */
static bool is_column(const json_t *value, const tq_joint *joint, bool of_q)
{
    const bool single = (of_q ? joint->nq : joint->nv) == 1;
    return json_is_array(value) && (single || json_is_array(json_array_get(value, 0)));
}

/* The length of the columns; 0: there is none. False: they differ, or are too long. */
static bool count(const tqa_value *part, bool of_q, size_t *ret)
{
    const char *name = NULL, *first = NULL;
    json_t *value = NULL;
    *ret = 0;
    json_object_foreach(part->value, name, value)
    {
        const tqa_value one = tqa_value_field(part, name);
        const tq_joint *joint = find_joint(&one, name);
        if (joint == NULL) {
            return false;
        }
        if (!is_column(value, joint, of_q)) {
            continue;
        }
        const size_t n = json_array_size(value);
        if (first != NULL && n != *ret) {
            return tqa_value_refuse(&one, "wrong-length",
                                    "give each joint a number for each sample, or one for all",
                                    "\"%.*s\" has %zu samples, but \"%.*s\" has %zu", QUOTE_MAX,
                                    name, n, QUOTE_MAX, first, *ret);
        }
        if (n == 0 || n > SAMPLES_MAX) {
            return n == 0 ? tqa_value_refuse(&one, "wrong-length", "a number for each sample",
                                             "there is no sample here")
                          : tqa_value_refuse(&one, "too-large", "send rows: [[...], [...]]",
                                             "at most %d samples are taken by name", SAMPLES_MAX);
        }
        first = name;
        *ret = n;
    }
    return true;
}

bool tqa_value_rows_by_name(const tqa_value *part, tqa_row_kind kind, bool *ret_flat,
                            size_t *ret_n_sample, double **ret)
{
    const tq_model *model = part->tree->robot->model;
    const bool of_q = kind == TQA_ROW_Q;
    const size_t n = of_q ? model->nq : model->nv;
    if (!count(part, of_q, ret_n_sample)) {
        return false;
    }
    *ret_flat = *ret_n_sample == 0;
    *ret_n_sample += *ret_flat;
    double *rows = tqa_tree_take(part->tree, *ret_n_sample * n, sizeof *rows);
    *ret = rows;
    for (size_t i = 0; rows != NULL && i < *ret_n_sample; i++) {
        clear(model, kind, rows + i * n);
    }
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(part->value, name, value)
    {
        const tqa_value one = tqa_value_field(part, name);
        const tq_joint *joint = find_joint(&one, name);
        const bool column = joint != NULL && is_column(value, joint, of_q);
        for (size_t i = 0; rows != NULL && i < *ret_n_sample; i++) {
            const tqa_value item = column ? tqa_value_item(&one, i) : one;
            if (joint == NULL || !read_one(&item, joint, of_q, rows + i * n)) {
                return false;
            }
        }
    }
    return rows != NULL;
}
