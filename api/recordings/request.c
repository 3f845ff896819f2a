/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/request.c - the fields of a request about its recordings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/recordings/finder.h"
#include "api/recordings/parts.h"

static const char *const filter_fields[] = {"kind",   "order",  "cutoff_hz", "tau_f_s",
                                            "window", "degree", "decimate",  NULL};
static const char *const filter_kinds[] = {"butterworth", "savitzky-golay", "first-order", "none",
                                           NULL};

static bool read_cutoff(const tqa_value *part, tq_recording_filter *ret)
{
    const tqa_value cutoff = tqa_value_field(part, "cutoff_hz");
    const char *word = json_string_value(cutoff.value);
    ret->is_auto = cutoff.value == NULL || (word != NULL && strcmp(word, "auto") == 0);
    return ret->is_auto || tqa_value_positive(&cutoff, &ret->cutoff);
}

/* Refuses fields of another kind of filter. */
static bool refuse_foreign(const tqa_value *part, tq_smoothing kind)
{
    static const struct {
        const char *field;
        tq_smoothing kind;
    } owned[] = {{"order", TQ_SMOOTHING_BUTTERWORTH},
                 {"cutoff_hz", TQ_SMOOTHING_BUTTERWORTH},
                 {"tau_f_s", TQ_SMOOTHING_FIRST_ORDER},
                 {"window", TQ_SMOOTHING_SAVITZKY_GOLAY},
                 {"degree", TQ_SMOOTHING_SAVITZKY_GOLAY}};
    for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) {
        const tqa_value field = tqa_value_field(part, owned[k].field);
        if (field.value != NULL && owned[k].kind != kind) {
            return tqa_value_refuse(&field, "invalid-value", "leave it out, or choose that kind",
                                    "\"%s\" belongs to kind \"%s\"", owned[k].field,
                                    filter_kinds[owned[k].kind]);
        }
    }
    return true;
}

static bool read_filter(tqa_recording_request *request, const tqa_value *object)
{
    tq_recording_filter *ret = &request->options.filter;
    *ret = (tq_recording_filter){
        .order = 4, .is_auto = true, .window = 21, .degree = 3, .decimate = 1};
    const tqa_value part = tqa_value_field(object, "filter");
    if (part.value == NULL) {
        return true;
    }
    if (!tqa_value_object(&part, filter_fields)) {
        return false;
    }
    unsigned kind = TQ_SMOOTHING_BUTTERWORTH;
    size_t order = ret->order;
    size_t polynomial = ret->degree;
    const tqa_value name = tqa_value_field(&part, "kind");
    const tqa_value order_part = tqa_value_field(&part, "order");
    const tqa_value tau = tqa_value_field(&part, "tau_f_s");
    const tqa_value window = tqa_value_field(&part, "window");
    const tqa_value degrees = tqa_value_field(&part, "degree");
    const tqa_value decimate = tqa_value_field(&part, "decimate");
    if ((name.value != NULL && !tqa_value_choice(&name, filter_kinds, &kind)) ||
        !refuse_foreign(&part, kind) ||
        (order_part.value != NULL &&
         !tqa_value_count(&order_part, 1, TQ_FILTER_ORDER_MAX, &order)) ||
        (window.value != NULL && !tqa_value_count(&window, 5, 1023, &ret->window)) ||
        (degrees.value != NULL && !tqa_value_count(&degrees, 2, 9, &polynomial)) ||
        (decimate.value != NULL && !tqa_value_count(&decimate, 1, 1000, &ret->decimate)) ||
        !read_cutoff(&part, ret)) {
        return false;
    }
    ret->has_decimate = decimate.value != NULL;
    ret->kind = kind;
    ret->order = (unsigned)order;
    ret->degree = (unsigned)polynomial;
    if (ret->window % 2 == 0 || ret->window <= ret->degree) {
        return tqa_value_refuse(&window, "range", "say \"window\": 21, \"degree\": 3",
                                "the window must be odd and longer than the degree");
    }
    if (kind == TQ_SMOOTHING_FIRST_ORDER) {
        return tqa_value_need(&tau, "add \"tau_f_s\": 0.01") &&
               tqa_value_positive(&tau, &ret->tau_f);
    }
    return true;
}

tqa_value tqa_recording_place(const tqa_recording *recording, const char *outer, const char *inner)
{
    tqa_value part = tqa_value_field(&recording->request->object, outer);
    if (inner != NULL && part.value != NULL) {
        part = tqa_value_field(&part, inner);
    }
    return part.value != NULL ? part : recording->part;
}

/* Refuses columns or files of commanded motion where no controller makes torque of it. */
static bool refuse_commands(const tqa_recording_request *request, const tqa_value *part)
{
    static const tqa_recording_quantity commands[] = {TQA_RECORDING_Q_CMD, TQA_RECORDING_QD_CMD,
                                                      TQA_RECORDING_TAU_FF};
    for (size_t k = 0; (request->need >> TQA_RECORDING_Q_CMD & 1u) == 0 && k < 3; k++) {
        const char *name = tqa_recording_quantity_names[commands[k]];
        const tqa_value field = tqa_value_field(part, name);
        if (field.value != NULL) {
            return tqa_value_refuse(&field, "invalid-value",
                                    "leave it out; or, of a calibration without torque, add "
                                    "\"controller\": {\"kind\": \"pd\", \"kp\": ..., \"kd\": ...}",
                                    "commanded motion (\"%s\") is read where the law of a "
                                    "controller makes torque of it",
                                    name);
        }
    }
    return true;
}

/* Whether there is such a column follows from the data, what may be said of it does not. */
static bool read_columns(tqa_recording_request *ret, const tqa_value *object)
{
    static const char *const known[] = {"q",
                                        "qd",
                                        "qdd",
                                        "tau",
                                        "time",
                                        "q_cmd",
                                        "qd_cmd",
                                        "tau_ff",
                                        "preset",
                                        "groups",
                                        "base_position",
                                        "base_twist",
                                        "base_quaternion_wxyz",
                                        NULL};
    unsigned preset = 0;
    ret->columns = tqa_value_field(object, "columns");
    const tqa_value part = tqa_value_field(&ret->columns, "preset");
    if (ret->columns.value == NULL) {
        return true;
    }
    if (!tqa_value_object(&ret->columns, known) ||
        (part.value != NULL && !tqa_value_choice(&part, tqa_layout_words, &preset))) {
        return false;
    }
    ret->preset = part.value != NULL ? tqa_layout_of(preset) : NULL;
    return refuse_commands(ret, &ret->columns) && tqa_recording_refuse_base(ret, &ret->columns);
}

/* the only joint that floats, or TQ_NONE */
static uint32_t floating_of(const tq_model *model)
{
    uint32_t found = TQ_NONE;
    size_t n = 0;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].kind == TQ_JOINT_FLOATING) {
            found = j;
            n++;
        }
    }
    return n == 1 ? found : TQ_NONE;
}

bool tqa_recording_request_read(const tqa_value *object, const tqa_order *order, unsigned need,
                                tqa_recording_request *ret)
{
    const tqa_value rate = tqa_value_field(object, "rate_hz");
    const tqa_value delay = tqa_value_field(object, "delay_s");
    *ret = (tqa_recording_request){
        .tree = object->tree, .order = order, .need = need, .object = *object};
    ret->options.mechanism = object->tree->robot->mechanism;
    ret->options.model = object->tree->robot->model;
    ret->base = floating_of(ret->options.model);
    ret->rows = tqa_value_field(object, "rows");
    ret->has_delay = delay.value != NULL;
    for (tqa_recording_quantity q = 0; q < TQA_RECORDING_QUANTITIES; q++) {
        const size_t n = tqa_recording_width(ret, q);
        ret->factor[q] = tqa_tree_take(object->tree, n + 1, sizeof(double));
        if (ret->factor[q] == NULL) {
            return false;
        }
        for (size_t r = 0; r < n; r++) {
            ret->factor[q][r] = 1.0;
        }
    }
    if (!read_columns(ret, object) || !tqa_recording_read_units(ret, object) ||
        !tqa_recording_read_scale(ret, object) || !read_filter(ret, object) ||
        (rate.value != NULL && !tqa_value_positive(&rate, &ret->options.rate)) ||
        (delay.value != NULL && !tqa_value_number(&delay, &ret->options.delay))) {
        return false;
    }
    return tqa_recording_check_amperes(ret, object);
}

/* ------------------------------------------------------------------------------------------------
 * One experiment
 */

static bool read_window(tqa_recording *recording, const tqa_value *part)
{
    double pair[2];
    if (recording->n_window == TQA_RECORDING_WINDOWS_MAX) {
        return tqa_value_refuse(part, "too-large", "fewer and longer ranges",
                                "at most %d ranges of rows", TQA_RECORDING_WINDOWS_MAX);
    }
    if (!tqa_value_numbers(part, 2, pair)) {
        return false;
    }
    const tqa_recording_window window = {(uint64_t)fmax(0.0, pair[0]),
                                         (uint64_t)fmax(0.0, pair[1])};
    if (!(pair[0] >= 0.0 && pair[1] > pair[0] && pair[1] <= 0x1p53) || pair[0] != floor(pair[0]) ||
        pair[1] != floor(pair[1]) ||
        (recording->n_window > 0 &&
         window.first < recording->windows[recording->n_window - 1].end)) {
        return tqa_value_refuse(part, "range", "[first, one past the last], rising, from row 0",
                                "not a range of rows");
    }
    recording->windows[recording->n_window++] = window;
    return true;
}

static bool read_windows(tqa_recording *recording, const tqa_value *part)
{
    size_t n = 0;
    if (part->value == NULL) {
        return true;
    }
    if (!tqa_value_array(part, 1, TQA_RECORDING_WINDOWS_MAX, &n)) {
        return false;
    }
    const tqa_value first = tqa_value_item(part, 0);
    if (!json_is_array(first.value)) {
        return read_window(recording, part);
    }
    for (size_t k = 0; k < n; k++) {
        const tqa_value item = tqa_value_item(part, k);
        if (!read_window(recording, &item)) {
            return false;
        }
    }
    return true;
}

static bool read_name(const tqa_value *part, const char *prefix,
                      char ret[TQA_RECORDING_SOURCE_NAME])
{
    const char *name = json_string_value(part->value);
    if (name == NULL) {
        return tqa_value_refuse(part, "wrong-type",
                                "the name of a dataset, or the id of a job, in quotes",
                                "expected a name in quotes");
    }
    const int n = snprintf(ret, TQA_RECORDING_SOURCE_NAME, "%s%s", prefix, name);
    return (n > 0 && n < TQA_RECORDING_SOURCE_NAME && name[0] != '\0') ||
           tqa_value_refuse(part, "invalid-value", "a name has 1 to 128 bytes",
                            "not the name of a dataset or job");
}

/* {"q": "name", "tau": "name", ...} */
static bool read_split(tqa_recording *recording)
{
    bool any = false;
    recording->is_split = true;
    if (!refuse_commands(recording->request, &recording->part) ||
        !tqa_recording_refuse_base(recording->request, &recording->part)) {
        return false;
    }
    for (tqa_recording_quantity q = 0; q < TQA_RECORDING_QUANTITIES; q++) {
        const tqa_value field = tqa_value_field(&recording->part, tqa_recording_quantity_names[q]);
        if (field.value != NULL && !read_name(&field, "", recording->source[q])) {
            return false;
        }
        any = any || field.value != NULL;
    }
    if (!any) {
        return tqa_value_refuse(&recording->part, "missing-field", "add \"dataset\": \"its name\"",
                                "no dataset is named");
    }
    (void)snprintf(recording->name, sizeof recording->name, "%s",
                   recording->source[TQA_RECORDING_Q]);
    return true;
}

bool tqa_recording_read(const tqa_recording_request *request, const tqa_value *part,
                        tqa_recording *ret)
{
    ret->request = request;
    ret->signal.options = &request->options;
    ret->part = *part;
    if (json_is_string(part->value)) {
        (void)snprintf(ret->name, sizeof ret->name, "%s", json_string_value(part->value));
        return read_name(part, "", ret->source[0]) && read_windows(ret, &request->rows);
    }
    if (!json_is_object(part->value)) {
        return tqa_value_refuse(part, "wrong-type", "{\"dataset\": \"its name\"}",
                                "expected the name of a dataset, or an object");
    }
    const tqa_value dataset = tqa_value_field(part, "dataset");
    const tqa_value job = tqa_value_field(part, "job");
    const tqa_value rows = tqa_value_field(part, "rows");
    if (dataset.value != NULL && job.value != NULL) {
        return tqa_value_refuse(part, "invalid-value", "leave one of the two out",
                                "either a dataset or a job");
    }
    if (dataset.value == NULL && job.value == NULL && !read_split(ret)) {
        return false;
    }
    if ((dataset.value != NULL && !read_name(&dataset, "", ret->source[0])) ||
        (job.value != NULL && !read_name(&job, "job:", ret->source[0]))) {
        return false;
    }
    ret->time_unit_known = job.value != NULL;
    if (!ret->is_split) {
        (void)snprintf(ret->name, sizeof ret->name, "%s", ret->source[0]);
    }
    return read_windows(ret, rows.value != NULL ? &rows : &request->rows);
}
