/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/rows.c - rows of a simulation, in memory or in the host's spool. */
#include <math.h>
#include <string.h>

#include "api/operations/simulate/simulate.h"

enum { HELD_NUMBERS = 1 << 14 }; /* of rows on their way to the spool: 128 KiB */

bool tqa_simulation_add_column(tqa_simulation *s, const tqa_column *column)
{
    if (s->n_column == TQA_COLUMNS_MAX) {
        return tqa_problem_set(s->tree->problem, "too-large", "too many arrays of a result");
    }
    s->columns[s->n_column++] = *column;
    s->width += column->n;
    return true;
}

bool tqa_simulation_open_rows(tqa_simulation *s)
{
    const tqa_host *host = s->tree->host;
    s->spooled = host != NULL && host->spool_write != NULL && host->spool_read != NULL;
    s->held_max = s->spooled ? (HELD_NUMBERS + s->width - 1) / s->width : s->n_output + 1;
    if (!s->spooled && s->held_max > TQA_TREE_ANSWER_MAX / s->width) {
        const tqa_value root = tqa_value_root(s->tree);
        const tqa_value output = tqa_value_field(&root, "output");
        return tqa_value_refuse(&output, "too-large", "a longer interval, or send it as a job",
                                "%zu output samples, but an answer at once has %zu at most",
                                s->n_output, TQA_TREE_ANSWER_MAX / s->width - 1);
    }
    s->rows = tqa_tree_take(s->tree, s->held_max * s->width, sizeof *s->rows);
    return s->rows != NULL;
}

bool tqa_simulation_flush(tqa_simulation *s)
{
    const tqa_host *host = s->tree->host;
    if (!s->spooled || s->n_held == 0) {
        return true;
    }
    const size_t row = s->width * sizeof *s->rows;
    if (host->spool_write(host->ctx, (uint64_t)(s->n_row - s->n_held) * row, s->rows,
                          s->n_held * row) != 0) {
        return tqa_problem_set(s->tree->problem, "busy", "there is no room for the result now");
    }
    s->n_held = 0;
    return true;
}

bool tqa_simulation_add_row(tqa_simulation *s)
{
    if (s->n_held == s->held_max && !tqa_simulation_flush(s)) {
        return false;
    }
    double *row = s->rows + s->n_held * s->width;
    tq_error error = {0};
    const tq_status status = tq_run_rates(s->run, &s->rates, &error);
    if (status != TQ_OK) {
        s->ended = tq_status_text(status);
        return false;
    }
    *row++ = s->run->t;
    for (size_t c = 0; c < s->n_column; c++) {
        if (!s->columns[c].fill(s, row)) {
            return false;
        }
        for (size_t k = 0; k < s->columns[c].n; k++) {
            if (!isfinite(row[k])) {
                s->ended = "a result is too large for a number";
                return false;
            }
        }
        row += s->columns[c].n;
    }
    s->n_held++;
    s->n_row++;
    return true;
}

bool tqa_simulation_read_rows(tqa_simulation *s, size_t first, size_t n, double *ret)
{
    if (!s->spooled) {
        memcpy(ret, s->rows + first * s->width, n * s->width * sizeof *ret);
        return true;
    }
    const tqa_host *host = s->tree->host;
    const size_t row = s->width * sizeof *ret;
    const long got = host->spool_read(host->ctx, (uint64_t)first * row, ret, n * row);
    return got >= 0 && (size_t)got == n * row;
}
