/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/answer.c - the answer of a simulation, its arrays printed out of the rows
 * while they are read. */
#include <string.h>

#include "api/codec/writer.h"
#include "api/operations/simulate/simulate.h"
#include "api/response/robot_writer.h"

enum { PIECE_NUMBERS = 1 << 13 }; /* read at once: 64 KiB, or one row */

static size_t piece_rows(const tqa_simulation *s)
{
    return PIECE_NUMBERS / s->width + 1;
}

static const char *outcome(const tqa_simulation *s)
{
    return s->ended == NULL                 ? "completed"
           : s->run->end == TQ_RUN_EVENT    ? "stopped"
           : s->run->end == TQ_RUN_TOO_MUCH ? "unfinished"
                                            : "diverged";
}

static void put_stats(const tqa_simulation *s)
{
    tqa_writer *answer = s->tree->answer;
    const tq_run_options *o = &s->options;
    tqa_writer_object(answer, "stats");
    tqa_writer_string(answer, "method", tqa_simulation_method(o->method));
    if (tq_run_is_adaptive(o->method)) {
        tqa_writer_number(answer, "rtol", o->rtol);
        tqa_writer_number(answer, "atol", o->atol);
    } else {
        tqa_writer_number(answer, "step_s", o->step);
    }
    tqa_writer_count(answer, "steps", s->run->stats.n_step);
    tqa_writer_count(answer, "rejected", s->run->stats.n_rejected);
    tqa_writer_count(answer, "evaluations", s->run->stats.n_evaluation);
    tqa_writer_end(answer);
}

static void put_verdict(const tqa_simulation *s)
{
    tqa_writer *answer = s->tree->answer;
    tqa_writer_object(answer, "verdict");
    tqa_writer_string(answer, "outcome", outcome(s));
    tqa_writer_number(answer, "t", s->run->t);
    if (s->ended != NULL) {
        tqa_writer_string(answer, "reason", s->ended);
    }
    if (s->ended_at != TQ_NONE) {
        const char *term = tqa_simulation_term(s, s->ended_at);
        tqa_writer_string(answer, "joint", s->tree->robot->joint_names[s->ended_at]);
        if (term != NULL) {
            tqa_writer_string(answer, "term", term);
        }
    }
    tqa_run_verdict_put_growth(s);
    tqa_writer_end(answer);
}

/* offset of column c in a row; column n_column is t, which is written first */
static size_t place_of(const tqa_simulation *s, size_t c)
{
    size_t at = 1;
    for (size_t k = 0; k < c; k++) {
        at += s->columns[k].n;
    }
    return at;
}

static bool put_piece(tqa_simulation *s, const tqa_column *column, size_t place)
{
    tqa_writer *answer = s->tree->answer;
    const size_t left = s->n_row - s->next_row;
    const size_t n = left < piece_rows(s) ? left : piece_rows(s);
    if (!tqa_simulation_read_rows(s, s->next_row, n, s->piece)) {
        return false; /* the host has recorded it, and fails the answer */
    }
    tqa_simulation_watch_rows(s, column->name, place, n);
    for (size_t k = 0; k < n; k++) {
        const double *from = s->piece + k * s->width + place;
        for (size_t r = 0; r < column->n; r++) {
            s->line[r] = from[column->map != NULL ? column->map[r] : r];
        }
        tqa_writer_row(answer, s->line, column->n, column->flat);
    }
    s->next_row += n;
    return true;
}

/* the next piece; false: all has been written */
static bool more(tqa_tree *tree)
{
    static const tqa_column time = {.name = "t", .n = 1, .flat = true};
    tqa_simulation *s = tree->state;
    tqa_writer *answer = tree->answer;
    while (s->next_column > 0 && s->next_column <= s->n_column &&
           s->columns[s->next_column - 1].is_hidden) {
        s->next_column++;
    }
    if (s->next_column > s->n_column) {
        tqa_simulation_put_watched(s);
        return false;
    }
    const tqa_column *column = s->next_column == 0 ? &time : &s->columns[s->next_column - 1];
    if (s->next_row == 0) {
        tqa_writer_rows_begin(answer, column->name, s->n_row, column->n, column->flat);
    }
    const size_t place = s->next_column == 0 ? 0 : place_of(s, s->next_column - 1);
    const bool read = s->n_row == 0 || put_piece(s, column, place);
    if (!read || s->next_row == s->n_row) {
        tqa_writer_rows_end(answer);
        s->next_column++;
        s->next_row = 0;
    }
    return true;
}

void tqa_simulation_answer(tqa_simulation *s)
{
    s->piece = tqa_tree_take(s->tree, piece_rows(s) * s->width, sizeof *s->piece);
    s->line = tqa_tree_take(s->tree, s->width, sizeof *s->line);
    tqa_simulation_put_constraints(s);
    tqa_writer_joints(s->tree->answer, s->tree->robot, &s->order);
    put_stats(s);
    put_verdict(s);
    tqa_drives_put(s);
    tqa_simulation_put_contacts(s);
    tqa_writer_events(s->tree, &s->watch);
    tqa_run_verdict_put(s);
    s->tree->more = more;
}
