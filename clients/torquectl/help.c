/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/help.c - help and version, out of the tables of commands, options, fields. */
#include "clients/torquectl/help.h"

#include <string.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/values.h"

const ctl_status ctl_statuses[] = {
    {CTL_DONE, "done"},
    {CTL_FAILED, "failed: refused by the service, not reached, a file that cannot be written"},
    {CTL_USAGE, "usage: the command line is not understood, nothing was sent"},
    {CTL_AUTH, "credentials: 401 or 403"},
    {CTL_JOB_FAILED, "the job failed or was cancelled"},
    {CTL_TIMEOUT, "--timeout has passed"},
    {CTL_INTERRUPTED, "interrupted; a job goes on"},
};
const size_t ctl_n_status = sizeof ctl_statuses / sizeof ctl_statuses[0];

void ctl_wrap(FILE *out, const char *text, size_t at, size_t indent)
{
    while (*text != '\0') {
        size_t n = strcspn(text, " \n");
        if (at > indent && at + n > CTL_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        }
        fprintf(out, "%.*s", (int)n, text);
        at += n;
        text += n;
        if (*text == ' ') {
            if (at + 1 + strcspn(text + 1, " \n") <= CTL_WIDTH) {
                fputc(' ', out);
            }
            at++;
            text++;
        } else if (*text == '\n') {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            text++;
        }
    }
    fputc('\n', out);
}

static void print_row(const char *left, const char *text)
{
    enum { LEFT = 28 };
    const size_t n = strlen(left);
    if (n + 3 > LEFT) {
        printf("  %s\n%*s", left, LEFT, "");
    } else {
        printf("  %-*s", LEFT - 2, left);
    }
    ctl_wrap(stdout, text, LEFT, LEFT);
}

static void print_option(const ctl_option *o)
{
    char left[64];
    (void)snprintf(left, sizeof left, "%c%c%s --%s%s%s", o->letter != 0 ? '-' : ' ',
                   o->letter != 0 ? o->letter : ' ', o->letter != 0 ? "," : " ", o->name,
                   o->argument != NULL ? " " : "", o->argument != NULL ? o->argument : "");
    print_row(left, o->text);
}

static void print_all(void)
{
    char left[64];
    fputs("usage: torquectl [OPTION]... COMMAND [ARGUMENT]...\n\n", stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        (void)snprintf(left, sizeof left, "%s %s", ctl_commands[i].name, ctl_commands[i].arguments);
        print_row(left, ctl_commands[i].summary);
    }
    fputs("\nOptions of every command; `torquectl help COMMAND` has its own and its fields:\n",
          stdout);
    for (size_t i = 0; i < ctl_n_option; i++) {
        if (ctl_options[i].bit == 0) {
            print_option(&ctl_options[i]);
        }
    }
    fputs("\nexit status:\n", stdout);
    for (size_t i = 0; i < ctl_n_status; i++) {
        (void)snprintf(left, sizeof left, "%d", ctl_statuses[i].status);
        print_row(left, ctl_statuses[i].text);
    }
}

/* needed ones, other fields of the request itself, then those of objects */
static int group_of(const ctl_field *f)
{
    return f->is_needed ? 0 : strchr(f->path, '.') == NULL ? 1 : 2;
}

static void print_fields(const ctl_command *c)
{
    size_t n = 0;
    const ctl_field *fields = ctl_fields(&n);
    printf("\nfields (* is needed):\n");
    for (int group = 0; group < 3; group++) {
        for (size_t i = 0; i < n; i++) {
            char left[96], text[1024];
            const ctl_field *f = &fields[i];
            if (strcmp(f->operation, c->operation) != 0 || group_of(f) != group) {
                continue;
            }
            (void)snprintf(left, sizeof left, "%s%s", f->path, f->is_needed ? "*" : "");
            (void)snprintf(text, sizeof text, "%s%s%s", f->text,
                           f->text[0] != '\0' && f->words[0] != '\0' ? ": " : "", f->words);
            print_row(left, text);
        }
    }
}

static void print_one(const ctl_command *c)
{
    printf("usage: torquectl %s%s%s%s\n\n%s: ", c->name, c->arguments[0] != '\0' ? " " : "",
           c->arguments, c->operation != NULL ? " [FIELD=VALUE]..." : "", c->name);
    ctl_wrap(stdout, c->summary, strlen(c->name) + 2, 0);
    if (c->about[0] != '\0') {
        fputc('\n', stdout);
        ctl_wrap(stdout, c->about, 0, 0);
    }
    bool has_options = false;
    for (size_t i = 0; i < ctl_n_option; i++) {
        if ((ctl_options[i].bit & c->options) != 0) {
            fputs(has_options ? "" : "\noptions:\n", stdout);
            has_options = true;
            print_option(&ctl_options[i]);
        }
    }
    if (c->operation != NULL) {
        print_fields(c);
    }
    if (c->examples[0] != '\0') {
        fputs("\nexamples:\n  ", stdout);
        ctl_wrap(stdout, c->examples, 2, 2);
    }
    if (c->method != NULL) {
        printf("\nHTTP: %s ", c->method);
        for (const char *at = c->path; *at != '\0'; at++) {
            if (at[0] == '%' && at[1] == 's') {
                fputs("NAME", stdout);
                at++;
            } else {
                putchar(*at);
            }
        }
        putchar('\n');
    }
}

/* a noun alone: its commands */
static bool print_noun(const char *noun)
{
    bool found = false;
    for (size_t i = 0; i < ctl_n_command; i++) {
        const ctl_command *c = &ctl_commands[i];
        if (strncmp(c->name, noun, strlen(noun)) == 0 && c->name[strlen(noun)] == ' ') {
            char left[64];
            (void)snprintf(left, sizeof left, "%s %s", c->name, c->arguments);
            fputs(found ? "" : "usage: torquectl COMMAND\n\n", stdout);
            print_row(left, c->summary);
            found = true;
        }
    }
    return found;
}

int ctl_help(ctl *c, int n, char **arguments)
{
    int used = 0;
    if (n == 0) {
        print_all();
        return CTL_DONE;
    }
    if (n == 1 && strcmp(arguments[0], "man") == 0) {
        return ctl_man(stdout);
    }
    if (n == 1 && strcmp(arguments[0], "commands") == 0) {
        for (size_t i = 0; i < ctl_n_command; i++) {
            puts(ctl_commands[i].name);
        }
        return CTL_DONE;
    }
    const int first = strcmp(arguments[0], "man") == 0 ? 1 : 0;
    if (n == 1 && print_noun(arguments[0])) {
        return CTL_DONE;
    }
    const ctl_command *of = ctl_find(n - first, arguments + first, &used);
    if (of == NULL || used != n - first) {
        return ctl_misused(c, "there is no command \"%.40s\"", arguments[n - 1]);
    }
    if (first == 1) {
        return ctl_man_of(stdout, of);
    }
    print_one(of);
    return CTL_DONE;
}

int ctl_version(ctl *c, int n, char **arguments)
{
    (void)c;
    (void)n;
    (void)arguments;
    puts("torquectl " TQC_VERSION);
    return CTL_DONE;
}
