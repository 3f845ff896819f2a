/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/columns.c - the columns of each quantity in a table: by name, number, preset or
 * custom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problems/nearest.h"
#include "api/recordings/finder.h"
#include "api/recordings/wrenches.h"

/* ------------------------------------------------------------------------------------------------
 * One quantity
 */

/* Stores columns in the robot's order, with their factors. */
static bool keep(const tqa_finder *f, tqa_recording_quantity quantity, const uint32_t *columns)
{
    tqa_recording *recording = f->recording;
    const tqa_recording_request *request = recording->request;
    const size_t n = tqa_recording_width(request, quantity);
    recording->column[quantity] = tqa_tree_take(request->tree, n + 1, sizeof(uint32_t));
    recording->factor[quantity] = tqa_tree_take(request->tree, n + 1, sizeof(double));
    if (recording->column[quantity] == NULL || recording->factor[quantity] == NULL) {
        return false;
    }
    for (size_t r = 0; r < n; r++) {
        recording->column[quantity][r] = TQ_NONE;
        recording->factor[quantity][r] = 1.0;
    }
    recording->of_joints[quantity] = f->of_joints;
    for (size_t r = 0; r < tqa_finder_width(f, quantity); r++) {
        const size_t of = tqa_finder_row(f, quantity, r);
        const uint32_t to = tqa_recording_row(request, quantity, of);
        recording->column[quantity][to] = columns[r];
        recording->factor[quantity][to] = request->factor[quantity][of];
    }
    if (quantity == TQA_RECORDING_TIME && recording->n_time == 2) {
        recording->column[quantity][1] = columns[1];
    }
    return true;
}

/* Columns of some joints alone: the others were at rest, or lie elsewhere. */
static bool refuse_missing(const tqa_finder *f, tqa_recording_quantity quantity, size_t n)
{
    const tqa_value *columns = &f->request->columns;
    const char *name = tqa_recording_quantity_names[quantity];
    const tqa_value *where = columns->value != NULL ? columns : &f->recording->part;
    const size_t some = tqa_count_by_words(f, quantity);
    char hint[TQA_PROBLEM_TEXT], found[TQA_PROBLEM_TEXT] = "";
    const size_t used = (size_t)snprintf(
        hint, sizeof hint, "%s\"%s\": [the %zu columns of it, by name or by number from 0]%s",
        columns->value != NULL ? "add " : "add \"columns\": {", name, n,
        columns->value != NULL ? "" : ", ...}");
    if (some > 0 && some < n) {
        (void)snprintf(found, sizeof found, ": it has %zu, for %zu joints", some, n);
    }
    if (some > 0 && some < n && f->request->takes_rest) {
        (void)snprintf(hint + used, sizeof hint - used,
                       "; or, of joints that did not move, their positions: \"at_rest\": "
                       "{\"%.40s\": 0, ...}",
                       tqa_finder_joint(f, quantity, 0) != NULL ? tqa_finder_joint(f, quantity, 0)
                                                                : "joint");
    }
    return tqa_value_refuse(where, "missing-field", hint,
                            "the columns of \"%.80s\" that hold %s are not named%s", f->source,
                            name, found);
}

/* plain numbers: [time] q [qd [qdd]] tau, one after another */
static bool find_plain(tqa_finder *f, tqa_recording_quantity quantity, uint32_t *ret,
                       bool *ret_found)
{
    const size_t n = f->request->order->nv;
    const size_t all = tqa_table_columns(f->table);
    const size_t groups = n > 0 ? all / n : 0;
    const size_t first = all - groups * n; /* 1: a time in front */
    if (f->recording->is_split) {
        f->of_joints = f->of_joints || (all != tqa_finder_width(f, quantity) &&
                                        tqa_finder_may_be_of_joints(f, quantity));
        const size_t width = tqa_finder_width(f, quantity);
        *ret_found = all == width;
        for (uint32_t r = 0; r < width && *ret_found; r++) {
            ret[r] = r;
        }
        return true;
    }
    if (tqa_recording_is_command(quantity)) { /* never among plain numbers */
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

/* columns of a layout; currents are refused without their gains */
static bool find_named(tqa_finder *f, const tqa_layout *layout, tqa_recording_quantity quantity,
                       uint32_t *ret, bool *ret_found)
{
    if (quantity == TQA_RECORDING_TIME) {
        return tqa_layout_time(f, layout, ret, ret_found);
    }
    (void)tqa_layout_columns(f, layout, quantity, ret, ret_found);
    if (*ret_found && quantity == TQA_RECORDING_TAU && layout->tau_is_current &&
        !f->request->scaled[TQA_RECORDING_TAU]) {
        const tqa_value *columns = &f->request->columns;
        *ret_found = false;
        return (columns->value == NULL && (f->request->need >> quantity & 1u) == 0) ||
               tqa_value_refuse(
                   columns->value != NULL ? columns : &f->recording->part, "missing-field",
                   "add \"scale\": {\"tau\": [...]}, the drive gain of each joint in "
                   "N m/A",
                   "preset \"%s\" takes currents, which are not torques", layout->name);
    }
    return true;
}

static bool is_headless(const tqa_finder *f)
{
    for (size_t c = 0; c < tqa_table_columns(f->table); c++) {
        if (tqa_table_name(f->table, c)[0] != '\0') {
            return false;
        }
    }
    return true;
}

static bool find_time(const tqa_finder *f, const tqa_value *part, uint32_t *ret)
{
    if (json_is_array(part->value)) {
        f->recording->n_time = 2; /* seconds and nanoseconds */
        return tqa_finder_read(f, part, TQA_RECORDING_TIME, 2, ret);
    }
    f->recording->n_time = 1;
    return tqa_finder_read_one(f, part, ret);
}

/* "t q qd tau -": groups of columns from the left, "-" of n that are left out; *ret_found */
static bool find_in_groups(tqa_finder *f, const tqa_value *part, tqa_recording_quantity quantity,
                           uint32_t *ret, bool *ret_found)
{
    const char *text = json_string_value(part->value);
    size_t at = 0;
    if (text == NULL) {
        return tqa_value_refuse(part, "wrong-type", "\"t q qd tau\", say",
                                "expected groups of columns in quotes");
    }
    *ret_found = false;
    for (const char *p = text + strspn(text, " "); *p != '\0'; p += strspn(p, " ")) {
        const size_t length = strcspn(p, " ");
        tqa_recording_quantity q = TQA_RECORDING_Q;
        while (q < TQA_RECORDING_BASE_POSITION &&
               (strlen(tqa_recording_quantity_names[q]) != length ||
                memcmp(p, tqa_recording_quantity_names[q], length) != 0)) {
            q++;
        }
        q = length == 1 && *p == 't' ? TQA_RECORDING_TIME : q;
        if (q == TQA_RECORDING_BASE_POSITION && (length != 1 || *p != '-')) {
            return tqa_value_refuse(
                part, "unknown-name",
                "\"t q qd tau\", say: groups of columns from the left, \"-\" for "
                "a group that is left out",
                "\"%.*s\" is no group of columns", (int)length, p);
        }
        const size_t n = q == TQA_RECORDING_BASE_POSITION ? f->request->order->nv
                                                          : tqa_recording_width(f->request, q);
        if (at + n > tqa_table_columns(f->table)) {
            return tqa_value_refuse(part, "wrong-length", "leave the last group out",
                                    "\"%.60s\" has %zu columns, and \"%.40s\" more", f->source,
                                    tqa_table_columns(f->table), text);
        }
        for (size_t r = 0; q == quantity && r < n; r++) {
            ret[r] = (uint32_t)(at + r);
        }
        *ret_found = *ret_found || q == quantity;
        f->recording->n_time = quantity == TQA_RECORDING_TIME ? 1 : f->recording->n_time;
        at += n;
        p += length;
    }
    return true;
}

/* True if what the request names are columns of the joints alone. */
static bool names_joints(const tqa_finder *f, const tqa_value *part,
                         tqa_recording_quantity quantity, uint32_t *ignored)
{
    tqa_finder of_joints = *f;
    const char *name = json_string_value(part->value);
    const size_t n = tqa_recording_width(f->request, quantity);
    unsigned long first = 0, last = 0;
    of_joints.of_joints = true;
    if (f->of_joints || !tqa_finder_may_be_of_joints(f, quantity)) {
        return f->of_joints;
    }
    if (name == NULL) {
        return json_is_array(part->value) &&
               json_array_size(part->value) == tqa_finder_width(&of_joints, quantity);
    }
    if (name[0] >= '0' && name[0] <= '9') {
        char *end = NULL;
        first = strtoul(name, &end, 10);
        last = *end == '-' ? strtoul(end + 1, NULL, 10) : first;
        return last - first + 1 == tqa_finder_width(&of_joints, quantity);
    }
    return strchr(name, '%') != NULL ? !tqa_find_pattern(f, name, quantity, n, ignored)
                                     : !tqa_find_group(f, name, quantity, n, ignored);
}

/* the columns that the request names, or those that a layout has */
static bool find_columns(tqa_finder *f, tqa_recording_quantity quantity, const tqa_layout *layout,
                         uint32_t *columns, bool *ret_found)
{
    const tqa_recording_request *request = f->request;
    const bool named = request->columns.value != NULL;
    const tqa_value groups = tqa_value_field(&request->columns, "groups");
    const tqa_value part =
        tqa_value_field(&request->columns, tqa_recording_quantity_names[quantity]);
    *ret_found = false;
    if (groups.value != NULL && part.value == NULL) {
        return find_in_groups(f, &groups, quantity, columns, ret_found);
    }
    if (part.value != NULL) {
        *ret_found = true;
        f->of_joints = names_joints(f, &part, quantity, columns);
        return quantity == TQA_RECORDING_TIME
                   ? find_time(f, &part, columns)
                   : tqa_finder_read(f, &part, quantity, tqa_finder_width(f, quantity), columns);
    }
    if (named && layout == NULL) {
        return true;
    }
    const bool headless = is_headless(f);
    if (layout == NULL && headless && !f->recording->is_split &&
        tqa_layout_ros_echo(f, quantity, columns, ret_found)) {
        f->recording->layout = "ros2-topic-echo";
        return true;
    }
    if (layout != NULL ? strcmp(layout->name, "plain") == 0 : headless) {
        f->recording->layout = "plain";
        return find_plain(f, quantity, columns, ret_found);
    }
    return find_named(f, layout != NULL ? layout : &tqa_layout_usual, quantity, columns, ret_found);
}

static bool find_clock(tqa_finder *f, uint32_t *columns, bool found, bool *ret_found)
{
    const tqa_recording_request *request = f->request;
    const bool named = request->columns.value != NULL;
    *ret_found = found;
    if (!found && request->options.rate <= 0.0) {
        const size_t n = tqa_find_clock(f, columns);
        f->recording->n_time = n;
        *ret_found = n > 0;
    } else {
        f->recording->n_time = !found ? 0 : f->recording->n_time == 2 ? 2 : 1;
    }
    if (!*ret_found && request->options.rate <= 0.0) {
        return tqa_value_refuse(named ? &request->columns : &f->recording->part, "missing-field",
                                "name the column of times (\"time\": 0, say), or add \"rate_hz\": "
                                "the rows in a second",
                                "\"%.80s\" has no clock", f->source);
    }
    return true;
}

/* Factors of the request, the recording and the layout; without units in the request those of the
 * file. */
static bool find_units(tqa_finder *f, tqa_recording_quantity quantity, const tqa_layout *layout,
                       const uint32_t *columns)
{
    static const double degree = M_PI / 180.0;
    tqa_recording *recording = f->recording;
    const tqa_recording_request *request = f->request;
    const size_t n = tqa_finder_width(f, quantity);
    bool all = !request->unit_known[quantity];
    bool is_current = false;
    for (size_t r = 0; r < n && all; r++) {
        bool current = false;
        all = tqa_finder_unit(f, quantity, r, columns[r], &current) > 0.0;
        is_current = is_current || current;
    }
    if (all && is_current && !request->scaled[quantity]) {
        const bool is_ff = quantity == TQA_RECORDING_TAU_FF; /* a part of the law */
        recording->column[quantity] = NULL;                  /* dropped, unless they are required */
        recording->n_name[quantity] = 0;
        return ((request->need >> quantity & 1u) == 0 && !is_ff) ||
               tqa_value_refuse(
                   &recording->part, "missing-field",
                   is_ff ? "add \"scale\": {\"tau_ff\": [...]}, the drive gain of each "
                           "joint in N m/A (or N/A)"
                         : "add \"scale\": {\"tau\": [...]}, the drive gain of each joint in "
                           "N m/A (or N/A)",
                   "\"%.80s\" states amperes: currents are not torques without drive "
                   "gains",
                   f->source);
    }
    recording->unit_known[quantity] = all && n > 0;
    for (size_t r = 0; r < n; r++) {
        const size_t of = tqa_finder_row(f, quantity, r);
        const uint32_t to = tqa_recording_row(request, quantity, of);
        bool current = false;
        const double unit =
            all ? tqa_finder_unit(f, quantity, r, columns[r], &current)
            : layout != NULL && layout->is_degrees && quantity < TQA_RECORDING_TAU &&
                    !request->unit_known[quantity] &&
                    tqa_recording_unit(request, quantity, of,
                                       quantity == TQA_RECORDING_Q ? "deg" : "deg/s",
                                       &current) > 0.0
                ? degree
                : 1.0;
        recording->factor[quantity][to] *= unit;
    }
    return true;
}

/* the unit of the clock: the request's, the layout's, or the name's */
static void find_time_unit(tqa_finder *f, const uint32_t *columns)
{
    bool ignored = false;
    const tqa_recording_request *request = f->request;
    if (request->unit_known[TQA_RECORDING_TIME]) {
        return;
    }
    const double stated =
        f->unit_is_known ? 0.0 : tqa_finder_unit(f, TQA_RECORDING_TIME, 0, columns[0], &ignored);
    const double unit = stated > 0.0 ? stated : f->unit;
    f->recording->time_unit_known =
        f->recording->time_unit_known || stated > 0.0 || f->unit_is_known;
    if (unit > 0.0) {
        f->recording->factor[TQA_RECORDING_TIME][0] = unit;
    }
}

static bool keep_names(const tqa_finder *f, tqa_recording_quantity quantity,
                       const uint32_t *columns, size_t n)
{
    tqa_recording *recording = f->recording;
    tqa_tree *tree = f->request->tree;
    if (is_headless(f)) {
        return true;
    }
    recording->names[quantity] = tqa_tree_take(tree, n, sizeof(char *));
    for (size_t r = 0; recording->names[quantity] != NULL && r < n; r++) {
        const char *name = tqa_table_name(f->table, columns[r]);
        char *copy = tqa_tree_take(tree, strlen(name) + 1, 1);
        if (copy == NULL) {
            return false;
        }
        memcpy(copy, name, strlen(name) + 1);
        recording->names[quantity][r] = copy;
    }
    recording->n_name[quantity] = n;
    return recording->names[quantity] != NULL;
}

/* Torques of the joints alone: whether something pushes the floating base is not known. */
static bool refuse_contacts(const tqa_finder *f)
{
    const tqa_value *root = &f->request->object;
    return tqa_value_refuse(
        root, "missing-field",
        "add \"contacts\": [] where nothing touched the robot, as in flight; else the names of the "
        "links that something touched, whose torques are then left out",
        "\"%.80s\" has the torques of the joints alone: it does not say which forces act on the "
        "floating base \"%.60s\"",
        f->source, f->request->tree->robot->joint_names[f->request->base]);
}

static bool find_quantity(tqa_finder *f, tqa_recording_quantity quantity, const tqa_layout *layout)
{
    const tqa_recording_request *request = f->request;
    const size_t most = tqa_recording_width(request, quantity);
    uint32_t *columns = tqa_tree_take(request->tree, most + 2, sizeof *columns);
    bool found = false;
    f->of_joints = (quantity == TQA_RECORDING_Q || quantity == TQA_RECORDING_QD) &&
                   f->recording->of_joints[quantity];
    if (columns == NULL || !find_columns(f, quantity, layout, columns, &found)) {
        return false;
    }
    const size_t n = tqa_finder_width(f, quantity);
    if (quantity == TQA_RECORDING_TIME && !find_clock(f, columns, found, &found)) {
        return false;
    }
    if (!found) {
        return (request->need >> quantity & 1u) == 0 || refuse_missing(f, quantity, n);
    }
    if (quantity == TQA_RECORDING_TAU && f->of_joints && !request->has_contacts) {
        return refuse_contacts(f);
    }
    if (!keep(f, quantity, columns) ||
        !keep_names(f, quantity, columns,
                    quantity == TQA_RECORDING_TIME ? f->recording->n_time : n)) {
        return false;
    }
    if (quantity == TQA_RECORDING_TIME) {
        find_time_unit(f, columns);
        return true;
    }
    return find_units(f, quantity, layout, columns);
}

/* One of the datasets of a recording by quantities is not named. */
static bool refuse_source(const tqa_recording *recording, tqa_recording_quantity q)
{
    char hint[TQA_PROBLEM_TEXT];
    if (q == TQA_RECORDING_TIME) {
        return tqa_value_refuse(&recording->part, "missing-field",
                                "add \"time\": the name of a dataset, or \"rate_hz\": the "
                                "rows in a second",
                                "there is no clock");
    }
    (void)snprintf(hint, sizeof hint, "add \"%s\": the name of its dataset",
                   tqa_recording_quantity_names[q]);
    return tqa_value_refuse(&recording->part, "missing-field", hint, "there is no dataset of %s",
                            tqa_recording_quantity_names[q]);
}

/* the layout that the request names or, without columns in the request, that of the file */
static const tqa_layout *choose_layout(tqa_recording *recording,
                                       const tqa_recording_source *sources)
{
    const tqa_recording_request *request = recording->request;
    const tqa_layout *layout = request->preset;
    tqa_finder f = {.recording = recording,
                    .request = request,
                    .table = sources[0].table,
                    .source = recording->source[0]};
    if (request->columns.value == NULL && !recording->is_split && !is_headless(&f)) {
        layout = tqa_layout_find(&f);
    }
    recording->layout = layout != NULL ? layout->name : NULL;
    return layout;
}

/* Its torque follows from commanded motion: it has none of its own. */
static bool is_commanded(const tqa_recording *recording)
{
    return recording->request->law != NULL && recording->column[TQA_RECORDING_TAU] == NULL;
}

/* Columns of one quantity of the floating base. */
static bool find_of_base(tqa_finder *f, tqa_recording_quantity quantity)
{
    const tqa_recording_request *request = f->request;
    const tqa_value part =
        tqa_value_field(&request->columns, tqa_recording_quantity_names[quantity]);
    const size_t n = tqa_recording_width(request, quantity);
    uint32_t columns[8];
    bool found = part.value != NULL;
    if (found && !tqa_finder_read(f, &part, quantity, n, columns)) {
        return false;
    }
    if (!found && f->recording->is_split) {
        bool good = find_plain(f, quantity, columns, &found);
        found = found || tqa_layout_base(f, quantity, columns);
        if (!good) {
            return false;
        }
    } else if (!found && request->columns.value == NULL && !is_headless(f)) {
        found = tqa_layout_base(f, quantity, columns);
    }
    return !found || (keep(f, quantity, columns) && keep_names(f, quantity, columns, n) &&
                      find_units(f, quantity, NULL, columns));
}

/* The floating base's own columns; with a pose q, with a twist qd are those of the joints. */
static bool find_base(tqa_recording *recording, const tqa_recording_source *sources)
{
    const tqa_recording_request *request = recording->request;
    uint32_t *const *column = recording->column;
    bool good = true;
    for (tqa_recording_quantity q = TQA_RECORDING_BASE_POSITION;
         good && request->base != TQ_NONE && q <= TQA_RECORDING_BASE_TWIST; q++) {
        const size_t at = recording->is_split ? (size_t)q : 0;
        tqa_finder f = {.recording = recording,
                        .request = request,
                        .table = sources[at].table,
                        .source = recording->source[at]};
        good = f.table == NULL || find_of_base(&f, q);
    }
    if (!good) {
        return false;
    }
    const bool has_position = column[TQA_RECORDING_BASE_POSITION] != NULL;
    const bool has_quaternion = column[TQA_RECORDING_BASE_QUATERNION] != NULL;
    const bool has_twist = column[TQA_RECORDING_BASE_TWIST] != NULL;
    const tqa_value *where = request->columns.value != NULL ? &request->columns : &recording->part;
    if (has_position != has_quaternion || (has_twist && !has_position)) {
        const char *name = tqa_recording_quantity_names[has_position ? TQA_RECORDING_BASE_QUATERNION
                                                                     : TQA_RECORDING_BASE_POSITION];
        return tqa_value_refuse(where, "missing-field",
                                "name both: \"base_position\": [x, y, z], "
                                "\"base_quaternion_wxyz\": [w, x, y, z]",
                                "the pose of the floating base has no \"%s\"", name);
    }
    recording->of_joints[TQA_RECORDING_Q] = has_position;
    recording->of_joints[TQA_RECORDING_QD] = has_twist;
    return true;
}

/* A recorded twist needs the rates of the joints beside it. */
static bool check_twist(tqa_recording *recording)
{
    const tqa_value *columns = &recording->request->columns;
    const tqa_value part = tqa_value_field(columns, "base_twist");
    const bool has_rates = recording->signal.channels.has[TQ_QUANTITY_QD];
    const bool has_twist = recording->column[TQA_RECORDING_BASE_TWIST] != NULL;
    recording->signal.channels.twists_missing =
        has_rates && !has_twist && recording->of_joints[TQA_RECORDING_QD];
    if (has_twist && !has_rates) { /* found by itself: the pose has it as well */
        recording->column[TQA_RECORDING_BASE_TWIST] = NULL;
        recording->n_name[TQA_RECORDING_BASE_TWIST] = 0;
        return part.value == NULL ||
               tqa_value_refuse(&part, "missing-field",
                                "add \"qd\", or leave it out: it is derived from the pose then",
                                "the twist of the base is read where the rates \"qd\" of the "
                                "joints are as well");
    }
    return true;
}

bool tqa_recording_columns_find(tqa_recording *recording, tqa_recording_source *sources)
{
    const tqa_recording_request *request = recording->request;
    bool good = find_base(recording, sources);
    const tqa_layout *layout = good ? choose_layout(recording, sources) : NULL;
    recording->signal.channels = (tq_channels){0};
    for (tqa_recording_quantity q = 0; good && q < TQA_RECORDING_BASE_POSITION; q++) {
        const size_t at = recording->is_split ? (size_t)q : 0;
        tqa_finder f = {.recording = recording,
                        .request = request,
                        .table = sources[at].table,
                        .source = recording->source[at]};
        if (tqa_recording_is_command(q) && !is_commanded(recording)) {
            continue;
        }
        if (f.table == NULL) { /* split, and without this file */
            if ((request->need >> q & 1u) != 0 ||
                (q == TQA_RECORDING_TIME && request->options.rate <= 0.0)) {
                return refuse_source(recording, q);
            }
            continue;
        }
        good = find_quantity(&f, q, layout);
        if (good && q < TQA_RECORDING_TIME && recording->column[q] != NULL) {
            recording->signal.channels.has[q] = true;
            recording->signal.channels.first[q] = recording->signal.channels.n;
            recording->signal.channels.n += tqa_recording_width(request, q);
        }
    }
    good = good && check_twist(recording);
    if (good && is_commanded(recording)) {
        recording->is_commanded = true;
        recording->signal.channels.has[TQA_RECORDING_TAU] = true;
        recording->signal.channels.first[TQA_RECORDING_TAU] = recording->signal.channels.n;
        recording->signal.channels.n += tqa_recording_width(request, TQA_RECORDING_TAU);
        recording->signal.channels.first_gain = recording->signal.channels.n;
        recording->signal.channels.n_gain = request->law->n_unknown;
        recording->signal.channels.n += request->law->n_unknown;
    }
    return good && tqa_wrench_columns_find(recording, &sources[0]);
}
