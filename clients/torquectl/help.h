/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/help.h - words of the table of commands, wrapped. */
#ifndef TORQUECTL_HELP_H
#define TORQUECTL_HELP_H

#include <stdio.h>

struct ctl_command;

/* Text in lines of CTL_WIDTH, each after the first indented; `at`: the column where it begins. */
void ctl_wrap(FILE *out, const char *text, size_t at, size_t indent);
/* The man page torquectl(1), in man(7). */
int ctl_man(FILE *out);
/* That of one command, torquectl-jobs-wait(1). */
int ctl_man_of(FILE *out, const struct ctl_command *command);

/* Exit statuses and their meaning. */
typedef struct ctl_status {
    int status;
    const char *text;
} ctl_status;
extern const ctl_status ctl_statuses[];
extern const size_t ctl_n_status;

#endif
