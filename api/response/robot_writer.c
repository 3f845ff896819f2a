/* SPDX-License-Identifier: Apache-2.0 */
/* api/response/robot_writer.c - members of an answer that name parts of a robot. */
#include "api/response/robot_writer.h"

void tqa_writer_inertia(tqa_writer *answer, const tq_inertia *inertia)
{
    tqa_writer_number(answer, "mass", inertia->mass);
    tqa_writer_vector(answer, "com", inertia->com, 3);
    tqa_writer_symmetric(answer, "inertia", inertia->about_com);
    tqa_writer_string(answer, "inertia_about", "com");
}

void tqa_writer_point(tqa_writer *answer, const tqa_robot *robot, const tqa_point *point)
{
    tqa_writer_string(answer, "link", robot->link_names[point->link]);
    tqa_writer_vector(answer, "at", point->at, 3);
}

void tqa_writer_joints(tqa_writer *answer, const tqa_robot *robot, const tqa_order *order)
{
    tqa_writer_list(answer, "joints");
    for (size_t k = 0; k < order->n_joint; k++) {
        tqa_writer_string(answer, NULL, robot->joint_names[order->joints[k]]);
    }
    tqa_writer_end(answer);
}

/* Puts each row in the user's order, in place: entries move along the cycles of the map. */
static void reorder(double *row, const uint32_t *map, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t from = map[k];
        while (from < k) {
            from = map[from]; /* where it was put meanwhile */
        }
        const double held = row[k];
        row[k] = row[from];
        row[from] = held;
    }
}

void tqa_writer_rows(tqa_writer *answer, const char *key, double *rows, size_t n_sample, bool flat,
                     const uint32_t *map, size_t n)
{
    for (size_t i = 0; i < n_sample; i++) {
        reorder(rows + i * n, map, n);
    }
    const size_t shape[2] = {n_sample, n};
    tqa_writer_array(answer, key, rows, flat ? 1 : 2, flat ? shape + 1 : shape);
}

void tqa_rows_to_user(const tqa_tree *tree, tqa_row_kind kind, double *rows, size_t n_sample)
{
    const tq_model *model = tree->robot->model;
    const bool *angle = tree->robot->is_angle + (kind == TQA_ROW_Q ? 0 : model->nq);
    const size_t n = kind == TQA_ROW_Q ? model->nq : model->nv;
    for (size_t i = 0; i < n_sample && tree->in_degrees; i++) {
        for (size_t r = 0; r < n; r++) {
            rows[i * n + r] /= angle[r] ? tqa_radians_of_degree : 1.0;
        }
    }
}
