/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/operation.c - a computation: its request out of words and files, its answer. */
#include <ctype.h>
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/files.h"
#include "clients/torquectl/jobs.h"
#include "clients/torquectl/operation.h"
#include "clients/torquectl/print/print.h"
#include "clients/torquectl/values.h"

/* of a POST for its result; then the job's id is known, and the job is asked for */
enum { WAIT_TERMINAL_S = 1, WAIT_PIPE_S = 10, NAME_BYTES = 64 };

/* A request: JSON, or the bytes of one NPY or NPZ as they are. */
typedef struct body {
    json_t *fields;
    char *bytes;
    size_t n_bytes;
    const char *bytes_name, *content_type;
} body;

/* -------------------------------------------------- inputs */

/* "q_0", "qd[3]", "tau7", "q.1": the name before the number; 0: it is none */
static size_t stem_of(const char *column)
{
    size_t n = strlen(column);
    while (n > 0 && strchr("])", column[n - 1]) != NULL) {
        n--;
    }
    const size_t digits = n;
    while (n > 0 && isdigit((unsigned char)column[n - 1])) {
        n--;
    }
    if (n == digits) {
        return 0;
    }
    while (n > 0 && strchr("_[(.", column[n - 1]) != NULL) {
        n--;
    }
    return n;
}

/* Columns of a table with a header go to the fields whose names they begin with; a time alone is
 * left out where the request has none. */
static bool take_named(const ctl *c, json_t *fields, const json_t *rows, const json_t *names)
{
    const size_t n_row = json_array_size(rows);
    for (size_t k = 0; k < json_array_size(names); k++) {
        const char *column = json_string_value(json_array_get(names, k));
        char field[NAME_BYTES];
        const size_t stem = stem_of(column);
        const bool is_vector = stem > 0;
        (void)snprintf(field, sizeof field, "%.*s", (int)(is_vector ? stem : strlen(column)),
                       column);
        if (ctl_field_of(c->command->operation, field) == NULL) {
            if (strcmp(field, "t") == 0 || strcmp(field, "time") == 0) {
                continue;
            }
            ctl_fault("column \"%s\": %s has no field \"%s\"", column, c->command->name, field);
            return false;
        }
        json_t *array = json_object_get(fields, field);
        if (array == NULL) {
            array = json_array();
            json_object_set_new(fields, field, array);
        }
        for (size_t r = 0; r < n_row; r++) {
            json_t *value = json_array_get(json_array_get(rows, r), k);
            if (!is_vector) {
                json_array_append(array, value);
                continue;
            }
            if (json_array_size(array) == r) {
                json_array_append_new(array, json_array());
            }
            json_array_append(json_array_get(array, r), value);
        }
    }
    return true;
}

/* Rows without names: q, or q | qd | qdd (tau) side by side as in NPY requests. */
static bool take_rows(const ctl *c, json_t *fields, const json_t *rows)
{
    const bool is_inverse = strcmp(c->command->operation, "inverse-dynamics") == 0;
    const bool is_forward = strcmp(c->command->operation, "forward-dynamics") == 0;
    const char *const parts[] = {"q", "qd", is_inverse ? "qdd" : "tau"};
    const size_t n_part = is_inverse || is_forward ? 3 : 1;
    const size_t columns = json_array_size(json_array_get(rows, 0));
    const bool is_step = strcmp(c->command->operation, "session-step") == 0;
    const char *first = is_step                                            ? "tau"
                        : strcmp(c->command->operation, "trajectory") == 0 ? "waypoints"
                                                                           : "q";
    if (columns == 0 || columns % n_part != 0) {
        ctl_fault("%zu columns are not q, qd and %s side by side", columns, parts[2]);
        return false;
    }
    for (size_t p = 0; p < n_part; p++) {
        json_t *array = json_array();
        for (size_t r = 0; r < json_array_size(rows); r++) {
            const json_t *row = json_array_get(rows, r);
            json_t *own = json_array();
            if (json_array_size(row) != columns) {
                ctl_fault("row %zu has %zu columns, the first one has %zu", r + 1,
                          json_array_size(row), columns);
                json_decref(own);
                json_decref(array);
                return false;
            }
            for (size_t k = 0; k < columns / n_part; k++) {
                json_array_append(own, json_array_get(row, p * (columns / n_part) + k));
            }
            json_array_append_new(array, own);
        }
        json_object_set_new(fields, p == 0 ? first : parts[p], array);
    }
    return true;
}

static bool take_table(const ctl *c, json_t *fields, json_t *value, const json_t *names)
{
    if (json_is_array(value) && json_array_size(value) > 0 &&
        !json_is_array(json_array_get(value, 0))) { /* one sample */
        json_t *row = json_array();
        json_array_append(row, value);
        const bool good = take_rows(c, fields, row);
        json_decref(row);
        return good;
    }
    return names != NULL ? take_named(c, fields, value, names) : take_rows(c, fields, value);
}

/* NPY and NPZ are sent as they are where nothing else is said. */
static bool may_be_raw(const ctl *c, const char *bytes, size_t n, const char **ret_type)
{
    const bool is_npy = n > 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
    const bool is_npz = n > 4 && memcmp(bytes, "PK\x03\x04", 4) == 0;
    const bool takes_npy = strcmp(c->command->operation, "inverse-dynamics") == 0 ||
                           strcmp(c->command->operation, "forward-dynamics") == 0;
    *ret_type = is_npz ? "application/x-npz" : "application/x-npy";
    return is_npz || (is_npy && takes_npy && c->n_field == 0 && c->n_input == 1);
}

/* Whether a table is q | qd | qdd (tau) side by side, as one NPY: without names, or with these. */
static bool is_side_by_side(const ctl *c, const json_t *rows, const json_t *names)
{
    const char *third = strcmp(c->command->operation, "inverse-dynamics") == 0 ? "qdd" : "tau";
    const char *const parts[] = {"q", "qd", third};
    const size_t columns = json_array_size(json_array_get(rows, 0)), n = columns / 3;
    bool good = columns > 0 && columns % 3 == 0;
    for (size_t r = 0; good && r < json_array_size(rows); r++) {
        good = json_array_size(json_array_get(rows, r)) == columns;
    }
    for (size_t k = 0; good && names != NULL && k < columns; k++) {
        const char *column = json_string_value(json_array_get(names, k)), *part = parts[k / n];
        const size_t stem = stem_of(column);
        good = json_array_size(names) == columns && stem == strlen(part) &&
               memcmp(column, part, stem) == 0;
    }
    return good;
}

/* Many samples alone travel as doubles: a tenth of the time of JSON text. */
static bool make_npy(const ctl *c, body *r, const json_t *rows, const json_t *names)
{
    const bool takes_npy = strcmp(c->command->operation, "inverse-dynamics") == 0 ||
                           strcmp(c->command->operation, "forward-dynamics") == 0;
    if (!takes_npy || c->n_field > 0 || c->n_input > 1 || c->curl ||
        !json_is_array(json_array_get(rows, 0)) || !is_side_by_side(c, rows, names)) {
        return false;
    }
    ctl_samples samples = {.n_row = json_array_size(rows)};
    samples.n_column = json_array_size(json_array_get(rows, 0));
    samples.values = malloc(samples.n_row * samples.n_column * sizeof *samples.values);
    for (size_t i = 0; samples.values != NULL && i < samples.n_row * samples.n_column; i++) {
        samples.values[i] = json_number_value(
            json_array_get(json_array_get(rows, i / samples.n_column), i % samples.n_column));
    }
    FILE *out = samples.values != NULL ? open_memstream(&r->bytes, &r->n_bytes) : NULL;
    if (out != NULL) {
        ctl_samples_npy(out, &samples);
        (void)fclose(out);
        r->content_type = "application/x-npy";
    }
    free(samples.values);
    return r->bytes != NULL;
}

static bool take_input(const ctl *c, body *r, const char *name)
{
    size_t n = 0;
    json_t *names = NULL;
    char *bytes = ctl_read_file(name, &n);
    if (bytes == NULL) {
        return false;
    }
    if (may_be_raw(c, bytes, n, &r->content_type)) {
        if (c->n_field > 0 || c->n_input > 1) {
            ctl_fault("%s: an NPZ is sent alone, without other fields", name);
            free(bytes);
            return false;
        }
        r->bytes = bytes;
        r->n_bytes = n;
        r->bytes_name = name;
        return true;
    }
    json_t *value = ctl_decode(name, bytes, n, &names);
    bool good = value != NULL;
    if (json_is_object(value)) {
        good = json_object_update(r->fields, value) == 0;
    } else if (good && !make_npy(c, r, value, names)) {
        good = take_table(c, r->fields, value, names);
    }
    json_decref(names);
    json_decref(value);
    free(bytes);
    return good;
}

bool ctl_take_fields(const ctl *c, json_t *fields)
{
    for (size_t i = 0; i < c->n_field; i++) {
        const ctl_field *field = ctl_field_of(c->command->operation, c->fields[i].path);
        json_t *value = ctl_value(c->fields[i].value, field != NULL ? field->kind : CTL_ANY);
        if (value == NULL || !ctl_assign(fields, c->fields[i].path, value)) {
            return false;
        }
    }
    return true;
}

/* -------------------------------------------------- answers */

static int print_result(ctl *c, const char *bytes, size_t n)
{
    char part[CTL_PATH];
    if (c->output_file != NULL && strcmp(c->output_file, "-") != 0) {
        (void)snprintf(part, sizeof part, "%s.part", c->output_file);
        if (freopen(part, "wb", stdout) == NULL) {
            ctl_fault("%s cannot be written", part);
            return CTL_FAILED;
        }
    }
    int status = CTL_DONE;
    if (c->format == CTL_NPZ ||
        (c->format == CTL_NPY && n > 6 && memcmp(bytes, "\x93NUMPY", 6) == 0)) {
        fwrite(bytes, 1, n, stdout);
    } else {
        status = ctl_print_answer(c, bytes, n);
    }
    if (c->output_file != NULL && strcmp(c->output_file, "-") != 0 && status == CTL_DONE &&
        (fflush(stdout) != 0 || rename(part, c->output_file) != 0)) {
        ctl_fault("%s cannot be written", c->output_file);
        status = CTL_FAILED;
    }
    return status;
}

/* JSON, but for formats that the service writes itself */
static const char *accept_of(const ctl *c)
{
    if (c->format == CTL_NPZ) {
        return "application/x-npz";
    }
    const bool is_inverse = strcmp(c->command->operation, "inverse-dynamics") == 0;
    return c->format == CTL_NPY && c->field == NULL && is_inverse ? "application/x-npy"
                                                                  : "application/json";
}

/* "/v1/jobs/ID/result" */
static bool id_of(const char *location, char id[CTL_PATH])
{
    const char *at = strstr(location, "/jobs/");
    (void)snprintf(id, CTL_PATH, "%.*s", at != NULL ? (int)strcspn(at + 6, "/") : 0,
                   at != NULL ? at + 6 : "");
    return id[0] != '\0';
}

static int fetch_result(ctl *c, char *id)
{
    char *arguments[] = {id, NULL};
    if (c->format == CTL_CSV || c->format == CTL_NPY || c->format == CTL_NPZ) {
        return ctl_job_result(c, 1, arguments);
    }
    char path[CTL_PATH];
    if (!ctl_fill(c, path, "/v1/jobs/%s/result", id)) {
        return CTL_FAILED;
    }
    const ctl_request r = {.method = "GET", .path = path};
    ctl_answer answer;
    const int status = ctl_send(c, &r, &answer) ? print_result(c, answer.body, answer.n_body)
                                                : ctl_report(c, &answer);
    ctl_answer_clear(&answer);
    return status;
}

/* A calibration on a terminal: where its report is, which the answer does not hold. */
static void say_report(const ctl *c, const char *id)
{
    const bool has_report = strcmp(c->command->operation, "calibrate") == 0;
    if (has_report && !c->quiet && isatty(STDERR_FILENO) != 0) {
        ctl_note("its report: torquectl jobs report %s report.html", id);
    }
}

static int finish_job(ctl *c, const ctl_answer *answer)
{
    char id[CTL_PATH];
    json_t *job = NULL;
    if (!id_of(answer->head.location, id)) {
        ctl_fault("the service has named no job");
        return CTL_FAILED;
    }
    if (c->patience == CTL_DETACH) {
        printf("%s\n", id);
        return CTL_DONE;
    }
    const int status = ctl_wait(c, id, &job);
    json_decref(job);
    if (status != CTL_DONE) {
        return status;
    }
    const int fetched = fetch_result(c, id);
    say_report(c, id);
    return fetched;
}

static int finish(ctl *c, const ctl_answer *answer)
{
    char id[CTL_PATH];
    if (answer->head.status == 202) {
        return finish_job(c, answer);
    }
    const bool is_stored = id_of(answer->head.location, id);
    const bool is_written_there =
        c->format == CTL_CSV || c->format == CTL_NPY || c->format == CTL_NPZ;
    const int status = is_stored && is_written_there
                           ? fetch_result(c, id)
                           : print_result(c, answer->body, answer->n_body);
    if (is_stored) {
        say_report(c, id);
    }
    return status;
}

/* -------------------------------------------------------------------------------------- sending */

static int post(ctl *c, const char *path, const body *r)
{
    char prefer[48], key[33] = "";
    const bool may_outlive = (c->command->options & CTL_O_PATIENCE) != 0;
    const bool is_watched = c->patience == CTL_FOLLOW || isatty(STDERR_FILENO) != 0;
    long wait_s = is_watched ? WAIT_TERMINAL_S : WAIT_PIPE_S;
    wait_s = c->timeout_s > 0 && c->timeout_s <= wait_s ? c->timeout_s : wait_s;
    (void)snprintf(prefer, sizeof prefer, "wait=%ld", wait_s);
    char *text = r->bytes == NULL ? ctl_compact(r->fields) : NULL;
    if (c->patience == CTL_DETACH && c->key == NULL && tqc_make_key(key) != TQC_OK) {
        key[0] = '\0';
    }
    const ctl_request request = {
        .method = "POST",
        .path = path,
        .accept = may_outlive ? "application/json" : accept_of(c),
        .content_type = r->bytes != NULL ? r->content_type : "application/json",
        .body = r->bytes != NULL ? r->bytes : text,
        .n_body = r->bytes != NULL ? r->n_bytes
                  : text != NULL   ? strlen(text)
                                   : 0,
        .upload_name = r->bytes_name,
        .is_repeatable = !may_outlive,
        .prefer = !may_outlive                ? NULL
                  : c->patience == CTL_DETACH ? "respond-async"
                                              : prefer,
        .key = c->key != NULL   ? c->key
               : key[0] != '\0' ? key
                                : NULL,
    };
    ctl_answer answer;
    const int status = ctl_send(c, &request, &answer) ? finish(c, &answer) : ctl_report(c, &answer);
    ctl_answer_clear(&answer);
    free(text);
    return status;
}

static int run(ctl *c, const char *robot, body *r)
{
    char path[CTL_PATH];
    bool good = ctl_fill(c, path, c->command->path, robot);
    for (size_t i = 0; good && i < c->n_input; i++) {
        good = take_input(c, r, c->inputs[i]);
    }
    good = good && ctl_take_fields(c, r->fields);
    if (good && c->format == CTL_NPZ && c->output_file == NULL && isatty(STDOUT_FILENO) != 0) {
        good = false;
        (void)ctl_misused(c, "bytes are not for a terminal: -f FILE, or a pipe");
    }
    const json_t *q = json_object_get(r->fields, "q");
    c->is_single = json_is_array(q) && !json_is_array(json_array_get(q, 0));
    const int status = good ? post(c, path, r) : CTL_USAGE;
    json_decref(r->fields);
    free(r->bytes);
    return status;
}

bool ctl_add_inputs(ctl *c, int n, char **files)
{
    for (int i = 0; i < n; i++) {
        if (c->n_input == CTL_INPUTS_MAX) {
            (void)ctl_misused(c, "more than %d inputs", CTL_INPUTS_MAX);
            return false;
        }
        c->inputs[c->n_input++] = files[i];
    }
    return true;
}

bool ctl_gather(const ctl *c, json_t *fields)
{
    body r = {.fields = fields};
    bool good = true;
    for (size_t i = 0; good && i < c->n_input; i++) {
        good = take_input(c, &r, c->inputs[i]);
        if (good && r.bytes != NULL) {
            ctl_fault("%s: %s takes JSON, CSV or NPY", c->inputs[i], c->command->name);
            good = false;
        }
        free(r.bytes);
        r.bytes = NULL;
    }
    return good && ctl_take_fields(c, fields);
}

int ctl_operation(ctl *c, int n, char **arguments)
{
    body r = {.fields = json_object()};
    const int own = strstr(c->command->path, "%s") != NULL ? 1 : 0; /* the robot's name */
    if (!ctl_add_inputs(c, n - own, arguments + own)) {
        json_decref(r.fields);
        return CTL_USAGE;
    }
    return run(c, own > 0 ? arguments[0] : "", &r);
}

/* ---------------------------------------------------------------------------------- their data */

/* A file becomes a dataset named by it and its digest, so that none is replaced by other bytes. */
static bool upload(ctl *c, const char *file, char name[NAME_BYTES])
{
    size_t n = 0;
    unsigned char digest[crypto_hash_sha256_BYTES];
    char path[CTL_PATH], hex[2 * sizeof digest + 1];
    const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file;
    char *bytes = ctl_read_file(file, &n);
    if (bytes == NULL) {
        return false;
    }
    crypto_hash_sha256(digest, (const unsigned char *)bytes, n);
    sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    size_t used = 0;
    for (; base[used] != '\0' && base[used] != '.' && used < 40; used++) {
        name[used] = isalnum((unsigned char)base[used]) ? base[used] : '-';
    }
    (void)snprintf(name + used, NAME_BYTES - used, "-%.12s", hex);
    (void)snprintf(path, sizeof path, "/v1/datasets/%s", name);
    const ctl_request put = {
        .method = "PUT", .path = path, .body = bytes, .n_body = n, .upload_name = file};
    ctl_answer answer;
    const bool good = ctl_send(c, &put, &answer) || c->curl;
    if (!good) {
        (void)ctl_report(c, &answer);
    } else if (!c->quiet && !c->curl) {
        ctl_note("%s: dataset %s", file, name);
    }
    ctl_answer_clear(&answer);
    free(bytes);
    return good;
}

/* NAME, job:ID or FILE as {"dataset": ...} or {"job": ...}; NULL with the fault said */
static json_t *source_of(ctl *c, const char *text)
{
    char name[NAME_BYTES];
    if (strncmp(text, "job:", 4) == 0) {
        return json_pack("{s:s}", "job", text + 4);
    }
    if (strpbrk(text, "./") == NULL || access(text, R_OK) != 0) {
        return json_pack("{s:s}", "dataset", text);
    }
    return upload(c, text, name) ? json_pack("{s:s}", "dataset", name) : NULL;
}

int ctl_calibrate(ctl *c, int n, char **arguments)
{
    body r = {.fields = json_object()};
    json_t *list = json_array();
    for (int i = 1; i < n; i++) {
        json_t *source = source_of(c, arguments[i]);
        if (source == NULL) {
            json_decref(list);
            json_decref(r.fields);
            return CTL_FAILED;
        }
        json_array_append_new(list, source);
    }
    if (n > 1) {
        json_object_set(r.fields, "datasets", list);
    }
    json_decref(list);
    return run(c, arguments[0], &r);
}

int ctl_compare(ctl *c, int n, char **arguments)
{
    body r = {.fields = json_object()};
    static const char *const names[] = {"a", "b"};
    for (int i = 0; i < n; i++) {
        json_t *source = source_of(c, arguments[i]);
        if (source == NULL) {
            json_decref(r.fields);
            return CTL_FAILED;
        }
        json_object_set_new(r.fields, names[i], source);
    }
    return run(c, "", &r);
}
