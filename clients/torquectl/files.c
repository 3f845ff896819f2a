/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/files.c - requests shown, sent from files and written to files; backups. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/files.h"
#include "clients/torquectl/print/print.h"
#include "clients/torquectl/verify.h"

/* a new file, or an existing one without what it held */
static FILE *create(const char *path, unsigned mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && file == NULL) {
        close(fd);
    }
    return file;
}

int ctl_fetch(ctl *c, ctl_request *request, const char *name, bool is_private)
{
    char part[CTL_PATH];
    const bool to_stdout = name == NULL || strcmp(name, "-") == 0;
    (void)snprintf(part, sizeof part, "%s.part", to_stdout ? "" : name);
    FILE *out = to_stdout || c->curl ? stdout : create(part, is_private ? 0600 : 0666);
    if (out == NULL) {
        ctl_fault("%s: %s", part, strerror(errno));
        return CTL_FAILED;
    }
    ctl_answer answer;
    request->download = out;
    int status = ctl_send(c, request, &answer) ? CTL_DONE : ctl_report(c, &answer);
    ctl_answer_clear(&answer);
    if (out == stdout) {
        return status;
    }
    const bool written = fflush(out) == 0 && fsync(fileno(out)) == 0;
    if (fclose(out) != 0 || (status == CTL_DONE && (!written || rename(part, name) != 0))) {
        ctl_fault("%s: %s", name, strerror(errno));
        status = CTL_FAILED;
    }
    if (status != CTL_DONE) {
        unlink(part);
    }
    return status;
}

int ctl_exchange(ctl *c, const ctl_request *request)
{
    ctl_answer answer;
    const int status = ctl_send(c, request, &answer)
                           ? ctl_print_answer(c, answer.body, answer.n_body)
                           : ctl_report(c, &answer);
    ctl_answer_clear(&answer);
    return status;
}

FILE *ctl_open_input(const char *name)
{
    FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "rbe");
    if (in == NULL) {
        ctl_fault("%s: %s", name, strerror(errno));
    }
    return in;
}

int ctl_show(ctl *c, int n, char **arguments)
{
    char path[CTL_PATH];
    (void)n;
    if (!ctl_fill(c, path, c->command->path, arguments[0])) {
        return CTL_USAGE;
    }
    const ctl_request request = {.method = c->command->method, .path = path};
    return ctl_exchange(c, &request);
}

int ctl_download(ctl *c, int n, char **arguments)
{
    char path[CTL_PATH];
    if (!ctl_fill(c, path, c->command->path, arguments[0])) {
        return CTL_USAGE;
    }
    ctl_request request = {.method = c->command->method, .path = path, .accept = "*/*"};
    return ctl_fetch(c, &request, n > 1 ? arguments[1] : NULL, false);
}

int ctl_upload(ctl *c, int n, char **arguments)
{
    char path[CTL_PATH];
    (void)n;
    if (!ctl_fill(c, path, c->command->path, arguments[0])) {
        return CTL_USAGE;
    }
    FILE *in = ctl_open_input(arguments[1]);
    if (in == NULL) {
        return CTL_FAILED;
    }
    const ctl_request request = {
        .method = c->command->method, .path = path, .upload = in, .upload_name = arguments[1]};
    const int status = ctl_exchange(c, &request);
    if (in != stdin) {
        (void)fclose(in);
    }
    return status;
}

/* -------------------------------------------------------------------------------------- backups */

int ctl_verify_archive(ctl *c, int n, char **arguments)
{
    char why[CTL_WHY] = "";
    size_t n_files = 0;
    uint64_t n_bytes = 0;
    (void)n;
    if (!ctl_verify(arguments[0], &n_files, &n_bytes, why)) {
        ctl_fault("%s", why);
        return CTL_FAILED;
    }
    if (c->format == CTL_TABLE) {
        printf("good: %zu files, %llu bytes\n", n_files, (unsigned long long)n_bytes);
        return CTL_DONE;
    }
    json_t *document =
        json_pack("{s:I, s:I}", "files", (json_int_t)n_files, "bytes", (json_int_t)n_bytes);
    const int status = ctl_print_document(c, document);
    json_decref(document);
    return status;
}

/* A backup is verified at once, so that a faulty one is known before it is needed; it is kept in
 * any case. */
int ctl_backup(ctl *c, int n, char **arguments)
{
    char why[CTL_WHY] = "";
    size_t n_files = 0;
    uint64_t n_bytes = 0;
    (void)n;
    ctl_request request = {.method = "POST", .path = c->command->path, .accept = "*/*"};
    const int status = ctl_fetch(c, &request, arguments[0], true);
    if (status != CTL_DONE || c->curl || strcmp(arguments[0], "-") == 0 ||
        ctl_verify(arguments[0], &n_files, &n_bytes, why)) {
        return status;
    }
    ctl_fault("%s is written, but %s", arguments[0], why);
    return CTL_FAILED;
}
