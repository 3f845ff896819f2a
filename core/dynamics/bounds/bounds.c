/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/bounds/bounds.c - branch and bound on the eigenvalues of M with Lipschitz
 * constants. */
#include "core/dynamics/bounds/bounds.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/bounds/bounds_relative.h"
#include "core/dynamics/lagrangian.h"
#include "core/linalg/dense.h"
#include "core/model/inertia.h"

enum { RELATIVE_MAX = 512 }; /* number of matrices with a relative bound, the first ones */

typedef struct search {
    const tq_model *model;
    tq_scratch *scratch;
    double *lower, *upper; /* (nq), finite */
    double *lipschitz;     /* (nq) of M in norm */
    double *m, *values;    /* (nv x nv), (nv) */
    double *cells; /* (n_room x CELL): centre, half-widths; the two extreme eigenvalues of M at
                      the centre; relative change over the cell and its dominant coordinate;
                      bounds inherited from the parent cell */
    tq_relative relative;
    bool has_relative;
    double *best[2], *trial;       /* (nq) where the extreme eigenvalues were found */
    double attained[2], bound[2];  /* smallest, largest */
    double anywhere[2];            /* bounds valid at every q, independent of the cells */
    size_t n_cell, n_room, n_done; /* matrices computed */
} search;

static size_t cell_size(const tq_model *model)
{
    return 2 * (size_t)model->nq + 6;
}

double tq_eigen_bounds_work(const tq_model *model)
{
    double work = 0.0;
    for (uint32_t link = 0; link < model->n_link; link++) {
        double depth = 0.0;
        for (uint32_t j = model->links[link].joint; j != TQ_NONE; j = tq_parent_joint(model, j)) {
            depth += 1.0;
        }
        work += depth * depth * depth;
    }
    return work;
}

size_t tq_eigen_bounds_scratch_size(const tq_model *model, size_t n_max)
{
    const size_t nq = model->nq, nv = model->nv;
    const size_t inner = tq_configuration_scratch_size(model) + tq_lagrangian_scratch_size(model) +
                         tq_eigen_symmetric_scratch_size(nv);
    return 6 * tq_scratch_cost(nq, sizeof(double)) + tq_scratch_cost(nv, sizeof(double)) +
           tq_scratch_cost(nv * nv, sizeof(double)) +
           tq_scratch_cost((n_max + 1) * cell_size(model), sizeof(double)) +
           tq_scratch_cost((size_t)model->n_joint, sizeof(double)) +
           tq_relative_scratch_size(model) + inner;
}

/* ------------------------------------------------------------------------------------------------
 * Lipschitz constants
 */

/* Bound on the change by q_k of m Jv_a . Jv_b + Jw_a . I Jw_b of one link. a and k are ancestors of
 * the link, k is a descendant of a; b is a or a descendant of it. */
static double entry_slope_max(const tq_model *model, const tq_inertia *inertia, double moment,
                              const double *arm, uint32_t a, uint32_t b, uint32_t k,
                              bool b_beyond_k)
{
    const bool turn_a = !tq_is_slide(&model->joints[a]);
    const bool turn_b = !tq_is_slide(&model->joints[b]);
    const bool turn_k = !tq_is_slide(&model->joints[k]);
    /* Jv by a joint before k changes as the point moves; Jv by a joint after k changes as it
     * rotates */
    const double slope_a = turn_a ? arm[k] : 0.0;
    double slope_b = turn_b ? arm[k] : 0.0;
    if (b_beyond_k) {
        slope_b = turn_k ? arm[b] : 0.0;
    } else if (b == k) {
        slope_b = turn_k ? arm[k] : 0.0;
    }
    double most = inertia->mass * (slope_a * arm[b] + arm[a] * slope_b);
    if (turn_a && turn_b && turn_k) {
        most += moment;
    }
    return most;
}

/* joints between a link and the root */
static double depth_of(const tq_model *model, uint32_t link)
{
    double depth = 0.0;
    for (uint32_t j = model->links[link].joint; j != TQ_NONE; j = tq_parent_joint(model, j)) {
        depth += 1.0;
    }
    return depth;
}

/* adds one link's contribution to the bounds on |dM/dq_row|, in s->m */
static tq_status add_changes(const search *s, uint32_t link, uint32_t row, const double *arm,
                             tq_error *reterr)
{
    const tq_model *model = s->model;
    const tq_inertia *inertia = &model->links[link].inertia;
    double principal[3], axes[9];
    tq_symmetric_eigen(inertia->about_com, principal, axes);
    const double moment = fmax(fabs(principal[0]), fabs(principal[2]));
    const uint32_t tip = model->links[link].joint;
    const double depth = depth_of(model, link);
    tq_status status = tq_scratch_work(s->scratch, 10.0 * depth, reterr);
    for (uint32_t k = tip; status == TQ_OK && k != TQ_NONE; k = tq_parent_joint(model, k)) {
        if (tq_joint_kind_nv(model->joints[k].kind) == 0 || model->joints[k].v_index != row) {
            continue;
        }
        status = tq_scratch_work(s->scratch, 10.0 * depth * depth, reterr);
        bool b_beyond_k = true;
        for (uint32_t b = tip; b != TQ_NONE; b = tq_parent_joint(model, b)) {
            b_beyond_k = b_beyond_k && b != k;
            if (tq_joint_kind_nv(model->joints[b].kind) == 0) {
                continue;
            }
            /* joints a before k, and not after b */
            bool below = false, at_b = false;
            for (uint32_t a = tip; a != TQ_NONE; a = tq_parent_joint(model, a)) {
                at_b = at_b || a == b;
                if (tq_joint_kind_nv(model->joints[a].kind) != 0 && below && at_b) {
                    const double scale = tq_mimic_factor(&model->joints[k]) *
                                         tq_mimic_factor(&model->joints[a]) *
                                         tq_mimic_factor(&model->joints[b]);
                    const double most =
                        scale * entry_slope_max(model, inertia, moment, arm, a, b, k, b_beyond_k);
                    const size_t ra = model->joints[a].v_index, rb = model->joints[b].v_index;
                    s->m[ra * model->nv + rb] += most;
                    if (a != b) {
                        s->m[rb * model->nv + ra] += most;
                    }
                }
                below = below || a == k;
            }
        }
    }
    return status;
}

static tq_status find_lipschitz(const search *s, double *arm, tq_error *reterr)
{
    const tq_model *model = s->model;
    const size_t nv = model->nv;
    for (uint32_t row = 0; row < nv; row++) {
        memset(s->m, 0, nv * nv * sizeof(double));
        for (uint32_t link = 0; link < model->n_link; link++) {
            tq_measure_arms(model, s->lower, s->upper, link, arm);
            const tq_status status = add_changes(s, link, row, arm, reterr);
            if (status != TQ_OK) {
                return status;
            }
        }
        /* |x . D x| <= |x| . B |x| for |D_ij| <= B_ij, so the largest eigenvalue of B bounds the
         * norm of D */
        const tq_status status =
            tq_eigenvalues_symmetric(nv, s->m, nv, s->scratch, s->values, reterr);
        if (status != TQ_OK) {
            return status;
        }
        s->lipschitz[row] = fmax(0.0, s->values[nv - 1]) * (1.0 + 1e-9);
    }
    return TQ_OK;
}

/* Adds one link's contribution to the bounds on |M_ab|: m |Jv_a| |Jv_b| + |I|; returns its least
 * principal moment. */
static double add_entries(const search *s, uint32_t link, const double *arm)
{
    const tq_model *model = s->model;
    const tq_inertia *inertia = &model->links[link].inertia;
    double principal[3], axes[9];
    tq_symmetric_eigen(inertia->about_com, principal, axes);
    const double moment = fmax(fabs(principal[0]), fabs(principal[2]));
    for (uint32_t a = model->links[link].joint; a != TQ_NONE; a = tq_parent_joint(model, a)) {
        const tq_joint *one = &model->joints[a];
        for (uint32_t b = model->links[link].joint; b != TQ_NONE; b = tq_parent_joint(model, b)) {
            const tq_joint *other = &model->joints[b];
            if (tq_joint_kind_nv(one->kind) == 0 || tq_joint_kind_nv(other->kind) == 0) {
                continue;
            }
            const bool turn = !tq_is_slide(one) && !tq_is_slide(other);
            const double most = inertia->mass * arm[a] * arm[b] + (turn ? moment : 0.0);
            s->m[one->v_index * (size_t)model->nv + other->v_index] +=
                tq_mimic_factor(one) * tq_mimic_factor(other) * most;
        }
    }
    return principal[0] + 1e-12 * moment; /* tolerates rounding in a zero moment */
}

/* Global bounds without cells: the largest eigenvalue of M is at most that of the bounds on its
 * entries; if no link's inertia is negative, M without rotors is positive semidefinite and the
 * smallest eigenvalue of M is at least the least rotor inertia. */
static tq_status find_anywhere(search *s, double *arm, tq_error *reterr)
{
    const tq_model *model = s->model;
    const size_t nv = model->nv;
    bool positive = true; /* every link's inertia */
    memset(s->m, 0, nv * nv * sizeof(double));
    memset(s->values, 0, nv * sizeof(double));
    for (uint32_t link = 0; link < model->n_link; link++) {
        const double depth = depth_of(model, link);
        const tq_status status = tq_scratch_work(s->scratch, 10.0 * depth * depth, reterr);
        if (status != TQ_OK) {
            return status;
        }
        tq_measure_arms(model, s->lower, s->upper, link, arm);
        positive =
            fmin(add_entries(s, link, arm), s->model->links[link].inertia.mass) >= 0.0 && positive;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) != 0) {
            const double turns = joint->rotor.ratio * tq_mimic_factor(joint);
            for (uint32_t r = 0; r < tq_joint_kind_nv(joint->kind); r++) {
                s->values[joint->v_index + r] += turns * turns * joint->rotor.inertia;
            }
        }
    }
    double least = HUGE_VAL;
    for (size_t k = 0; k < nv; k++) {
        least = fmin(least, s->values[k]);
        s->m[k * nv + k] += s->values[k];
    }
    const tq_status status = tq_eigenvalues_symmetric(nv, s->m, nv, s->scratch, s->values, reterr);
    s->anywhere[0] = positive ? least * (1.0 - 1e-9) : -HUGE_VAL;
    s->anywhere[1] = s->values[nv - 1] * (1.0 + 1e-9);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Search
 */

/* Eigenvalues at q; with half-widths, and while affordable, also the relative change over them, in
 * ret_values[2] and [3], which otherwise keep their values. */
static tq_status evaluate(search *s, const double *q, const double *half, double *ret_values,
                          tq_error *reterr)
{
    const tq_model *model = s->model;
    const size_t mark = tq_scratch_mark(s->scratch);
    tq_configuration posture;
    const double n = (double)model->n_joint, nv = (double)model->nv;
    tq_status status = tq_scratch_work(s->scratch, 100.0 * n * n + 2.0 * nv * nv * nv, reterr);
    if (status == TQ_OK) {
        status = tq_configuration_compute(model, q, NULL, s->scratch, &posture, reterr);
    }
    if (status == TQ_OK) {
        status = tq_lagrangian_mass_matrix(&posture, s->scratch, s->m, reterr);
    }
    const bool relative = half != NULL && s->has_relative && s->n_done < RELATIVE_MAX;
    if (status == TQ_OK) {
        status = (relative ? tq_eigen_symmetric : tq_eigenvalues_symmetric)(
            model->nv, s->m, model->nv, s->scratch, s->values, reterr);
    }
    if (status == TQ_OK && relative) {
        status = tq_relative_change(&s->relative, &posture, s->values, s->m, half, s->scratch,
                                    &ret_values[2], reterr);
    }
    tq_scratch_rewind(s->scratch, mark);
    if (status != TQ_OK) {
        return status;
    }
    s->n_done++;
    ret_values[0] = s->values[0];
    ret_values[1] = s->values[model->nv - 1];
    for (unsigned side = 0; side < 2; side++) {
        const bool better =
            side == 0 ? ret_values[0] < s->attained[0] : ret_values[1] > s->attained[1];
        if (better) {
            s->attained[side] = ret_values[side];
            memcpy(s->best[side], q, model->nq * sizeof(double));
        }
    }
    return TQ_OK;
}

static double *cell(const search *s, size_t number)
{
    return s->cells + number * cell_size(s->model);
}

/* Bound of a cell, below its smallest (side 0) or above its largest eigenvalue: the better of the
 * Lipschitz bound and the relative bound about the centre, and of the inherited one. */
static double bound_of(const search *s, const double *c, unsigned side)
{
    const size_t nq = s->model->nq;
    const double *values = c + 2 * nq;
    double spread = 0.0;
    for (size_t k = 0; k < nq; k++) {
        spread += s->lipschitz[k] * c[nq + k];
    }
    const double own = values[side] - (side == 0 ? spread : -spread);
    const double change = values[2] * fabs(values[side]);
    return side == 0 ? fmax(fmax(own, values[0] - change), values[4])
                     : fmin(fmin(own, values[1] + change), values[5]);
}

/* the cell with the worst bound, lowest (side 0) or highest (side 1); sets s->bound */
static size_t worst_cell(search *s, unsigned side)
{
    size_t worst = 0;
    for (size_t n = 0; n < s->n_cell; n++) {
        const double *c = cell(s, n);
        const double bound = bound_of(s, c, side);
        if (n == 0 || (side == 0 ? bound < s->bound[0] : bound > s->bound[1])) {
            s->bound[side] = bound;
            worst = n;
        }
    }
    return worst;
}

/* the dominant coordinate: of the relative bound where it is below 1, else of the Lipschitz bound
 */
static size_t widest(const search *s, const double *c)
{
    const size_t nq = s->model->nq;
    size_t along = 0;
    if (c[2 * nq + 2] < 1.0) {
        return (size_t)c[2 * nq + 3];
    }
    for (size_t k = 1; k < nq; k++) {
        if (s->lipschitz[k] * c[nq + k] > s->lipschitz[along] * c[nq + along]) {
            along = k;
        }
    }
    return along;
}

static tq_status split(search *s, size_t number, tq_error *reterr)
{
    const size_t nq = s->model->nq;
    double *one = cell(s, number), *other = cell(s, s->n_cell++);
    const size_t along = widest(s, one);
    const double inherited[2] = {bound_of(s, one, 0), bound_of(s, one, 1)};
    memcpy(one + 2 * nq + 4, inherited, sizeof inherited);
    one[2 * nq + 2] = HUGE_VAL; /* valid for the whole cell about its centre only */
    memcpy(other, one, cell_size(s->model) * sizeof(double));
    one[nq + along] = other[nq + along] = 0.5 * one[nq + along];
    one[along] -= one[nq + along];
    other[along] += other[nq + along];
    const tq_status status = evaluate(s, one, one + nq, one + 2 * nq, reterr);
    return status == TQ_OK ? evaluate(s, other, other + nq, other + 2 * nq, reterr) : status;
}

static tq_status subdivide(search *s, size_t n_max, tq_error *reterr)
{
    const double gap_tolerance = 0.01;
    while (s->n_done + 2 <= n_max && s->n_cell < s->n_room) {
        const size_t low = worst_cell(s, 0), high = worst_cell(s, 1);
        const double gap_low = (s->attained[0] - s->bound[0]) / fabs(s->attained[0]);
        const double gap_high = (s->bound[1] - s->attained[1]) / fabs(s->attained[1]);
        if (!(gap_low > gap_tolerance) && !(gap_high > gap_tolerance)) {
            break;
        }
        const tq_status status = split(s, gap_low > gap_high ? low : high, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    (void)worst_cell(s, 0);
    (void)worst_cell(s, 1);
    return TQ_OK;
}

/* coordinate search from the best point; steps are halved each round */
static tq_status improve(search *s, unsigned side, size_t n_max, tq_error *reterr)
{
    const size_t nq = s->model->nq;
    const size_t last = s->n_done + n_max;
    double values[2];
    double step = 0.5;
    for (unsigned round = 0; round < 18 && s->n_done < last; round++) {
        step *= 0.5;
        for (size_t k = 0; k < nq; k++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                memcpy(s->trial, s->best[side], nq * sizeof(double));
                const double width = s->upper[k] - s->lower[k];
                const double x = s->trial[k] + sign * step * width;
                s->trial[k] = fmin(fmax(x, s->lower[k]), s->upper[k]);
                if (s->trial[k] == s->best[side][k]) {
                    continue;
                }
                const tq_status status = evaluate(s, s->trial, NULL, values, reterr);
                if (status != TQ_OK) {
                    return status;
                }
            }
        }
    }
    return TQ_OK;
}

static bool is_followed(const tq_model *model, uint32_t joint)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].mimic == joint) {
            return true;
        }
    }
    return false;
}

/* finite ranges; *ret_joint: a joint whose range cannot be made finite without loss */
static tq_status cut_ranges(search *s, const double *lower, const double *upper,
                            uint32_t *ret_joint, tq_error *reterr)
{
    const tq_model *model = s->model;
    *ret_joint = TQ_NONE;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const uint32_t k = joint->q_index;
        if (tq_joint_kind_nv(joint->kind) > 1) {
            return tq_fail(reterr, TQ_ERR_RANGE, "box", j, 0.0);
        }
        if (joint->nq == 0) {
            continue;
        }
        s->lower[k] = lower[k];
        s->upper[k] = upper[k];
        if (isfinite(lower[k]) && isfinite(upper[k])) {
            continue;
        }
        /* an angle is periodic, unless a mimic joint multiplies it */
        const double reach = tq_is_slide(joint) ? 1.0 : M_PI;
        s->lower[k] =
            isfinite(lower[k]) ? lower[k] : (isfinite(upper[k]) ? upper[k] - 2 * reach : -reach);
        s->upper[k] = isfinite(upper[k]) ? upper[k] : s->lower[k] + 2 * reach;
        if (tq_is_slide(joint) || is_followed(model, j)) {
            *ret_joint = j;
        }
    }
    return TQ_OK;
}

static bool take_search(const tq_model *model, size_t n_max, tq_scratch *scratch, search *s)
{
    const size_t nq = model->nq, nv = model->nv;
    *s = (search){.model = model, .scratch = scratch, .n_room = n_max + 1};
    double **rows[] = {&s->lower, &s->upper, &s->lipschitz, &s->best[0], &s->best[1], &s->trial};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        *rows[k] = tq_scratch_take(scratch, nq, sizeof(double));
        if (*rows[k] == NULL) {
            return false;
        }
    }
    s->values = tq_scratch_take(scratch, nv, sizeof(double));
    s->m = tq_scratch_take(scratch, nv * nv, sizeof(double));
    s->cells = tq_scratch_take(scratch, s->n_room * cell_size(model), sizeof(double));
    s->attained[0] = HUGE_VAL;
    s->attained[1] = -HUGE_VAL;
    return s->values != NULL && s->m != NULL && s->cells != NULL;
}

static tq_status search_box(search *s, size_t n_max, double *arm, tq_error *reterr)
{
    const size_t nq = s->model->nq;
    double *first = cell(s, 0);
    for (size_t k = 0; k < nq; k++) {
        first[k] = 0.5 * (s->lower[k] + s->upper[k]);
        first[nq + k] = 0.5 * (s->upper[k] - s->lower[k]);
    }
    first[2 * nq + 2] = first[2 * nq + 5] = HUGE_VAL;
    first[2 * nq + 4] = -HUGE_VAL;
    s->n_cell = 1;
    tq_status status = find_lipschitz(s, arm, reterr);
    if (status == TQ_OK) {
        status = find_anywhere(s, arm, reterr);
    }
    if (status == TQ_OK) {
        s->has_relative =
            tq_relative_is_affordable(s->model) &&
            tq_relative_init(&s->relative, s->model, s->lower, s->upper, arm, s->scratch);
        status = evaluate(s, first, first + nq, first + 2 * nq, reterr);
    }
    if (status == TQ_OK) {
        status = subdivide(s, n_max, reterr);
    }
    for (unsigned side = 0; side < 2 && status == TQ_OK; side++) {
        status = improve(s, side, n_max, reterr);
    }
    return status;
}

tq_status tq_mass_matrix_eigen_bounds(const tq_model *model, const double *lower,
                                      const double *upper, size_t n_max, tq_scratch *scratch,
                                      tq_eigen_bounds *ret_bounds, tq_error *reterr)
{
    *ret_bounds = (tq_eigen_bounds){.bounded = true, .joint = TQ_NONE};
    if (model->nv == 0) {
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    search s;
    double *arm = NULL;
    if (take_search(model, n_max, scratch, &s)) {
        arm = tq_scratch_take(scratch, model->n_joint, sizeof *arm);
    }
    if (arm == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_eigen_bounds_scratch_size(model, n_max));
    }
    tq_status status = cut_ranges(&s, lower, upper, &ret_bounds->joint, reterr);
    if (status == TQ_OK) {
        status = search_box(&s, n_max, arm, reterr);
    }
    if (status == TQ_OK) {
        ret_bounds->attained_smallest = s.attained[0];
        ret_bounds->attained_largest = s.attained[1];
        ret_bounds->bounded = ret_bounds->joint == TQ_NONE;
        /* rounding may move a bound past the value attained */
        ret_bounds->guaranteed_smallest = ret_bounds->bounded
                                              ? fmin(fmax(s.bound[0], s.anywhere[0]), s.attained[0])
                                              : (double)NAN;
        ret_bounds->guaranteed_largest = ret_bounds->bounded
                                             ? fmax(fmin(s.bound[1], s.anywhere[1]), s.attained[1])
                                             : (double)NAN;
        ret_bounds->n_evaluated = s.n_done;
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
