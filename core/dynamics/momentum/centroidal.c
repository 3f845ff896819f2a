/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/momentum/centroidal.c - centroidal momentum matrix and its rate; the regressor of
 * momentum. */
#include "core/dynamics/momentum/centroidal.h"

#include <string.h>

#include "core/dynamics/momentum/momentum.h"
#include "core/model/inertia.h"
#include "core/spatial/screw.h"

/* Adds the column of one freedom for one link: I s, and its rate
 * d(I s)/dt = V x* (I s) - I (V x s) + I s', V the link's twist. */
static void add_column(const double spatial[36], const double twist[6], const tq_freedom *freedom,
                       size_t nv, double *inout_matrix, double *inout_rate)
{
    double h[6];
    double carried[6];
    double turned[6];
    double change[6];
    double moved[6];
    tq_apply6(spatial, freedom->screw, h);
    tq_wrench_cross(twist, h, carried);
    tq_screw_cross(twist, freedom->screw, turned);
    for (unsigned k = 0; k < 6; k++) {
        change[k] = freedom->rate[k] - turned[k];
    }
    tq_apply6(spatial, change, moved);
    for (unsigned k = 0; k < 6; k++) {
        inout_matrix[k * nv + freedom->row] += freedom->factor * h[k];
        inout_rate[k * nv + freedom->row] += freedom->factor * (carried[k] + moved[k]);
    }
}

/* Angular momentum from the world's origin to the centre of mass c: L_c = L - c x p. */
static void move_to_com(const tq_configuration *posture, double *inout_matrix, double *inout_rate)
{
    const size_t nv = posture->model->nv;
    tq_momentum all;
    tq_momentum_compute(posture, &all);
    for (size_t k = 0; k < nv; k++) {
        const double p[3] = {inout_matrix[k], inout_matrix[nv + k], inout_matrix[2 * nv + k]};
        const double f[3] = {inout_rate[k], inout_rate[nv + k], inout_rate[2 * nv + k]};
        double orbital[3];
        double moved[3];
        double forced[3];
        tq_vec_cross(all.com, p, orbital);
        tq_vec_cross(all.com_velocity, p, moved);
        tq_vec_cross(all.com, f, forced);
        for (unsigned r = 0; r < 3; r++) {
            inout_matrix[(3 + r) * nv + k] -= orbital[r];
            inout_rate[(3 + r) * nv + k] -= moved[r] + forced[r];
        }
    }
}

void tq_centroidal_momentum(const tq_configuration *posture, const double *qd, double *ret_matrix,
                            double *ret_rate, double ret_bias[6])
{
    const tq_model *model = posture->model;
    const size_t nv = model->nv;
    memset(ret_matrix, 0, 6 * nv * sizeof(double));
    memset(ret_rate, 0, 6 * nv * sizeof(double));
    for (uint32_t link = 0; link < model->n_link; link++) {
        const tq_inertia world = tq_inertia_move(&model->links[link].inertia, &posture->pose[link]);
        double spatial[36];
        tq_inertia_spatial(&world, spatial);
        for (uint32_t at = link; model->links[at].joint != TQ_NONE;
             at = model->joints[model->links[at].joint].parent) {
            const uint32_t joint = model->links[at].joint;
            for (uint32_t k = 0; k < posture->count[joint]; k++) {
                add_column(spatial, posture->twist + 6 * (size_t)link,
                           &posture->freedom[posture->first[joint] + k], nv, ret_matrix, ret_rate);
            }
        }
    }
    move_to_com(posture, ret_matrix, ret_rate);
    for (size_t r = 0; r < 6; r++) {
        ret_bias[r] = 0.0;
        for (size_t k = 0; k < nv; k++) {
            ret_bias[r] += ret_rate[r * nv + k] * qd[k];
        }
    }
}

/* p = m v + w x m c, L = o x p + m c x v + I w, with v the velocity of the link's origin o */
static void regressor_of_link(const tq_pose *pose, const double twist[6],
                              double y[6][TQ_PARAMETERS_OF_LINK])
{
    const double *w = twist + 3;
    double turning[3];
    double v[3];
    double moment[3];
    tq_vec_cross(w, pose->p, turning);
    for (unsigned r = 0; r < 3; r++) {
        v[r] = twist[r] + turning[r];
    }
    tq_vec_cross(pose->p, v, moment);
    for (unsigned r = 0; r < 3; r++) {
        y[r][0] = v[r];
        y[3 + r][0] = moment[r];
    }
    double w_link[3] = {0};
    for (unsigned k = 0; k < 3; k++) {
        const double axis[3] = {pose->r[k], pose->r[3 + k], pose->r[6 + k]};
        double linear[3];
        double orbital[3];
        double own[3];
        tq_vec_cross(w, axis, linear);
        tq_vec_cross(pose->p, linear, orbital);
        tq_vec_cross(axis, v, own);
        for (unsigned r = 0; r < 3; r++) {
            y[r][1 + k] = linear[r];
            y[3 + r][1 + k] = orbital[r] + own[r];
            w_link[k] += axis[r] * w[r];
        }
    }
    static const unsigned pairs[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (unsigned c = 0; c < 6; c++) {
        const unsigned i = pairs[c][0];
        const unsigned j = pairs[c][1];
        for (unsigned r = 0; r < 3; r++) { /* R (e_i e_j^T + e_j e_i^T) R^T w, once where i = j */
            y[r][4 + c] = 0.0;
            y[3 + r][4 + c] =
                pose->r[3 * r + i] * w_link[j] + (i != j ? pose->r[3 * r + j] * w_link[i] : 0.0);
        }
    }
}

void tq_momentum_regressor(const tq_configuration *posture, double *ret_regressor)
{
    for (uint32_t link = 0; link < posture->model->n_link; link++) {
        double y[6][TQ_PARAMETERS_OF_LINK];
        regressor_of_link(&posture->pose[link], posture->twist + 6 * (size_t)link, y);
        memcpy(ret_regressor + sizeof y / sizeof y[0][0] * link, y, sizeof y);
    }
}
