/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/man.c - torquectl(1) out of the tables: `torquectl help man`. */
#include <string.h>

#include "clients/torquectl/ctl.h"
#include "clients/torquectl/help.h"

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
    if (c->about[0] != '\0' && (c->operation == NULL || strncmp(c->about, "Fields", 6) != 0)) {
        put_text(out, c->about);
        fputs("\n", out);
    }
    for (size_t i = 0; i < ctl_n_option; i++) {
        if (c->operation == NULL && (ctl_options[i].bit & c->options) != 0) {
            put_option(out, &ctl_options[i]);
        }
    }
}

static void put_commands(FILE *out, bool computes)
{
    const ctl_command *first = NULL;
    for (size_t i = 0; i < ctl_n_command; i++) {
        if ((ctl_commands[i].operation != NULL) == computes) {
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
    fputs(".fi\n.SH SEE ALSO\n\\fBtorqued\\fR(8)\n", out);
    return CTL_DONE;
}
