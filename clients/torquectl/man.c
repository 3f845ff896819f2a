/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/man.c - torquectl(1) and a page of each command, out of the tables. */
#include <ctype.h>
#include <string.h>

#include "clients/torquectl/ctl.h"
#include "clients/torquectl/help.h"
#include "clients/torquectl/values.h"

/* text of man(7): backslashes, and dots and quotes at the begin of a line */
static void put_text(FILE *out, const char *text)
{
    bool is_start = true;
    for (; *text != '\0'; text++) {
        if (is_start && (*text == '.' || *text == '\'')) {
            fputs("\\&", out);
        }
        if (*text == '\\') {
            fputs("\\e", out);
        } else if (*text == '-') {
            fputs("\\-", out);
        } else if (*text != '`') {
            fputc(*text, out);
        }
        is_start = *text == '\n';
    }
}

static void put_option(FILE *out, const ctl_option *o)
{
    fputs(".TP\n", out);
    if (o->letter != 0) {
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    }
    fputs("\\fB\\-\\-", out);
    put_text(out, o->name);
    fputs("\\fR", out);
    if (o->argument != NULL) {
        fprintf(out, " \\fI%s\\fR", o->argument);
    }
    fputs("\n", out);
    put_text(out, o->text);
    fputs("\n", out);
}

/* those of resources have two words */
static bool is_computation(const ctl_command *c)
{
    return c->operation != NULL && strchr(c->name, ' ') == NULL;
}

static void put_command(FILE *out, const ctl_command *c)
{
    fputs(".TP\n\\fB", out);
    put_text(out, c->name);
    fputs("\\fR", out);
    if (c->arguments[0] != '\0') {
        fputs(" \\fI", out);
        put_text(out, c->arguments);
        fputs("\\fR", out);
    }
    fputs(c->operation != NULL ? " [\\fIFIELD\\fR=\\fIVALUE\\fR]...\n" : "\n", out);
    put_text(out, c->summary);
    fputs(".\n", out);
    /* what all computations have in common is said once */
    if (c->about[0] != '\0' && (!is_computation(c) || strncmp(c->about, "Fields", 6) != 0)) {
        put_text(out, c->about);
        fputs("\n", out);
    }
    for (size_t i = 0; i < ctl_n_option; i++) {
        if (!is_computation(c) && (ctl_options[i].bit & c->options) != 0) {
            put_option(out, &ctl_options[i]);
        }
    }
}

static void put_commands(FILE *out, bool computes)
{
    const ctl_command *first = NULL;
    for (size_t i = 0; i < ctl_n_command; i++) {
        if (is_computation(&ctl_commands[i]) == computes) {
            if (computes && first == NULL) {
                put_text(out, ctl_commands[i].about);
                fputs(" \\fBtorquectl help\\fR \\fICOMMAND\\fR lists the fields.\n", out);
                first = &ctl_commands[i];
            }
            put_command(out, &ctl_commands[i]);
        }
    }
    for (size_t i = 0; computes && i < ctl_n_option; i++) {
        const unsigned own = CTL_O_INPUT | CTL_O_FIELD | CTL_O_FILE | CTL_O_PATIENCE;
        if ((ctl_options[i].bit & own) != 0) {
            put_option(out, &ctl_options[i]);
        }
    }
}

int ctl_man(FILE *out)
{
    fputs(
        ".TH TORQUECTL 1 \"\" \"torqued " TQC_VERSION "\"\n"
        ".SH NAME\ntorquectl \\- torqued from the command line\n"
        ".SH SYNOPSIS\n\\fBtorquectl\\fR [\\fIOPTION\\fR]... \\fICOMMAND\\fR "
        "[\\fIARGUMENT\\fR]...\n"
        ".SH DESCRIPTION\nEvery command but \\fBverify\\fR, \\fBcontexts\\fR, \\fBcompletion\\fR and "
        "\\fBhelp\\fR is an HTTP request to a running \\fBtorqued\\fR(8).\n"
        ".SH OPTIONS\n",
        out);
    for (size_t i = 0; i < ctl_n_option; i++) {
        if (ctl_options[i].bit == 0) {
            put_option(out, &ctl_options[i]);
        }
    }
    fputs(".PP\nTokens are never taken from options or the environment.\n.SH COMPUTATIONS\n", out);
    put_commands(out, true);
    fputs(".SH OTHER COMMANDS\n", out);
    put_commands(out, false);
    fputs(
        ".PP\nA \\fIFILE\\fR of \\- is standard input or output. A downloaded file gets its name only "
        "when it is complete. Tables are as wide as 100 columns, and leave out what is longer: "
        "programs read \\fB\\-o json\\fR or \\fB\\-o csv\\fR.\n"
        ".PP\nA simulation or calibration is listed by \\fBjobs\\fR too. One that was answered at "
        "once is removed an hour after its end, one that became a job for its client after 30 "
        "days: \\fIWAITING\\fR in \\fBtorqued\\fR(8).\n"
        ".SH ENVIRONMENT\n.TP\n\\fBTORQUED_URL\\fR\nThe server, without \\-s.\n"
        ".TP\n\\fBTORQUECTL_CONTEXT\\fR\nThe context, without \\-\\-context.\n"
        ".TP\n\\fBXDG_CONFIG_HOME\\fR\nWhere \\fItorquectl/contexts\\fR is kept.\n"
        ".TP\n\\fBNO_COLOR\\fR\ntop marks nothing.\n"
        ".SH EXIT STATUS\n",
        out);
    for (size_t i = 0; i < ctl_n_status; i++) {
        fprintf(out, ".TP\n\\fB%d\\fR\n", ctl_statuses[i].status);
        put_text(out, ctl_statuses[i].text);
        fputs("\n", out);
    }
    fputs(".SH EXAMPLES\n.nf\n", out);
    for (size_t i = 0; i < ctl_n_command; i++) {
        if (ctl_commands[i].examples[0] != '\0') {
            put_text(out, ctl_commands[i].examples);
            fputs("\n", out);
        }
    }
    fputs(".fi\n.SH SEE ALSO\nEach command has a page of its own: \\fBtorquectl\\-id\\fR(1), "
          "\\fBtorquectl\\-jobs\\-wait\\fR(1) ...; \\fBtorqued\\fR(8)\n",
          out);
    return CTL_DONE;
}

/* ----------------------------------------------------------------------------- of one command */

/* "jobs-wait", or with `put_upper` JOBS-WAIT */
static void put_name(FILE *out, const char *name, bool is_upper)
{
    for (; *name != '\0'; name++) {
        if (*name == ' ' || *name == '-') {
            fputs("\\-", out);
        } else {
            fputc(is_upper ? toupper((unsigned char)*name) : *name, out);
        }
    }
}

static void put_fields(FILE *out, const char *operation)
{
    size_t n = 0;
    const ctl_field *fields = ctl_fields(&n);
    fputs(".SH FIELDS\nThose that a request must have come with a *.\n", out);
    for (int needed = 1; needed >= 0; needed--) {
        for (size_t i = 0; i < n; i++) {
            const ctl_field *f = &fields[i];
            if (strcmp(f->operation, operation) != 0 || f->is_needed != (needed == 1)) {
                continue;
            }
            fputs(".TP\n\\fB", out);
            put_text(out, f->path);
            fputs(f->is_needed ? "\\fR*\n" : "\\fR\n", out);
            put_text(out, f->text);
            if (f->words[0] != '\0') {
                fputs(f->text[0] != '\0' ? ": \\fI" : "\\fI", out);
                put_text(out, f->words);
                fputs("\\fR", out);
            }
            fputs(f->text[0] != '\0' || f->words[0] != '\0' ? "\n" : "\\&\n", out);
        }
    }
}

static void put_synopsis(FILE *out, const ctl_command *c)
{
    fputs(".SH SYNOPSIS\n\\fBtorquectl ", out);
    put_text(out, c->name);
    fputs("\\fR [\\fIOPTION\\fR]...", out);
    if (c->arguments[0] != '\0') {
        fputs(" \\fI", out);
        put_text(out, c->arguments);
        fputs("\\fR", out);
    }
    fputs(c->operation != NULL ? " [\\fIFIELD\\fR=\\fIVALUE\\fR]...\n" : "\n", out);
}

static void put_own_options(FILE *out, const ctl_command *c)
{
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < ctl_n_option; i++) {
        if ((ctl_options[i].bit & c->options) != 0) {
            put_option(out, &ctl_options[i]);
        }
    }
    fputs(".PP\nBeside them those of every command: \\fBtorquectl\\fR(1).\n", out);
}

int ctl_man_of(FILE *out, const ctl_command *c)
{
    fputs(".TH TORQUECTL\\-", out);
    put_name(out, c->name, true);
    fputs(" 1 \"\" \"torqued " TQC_VERSION "\"\n.SH NAME\ntorquectl\\-", out);
    put_name(out, c->name, false);
    fputs(" \\- ", out);
    put_text(out, c->summary);
    fputs("\n", out);
    put_synopsis(out, c);
    fputs(".SH DESCRIPTION\n", out);
    put_text(out, c->about[0] != '\0' ? c->about : c->summary);
    fputs(c->about[0] != '\0' ? "\n" : ".\n", out);
    if (c->method != NULL) {
        fprintf(out, ".PP\nHTTP: %s ", c->method);
        for (const char *at = c->path; *at != '\0'; at++) {
            const bool is_name = at[0] == '%' && at[1] == 's';
            fputs(is_name ? "\\fINAME\\fR" : (char[]){*at, '\0'}, out);
            at += is_name ? 1 : 0;
        }
        fputs("\n", out);
    }
    put_own_options(out, c);
    if (c->operation != NULL) {
        put_fields(out, c->operation);
    }
    if (c->examples[0] != '\0') {
        fputs(".SH EXAMPLES\n.nf\n", out);
        put_text(out, c->examples);
        fputs("\n.fi\n", out);
    }
    fputs(".SH SEE ALSO\n\\fBtorquectl\\fR(1), \\fBtorqued\\fR(8)\n", out);
    return CTL_DONE;
}
