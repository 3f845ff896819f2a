/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/row_cache.c - rows that the survey of a log leaves in memory: all of a short log,
 * runs of them spread over a long one. */
#include <string.h>

#include "api/recordings/parts.h"

/* A run must leave something between the ends that a filter takes; doubling the distance between
 * runs whenever memory is full spreads them evenly, whatever the length turns out to be. */
enum { RUN_MOST = 4096, RUN_LEAST = 512, RUNS_LEAST = 4 };
static const size_t bytes_max = (size_t)16 << 20; /* of all logs of a request */

bool tqa_row_cache_keep_begin(tqa_recording *log)
{
    tqa_row_cache *kept = &log->kept;
    const tqa_recording_request *request = log->request;
    const size_t each = (log->n_channel + 1) * sizeof(double) + sizeof(uint64_t) + 1;
    if (request->n_kept_logs == 0) {
        return true;
    }
    size_t room = TQA_RECORDING_KEPT_ROWS < bytes_max / each ? (size_t)TQA_RECORDING_KEPT_ROWS
                                                             : bytes_max / each;
    room /= request->n_kept_logs;
    room = room / TQA_RECORDING_RUN * TQA_RECORDING_RUN;
    kept->run = room / RUNS_LEAST < RUN_MOST ? room / RUNS_LEAST : (size_t)RUN_MOST;
    kept->run =
        kept->run < TQA_RECORDING_RUN ? room : kept->run / TQA_RECORDING_RUN * TQA_RECORDING_RUN;
    kept->room = kept->run > 0 ? room / kept->run * kept->run : 0;
    kept->every = 1;
    tqa_tree *control = request->control;
    kept->values = tqa_tree_take(control, kept->room * log->n_channel, sizeof(double));
    kept->t = tqa_tree_take(control, kept->room, sizeof(double));
    kept->row = tqa_tree_take(control, kept->room, sizeof(uint64_t));
    kept->state = tqa_tree_take(control, kept->room, 1);
    return kept->values != NULL && kept->t != NULL && kept->row != NULL && kept->state != NULL;
}

/* every second run goes; the last one may be short */
static void thin(tqa_recording *log)
{
    tqa_row_cache *kept = &log->kept;
    const size_t run = kept->run;
    const size_t n = log->n_channel;
    size_t to = 0;
    size_t end = 0;
    for (size_t from = 0; from < kept->n; from += 2 * run, to += run) {
        memmove(kept->values + to * n, kept->values + from * n, run * n * sizeof *kept->values);
        memmove(kept->t + to, kept->t + from, run * sizeof *kept->t);
        memmove(kept->row + to, kept->row + from, run * sizeof *kept->row);
        memmove(kept->state + to, kept->state + from, run);
        end = to + (kept->n - from < run ? kept->n - from : run);
    }
    kept->n = end;
    kept->every *= 2;
}

bool tqa_recording_search_less(tqa_recording *log)
{
    const bool enough =
        tqa_recording_is_sampled(log) && log->kept.n >= 2 * RUNS_LEAST * log->kept.run;
    if (enough) {
        thin(log);
    }
    return enough;
}

/* at the first row of a run: is it kept? */
static bool keeps_run(tqa_recording *log, uint64_t run)
{
    tqa_row_cache *kept = &log->kept;
    if (run % kept->every == 0 && kept->n == kept->room) {
        if (kept->run < RUN_LEAST) { /* nothing would be left of such runs: all of it or none */
            kept->room = kept->n = 0;
            return false;
        }
        thin(log);
    }
    return run % kept->every == 0;
}

void tqa_row_cache_keep(tqa_recording *log, const tqa_recording_rows *rows, size_t i)
{
    tqa_row_cache *kept = &log->kept;
    if (kept->room == 0) {
        return;
    }
    if (kept->in_run == 0) {
        kept->keeps = keeps_run(log, kept->n_run++);
    }
    kept->in_run = kept->in_run + 1 < kept->run ? kept->in_run + 1 : 0;
    if (!kept->keeps) {
        return;
    }
    const size_t block = kept->n / TQA_RECORDING_RUN;
    double *to =
        kept->values + block * log->n_channel * TQA_RECORDING_RUN + kept->n % TQA_RECORDING_RUN;
    for (size_t c = 0; c < log->n_channel; c++) {
        to[c * TQA_RECORDING_RUN] = rows->run[c * TQA_RECORDING_RUN + i];
    }
    kept->t[kept->n] = rows->run_t[i];
    kept->row[kept->n] = rows->run_row[i];
    kept->state[kept->n] = rows->run_state[i];
    kept->n++;
}

bool tqa_recording_is_sampled(const tqa_recording *log)
{
    const double run = (double)log->kept.run * log->period / log->step;
    /* half of a run must be left between its borders */
    return log->kept.n > 0 && log->kept.every > 1 && 4.0 * (double)tqa_recording_border(log) <= run;
}

bool tqa_row_cache_serves(const tqa_recording *log)
{
    const bool is_whole = log->kept.n > 0 && log->kept.every == 1;
    return log->has_survey &&
           (is_whole || (log->request->searches && tqa_recording_is_sampled(log)));
}

void tqa_row_cache_fill(tqa_recording_rows *rows)
{
    const tqa_recording *log = rows->log;
    const tqa_row_cache *kept = &log->kept;
    const size_t left = kept->n - rows->n_kept;
    const size_t n = left < TQA_RECORDING_RUN ? left : (size_t)TQA_RECORDING_RUN;
    if (n == 0) {
        return;
    }
    memcpy(rows->run, kept->values + rows->n_kept * log->n_channel,
           log->n_channel * TQA_RECORDING_RUN * sizeof *rows->run);
    rows->all_good = true;
    for (size_t i = 0; i < n; i++) {
        rows->run_t[i] = kept->t[rows->n_kept + i];
        rows->run_row[i] = kept->row[rows->n_kept + i];
        rows->run_state[i] = kept->state[rows->n_kept + i];
        rows->all_good = rows->all_good && rows->run_state[i] == TQA_ROW_GOOD;
    }
    rows->n_kept += n;
    rows->n_run = n;
}
