/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/option_fields.c - receives the small fields of a request. */
#include <math.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/request/inertia_fields.h"
#include "api/request/refuse.h"
#include "api/request/request.h"
#include "core/dynamics/lagrangian.h"

static bool is_word(const char *word, const char *text, size_t n)
{
    return strlen(word) == n && memcmp(word, text, n) == 0;
}

/* ------------------------------------------------------------------------------------------------
 * Words and points
 */

static const char *form_wanted(const tqa_request *request)
{
    (void)request;
    return "\"christoffel\", \"c1\", \"c2\" or \"stacked\"";
}

static bool form_string(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    static const char *const words[] = {
        [TQ_CORIOLIS_CHRISTOFFEL] = "christoffel",
        [TQ_CORIOLIS_C1] = "c1",
        [TQ_CORIOLIS_C2] = "c2",
        [TQ_CORIOLIS_STACKED] = "stacked",
    };
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, n);
    for (unsigned k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (is_word(words[k], text, n)) {
            request->options.form = k;
            return true;
        }
        tqa_nearest_offer(&nearest, words[k]);
    }
    return tqa_refuse_name(request, at, "Coriolis form", &nearest);
}

const tqa_receiver tqa_form_receiver = {.wanted = form_wanted, .string = form_string, .bare = true};

static const char *frame_wanted(const tqa_request *request)
{
    (void)request;
    return "the name of a link";
}

static bool frame_string(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    return tqa_refuse_link(request, at, text, n, &request->options.frame);
}

const tqa_receiver tqa_frame_receiver = {
    .wanted = frame_wanted, .string = frame_string, .bare = true};

static const char *at_wanted(const tqa_request *request)
{
    return request->depth > 1 ? "a number" : "\"origin\", \"com\" or 3 numbers";
}

static bool at_string(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    if (request->depth > 1) {
        return tqa_refuse_type(request, at, at_wanted(request), "a string");
    }
    request->options.at_com = is_word("com", text, n);
    if (request->options.at_com || is_word("origin", text, n)) {
        return true;
    }
    return tqa_refuse(request, at, "invalid-value", "for example \"at\": \"origin\"", "expected %s",
                      at_wanted(request));
}

static bool at_begin(tqa_request *request, uint64_t at)
{
    if (request->depth > 1) {
        return tqa_refuse_type(request, at, at_wanted(request), "an array");
    }
    request->n_element = 0;
    return true;
}

static bool at_numbers(tqa_request *request, uint64_t at, const double *values, size_t n)
{
    (void)at;
    for (size_t k = 0; k < n; k++, request->n_element++) {
        if (request->n_element < 3) {
            request->options.at[request->n_element] = values[k];
        }
    }
    return true;
}

static bool refuse_count(tqa_request *request, uint64_t at, size_t wanted, const char *hint)
{
    request->whole = true;
    (void)tqa_refuse(request, at, "wrong-length", hint, "expected %zu numbers, got %zu", wanted,
                     request->n_element);
    request->whole = false;
    return false;
}

static bool at_end(tqa_request *request, uint64_t at)
{
    return request->n_element == 3 ||
           refuse_count(request, at, 3, "a point is [x, y, z] in the link frame, m");
}

static bool at_finish(tqa_request *request)
{
    tqa_options *options = &request->options;
    if (options->at_com && options->frame != TQ_NONE) {
        const tq_link *link = &request->robot->model->links[options->frame];
        memcpy(options->at, link->inertia.com, sizeof options->at);
    }
    return true;
}

const tqa_receiver tqa_at_receiver = {.finish = at_finish,
                                      .wanted = at_wanted,
                                      .begin_array = at_begin,
                                      .end_array = at_end,
                                      .numbers = at_numbers,
                                      .string = at_string,
                                      .bare = true};

/* ------------------------------------------------------------------------------------------------
 * Objects: a box of q, and a payload. Their keys are parts by number.
 */

enum { BOX_LOWER, BOX_UPPER, BOX_PARTS };

static const char *const box_parts[BOX_PARTS] = {"lower", "upper"};

static const struct {
    const char *name, *wanted, *missing;
    size_t n; /* numbers it takes; 0: a string */
    unsigned depth;
} payload_parts[TQA_PAYLOAD_PART_COUNT] = {
    [TQA_PAYLOAD_LINK] = {"link", "the name of a link",
                          "add \"link\": the name of the link that carries the payload", 0, 0},
    [TQA_PAYLOAD_MASS] = {"mass", "a number, kg", "add \"mass\": a number, kg", 1, 0},
    [TQA_PAYLOAD_COM] =
        {"com", "3 numbers",
         "add \"com\": [x, y, z], the payload's centre of mass in the link frame, m", 3, 1},
    [TQA_PAYLOAD_INERTIA] = {"inertia", "3 rows of 3 numbers", "", 9, 2},
};

static bool is_box(const tqa_request *request)
{
    return request->field->receiver == &tqa_box_receiver;
}

static const char *part_name(bool box, unsigned part)
{
    return box ? box_parts[part] : payload_parts[part].name;
}

static size_t part_numbers(const tqa_request *request)
{
    return is_box(request) ? request->robot->model->nq : payload_parts[request->options.part].n;
}

/* brackets around the numbers of the open part */
static unsigned part_depth(const tqa_request *request)
{
    return is_box(request) ? 1 : payload_parts[request->options.part].depth;
}

static const char *object_wanted(const tqa_request *request)
{
    const tqa_options *options = &request->options;
    if (request->depth <= 1 || !options->in_part) {
        return is_box(request) ? "an object with \"lower\" and \"upper\", or \"limits\""
                               : "an object with \"link\", \"mass\" and \"com\"";
    }
    if (is_box(request)) {
        return "an array of numbers, one for each coordinate of q";
    }
    return payload_parts[options->part].wanted;
}

static void object_place(const tqa_request *request, char *pointer)
{
    if (request->depth <= 1 || !request->options.in_part) {
        return;
    }
    const char *name = part_name(is_box(request), request->options.part);
    tqa_place_key(pointer, name, strlen(name));
    if (request->depth > 2 && !request->whole) {
        tqa_place_index(pointer,
                        part_depth(request) == 2 ? request->n_element / 3 : request->n_element);
    }
}

static bool object_begin(tqa_request *request, uint64_t at)
{
    if (request->depth != 1) {
        return tqa_refuse_type(request, at, object_wanted(request), "an object");
    }
    request->options.seen = 0;
    request->options.in_part = false;
    return true;
}

static bool object_key(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    tqa_options *options = &request->options;
    const bool box = is_box(request);
    const unsigned n_part = box ? BOX_PARTS : TQA_PAYLOAD_PART_COUNT;
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, n);
    options->in_part = false;
    for (unsigned p = 0; p < n_part; p++) {
        tqa_nearest_offer(&nearest, part_name(box, p));
        if (!is_word(part_name(box, p), text, n)) {
            continue;
        }
        if ((options->seen >> p & 1u) != 0) {
            return tqa_refuse_key(request, at, "duplicate-field", text, n, "give it once");
        }
        options->seen |= 1u << p;
        options->part = p;
        options->in_part = true;
        request->n_element = 0;
        return true;
    }
    return tqa_refuse_key(request, at, "unknown-field", text, n, tqa_nearest_hint(&nearest));
}

static bool object_begin_array(tqa_request *request, uint64_t at)
{
    const unsigned open = request->depth - 2;
    if (request->depth < 2 || !request->options.in_part || open >= part_depth(request)) {
        return tqa_refuse_type(request, at, object_wanted(request), "an array");
    }
    return true;
}

static bool object_end_array(tqa_request *request, uint64_t at)
{
    const bool inner = request->depth == 4;
    const size_t n = request->n_element;
    if (inner ? n % 3 == 0 && n <= 9 : n == part_numbers(request)) {
        return true;
    }
    return refuse_count(request, at, part_numbers(request), object_wanted(request));
}

/* where number k of the open part goes */
static double *part_number(tqa_request *request, size_t k)
{
    tqa_options *options = &request->options;
    if (is_box(request)) {
        return options->box + options->part * request->robot->model->nq + k;
    }
    switch (options->part) {
    case TQA_PAYLOAD_MASS:
        return &options->payload.mass;
    case TQA_PAYLOAD_COM:
        return &options->payload.com[k];
    default:
        return &options->payload.inertia[k];
    }
}

static bool object_numbers(tqa_request *request, uint64_t at, const double *values, size_t n)
{
    tqa_options *options = &request->options;
    if (!options->in_part || part_numbers(request) == 0 ||
        request->depth - 2 != part_depth(request)) {
        return tqa_refuse_type(request, at, object_wanted(request), "a number");
    }
    for (size_t k = 0; k < n; k++, request->n_element++) {
        if (request->n_element < part_numbers(request)) {
            *part_number(request, request->n_element) = values[k];
        }
    }
    return true;
}

static bool payload_string(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    tqa_options *options = &request->options;
    if (request->depth != 2 || !options->in_part || options->part != TQA_PAYLOAD_LINK) {
        return tqa_refuse_type(request, at, object_wanted(request), "a string");
    }
    return tqa_refuse_link(request, at, text, n, &options->payload.link);
}

static bool box_end(tqa_request *request, uint64_t at)
{
    tqa_options *options = &request->options;
    const size_t nq = request->robot->model->nq;
    options->in_part = false;
    for (unsigned p = 0; p < BOX_PARTS; p++) {
        if ((options->seen >> p & 1u) == 0) {
            return tqa_refuse(request, at, "missing-field",
                              p == 0 ? "add \"lower\": the least q"
                                     : "add \"upper\": the largest q",
                              "the box has no \"%s\"", box_parts[p]);
        }
    }
    for (size_t k = 0; k < nq; k++) {
        if (!(options->box[k] <= options->box[nq + k])) {
            return tqa_refuse(request, at, "invalid-value", "exchange the two",
                              "lower[%zu] lies above upper[%zu]", k, k);
        }
    }
    options->has_box = true;
    return true;
}

static bool payload_end(tqa_request *request, uint64_t at)
{
    tqa_options *options = &request->options;
    const tqa_payload *payload = &options->payload;
    options->in_part = false;
    for (unsigned p = 0; p < TQA_PAYLOAD_INERTIA; p++) {
        if ((options->seen >> p & 1u) == 0) {
            return tqa_refuse(request, at, "missing-field", payload_parts[p].missing,
                              "the payload has no \"%s\"", payload_parts[p].name);
        }
    }
    if (!(payload->mass >= 0.0)) {
        return tqa_refuse(request, at, "invalid-value", "a mass is 0 or more",
                          "the payload has a mass of %g kg", payload->mass);
    }
    const double *i = payload->inertia;
    const double trace = fabs(i[0]) + fabs(i[4]) + fabs(i[8]);
    for (unsigned k = 0; k < 3; k++) {
        const unsigned row = k == 2 ? 1 : 0, column = k == 0 ? 1 : 2;
        if (fabs(i[3 * row + column] - i[3 * column + row]) > 1e-9 * trace) {
            return tqa_refuse(request, at, "invalid-value", "Ixy = -integral of x y dm, both times",
                              "the payload's inertia is not symmetric");
        }
    }
    const double about_com[6] = {i[0], i[1], i[2], i[4], i[5], i[8]};
    if (!tqa_inertia_is_possible(about_com)) {
        return tqa_refuse(request, at, "inertia",
                          "POST /v1/inertia says what is wrong with it, and the nearest possible",
                          "no body has the payload's inertia: a principal moment is negative");
    }
    options->has_payload = true;
    return true;
}

/* "limits": what the robot says of its joints */
static bool box_string(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    const tq_model *model = request->robot->model;
    if (request->depth > 1 || !is_word("limits", text, n)) {
        return tqa_refuse_type(request, at, object_wanted(request), "a string");
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (uint32_t k = 0; k < joint->nq; k++) {
            const bool bounded = joint->nq == 1 && joint->kind != TQ_JOINT_CONTINUOUS;
            request->options.box[joint->q_index + k] = bounded ? joint->limits.lower : -HUGE_VAL;
            request->options.box[model->nq + joint->q_index + k] =
                bounded ? joint->limits.upper : HUGE_VAL;
        }
    }
    request->options.has_box = request->options.box_in_order = true;
    return true;
}

/* Into the robot's order: `joints` may come after the box. */
static bool box_finish(tqa_request *request)
{
    tqa_options *options = &request->options;
    if (!options->box_in_order && request->reordered) {
        /* the second half of the arena's box is room for this */
        const size_t nq = request->robot->model->nq;
        memcpy(options->box + 2 * nq, options->box, 2 * nq * sizeof(double));
        for (size_t r = 0; r < nq; r++) {
            options->box[request->q_map[r]] = options->box[2 * nq + r];
            options->box[nq + request->q_map[r]] = options->box[3 * nq + r];
        }
    }
    return true;
}

const tqa_receiver tqa_box_receiver = {.place = object_place,
                                       .finish = box_finish,
                                       .wanted = object_wanted,
                                       .begin_map = object_begin,
                                       .end_map = box_end,
                                       .key = object_key,
                                       .begin_array = object_begin_array,
                                       .end_array = object_end_array,
                                       .numbers = object_numbers,
                                       .string = box_string,
                                       .bare = true};

const tqa_receiver tqa_payload_receiver = {.place = object_place,
                                           .wanted = object_wanted,
                                           .begin_map = object_begin,
                                           .end_map = payload_end,
                                           .key = object_key,
                                           .begin_array = object_begin_array,
                                           .end_array = object_end_array,
                                           .numbers = object_numbers,
                                           .string = payload_string};
