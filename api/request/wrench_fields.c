/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/wrench_fields.c - reads external wrenches; every part of one must be stated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/request/refuse.h"
#include "api/request/request.h"
#include "api/request/robot_fields.h"

/* Room for n wrenches. */
static bool grow(tqa_request *request, uint64_t at, size_t n)
{
    tqa_wrenches *wrenches = &request->wrenches;
    if (n > TQA_WRENCH_MAX) {
        return tqa_refuse(request, at, "too-large", "add up those of one link",
                          "at most %d wrenches are taken", TQA_WRENCH_MAX);
    }
    if (n > wrenches->n_room) {
        const size_t n_room = n < 4 ? 4 : 2 * n;
        tqa_wrench *items = realloc(wrenches->items, n_room * sizeof *items);
        if (items == NULL) {
            return tqa_refuse_rows(request, at, NULL, TQA_ROWS_MEMORY);
        }
        wrenches->items = items;
        wrenches->n_room = n_room;
    }
    while (wrenches->n < n) {
        tqa_wrench *wrench = &wrenches->items[wrenches->n++];
        *wrench = (tqa_wrench){.link = TQ_NONE};
        tqa_blocks_init(&wrench->blocks, 6, NULL, request->budget);
        tqa_rows_init(&wrench->force, 0, 3);
        tqa_rows_init(&wrench->moment, 3, 3);
    }
    return true;
}

static bool stream_wrench(tqa_request *request, uint64_t at, const char *key, size_t n,
                          tqa_stream *ret)
{
    const bool is_force = n == 5 && memcmp(key, "force", n) == 0;
    const bool is_moment = n == 6 && memcmp(key, "moment", n) == 0;
    size_t w = 0;
    if (!(is_force || is_moment) || !tqa_tree_in_element(request->tree, &w)) {
        return true;
    }
    if (!grow(request, at, w + 1)) {
        return false;
    }
    tqa_wrench *wrench = &request->wrenches.items[w];
    bool *has = is_force ? &wrench->has_force : &wrench->has_moment;
    tqa_tree_skip_member(request->tree);
    if (*has) {
        return tqa_refuse_key(request, at, "duplicate-field", key, n, "give it once");
    }
    *has = true;
    *ret = (tqa_stream){
        .rows = is_force ? &wrench->force : &wrench->moment,
        .blocks = &wrench->blocks,
        .name = is_force ? "force" : "moment",
        .wanted = "3 numbers, or an array of 3 numbers for each sample",
    };
    return true;
}

/* All of a wrench but its numbers. */
static bool read_wrench(const tqa_value *value, tqa_wrench *wrench)
{
    tqa_load load;
    double sign = 1.0;
    tqa_needed needed[TQA_LOAD_NEEDED + 1] = {{NULL, NULL}};
    /* force and moment are not in the tree */
    const bool any = wrench->has_force || wrench->has_moment;
    memcpy(needed, tqa_load_needed, (any ? TQA_PLACE_NEEDED : TQA_LOAD_NEEDED) * sizeof *needed);
    if (!tqa_value_fields(value, tqa_load_fields, needed) ||
        !tqa_value_place(value, &load, &sign)) {
        return false;
    }
    wrench->link = load.point.link;
    memcpy(wrench->at, load.point.at, sizeof wrench->at);
    wrench->negative = sign < 0.0;
    wrench->expressed_in = load.in_link ? TQ_FRAME_LINK : TQ_FRAME_WORLD;
    return true;
}

static bool read_wrenches(tqa_request *request, const tqa_value *value)
{
    size_t n = 0;
    if (!tqa_value_list(value, "an array of wrenches", &n) || !grow(request, UINT64_MAX, n)) {
        return false;
    }
    for (size_t w = 0; w < n; w++) {
        const tqa_value item = tqa_value_item(value, w);
        if (!read_wrench(&item, &request->wrenches.items[w])) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * The whole request is there
 */

static bool refuse_count(tqa_request *request, size_t w, const char *part, size_t n)
{
    return tqa_refuse(request, UINT64_MAX, "wrong-length",
                      "give 3 numbers for all samples, or 3 for each sample",
                      "/external_wrenches/%zu/%s has %zu samples, the motion has %zu", w, part, n,
                      request->n_sample);
}

/* A force or a moment that is left out is zero, for all samples. */
static bool assume_none(tqa_request *request, tqa_wrench *wrench, tqa_rows *rows)
{
    static const double zero[3] = {0.0};
    if (!tqa_blocks_reserve(&wrench->blocks, 1)) {
        return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
    }
    tqa_blocks_put(&wrench->blocks, rows->first_row, rows->n_row, 0, zero, rows->n_row, 1);
    rows->shape = TQA_SHAPE_FLAT;
    rows->n_sample = 1;
    return true;
}

/* Force and moment side by side: both constant, or both with a sample for each of the motion. */
static bool join(tqa_request *request, size_t w)
{
    tqa_wrench *wrench = &request->wrenches.items[w];
    tqa_rows *const both[2] = {&wrench->force, &wrench->moment};
    static const char *const names[2] = {"force", "moment"};
    wrench->constant = true;
    for (size_t k = 0; k < 2; k++) {
        if (!(k == 0 ? wrench->has_force : wrench->has_moment)) {
            if (!assume_none(request, wrench, both[k])) {
                return false;
            }
        }
        if (both[k]->shape == TQA_SHAPE_BATCH) {
            wrench->constant = false;
            if (both[k]->n_sample != request->n_sample) {
                return refuse_count(request, w, names[k], both[k]->n_sample);
            }
        }
    }
    for (size_t k = 0; k < 2 && !wrench->constant; k++) {
        if (both[k]->shape == TQA_SHAPE_FLAT &&
            !tqa_rows_repeat(both[k], &wrench->blocks, request->n_sample)) {
            return tqa_refuse_rows(request, UINT64_MAX, NULL, TQA_ROWS_MEMORY);
        }
    }
    return true;
}

static void negate(tqa_blocks *blocks, size_t n_sample)
{
    for (size_t b = 0; b < tq_block_count(n_sample); b++) {
        double *block = tqa_blocks_block(blocks, b);
        const size_t n = tq_block_samples(n_sample, b);
        for (size_t r = 0; r < blocks->n_row; r++) {
            for (size_t i = 0; i < n; i++) {
                block[r * blocks->stride + i] = -block[r * blocks->stride + i];
            }
        }
    }
}

static bool wrenches_arrive(tqa_request *request)
{
    for (size_t w = 0; w < request->wrenches.n; w++) {
        tqa_wrench *wrench = &request->wrenches.items[w];
        if (!join(request, w)) {
            return false;
        }
        const size_t n = wrench->constant ? 1 : request->n_sample;
        if (wrench->negative) {
            negate(&wrench->blocks, n);
        }
        tqa_blocks_pad(&wrench->blocks, n);
    }
    return true;
}

const tqa_receiver tqa_wrench_receiver = {
    .stream = stream_wrench,
    .read = read_wrenches,
    .arrive = wrenches_arrive,
};
