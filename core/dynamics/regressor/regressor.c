/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/regressor/regressor.c - torque regressor from link motion and joint screws. */
#include "core/dynamics/regressor/regressor.h"

#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/model/inertia.h"
#include "core/spatial/screw.h"

static const struct {
    unsigned bit;
    tq_parameter_kind kind;
} joint_kinds[] = {{TQ_REGRESS_ROTOR, TQ_PARAMETER_ROTOR},
                   {TQ_REGRESS_VISCOUS, TQ_PARAMETER_VISCOUS},
                   {TQ_REGRESS_COULOMB, TQ_PARAMETER_COULOMB},
                   {TQ_REGRESS_OFFSET, TQ_PARAMETER_OFFSET},
                   {TQ_REGRESS_STIFFNESS, TQ_PARAMETER_STIFFNESS}};
enum { JOINT_KINDS = sizeof joint_kinds / sizeof joint_kinds[0] };

static int has_joint_parameters(const tq_joint *joint)
{
    return tq_joint_kind_nv(joint->kind) == 1;
}

size_t tq_parameter_count(const tq_model *model, unsigned with)
{
    size_t each = 0;
    for (unsigned k = 0; k < JOINT_KINDS; k++) {
        each += (with & joint_kinds[k].bit) != 0;
    }
    size_t count = (size_t)TQ_PARAMETERS_OF_LINK * model->n_joint;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        count += has_joint_parameters(&model->joints[j]) ? each : 0;
    }
    return count;
}

void tq_parameter_list(const tq_model *model, unsigned with, tq_parameter *ret_parameters)
{
    tq_parameter *next = ret_parameters;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const uint32_t link = model->joints[model->order[k]].child;
        for (unsigned c = 0; c < TQ_PARAMETERS_OF_LINK; c++) {
            *next++ = (tq_parameter){(tq_parameter_kind)c, link, TQ_NONE};
        }
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        for (unsigned k = 0; k < JOINT_KINDS && has_joint_parameters(&model->joints[j]); k++) {
            if ((with & joint_kinds[k].bit) != 0) {
                *next++ = (tq_parameter){joint_kinds[k].kind, TQ_NONE, j};
            }
        }
    }
}

static double joint_value(const tq_joint *joint, tq_parameter_kind kind)
{
    switch (kind) {
    case TQ_PARAMETER_ROTOR:
        return joint->rotor.ratio * joint->rotor.ratio * joint->rotor.inertia;
    case TQ_PARAMETER_VISCOUS:
        return joint->friction.viscous;
    case TQ_PARAMETER_COULOMB:
        return joint->friction.coulomb;
    case TQ_PARAMETER_OFFSET:
        return joint->friction.offset;
    case TQ_PARAMETER_STIFFNESS:
        return joint->spring.stiffness;
    case TQ_PARAMETER_MASS:
    case TQ_PARAMETER_MX:
    case TQ_PARAMETER_MY:
    case TQ_PARAMETER_MZ:
    case TQ_PARAMETER_IXX:
    case TQ_PARAMETER_IXY:
    case TQ_PARAMETER_IXZ:
    case TQ_PARAMETER_IYY:
    case TQ_PARAMETER_IYZ:
    case TQ_PARAMETER_IZZ:
        break;
    }
    return 0.0;
}

void tq_parameter_values(const tq_model *model, unsigned with, double *ret_values)
{
    double *next = ret_values;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const tq_inertia *body = &model->links[model->joints[model->order[k]].child].inertia;
        next[0] = body->mass;
        for (unsigned c = 0; c < 3; c++) {
            next[1 + c] = body->mass * body->com[c];
        }
        tq_inertia_about_origin(body, next + 4);
        next += TQ_PARAMETERS_OF_LINK;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        for (unsigned k = 0; k < JOINT_KINDS && has_joint_parameters(&model->joints[j]); k++) {
            if ((with & joint_kinds[k].bit) != 0) {
                *next++ = joint_value(&model->joints[j], joint_kinds[k].kind);
            }
        }
    }
}

size_t tq_regressor_scratch_size(const tq_model *model)
{
    return tq_configuration_scratch_size(model) +
           tq_scratch_cost(model->n_link, 6 * sizeof(double));
}

/* spatial accelerations of all links about the world origin, (n_link x 6) */
static void link_accelerations(const tq_configuration *p, const double *qd, const double *qdd,
                               double *acceleration)
{
    const tq_model *model = p->model;
    memset(acceleration + 6 * (size_t)model->root, 0, 6 * sizeof(double));
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const uint32_t number = model->order[k];
        const tq_joint *joint = &model->joints[number];
        double *child = acceleration + 6 * (size_t)joint->child;
        memcpy(child, acceleration + 6 * (size_t)joint->parent, 6 * sizeof(double));
        for (uint32_t c = 0; c < p->count[number]; c++) {
            const tq_freedom *freedom = &p->freedom[p->first[number] + c];
            if (qdd != NULL) {
                tq_axpy6(freedom->factor * qdd[freedom->row], freedom->screw, child);
            }
            if (qd != NULL) {
                tq_axpy6(freedom->factor * qd[freedom->row], freedom->rate, child);
            }
        }
    }
}

/* Newton-Euler about the link's origin, in its axes: wrench = sum of column * parameter */
static void link_columns(const tq_pose *pose, const double twist[6], const double spatial[6],
                         const double gravity[3], double column[TQ_PARAMETERS_OF_LINK][6])
{
    double turning[3];
    double velocity[3];
    double world[3];
    tq_vec_cross(twist + 3, pose->p, turning);
    for (unsigned k = 0; k < 3; k++) {
        velocity[k] = twist[k] + turning[k];
    }
    tq_vec_cross(spatial + 3, pose->p, turning);
    tq_vec_cross(twist + 3, velocity, world);
    for (unsigned k = 0; k < 3; k++) {
        world[k] += spatial[k] + turning[k] - gravity[k];
    }
    double a[3];
    double w[3];
    double al[3];
    tq_mat_tvec(pose->r, world, a);
    tq_mat_tvec(pose->r, twist + 3, w);
    tq_mat_tvec(pose->r, spatial + 3, al);
    memset(column, 0, TQ_PARAMETERS_OF_LINK * sizeof column[0]);
    memcpy(column[0], a, sizeof a);
    for (unsigned c = 0; c < 3; c++) {
        /* first moment e_c: force al x e + w x (w x e), moment e x a */
        double e[3] = {0};
        double once[3];
        double twice[3];
        double force[3];
        e[c] = 1.0;
        tq_vec_cross(w, e, once);
        tq_vec_cross(w, once, twice);
        tq_vec_cross(al, e, force);
        for (unsigned k = 0; k < 3; k++) {
            column[1 + c][k] = force[k] + twice[k];
        }
        tq_vec_cross(e, a, column[1 + c] + 3);
    }
    static const unsigned row[6] = {0, 0, 0, 1, 1, 2};
    static const unsigned col[6] = {0, 1, 2, 1, 2, 2};
    for (unsigned c = 0; c < 6; c++) {
        /* tensor with a one at (row, col) and (col, row): moment I al + w x (I w) */
        double i_al[3] = {0};
        double i_w[3] = {0};
        double gyro[3];
        i_al[row[c]] = al[col[c]];
        i_al[col[c]] = al[row[c]];
        i_w[row[c]] = w[col[c]];
        i_w[col[c]] = w[row[c]];
        tq_vec_cross(w, i_w, gyro);
        for (unsigned k = 0; k < 3; k++) {
            column[4 + c][3 + k] = i_al[k] + gyro[k];
        }
    }
}

/* the screw of a dof as the twist of the link's origin, in link axes */
static void screw_in_link(const tq_pose *pose, const double screw[6], double ret[6])
{
    double turning[3];
    double velocity[3];
    tq_vec_cross(screw + 3, pose->p, turning);
    for (unsigned k = 0; k < 3; k++) {
        velocity[k] = screw[k] + turning[k];
    }
    tq_mat_tvec(pose->r, velocity, ret);
    tq_mat_tvec(pose->r, screw + 3, ret + 3);
}

static void fill_links(const tq_configuration *p, const double *acceleration,
                       const double gravity[3], size_t n_parameter, double *y)
{
    const tq_model *model = p->model;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const uint32_t link = model->joints[model->order[k]].child;
        const double weighs = 1.0 - model->links[link].gravity_compensation;
        const double own[3] = {weighs * gravity[0], weighs * gravity[1], weighs * gravity[2]};
        double column[TQ_PARAMETERS_OF_LINK][6];
        link_columns(&p->pose[link], p->twist + 6 * (size_t)link, acceleration + 6 * (size_t)link,
                     own, column);
        for (uint32_t at = link; model->links[at].joint != TQ_NONE;
             at = model->joints[model->links[at].joint].parent) {
            const uint32_t joint = model->links[at].joint;
            for (uint32_t f = 0; f < p->count[joint]; f++) {
                const tq_freedom *freedom = &p->freedom[p->first[joint] + f];
                double screw[6];
                screw_in_link(&p->pose[link], freedom->screw, screw);
                double *row = y + freedom->row * n_parameter + TQ_PARAMETERS_OF_LINK * (size_t)k;
                for (unsigned c = 0; c < TQ_PARAMETERS_OF_LINK; c++) {
                    row[c] += freedom->factor * tq_dot6(screw, column[c]);
                }
            }
        }
    }
}

static double sign_of(const tq_friction *friction, double rate)
{
    if (friction->smoothing > 0.0) {
        return tq_tanh(rate / friction->smoothing);
    }
    return rate > 0.0 ? 1.0 : rate < 0.0 ? -1.0 : 0.0;
}

static void fill_joints(const tq_model *model, unsigned with, const double *q, const double *qd,
                        const double *qdd, size_t n_parameter, double *y)
{
    size_t column = (size_t)TQ_PARAMETERS_OF_LINK * model->n_joint;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (!has_joint_parameters(joint)) {
            continue;
        }
        const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
        const double offset = joint->mimic != TQ_NONE ? joint->mimic_offset : 0.0;
        const double rate = qd != NULL ? factor * qd[joint->v_index] : 0.0;
        const double acceleration = qdd != NULL ? factor * qdd[joint->v_index] : 0.0;
        const double torque[JOINT_KINDS] = {
            acceleration, rate, sign_of(&joint->friction, rate), 1.0,
            factor * q[joint->q_index] + offset - joint->spring.rest};
        for (unsigned k = 0; k < JOINT_KINDS; k++) {
            if ((with & joint_kinds[k].bit) != 0) {
                y[joint->v_index * n_parameter + column++] = factor * torque[k];
            }
        }
    }
}

tq_status tq_regressor(const tq_model *model, unsigned with, const tq_regressor_input *in,
                       tq_scratch *scratch, double *ret_y, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_configuration p;
    const tq_status status = tq_configuration_compute(model, in->q, in->qd, scratch, &p, reterr);
    if (status != TQ_OK) {
        return status;
    }
    double *acceleration = tq_scratch_take(scratch, model->n_link, 6 * sizeof *acceleration);
    if (acceleration == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_regressor_scratch_size(model));
    }
    const size_t n_parameter = tq_parameter_count(model, with);
    memset(ret_y, 0, model->nv * n_parameter * sizeof(double));
    link_accelerations(&p, in->qd, in->qdd, acceleration);
    fill_links(&p, acceleration, in->gravity != NULL ? in->gravity : model->gravity, n_parameter,
               ret_y);
    fill_joints(model, with, in->q, in->qd, in->qdd, n_parameter, ret_y);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}
