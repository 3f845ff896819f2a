/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print.h - answers as tables for people, or as the JSON they are. */
#ifndef TORQUECTL_PRINT_H
#define TORQUECTL_PRINT_H

#include <jansson.h>
#include <stddef.h>

/* Rows of `list`, an array of objects, with the columns named in `columns` ("id state"). A name
 * with a dot goes into an object: "progress.fraction". */
void tqc_print_table(const json_t *list, const char *columns);

/* One object, a line for each member that is no list of objects. */
void tqc_print_object(json_t *object);

/* What the service has understood of a robot, has ignored, and finds strange: a line each, on
 * standard error. Returns how much it finds strange. */
size_t tqc_print_findings(const json_t *robot);

#endif
