/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print.h - prints answers as tables or as unchanged JSON. */
#ifndef TORQUECTL_PRINT_H
#define TORQUECTL_PRINT_H

#include <jansson.h>
#include <stddef.h>

/* Rows of `list`, an array of objects, with the columns named in `columns` ("id state"). A dot
 * selects a member of an object: "progress.fraction". */
void tqc_print_table(const json_t *list, const char *columns);

/* One object, a line for each member that is not a list of objects. */
void tqc_print_object(json_t *object);

/* What the service has read of a robot, what it has ignored, and the doctor's findings: a line
 * each, on standard error. Returns the number of findings. */
size_t tqc_print_findings(const json_t *robot);

#endif
