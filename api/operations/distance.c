/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/distance.c - POST .../distance: signed distances between shapes. */
#include "core/geometry/distance.h"

#include <math.h>
#include <string.h>

#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/request/geom_fields.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"
#include "core/dynamics/kinematics/configuration.h"

enum { PAIR_NUMBERS = 10 }; /* distance, two points, normal */

/* of edges of both shapes, over pairs with hulls and samples; some 20 s */
static const double products_max = 1e9, product_us = 0.02;

static const char *const fields[] = {TQA_FIELDS_DISTANCE_REQUEST, NULL};

typedef struct pair {
    size_t a, b;
    tqa_pair_state state;
} pair;

typedef struct question {
    tqa_tree *tree;
    tqa_order order;
    tqa_states states;
    tqa_geoms geoms;
    bool with_adjacent;
    pair *pairs, *left_out;
    size_t n_pair, n_left_out;
    double *distance, *points, *normals; /* (n_sample x n_pair), (x 2 x 3), (x 3) */
    tq_pose *poses;                      /* (n_geom) in the world */
} question;

/* At most 3 n - 6 edges of n points. */
static double edges_of(size_t n_point)
{
    const size_t n = n_point < TQ_GEOM_CORNERS_MAX ? n_point : TQ_GEOM_CORNERS_MAX;
    return 3.0 * (double)n;
}

static double cost_us(const tqa_tree *tree)
{
    /* measured: 1 us a pair of boxes, less of others but hulls */
    const json_t *q = json_object_get(tree->root, "q");
    const json_t *shapes = json_object_get(tree->root, "shapes");
    const double n_sample = json_is_array(json_array_get(q, 0)) ? (double)json_array_size(q) : 1.0;
    const double n = (double)json_array_size(shapes);
    double hulls = 0.0;
    for (size_t k = 0; k < json_array_size(shapes); k++) {
        const json_t *points = json_object_get(json_array_get(shapes, k), "points");
        hulls += edges_of(json_array_size(points));
    }
    return 5.0 + n_sample * (0.1 * (double)tree->robot->model->n_link + n * n +
                             product_us * hulls * (0.5 * hulls + 12.0 * n));
}

static bool list_pairs(question *d, const bool *marks)
{
    const size_t n = d->geoms.n, most = n * (n - 1) / 2;
    d->pairs = tqa_tree_take(d->tree, most + 1, sizeof *d->pairs);
    d->left_out = tqa_tree_take(d->tree, most + 1, sizeof *d->left_out);
    if (d->pairs == NULL || d->left_out == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            const pair p = {
                i, j, tqa_geom_pair(d->tree->robot, &d->geoms, marks, d->with_adjacent, i, j)};
            if (p.state == TQA_PAIR_FREE) {
                d->pairs[d->n_pair++] = p;
            } else {
                d->left_out[d->n_left_out++] = p;
            }
        }
    }
    return true;
}

/* pairs with hulls within the bound */
static bool is_affordable(const question *d)
{
    double products = 0.0;
    for (size_t k = 0; k < d->n_pair; k++) {
        const tq_geom *a = &d->geoms.geoms[d->pairs[k].a], *b = &d->geoms.geoms[d->pairs[k].b];
        if (a->hull != NULL || b->hull != NULL) {
            products += (double)((a->hull != NULL ? a->hull->n_edge : 12u) *
                                 (b->hull != NULL ? b->hull->n_edge : 12u));
        }
    }
    if (products * (double)d->states.n_sample <= products_max) {
        return true;
    }
    const tqa_value root = tqa_value_root(d->tree);
    const tqa_value shapes = tqa_value_field(&root, "shapes");
    return tqa_value_refuse(&shapes, "too-large", "fewer samples, pairs, or corners of hulls",
                            "the hulls have %.3g pairs of edges, at most %g", products,
                            products_max);
}

static bool make_room(question *d)
{
    const size_t n = d->states.n_sample;
    if (d->n_pair > 0 && n > TQA_TREE_ANSWER_MAX / PAIR_NUMBERS / d->n_pair) {
        const tqa_value root = tqa_value_root(d->tree);
        const tqa_value q = tqa_value_field(&root, "q");
        return tqa_value_refuse(&q, "too-large", "send fewer samples or shapes at a time",
                                "%zu pairs of %zu samples are more than %d numbers", d->n_pair, n,
                                TQA_TREE_ANSWER_MAX);
    }
    d->distance = tqa_tree_take(d->tree, n * d->n_pair + 1, sizeof(double));
    d->points = tqa_tree_take(d->tree, 6 * n * d->n_pair + 1, sizeof(double));
    d->normals = tqa_tree_take(d->tree, 3 * n * d->n_pair + 1, sizeof(double));
    d->poses = tqa_tree_take(d->tree, d->geoms.n, sizeof *d->poses);
    return d->distance != NULL && d->points != NULL && d->normals != NULL && d->poses != NULL;
}

static bool read(question *d)
{
    const tqa_value root = tqa_value_root(d->tree);
    const tqa_value shapes = tqa_value_field(&root, "shapes");
    const tqa_value exclude = tqa_value_field(&root, "exclude");
    const tqa_value adjacent = tqa_value_field(&root, "adjacent");
    if (!tqa_tree_order(d->tree, &d->order) ||
        !tqa_tree_states(d->tree, &d->order, TQA_NEED_Q, TQA_NEED_Q, 0, &d->states) ||
        !tqa_value_geoms(&shapes, &d->geoms) ||
        (adjacent.value != NULL && !tqa_value_flag(&adjacent, &d->with_adjacent))) {
        return false;
    }
    bool *marks = tqa_tree_take(d->tree, d->geoms.n * d->geoms.n, sizeof *marks);
    return marks != NULL && tqa_value_excluded(&exclude, &d->geoms, marks) &&
           list_pairs(d, marks) && is_affordable(d) && make_room(d);
}

/* all pairs of one sample */
static void measure(question *d, const tq_configuration *at, size_t sample)
{
    for (size_t i = 0; i < d->geoms.n; i++) {
        const tq_geom *geom = &d->geoms.geoms[i];
        d->poses[i] = geom->link == TQ_NONE ? geom->pose
                                            : tq_pose_multiply(&at->pose[geom->link], &geom->pose);
    }
    for (size_t k = 0; k < d->n_pair; k++) {
        const pair *p = &d->pairs[k];
        const size_t to = sample * d->n_pair + k;
        tq_proximity is;
        tq_geom_distance(&d->geoms.geoms[p->a], &d->poses[p->a], &d->geoms.geoms[p->b],
                         &d->poses[p->b], &is);
        d->distance[to] = is.distance;
        memcpy(d->points + 6 * to, is.a, sizeof is.a);
        memcpy(d->points + 6 * to + 3, is.b, sizeof is.b);
        memcpy(d->normals + 3 * to, is.normal, sizeof is.normal);
    }
}

static bool compute(question *d)
{
    const tq_model *model = d->tree->robot->model;
    tq_scratch scratch;
    if (!tqa_tree_scratch(d->tree, tq_configuration_scratch_size(model), &scratch)) {
        return false;
    }
    for (size_t i = 0; i < d->states.n_sample; i++) {
        const size_t mark = tq_scratch_mark(&scratch);
        tq_configuration at;
        tq_error error = {0};
        const tq_status status = tq_configuration_compute(model, d->states.q + i * model->nq, NULL,
                                                          &scratch, &at, &error);
        if (tqa_tree_stop(d->tree)) {
            return tqa_tree_fail(d->tree, "", TQ_ERR_STOPPED, &error);
        }
        if (status != TQ_OK) {
            return tqa_states_fail(d->tree, &d->states, i, status, &error);
        }
        measure(d, &at, i);
        tq_scratch_rewind(&scratch, mark);
    }
    return true;
}

static void put_names(const question *d, const pair *p)
{
    tqa_writer *answer = d->tree->answer;
    tqa_writer_string(answer, "a", d->geoms.names[p->a]);
    tqa_writer_string(answer, "b", d->geoms.names[p->b]);
}

static void put_least(const question *d)
{
    tqa_writer *answer = d->tree->answer;
    const size_t n = d->states.n_sample * d->n_pair;
    size_t least = 0;
    for (size_t k = 1; k < n; k++) {
        least = d->distance[k] < d->distance[least] ? k : least;
    }
    if (n > 0) {
        tqa_writer_object(answer, "least");
        tqa_writer_number(answer, "distance", d->distance[least]);
        put_names(d, &d->pairs[least % d->n_pair]);
        tqa_writer_count(answer, "sample", least / d->n_pair);
        tqa_writer_end(answer);
    }
    tqa_writer_flag(answer, "collides", n > 0 && d->distance[least] < 0.0);
}

static void put_left_out(const question *d)
{
    static const char *const reasons[TQA_PAIR_STATES] = {[TQA_PAIR_SAME_BODY] = "same-body",
                                                         [TQA_PAIR_ADJACENT] = "adjacent",
                                                         [TQA_PAIR_EXCLUDED] = "excluded",
                                                         [TQA_PAIR_PLANES] = "half-spaces"};
    tqa_writer *answer = d->tree->answer;
    tqa_writer_list(answer, "left_out");
    for (size_t k = 0; k < d->n_left_out; k++) {
        tqa_writer_object(answer, NULL);
        put_names(d, &d->left_out[k]);
        tqa_writer_string(answer, "reason", reasons[d->left_out[k].state]);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static bool run(tqa_tree *tree)
{
    question d = {.tree = tree};
    if (!read(&d) || !compute(&d)) {
        return false;
    }
    tqa_writer *answer = tree->answer;
    const size_t shape[3] = {d.states.n_sample, d.n_pair, 3};
    const size_t two[4] = {d.states.n_sample, d.n_pair, 2, 3};
    const size_t skip = d.states.flat ? 1 : 0;
    tqa_writer_joints(answer, tree->robot, &d.order);
    tqa_writer_string(answer, "expressed_in", "world");
    tqa_writer_list(answer, "pairs");
    for (size_t k = 0; k < d.n_pair; k++) {
        tqa_writer_object(answer, NULL);
        put_names(&d, &d.pairs[k]);
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
    tqa_writer_array(answer, "distance", d.distance, 2 - skip, shape + skip);
    tqa_writer_array(answer, "points", d.points, 4 - skip, two + skip);
    tqa_writer_array(answer, "normal", d.normals, 3 - skip, shape + skip);
    put_least(&d);
    put_left_out(&d);
    return true;
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_distance_methods = {.tree = &methods};
