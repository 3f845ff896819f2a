/* SPDX-License-Identifier: Apache-2.0 */
/* core/excitation/excitation.c - (1+1) evolution strategy over Fourier series scaled to their
 * limits. */
#include "core/excitation/excitation.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

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

static size_t gene_count(const tq_excitation_task *task)
{
    return FIRST_HARMONIC + 2 * task->n_harmonic;
}

static size_t inner_size(const tq_excitation_task *task)
{
    const size_t regressor = tq_regressor_scratch_size(task->model);
    const size_t eigen = tq_eigen_symmetric_scratch_size(task->base->n_base);
    return (regressor > eigen ? regressor : eigen) + TQ_SCRATCH_ALIGN;
}

/* All arrays in one list: with `scratch` NULL only their sizes are added. */
static size_t lay_out(const tq_excitation_task *task, tq_scratch *scratch, tq_excitation *to)
{
    const size_t nv = task->model->nv, h = task->n_harmonic, n = task->base->n_base;
    const size_t n_recorded = task->n_recorded > 0 ? n * n : 0;
    struct tq_excitation_room none = {0};
    tq_excitation nowhere = {.room = &none};
    tq_excitation *s = to != NULL ? to : &nowhere;
    const struct {
        double **array;
        size_t n;
    } list[] = {
        {&s->room->sine, SHAPE_POINTS * h * h},
        {&s->room->cosine, SHAPE_POINTS * h * h},
        {&s->room->genes, nv * gene_count(task)},
        {&s->room->tried, nv * gene_count(task)},
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
    };
    size_t bytes = tq_scratch_cost(1, sizeof *s->room) + tq_scratch_cost(inner_size(task), 1);
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        bytes += tq_scratch_cost(list[k].n, sizeof(double));
        if (scratch != NULL) {
            *list[k].array = tq_scratch_take(scratch, list[k].n, sizeof(double));
        }
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

static void express(tq_excitation *search)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t h = task->n_harmonic, nv = task->model->nv;
    for (size_t v = 0; v < nv; v++) {
        const double *genes = room->tried + v * gene_count(task);
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

/* Torque limits first; then the criterion. */
static bool is_better(const tq_excitation_task *task, const tq_excitation_score *x,
                      const tq_excitation_score *than)
{
    if (x->excess > 0.0 || than->excess > 0.0) {
        return x->excess < than->excess;
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

static void keep(tq_excitation *search, const tq_excitation_score *found)
{
    struct tq_excitation_room *room = search->room;
    const size_t nv = search->task.model->nv, h = search->task.n_harmonic;
    memcpy(room->genes, room->tried, nv * gene_count(&search->task) * sizeof *room->genes);
    memcpy(room->best_offset, room->offset, nv * sizeof(double));
    memcpy(room->best_a, room->a, h * nv * sizeof(double));
    memcpy(room->best_b, room->b, h * nv * sizeof(double));
    search->score = *found;
}

static void draw(tq_excitation *search, bool afresh)
{
    const tq_excitation_task *task = &search->task;
    struct tq_excitation_room *room = search->room;
    const size_t nv = task->model->nv, n_gene = gene_count(task);
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

tq_status tq_excitation_try(tq_excitation *search, size_t n, size_t n_random, tq_error *reterr)
{
    struct tq_excitation_room *room = search->room;
    for (size_t i = 0; i < n; i++) {
        const bool afresh = search->n_tried < n_random;
        tq_excitation_score found;
        draw(search, afresh);
        express(search);
        tq_status status = tq_excitation_measure(search, false, &found, reterr);
        const bool better = status == TQ_OK && (search->n_tried == 0 ||
                                                is_better(&search->task, &found, &search->score));
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
            keep(search, &found);
            search->n_better += search->n_tried > 0;
        }
        if (!afresh) {
            room->step = clamp(room->step * (better ? step_grows : step_shrinks), step_least, 1.0);
        }
        search->n_tried++;
    }
    return TQ_OK;
}

tq_status tq_excitation_begin(const tq_excitation_task *task, tq_scratch *scratch,
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
    const tq_status status = tq_excitation_prepare(ret, reterr);
    return status != TQ_OK ? status : tq_excitation_try(ret, 1, 1, reterr);
}

/* ------------------------------------------------------------------------------------------------
 * Checkpoints
 */

typedef struct saved_head {
    uint64_t layout, seed, with, criterion, nv, n_harmonic, n_base, n_tried, n_better;
    double frequency, step;
    tq_excitation_score score, first;
} saved_head;

enum { SAVED_LAYOUT = 2, SAVED_ARRAYS = 4 };

/* Arrays of a checkpoint in their order; returns the bytes of head and arrays. */
static size_t saved_arrays(const tq_excitation_task *task, const struct tq_excitation_room *room,
                           double *ret[SAVED_ARRAYS], size_t ret_n[SAVED_ARRAYS])
{
    const size_t nv = task->model->nv, h = task->n_harmonic;
    const size_t n[SAVED_ARRAYS] = {nv * gene_count(task), nv, h * nv, h * nv};
    size_t bytes = sizeof(saved_head);
    for (size_t k = 0; k < SAVED_ARRAYS; k++) {
        ret_n[k] = n[k];
        bytes += n[k] * sizeof(double);
    }
    ret[0] = room->genes, ret[1] = room->best_offset, ret[2] = room->best_a, ret[3] = room->best_b;
    return bytes;
}

static saved_head head_of(const tq_excitation *search)
{
    const tq_excitation_task *task = &search->task;
    return (saved_head){.layout = SAVED_LAYOUT,
                        .seed = task->seed,
                        .with = task->with,
                        .criterion = (uint64_t)task->criterion,
                        .nv = task->model->nv,
                        .n_harmonic = task->n_harmonic,
                        .n_base = task->base->n_base,
                        .n_tried = search->n_tried,
                        .n_better = search->n_better,
                        .frequency = task->frequency,
                        .step = search->room->step,
                        .score = search->score,
                        .first = search->first};
}

size_t tq_excitation_save_size(const tq_excitation_task *task)
{
    double *arrays[SAVED_ARRAYS];
    size_t n[SAVED_ARRAYS];
    return saved_arrays(task, &(struct tq_excitation_room){0}, arrays, n);
}

void tq_excitation_save(const tq_excitation *search, unsigned char *ret)
{
    const saved_head head = head_of(search);
    double *arrays[SAVED_ARRAYS];
    size_t n[SAVED_ARRAYS];
    (void)saved_arrays(&search->task, search->room, arrays, n);
    memcpy(ret, &head, sizeof head);
    ret += sizeof head;
    for (size_t k = 0; k < SAVED_ARRAYS; ret += n[k] * sizeof(double), k++) {
        memcpy(ret, arrays[k], n[k] * sizeof(double));
    }
}

bool tq_excitation_load(tq_excitation *search, const unsigned char *bytes, size_t n)
{
    const saved_head own = head_of(search);
    saved_head head;
    double *arrays[SAVED_ARRAYS];
    size_t n_entry[SAVED_ARRAYS];
    if (n != saved_arrays(&search->task, search->room, arrays, n_entry)) {
        return false;
    }
    memcpy(&head, bytes, sizeof head);
    if (head.layout != own.layout || head.seed != own.seed || head.with != own.with ||
        head.criterion != own.criterion || head.nv != own.nv || head.n_harmonic != own.n_harmonic ||
        head.n_base != own.n_base || head.frequency != own.frequency || head.n_tried == 0) {
        return false;
    }
    bytes += sizeof head;
    for (size_t k = 0; k < SAVED_ARRAYS; bytes += n_entry[k] * sizeof(double), k++) {
        memcpy(arrays[k], bytes, n_entry[k] * sizeof(double));
    }
    search->n_tried = (size_t)head.n_tried;
    search->n_better = (size_t)head.n_better;
    search->score = head.score;
    search->first = head.first;
    search->room->step = head.step;
    return true;
}
