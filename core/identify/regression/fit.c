/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/fit.c - parts of a fit: columns, rows, terms, memory for triangles. */
#include "core/identify/regression/fit.h"

#include <float.h>
#include <string.h>

#include "core/identify/regression/fit_private.h"

enum {
    SEGMENTS_OF_ONE = 32, /* of a single experiment; several experiments have fewer each */
    SEGMENTS_LEAST = 2,
    SEGMENTS_OF_ALL = 108,
};
static const size_t triangles_max = (size_t)24 << 20; /* total of all segments, bytes */

tq_fit_options tq_fit_defaults(void)
{
    return (tq_fit_options){.model = {.kind = TQ_FIT_BASE,
                                      .gravity = TQ_FIT_GRAVITY_SIN_COS,
                                      .with = TQ_REGRESS_ROTOR | TQ_REGRESS_VISCOUS |
                                              TQ_REGRESS_COULOMB | TQ_REGRESS_OFFSET,
                                      .smoothing = -1.0},
                            .method = TQ_FIT_FEASIBLE,
                            .confidence = 0.95,
                            .ridge = 1e-4,
                            .entropy = 1e-5,
                            .column_noise = 3e-4,
                            .lag = 1,
                            .seed = 1};
}

static size_t parameter_count(const tq_model *model, const tq_fit_model *fit)
{
    return fit->kind == TQ_FIT_BASE ? tq_parameter_count(model, fit->with) : 0;
}

/* upper bound of the number of columns, before the base set is known */
static size_t column_bound(const tq_model *model, const tq_fit_model *fit)
{
    size_t n = 0;
    size_t extra = 0;
    if (fit->kind == TQ_FIT_PER_JOINT) {
        tq_columns_of_joints(model, fit, NULL, &n);
    }
    tq_columns_extra(model, fit, NULL, &extra);
    return parameter_count(model, fit) + n + extra;
}

static size_t even(size_t n)
{
    return n < SEGMENTS_LEAST ? (size_t)SEGMENTS_LEAST : n / 2 * 2;
}

static size_t segments_of(size_t set_size, size_t n_experiment)
{
    const size_t room = triangles_max / (set_size * sizeof(double) * n_experiment + 1);
    const size_t wanted =
        n_experiment <= 1 ? (size_t)SEGMENTS_OF_ONE : SEGMENTS_OF_ALL / (n_experiment + 1);
    const size_t most = wanted > SEGMENTS_OF_ONE ? (size_t)SEGMENTS_OF_ONE : wanted;
    return even(most < room ? most : room);
}

static tq_status check_options(const tq_model *model, const tq_fit_options *o, size_t n_experiment,
                               tq_error *reterr)
{
    if (n_experiment == 0 || model->nv == 0) {
        return tq_fail(reterr, TQ_ERR_SHAPE, n_experiment == 0 ? "n_experiment" : "nv", 0, 0.0);
    }
    if (!(o->confidence > 0.0 && o->confidence < 1.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "confidence", 0, o->confidence);
    }
    if (!(o->ridge >= 0.0 && o->ridge < DBL_MAX)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "ridge", 0, o->ridge);
    }
    if (!(o->entropy >= 0.0 && o->entropy < DBL_MAX)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "entropy", 0, o->entropy);
    }
    if (!(o->column_noise > 0.0 && o->column_noise < 1.0)) {
        return tq_fail(reterr, TQ_ERR_RANGE, "column_noise", 0, o->column_noise);
    }
    if (o->n_bootstrap > TQ_FIT_DRAWS_MAX) {
        return tq_fail(reterr, TQ_ERR_RANGE, "n_bootstrap", 0, (double)o->n_bootstrap);
    }
    if (o->lag == 0 || o->lag > TQ_FIT_LAG_MAX) {
        return tq_fail(reterr, TQ_ERR_RANGE, "lag", 0, (double)o->lag);
    }
    for (size_t k = 0; k < o->model.n_coupling; k++) {
        const tq_fit_coupling *pair = &o->model.couplings[k];
        if (pair->joint >= model->n_joint || pair->other >= model->n_joint ||
            pair->joint == pair->other || tq_joint_kind_nv(model->joints[pair->joint].kind) != 1 ||
            tq_joint_kind_nv(model->joints[pair->other].kind) != 1) {
            return tq_fail(reterr, TQ_ERR_RANGE, "coupling", k, (double)pair->joint);
        }
    }
    return tq_link_bounds_check(model, o->bounds, o->n_bound, reterr);
}

static bool is_instrumental(tq_fit_method method)
{
    return method == TQ_FIT_IV || method == TQ_FIT_FEASIBLE_IV;
}

bool tq_fit_has_instruments(const tq_fit *fit)
{
    return is_instrumental(fit->options.method);
}

static size_t own_size(const tq_model *model, const tq_fit_model *fit)
{
    const size_t p = parameter_count(model, fit);
    const size_t n = column_bound(model, fit);
    const size_t nv = model->nv;
    return tq_scratch_cost(1, sizeof(tq_fit)) + tq_scratch_cost(n, sizeof(tq_column)) +
           3 * tq_scratch_cost(p, sizeof(uint32_t)) + tq_scratch_cost(p * p, sizeof(double)) +
           tq_scratch_cost(p, sizeof(double)) + 3 * tq_scratch_cost(n, sizeof(double)) +
           tq_scratch_cost(3 * (size_t)model->n_joint, sizeof(double)) +
           tq_scratch_cost(2 * n, sizeof(tq_fit_term)) +
           tq_scratch_cost(fit->n_coupling, sizeof(tq_fit_coupling)) +
           tq_scratch_cost(nv, sizeof(tq_fit_row)) + nv * tq_scratch_cost(n, sizeof(uint32_t)) +
           nv * tq_scratch_cost(n + 1, sizeof(int64_t)) + tq_scratch_cost(nv, sizeof(double)) +
           tq_scratch_cost(nv, sizeof(bool));
}

/* upper bound of the number of columns on which one row of torque depends */
static size_t row_bound(const tq_model *model, const tq_fit_model *fit, size_t row)
{
    enum { OF_JOINT = 7 }; /* rotor, viscous, Coulomb, offset, stiffness, Stribeck, load */
    size_t n = 3 * fit->n_coupling;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const tq_joint *joint = &model->joints[k];
        const size_t nv = tq_joint_kind_nv(joint->kind);
        n += row >= joint->v_index && row < joint->v_index + nv ? (size_t)OF_JOINT : 0;
        n += tq_row_moves_link(model, row, joint->child) ? (size_t)TQ_PARAMETERS_OF_LINK : 0;
    }
    return n;
}

/* upper bound of set_size */
static size_t set_bound(const tq_model *model, const tq_fit_options *options)
{
    const size_t most = column_bound(model, &options->model);
    size_t sum = 0;
    for (size_t r = 0; r < model->nv; r++) {
        const size_t own =
            options->model.kind == TQ_FIT_BASE ? row_bound(model, &options->model, r) : most;
        const size_t n = own < most ? own : most;
        const size_t width = (is_instrumental(options->method) ? 2 * n : n) + 1;
        sum += width * width;
    }
    return sum;
}

/* for a fit whose rows' triangles have `set` doubles */
static size_t size_for(const tq_model *model, const tq_fit_options *options, size_t n_experiment,
                       size_t set)
{
    const size_t each = segments_of(1, n_experiment) * set; /* number of segments as if memory were
                                                               unlimited */
    const size_t all = n_experiment * each * sizeof(double);
    const size_t least = n_experiment * SEGMENTS_LEAST * set * sizeof(double);
    const size_t most = triangles_max > least ? triangles_max : least;
    const size_t search =
        options->model.kind == TQ_FIT_BASE ? tq_base_scratch_size(model, options->model.with) : 0;
    return own_size(model, &options->model) + search +
           tq_scratch_cost(options->n_bound, sizeof(tq_link_bounds)) +
           tq_scratch_cost(n_experiment, sizeof(tq_fit_experiment)) + (all < most ? all : most) +
           n_experiment * (TQ_SCRATCH_ALIGN +
                           tq_scratch_cost(model->nv, sizeof(tq_high_frequency_inertia_sums)));
}

size_t tq_fit_size(const tq_mechanism *mechanism, const tq_fit_options *options,
                   size_t n_experiment)
{
    return size_for(&mechanism->model, options, n_experiment,
                    set_bound(&mechanism->model, options));
}

size_t tq_fit_size_like(const tq_fit *fit, size_t n_experiment)
{
    return size_for(&fit->mechanism->model, &fit->options, n_experiment, fit->set_size);
}

static bool copy_bounds(tq_fit *fit, const tq_fit_options *options, tq_scratch *memory)
{
    tq_link_bounds *bounds = tq_scratch_take(memory, options->n_bound, sizeof *bounds);
    for (size_t k = 0; bounds != NULL && k < options->n_bound; k++) {
        bounds[k] = tq_link_bounds_widened(&options->bounds[k]);
    }
    fit->options.bounds = bounds;
    return bounds != NULL;
}

static tq_status take_arrays(tq_fit *fit, const tq_fit_options *options, tq_scratch *memory,
                             tq_error *reterr)
{
    const tq_model *model = &fit->mechanism->model;
    const size_t p = fit->n_parameter;
    const size_t n = column_bound(model, &options->model);
    double *prior = tq_scratch_take(memory, p, sizeof *prior);
    tq_fit_coupling *couplings =
        tq_scratch_take(memory, options->model.n_coupling, sizeof *couplings);
    bool *used = tq_scratch_take(memory, fit->n_row, sizeof *used);
    fit->columns = tq_scratch_take(memory, n, sizeof *fit->columns);
    fit->base.independent = tq_scratch_take(memory, p, sizeof(uint32_t));
    fit->base.dependent = tq_scratch_take(memory, p, sizeof(uint32_t));
    fit->base.without = tq_scratch_take(memory, p, sizeof(uint32_t));
    fit->base.k = tq_scratch_take(memory, p * p, sizeof(double));
    fit->nominal = tq_scratch_take(memory, n, sizeof(double));
    fit->huber = tq_scratch_take(memory, n, sizeof(double));
    fit->load = tq_scratch_take(memory, n, sizeof(double));
    fit->speed = tq_scratch_take(memory, 3 * (size_t)model->n_joint, sizeof(double));
    fit->terms = tq_scratch_take(memory, 2 * n, sizeof *fit->terms);
    fit->rows = tq_scratch_take(memory, fit->n_row, sizeof *fit->rows);
    fit->weight = tq_scratch_take(memory, fit->n_row, sizeof(double));
    if (prior == NULL || couplings == NULL || used == NULL || fit->columns == NULL ||
        fit->base.independent == NULL || fit->base.dependent == NULL || fit->base.without == NULL ||
        fit->base.k == NULL || fit->nominal == NULL || fit->huber == NULL || fit->load == NULL ||
        fit->speed == NULL || fit->terms == NULL || fit->rows == NULL || fit->weight == NULL ||
        !copy_bounds(fit, options, memory)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0,
                       (double)tq_fit_size(fit->mechanism, options, fit->n_experiment));
    }
    if (options->prior != NULL) {
        memcpy(prior, options->prior, p * sizeof *prior);
    } else if (p > 0) {
        tq_parameter_values(model, options->model.with, prior);
    }
    if (options->model.n_coupling > 0) {
        memcpy(couplings, options->model.couplings, options->model.n_coupling * sizeof *couplings);
    }
    fit->best = fit->speed + model->n_joint;
    fit->best_left = fit->best + model->n_joint;
    tq_speeds_start(fit);
    fit->options.prior = prior;
    fit->options.model.couplings = couplings;
    for (size_t r = 0; r < fit->n_row; r++) {
        used[r] = options->model.row_is_used == NULL || options->model.row_is_used[r];
    }
    fit->options.model.row_is_used = used;
    return TQ_OK;
}

static tq_status describe_columns(tq_fit *fit, tq_scratch *memory, tq_error *reterr)
{
    const tq_model *model = &fit->mechanism->model;
    const tq_fit_model *what = &fit->options.model;
    if (what->kind == TQ_FIT_BASE) {
        const tq_base_options options = {.seed = fit->options.seed,
                                         .row_is_used = what->row_is_used,
                                         .stop = fit->options.stop,
                                         .stop_ctx = fit->options.stop_ctx};
        const tq_status status =
            tq_base_find(model, what->with, &options, memory, &fit->base, reterr);
        if (status != TQ_OK) {
            return status;
        }
        const size_t mark = tq_scratch_mark(memory);
        tq_parameter *list = tq_scratch_take(memory, fit->n_parameter, sizeof *list);
        if (list == NULL) {
            return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, 0.0);
        }
        tq_parameter_list(model, what->with, list);
        for (size_t b = 0; b < fit->base.n_base; b++) {
            fit->columns[b] = (tq_column){TQ_COLUMN_PARAMETER, list[fit->base.independent[b]],
                                          TQ_NONE, TQ_NONE, TQ_NONE};
        }
        tq_scratch_rewind(memory, mark);
        fit->n_column = fit->base.n_base;
    } else {
        fit->base.n_parameter = fit->base.n_base = 0;
        fit->base.n_dependent = fit->base.n_without = 0;
        tq_columns_of_joints(model, what, fit->columns, &fit->n_column);
    }
    size_t extra = 0;
    tq_columns_extra(model, what, fit->columns + fit->n_column, &extra);
    fit->n_column += extra;
    tq_terms_of_columns(model, fit->columns, fit->n_column, fit->terms, &fit->n_term);
    fit->n_friction_row = 0;
    for (size_t t = 0; t < fit->n_term; t++) {
        tq_fit_term *term = &fit->terms[t];
        if (term->kind == TQ_COLUMN_STRIBECK || term->kind == TQ_COLUMN_COUPLED_COULOMB ||
            tq_column_is_gain(term->kind)) {
            term->friction_row = (uint32_t)fit->n_friction_row++;
        }
    }
    return TQ_OK;
}

/* offset of a column in a run's values if the row depends on it, else -1 */
static int64_t entry_of(const tq_fit *fit, size_t row, size_t column)
{
    const tq_column *c = &fit->columns[column];
    if (!fit->options.model.row_is_used[row]) {
        return -1;
    }
    if (c->kind == TQ_COLUMN_PARAMETER && c->parameter.link != TQ_NONE) {
        if (!tq_row_moves_link(&fit->mechanism->model, row, c->parameter.link)) {
            return -1;
        }
        return (int64_t)((row * fit->n_link_column + fit->base.independent[column]) * TQ_FOLD_RUN);
    }
    for (size_t t = 0; t < fit->n_term; t++) {
        if (fit->terms[t].column == column && fit->terms[t].row == row) {
            return (int64_t)((fit->n_row * fit->n_link_column + t) * TQ_FOLD_RUN);
        }
    }
    return -1;
}

static tq_status describe_rows(tq_fit *fit, tq_scratch *memory, tq_error *reterr)
{
    const tq_model *model = &fit->mechanism->model;
    fit->set_size = 0;
    for (size_t r = 0; r < fit->n_row; r++) {
        tq_fit_row *row = &fit->rows[r];
        *row = (tq_fit_row){.triangle = fit->set_size, .coordinate = TQ_NONE};
        for (uint32_t j = 0; j < model->n_joint; j++) {
            if (model->joints[j].nv == 1 && model->joints[j].v_index == r) {
                row->coordinate = model->joints[j].q_index;
            }
        }
        row->column = tq_scratch_take(memory, fit->n_column, sizeof *row->column);
        row->offset = tq_scratch_take(memory, fit->n_column + 1, sizeof *row->offset);
        if (row->column == NULL || row->offset == NULL) {
            return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, 0.0);
        }
        for (size_t c = 0; c < fit->n_column; c++) {
            const int64_t at = entry_of(fit, r, c);
            if (at >= 0) {
                row->column[row->n] = (uint32_t)c;
                row->offset[row->n++] = at;
            }
        }
        row->offset[row->n] =
            (int64_t)((fit->n_row * fit->n_link_column + fit->n_term + r) * TQ_FOLD_RUN);
        row->first = tq_fit_has_instruments(fit) ? row->n : 0;
        row->width = row->first + row->n + 1;
        fit->set_size += row->width * row->width;
        fit->weight[r] = 1.0;
    }
    fit->run_rows = fit->n_row * fit->n_link_column + fit->n_term + fit->n_row;
    return TQ_OK;
}

static tq_status build(tq_fit *fit, const tq_fit_options *options, tq_scratch *memory,
                       tq_error *reterr)
{
    tq_status status = take_arrays(fit, options, memory, reterr);
    if (status == TQ_OK) {
        status = describe_columns(fit, memory, reterr);
    }
    if (status == TQ_OK) {
        tq_nominal_sizes(fit);
        status = describe_rows(fit, memory, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    fit->segment_max = segments_of(fit->set_size, fit->n_experiment);
    fit->experiments = tq_scratch_take(memory, fit->n_experiment, sizeof *fit->experiments);
    for (size_t e = 0; fit->experiments != NULL && e < fit->n_experiment; e++) {
        fit->experiments[e] = (tq_fit_experiment){
            .sets = tq_scratch_take(memory, fit->segment_max * fit->set_size, sizeof(double)),
            .fast = tq_scratch_take(memory, fit->n_row, sizeof(tq_high_frequency_inertia_sums))};
        if (fit->experiments[e].fast != NULL) {
            memset(fit->experiments[e].fast, 0,
                   fit->n_row * sizeof(tq_high_frequency_inertia_sums));
        }
        if (fit->experiments[e].sets == NULL || fit->experiments[e].fast == NULL) {
            return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0,
                           (double)tq_fit_size(fit->mechanism, options, fit->n_experiment));
        }
    }
    return fit->experiments != NULL
               ? TQ_OK
               : tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0, (double)fit->n_experiment);
}

tq_status tq_fit_build(const tq_mechanism *mechanism, const tq_fit_options *options,
                       size_t n_experiment, tq_scratch *memory, tq_fit **ret_fit, tq_error *reterr)
{
    tq_status status = check_options(&mechanism->model, options, n_experiment, reterr);
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(memory);
    tq_fit *fit = tq_scratch_take(memory, 1, sizeof *fit);
    if (fit == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "memory", 0,
                       (double)tq_fit_size(mechanism, options, n_experiment));
    }
    const bool whole = options->model.kind == TQ_FIT_BASE;
    *fit = (tq_fit){.mechanism = mechanism,
                    .options = *options,
                    .n_row = mechanism->model.nv,
                    .n_link_column =
                        whole ? (size_t)TQ_PARAMETERS_OF_LINK * mechanism->model.n_joint : 0,
                    .n_parameter = parameter_count(&mechanism->model, &options->model),
                    .n_experiment = n_experiment};
    status = build(fit, options, memory, reterr);
    if (status != TQ_OK) {
        tq_scratch_rewind(memory, mark);
        return status;
    }
    *ret_fit = fit;
    return TQ_OK;
}

bool tq_fit_uses_row(const tq_fit *fit, size_t r)
{
    return fit->options.model.row_is_used[r];
}

const tq_column *tq_fit_columns(const tq_fit *fit, size_t *ret_n_column)
{
    *ret_n_column = fit->n_column;
    return fit->columns;
}

const tq_base_set *tq_fit_base(const tq_fit *fit)
{
    return fit->options.model.kind == TQ_FIT_BASE ? &fit->base : NULL;
}

size_t tq_fit_value_count(const tq_fit *fit)
{
    return fit->n_column + 2 * fit->n_row;
}
