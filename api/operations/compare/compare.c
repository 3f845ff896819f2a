/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/compare/compare.c - POST /v1/compare: like columns of two recordings or results,
 * the
 * differences over time. Read side by side, row by row. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/call/call.h"
#include "api/codec/writer.h"
#include "api/openapi/generated/fields.h"
#include "api/operations/compare/side.h"

enum { SIDES = 2, PAIRS_MAX = 512, FIRST_ROOM = 1024 };

static const char *const fields[] = {TQA_FIELDS_COMPARE_REQUEST, NULL};
static const char *const letters[SIDES + 1] = {"a", "b", NULL};

/* clocks that were printed with twelve digits agree */
static const double same_time = 1e-12;

typedef struct pair {
    size_t column[SIDES];
    char name[TQA_SIDE_NAME];
    uint64_t n;
    double sum, square, most, most_t;
    uint64_t most_row;
} pair;

typedef struct comparison {
    tqa_tree *tree;
    tqa_side sides[SIDES];
    pair *pairs;
    size_t n_pair;
    bool timed, want_series;
    uint64_t n_row, n_interpolated, n_outside, n_gap;
    double first_t, last_t;
    double *series; /* rows of t (or the row's number) and a difference for each pair */
    size_t series_room;
} comparison;

static double cost_us(const tqa_tree *tree)
{
    (void)tree;
    return 1e6; /* reads files: never on a connection's thread */
}

/* ------------------------------------------------------------------------------- pairs of columns
 * */

/* {"a": COLUMN, "b": COLUMN}, or one for both */
static bool read_both(comparison *c, const tqa_value *part, size_t ret[SIDES])
{
    static const char *const known[] = {TQA_FIELDS_COMPARE_COLUMNS, NULL};
    static const tqa_needed needed[] = {
        {"a", "name its column in `a`"}, {"b", "name its column in `b`"}, {NULL, NULL}};
    if (!json_is_object(part->value)) {
        return tqa_side_column(&c->sides[0], part, &ret[0]) &&
               tqa_side_column(&c->sides[1], part, &ret[1]);
    }
    const tqa_value a = tqa_value_field(part, "a");
    const tqa_value b = tqa_value_field(part, "b");
    return tqa_value_fields(part, known, needed) && tqa_side_column(&c->sides[0], &a, &ret[0]) &&
           tqa_side_column(&c->sides[1], &b, &ret[1]);
}

static bool choose_time(comparison *c, const tqa_value *part)
{
    static const char *const usual[] = {"t", "time", "timestamp", NULL};
    static const char *const orders[] = {TQA_WORDS_COMPARE_REQUEST_BY, NULL};
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value by = tqa_value_field(&root, "by");
    size_t found[SIDES] = {0};
    unsigned order = 0;
    if (by.value != NULL && !tqa_value_choice(&by, orders, &order)) {
        return false;
    }
    if (order == 1 && part->value != NULL) {
        return tqa_value_refuse(part, "invalid-value", "leave it out",
                                "rows are compared by their place");
    }
    if (part->value != NULL) {
        c->timed = read_both(c, part, found);
        c->sides[0].time = found[0];
        c->sides[1].time = found[1];
        return c->timed;
    }
    for (size_t i = 0; i < SIDES; i++) {
        tqa_side *s = &c->sides[i];
        s->time = s->n_column;
        for (size_t k = 0; usual[k] != NULL && s->time == s->n_column && order == 0; k++) {
            s->time = tqa_side_find(s, usual[k]);
        }
    }
    c->timed = c->sides[0].time < c->sides[0].n_column && c->sides[1].time < c->sides[1].n_column;
    return c->timed || by.value == NULL || order == 1 ||
           tqa_value_refuse(&by, "missing-field", "say \"time\": {\"a\": COLUMN, \"b\": COLUMN}",
                            "no column of both is called t, time or timestamp");
}

static bool add_pair(comparison *c, const size_t column[SIDES], const tqa_value *part)
{
    if (c->n_pair == PAIRS_MAX) {
        return tqa_value_refuse(part, "range", "name those that matter in `columns`",
                                "more than %d columns", (int)PAIRS_MAX);
    }
    pair *p = &c->pairs[c->n_pair++];
    memcpy(p->column, column, sizeof p->column);
    p->most = -1.0;
    char name[TQA_SIDE_NAME];
    tqa_side_normal_name(tqa_table_name(c->sides[0].table, column[0]), name);
    if (name[0] == '\0') {
        (void)snprintf(name, sizeof name, "column_%zu", column[0]);
    }
    memcpy(p->name, name, sizeof name);
    return true;
}

static bool choose_columns(comparison *c, const tqa_value *part)
{
    const tqa_side *a = &c->sides[0];
    const tqa_side *b = &c->sides[1];
    size_t column[SIDES];
    size_t n = 0;
    c->pairs = tqa_tree_take(c->tree, PAIRS_MAX, sizeof *c->pairs);
    if (c->pairs == NULL) {
        return false;
    }
    if (part->value != NULL) {
        if (!tqa_value_array(part, 1, PAIRS_MAX, &n)) {
            return false;
        }
        for (size_t i = 0; i < n; i++) {
            const tqa_value item = tqa_value_item(part, i);
            if (!read_both(c, &item, column) || !add_pair(c, column, &item)) {
                return false;
            }
        }
        return true;
    }
    for (column[0] = 0; column[0] < a->n_column; column[0]++) {
        const char *name = tqa_table_name(a->table, column[0]);
        /* tables without names are alike by place when they are equally wide */
        column[1] = name[0] != '\0'              ? tqa_side_alike(a, b, column[0])
                    : a->n_column == b->n_column ? column[0]
                                                 : b->n_column;
        const bool is_time = c->timed && column[0] == a->time;
        if (column[1] < b->n_column && !is_time && !add_pair(c, column, part)) {
            return false;
        }
    }
    return c->n_pair > 0 ||
           tqa_value_refuse(part, "missing-field",
                            "say \"columns\": [{\"a\": COLUMN, \"b\": COLUMN}, ...]",
                            "no column of one has the name of a column of the other");
}

/* ----------------------------------------------------------------------------------- comparing */

/* The next row into `now`; time must not go back. False with the problem set. */
static bool next_row(comparison *c, tqa_side *s)
{
    assert(s->before != NULL && s->now != NULL);
    double *spare = s->before;
    const double *row = tqa_table_next(s->table);
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, letters[s - c->sides]);
    const char *fault = tqa_table_fault(s->table);
    if (fault != NULL) {
        const bool busy = tqa_table_busy(s->table);
        return tqa_value_refuse(&part, busy ? "busy" : "invalid-value",
                                busy ? "try again" : "repair or leave out this row", "row %zu: %s",
                                s->n_row, fault);
    }
    s->ended = row == NULL;
    if (s->ended) {
        return true;
    }
    s->before = s->now;
    s->now = spare;
    memcpy(s->now, row, s->n_column * sizeof *row);
    if (c->timed &&
        !(s->n_row == 0 ? isfinite(s->now[s->time]) : s->now[s->time] > s->before[s->time])) {
        return tqa_value_refuse(&part, "range", "compare row by row: \"by\": \"row\"",
                                "time does not grow at row %zu (counted from 0)", s->n_row);
    }
    s->n_row++;
    return true;
}

/* Where b is at a's time: 1 at its present row, 0 at the one before. False: b is not there. */
static bool find_b(comparison *c, double t, double *ret_weight, bool *ret_found)
{
    tqa_side *b = &c->sides[1];
    const double near = same_time * fmax(1.0, fabs(t));
    while (!b->ended && (b->n_row == 0 || b->now[b->time] < t - near)) {
        if (!next_row(c, b)) {
            return false;
        }
    }
    *ret_found = !b->ended && (b->n_row > 1 || b->now[b->time] <= t + near);
    if (*ret_found) {
        const double span = b->n_row > 1 ? b->now[b->time] - b->before[b->time] : 1.0;
        *ret_weight = b->now[b->time] <= t + near ? 1.0 : (t - b->before[b->time]) / span;
    }
    return true;
}

static bool make_room(comparison *c)
{
    if (!c->want_series || c->n_row < c->series_room) {
        return true;
    }
    const size_t width = c->n_pair + 1;
    const size_t room = c->series_room == 0 ? FIRST_ROOM : 2 * c->series_room;
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value part = tqa_value_field(&root, "include");
    if (room * width > TQA_TREE_ANSWER_MAX) {
        return tqa_value_refuse(&part, "range", "leave it out, or name fewer columns",
                                "the series would have more than %d numbers",
                                (int)TQA_TREE_ANSWER_MAX);
    }
    double *more = tqa_tree_take(c->tree, room * width, sizeof *more);
    if (more == NULL) {
        return false;
    }
    if (c->n_row > 0) {
        memcpy(more, c->series, c->n_row * width * sizeof *more);
    }
    c->series = more;
    c->series_room = room;
    return true;
}

static bool compare_row(comparison *c, double weight)
{
    const tqa_side *a = &c->sides[0];
    const tqa_side *b = &c->sides[1];
    assert(a->now != NULL && b->now != NULL && b->before != NULL);
    const double t = c->timed ? a->now[a->time] : (double)c->n_row;
    if (!make_room(c)) {
        return false;
    }
    double *series = c->want_series ? c->series + c->n_row * (c->n_pair + 1) : NULL;
    c->first_t = c->n_row == 0 ? t : c->first_t;
    c->last_t = t;
    c->n_interpolated += weight < 1.0;
    if (series != NULL) {
        series[0] = t;
    }
    for (size_t i = 0; i < c->n_pair; i++) {
        pair *p = &c->pairs[i];
        const double now = b->now[p->column[1]];
        const double of_b =
            weight < 1.0 ? weight * now + (1.0 - weight) * b->before[p->column[1]] : now;
        const double d = a->now[p->column[0]] - of_b;
        if (series != NULL) {
            series[1 + i] = isfinite(d) ? d : 0.0;
        }
        if (!isfinite(d)) {
            c->n_gap++;
            continue;
        }
        p->n++;
        p->sum += d;
        p->square += d * d;
        if (fabs(d) > p->most) {
            p->most = fabs(d);
            p->most_t = t;
            p->most_row = c->n_row;
        }
    }
    c->n_row++;
    return true;
}

static bool compare_rows(comparison *c)
{
    tqa_side *a = &c->sides[0];
    tqa_side *b = &c->sides[1];
    assert(a->now != NULL && b->now != NULL);
    while (next_row(c, a) && !a->ended) {
        assert(a->now != NULL);
        bool found = true;
        double weight = 1.0;
        if (c->timed && !find_b(c, a->now[a->time], &weight, &found)) {
            return false;
        }
        if (!c->timed) {
            if (!b->ended && !next_row(c, b)) {
                return false;
            }
            found = !b->ended;
        }
        c->n_outside += !found;
        if (found && !compare_row(c, weight)) {
            return false;
        }
    }
    return c->tree->problem->status == 0;
}

/* -------------------------------------------------------------------------------------- answer */

static void put_columns(comparison *c)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_list(answer, "columns");
    for (size_t i = 0; i < c->n_pair; i++) {
        const pair *p = &c->pairs[i];
        tqa_writer_object(answer, NULL);
        tqa_writer_string(answer, "name", p->name);
        tqa_writer_count(answer, "rows", (size_t)p->n);
        if (p->n == 0) {
            tqa_writer_none(answer, "max", "no row has this number on both sides");
        } else {
            tqa_writer_number(answer, "max", p->most);
            tqa_writer_count(answer, "max_row", (size_t)p->most_row);
            if (c->timed) {
                tqa_writer_number(answer, "max_t", p->most_t);
            }
            tqa_writer_number(answer, "rms", sqrt(p->square / (double)p->n));
            tqa_writer_number(answer, "mean", p->sum / (double)p->n);
        }
        tqa_writer_end(answer);
    }
    tqa_writer_end(answer);
}

static bool put_series(comparison *c)
{
    tqa_writer *answer = c->tree->answer;
    const size_t n = (size_t)c->n_row;
    double *column = tqa_tree_take(c->tree, n + 1, sizeof *column);
    if (column == NULL) {
        return false;
    }
    const bool is_picture = c->tree->is_picture; /* whose arrays are members of the root */
    if (!is_picture) {
        tqa_writer_object(answer, "series");
    }
    for (size_t i = 0; i <= c->n_pair; i++) {
        for (size_t k = 0; k < n; k++) {
            column[k] = c->series[k * (c->n_pair + 1) + i];
        }
        const char *name = i > 0 ? c->pairs[i - 1].name : c->timed ? "t" : "row";
        tqa_writer_vector(answer, name, column, n);
    }
    if (!is_picture) {
        tqa_writer_end(answer);
    }
    return true;
}

static bool put_answer(comparison *c)
{
    tqa_writer *answer = c->tree->answer;
    tqa_writer_count(answer, "rows", (size_t)c->n_row);
    tqa_writer_count(answer, "unmatched_rows_a", (size_t)c->n_outside);
    tqa_writer_count(answer, "rows_interpolated", (size_t)c->n_interpolated);
    tqa_writer_count(answer, "not_finite", (size_t)c->n_gap);
    if (c->tree->is_picture) {
        return put_series(c);
    }
    if (c->timed && c->n_row > 0) {
        const double span[2] = {c->first_t, c->last_t};
        tqa_writer_vector(answer, "t", span, 2);
    }
    put_columns(c);
    return !c->want_series || put_series(c);
}

static bool run_comparison(comparison *c)
{
    static const char *const extras[] = {TQA_WORDS_COMPARE_REQUEST_INCLUDE, NULL};
    const tqa_value root = tqa_value_root(c->tree);
    const tqa_value include = tqa_value_field(&root, "include");
    const tqa_value columns = tqa_value_field(&root, "columns");
    const tqa_value time = tqa_value_field(&root, "time");
    unsigned bits = 0;
    if (include.value != NULL && !tqa_value_choices(&include, extras, &bits)) {
        return false;
    }
    c->want_series = bits != 0 || c->tree->is_picture;
    for (size_t i = 0; i < SIDES; i++) {
        const tqa_value part = tqa_value_field(&root, letters[i]);
        if (!tqa_side_open(c->tree, &c->sides[i], &part)) {
            return false;
        }
    }
    return choose_time(c, &time) && choose_columns(c, &columns) && compare_rows(c) && put_answer(c);
}

static bool run(tqa_tree *tree)
{
    comparison c = {.tree = tree};
    const bool good = run_comparison(&c);
    for (size_t i = 0; i < SIDES; i++) {
        tqa_table_close(c.sides[i].table);
    }
    return good;
}

static const tqa_needed needed[] = {{"a", "say {\"dataset\": NAME} or {\"job\": ID}"},
                                    {"b", "say {\"dataset\": NAME} or {\"job\": ID}"},
                                    {NULL, NULL}};
static const tqa_tree_methods methods = {
    .fields = fields, .needed = needed, .sources = letters, .cost_us = cost_us, .run = run};

const tqa_operation_methods tqa_compare_methods = {.tree = &methods};
