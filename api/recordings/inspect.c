/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/inspect.c - passes a recording's rows to the survey of core/signal; options chosen
   for all recordings. */
#include "api/recordings/ahead.h"
#include "api/recordings/commanded.h"
#include "core/signal/bandwidth.h"
#include "core/signal/braked.h"
#include "core/signal/own/own_cutoff.h"
#include "core/signal/plausibility.h"
#include "core/signal/survey.h"

/* Units that the request does not state are checked. */
static unsigned checks_of(const tqa_recording *recording)
{
    const tqa_recording_request *request = recording->request;
    const bool *known = request->unit_known;
    const bool *scaled = request->scaled;
    unsigned check = 0;
    if (recording->n_time > 0 && !recording->time_unit_known && !known[TQA_RECORDING_TIME]) {
        check |= TQ_CHECK_TIME;
    }
    if (!known[TQA_RECORDING_Q] && !recording->unit_known[TQA_RECORDING_Q] &&
        !scaled[TQA_RECORDING_Q]) {
        check |= TQ_CHECK_POSITION;
    }
    if (recording->is_commanded && request->law->n_unknown > 0) {
        return check; /* the size of its torque says nothing yet */
    }
    if ((request->need & (1u << TQA_RECORDING_TAU | 1u << TQA_RECORDING_Q_CMD)) != 0) {
        check |= TQ_CHECK_TORQUE | (recording->fits_signs ? 0u : (unsigned)TQ_CHECK_SIGN);
    }
    if (!known[TQA_RECORDING_TAU] || request->in_amperes) {
        check |= TQ_CHECK_EFFORT;
    }
    if (!known[TQA_RECORDING_TAU] && !scaled[TQA_RECORDING_TAU]) {
        check |= TQ_CHECK_GRAVITY;
    }
    return check;
}

static bool give_memory(const tqa_recording *recording, tq_survey *survey)
{
    const size_t n = tq_survey_wants(survey);
    void *memory = n > 0 ? tqa_tree_take(recording->request->tree, n, 1) : NULL;
    if (memory != NULL) {
        tq_survey_give(survey, memory);
    }
    return n == 0 || memory != NULL;
}

/* A survey and its place in a group of rows. */
typedef struct surveyor {
    tqa_recording *recording;
    tq_survey survey;
    size_t run, at;
    tq_status status;
    tq_error error;
} surveyor;

/* Takes rows of the group up to its end, or up to standstills that need memory. */
static void push_group(void *ctx, const tqa_run_group *group)
{
    surveyor *s = ctx;
    while (s->run < group->n && s->status == TQ_OK && tq_survey_wants(&s->survey) == 0) {
        const tq_raw_rows *rows = &group->rows[s->run];
        s->status = tq_survey_push(&s->survey, rows, &s->at, &s->error);
        if (s->at == rows->n) {
            s->run++;
            s->at = 0;
        }
    }
}

/* The rest of the group, with memory. */
static bool end_group(void *ctx, const tqa_run_group *group)
{
    surveyor *s = ctx;
    while (s->run < group->n && s->status == TQ_OK) {
        if (!give_memory(s->recording, &s->survey)) {
            return false;
        }
        push_group(s, group);
    }
    s->run = 0;
    return s->status == TQ_OK || tqa_recording_fail(s->recording, s->status, NULL, &s->error);
}

static bool survey_rows(tqa_recording *recording, tqa_recording_rows *rows)
{
    tqa_tree *tree = recording->request->tree;
    tq_recording_fault fault = {0};
    tq_error error = {0};
    tq_scratch memory;
    surveyor s = {.recording = recording};
    const tqa_group_receiver receiver = {.compute = push_group, .between = end_group, .ctx = &s};
    recording->signal.is_windowed = recording->n_window > 0;
    recording->signal.check = checks_of(recording);
    if (!tqa_tree_scratch(tree, tq_survey_size(&recording->signal), &memory)) {
        return false;
    }
    tq_status status = tq_survey_begin(&recording->signal, &memory, &s.survey, &error);
    if (status == TQ_OK &&
        (!tqa_recording_rows_ahead(rows, &receiver) || !give_memory(recording, &s.survey))) {
        return false;
    }
    if (status == TQ_OK) {
        recording->signal.n_row = rows->n;
        status = tq_survey_end(&s.survey, &fault, &error);
    }
    return status == TQ_OK || tqa_recording_fail(recording, status, &fault, &error);
}

static bool survey(tqa_recording *recording)
{
    tqa_recording_rows rows;
    const bool good = tqa_recording_rows_open(&rows, recording) && survey_rows(recording, &rows);
    tqa_recording_rows_close(&rows);
    return good;
}

/* Plausibility and spectra of the first stretch of motion. */
static bool measure(void *ctx, const tq_uniform *even)
{
    tqa_recording *recording = ctx;
    tqa_tree *tree = recording->request->tree;
    const size_t check = tq_recording_check_size(recording->signal.options->mechanism);
    const size_t spectra = tq_recording_measure_size(&recording->signal, even->n);
    tq_recording_fault fault = {0};
    tq_error error = {0};
    tq_scratch scratch;
    if (!tqa_tree_scratch(tree, check > spectra ? check : spectra, &scratch)) {
        return false;
    }
    tq_status status = tq_recording_check(&recording->signal, even, &scratch, &fault, &error);
    if (status == TQ_OK) {
        status = tq_recording_measure(&recording->signal, even, &scratch, &error);
    }
    tqa_tree_give_scratch(tree, &scratch);
    return status == TQ_OK || tqa_recording_fail(recording, status, &fault, &error);
}

bool tqa_recording_inspect(tqa_recording *recording)
{
    return survey(recording) && tqa_commanded_check(recording) &&
           tqa_recording_inspect_motion(recording, measure, recording);
}

/* ------------------------------------------------------------------------------------------------
   Options for all recordings */

/* NULL: the problem is set */
static tq_recording **list_of(const tqa_recording_request *request, tqa_recording *recordings,
                              size_t n)
{
    tq_recording **list = tqa_tree_take(request->tree, n, sizeof(void *));
    for (size_t i = 0; list != NULL && i < n; i++) {
        list[i] = &recordings[i].signal;
    }
    return list;
}

bool tqa_recording_find_braked(const tqa_recording_request *request, tqa_recording *recordings,
                               size_t n, size_t n_all)
{
    tqa_tree *tree = request->tree;
    tq_recording **list = list_of(request, recordings, n_all);
    tq_error error = {0};
    tq_scratch scratch;
    if (list == NULL ||
        !tqa_tree_scratch(tree, tq_recording_braked_size(request->options.mechanism), &scratch)) {
        return false;
    }
    const tq_status status = tq_recording_find_braked(list, n, n_all, &scratch, &error);
    tqa_tree_give_scratch(tree, &scratch);
    return status == TQ_OK || tqa_tree_fail(tree, "", status, &error);
}

void tqa_recording_choose_cutoff(tqa_recording_request *request, tqa_recording *recordings,
                                 size_t n, size_t n_judged)
{
    tq_recording **list = list_of(request, recordings, n > n_judged ? n : n_judged);
    tq_scratch scratch;
    if (list != NULL &&
        tqa_tree_scratch(request->tree, tq_recording_choose_cutoff_size(&request->options),
                         &scratch)) {
        tq_recording_choose_cutoff(&request->options, list, n, n_judged, &scratch);
    }
}

bool tqa_recording_choose_own(tqa_recording_request *request, tqa_recording *recordings, size_t n)
{
    tq_recording **list = list_of(request, recordings, n);
    double *own = tqa_tree_take(request->tree, request->options.model->nv + 1, sizeof *own);
    if (list == NULL || own == NULL) {
        return false;
    }
    request->options.filter.own =
        tq_recording_choose_own(&request->options, list, n, own) ? own : NULL;
    return true;
}

void tqa_recording_choose_decimation(tqa_recording_request *request, tqa_recording *recordings,
                                     size_t n, double n_sample)
{
    tq_recording **list = list_of(request, recordings, n);
    if (list != NULL) {
        tq_recording_choose_decimation(&request->options, list, n, n_sample);
    }
}
