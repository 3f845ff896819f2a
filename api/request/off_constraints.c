/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/off_constraints.c - residuals of the constraints at samples of q, and hints. */
#include "api/request/off_constraints.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problem.h"
#include "core/constraints/constraints.h"

/* m or rad: above the rounding of q to four digits on a robot of 1 m */
static const double residual_max = 1e-4;
enum { ROTATIONS = 7 << 3 }; /* bits of a loop's axes */

bool tqa_off_begin(tqa_off_search *search, const tqa_robot *robot)
{
    *search = (tqa_off_search){.robot = robot};
    const tq_constraints *set = robot->constraints;
    if (set == NULL || set->n_row == 0) {
        return false;
    }
    const tq_model *model = robot->model;
    search->size = tq_configuration_scratch_size(model) + tq_constraint_rows_scratch_size(model) +
                   tq_scratch_cost((size_t)set->n_row * model->nv, sizeof(double)) +
                   tq_scratch_cost(set->n_row, sizeof(double)) +
                   tq_scratch_cost(model->nq, sizeof(double));
    search->memory = aligned_alloc(64, (search->size + 63) / 64 * 64);
    return search->memory != NULL;
}

static void keep(tqa_off_search *search, uint32_t constraint, uint32_t row, size_t sample,
                 double residual)
{
    size_t k = 0;
    while (k < search->n && search->found[k].constraint != constraint) {
        k++;
    }
    if (k == search->n && search->n < TQA_OFF_MAX) {
        search->found[search->n++] = (tqa_off){.constraint = constraint};
    }
    if (k < search->n && residual > search->found[k].residual) {
        search->found[k] =
            (tqa_off){.constraint = constraint, .row = row, .sample = sample, .residual = residual};
    }
}

void tqa_off_note(tqa_off_search *search, const double *q, size_t stride, size_t sample)
{
    const tq_model *model = search->robot->model;
    const tq_constraints *set = search->robot->constraints;
    tq_configuration posture;
    tq_scratch scratch;
    tq_error error = {0};
    tq_scratch_init(&scratch, search->memory, search->size);
    double *row = tq_scratch_take(&scratch, model->nq, sizeof *row);
    tq_constraint_rows rows = {
        .a = tq_scratch_take(&scratch, (size_t)set->n_row * model->nv, sizeof(double)),
        .position = tq_scratch_take(&scratch, set->n_row, sizeof(double))};
    for (size_t r = 0; r < model->nq; r++) {
        row[r] = q[r * stride];
    }
    /* where the rows are undefined the operation itself refuses the sample */
    if (tq_configuration_compute(model, row, NULL, &scratch, &posture, &error) != TQ_OK ||
        tq_constraint_rows_compute(set, &posture, row, NULL, &scratch, &rows, &error) != TQ_OK) {
        return;
    }
    for (uint32_t c = 0; c < set->n_constraint; c++) {
        const tq_constraint *constraint = &set->items[c];
        for (uint32_t r = 0; r < constraint->n_row; r++) {
            const double h = fabs(rows.position[constraint->first_row + r]);
            if (tq_constraint_is_holonomic(constraint, r) && h > residual_max) {
                keep(search, c, constraint->first_row + r, sample, h);
            }
        }
    }
}

/* "m" or "rad"; "": an equation's, which is the user's */
static const char *unit_of(const tqa_robot *robot, const tqa_off *off)
{
    const tq_constraint *constraint = &robot->constraints->items[off->constraint];
    switch (constraint->kind) {
    case TQ_CONSTRAINT_EQUATION:
    case TQ_CONSTRAINT_PFAFFIAN:
        return "";
    case TQ_CONSTRAINT_COUPLING:
        return robot->is_angle[constraint->coupling[0].q_index] ? "rad" : "m";
    case TQ_CONSTRAINT_LOOP: {
        uint32_t left = off->row - constraint->first_row;
        unsigned axes = constraint->axes;
        for (; left > 0 && axes != 0; left--) {
            axes &= axes - 1;
        }
        return (axes & -axes & ROTATIONS) != 0 ? "rad" : "m";
    }
    case TQ_CONSTRAINT_DISTANCE:
    case TQ_CONSTRAINT_POINT_ON_PLANE:
    case TQ_CONSTRAINT_POINT_ON_SPHERE:
    case TQ_CONSTRAINT_ROLLING:
        break;
    }
    return "m";
}

void tqa_off_end(tqa_off_search *search, tqa_writer *to)
{
    const tqa_robot *robot = search->robot;
    if (search->n > 0) {
        tqa_writer_list(to, "off_constraints");
    }
    for (size_t k = 0; k < search->n; k++) {
        const tqa_off *off = &search->found[k];
        const char *unit = unit_of(robot, off);
        char text[TQA_PROBLEM_TEXT];
        (void)snprintf(text, sizeof text, "%s is %.3g%s%s off \"%.48s\"%s",
                       search->is_start ? "the initial q" : "q", off->residual,
                       unit[0] != '\0' ? " " : "", unit, robot->row_names[off->row],
                       search->is_start
                           ? ": the run starts from the nearest q that satisfies all constraints, "
                             "which is q[0]; \"assemble\" keeps given joints"
                           : ", where the answer means nothing: \"assembled\" of GET "
                             "/v1/robots/NAME, and \"assemble\", satisfy all constraints; simulate "
                             "projects its initial q: q[0]");
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "constraint", robot->row_names[off->row]);
        tqa_writer_count(to, "sample", off->sample);
        tqa_writer_number(to, "residual", off->residual);
        tqa_writer_string(to, "unit", unit);
        tqa_writer_string(to, "text", text);
        tqa_writer_end(to);
    }
    if (search->n > 0) {
        tqa_writer_end(to);
    }
    free(search->memory);
    search->memory = NULL;
}
