/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/excitation.c - the order of a search: random motions scaled to their limits, then
 * descents or mutations. */
#include "core/excitation/excitation.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/kinematics/configuration.h"
#include "core/elementary/elementary.h"
#include "core/excitation/excitation_private.h"
#include "core/linalg/dense.h"
#include "core/plant/noise.h"

enum {
    SHAPE_POINTS = 64, /* per period of the highest harmonic, where peaks are evaluated */
    PLACE = 0,         /* genes of a joint before its harmonics: position within the remaining
                          range */
    SIZE = 1,          /* and size relative to the limits */
    FIRST_HARMONIC = 2,
};

/* between points a peak is higher by 1 - cos(pi / SHAPE_POINTS) = 0.12 % at most */
static const double margin = 0.995;
static const double least_size = 0.3;
static const double step_first = 0.5, step_least = 1e-3, step_grows = 1.5, step_shrinks = 0.9;

size_t tq_excitation_genes(const tq_excitation_task *task)
{
    return FIRST_HARMONIC + 2 * task->n_harmonic;
}

static size_t inner_size(const tq_excitation_task *task)
{
    const size_t regressor = tq_regressor_scratch_size(task->model);
    const size_t eigen = tq_eigen_symmetric_scratch_size(task->base->n_base);
    const size_t poses = task->clearance != NULL ? tq_configuration_scratch_size(task->model) : 0;
    return tq_larger(tq_larger(regressor, eigen), poses) + TQ_SCRATCH_ALIGN;
}

/* All arrays in one list: with `scratch` NULL only their sizes are added. */
static size_t lay_out(const tq_excitation_task *task, tq_scratch *scratch, tq_excitation *to)
{
    const size_t nv = task->model->nv, h = task->n_harmonic, n = task->base->n_base;
    const size_t n_recorded = task->n_recorded > 0 ? n * n : 0;
    const size_t n_geom = task->clearance != NULL ? task->clearance->n_geom : 0;
    const size_t n_z = tq_descent_variables(task);
    struct tq_excitation_room none = {0};
    tq_excitation nowhere = {.room = &none};
    tq_excitation *s = to != NULL ? to : &nowhere;
    const struct {
        double **array;
        size_t n;
    } list[] = {
        {&s->room->sine, SHAPE_POINTS * h * h},
        {&s->room->cosine, SHAPE_POINTS * h * h},
        {&s->room->genes, nv * tq_excitation_genes(task)},
        {&s->room->tried, nv * tq_excitation_genes(task)},
        {&s->room->best_offset, nv},
        {&s->room->best_a, h * nv},
        {&s->room->best_b, h * nv},
        {&s->room->offset, nv},
        {&s->room->a, h * nv},
        {&s->room->b, h * nv},
        {&s->room->q, nv},
        {&s->room->qd, nv},
        {&s->room->qdd, nv},
        {&s->room->y, nv * task->base->n_parameter},
        {&s->room->row, n},
        {&s->room->normal, n * n},
        {&s->room->scaled, n * n},
        {&s->room->solved, n * n},
        {&s->room->eigenvalues, n},
        {&s->room->tau, nv},
        {&s->room->noise, nv},
        {&s->room->demand, n * n},
        {&s->room->recorded[0], n_recorded},
        {&s->room->recorded[1], n_recorded},
        {&s->room->weight, nv * task->base->n_parameter},
        {&s->room->other, nv * task->base->n_parameter},
        {&s->room->at, 3 * nv},
        {&s->room->descent.unit, n_z},
        {&s->room->descent.z, n_z},
        {&s->room->descent.slope, n_z},
        {&s->room->descent.way, n_z},
        {&s->room->descent.step, TQ_DESCENT_PAIRS * n_z},
        {&s->room->descent.change, TQ_DESCENT_PAIRS * n_z},
        {&s->room->descent.tested, n_z},
        {&s->room->descent.tested_slope, n_z},
    };
    size_t bytes = tq_scratch_cost(1, sizeof *s->room) + tq_scratch_cost(inner_size(task), 1) +
                   tq_scratch_cost(nv, sizeof(uint32_t)) + tq_scratch_cost(n_geom, sizeof(tq_pose));
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        bytes += tq_scratch_cost(list[k].n, sizeof(double));
        if (scratch != NULL) {
            *list[k].array = tq_scratch_take(scratch, list[k].n, sizeof(double));
        }
    }
    if (scratch != NULL) {
        s->room->sign = tq_scratch_take(scratch, nv, sizeof *s->room->sign);
        s->room->poses = tq_scratch_take(scratch, n_geom, sizeof *s->room->poses);
    }
    s->motion = (tq_fourier){.n_harmonic = h,
                             .n_coordinate = nv,
                             .frequency = task->frequency,
                             .offset = s->room->best_offset,
                             .a = s->room->best_a,
                             .b = s->room->best_b};
    return bytes;
}

size_t tq_excitation_scratch_size(const tq_excitation_task *task)
{
    return lay_out(task, NULL, NULL) + TQ_SCRATCH_ALIGN;
}

/* From genes to a motion within its limits */

static void make_waves(tq_excitation *search)
{
    const size_t h = search->task.n_harmonic, n = SHAPE_POINTS * h;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < h; k++) {
            /* modulo 2 pi: the index stays exact */
            const double angle = 2.0 * M_PI * (double)((k + 1) * i % n) / (double)n;
            search->room->sine[i * h + k] = tq_sin(angle);
            search->room->cosine[i * h + k] = tq_cos(angle);
        }
    }
}

/* Rest at the ends of the period: sum a_k = 0 (velocity), sum k b_k = 0 (acceleration). */
static void begin_at_rest(size_t h, double *a, double *b)
{
    double sum = 0.0, along = 0.0, length = 0.0;
    for (size_t k = 0; k < h; k++) {
        const double order = (double)(k + 1);
        sum += a[k];
        along += order * b[k];
        length += order * order;
    }
    for (size_t k = 0; k < h; k++) {
        a[k] -= sum / (double)h;
        b[k] -= (double)(k + 1) * along / length;
    }
}

/* Least and greatest position, largest velocity and acceleration of one joint's series. */
static void find_peaks(const tq_excitation *search, const double *a, const double *b, double ret[4])
{
    const size_t h = search->task.n_harmonic;
    const double w = 2.0 * M_PI * search->task.frequency;
    ret[0] = HUGE_VAL, ret[1] = -HUGE_VAL, ret[2] = 0.0, ret[3] = 0.0;
    for (size_t i = 0; i < SHAPE_POINTS * h; i++) {
        const double *sine = search->room->sine + i * h, *cosine = search->room->cosine + i * h;
        double x = 0.0, xd = 0.0, xdd = 0.0;
        for (size_t k = 0; k < h; k++) {
            const double kw = (double)(k + 1) * w;
            x += (a[k] * sine[k] - b[k] * cosine[k]) / kw;
            xd += a[k] * cosine[k] + b[k] * sine[k];
            xdd += kw * (b[k] * cosine[k] - a[k] * sine[k]);
        }
        ret[0] = fmin(ret[0], x), ret[1] = fmax(ret[1], x);
        ret[2] = fmax(ret[2], fabs(xd)), ret[3] = fmax(ret[3], fabs(xdd));
    }
}

static double clamp(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

void tq_excitation_express(tq_excitation *search)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t h = task->n_harmonic, nv = task->model->nv;
    for (size_t v = 0; v < nv; v++) {
        const double *genes = room->tried + v * tq_excitation_genes(task);
        double a[TQ_EXCITATION_HARMONICS_MAX], b[TQ_EXCITATION_HARMONICS_MAX], peak[4];
        memcpy(a, genes + FIRST_HARMONIC, h * sizeof *a);
        memcpy(b, genes + FIRST_HARMONIC + h, h * sizeof *b);
        begin_at_rest(h, a, b);
        find_peaks(search, a, b, peak);
        const double room_left = margin * (task->upper[v] - task->lower[v]);
        const double width = fmax(peak[1] - peak[0], DBL_MIN);
        double scale = room_left / width;
        scale = fmin(scale, margin * task->velocity[v] / fmax(peak[2], DBL_MIN));
        scale = fmin(scale, margin * task->acceleration[v] / fmax(peak[3], DBL_MIN));
        scale *= clamp(genes[SIZE], least_size, 1.0);
        const double least =
            task->lower[v] + 0.5 * (1.0 - margin) * (task->upper[v] - task->lower[v]);
        room->offset[v] =
            least - scale * peak[0] + clamp(genes[PLACE], 0.0, 1.0) * (room_left - scale * width);
        for (size_t k = 0; k < h; k++) {
            room->a[k * nv + v] = scale * a[k];
            room->b[k * nv + v] = scale * b[k];
        }
    }
}

void tq_excitation_fit_limits(tq_excitation *search)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t h = task->n_harmonic, nv = task->model->nv;
    for (size_t v = 0; v < nv; v++) {
        double a[TQ_EXCITATION_HARMONICS_MAX], b[TQ_EXCITATION_HARMONICS_MAX], peak[4];
        for (size_t k = 0; k < h; k++) {
            a[k] = room->a[k * nv + v], b[k] = room->b[k * nv + v];
        }
        begin_at_rest(h, a, b); /* of rounding */
        find_peaks(search, a, b, peak);
        const double edge = 0.5 * (1.0 - margin) * (task->upper[v] - task->lower[v]);
        const double lower = task->lower[v] + edge, upper = task->upper[v] - edge;
        double scale = fmin(1.0, (upper - lower) / fmax(peak[1] - peak[0], DBL_MIN));
        scale = fmin(scale, margin * task->velocity[v] / fmax(peak[2], DBL_MIN));
        scale = fmin(scale, margin * task->acceleration[v] / fmax(peak[3], DBL_MIN));
        room->offset[v] = clamp(room->offset[v], lower - scale * peak[0], upper - scale * peak[1]);
        for (size_t k = 0; k < h; k++) {
            room->a[k * nv + v] = scale * a[k];
            room->b[k * nv + v] = scale * b[k];
        }
    }
}

double tq_excitation_violation(const tq_excitation_task *task, const tq_excitation_score *score)
{
    const double over = fmax(score->excess, 0.0);
    return task->clearance == NULL ? over
                                   : over + fmax(task->clearance->least - score->distance, 0.0);
}

bool tq_excitation_is_better(const tq_excitation_task *task, const tq_excitation_score *x,
                             const tq_excitation_score *than)
{
    const double over = tq_excitation_violation(task, x);
    const double than_over = tq_excitation_violation(task, than);
    if (over > 0.0 || than_over > 0.0) {
        return over < than_over;
    }
    switch (task->criterion) {
    case TQ_EXCITATION_DETERMINANT:
        return x->information > than->information;
    case TQ_EXCITATION_TORQUE_ERROR:
        return x->torque_error < than->torque_error;
    case TQ_EXCITATION_CONDITION:
    default:
        return x->condition < than->condition;
    }
}

/* ------------------------------------------------------------------------------------------------
 * The search
 */

void tq_excitation_keep(tq_excitation *search, const tq_excitation_score *found)
{
    struct tq_excitation_room *room = search->room;
    const size_t nv = search->task.model->nv, h = search->task.n_harmonic;
    memcpy(room->genes, room->tried, nv * tq_excitation_genes(&search->task) * sizeof *room->genes);
    memcpy(room->best_offset, room->offset, nv * sizeof(double));
    memcpy(room->best_a, room->a, h * nv * sizeof(double));
    memcpy(room->best_b, room->b, h * nv * sizeof(double));
    search->score = *found;
}

void tq_excitation_draw(tq_excitation *search, bool afresh)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t nv = task->model->nv, n_gene = tq_excitation_genes(task);
    const uint64_t stream = search->n_tried;
    const uint64_t chosen = tq_noise_bits(task->seed, stream, nv * n_gene) % nv;
    for (size_t v = 0; v < nv; v++) {
        /* about half of the joints change, and at least one */
        const bool moves =
            v == chosen || tq_noise_bits(task->seed, stream, nv * n_gene + 1 + v) % 2 == 0;
        for (size_t g = 0; g < n_gene; g++) {
            const double noise = tq_noise_normal(task->seed, stream, v * n_gene + g);
            const double *best = &room->genes[v * n_gene + g];
            double *gene = &room->tried[v * n_gene + g];
            if (afresh) {
                *gene = g == PLACE ? 0.5 + 0.3 * noise : g == SIZE ? 1.0 : noise;
            } else {
                *gene =
                    *best + (moves ? room->step * (g < FIRST_HARMONIC ? 0.3 : 1.0) * noise : 0.0);
            }
            if (g < FIRST_HARMONIC) {
                *gene = clamp(*gene, g == SIZE ? least_size : 0.0, 1.0);
            }
        }
    }
}

/* A random motion, or a mutation of the best. */
static tq_status try_genes(tq_excitation *search, bool afresh, tq_error *reterr)
{
    struct tq_excitation_room *room = search->room;
    tq_excitation_score found;
    tq_excitation_draw(search, afresh);
    tq_excitation_express(search);
    tq_status status = tq_excitation_measure(search, false, &found, reterr);
    const bool better =
        status == TQ_OK &&
        (search->n_tried == 0 || tq_excitation_is_better(&search->task, &found, &search->score));
    if (better) {
        status = tq_excitation_measure(search, true, &found, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    if (search->n_tried == 0) {
        search->first = found;
    }
    if (better) {
        tq_excitation_keep(search, &found);
        search->n_better += search->n_tried > 0;
    }
    if (!afresh) {
        room->step = clamp(room->step * (better ? step_grows : step_shrinks), step_least, 1.0);
    }
    return TQ_OK;
}

tq_status tq_excitation_try(tq_excitation *search, size_t n, size_t n_random, tq_error *reterr)
{
    for (size_t i = 0; i < n; i++) {
        const bool afresh = search->n_tried < n_random;
        const bool has_slope = search->task.criterion != TQ_EXCITATION_CONDITION;
        const tq_status status = afresh || !has_slope ? try_genes(search, afresh, reterr)
                                                      : tq_descent_try(search, reterr);
        if (status != TQ_OK) {
            return status;
        }
        search->n_tried++;
    }
    return TQ_OK;
}

/* columns of Coulomb friction by row of torque */
static void find_signs(tq_excitation *search)
{
    const tq_model *model = search->task.model;
    uint32_t *sign = search->room->sign;
    uint32_t next = TQ_PARAMETERS_OF_LINK * model->n_joint;
    for (size_t v = 0; v < model->nv; v++) {
        sign[v] = UINT32_MAX;
    }
    /* tq_parameter_list: joint by joint, in the order of the bits */
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (unsigned bit = TQ_REGRESS_ROTOR;
             bit <= TQ_REGRESS_STIFFNESS && tq_joint_kind_nv(joint->kind) == 1; bit <<= 1) {
            if ((search->task.with & bit) == 0) {
                continue;
            }
            if (bit == TQ_REGRESS_COULOMB && joint->mimic == TQ_NONE) {
                sign[joint->v_index] = next;
            }
            next++;
        }
    }
}

tq_status tq_excitation_open(const tq_excitation_task *task, tq_scratch *scratch,
                             tq_excitation *ret, tq_error *reterr)
{
    assert(task->n_harmonic >= 2 && task->n_harmonic <= TQ_EXCITATION_HARMONICS_MAX);
    bool is_open = task->base->n_base > 0;
    for (uint32_t j = 0; j < task->model->n_joint; j++) {
        const tq_joint *joint = &task->model->joints[j];
        is_open = is_open && joint->nq <= 1;
    }
    if (!is_open) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "model", 0, 0.0);
    }
    *ret = (tq_excitation){.task = *task};
    const size_t needs = tq_excitation_scratch_size(task);
    if (scratch->size - scratch->used < needs) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)needs);
    }
    ret->room = tq_scratch_take(scratch, 1, sizeof *ret->room);
    if (ret->room == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    *ret->room = (struct tq_excitation_room){.step = step_first, .n_rest = inner_size(task)};
    (void)lay_out(task, scratch, ret);
    ret->room->rest = tq_scratch_take(scratch, ret->room->n_rest, 1);
    if (ret->room->rest == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, 0.0);
    }
    make_waves(ret);
    find_signs(ret);
    return tq_excitation_prepare(ret, reterr);
}

tq_status tq_excitation_begin(const tq_excitation_task *task, tq_scratch *scratch,
                              tq_excitation *ret, tq_error *reterr)
{
    const tq_status status = tq_excitation_open(task, scratch, ret, reterr);
    return status != TQ_OK ? status : tq_excitation_try(ret, 1, 1, reterr);
}
