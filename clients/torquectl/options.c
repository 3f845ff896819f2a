/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/options.c - a command line: options anywhere, the command, fields. */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clients/torquectl/ctl.h"
#include "clients/torquectl/print/shown.h"

/* clang-format off */
const ctl_option ctl_options[] = {
    {'s', "server", "URL", 0, "", "http://HOST:PORT or unix:PATH; else $TORQUED_URL, the context, http://127.0.0.1:8420"},
    {0, "context", "NAME", 0, "CONTEXT", "a server of `contexts`; else $TORQUECTL_CONTEXT, the one in use"},
    {0, "token-file", "FILE", 0, "FILE", "credentials: a file whose first line is the token"},
    {'n', "namespace", "NAME", 0, "", "a group's robots, datasets and jobs, for administrators; \"\": those of none; else the context's"},
    {'o', "output", "FORMAT", 0, "table json yaml csv npy npz", "table (default), json, yaml, csv, npy or npz"},
    {0, "timeout", "SECONDS", 0, "", "time limit of a request and of waiting; exit status 6"},
    {0, "retries", "N", 0, "", "tries after a failed one, of what may be repeated (default 2)"},
    {0, "curl", NULL, 0, "", "print the request as a line for curl, and send nothing"},
    {'q', "quiet", NULL, 0, "", "no progress and no notes on standard error"},
    {'h', "help", NULL, 0, "", "help of the command"},
    {'V', "version", NULL, 0, "", "version"},
    {'i', "input", "FILE", CTL_O_INPUT, "FILE", "the request: .json, .csv, .npy or .npz; - is standard input"},
    {0, "set", "FIELD=VALUE", CTL_O_INPUT, "", "a field of the request; the same as FIELD=VALUE and --FIELD VALUE"},
    {'f', "file", "FILE", CTL_O_FILE, "FILE", "write the answer there, and not to standard output"},
    {0, "field", "NAME", CTL_O_FIELD, "", "the array that -o npy writes; else the only one or the first"},
    {0, "wait", NULL, CTL_O_PATIENCE, "", "wait for the result (default); a bar on a terminal, silence in a pipe"},
    {0, "detach", NULL, CTL_O_PATIENCE, "", "do not wait: print the job's id"},
    {0, "follow", NULL, CTL_O_PATIENCE, "", "wait, with a line for each change, in a pipe too"},
    {0, "key", "TEXT", CTL_O_PATIENCE, "", "Idempotency-Key: with the same key nothing is computed twice"},
    {0, "state", "STATES", CTL_O_FILTER, "queued running succeeded failed cancelled", "only such jobs, with commas: succeeded,failed"},
    {0, "older-than", "TIME", CTL_O_FILTER, "", "only jobs submitted longer ago: 7d, 12h, 30min, 90s"},
    {0, "newer-than", "TIME", CTL_O_FILTER, "", "only jobs submitted no longer ago"},
    {0, "yes", NULL, CTL_O_YES, "", "delete; without it the jobs are counted only"},
    {0, "strict", NULL, CTL_O_STRICT, "", "exit status 1 when the doctor has findings"},
    {0, "format", "FORMAT", CTL_O_FORMAT, "urdf mjcf sdf zip document", "of the robot: urdf, mjcf, sdf or document; of a file also zip (default: by its first bytes)"},
    {0, "base", "KIND", CTL_O_SOURCE, "fixed floating planar", "what holds the root link of a URDF or SDF: fixed (default), floating, planar"},
    {0, "main", "PATH", CTL_O_SOURCE, "", "the description inside of a zip archive"},
    {0, "as", "NAME", CTL_O_CHANGE, "", "store the result under this name; built-in robots need one"},
    {0, "dry-run", NULL, CTL_O_CHANGE, "", "store nothing, print what the robot would be"},
    {0, "credentials", "FILE", CTL_O_TOKENS, "FILE", "the service's file of tokens (default /etc/torqued/tokens)"},
    {0, "interval", "SECONDS", CTL_O_TOP, "", "between two refreshes (default 1)"},
    {0, "once", NULL, CTL_O_TOP, "", "print one snapshot and end; so it is in a pipe"},
};
/* clang-format on */
const size_t ctl_n_option = sizeof ctl_options / sizeof ctl_options[0];

__attribute__((format(printf, 2, 0))) static void say(const char *name, const char *format,
                                                      va_list args)
{
    static char text[8192], shown[6 * sizeof text + 16];
    (void)vsnprintf(text, sizeof text, format, args);
    (void)ctl_shown(text, SIZE_MAX, shown, sizeof shown);
    fprintf(stderr, "%s%s\n", name, shown);
}

void ctl_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void ctl_put(FILE *out, const char *text, size_t width)
{
    char shown[256];
    (void)ctl_shown(text, SIZE_MAX, shown, width + 1 < sizeof shown ? width + 1 : sizeof shown);
    fputs(shown, out);
}

void ctl_fault(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("torquectl: ", format, args);
    va_end(args);
}

int ctl_misused(const ctl *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("torquectl: ", format, args);
    va_end(args);
    if (c->command != NULL) {
        fprintf(stderr, "usage: torquectl %s%s%s\n", c->command->name,
                c->command->arguments[0] != '\0' ? " " : "", c->command->arguments);
    }
    fprintf(stderr, "`torquectl help%s%s` says more\n", c->command != NULL ? " " : "",
            c->command != NULL ? c->command->name : "");
    return CTL_USAGE;
}

const ctl_command *ctl_find(int n, char *const *words, int *ret_used)
{
    const ctl_command *best = NULL;
    for (size_t i = 0; n > 0 && i < ctl_n_command; i++) {
        const char *verb = strchr(ctl_commands[i].name, ' ');
        const size_t n_noun =
            verb != NULL ? (size_t)(verb - ctl_commands[i].name) : strlen(ctl_commands[i].name);
        if (strlen(words[0]) != n_noun || memcmp(words[0], ctl_commands[i].name, n_noun) != 0) {
            continue;
        }
        if (verb == NULL || (n > 1 && strcmp(words[1], verb + 1) == 0)) {
            *ret_used = verb != NULL ? 2 : 1;
            return &ctl_commands[i];
        }
        if (strcmp(verb, " list") == 0 && n == 1) { /* a noun alone lists */
            *ret_used = 1;
            best = &ctl_commands[i];
        }
    }
    return best;
}

/* -------------------------------------------------------------------------------------- values */

/* "?older_than=7d": a parameter of the query, its value escaped as RFC 3986 has it */
static int add_query(ctl *c, const char *name, const char *value)
{
    char text[CTL_QUERY];
    size_t n = (size_t)snprintf(text, sizeof text, "%c%s=", c->query[0] == '\0' ? '?' : '&', name);
    for (char *at = strchr(text, '-'); at != NULL; at = strchr(at, '-')) {
        *at = '_';
    }
    for (; *value != '\0' && n + 4 < sizeof text; value++) {
        const unsigned char byte = (unsigned char)*value;
        const bool is_plain = isalnum(byte) || strchr("-._~,/", byte) != NULL;
        n += (size_t)snprintf(text + n, sizeof text - n, is_plain ? "%c" : "%%%02X", byte);
    }
    if (*value != '\0' || strlen(c->query) + n >= sizeof c->query) {
        return ctl_misused(c, "--%s: too much", name);
    }
    memcpy(c->query + strlen(c->query), text, n + 1);
    return CTL_DONE;
}

static int add_filter(ctl *c, const char *name, const char *value)
{
    const bool is_one =
        value[0] != '\0' && strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789,") == strlen(value);
    return is_one ? add_query(c, name, value)
                  : ctl_misused(c, "--%s: \"%.80s\" is no such value", name, value);
}

static int take_format(ctl *c, const char *value)
{
    static const char *const names[] = {"table", "json", "yaml", "csv", "npy", "npz"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(value, names[i]) == 0) {
            c->format = (ctl_format)i;
            c->has_format = true;
            return CTL_DONE;
        }
    }
    return ctl_misused(c, "there is no format \"%.40s\": table, json, yaml, csv, npy or npz",
                       value);
}

static int take_number(ctl *c, const char *name, const char *value, long least, long *ret)
{
    char *end = NULL;
    *ret = strtol(value, &end, 10);
    return end == value || *end != '\0' || *ret < least
               ? ctl_misused(c, "--%s takes a number from %ld on, not \"%.40s\"", name, least,
                             value)
               : CTL_DONE;
}

static int add_field(ctl *c, const char *path, const char *value)
{
    if (c->n_field == CTL_FIELDS_MAX) {
        return ctl_misused(c, "more than %d fields", CTL_FIELDS_MAX);
    }
    c->fields[c->n_field++] = (ctl_assignment){path, value};
    return CTL_DONE;
}

static int add_pair(ctl *c, char *pair)
{
    char *equals = strchr(pair, '=');
    if (equals == NULL || equals == pair) {
        return ctl_misused(c, "--set takes FIELD=VALUE, not \"%.80s\"", pair);
    }
    *equals = '\0';
    return add_field(c, pair, equals + 1);
}

static int take_flag(ctl *c, const char *name)
{
    const struct {
        const char *name;
        bool *to;
    } flags[] = {{"curl", &c->curl},
                 {"quiet", &c->quiet},
                 {"yes", &c->yes},
                 {"once", &c->once},
                 {"strict", &c->strict}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(name, flags[i].name) == 0) {
            *flags[i].to = true;
        }
    }
    if (strcmp(name, "dry-run") == 0) {
        return add_query(c, name, "true");
    }
    c->patience = strcmp(name, "detach") == 0   ? CTL_DETACH
                  : strcmp(name, "follow") == 0 ? CTL_FOLLOW
                  : strcmp(name, "wait") == 0   ? CTL_WAIT
                                                : c->patience;
    return CTL_DONE;
}

bool ctl_is_namespace(const char *name)
{
    const size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-");
    return n > 0 && n <= CTL_NAMESPACE_MAX && name[n] == '\0' && name[0] != '.';
}

static int take_namespace(ctl *c, const char *value)
{
    if (value[0] != '\0' && !ctl_is_namespace(value)) {
        return ctl_misused(c, "a namespace has 1 to %d of A-Z a-z 0-9 . _ -; not \"%.80s\"",
                           CTL_NAMESPACE_MAX, value);
    }
    c->name_space = value;
    return CTL_DONE;
}

static int take_text(ctl *c, const char *name, char *value)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {{"server", &c->server},         {"context", &c->context},
                 {"token-file", &c->token_file}, {"field", &c->field},
                 {"file", &c->output_file},      {"key", &c->key},
                 {"interval", &c->interval},     {"credentials", &c->credentials}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].to = value;
            return CTL_DONE;
        }
    }
    if (strcmp(name, "output") == 0) {
        return take_format(c, value);
    }
    if (strcmp(name, "namespace") == 0) {
        return take_namespace(c, value);
    }
    if (strcmp(name, "set") == 0) {
        return add_pair(c, value);
    }
    if (strcmp(name, "main") == 0) {
        return add_query(c, name, value);
    }
    if (strcmp(name, "as") == 0) {
        return add_query(c, "name", value);
    }
    if (strcmp(name, "format") == 0) {
        c->robot_format = value;
    }
    if (strcmp(name, "input") == 0) {
        if (c->n_input == CTL_INPUTS_MAX) {
            return ctl_misused(c, "more than %d inputs", CTL_INPUTS_MAX);
        }
        c->inputs[c->n_input++] = value;
        return CTL_DONE;
    }
    if (strcmp(name, "timeout") == 0) {
        return take_number(c, name, value, 1, &c->timeout_s);
    }
    if (strcmp(name, "retries") == 0) {
        long n = 0;
        const int status = take_number(c, name, value, 0, &n);
        c->retries = n < 100 ? (int)n : 100;
        return status;
    }
    return add_filter(c, name, value);
}

/* ---------------------------------------------------------------------------------------- words */

typedef struct line {
    int argc, at;
    char **argv;
    char **words; /* other than options */
    int n_word;
    unsigned bits;    /* of options that were given */
    const char *last; /* one of them with a bit */
    bool helps, prints_version;
} line;

static const ctl_option *option_of(const char *name, size_t n, char letter)
{
    for (size_t i = 0; i < ctl_n_option; i++) {
        const ctl_option *o = &ctl_options[i];
        if (letter != 0 ? o->letter == letter
                        : strlen(o->name) == n && memcmp(o->name, name, n) == 0) {
            return o;
        }
    }
    return NULL;
}

/* `value`: what follows in the same word; NULL: the next word */
static int take_option(ctl *c, line *l, const ctl_option *o, char *value)
{
    l->bits |= o->bit;
    l->last = o->bit != 0 ? o->name : l->last;
    if (o->argument == NULL) {
        l->helps = l->helps || o->letter == 'h';
        l->prints_version = l->prints_version || o->letter == 'V';
        return value != NULL ? ctl_misused(c, "--%s takes no value", o->name)
                             : take_flag(c, o->name);
    }
    if (value == NULL && l->at + 1 >= l->argc) {
        return ctl_misused(c, "--%s needs a value: %s", o->name, o->argument);
    }
    return take_text(c, o->name, value != NULL ? value : l->argv[++l->at]);
}

static int take_long(ctl *c, line *l, char *word)
{
    char *name = word + 2, *equals = strchr(name, '=');
    const size_t n = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const ctl_option *o = option_of(name, n, 0);
    int used = 0;
    if (o != NULL) {
        return take_option(c, l, o, equals != NULL ? equals + 1 : NULL);
    }
    const ctl_command *command = ctl_find(l->n_word, l->words, &used);
    if (command == NULL || command->operation == NULL) {
        c->command = command;
        return ctl_misused(c, "there is no option --%.*s", (int)n, name);
    }
    if (equals == NULL && l->at + 1 >= l->argc) {
        c->command = command;
        return ctl_misused(c, "--%s needs a value", name);
    }
    if (equals != NULL) {
        *equals = '\0';
    }
    return add_field(c, name, equals != NULL ? equals + 1 : l->argv[++l->at]);
}

static int take_short(ctl *c, line *l, char *word)
{
    for (char *letter = word + 1; *letter != '\0'; letter++) {
        const ctl_option *o = option_of("", 0, *letter);
        if (o == NULL) {
            return ctl_misused(c, "there is no option -%c", *letter);
        }
        const bool has_value = o->argument != NULL;
        const int status = take_option(c, l, o, has_value && letter[1] != '\0' ? letter + 1 : NULL);
        if (status != CTL_DONE || has_value) {
            return status;
        }
    }
    return CTL_DONE;
}

static int read_words(ctl *c, line *l)
{
    bool only_words = false;
    int status = CTL_DONE;
    for (l->at = 1; l->at < l->argc && status == CTL_DONE; l->at++) {
        char *word = l->argv[l->at];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
        } else if (!only_words && strncmp(word, "--", 2) == 0) {
            status = take_long(c, l, word);
        } else if (!only_words && word[0] == '-' && word[1] != '\0') {
            status = take_short(c, l, word);
        } else {
            l->words[l->n_word++] = word;
        }
    }
    return status;
}

/* Words "field=value" of an operation's command are fields. */
static int split_fields(ctl *c, char **words, int *n)
{
    int kept = 0, status = CTL_DONE;
    for (int i = 0; i < *n && status == CTL_DONE; i++) {
        const size_t name = strcspn(words[i], "=/");
        if (words[i][name] == '=' && name > 0) {
            status = add_pair(c, words[i]);
        } else {
            words[kept++] = words[i];
        }
    }
    *n = kept;
    return status;
}

/* Letters to insert, remove or replace (Levenshtein) until `word` is the n letters of `name`. */
static size_t distance(const char *word, const char *name, size_t n)
{
    enum { LONGEST = 31 };
    size_t row[LONGEST + 1];
    const size_t n_word = strlen(word);
    if (n > LONGEST || n_word > LONGEST) {
        return LONGEST;
    }
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n_word; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const size_t replaced = diagonal + (word[i - 1] != name[j - 1]);
            const size_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = replaced < least ? replaced : least;
        }
    }
    return row[n];
}

/* the first word of a command, or its verb, that is nearest and not far; "" if none is */
static const char *nearest(const char *noun, const char *word, int *ret_n)
{
    const char *best = "";
    size_t least = strlen(word) < 4 ? 2 : 3;
    *ret_n = 0;
    for (size_t i = 0; i < ctl_n_command; i++) {
        const char *name = ctl_commands[i].name;
        size_t n = strcspn(name, " ");
        if (noun != NULL) {
            if (strncmp(name, noun, n) != 0 || noun[n] != '\0' || name[n] == '\0') {
                continue;
            }
            name += n + 1;
            n = strlen(name);
        }
        const size_t d = distance(word, name, n);
        if (d < least) {
            least = d;
            best = name;
            *ret_n = (int)n;
        }
    }
    return best;
}

static bool is_noun(const char *word)
{
    for (size_t i = 0; i < ctl_n_command; i++) {
        const size_t n = strlen(word);
        if (strncmp(ctl_commands[i].name, word, n) == 0 && ctl_commands[i].name[n] == ' ') {
            return true;
        }
    }
    return false;
}

static int no_command(const ctl *c, int n, char *const *words)
{
    const bool has_noun = n > 1 && is_noun(words[0]);
    int length = 0;
    const char *wrong = words[has_noun ? 1 : 0];
    const char *near = nearest(has_noun ? words[0] : NULL, wrong, &length);
    return ctl_misused(c, "torquectl%s%s has no command \"%.40s\"%s%.*s%s", has_noun ? " " : "",
                       has_noun ? words[0] : "", wrong, length > 0 ? "; it has \"" : "", length,
                       near, length > 0 ? "\"" : "");
}

int ctl_parse(ctl *c, int argc, char **argv, char **ret_words, int *ret_n)
{
    char *help[] = {(char *)(uintptr_t) "help"}, *version[] = {(char *)(uintptr_t) "version"};
    line l = {.argc = argc, .argv = argv, .words = ret_words};
    int used = 0, status = read_words(c, &l);
    if (status != CTL_DONE) {
        return status;
    }
    if (l.helps || l.prints_version) {
        /* of a command with its arguments: those say nothing here */
        const bool of_one = l.helps && l.n_word > 0 && ctl_find(l.n_word, l.words, &used) != NULL;
        *ret_n = of_one ? used : l.n_word;
        c->command = ctl_find(1, l.helps ? help : version, &used);
        return CTL_DONE;
    }
    if (l.n_word == 0) {
        return ctl_misused(c, "which command?");
    }
    c->command = ctl_find(l.n_word, l.words, &used);
    if (c->command == NULL) {
        return no_command(c, l.n_word, l.words);
    }
    *ret_n = l.n_word - used;
    memmove(l.words, l.words + used, (size_t)*ret_n * sizeof *l.words);
    if (c->command->operation != NULL) {
        status = split_fields(c, l.words, ret_n);
    }
    if (status == CTL_DONE && (l.bits & ~c->command->options) != 0) {
        status = ctl_misused(c, "%s takes no --%s", c->command->name, l.last);
    }
    if (status == CTL_DONE && *ret_n < c->command->least) {
        status = ctl_misused(c, "%s needs more: %s", c->command->name, c->command->arguments);
    }
    if (status == CTL_DONE && *ret_n > c->command->most) {
        status =
            ctl_misused(c, "%s takes no \"%.80s\"", c->command->name, l.words[c->command->most]);
    }
    l.words[*ret_n] = NULL;
    return status;
}
