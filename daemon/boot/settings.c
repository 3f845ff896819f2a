/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/settings.c - the table of settings, and its parsers for file and flags. */
#include "daemon/boot/settings.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include "api/problems/nearest.h"
#include "daemon/http/gate.h"
#include "daemon/http/origin.h"

typedef struct row {
    const char *name;
    const char *flag;
    const char *unit;
    int64_t least, most, preset;
    const char *preset_text; /* NULL: a number */
    const char *text;
    size_t offset;
} row;

#define ROW_TEXT(field, option, value, explained)                                                  \
    {.name = #field,                                                                               \
     .flag = (option),                                                                             \
     .unit = "",                                                                                   \
     .preset_text = (value),                                                                       \
     .text = (explained),                                                                          \
     .offset = offsetof(tqd_settings, field)},
#define ROW_NUMBER(field, option, measure, low, high, value, explained)                            \
    {.name = #field,                                                                               \
     .flag = (option),                                                                             \
     .unit = (measure),                                                                            \
     .least = (low),                                                                               \
     .most = (high),                                                                               \
     .preset = (value),                                                                            \
     .text = (explained),                                                                          \
     .offset = offsetof(tqd_settings, field)},

static const row rows[] = {TQD_SETTING_LIST(ROW_TEXT, ROW_NUMBER)};
enum { N_ROW = sizeof rows / sizeof rows[0] };

/* Position in the file; libinih reports neither the line nor truncation. */
typedef struct reading {
    tqd_settings *settings;
    FILE *file;
    const char *path;
    int line;
    int seen[N_ROW]; /* the line that set each row */
    char *why;
    bool failed;
} reading;

static char *text_of(tqd_settings *settings, const row *r)
{
    return (char *)settings + r->offset;
}

static int64_t *number_of(tqd_settings *settings, const row *r)
{
    return (int64_t *)(void *)((char *)settings + r->offset);
}

typedef struct unit {
    const char *suffix;
    int64_t factor;
} unit;

/* the largest first; "" takes a bare number */
static const unit sizes[] = {
    {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}, {NULL, 0}};
static const unit times[] = {{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000},
                             {"ms", 1},       {"", 1},        {NULL, 0}};
static const unit counts[] = {{"", 1}, {NULL, 0}};

static const unit *units_of(const row *r)
{
    return strcmp(r->unit, "bytes") == 0 ? sizes : strcmp(r->unit, "ms") == 0 ? times : counts;
}

/* Decimal digits, then a unit of the row. */
static bool parse_number(const row *r, const char *text, int64_t *ret_value)
{
    int64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (value > INT64_MAX / 10 - 1) {
            return false;
        }
        value = value * 10 + (*at - '0');
    }
    if (at == text) {
        return false;
    }
    at += strspn(at, " ");
    for (const unit *u = units_of(r); u->suffix != NULL; u++) {
        if (strcmp(at, u->suffix) == 0 && value <= INT64_MAX / u->factor) {
            *ret_value = value * u->factor;
            return true;
        }
    }
    return false;
}

/* With the largest unit that leaves no remainder: 30d, 1GiB, 75s. */
static void print_number(const row *r, int64_t value, char *ret, size_t size)
{
    const unit *u = units_of(r);
    while (u->suffix[0] != '\0' && (value == 0 || value % u->factor != 0)) {
        u++;
    }
    const bool is_bare_time = value != 0 && u->suffix[0] == '\0' && units_of(r) == times;
    snprintf(ret, size, "%" PRId64 "%s", value / u->factor, is_bare_time ? "ms" : u->suffix);
}

static const char *units_text(const row *r)
{
    return units_of(r) == sizes   ? " of bytes, KiB, MiB or GiB"
           : units_of(r) == times ? " of ms, or with the unit s, min, h or d"
           : r->unit[0] != '\0'   ? " of bytes/s"
                                  : "";
}

/* Sets one row from text. False with the reason, without its position, in `why`. */
static bool set(tqd_settings *settings, const row *r, const char *text, char *why)
{
    if (r->preset_text != NULL) {
        size_t n = strlen(text);
        if (n >= TQD_SETTING_TEXT) {
            snprintf(why, TQD_SETTING_WHY, "%s is longer than %d bytes", r->name,
                     TQD_SETTING_TEXT - 1);
            return false;
        }
        memcpy(text_of(settings, r), text, n + 1);
        return true;
    }
    int64_t value = 0;
    if (!parse_number(r, text, &value)) {
        snprintf(why, TQD_SETTING_WHY, "%s must be a whole number%s, not \"%.80s\"", r->name,
                 units_text(r), text);
        return false;
    }
    if (value < r->least || value > r->most) {
        char least[32];
        char most[32];
        print_number(r, r->least, least, sizeof least);
        print_number(r, r->most, most, sizeof most);
        snprintf(why, TQD_SETTING_WHY, "%s must lie between %s and %s", r->name, least, most);
        return false;
    }
    *number_of(settings, r) = value;
    return true;
}

static bool is_one_of(const char *const *words, const char *word)
{
    while (*words != NULL && strcmp(*words, word) != 0) {
        words++;
    }
    return *words != NULL;
}

/* Refuses entries that no request can match: they would have no effect. */
static bool check_list(const char *list, const char *what,
                       const char *(*fault_of)(const char *, size_t), char *why)
{
    for (const char *at = list + strspn(list, " ,"); *at != '\0'; at += strspn(at, " ,")) {
        const size_t n = strcspn(at, " ,");
        const char *fault = fault_of(at, n);
        if (fault != NULL) {
            snprintf(why, TQD_SETTING_WHY, "%s: \"%.*s\": %s", what, n < 200 ? (int)n : 200, at,
                     fault);
            return false;
        }
        at += n;
    }
    return true;
}

/* Constraints that the table cannot express. */
static bool check_words(const tqd_settings *settings, char *why)
{
    static const char *const levels[] = {"error", "warning", "info", "debug", NULL};
    static const char *const formats[] = {"auto", "json", "journal", "text", NULL};
    static const char *const confines[] = {"auto", "required", "off", NULL};
    const int64_t lanes = settings->lane_width;
    if (!is_one_of(levels, settings->log_level)) {
        snprintf(why, TQD_SETTING_WHY,
                 "log_level must be error, warning, info or debug, not \"%.80s\"",
                 settings->log_level);
        return false;
    }
    if (!is_one_of(formats, settings->log_format)) {
        snprintf(why, TQD_SETTING_WHY,
                 "log_format must be auto, json, journal or text, not \"%.80s\"",
                 settings->log_format);
        return false;
    }
    if (!is_one_of(confines, settings->confine)) {
        snprintf(why, TQD_SETTING_WHY, "confine must be auto, required or off, not \"%.80s\"",
                 settings->confine);
        return false;
    }
    if (strspn(settings->socket_mode, "01234567") != strlen(settings->socket_mode) ||
        strlen(settings->socket_mode) < 3 || strlen(settings->socket_mode) > 4 ||
        (strtoul(settings->socket_mode, NULL, 8) & ~0666UL) != 0 ||
        (strtoul(settings->socket_mode, NULL, 8) & 0600UL) != 0600) {
        snprintf(why, TQD_SETTING_WHY, "socket_mode must be 0600, 0660 or 0666, not \"%.80s\"",
                 settings->socket_mode);
        return false;
    }
    if (lanes != 0 && lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8) {
        snprintf(why, TQD_SETTING_WHY, "lane_width must be 0, 1, 2, 4 or 8");
        return false;
    }
    return check_list(settings->origins, "origins", tqd_origin_fault, why) &&
           check_list(settings->hosts, "hosts", tqd_gate_host_fault, why);
}

static void fail_at_line(reading *r, const char *why)
{
    if (!r->failed) {
        r->failed = true;
        snprintf(r->why, TQD_SETTING_WHY, "%.200s:%d: %.400s", r->path, r->line, why);
    }
}

/* Handler of libinih: 1 to go on, 0 after an error. */
static int take_pair(void *arg, const char *section, const char *name, const char *value)
{
    reading *r = arg;
    char why[TQD_SETTING_WHY];
    if (section[0] != '\0' && strcmp(section, "torqued") != 0) {
        snprintf(why, sizeof why, "there is no section [%.80s]; settings belong in [torqued]",
                 section);
        fail_at_line(r, why);
        return 0;
    }
    for (size_t i = 0; i < N_ROW; i++) {
        if (strcmp(rows[i].name, name) != 0) {
            continue;
        }
        if (r->seen[i] > 0) {
            snprintf(why, sizeof why, "%s has been set in line %d already", name, r->seen[i]);
            fail_at_line(r, why);
            return 0;
        }
        r->seen[i] = r->line;
        if (!set(r->settings, &rows[i], value, why) || !check_words(r->settings, why)) {
            fail_at_line(r, why);
            return 0;
        }
        return 1;
    }
    snprintf(why, sizeof why, "there is no setting \"%.80s\" (torqued --help lists them)", name);
    fail_at_line(r, why);
    return 0;
}

/* Reader callback of libinih: counts lines, and refuses those that libinih would split. */
static char *read_line(char *text, int size, void *arg)
{
    reading *r = arg;
    if (r->failed || fgets(text, size, r->file) == NULL) {
        return NULL;
    }
    r->line++;
    size_t n = strlen(text);
    if (n > 0 && text[n - 1] != '\n' && !feof(r->file)) {
        fail_at_line(r, "the line is too long");
        return NULL;
    }
    if (text[0] == ' ' || text[0] == '\t') {
        /* libinih would append it to the value above */
        size_t blank = strspn(text, " \t");
        memmove(text, text + blank, n - blank + 1);
    }
    return text;
}

static bool read_file(tqd_settings *settings, const char *path, char *why)
{
    reading r = {.settings = settings, .path = path, .why = why};
    r.file = fopen(path, "re");
    if (r.file == NULL) {
        snprintf(why, TQD_SETTING_WHY, "%.300s:0: %s", path, strerror(errno));
        return false;
    }
    int status = ini_parse_stream(read_line, &r, take_pair, &r);
    if (status != 0 && !r.failed) {
        r.line = status > 0 ? status : r.line;
        fail_at_line(&r, "this is neither a [section] nor name = value");
    }
    if (ferror(r.file) && !r.failed) {
        fail_at_line(&r, "the file cannot be read");
    }
    fclose(r.file);
    return !r.failed;
}

enum {
    OPTION_CONFIG = 1000,
    OPTION_CHECK,
    OPTION_VERSION,
    OPTION_HELP,
    OPTION_ADOPT,
    OPTION_CHECK_STORE,
    OPTION_RESTORE
};

/* Says why a word of the command line is refused: a setting without a flag, a flag without its
 * value, or the flag or setting that it may have been meant to be. */
static void refuse_flag(const char *word, const struct option *options, char *why)
{
    char name[64];
    tqa_nearest nearest;
    const char *text = word + strspn(word, "-");
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    tqa_nearest_init(&nearest, name, strlen(name));
    for (const struct option *o = options; o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0) {
            snprintf(why, TQD_SETTING_WHY, "--%s: %s", name,
                     o->has_arg == no_argument ? "it takes no value" : "its value is missing");
            return;
        }
        tqa_nearest_offer(&nearest, o->name);
    }
    const char *flag = nearest.best;
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    tqa_nearest_init(&nearest, name, strlen(name));
    for (size_t i = 0; i < N_ROW; i++) {
        tqa_nearest_offer(&nearest, rows[i].name);
    }
    const char *setting = nearest.best;
    if (setting != NULL && (flag == NULL || strcmp(setting, name) == 0)) {
        snprintf(
            why, TQD_SETTING_WHY,
            "%.64s: unknown flag; %s \"%s\" is a setting: write %s = VALUE under [torqued] in a "
            "file, and start with --config FILE",
            word, strcmp(setting, name) == 0 ? "but" : "perhaps", setting, setting);
    } else if (flag != NULL) {
        snprintf(why, TQD_SETTING_WHY, "%.64s: unknown flag: did you mean --%s?", word, flag);
    } else {
        snprintf(why, TQD_SETTING_WHY, "%.64s: unknown flag: --help lists them", word);
    }
}

/* One pass over the command line: the first finds --config, the second sets the other flags. */
static bool read_flags(tqd_settings *settings, int argc, char *const *argv, const char **ret_config,
                       char *why)
{
    struct option options[N_ROW + 8] = {{"config", required_argument, NULL, OPTION_CONFIG},
                                        {"check-config", no_argument, NULL, OPTION_CHECK},
                                        {"version", no_argument, NULL, OPTION_VERSION},
                                        {"help", no_argument, NULL, OPTION_HELP},
                                        {"adopt", no_argument, NULL, OPTION_ADOPT},
                                        {"check-store", no_argument, NULL, OPTION_CHECK_STORE},
                                        {"restore", required_argument, NULL, OPTION_RESTORE}};
    size_t n = 7;
    for (size_t i = 0; i < N_ROW; i++) {
        if (rows[i].flag[0] != '\0') {
            options[n++] = (struct option){rows[i].flag, required_argument, NULL, (int)i};
        }
    }
    optind = 0; /* glibc: reinitialise getopt */
    opterr = 0;
    for (;;) {
        int at = optind > 0 ? optind : 1;
        int code = getopt_long(argc, argv, "", options, NULL);
        if (code == -1) {
            break;
        }
        char reason[TQD_SETTING_WHY];
        if (code == OPTION_CONFIG) {
            *ret_config = optarg;
        } else if (code == OPTION_CHECK) {
            settings->check_config = true;
        } else if (code == OPTION_VERSION) {
            settings->version = true;
        } else if (code == OPTION_HELP) {
            settings->help = true;
        } else if (code == OPTION_ADOPT) {
            settings->adopt = true;
        } else if (code == OPTION_CHECK_STORE) {
            settings->check_store = true;
        } else if (code == OPTION_RESTORE) {
            settings->restore = optarg;
        } else if (code < 0 || code >= (int)N_ROW) {
            refuse_flag(argv[at], options, why);
            return false;
        } else if (!set(settings, &rows[code], optarg, reason)) {
            snprintf(why, TQD_SETTING_WHY, "--%s: %.500s", rows[code].flag, reason);
            return false;
        }
    }
    if (optind < argc) {
        snprintf(why, TQD_SETTING_WHY, "%.200s: no arguments are taken besides flags",
                 argv[optind]);
        return false;
    }
    return true;
}

bool tqd_settings_read(tqd_settings *ret_settings, int argc, char *const *argv,
                       char why[TQD_SETTING_WHY])
{
    const char *config = NULL;
    memset(ret_settings, 0, sizeof *ret_settings);
    for (size_t i = 0; i < N_ROW; i++) {
        if (rows[i].preset_text != NULL) {
            snprintf(text_of(ret_settings, &rows[i]), TQD_SETTING_TEXT, "%s", rows[i].preset_text);
        } else {
            *number_of(ret_settings, &rows[i]) = rows[i].preset;
        }
    }
    tqd_settings trial = *ret_settings;
    if (!read_flags(&trial, argc, argv, &config, why)) {
        return false;
    }
    ret_settings->config = config;
    if (config != NULL && !read_file(ret_settings, config, why)) {
        return false;
    }
    return read_flags(ret_settings, argc, argv, &config, why) && check_words(ret_settings, why);
}

void tqd_settings_print(const tqd_settings *settings, const char *state_dir, FILE *out)
{
    tqd_settings copy = *settings;
    fputs("[torqued]\n", out);
    for (size_t i = 0; i < N_ROW; i++) {
        char number[32];
        const char *text = number;
        if (rows[i].offset == offsetof(tqd_settings, state_dir)) {
            text = state_dir;
        } else if (rows[i].preset_text != NULL) {
            text = text_of(&copy, &rows[i]);
        } else {
            print_number(&rows[i], *number_of(&copy, &rows[i]), number, sizeof number);
        }
        fprintf(out, "%s = %s\n", rows[i].name, text);
    }
}

void tqd_settings_changed(const tqd_settings *a, const tqd_settings *b, char *ret, size_t size)
{
    static const char *const reloaded[] = {"origins", "hosts", "log_level", "log_format", NULL};
    tqd_settings copies[2] = {*a, *b};
    size_t n = 0;
    ret[0] = '\0';
    for (size_t i = 0; i < N_ROW; i++) {
        const row *r = &rows[i];
        const bool same = r->preset_text != NULL
                              ? strcmp(text_of(&copies[0], r), text_of(&copies[1], r)) == 0
                              : *number_of(&copies[0], r) == *number_of(&copies[1], r);
        const size_t length = strlen(r->name);
        if (!same && !is_one_of(reloaded, r->name) && n + length + 2 < size) {
            n += (size_t)snprintf(ret + n, size - n, "%s%s", n > 0 ? " " : "", r->name);
        }
    }
}

void tqd_settings_help(FILE *out)
{
    fprintf(
        out,
        "usage: torqued [--config FILE] [--listen HOST:PORT | --listen unix:PATH]\n"
        "               [--state-dir DIR] [--store URI] [--workers N]\n"
        "               [--adopt] [--check-store] [--restore FOLDER] [--check-config] [--version]\n"
        "               [--help]\n\n"
        "Settings, as name = value lines under [torqued] in FILE; flags win. Times take ms, s, min, h\n"
        "or d (a bare number: ms), sizes KiB, MiB or GiB:\n\n");
    for (size_t i = 0; i < N_ROW; i++) {
        const row *r = &rows[i];
        fprintf(out, "  %s%s%s\n      %s\n", r->name, r->flag[0] != '\0' ? ", --" : "", r->flag,
                r->text);
        if (r->preset_text != NULL) {
            fprintf(out, "      default: %s\n", r->preset_text[0] ? r->preset_text : "empty");
        } else {
            char least[32];
            char most[32];
            char preset[32];
            print_number(r, r->least, least, sizeof least);
            print_number(r, r->most, most, sizeof most);
            print_number(r, r->preset, preset, sizeof preset);
            fprintf(out, "      %s to %s%s%s, default %s\n", least, most,
                    strchr(r->unit, '/') != NULL ? " " : "",
                    strchr(r->unit, '/') != NULL ? r->unit : "", preset);
        }
    }
}
