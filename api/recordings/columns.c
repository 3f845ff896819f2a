/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/columns.c - which columns of a table hold which quantity: by name, number,
 * preset or custom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/recordings/parts.h"

enum { NAMES_MAX = 5 };

/* Names that a program is known to write, the likeliest first. "x" is a column of that
 * name, or columns x0 x1 ..., x_0 x_1 ..., x[0] x[1] ...; time may be two columns. */
typedef struct preset {
    const char *name;
    const char *names[TQA_RECORDING_TIME][NAMES_MAX];
    struct {
        const char *name, *nanoseconds;
        double unit;
    } time[NAMES_MAX];
    bool tau_is_current;
} preset;

static const preset presets[] = {
    {.name = "ros-joint-state",
     .names = {[TQA_RECORDING_Q] = {"position", "field.position", ".position"},
               [TQA_RECORDING_QD] = {"velocity", "field.velocity", ".velocity"},
               [TQA_RECORDING_TAU] = {"effort", "field.effort", ".effort"}},
     .time = {{"header.stamp.secs", "header.stamp.nsecs", 1.0},
              {"header.stamp.sec", "header.stamp.nanosec", 1.0},
              {"field.header.stamp", NULL, 1e-9},
              {"time", NULL, 1e-9}, /* of rostopic echo -p, after its % */
              {"Time", NULL, 1.0}}},
    {.name = "ur-rtde",
     .names = {[TQA_RECORDING_Q] = {"actual_q"},
               [TQA_RECORDING_QD] = {"actual_qd"},
               [TQA_RECORDING_TAU] = {"actual_current"}},
     .time = {{"timestamp", NULL, 1.0}},
     .tau_is_current = true},
    {.name = "libfranka",
     .names = {[TQA_RECORDING_Q] = {"state.q", "q"},
               [TQA_RECORDING_QD] = {"state.dq", "dq"},
               [TQA_RECORDING_TAU] = {"state.tau_J", "tau_J"}},
     .time = {{"time", NULL, 1e-3}}},
    {.name = "plain"},
};
enum { N_PRESET = sizeof presets / sizeof presets[0] };

/* the default, where a request names no columns */
static const preset custom = {
    .name = "the usual names",
    .names = {[TQA_RECORDING_Q] = {"q", "position", "actual_q"},
              [TQA_RECORDING_QD] = {"qd", "dq", "velocity", "actual_qd"},
              [TQA_RECORDING_QDD] = {"qdd", "ddq", "acceleration"},
              [TQA_RECORDING_TAU] = {"tau", "effort", "torque"}},
    .time = {{"t", NULL, 1.0}, {"time", NULL, 1.0}, {"timestamp", NULL, 1.0}}};

typedef struct finder {
    tqa_recording *recording;
    const tqa_recording_request *request;
    tqa_table *table; /* of the wanted quantity */
    const char *source;
} finder;

static bool find_exactly(const finder *f, const char *name, size_t n, uint32_t *ret)
{
    for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
        const char *other = tqa_table_name(f->table, c);
        if (strlen(other) == n && memcmp(other, name, n) == 0) {
            *ret = (uint32_t)c;
            return true;
        }
    }
    return false;
}

/* k of "name<k>", "name_<k>", "name.<k>" or "name[<k>]"; -1 when `text` is none of these */
static long number_after(const char *text, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(text, name, n) != 0) {
        return -1;
    }
    text += n;
    text += *text == '_' || *text == '.' || *text == '[' ? 1 : 0;
    char *end = NULL;
    if (*text < '0' || *text > '9') {
        return -1;
    }
    const long k = strtol(text, &end, 10);
    end += *end == ']' ? 1 : 0;
    return *end == '\0' && k < 100000 ? k : -1;
}

/* the n columns name0, name1, ..., in the order of their numbers; or the one of this name */
static bool find_group(const finder *f, const char *name, size_t n, uint32_t *ret)
{
    if (n == 1 && find_exactly(f, name, strlen(name), ret)) {
        return true;
    }
    size_t found = 0;
    long before = -1;
    while (found < n) {
        long least = 100000;
        for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
            const long k = number_after(tqa_table_name(f->table, c), name);
            if (k > before && k < least) {
                least = k;
                ret[found] = (uint32_t)c;
            }
        }
        if (least == 100000) {
            return false;
        }
        before = least;
        found++;
    }
    return true;
}

/* "did you mean", else some of the names of the file */
static void hint_names(const finder *f, const char *name, char hint[TQA_PROBLEM_TEXT])
{
    tqa_nearest nearest;
    tqa_nearest_init(&nearest, name, strlen(name));
    const size_t n = tqa_table_columns(f->table);
    for (size_t c = 0; c < n; c++) {
        tqa_nearest_offer(&nearest, tqa_table_name(f->table, c));
    }
    if (nearest.best != NULL && nearest.best[0] != '\0') {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "did you mean \"%s\"?", nearest.best);
        return;
    }
    if (tqa_table_name(f->table, 0)[0] == '\0') {
        (void)snprintf(hint, TQA_PROBLEM_TEXT,
                       "the file has no header: name its %zu columns by number, 0 to %zu", n,
                       n - 1);
        return;
    }
    size_t used = (size_t)snprintf(hint, TQA_PROBLEM_TEXT, "the columns are");
    for (size_t c = 0; c < n && used + 40 < TQA_PROBLEM_TEXT; c++) {
        used += (size_t)snprintf(hint + used, TQA_PROBLEM_TEXT - used, " \"%.30s\"%s",
                                 tqa_table_name(f->table, c), c + 1 < n ? "," : "");
    }
}

static bool read_selector(const finder *f, const tqa_value *part, uint32_t *ret)
{
    const size_t n = tqa_table_columns(f->table);
    const char *name = json_string_value(part->value);
    char hint[TQA_PROBLEM_TEXT];
    if (name != NULL) {
        if (find_exactly(f, name, strlen(name), ret)) {
            return true;
        }
        hint_names(f, name, hint);
        return tqa_value_refuse(part, "unknown-name", hint, "\"%.100s\" has no column \"%.64s\"",
                                f->source, name);
    }
    double index = 0.0;
    if (!json_is_number(part->value)) {
        return tqa_value_refuse(part, "wrong-type",
                                "a name as in the header, in quotes; or a number from 0",
                                "expected the name of a column, or its number from 0");
    }
    if (!tqa_value_number(part, &index)) {
        return false;
    }
    if (!(index >= 0.0 && index < (double)n && index == floor(index))) {
        return tqa_value_refuse(part, "range", "one of its columns",
                                "\"%.100s\" has %zu columns, numbered from 0 to %zu", f->source, n,
                                n - 1);
    }
    *ret = (uint32_t)index;
    return true;
}

/* columns that the request names */
static bool read_columns(const finder *f, const tqa_value *part, size_t n, uint32_t *ret)
{
    const char *name = json_string_value(part->value);
    size_t n_item = 0;
    if (name != NULL) {
        if (find_group(f, name, n, ret)) {
            return true;
        }
        char hint[TQA_PROBLEM_TEXT];
        hint_names(f, name, hint);
        return tqa_value_refuse(part, "unknown-name", hint,
                                "\"%.80s\" has no columns \"%.40s0\" to \"%.40s%zu\"", f->source,
                                name, name, n - 1);
    }
    if (n == 1 && json_is_number(part->value)) {
        return read_selector(f, part, ret);
    }
    if (!json_is_array(part->value)) {
        return tqa_value_refuse(part, "wrong-type", "[1, 2, 3], say, or names",
                                "expected %zu columns", n);
    }
    if (!tqa_value_array(part, n, n, &n_item)) {
        return false;
    }
    for (size_t r = 0; r < n; r++) {
        const tqa_value item = tqa_value_item(part, r);
        if (!read_selector(f, &item, &ret[r])) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * One quantity
 */

/* Stores columns in the robot's order, with their factors. */
static bool keep(tqa_recording *recording, tqa_recording_quantity quantity, const uint32_t *columns)
{
    const tqa_recording_request *request = recording->request;
    const size_t n = tqa_recording_width(request, quantity);
    recording->column[quantity] = tqa_tree_take(request->control, n + 1, sizeof(uint32_t));
    recording->factor[quantity] = tqa_tree_take(request->control, n + 1, sizeof(double));
    if (recording->column[quantity] == NULL || recording->factor[quantity] == NULL) {
        return false;
    }
    for (size_t r = 0; r < n; r++) {
        const uint32_t to = quantity == TQA_RECORDING_TIME ? 0
                            : quantity == TQA_RECORDING_Q  ? request->order->q[r]
                                                           : request->order->v[r];
        recording->column[quantity][to] = columns[r];
        recording->factor[quantity][to] = request->factor[quantity][r];
    }
    return true;
}

/* the preset that has the names of this file; NULL: none has */
static const char *preset_name_of(const finder *f)
{
    const size_t n = f->request->order->nq;
    uint32_t *ignored = tqa_tree_take(f->request->control, n + 2, sizeof *ignored);
    for (size_t k = 0; ignored != NULL && k < N_PRESET; k++) {
        for (size_t i = 0; i < NAMES_MAX && presets[k].names[TQA_RECORDING_Q][i] != NULL; i++) {
            if (find_group(f, presets[k].names[TQA_RECORDING_Q][i], n, ignored)) {
                return presets[k].name;
            }
        }
    }
    return NULL;
}

static bool refuse_missing(const finder *f, tqa_recording_quantity quantity, size_t n)
{
    const tqa_value *columns = &f->request->columns;
    char hint[TQA_PROBLEM_TEXT];
    (void)snprintf(hint, sizeof hint,
                   "add \"%s\": the %zu columns of it, by name or by number from 0",
                   tqa_recording_quantity_names[quantity], n);
    const tqa_value *where = columns->value != NULL ? columns : &f->recording->part;
    const char *preset_name = columns->value == NULL ? preset_name_of(f) : NULL;
    if (preset_name != NULL) {
        (void)snprintf(hint, sizeof hint, "add \"columns\": {\"preset\": \"%s\"}", preset_name);
    }
    return tqa_value_refuse(where, "missing-field", hint,
                            "the columns of \"%.80s\" that hold %s are not named", f->source,
                            tqa_recording_quantity_names[quantity]);
}

/* plain numbers: [time] q [qd [qdd]] tau, one after another */
static bool find_plain(const finder *f, tqa_recording_quantity quantity, uint32_t *ret,
                       bool *ret_found)
{
    const size_t n = f->request->order->nv;
    const size_t all = tqa_table_columns(f->table);
    const size_t groups = n > 0 ? all / n : 0;
    const size_t first = all - groups * n; /* 1: a time in front */
    if (f->recording->is_split) {
        const size_t width = tqa_recording_width(f->request, quantity);
        *ret_found = all == width;
        for (uint32_t r = 0; r < width && *ret_found; r++) {
            ret[r] = r;
        }
        return true;
    }
    if (first > 1 || groups < 2 || groups > 4 || (n == 1 && all > 5)) {
        return tqa_value_refuse(
            &f->recording->part, "wrong-length",
            "name the columns: \"columns\": {\"time\": 0, ...}",
            "\"%.80s\" has %zu columns: plain numbers of %zu joints have 2, 3 or 4 times %zu, and "
            "perhaps a time in front",
            f->source, all, n, n);
    }
    /* with one degree of freedom, 2 to 5 columns: the first is the time */
    const size_t t = n == 1 ? 1 : first;
    const size_t g = n == 1 ? all - 1 : groups;
    if (quantity == TQA_RECORDING_TIME) {
        *ret_found = t == 1;
        ret[0] = 0;
        return true;
    }
    const size_t at = quantity == TQA_RECORDING_TAU ? g - 1 : (size_t)quantity;
    *ret_found = quantity == TQA_RECORDING_TAU || at + 1 < g;
    for (uint32_t r = 0; r < n && *ret_found; r++) {
        ret[r] = (uint32_t)(t + at * n) + r;
    }
    return true;
}

static bool find_preset_time(const finder *f, const preset *named_so, uint32_t *ret,
                             bool *ret_found)
{
    for (size_t k = 0; k < NAMES_MAX && named_so->time[k].name != NULL; k++) {
        const char *name = named_so->time[k].name;
        const char *more = named_so->time[k].nanoseconds;
        if (!find_exactly(f, name, strlen(name), &ret[0]) ||
            (more != NULL && !find_exactly(f, more, strlen(more), &ret[1]))) {
            continue;
        }
        *ret_found = true;
        f->recording->n_time = more != NULL ? 2 : 1;
        if (!f->request->unit_known[TQA_RECORDING_TIME]) {
            f->request->factor[TQA_RECORDING_TIME][0] = named_so->time[k].unit;
            f->recording->time_unit_known = named_so != &custom;
        }
        return true;
    }
    return true;
}

static bool find_named(const finder *f, const preset *named_so, tqa_recording_quantity quantity,
                       uint32_t *ret, bool *ret_found)
{
    if (quantity == TQA_RECORDING_TIME) {
        return find_preset_time(f, named_so, ret, ret_found);
    }
    const size_t n = tqa_recording_width(f->request, quantity);
    for (size_t k = 0; k < NAMES_MAX && named_so->names[quantity][k] != NULL && !*ret_found; k++) {
        *ret_found = find_group(f, named_so->names[quantity][k], n, ret);
    }
    if (*ret_found && quantity == TQA_RECORDING_TAU && named_so->tau_is_current &&
        !f->request->scaled[TQA_RECORDING_TAU]) {
        return tqa_value_refuse(&f->request->columns, "missing-field",
                                "add \"scale\": {\"tau\": [...]}, the drive gain of each joint in "
                                "N m/A",
                                "preset \"%s\" takes currents, which are not torques",
                                named_so->name);
    }
    return true;
}

static bool is_headless(const finder *f)
{
    for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
        if (tqa_table_name(f->table, c)[0] != '\0') {
            return false;
        }
    }
    return true;
}

/* the preset that the request names; NULL with *ret_good false when there is none of this name */
static const preset *preset_of(const tqa_recording_request *request, bool *ret_good)
{
    static const char *const words[] = {"ros-joint-state", "ur-rtde", "libfranka", "plain", NULL};
    _Static_assert(sizeof words / sizeof words[0] == N_PRESET + 1, "a word for each preset");
    const tqa_value part = tqa_value_field(&request->columns, "preset");
    unsigned k = 0;
    *ret_good = true;
    if (part.value == NULL) {
        return NULL;
    }
    *ret_good = tqa_value_choice(&part, words, &k);
    return *ret_good ? &presets[k] : NULL;
}

static bool find_time(const finder *f, const tqa_value *part, uint32_t *ret)
{
    if (json_is_array(part->value)) {
        f->recording->n_time = 2; /* seconds and nanoseconds */
        return read_columns(f, part, 2, ret);
    }
    f->recording->n_time = 1;
    return read_selector(f, part, ret);
}

static bool find_quantity(finder *f, tqa_recording_quantity quantity, const preset *named_so)
{
    const tqa_recording_request *request = f->request;
    const size_t n = tqa_recording_width(request, quantity);
    const bool named = request->columns.value != NULL;
    const tqa_value part =
        tqa_value_field(&request->columns, tqa_recording_quantity_names[quantity]);
    uint32_t *columns = tqa_tree_take(request->control, n + 2, sizeof *columns);
    bool found = false;
    if (columns == NULL) {
        return false;
    }
    if (part.value != NULL) {
        if (!(quantity == TQA_RECORDING_TIME ? find_time(f, &part, columns)
                                             : read_columns(f, &part, n, columns))) {
            return false;
        }
        found = true;
    } else if (named_so != NULL || !named) {
        const bool plain = named_so != NULL ? strcmp(named_so->name, "plain") == 0 : is_headless(f);
        if (!(plain ? find_plain(f, quantity, columns, &found)
                    : find_named(f, named_so != NULL ? named_so : &custom, quantity, columns,
                                 &found))) {
            return false;
        }
    }
    if (quantity == TQA_RECORDING_TIME) {
        f->recording->n_time = !found ? 0 : f->recording->n_time == 2 ? 2 : 1;
        if (!found && request->options.rate <= 0.0) {
            const tqa_value *where = named ? &request->columns : &f->recording->part;
            return tqa_value_refuse(
                where, "missing-field",
                "name the column of times (\"time\": 0, say), or add \"rate_hz\": "
                "the rows in a second",
                "\"%.80s\" has no clock", f->source);
        }
        if (f->recording->n_time == 2) {
            f->recording->column[TQA_RECORDING_TIME] = columns;
            f->recording->factor[TQA_RECORDING_TIME] = request->factor[TQA_RECORDING_TIME];
            return true;
        }
    }
    if (!found) {
        return (request->need >> quantity & 1u) == 0 || refuse_missing(f, quantity, n);
    }
    return keep(f->recording, quantity, columns);
}

bool tqa_recording_columns_find(tqa_recording *recording, tqa_recording_source *sources)
{
    static const char *const known[] = {"q", "qd", "qdd", "tau", "time", "preset", NULL};
    const tqa_recording_request *request = recording->request;
    bool good = true;
    if (request->columns.value != NULL && !tqa_value_object(&request->columns, known)) {
        return false;
    }
    const preset *named_so = request->columns.value != NULL ? preset_of(request, &good) : NULL;
    recording->signal.channels = (tq_channels){0};
    for (tqa_recording_quantity q = 0; good && q < TQA_RECORDING_QUANTITIES; q++) {
        finder f = {.recording = recording, .request = request};
        f.table = sources[recording->is_split ? (size_t)q : 0].table;
        f.source = recording->source[recording->is_split ? (size_t)q : 0];
        if (f.table == NULL) { /* split, and without this file */
            if ((request->need >> q & 1u) != 0) {
                char hint[TQA_PROBLEM_TEXT];
                (void)snprintf(hint, sizeof hint, "add \"%s\": the name of its dataset",
                               tqa_recording_quantity_names[q]);
                return tqa_value_refuse(&recording->part, "missing-field", hint,
                                        "there is no dataset of %s",
                                        tqa_recording_quantity_names[q]);
            }
            if (q == TQA_RECORDING_TIME && request->options.rate <= 0.0) {
                return tqa_value_refuse(&recording->part, "missing-field",
                                        "add \"time\": the name of a dataset, or \"rate_hz\": the "
                                        "rows in a second",
                                        "there is no clock");
            }
            continue;
        }
        good = find_quantity(&f, q, named_so);
        if (good && q < TQA_RECORDING_TIME && recording->column[q] != NULL) {
            recording->signal.channels.has[q] = true;
            recording->signal.channels.first[q] = recording->signal.channels.n;
            recording->signal.channels.n += tqa_recording_width(request, q);
        }
    }
    return good;
}
