/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/robots.c - robots put, checked, changed, exported; findings by the line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/files.h"
#include "clients/torquectl/operation.h"
#include "clients/torquectl/print/print.h"
#include "clients/torquectl/values.h"

enum { TEXT_MOST = 16 << 20, NAME_BYTES = 128 };

/* Everything of a file, NUL-terminated, or NULL. */
static char *read_text(FILE *in, size_t *ret_n)
{
    size_t room = 1 << 16, n = 0, got;
    char *text = malloc(room);
    while (text != NULL && (got = fread(text + n, 1, room - n - 1, in)) > 0) {
        n += got;
        if (n + 1 == room) {
            char *grown = room < TEXT_MOST ? realloc(text, room *= 2) : NULL;
            if (grown == NULL) {
                free(text);
            }
            text = grown;
        }
    }
    if (text != NULL) {
        text[n] = '\0';
    }
    *ret_n = n;
    return text;
}

static long line_at(const char *text, const char *place)
{
    long line = 1;
    for (; text < place; text++) {
        line += *text == '\n';
    }
    return line;
}

/* The line of a finding: as it states it, "(line 7)", or that of the element that it names, such as
 * "link b". 0: not known. */
static long find_line(const char *text, const char *where)
{
    const char *stated = strstr(where, "(line ");
    const char *space = strchr(where, ' ');
    char wanted[NAME_BYTES];
    if (stated != NULL) {
        return strtol(stated + 6, NULL, 10);
    }
    if (space == NULL) {
        return 0;
    }
    const int n = (int)strcspn(space + 1, " :,");
    for (int form = 0; form < 3; form++) { /* an element of XML, a member of JSON */
        const int used =
            form < 2 ? snprintf(wanted, sizeof wanted, "<%.*s name=%c%.*s%c", (int)(space - where),
                                where, form == 0 ? '"' : '\'', n, space + 1, form == 0 ? '"' : '\'')
                     : snprintf(wanted, sizeof wanted, "\"%.*s\"", n, space + 1);
        const char *place = used > 0 && (size_t)used < sizeof wanted ? strstr(text, wanted) : NULL;
        if (place != NULL) {
            return line_at(text, place);
        }
    }
    return 0;
}

/* "arm.urdf:12: doctor: link b: ..." */
static void print_finding(const char *file, const char *text, const char *list,
                          const json_t *finding)
{
    const char *where = json_string_value(json_object_get(finding, "where"));
    const char *what = json_string_value(json_object_get(finding, "text"));
    const long long count = json_integer_value(json_object_get(finding, "count"));
    where = where != NULL ? where : "";
    what = what != NULL ? what : "";
    const long line = text != NULL ? find_line(text, where) : 0;
    char place[64] = "", times[32] = "";
    if (line > 0) {
        (void)snprintf(place, sizeof place, "%ld:", line);
    }
    if (count > 1) {
        (void)snprintf(times, sizeof times, " (%lld)", count);
    }
    ctl_note("%s%s%s%s%s: %s%s%s%s", file, file[0] != '\0' ? ":" : "", place,
             file[0] != '\0' ? " " : "", list, where, where[0] != '\0' ? ": " : "", what, times);
}

/* Returns the number of the doctor's findings. */
static size_t print_findings(const json_t *robot, const char *file, const char *text)
{
    static const char *const lists[] = {"understood", "ignored", "doctor"};
    const bool is_check = text != NULL;
    size_t n = 0;
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        const json_t *list = json_object_get(robot, lists[l]);
        n = json_array_size(list);
        for (size_t i = 0; i < n; i++) {
            print_finding(is_check ? file : "", text, lists[l], json_array_get(list, i));
        }
    }
    return n; /* of the last list, the doctor's */
}

/* A request whose answer is a report of a robot. */
static int report_robot(ctl *c, const ctl_request *request)
{
    ctl_answer answer;
    int status = CTL_DONE;
    if (!ctl_send(c, request, &answer)) {
        status = ctl_report(c, &answer);
    } else {
        json_t *document = json_loadb(answer.body, answer.n_body, 0, NULL);
        const size_t n_finding = print_findings(document, "", NULL);
        json_decref(document);
        status = ctl_print_answer(c, answer.body, answer.n_body);
        status = status == CTL_DONE && c->strict && n_finding > 0 ? CTL_FAILED : status;
    }
    ctl_answer_clear(&answer);
    return status;
}

int ctl_robot_put(ctl *c, int n, char **arguments)
{
    char path[CTL_PATH];
    (void)n;
    FILE *in = NULL;
    if (!ctl_fill(c, path, c->command->path, arguments[0])) {
        return CTL_USAGE;
    }
    if ((in = ctl_open_input(arguments[1])) == NULL) {
        return CTL_FAILED;
    }
    const ctl_request request = {
        .method = "PUT", .path = path, .upload = in, .upload_name = arguments[1]};
    const int status = report_robot(c, &request);
    if (in != stdin) {
        (void)fclose(in);
    }
    return status;
}

/* The document, or the robot in another format as it is. */
int ctl_robot_get(ctl *c, int n, char **arguments)
{
    const bool is_text = c->robot_format != NULL && strcmp(c->robot_format, "document") != 0;
    char path[CTL_PATH];
    if (!is_text && n == 1) {
        return ctl_show(c, n, arguments);
    }
    if (!ctl_fill(c, path, c->command->path, arguments[0])) {
        return CTL_USAGE;
    }
    ctl_request request = {
        .method = "GET", .path = path, .accept = is_text ? "*/*" : "application/json"};
    return ctl_fetch(c, &request, n > 1 ? arguments[1] : NULL, false);
}

/* ---------------------------------------------------------------------------------- changes */

/* One operation, a list of them, or a request with its `operations`. */
static bool add_operations(json_t *list, const char *name)
{
    size_t n = 0;
    json_t *columns = NULL;
    char *bytes = ctl_read_file(name, &n);
    json_t *value = bytes != NULL ? ctl_decode(name, bytes, n, &columns) : NULL;
    const json_t *inner = json_object_get(value, "operations");
    const json_t *many = json_is_array(inner) ? inner : value;
    bool good = value != NULL;
    if (good && json_is_array(many) && columns == NULL) {
        good = json_array_extend(list, (json_t *)(uintptr_t)many) == 0;
    } else if (good && json_is_object(value)) {
        good = json_array_append(list, value) == 0;
    } else if (good) {
        ctl_fault("%s: operations are JSON: {\"op\": \"lock\", ...}, or a list of such", name);
        good = false;
    }
    json_decref(columns);
    json_decref(value);
    free(bytes);
    return good;
}

int ctl_robot_change(ctl *c, int n, char **arguments)
{
    char path[CTL_PATH];
    json_t *list = json_array();
    bool good = ctl_fill(c, path, c->command->path, arguments[0]) &&
                ctl_add_inputs(c, n - 1, arguments + 1);
    for (size_t i = 0; good && i < c->n_input; i++) {
        good = add_operations(list, c->inputs[i]);
    }
    if (good && c->n_field > 0) {
        json_t *last = json_object();
        good = ctl_take_fields(c, last);
        json_array_append_new(list, last);
    }
    if (good && json_array_size(list) == 0) {
        good = false;
        (void)ctl_misused(c, "which change? op=lock joints.NAME=0.4, or a FILE of operations");
    }
    json_t *body = json_pack("{s:o}", "operations", list);
    char *text = good ? ctl_compact(body) : NULL;
    json_decref(body);
    if (text == NULL) {
        return CTL_USAGE;
    }
    const ctl_request request = {.method = "PATCH",
                                 .path = path,
                                 .content_type = "application/json",
                                 .body = text,
                                 .n_body = strlen(text)};
    const int status = report_robot(c, &request);
    free(text);
    return status;
}

/* ----------------------------------------------------------------------------------- checks */

/* A file that is no robot: as a compiler's error, by the line that the service states. */
static int report_refusal(const ctl *c, const char *file, const ctl_answer *answer)
{
    const tqc_error *e = &answer->error;
    const char *at = strstr(e->detail, "line ");
    const long line = at != NULL ? strtol(at + 5, NULL, 10) : 0;
    char place[32] = "";
    if (answer->code != TQC_REFUSED || e->status / 100 != 4 || e->status == 404) {
        return ctl_report(c, answer);
    }
    if (line > 0) {
        (void)snprintf(place, sizeof place, "%ld:", line);
    }
    ctl_note("%s:%s error: %s: %s", file, place, e->title, e->detail);
    if (e->hint[0] != '\0') {
        ctl_note("%s:%s hint: %s", file, place, e->hint);
    }
    return CTL_FAILED;
}

/* `PUT ?dry_run=true` under a name that need not be there: nothing is stored */
static int check(ctl *c, const char *file, const char *text, size_t n)
{
    char path[CTL_PATH];
    (void)snprintf(path, sizeof path, "/v1/robots/check%s%sdry_run=true", c->query,
                   c->query[0] == '\0' ? "?" : "&");
    const ctl_request put = {
        .method = "PUT", .path = path, .body = text, .n_body = n, .upload_name = file};
    ctl_answer answer;
    if (!ctl_send(c, &put, &answer)) {
        const int status = report_refusal(c, file, &answer);
        ctl_answer_clear(&answer);
        return status;
    }
    json_t *document = json_loadb(answer.body, answer.n_body, 0, NULL);
    const size_t n_finding = print_findings(document, file, text);
    int status = CTL_DONE;
    if (c->format != CTL_TABLE) {
        status = ctl_print_answer(c, answer.body, answer.n_body);
    } else {
        printf("%s: nq %lld, nv %lld, %zu finding%s of the doctor\n", file,
               (long long)json_integer_value(json_object_get(document, "nq")),
               (long long)json_integer_value(json_object_get(document, "nv")), n_finding,
               n_finding == 1 ? "" : "s");
    }
    json_decref(document);
    ctl_answer_clear(&answer);
    return status == CTL_DONE && c->strict && n_finding > 0 ? CTL_FAILED : status;
}

int ctl_robot_check(ctl *c, int n, char **arguments)
{
    int status = CTL_DONE;
    for (int i = 0; i < n; i++) {
        size_t n_text = 0;
        FILE *in = ctl_open_input(arguments[i]);
        char *text = in != NULL ? read_text(in, &n_text) : NULL;
        if (in != NULL && in != stdin) {
            (void)fclose(in);
        }
        if (in != NULL && text == NULL) {
            ctl_fault("%s is too large", arguments[i]);
        }
        const int one = text != NULL ? check(c, arguments[i], text, n_text) : CTL_FAILED;
        status = one != CTL_DONE ? one : status;
        free(text);
    }
    return status;
}
