/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/ctl.h - a command line as it was understood; what commands have in common. */
#ifndef TORQUECTL_CTL_H
#define TORQUECTL_CTL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "clients/c/tqc.h"
#include "clients/torquectl/field.h"

/* The table of exit statuses in help.c says what each means; they do not change. */
enum {
    CTL_DONE = 0,
    CTL_FAILED = 1,
    CTL_USAGE = 2,
    CTL_AUTH = 4,
    CTL_JOB_FAILED = 5,
    CTL_TIMEOUT = 6,
    CTL_INTERRUPTED = 130,
};

enum {
    CTL_PATH = 1024,
    CTL_QUERY = 512,
    CTL_FIELDS_MAX = 256,
    CTL_NAMESPACE_MAX = 32, /* bytes of its name */
    CTL_INPUTS_MAX = 32,
    CTL_WIDTH = 100
};

typedef enum ctl_format {
    CTL_TABLE,
    CTL_JSON,
    CTL_YAML,
    CTL_CSV,
    CTL_NPY,
    CTL_NPZ,
} ctl_format;

typedef enum ctl_patience { CTL_WAIT, CTL_DETACH, CTL_FOLLOW } ctl_patience;

/* name=value of a request's field, or --name value */
typedef struct ctl_assignment {
    const char *path, *value;
} ctl_assignment;

struct ctl_command;

typedef struct ctl {
    const struct ctl_command *command;
    const char *server, *token_file, *context, *name_space;
    long timeout_s; /* 0: none */
    int retries;
    ctl_format format;
    bool has_format;
    const char *field;       /* the array of -o npy */
    const char *output_file; /* NULL: standard output */
    const char *inputs[CTL_INPUTS_MAX];
    size_t n_input;
    ctl_assignment fields[CTL_FIELDS_MAX];
    size_t n_field;
    ctl_patience patience;
    const char *key;         /* Idempotency-Key; NULL: one is made where it is needed */
    const char *interval;    /* of top, s */
    const char *credentials; /* the file of tokens; NULL: the default */
    bool curl, strict, yes, quiet, once;
    bool is_single;           /* the request is one sample: so is the answer */
    const char *robot_format; /* urdf, mjcf ...: of a robot that is read or written */
    char query[CTL_QUERY];    /* "?state=...": which jobs; how a robot is read and stored */
    tqc_client *client;       /* opened by ctl_send at the first request */
} ctl;

typedef int ctl_run(ctl *c, int n, char **arguments);

typedef struct ctl_command {
    const char *name;      /* "robots put" */
    const char *arguments; /* "NAME FILE" */
    int least, most;       /* of arguments */
    ctl_run *run;
    const char *method, *path; /* %s: the first argument */
    const char *list, *columns;
    unsigned options;      /* bits of ctl_option.bit that it takes */
    const char *operation; /* whose fields it takes */
    const char *summary;
    const char *about;    /* more of it, in paragraphs; may be "" */
    const char *examples; /* lines */
} ctl_command;

typedef struct ctl_option {
    char letter; /* 0: none */
    const char *name, *argument;
    unsigned bit;      /* 0: of every command */
    const char *words; /* values, for completion; "FILE", "CONTEXT" for those */
    const char *text;
} ctl_option;

enum {
    CTL_O_STRICT = 1 << 0,
    CTL_O_YES = 1 << 1,
    CTL_O_FILTER = 1 << 2,
    CTL_O_PATIENCE = 1 << 3,
    CTL_O_INPUT = 1 << 4,
    CTL_O_FIELD = 1 << 5,
    CTL_O_TOP = 1 << 6,
    CTL_O_FILE = 1 << 7,
    CTL_O_TOKENS = 1 << 8,
    CTL_O_FORMAT = 1 << 9,
    CTL_O_SOURCE = 1 << 10,
    CTL_O_CHANGE = 1 << 11,
};

extern const ctl_command ctl_commands[];
extern const size_t ctl_n_command;
extern const ctl_option ctl_options[];
extern const size_t ctl_n_option;

/* The command that the words begin with; *ret_used of them are its name. */
const ctl_command *ctl_find(int n, char *const *words, int *ret_used);
/* Options, fields and arguments of a command line. Returns a status, CTL_DONE if it is understood;
 * faults are printed. `ret_words` (argc of them) are what is left, after the command's name. */
int ctl_parse(ctl *c, int argc, char **argv, char **ret_words, int *ret_n);

bool ctl_is_namespace(const char *name);

/* One line of fault, as `torquectl: ...`; what it says may come from anywhere. */
void ctl_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line on standard error, without a name before it. */
void ctl_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Text from anywhere, at most `width` bytes of it. */
void ctl_put(FILE *out, const char *text, size_t width);
/* A fault, and how to get help. Returns CTL_USAGE. */
int ctl_misused(const ctl *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
