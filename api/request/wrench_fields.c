/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/wrench_fields.c - reads external wrenches; every part of one must be stated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/request/refuse.h"
#include "api/request/request.h"

/* Name of each part, what it takes, and what to add when it is missing. */
static const struct {
    const char *name, *wanted, *missing;
} parts[TQA_WRENCH_PART_COUNT] = {
    [TQA_WRENCH_LINK] = {"link", "the name of a link",
                         "add \"link\": the name of the link that the wrench acts on"},
    [TQA_WRENCH_FORCE] = {"force", "3 numbers, or an array of 3 numbers for each sample",
                          "add \"force\": [x, y, z] in N ([0, 0, 0] for a pure moment)"},
    [TQA_WRENCH_MOMENT] = {"moment", "3 numbers, or an array of 3 numbers for each sample",
                           "add \"moment\": [x, y, z] in N m ([0, 0, 0] for a pure force)"},
    [TQA_WRENCH_AT] = {"at", "\"origin\", \"com\" or 3 numbers",
                       "add \"at\": \"origin\", \"com\" or [x, y, z] in the link frame"},
    [TQA_WRENCH_APPLIED_TO] = {"applied_to", "\"robot\" or \"environment\"",
                               "add \"applied_to\": \"robot\" or \"environment\""},
    [TQA_WRENCH_EXPRESSED_IN] = {"expressed_in", "\"world\" or \"link\"",
                                 "add \"expressed_in\": \"world\" or \"link\""},
};

static tqa_wrench *open_wrench(tqa_request *request)
{
    return &request->wrenches.items[request->wrenches.n - 1];
}

static tqa_rows *open_rows(tqa_request *request)
{
    tqa_wrench *wrench = open_wrench(request);
    return request->wrenches.part == TQA_WRENCH_FORCE ? &wrench->force : &wrench->moment;
}

static bool takes_rows(const tqa_wrenches *wrenches)
{
    return wrenches->in_part &&
           (wrenches->part == TQA_WRENCH_FORCE || wrenches->part == TQA_WRENCH_MOMENT);
}

static const char *wrench_wanted(const tqa_request *request)
{
    const tqa_wrenches *wrenches = &request->wrenches;
    if (wrenches->depth == 0) {
        return "an array of wrenches";
    }
    return wrenches->in_part ? parts[wrenches->part].wanted : "an object that states a wrench";
}

static bool refuse_part(tqa_request *request, uint64_t at, const char *got)
{
    return tqa_refuse_type(request, at, wrench_wanted(request), got);
}

static void wrenches_place(const tqa_request *request, char *pointer)
{
    const tqa_wrenches *wrenches = &request->wrenches;
    if (wrenches->depth == 0) {
        return;
    }
    /* between wrenches, the next one is meant */
    tqa_place_index(pointer, wrenches->depth == 1 ? wrenches->n : wrenches->n - 1);
    if (!wrenches->in_part) {
        return;
    }
    const tqa_wrench *wrench = &wrenches->items[wrenches->n - 1];
    tqa_place_key(pointer, parts[wrenches->part].name, strlen(parts[wrenches->part].name));
    if (takes_rows(wrenches)) {
        const bool force = wrenches->part == TQA_WRENCH_FORCE;
        tqa_place_rows(pointer, force ? &wrench->force : &wrench->moment, request->whole);
    } else if (wrenches->depth > 2 && !request->whole) {
        tqa_place_index(pointer, wrenches->n_at);
    }
}

static bool begin_wrench(tqa_request *request, uint64_t at)
{
    tqa_wrenches *wrenches = &request->wrenches;
    if (wrenches->depth != 1) {
        return refuse_part(request, at, "an object");
    }
    if (wrenches->n == TQA_WRENCH_MAX) {
        return tqa_refuse(request, at, "too-large", "add up those of one link",
                          "at most %d wrenches are taken", TQA_WRENCH_MAX);
    }
    if (wrenches->n == wrenches->n_room) {
        const size_t n = wrenches->n_room > 0 ? 2 * wrenches->n_room : 4;
        tqa_wrench *items = realloc(wrenches->items, n * sizeof *items);
        if (items == NULL) {
            return tqa_refuse_rows(request, at, NULL, TQA_ROWS_MEMORY);
        }
        wrenches->items = items;
        wrenches->n_room = n;
    }
    tqa_wrench *wrench = &wrenches->items[wrenches->n++];
    *wrench = (tqa_wrench){.link = TQ_NONE};
    tqa_blocks_init(&wrench->blocks, 6, NULL, request->budget);
    tqa_rows_init(&wrench->force, 0, 3);
    tqa_rows_init(&wrench->moment, 3, 3);
    wrenches->depth++;
    wrenches->in_part = false;
    return true;
}

static bool end_wrench(tqa_request *request, uint64_t at)
{
    const tqa_wrench *wrench = open_wrench(request);
    request->wrenches.in_part = false;
    for (size_t p = 0; p < TQA_WRENCH_PART_COUNT; p++) {
        if (((unsigned)wrench->seen >> p & 1u) == 0) {
            return tqa_refuse(request, at, "missing-field", parts[p].missing,
                              "the wrench has no \"%s\"", parts[p].name);
        }
    }
    request->wrenches.depth--;
    return true;
}

static bool wrench_key(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    tqa_wrenches *wrenches = &request->wrenches;
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, text, n);
    wrenches->in_part = false;
    for (size_t p = 0; p < TQA_WRENCH_PART_COUNT; p++) {
        tqa_nearest_offer(&nearest, parts[p].name);
        if (strlen(parts[p].name) != n || memcmp(parts[p].name, text, n) != 0) {
            continue;
        }
        if (((unsigned)open_wrench(request)->seen >> p & 1u) != 0) {
            return tqa_refuse_key(request, at, "duplicate-field", text, n, "give it once");
        }
        open_wrench(request)->seen |= (uint8_t)(1u << p);
        wrenches->part = (tqa_wrench_part)p;
        wrenches->in_part = true;
        return true;
    }
    return tqa_refuse_key(request, at, "unknown-field", text, n, tqa_nearest_hint(&nearest));
}

static bool wrench_begin_array(tqa_request *request, uint64_t at)
{
    tqa_wrenches *wrenches = &request->wrenches;
    if (takes_rows(wrenches)) {
        const tqa_rows_fault fault =
            tqa_rows_begin(open_rows(request), &open_wrench(request)->blocks);
        wrenches->depth += fault == TQA_ROWS_OK;
        return tqa_refuse_rows(request, at, open_rows(request), fault);
    }
    const bool opens_at = wrenches->in_part && wrenches->part == TQA_WRENCH_AT;
    if (wrenches->depth != (opens_at ? 2u : 0u)) {
        return refuse_part(request, at, "an array");
    }
    wrenches->n_at = 0;
    wrenches->depth++;
    return true;
}

static bool wrench_end_array(tqa_request *request, uint64_t at)
{
    tqa_wrenches *wrenches = &request->wrenches;
    if (takes_rows(wrenches)) {
        const tqa_rows_fault fault =
            tqa_rows_end(open_rows(request), &open_wrench(request)->blocks);
        wrenches->depth -= fault == TQA_ROWS_OK;
        return tqa_refuse_rows(request, at, open_rows(request), fault);
    }
    if (wrenches->depth == 3 && wrenches->n_at != 3) {
        request->whole = true;
        return tqa_refuse(request, at, "wrong-length", "a point is [x, y, z] in the link frame, m",
                          "expected 3 numbers, got %zu", wrenches->n_at);
    }
    wrenches->depth--;
    return true;
}

static bool wrench_numbers(tqa_request *request, uint64_t at, const double *values, size_t n)
{
    tqa_wrenches *wrenches = &request->wrenches;
    if (wrenches->depth < 3) {
        return refuse_part(request, at, "a number");
    }
    if (takes_rows(wrenches)) {
        return tqa_refuse_rows(
            request, at, open_rows(request),
            tqa_rows_numbers(open_rows(request), &open_wrench(request)->blocks, values, n));
    }
    for (size_t k = 0; k < n; k++, wrenches->n_at++) {
        if (wrenches->n_at < 3) {
            open_wrench(request)->at[wrenches->n_at] = values[k];
        }
    }
    return true;
}

/* One of two words: which. */
static bool one_of(tqa_request *request, uint64_t at, const char *text, size_t n,
                   const char *const words[2], bool *ret_second)
{
    for (size_t k = 0; k < 2; k++) {
        if (strlen(words[k]) == n && memcmp(words[k], text, n) == 0) {
            *ret_second = k == 1;
            return true;
        }
    }
    char hint[TQA_PROBLEM_TEXT];
    tqa_hint_type(parts[request->wrenches.part].wanted, "", hint);
    return tqa_refuse(request, at, "invalid-value", hint, "expected %s",
                      parts[request->wrenches.part].wanted);
}

static bool wrench_string(tqa_request *request, uint64_t at, const char *text, size_t n)
{
    static const char *const places[2] = {"origin", "com"};
    static const char *const sides[2] = {"robot", "environment"};
    static const char *const frames[2] = {"world", "link"};
    tqa_wrenches *wrenches = &request->wrenches;
    if (wrenches->depth != 2 || !wrenches->in_part || takes_rows(wrenches)) {
        return refuse_part(request, at, "a string");
    }
    tqa_wrench *wrench = open_wrench(request);
    if (wrenches->part == TQA_WRENCH_LINK) {
        return tqa_refuse_link(request, at, text, n, &wrench->link);
    }
    if (wrenches->part == TQA_WRENCH_AT) {
        return one_of(request, at, text, n, places, &wrench->at_com);
    }
    if (wrenches->part == TQA_WRENCH_APPLIED_TO) {
        return one_of(request, at, text, n, sides, &wrench->by_robot);
    }
    bool in_link = false;
    const bool known = one_of(request, at, text, n, frames, &in_link);
    wrench->expressed_in = in_link ? TQ_FRAME_LINK : TQ_FRAME_WORLD;
    return known;
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

/* Force and moment side by side: both constant, or both with a sample for each of the motion. */
static bool join(tqa_request *request, size_t w)
{
    tqa_wrench *wrench = &request->wrenches.items[w];
    tqa_rows *const both[2] = {&wrench->force, &wrench->moment};
    static const char *const names[2] = {"force", "moment"};
    wrench->constant = true;
    for (size_t k = 0; k < 2; k++) {
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
    const tq_model *model = request->robot->model;
    for (size_t w = 0; w < request->wrenches.n; w++) {
        tqa_wrench *wrench = &request->wrenches.items[w];
        if (!join(request, w)) {
            return false;
        }
        const size_t n = wrench->constant ? 1 : request->n_sample;
        if (wrench->by_robot) {
            negate(&wrench->blocks, n);
        }
        tqa_blocks_pad(&wrench->blocks, n);
        if (wrench->at_com) {
            memcpy(wrench->at, model->links[wrench->link].inertia.com, sizeof wrench->at);
        }
    }
    return true;
}

const tqa_receiver tqa_wrench_receiver = {
    .place = wrenches_place,
    .arrive = wrenches_arrive,
    .wanted = wrench_wanted,
    .begin_map = begin_wrench,
    .end_map = end_wrench,
    .key = wrench_key,
    .begin_array = wrench_begin_array,
    .end_array = wrench_end_array,
    .numbers = wrench_numbers,
    .string = wrench_string,
};
