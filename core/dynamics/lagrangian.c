/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/lagrangian.c - M, C, g and energies by link Jacobians, in world axes at the world
 * origin. */
#include "core/dynamics/lagrangian.h"

#include <string.h>

#include "core/dynamics/ball_terms.h"
#include "core/dynamics/passive/compensation.h"
#include "core/dynamics/passive/tendons.h"
#include "core/model/inertia.h"
#include "core/spatial/screw.h"

/* inertia of a subtree and the matrix of its motion (motion_kind), by link; 6x6 each */
typedef struct composite {
    double inertia[36];
    double motion[36];
} composite;

size_t tq_lagrangian_scratch_size(const tq_model *model)
{
    const size_t nv = model->nv;
    return tq_scratch_cost(model->n_link, sizeof(composite)) +
           tq_scratch_cost(model->n_link, 6 * sizeof(double)) +
           2 * tq_scratch_cost(nv * nv, sizeof(double)) +
           tq_scratch_cost(nv * nv, nv * sizeof(double)) +
           tq_scratch_cost(6 * (size_t)model->n_joint, 6 * sizeof(double));
}

static void link_inertia(const tq_configuration *p, uint32_t link, double spatial[36])
{
    const tq_inertia world = tq_inertia_move(&p->model->links[link].inertia, &p->pose[link]);
    tq_inertia_spatial(&world, spatial);
}

void tq_momentum_cross(const double h[6], double ret[36])
{
    memset(ret, 0, 36 * sizeof(double));
    for (unsigned part = 0; part < 2; part++) {
        const double *x = h + 3 * part;
        const double minus[3][3] = {{0, x[2], -x[1]}, {-x[2], 0, x[0]}, {x[1], -x[0], 0}};
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned j = 0; j < 3; j++) {
                if (part == 0) {
                    ret[6 * i + 3 + j] = minus[i][j];
                    ret[6 * (3 + i) + j] = minus[i][j];
                } else {
                    ret[6 * (3 + i) + 3 + j] = minus[i][j];
                }
            }
        }
    }
}

typedef enum motion_kind {
    MOTION_NONE,
    MOTION_CHRISTOFFEL, /* B: (V x* M - M V x + (M V) x-bar*) / 2 */
    MOTION_STACKED,     /* rate of M: V x* M - M V x */
} motion_kind;

/* the link's own inertia and motion matrix, at a given twist of the link */
static void own_composite(const tq_configuration *p, uint32_t link, const double twist[6],
                          motion_kind kind, composite *ret)
{
    link_inertia(p, link, ret->inertia);
    if (kind == MOTION_NONE) {
        return;
    }
    double half[36];
    tq_wrench_cross_inertia(twist, ret->inertia, half);
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j < 6; j++) {
            ret->motion[6 * i + j] = half[6 * i + j] + half[6 * j + i];
        }
    }
    if (kind == MOTION_CHRISTOFFEL) {
        double h[6];
        double bar[36];
        tq_apply6(ret->inertia, twist, h);
        tq_momentum_cross(h, bar);
        for (unsigned k = 0; k < 36; k++) {
            ret->motion[k] = 0.5 * (ret->motion[k] + bar[k]);
        }
    }
}

/* sums over subtrees, leaves first */
static void composites_of_subtrees(const tq_configuration *p, const double *twist, motion_kind kind,
                                   composite *sum)
{
    const tq_model *model = p->model;
    for (uint32_t link = 0; link < model->n_link; link++) {
        own_composite(p, link, twist + 6 * (size_t)link, kind, &sum[link]);
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const tq_joint *joint = &model->joints[model->order[k]];
        for (unsigned e = 0; e < 36; e++) {
            sum[joint->parent].inertia[e] += sum[joint->child].inertia[e];
            if (kind != MOTION_NONE) {
                sum[joint->parent].motion[e] += sum[joint->child].motion[e];
            }
        }
    }
}

static void add_rotors(const tq_model *model, double *m)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) == 1) {
            const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
            m[(size_t)joint->v_index * model->nv + joint->v_index] +=
                factor * factor * joint->rotor.ratio * joint->rotor.ratio * joint->rotor.inertia;
        }
    }
    tq_ball_add_mass(model, 1, m);
}

/* Sums left . A right over every pair of dofs on one branch into out[row of left][row of right]; A
 * is the composite of the deeper dof. rate: the right-hand factor is M rate + motion screw instead
 * of M screw. */
static void add_pairs(const tq_configuration *p, const composite *sum, const double *rate,
                      double *out)
{
    const tq_model *model = p->model;
    const size_t nv = model->nv;
    memset(out, 0, nv * nv * sizeof(double));
    for (size_t f = 0; f < p->n_freedom; f++) {
        const tq_freedom *deep = &p->freedom[f];
        const composite *c = &sum[model->joints[deep->joint].child];
        /* wrench of the subtree per unit of the deeper dof, and screw^T motion */
        double wrench[6];
        double part[6];
        double row[6] = {0};
        if (rate != NULL) {
            tq_apply6(c->inertia, rate + 6 * f, wrench);
            tq_apply6(c->motion, deep->screw, part);
            tq_axpy6(1.0, part, wrench);
            for (unsigned i = 0; i < 6; i++) {
                tq_axpy6(deep->screw[i], c->motion + 6 * i, row); /* screw^T motion */
            }
        } else {
            tq_apply6(c->inertia, deep->screw, wrench);
        }
        double by_inertia[6];
        tq_apply6(c->inertia, deep->screw, by_inertia);
        uint32_t number = deep->joint;
        for (;;) {
            for (uint32_t k = 0; k < p->count[number]; k++) {
                const size_t g = p->first[number] + k;
                const tq_freedom *up = &p->freedom[g];
                const double scale = deep->factor * up->factor;
                out[up->row * nv + deep->row] += scale * tq_dot6(up->screw, wrench);
                if (number != deep->joint) {
                    const double back =
                        rate != NULL ? tq_dot6(by_inertia, rate + 6 * g) + tq_dot6(row, up->screw)
                                     : tq_dot6(up->screw, wrench);
                    out[deep->row * nv + up->row] += scale * back;
                }
            }
            const uint32_t parent = model->joints[number].parent;
            if (model->links[parent].joint == TQ_NONE) {
                break;
            }
            number = model->links[parent].joint;
        }
    }
}

static tq_status short_of_scratch(const tq_configuration *p, tq_scratch *scratch, size_t mark,
                                  tq_error *reterr)
{
    tq_scratch_rewind(scratch, mark);
    return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                   (double)tq_lagrangian_scratch_size(p->model));
}

tq_status tq_lagrangian_mass_matrix(const tq_configuration *posture, tq_scratch *scratch,
                                    double *ret_m, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    composite *sum = tq_scratch_take(scratch, posture->model->n_link, sizeof *sum);
    if (sum == NULL) {
        return short_of_scratch(posture, scratch, mark, reterr);
    }
    composites_of_subtrees(posture, posture->twist, MOTION_NONE, sum);
    add_pairs(posture, sum, NULL, ret_m);
    add_rotors(posture->model, ret_m);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

/* Christoffel or stacked form for given twists and screw rates */
static tq_status coriolis_of(const tq_configuration *p, const double *twist, const double *rate,
                             motion_kind kind, tq_scratch *scratch, double *ret_c, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    composite *sum = tq_scratch_take(scratch, p->model->n_link, sizeof *sum);
    if (sum == NULL) {
        return short_of_scratch(p, scratch, mark, reterr);
    }
    composites_of_subtrees(p, twist, kind, sum);
    add_pairs(p, sum, rate, ret_c);
    tq_scratch_rewind(scratch, mark);
    return TQ_OK;
}

static void copy_rates(const tq_configuration *p, double *rate)
{
    for (size_t f = 0; f < p->n_freedom; f++) {
        memcpy(rate + 6 * f, p->freedom[f].rate, 6 * sizeof(double));
    }
}

/* twists and screw rates at qd = e_row: those of a posture with this velocity */
static void unit_velocity(const tq_configuration *p, uint32_t row, double *twist, double *rate)
{
    const tq_model *model = p->model;
    memset(twist + 6 * (size_t)model->root, 0, 6 * sizeof(double));
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const uint32_t number = model->order[k];
        const tq_joint *joint = &model->joints[number];
        const double *parent = twist + 6 * (size_t)joint->parent;
        double *child = twist + 6 * (size_t)joint->child;
        memcpy(child, parent, 6 * sizeof(double));
        for (uint32_t c = 0; c < p->count[number]; c++) {
            const tq_freedom *freedom = &p->freedom[p->first[number] + c];
            if (freedom->row == row) {
                tq_axpy6(freedom->factor, freedom->screw, child);
            }
        }
        for (uint32_t c = 0; c < p->count[number]; c++) {
            const size_t f = p->first[number] + c;
            /* A planar joint's translation axes are fixed to the parent; all others may be taken as
             * fixed to the child, since a screw does not change under its own motion. */
            const double *carrier = joint->kind == TQ_JOINT_PLANAR && c < 2 ? parent : child;
            tq_screw_cross(carrier, p->freedom[f].screw, rate + 6 * f);
        }
    }
}

tq_status tq_lagrangian_christoffel(const tq_configuration *posture, tq_scratch *scratch,
                                    double *ret_gamma, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const size_t nv = posture->model->nv;
    double *twist = tq_scratch_take(scratch, posture->model->n_link, 6 * sizeof *twist);
    double *rate = tq_scratch_take(scratch, posture->n_freedom, 6 * sizeof *rate);
    double *c = tq_scratch_take(scratch, nv * nv, sizeof *c);
    if (twist == NULL || rate == NULL || c == NULL) {
        return short_of_scratch(posture, scratch, mark, reterr);
    }
    tq_status status = TQ_OK;
    for (uint32_t k = 0; status == TQ_OK && k < nv; k++) {
        /* C is linear in qd, so at qd = e_k it is Gamma[i][j][k] */
        unit_velocity(posture, k, twist, rate);
        status = coriolis_of(posture, twist, rate, MOTION_CHRISTOFFEL, scratch, c, reterr);
        for (size_t ij = 0; status == TQ_OK && ij < nv * nv; ij++) {
            ret_gamma[ij * nv + k] = c[ij];
        }
    }
    tq_ball_add_christoffel(posture->model, ret_gamma);
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* row i of U is qd^T dM/dq_i, and dM_jk/dq_i = Gamma_jki + Gamma_kji */
static void row_derivatives(const double *gamma, const double *qd, size_t nv, double *u)
{
    for (size_t i = 0; i < nv; i++) {
        for (size_t k = 0; k < nv; k++) {
            double sum = 0.0;
            for (size_t j = 0; j < nv; j++) {
                sum += qd[j] * (gamma[(j * nv + k) * nv + i] + gamma[(k * nv + j) * nv + i]);
            }
            u[i * nv + k] = sum;
        }
    }
}

static tq_status coriolis_by_derivatives(const tq_configuration *p, const double *qd,
                                         tq_coriolis_form form, tq_scratch *scratch, double *ret_c,
                                         tq_error *reterr)
{
    for (uint32_t j = 0; j < p->model->n_joint; j++) {
        const tq_joint_kind kind = p->model->joints[j].kind;
        if (kind == TQ_JOINT_SPHERICAL || kind == TQ_JOINT_FLOATING) {
            return tq_fail(reterr, TQ_ERR_RANGE, "coriolis_form", j, (double)form);
        }
    }
    const size_t mark = tq_scratch_mark(scratch);
    const size_t nv = p->model->nv;
    double *gamma = tq_scratch_take(scratch, nv * nv, nv * sizeof *gamma);
    double *u = tq_scratch_take(scratch, nv * nv, sizeof *u);
    if (gamma == NULL || u == NULL) {
        return short_of_scratch(p, scratch, mark, reterr);
    }
    const tq_status status = tq_lagrangian_christoffel(p, scratch, gamma, reterr);
    if (status == TQ_OK) {
        row_derivatives(gamma, qd, nv, u);
        for (size_t i = 0; i < nv; i++) {
            for (size_t j = 0; j < nv; j++) {
                double first = u[j * nv + i];
                if (form == TQ_CORIOLIS_C1) { /* Mdot_ij = sum_k (Gamma_ijk + Gamma_jik) qd_k */
                    first = 0.0;
                    for (size_t k = 0; k < nv; k++) {
                        first +=
                            (gamma[(i * nv + j) * nv + k] + gamma[(j * nv + i) * nv + k]) * qd[k];
                    }
                }
                ret_c[i * nv + j] = first - 0.5 * u[i * nv + j];
            }
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_lagrangian_coriolis(const tq_configuration *posture, const double *qd,
                                 tq_coriolis_form form, tq_scratch *scratch, double *ret_c,
                                 tq_error *reterr)
{
    if (form == TQ_CORIOLIS_C1 || form == TQ_CORIOLIS_C2) {
        return coriolis_by_derivatives(posture, qd, form, scratch, ret_c, reterr);
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *rate = tq_scratch_take(scratch, posture->n_freedom, 6 * sizeof *rate);
    if (rate == NULL) {
        return short_of_scratch(posture, scratch, mark, reterr);
    }
    copy_rates(posture, rate);
    const motion_kind kind = form == TQ_CORIOLIS_STACKED ? MOTION_STACKED : MOTION_CHRISTOFFEL;
    const tq_status status =
        coriolis_of(posture, posture->twist, rate, kind, scratch, ret_c, reterr);
    if (qd != NULL) {
        tq_ball_add_coriolis(posture->model, 1, qd, ret_c);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

tq_status tq_lagrangian_mass_matrix_derivatives(const tq_configuration *posture,
                                                tq_scratch *scratch, double *ret, tq_error *reterr)
{
    const size_t nv = posture->model->nv;
    const tq_status status = tq_lagrangian_christoffel(posture, scratch, ret, reterr);
    for (size_t i = 0; status == TQ_OK && i < nv; i++) { /* pair by pair in place */
        for (size_t j = 0; j <= i; j++) {
            for (size_t k = 0; k < nv; k++) {
                double *one = &ret[(i * nv + j) * nv + k], *other = &ret[(j * nv + i) * nv + k];
                *one = *other = *one + *other;
            }
        }
    }
    return status;
}

tq_status tq_lagrangian_velocity_torque(const tq_configuration *posture, const double *qd,
                                        tq_scratch *scratch, double *ret_tau, tq_error *reterr)
{
    const size_t nv = posture->model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *c = tq_scratch_take(scratch, nv * nv, sizeof *c);
    if (c == NULL) {
        return short_of_scratch(posture, scratch, mark, reterr);
    }
    const tq_status status =
        tq_lagrangian_coriolis(posture, qd, TQ_CORIOLIS_CHRISTOFFEL, scratch, c, reterr);
    for (size_t i = 0; status == TQ_OK && i < nv; i++) {
        ret_tau[i] = 0.0;
        for (size_t j = 0; j < nv; j++) {
            ret_tau[i] += c[i * nv + j] * qd[j];
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

void tq_lagrangian_gravity(const tq_configuration *posture, const double gravity[3], double *ret_g)
{
    const tq_model *model = posture->model;
    memset(ret_g, 0, model->nv * sizeof(double));
    for (uint32_t link = 0; link < model->n_link; link++) {
        const tq_inertia world = tq_inertia_move(&model->links[link].inertia, &posture->pose[link]);
        double lift[6];
        for (unsigned k = 0; k < 3; k++) {
            lift[k] = -world.mass * gravity[k];
        }
        tq_vec_cross(world.com, lift, lift + 3);
        tq_configuration_add_wrench(posture, link, lift, ret_g);
        if (model->links[link].carried_mass != 0.0) {
            double moment[4];
            tq_compensation_moment(posture, link, moment);
            for (unsigned k = 0; k < 3; k++) {
                lift[k] = moment[3] * gravity[k];
            }
            tq_vec_cross(moment, gravity, lift + 3);
            tq_configuration_add_wrench(posture, link, lift, ret_g);
        }
    }
}

double tq_lagrangian_kinetic(const tq_configuration *posture, const double *qd)
{
    const tq_model *model = posture->model;
    double energy = 0.0;
    for (uint32_t link = 0; link < model->n_link; link++) {
        double spatial[36];
        double h[6];
        const double *twist = posture->twist + 6 * (size_t)link;
        link_inertia(posture, link, spatial);
        tq_apply6(spatial, twist, h);
        energy += 0.5 * tq_dot6(twist, h);
    }
    for (uint32_t j = 0; qd != NULL && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) == 1) {
            const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
            const double rate = factor * joint->rotor.ratio * qd[joint->v_index];
            energy += 0.5 * joint->rotor.inertia * rate * rate;
        } else {
            double none = 0.0;
            tq_ball_energy(joint, 1, NULL, qd, &energy, &none);
        }
    }
    return energy;
}

double tq_lagrangian_potential(const tq_configuration *posture, const double gravity[3],
                               const double *q)
{
    const tq_model *model = posture->model;
    double energy = 0.0;
    for (uint32_t link = 0; link < model->n_link; link++) {
        const tq_inertia world = tq_inertia_move(&model->links[link].inertia, &posture->pose[link]);
        energy -= world.mass * tq_dot3(gravity, world.com);
        if (model->links[link].carried_mass != 0.0) {
            double moment[4];
            tq_compensation_moment(posture, link, moment);
            energy += tq_dot3(gravity, moment);
        }
    }
    for (uint32_t j = 0; q != NULL && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) == 1) {
            const double own =
                joint->mimic != TQ_NONE
                    ? joint->mimic_multiplier * q[joint->q_index] + joint->mimic_offset
                    : q[joint->q_index];
            const double stretch = own - joint->spring.rest;
            energy += 0.5 * joint->spring.stiffness * stretch * stretch;
        } else {
            double none = 0.0;
            tq_ball_energy(joint, 1, q, NULL, &none, &energy);
        }
    }
    return q != NULL ? energy + tq_tendons_potential(model, 1, q) : energy;
}
