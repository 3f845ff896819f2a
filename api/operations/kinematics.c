/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/kinematics.c - POST .../kinematics: positions, velocities and accelerations of
   points of links. */
#include "api/call/call.h"
#include "api/openapi/generated/fields.h"
#include "api/request/robot_fields.h"
#include "api/response/robot_writer.h"
#include "core/dynamics/kinematics/configuration.h"
#include "core/spatial/frame.h"

enum { TWIST = 6, POSE = 16 };            /* numbers of a pose: position, rotation, quaternion */
enum { INCLUDE_JACOBIAN, INCLUDE_RATES }; /* numbers of the words of `include` */

static const char *const fields[] = {TQA_FIELDS_KINEMATICS_REQUEST, NULL};

static const char *const axes[] = {TQA_WORDS_KINEMATICS_REQUEST_EXPRESSED_IN, NULL};
static const char *const includes[] = {TQA_WORDS_KINEMATICS_REQUEST_INCLUDE, NULL};
static const tq_jacobian_frame jacobian_frames[] = {TQ_JACOBIAN_WORLD_ALIGNED, TQ_JACOBIAN_LINK,
                                                    TQ_JACOBIAN_WORLD};

/* The request, and memory for the results of one frame. */
typedef struct kinematics {
    tqa_tree *tree;
    tqa_order order;
    tqa_states states;
    tqa_point *points;
    size_t n_point;
    bool named; /* points are given */
    bool moves; /* velocities, accelerations, Jacobians */
    bool gives_rates;
    unsigned expressed_in;
    double *pose;     /* (n_point x n_sample x POSE) */
    double *velocity; /* (n_point x n_sample x 6), like the next */
    double *acceleration;
    double *jacobian; /* (n_point x n_sample x 6 x nv) in the user's order */
    double *rates;    /* of them, the same */
    double *rate;     /* (6 x nv) */
} kinematics;

static double cost_us(const tqa_tree *tree)
{
    /* measured: 60 ns a link and sample for poses, 35 ns a printed number */
    const json_t *q = json_object_get(tree->root, "q");
    const json_t *frames = json_object_get(tree->root, "frames");
    const double n_sample = json_is_array(json_array_get(q, 0)) ? (double)json_array_size(q) : 1.0;
    const double n_link = (double)tree->robot->model->n_link;
    const double n_frame = frames != NULL ? (double)json_array_size(frames) : n_link;
    return 5.0 + n_sample * (0.1 * n_link + n_frame * (1.0 + 0.3 * (double)tree->robot->model->nv));
}

static bool read_frames(kinematics *k)
{
    const tqa_value root = tqa_value_root(k->tree);
    const tqa_value frames = tqa_value_field(&root, "frames");
    const size_t n_link = k->tree->robot->model->n_link;
    k->n_point = n_link;
    k->named = frames.value != NULL;
    if (frames.value != NULL && !tqa_value_some(&frames, 1, TQ_LINK_MAX, &k->n_point)) {
        return false;
    }
    k->points = tqa_tree_take(k->tree, k->n_point, sizeof *k->points);
    bool good = k->points != NULL;
    for (size_t i = 0; good && i < k->n_point; i++) {
        k->points[i] = (tqa_point){.link = (uint32_t)i};
        if (frames.value != NULL) {
            const tqa_value item = tqa_value_item(&frames, i);
            good = tqa_value_point(&item, &k->points[i]);
        }
    }
    return good;
}

static bool read(kinematics *k)
{
    const tqa_value root = tqa_value_root(k->tree);
    const tqa_value expressed = tqa_value_field(&root, "expressed_in");
    const tqa_value qdd = tqa_value_field(&root, "qdd");
    const tqa_value include = tqa_value_field(&root, "include");
    unsigned included = 0;
    if (!tqa_tree_order(k->tree, &k->order) ||
        !tqa_tree_states(k->tree, &k->order, TQA_NEED_Q | TQA_NEED_QD | TQA_NEED_QDD, TQA_NEED_Q,
                         qdd.value != NULL ? TQA_NEED_QD : 0, &k->states) ||
        !read_frames(k)) {
        return false;
    }
    if (include.value != NULL && !tqa_value_choices(&include, includes, &included)) {
        return false;
    }
    k->gives_rates = (included & (1u << INCLUDE_RATES)) != 0;
    if (expressed.value != NULL) {
        k->moves = true;
        return tqa_value_choice(&expressed, axes, &k->expressed_in);
    }
    const bool is_one = k->states.n_sample == 1 && k->named;
    k->moves = k->states.qd != NULL || included != 0 || is_one;
    if (k->moves) {
        tqa_wording_assume(k->tree, expressed.pointer, axes[k->expressed_in]);
    }
    return true;
}

static bool make_room(kinematics *k)
{
    const size_t n = k->n_point * k->states.n_sample;
    const size_t matrices = k->gives_rates ? 2 : 1;
    const size_t each = POSE + (k->moves ? 2u * TWIST + matrices * TWIST * k->order.nv : 0u);
    if (n > TQA_TREE_ANSWER_MAX / each) {
        const tqa_value root = tqa_value_root(k->tree);
        return tqa_value_refuse(&root, "too-large", "ask for fewer frames or samples at a time",
                                "an answer has %d numbers at most", TQA_TREE_ANSWER_MAX);
    }
    k->pose = tqa_tree_take(k->tree, n * POSE, sizeof(double));
    k->velocity = tqa_tree_take(k->tree, n * TWIST, sizeof(double));
    k->acceleration = tqa_tree_take(k->tree, n * TWIST, sizeof(double));
    k->jacobian = tqa_tree_take(k->tree, k->moves ? n * TWIST * k->order.nv : 1, sizeof(double));
    k->rates = tqa_tree_take(k->tree, k->gives_rates ? n * TWIST * k->order.nv : 1, sizeof(double));
    k->rate = tqa_tree_take(k->tree, 2u * TWIST * k->order.nv, sizeof(double));
    return k->pose != NULL && k->velocity != NULL && k->acceleration != NULL &&
           k->jacobian != NULL && k->rates != NULL && k->rate != NULL;
}

/* Position, then rotation, then quaternion: each of all samples, one after another. */
static void put_pose(const kinematics *k, const tq_configuration *p, size_t f, size_t sample)
{
    const size_t n = k->states.n_sample;
    const tqa_point *point = &k->points[f];
    const tq_pose *pose = &p->pose[point->link];
    double *to = k->pose + f * n * POSE;
    double *position = to + 3 * sample;
    tq_mat_vec(pose->r, point->at, position);
    for (int i = 0; i < 3; i++) {
        position[i] += pose->p[i];
    }
    for (int i = 0; i < 9; i++) {
        to[3 * n + 9 * sample + (size_t)i] = pose->r[i];
    }
    tq_quaternion_of_mat(pose->r, to + 12 * n + 4 * sample);
}

static void put_motion(const kinematics *k, const tq_configuration *p, size_t f, size_t sample)
{
    const size_t nv = k->order.nv;
    const size_t at = f * k->states.n_sample + sample;
    const tqa_point *point = &k->points[f];
    const tq_jacobian_frame frame = jacobian_frames[k->expressed_in];
    const double *qd = k->states.qd != NULL ? k->states.qd + sample * nv : NULL;
    const double *qdd = k->states.qdd != NULL ? k->states.qdd + sample * nv : NULL;
    double *own = k->rate + TWIST * nv;
    double *jacobian = k->jacobian + at * TWIST * nv;
    double *rates = k->gives_rates ? k->rates + at * TWIST * nv : NULL;
    tq_configuration_jacobian(p, point->link, point->at, frame, own,
                              qdd != NULL || rates != NULL ? k->rate : NULL);
    tq_configuration_velocity(p, point->link, point->at, frame, k->velocity + at * TWIST);
    for (size_t i = 0; i < TWIST; i++) {
        double *acceleration = &k->acceleration[at * TWIST + i];
        for (size_t c = 0; c < nv; c++) {
            jacobian[i * nv + c] = own[i * nv + k->order.v[c]];
            if (rates != NULL) {
                rates[i * nv + c] = k->rate[i * nv + k->order.v[c]];
            }
            if (qdd != NULL && qd != NULL) {
                *acceleration += own[i * nv + c] * qdd[c] + k->rate[i * nv + c] * qd[c];
            }
        }
    }
}

static bool compute(kinematics *k)
{
    const tq_model *model = k->tree->robot->model;
    tq_scratch scratch;
    if (!tqa_tree_scratch(k->tree, tq_configuration_scratch_size(model), &scratch)) {
        return false;
    }
    for (size_t i = 0; i < k->states.n_sample; i++) {
        tq_configuration posture;
        tq_error error = {0};
        const size_t mark = tq_scratch_mark(&scratch);
        const double *qd = k->states.qd != NULL ? k->states.qd + i * k->order.nv : NULL;
        const tq_status status = tq_configuration_compute(model, k->states.q + i * k->order.nq, qd,
                                                          &scratch, &posture, &error);
        if (status != TQ_OK) {
            return tqa_states_fail(k->tree, &k->states, i, status, &error);
        }
        for (size_t f = 0; f < k->n_point; f++) {
            put_pose(k, &posture, f, i);
            if (k->moves) {
                put_motion(k, &posture, f, i);
            }
        }
        tq_scratch_rewind(&scratch, mark);
    }
    return true;
}

/* Without the rank of samples for one flat sample. */
static void put(const kinematics *k, const char *key, const double *x, size_t rank, size_t rows,
                size_t columns)
{
    const size_t shape[3] = {k->states.n_sample, rows, columns};
    const size_t skip = k->states.flat ? 1 : 0;
    tqa_writer_array(k->tree->answer, key, x, rank - skip, shape + skip);
}

static void put_frame(const kinematics *k, size_t f)
{
    tqa_writer *answer = k->tree->answer;
    const size_t n = k->states.n_sample;
    const double *pose = k->pose + f * n * POSE;
    tqa_writer_object(answer, NULL);
    tqa_writer_point(answer, k->tree->robot, &k->points[f]);
    put(k, "position", pose, 2, 3, 0);
    put(k, "rotation", pose + 3 * n, 3, 3, 3);
    put(k, "quaternion_wxyz", pose + 12 * n, 2, 4, 0);
    if (k->states.qd != NULL) {
        put(k, "velocity", k->velocity + f * n * TWIST, 2, TWIST, 0);
    }
    if (k->states.qdd != NULL) {
        put(k, "acceleration", k->acceleration + f * n * TWIST, 2, TWIST, 0);
    }
    if (k->moves) {
        put(k, "jacobian", k->jacobian + f * n * TWIST * k->order.nv, 3, TWIST, k->order.nv);
    }
    if (k->gives_rates) {
        put(k, "jacobian_rate", k->rates + f * n * TWIST * k->order.nv, 3, TWIST, k->order.nv);
    }
    tqa_writer_end(answer);
}

static bool run(tqa_tree *tree)
{
    kinematics k = {.tree = tree};
    if (!read(&k) || !make_room(&k) || !compute(&k)) {
        return false;
    }
    tqa_writer *answer = tree->answer;
    tqa_writer_joints(answer, tree->robot, &k.order);
    tqa_writer_string(answer, "poses_expressed_in", "world");
    if (k.moves) {
        tqa_writer_string(answer, "expressed_in", axes[k.expressed_in]);
    }
    tqa_writer_list(answer, "frames");
    for (size_t f = 0; f < k.n_point; f++) {
        put_frame(&k, f);
    }
    tqa_writer_end(answer);
    return true;
}

static const tqa_tree_methods methods = {.fields = fields, .cost_us = cost_us, .run = run};
const tqa_operation_methods tqa_kinematics_methods = {.tree = &methods};
