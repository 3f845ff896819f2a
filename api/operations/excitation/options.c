/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/excitation/options.c - the request: a payload, motions that the model is for,
 * solids that keep their distance. */
#include <string.h>

#include "api/openapi/generated/fields.h"
#include "api/openapi/generated/ranges.h"
#include "api/operations/excitation/excitation.h"
#include "api/operations/unmodelled.h"
#include "api/request/geom_fields.h"
#include "core/identify/payload/payload.h"

enum {
    WANTED_MAX = 16,
    WANTED_SAMPLES = 200, /* of each motion */
};

static const char *const identified[] = {TQA_WORDS_EXCITATION_REQUEST_IDENTIFY, NULL};
enum { ROBOT, PAYLOAD };
/* m; of static-poses too */
static const double clearance_default = TQA_RANGE_EXCITATION_REQUEST_CLEARANCE_M_DEFAULT;

static bool read_payload(tqa_excitation *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value identify = tqa_value_field(&root, "identify");
    const tqa_value link = tqa_value_field(&root, "link");
    const tq_model *model = e->tree->robot->model;
    unsigned word = ROBOT;
    e->link = TQ_NONE;
    if (identify.value != NULL && !tqa_value_choice(&identify, identified, &word)) {
        return false;
    }
    if (word != PAYLOAD) {
        return link.value == NULL ||
               tqa_value_refuse(&link, "invalid-value", "add \"identify\": \"payload\"",
                                "a link is named, and no payload is to be identified");
    }
    e->link = tq_payload_last_link(model);
    if (link.value != NULL && !tqa_value_link(&link, &e->link)) {
        return false;
    }
    if (!tqa_payload_weighs(&link, e->link)) {
        return false;
    }
    return tq_payload_is_moved(model, e->link) ||
           tqa_value_refuse(&link, "invalid-value", "name a link beyond a moving joint",
                            "no joint moves that link: no torque depends on its payload");
}

bool tqa_excitation_take_columns(tqa_excitation *e)
{
    const tq_model *model = e->tree->robot->model;
    const size_t n = tq_parameter_count(model, e->task.with);
    if (e->link == TQ_NONE) {
        return true;
    }
    e->column_is_used = tqa_tree_take(e->tree, n, sizeof *e->column_is_used);
    for (size_t c = 0; e->column_is_used != NULL && c < n; c++) {
        e->column_is_used[c] = e->list[c].link == TQ_NONE || e->list[c].link == e->link;
    }
    return e->column_is_used != NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Motions that the model is for
 */

static bool read_wanted(tqa_excitation *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value list = tqa_value_field(&root, "task");
    if (list.value == NULL) {
        return true;
    }
    if (!tqa_value_array(&list, 1, WANTED_MAX, &e->n_wanted)) {
        return false;
    }
    e->wanted = tqa_tree_take(e->tree, e->n_wanted, sizeof *e->wanted);
    if (e->wanted == NULL) {
        return false;
    }
    for (size_t k = 0; k < e->n_wanted; k++) {
        const tqa_value item = tqa_value_item(&list, k);
        if (!tqa_reference_object(&item) ||
            !tqa_value_reference(&item, &e->order,
                                 TQA_PATH_WAYPOINTS | TQA_PATH_FOURIER | TQA_PATH_TABLE, NULL,
                                 &e->wanted[k])) {
            return false;
        }
    }
    return true;
}

bool tqa_excitation_take_wanted(tqa_excitation *e)
{
    const size_t nv = e->order.nv;
    if (e->n_wanted == 0) {
        return true;
    }
    double *states = tqa_tree_take(e->tree, e->n_wanted * WANTED_SAMPLES * 3 * nv, sizeof *states);
    double *to = states;
    for (size_t k = 0; states != NULL && k < e->n_wanted; k++) {
        const tqa_reference *r = &e->wanted[k];
        if (!tqa_reference_prepare(&e->wanted[k])) {
            return false;
        }
        for (size_t i = 0; i < WANTED_SAMPLES; i++, to += 3 * nv) {
            const double part = ((double)i + 0.5) / (double)WANTED_SAMPLES;
            tq_reference_at(&r->motion, r->begin + part * (r->end - r->begin), to, to + nv,
                            to + 2 * nv);
        }
    }
    e->task.wanted = states;
    e->task.n_wanted = e->n_wanted * WANTED_SAMPLES;
    return states != NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Solids
 */

static bool read_solids(tqa_excitation *e)
{
    const tqa_value root = tqa_value_root(e->tree);
    const tqa_value shapes = tqa_value_field(&root, "shapes");
    const tqa_value exclude = tqa_value_field(&root, "exclude");
    const tqa_value adjacent = tqa_value_field(&root, "adjacent");
    const tqa_value least = tqa_value_field(&root, "clearance_m");
    tqa_geoms geoms = {0};
    bool with_adjacent = false;
    e->clearance.least = clearance_default;
    if (shapes.value == NULL) {
        const tqa_value *alone = exclude.value != NULL    ? &exclude
                                 : adjacent.value != NULL ? &adjacent
                                                          : &least;
        return alone->value == NULL ||
               tqa_value_refuse(alone, "missing-field", "add \"shapes\", as of `distance`",
                                "no solids are given that could touch");
    }
    if (!tqa_value_geoms(&shapes, &geoms) ||
        (adjacent.value != NULL && !tqa_value_flag(&adjacent, &with_adjacent)) ||
        (least.value != NULL &&
         !tqa_value_within(&least, 0.0, TQA_RANGE_EXCITATION_REQUEST_CLEARANCE_M_MOST,
                           &e->clearance.least))) {
        return false;
    }
    bool *marks = tqa_tree_take(e->tree, geoms.n * geoms.n, sizeof *marks);
    uint32_t(*pairs)[2] = tqa_tree_take(e->tree, geoms.n * geoms.n, sizeof *pairs);
    if (marks == NULL || pairs == NULL || !tqa_value_excluded(&exclude, &geoms, marks)) {
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < geoms.n; i++) {
        for (size_t j = i + 1; j < geoms.n; j++) {
            if (tqa_geom_pair(e->tree->robot, &geoms, marks, with_adjacent, i, j) ==
                TQA_PAIR_FREE) {
                pairs[n][0] = (uint32_t)i;
                pairs[n++][1] = (uint32_t)j;
            }
        }
    }
    e->clearance.geoms = geoms.geoms;
    e->clearance.n_geom = geoms.n;
    e->clearance.pairs = (const uint32_t(*)[2])pairs;
    e->clearance.n_pair = n;
    e->task.clearance = n > 0 ? &e->clearance : NULL;
    return true;
}

bool tqa_excitation_read_options(tqa_excitation *e)
{
    return read_payload(e) && read_wanted(e) && read_solids(e);
}
