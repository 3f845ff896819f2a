/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/drag.c - drag of a medium on the boxes of links. */
#include "core/dynamics/drag.h"

#include <math.h>
#include <string.h>

#include "core/spatial/screw.h"

/* per speed, and per square of the speed */
static void coefficients(const tq_medium *medium, const double size[3], double ret_linear[6],
                         double ret_square[6])
{
    const double diameter = (size[0] + size[1] + size[2]) / 3.0;
    for (unsigned k = 0; k < 3; k++) {
        const double a = size[(k + 1) % 3], b = size[(k + 2) % 3];
        const double fourth = a * a * a * a + b * b * b * b;
        ret_linear[k] = 3.0 * M_PI * diameter * medium->viscosity;
        ret_linear[3 + k] = M_PI * diameter * diameter * diameter * medium->viscosity;
        ret_square[k] = 0.5 * medium->density * a * b;
        ret_square[3 + k] = medium->density * size[k] * fourth / 64.0;
    }
}

bool tq_drag_lines(const tq_configuration *posture, uint32_t link, tq_drag_line ret[6])
{
    const tq_model *model = posture->model;
    const tq_drag_box *box = &model->links[link].drag;
    const double *twist = posture->twist + 6 * (size_t)link;
    double linear[6], square[6];
    if (box->size[0] == 0.0 && box->size[1] == 0.0 && box->size[2] == 0.0) {
        return false;
    }
    const tq_pose at = tq_pose_multiply(&posture->pose[link], &box->at);
    coefficients(&model->medium, box->size, linear, square);
    for (unsigned k = 0; k < 6; k++) {
        const unsigned axis = k % 3;
        const double unit[3] = {at.r[axis], at.r[3 + axis], at.r[6 + axis]};
        double *along = ret[k].along;
        memset(along, 0, 6 * sizeof *along);
        if (k < 3) {
            memcpy(along, unit, sizeof unit);
            tq_vec_cross(at.p, unit, along + 3);
        } else {
            memcpy(along + 3, unit, sizeof unit);
        }
        const double flow = k < 3 ? tq_dot3(unit, model->medium.velocity) : 0.0;
        const double speed = tq_dot6(along, twist) - flow;
        ret[k].effort = (linear[k] + square[k] * fabs(speed)) * speed;
        ret[k].slope = linear[k] + 2.0 * square[k] * fabs(speed);
        ret[k].curvature = 2.0 * square[k] * ((double)(speed > 0.0) - (double)(speed < 0.0));
    }
    return true;
}

bool tq_drag_wrench(const tq_configuration *posture, uint32_t link, double ret_wrench[6])
{
    tq_drag_line lines[6];
    if (!tq_drag_lines(posture, link, lines)) {
        return false;
    }
    memset(ret_wrench, 0, 6 * sizeof *ret_wrench);
    for (unsigned k = 0; k < 6; k++) {
        tq_axpy6(-lines[k].effort, lines[k].along, ret_wrench);
    }
    return true;
}

static void add_posture(const tq_configuration *posture, double sign, double *tau)
{
    for (uint32_t link = 0; link < posture->model->n_link; link++) {
        double wrench[6];
        if (tq_drag_wrench(posture, link, wrench)) {
            for (unsigned k = 0; k < 6; k++) {
                wrench[k] *= -sign;
            }
            tq_configuration_add_wrench(posture, link, wrench, tau);
        }
    }
}

void tq_drag_add_at(const tq_configuration *posture, double *tau)
{
    if (tq_model_has_drag(posture->model)) {
        add_posture(posture, 1.0, tau);
    }
}

size_t tq_drag_scratch_size(const tq_model *model)
{
    return !tq_model_has_drag(model)
               ? 0
               : tq_configuration_scratch_size(model) +
                     tq_scratch_cost((size_t)model->nq + 2 * (size_t)model->nv, sizeof(double));
}

tq_status tq_drag_add(const tq_model *model, const tq_drag_samples *in, double sign,
                      tq_scratch *scratch, double *tau, tq_error *reterr)
{
    const size_t nq = model->nq, nv = model->nv, stride = in->stride;
    if (nv == 0 || !tq_model_has_drag(model)) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    tq_status status = TQ_OK;
    double *flat = tq_scratch_take(scratch, nq + 2 * nv, sizeof *flat);
    if (flat == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_drag_scratch_size(model));
    }
    double *rates = flat + nq, *torque = rates + nv;
    for (size_t i = 0; i < in->n_sample && status == TQ_OK; i++) {
        const size_t one = tq_scratch_mark(scratch);
        tq_configuration posture;
        for (size_t r = 0; r < nq; r++) {
            flat[r] = in->q[r * stride + i];
        }
        for (size_t r = 0; r < nv; r++) {
            rates[r] = in->qd != NULL ? in->qd[r * stride + i] : 0.0;
            torque[r] = 0.0;
        }
        status = tq_configuration_compute(model, flat, rates, scratch, &posture, reterr);
        if (status == TQ_OK) {
            add_posture(&posture, sign, torque);
            for (size_t r = 0; r < nv; r++) {
                tau[r * stride + i] += torque[r];
            }
        }
        tq_scratch_rewind(scratch, one);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
