/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/lagrange.c - virtual work of every force on every link. */
#include "tests/support/lagrange.h"

/* this file promotes to 80 bits on purpose */
#pragma GCC diagnostic ignored "-Wdouble-promotion"

#include "tests/support/vec.h"

#include <float.h>
#include <stdlib.h>

/* Force at the centre of mass (or at its point) and moment on one link, with the sizes of the terms
 * that are added. */
typedef struct load {
    long double at[3], force[3], moment[3];
    long double force_terms, moment_terms;
} load;

/* Data of one problem that all links share. */
typedef struct work {
    const tqt_problem *problem;
    tqt_state rigid; /* rates of the rigid-body part */
    long double gravity[3];
    tqt_link_motion *links;
    tqt_column *columns; /* of the current link */
    uint32_t n_column;
} work;

static work begin(const tqt_problem *problem)
{
    const tq_model *model = problem->model;
    work w = {.problem = problem,
              .rigid = problem->state,
              .links = calloc(model->n_link, sizeof *w.links),
              .columns = calloc(6 * (size_t)model->n_link, sizeof *w.columns)};
    if (w.links == NULL || w.columns == NULL) {
        abort();
    }
    const double *gravity = problem->gravity != NULL ? problem->gravity : model->gravity;
    for (int i = 0; i < 3; i++) {
        w.gravity[i] = (problem->without & TQ_WITHOUT_GRAVITY) != 0 ? 0.0L : gravity[i];
    }
    if ((problem->without & TQ_WITHOUT_VELOCITY) != 0) {
        w.rigid.qd = NULL;
    }
    if ((problem->without & TQ_WITHOUT_INERTIA) != 0) {
        w.rigid.qdd = NULL;
    }
    tqt_move(model, &w.rigid, w.links);
    return w;
}

static void end(work *w)
{
    free(w->links);
    free(w->columns);
}

static void add(tqt_sum *sum, long double value, long double terms)
{
    sum->value += value;
    sum->terms += fabsl(terms);
}

/* distance between a column's axis point and x: the lever arm of a rotation */
static long double arm(const tqt_column *column, const long double x[3])
{
    long double from[3];
    for (int i = 0; i < 3; i++) {
        from[i] = x[i] - column->at[i];
    }
    return tqt_length(from);
}

static void velocity_at(const tqt_column *column, const long double x[3], long double ret_v[3])
{
    long double from[3];
    for (int i = 0; i < 3; i++) {
        from[i] = x[i] - column->at[i];
    }
    tqt_cross(column->angular, from, ret_v);
    for (int i = 0; i < 3; i++) {
        ret_v[i] += column->linear[i];
    }
}

static long double rate_of(const double *rows, uint32_t row)
{
    return rows == NULL ? 0.0L : fabsl((long double)rows[row]);
}

/* Sizes of the terms of a link's acceleration: each column contributes qdd and, with all rotations
 * before it (spin), centripetal and Coriolis terms. */
static void acceleration_terms(const work *w, const long double com[3], long double *ret_linear,
                               long double *ret_angular, long double *ret_spin)
{
    long double spin = 0.0L;
    *ret_linear = tqt_length(w->gravity);
    *ret_angular = 0.0L;
    for (uint32_t first = 0; first < w->n_column;) {
        uint32_t next = first;
        while (next < w->n_column && w->columns[next].joint == w->columns[first].joint) {
            spin +=
                tqt_length(w->columns[next].angular) * rate_of(w->rigid.qd, w->columns[next].row);
            next++;
        }
        for (; first < next; first++) {
            const tqt_column *column = &w->columns[first];
            const long double turn = tqt_length(column->angular);
            const long double qd = rate_of(w->rigid.qd, column->row);
            const long double qdd = rate_of(w->rigid.qdd, column->row);
            *ret_linear +=
                (tqt_length(column->linear) + turn * arm(column, com)) * (qdd + 2.0L * spin * qd);
            *ret_angular += turn * (qdd + spin * qd);
        }
    }
    *ret_spin = spin;
}

/* force and moment for the motion of a link: m (a - g) and I w' + w x I w */
static load inertial_load(const work *w, uint32_t i)
{
    const tqt_link_motion *link = &w->links[i];
    const long double mass = w->problem->model->links[i].inertia.mass;
    long double momentum[3];
    long double twist[3];
    long double bend[3];
    load made;
    tqt_rotate(link->inertia, link->omega, momentum);
    tqt_cross(link->omega, momentum, bend);
    tqt_rotate(link->inertia, link->omega_dot, twist);
    for (int k = 0; k < 3; k++) {
        made.at[k] = link->com[k];
        made.force[k] = mass * (link->com_a[k] - w->gravity[k]);
        made.moment[k] = twist[k] + bend[k];
    }
    long double linear;
    long double angular;
    long double spin;
    acceleration_terms(w, link->com, &linear, &angular, &spin);
    made.force_terms = fabsl(mass) * linear;
    made.moment_terms = tqt_norm(link->inertia) * (angular + spin * spin);
    return made;
}

/* the external wrench with opposite sign: the joints must balance it */
static load external_load(const work *w, const tqt_wrench *wrench)
{
    const tqt_link_motion *link = &w->links[wrench->link];
    long double force[3];
    long double moment[3];
    long double at[3];
    load made;
    for (int k = 0; k < 3; k++) {
        force[k] = wrench->value[k];
        moment[k] = wrench->value[3 + k];
        at[k] = wrench->at[k];
    }
    tqt_rotate(link->r, at, made.at);
    if (wrench->expressed_in == TQ_FRAME_LINK) {
        tqt_rotate(link->r, force, made.force);
        tqt_rotate(link->r, moment, made.moment);
    }
    for (int k = 0; k < 3; k++) {
        const int turned = wrench->expressed_in == TQ_FRAME_LINK;
        made.at[k] += link->p[k];
        made.force[k] = turned ? -made.force[k] : -force[k];
        made.moment[k] = turned ? -made.moment[k] : -moment[k];
    }
    made.force_terms = tqt_length(made.force);
    made.moment_terms = tqt_length(made.moment);
    return made;
}

/* the load's virtual power at unit rate, for each row that moves its link */
static void add_virtual_work(const work *w, const load *on, tqt_sum *ret_tau)
{
    for (uint32_t k = 0; k < w->n_column; k++) {
        const tqt_column *column = &w->columns[k];
        const long double turn = tqt_length(column->angular);
        long double v[3];
        velocity_at(column, on->at, v);
        add(&ret_tau[column->row], tqt_dot(v, on->force) + tqt_dot(column->angular, on->moment),
            (tqt_length(column->linear) + turn * arm(column, on->at)) * on->force_terms +
                turn * on->moment_terms);
    }
}

static long double sign_of(long double v, long double smoothing)
{
    if (smoothing == 0.0L) {
        return v > 0.0L ? 1.0L : v < 0.0L ? -1.0L : 0.0L;
    }
    return tanhl(v / smoothing);
}

static void add_friction(const tq_friction *friction, long double factor, long double qd,
                         tqt_sum *ret_tau)
{
    const long double coulomb = friction->coulomb;
    long double excess = 0.0L;
    if (friction->stribeck_velocity > 0.0) {
        const long double x = qd / friction->stribeck_velocity;
        excess = (friction->breakaway - coulomb) * expl(-x * x);
    }
    const long double s = sign_of(qd, friction->smoothing);
    add(ret_tau, factor * friction->viscous * qd, factor * friction->viscous * qd);
    add(ret_tau, factor * (coulomb + excess) * s,
        factor * (fabsl(coulomb) + fabsl(excess)) * (s == 0.0L ? 0.0L : 1.0L));
    add(ret_tau, factor * friction->offset, factor * friction->offset);
}

/* friction, spring and rotor of a one-dof joint, in its master's row */
static void add_joint_terms(const tqt_problem *problem, const tq_joint *joint, tqt_sum *ret_tau)
{
    const tq_model *model = problem->model;
    const int mimics = joint->mimic != TQ_NONE;
    const long double factor = mimics ? joint->mimic_multiplier : 1.0;
    const tqt_state *state = &problem->state;
    const long double q = tqt_joint_q(model, joint, state->q);
    const uint32_t row = mimics ? model->joints[joint->mimic].v_index : joint->v_index;
    tqt_sum *tau = &ret_tau[row];
    if ((problem->without & TQ_WITHOUT_FRICTION) == 0) {
        add_friction(&joint->friction, factor, tqt_joint_rate(model, joint, state->qd), tau);
    }
    if ((problem->without & TQ_WITHOUT_SPRING) == 0) {
        const long double stiffness = factor * joint->spring.stiffness;
        const long double offset = mimics ? fabsl((long double)joint->mimic_offset) : 0.0L;
        add(tau, stiffness * (q - joint->spring.rest),
            stiffness * (fabsl(q) + 2.0L * offset + fabsl((long double)joint->spring.rest)));
    }
    if ((problem->without & TQ_WITHOUT_ROTOR) == 0) {
        const long double ratio = joint->rotor.ratio;
        const long double need = factor * ratio * ratio * joint->rotor.inertia *
                                 tqt_joint_rate(model, joint, state->qdd);
        add(tau, need, need);
    }
}

static int is_one_freedom(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_REVOLUTE || joint->kind == TQ_JOINT_CONTINUOUS ||
           joint->kind == TQ_JOINT_PRISMATIC;
}

void tqt_inverse_dynamics(const tqt_problem *problem, tqt_sum *ret_tau)
{
    const tq_model *model = problem->model;
    work w = begin(problem);
    for (uint32_t k = 0; k < model->nv; k++) {
        ret_tau[k] = (tqt_sum){0.0L, 0.0L};
    }
    for (uint32_t i = 0; i < model->n_link; i++) {
        w.n_column = tqt_columns(model, w.links, i, w.columns);
        const load on = inertial_load(&w, i);
        add_virtual_work(&w, &on, ret_tau);
    }
    const int external = (problem->without & TQ_WITHOUT_EXTERNAL) == 0;
    for (size_t i = 0; external && i < problem->n_wrench; i++) {
        w.n_column = tqt_columns(model, w.links, problem->wrenches[i].link, w.columns);
        const load on = external_load(&w, &problem->wrenches[i]);
        add_virtual_work(&w, &on, ret_tau);
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (is_one_freedom(&model->joints[j])) {
            add_joint_terms(problem, &model->joints[j], ret_tau);
        }
    }
    end(&w);
}

/* one link's m Jv^T Jv + Jw^T I Jw */
static void add_link_mass(const work *w, uint32_t i, uint32_t nv, tqt_sum *ret_m)
{
    const tqt_link_motion *link = &w->links[i];
    const long double mass = w->problem->model->links[i].inertia.mass;
    const long double inertia = tqt_norm(link->inertia);
    for (uint32_t a = 0; a < w->n_column; a++) {
        const tqt_column *one = &w->columns[a];
        const long double reach =
            tqt_length(one->linear) + tqt_length(one->angular) * arm(one, link->com);
        long double v[3];
        long double momentum[3];
        velocity_at(one, link->com, v);
        tqt_rotate(link->inertia, one->angular, momentum);
        for (uint32_t b = 0; b < w->n_column; b++) {
            const tqt_column *two = &w->columns[b];
            long double u[3];
            velocity_at(two, link->com, u);
            add(&ret_m[one->row * nv + two->row],
                mass * tqt_dot(v, u) + tqt_dot(momentum, two->angular),
                mass * reach *
                        (tqt_length(two->linear) + tqt_length(two->angular) * arm(two, link->com)) +
                    inertia * tqt_length(one->angular) * tqt_length(two->angular));
        }
    }
}

void tqt_mass_matrix(const tq_model *model, const double *q, tqt_sum *ret_m)
{
    const tqt_problem still = {.model = model, .state = {.q = q}};
    work w = begin(&still);
    for (size_t k = 0; k < (size_t)model->nv * model->nv; k++) {
        ret_m[k] = (tqt_sum){0.0L, 0.0L};
    }
    for (uint32_t i = 0; i < model->n_link; i++) {
        w.n_column = tqt_columns(model, w.links, i, w.columns);
        add_link_mass(&w, i, model->nv, ret_m);
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (is_one_freedom(joint)) {
            const int mimics = joint->mimic != TQ_NONE;
            const long double ratio =
                joint->rotor.ratio * (mimics ? (long double)joint->mimic_multiplier : 1.0L);
            const uint32_t row = mimics ? model->joints[joint->mimic].v_index : joint->v_index;
            const long double seen = ratio * ratio * joint->rotor.inertia;
            add(&ret_m[row * model->nv + row], seen, seen);
        }
    }
    end(&w);
}

/* Rate of a column: dJ/dt is the field linear' + angular' x (x - at) + angular x (x' - at'). */
typedef struct moving_column {
    long double linear[3], angular[3], at[3]; /* rates */
    long double spin;                         /* sizes of the terms of the link's rotation */
} moving_column;

/* The axis of a column rotates with the child of its joint, in-plane axes with the parent; the
 * point `at` is the child's origin. */
static moving_column rates_of(const work *w, const tqt_column *column)
{
    const tq_joint *joint = &w->problem->model->joints[column->joint];
    const tqt_link_motion *child = &w->links[joint->child];
    const int in_plane = joint->kind == TQ_JOINT_PLANAR && tqt_length(column->angular) == 0.0L;
    const long double *omega = in_plane ? w->links[joint->parent].omega : child->omega;
    moving_column m = {.spin = 0.0L};
    long double from[3];
    long double turn[3];
    tqt_cross(omega, column->linear, m.linear);
    tqt_cross(omega, column->angular, m.angular);
    for (int i = 0; i < 3; i++) {
        from[i] = child->p[i] - child->com[i];
    }
    tqt_cross(child->omega, from, turn);
    for (int i = 0; i < 3; i++) {
        m.at[i] = child->com_v[i] + turn[i];
    }
    for (uint32_t k = 0; k < w->n_column; k++) {
        const tqt_column *other = &w->columns[k];
        m.spin += tqt_length(other->angular) * rate_of(w->rigid.qd, other->row);
    }
    return m;
}

/* velocity of the point x by dJ/dt, where x itself moves with x_v */
static void rate_at(const tqt_column *column, const moving_column *m, const long double x[3],
                    const long double x_v[3], long double ret[3])
{
    long double from[3];
    long double moving[3];
    long double a[3];
    long double b[3];
    for (int i = 0; i < 3; i++) {
        from[i] = x[i] - column->at[i];
        moving[i] = x_v[i] - m->at[i];
    }
    tqt_cross(m->angular, from, a);
    tqt_cross(column->angular, moving, b);
    for (int i = 0; i < 3; i++) {
        ret[i] = m->linear[i] + a[i] + b[i];
    }
}

/* one link's integral J^T dJ/dt dm. With r from the centre of mass, (a x r) . (b x (w x r)) sums to
 * (w x a) . S b, S = tr(I) / 2 - I. */
static void add_link_coriolis(const work *w, uint32_t i, uint32_t nv, tqt_sum *ret_c)
{
    const tqt_link_motion *link = &w->links[i];
    const long double mass = w->problem->model->links[i].inertia.mass;
    const long double inertia = tqt_norm(link->inertia);
    const long double half_trace = 0.5L * (link->inertia[0] + link->inertia[4] + link->inertia[8]);
    long double travel = 0.0L; /* sizes of the terms of velocities on the path to this link */
    for (uint32_t k = 0; k < w->n_column; k++) {
        const tqt_column *c = &w->columns[k];
        travel += (tqt_length(c->linear) + tqt_length(c->angular) * arm(c, link->com)) *
                  rate_of(w->rigid.qd, c->row);
    }
    for (uint32_t b = 0; b < w->n_column; b++) {
        const tqt_column *two = &w->columns[b];
        const moving_column moving = rates_of(w, two);
        long double d[3];
        long double bent[3];
        long double second[3];
        rate_at(two, &moving, link->com, link->com_v, d);
        tqt_rotate(link->inertia, moving.angular, bent);
        tqt_rotate(link->inertia, two->angular, second);
        for (int k = 0; k < 3; k++) {
            second[k] = half_trace * two->angular[k] - second[k];
        }
        const long double turn = tqt_length(two->angular);
        const long double d_terms =
            moving.spin * (tqt_length(two->linear) + 2.0L * turn * arm(two, link->com)) +
            turn * travel;
        for (uint32_t a = 0; a < w->n_column; a++) {
            const tqt_column *one = &w->columns[a];
            const long double about = tqt_length(one->angular);
            const long double reach = tqt_length(one->linear) + about * arm(one, link->com);
            long double v[3];
            long double twisted[3];
            velocity_at(one, link->com, v);
            tqt_cross(link->omega, one->angular, twisted);
            add(&ret_c[one->row * nv + two->row],
                mass * tqt_dot(v, d) + tqt_dot(one->angular, bent) + tqt_dot(twisted, second),
                mass * reach * d_terms + 2.0L * inertia * about * turn * moving.spin);
        }
    }
}

void tqt_coriolis_matrix(const tq_model *model, const double *q, const double *qd, tqt_sum *ret_c)
{
    const tqt_problem moving = {.model = model, .state = {.q = q, .qd = qd}};
    work w = begin(&moving);
    for (size_t k = 0; k < (size_t)model->nv * model->nv; k++) {
        ret_c[k] = (tqt_sum){0.0L, 0.0L};
    }
    for (uint32_t i = 0; i < model->n_link; i++) {
        w.n_column = tqt_columns(model, w.links, i, w.columns);
        add_link_coriolis(&w, i, model->nv, ret_c);
    }
    end(&w);
}

/* true if `link` is the child of `joint`, or a descendant of it */
static int is_beyond(const tq_model *model, uint32_t joint, uint32_t link)
{
    while (model->links[link].joint != joint && model->links[link].joint != TQ_NONE) {
        link = model->joints[model->links[link].joint].parent;
    }
    return model->links[link].joint == joint;
}

/* the load, moved to the point `at` */
static void add_wrench(const load *on, const long double at[3], tqt_sum world[6])
{
    long double from[3];
    long double moment[3];
    for (int k = 0; k < 3; k++) {
        from[k] = on->at[k] - at[k];
    }
    tqt_cross(from, on->force, moment);
    for (int k = 0; k < 3; k++) {
        add(&world[k], on->force[k], on->force_terms);
        add(&world[3 + k], moment[k] + on->moment[k],
            tqt_length(from) * on->force_terms + on->moment_terms);
    }
}

/* expressed along the axes of `link`; the sizes of terms do not change */
static void turn_wrench(const tqt_link_motion *link, const tqt_sum world[6], tqt_sum ret_wrench[6])
{
    for (int k = 0; k < 6; k++) {
        const tqt_sum *half = &world[k / 3 * 3];
        ret_wrench[k].value = 0.0L;
        ret_wrench[k].terms = half->terms;
        for (int i = 0; i < 3; i++) {
            ret_wrench[k].value += link->r[3 * i + k % 3] * half[i].value;
        }
    }
}

void tqt_joint_wrench(const tqt_problem *problem, uint32_t joint, tqt_sum ret_wrench[6])
{
    const tq_model *model = problem->model;
    work w = begin(problem);
    const uint32_t child = joint == TQ_NONE ? model->root : model->joints[joint].child;
    const long double *at = w.links[child].p;
    tqt_sum world[6] = {{0.0L, 0.0L}};
    for (uint32_t i = 0; i < model->n_link; i++) {
        if (is_beyond(model, joint, i)) {
            w.n_column = tqt_columns(model, w.links, i, w.columns);
            const load on = inertial_load(&w, i);
            add_wrench(&on, at, world);
        }
    }
    const int external = (problem->without & TQ_WITHOUT_EXTERNAL) == 0;
    for (size_t i = 0; external && i < problem->n_wrench; i++) {
        if (is_beyond(model, joint, problem->wrenches[i].link)) {
            const load on = external_load(&w, &problem->wrenches[i]);
            add_wrench(&on, at, world);
        }
    }
    turn_wrench(&w.links[child], world, ret_wrench);
    end(&w);
}

void tqt_energy(const tqt_problem *problem, long double *ret_kinetic, long double *ret_potential)
{
    const tq_model *model = problem->model;
    work w = begin(problem);
    *ret_kinetic = 0.0L;
    *ret_potential = 0.0L;
    for (uint32_t i = 0; i < model->n_link; i++) {
        const tqt_link_motion *link = &w.links[i];
        const long double mass = model->links[i].inertia.mass;
        long double momentum[3];
        if (i != model->root) {
            tqt_rotate(link->inertia, link->omega, momentum);
            *ret_kinetic +=
                0.5L * (mass * tqt_dot(link->com_v, link->com_v) + tqt_dot(link->omega, momentum));
            *ret_potential -= mass * tqt_dot(w.gravity, link->com);
        }
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (is_one_freedom(joint)) {
            const long double stretch =
                tqt_joint_q(model, joint, problem->state.q) - joint->spring.rest;
            const long double motor =
                joint->rotor.ratio * tqt_joint_rate(model, joint, problem->state.qd);
            *ret_potential += 0.5L * joint->spring.stiffness * stretch * stretch;
            *ret_kinetic += 0.5L * joint->rotor.inertia * motor * motor;
        }
    }
    end(&w);
}

double tqt_worst(const tq_model *model, const double *x, const tqt_sum *sums, size_t n)
{
    long double worst = 0.0L;
    for (size_t k = 0; k < n; k++) {
        const long double error = fabsl(x[k] - sums[k].value);
        const long double unit = DBL_EPSILON * (long double)model->n_joint * sums[k].terms;
        if (error != 0.0L && !(error <= worst * unit)) {
            worst = unit > 0.0L && error == error ? error / unit : INFINITY;
        }
    }
    return (double)worst;
}
