/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/element.c - attributes of an element: numbers, names, unknown ones. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/robots/urdf/walk.h"

const char *tqa_urdf_attribute(const tqa_urdf_element *e, const char *name)
{
    for (const char *const *a = e->attributes; *a != NULL; a += 2) {
        if (strcmp(a[0], name) == 0) {
            return a[1];
        }
    }
    return NULL;
}

void tqa_urdf_ignore(tqa_urdf_walk *w, unsigned long line, const char *text, const char *format,
                     ...)
{
    tqa_urdf_file *file = w->file;
    char path[TQA_POINTER_TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(path, sizeof path, format, args);
    va_end(args);
    for (size_t i = 0; i < file->n_ignored; i++) {
        if (strcmp(file->ignored[i].path, path) == 0) {
            file->ignored[i].count++;
            return;
        }
    }
    if (file->n_ignored == TQA_URDF_IGNORED_MAX - 1) {
        (void)snprintf(path, sizeof path, "others");
        text = "more kinds of elements and attributes than are listed one by one";
    } else if (file->n_ignored == TQA_URDF_IGNORED_MAX) {
        file->ignored[TQA_URDF_IGNORED_MAX - 1].count++;
        return;
    }
    const char *kept = tqa_arena_text(file->draft->arena, path, strlen(path));
    if (kept != NULL) {
        file->ignored[file->n_ignored++] =
            (tqa_urdf_ignored){.path = kept, .text = text, .line = line, .count = 1};
    }
}

/* Lists the attributes of `e` that are not among `known` (NULL at its end). */
void tqa_urdf_ignore_attributes(tqa_urdf_walk *w, const tqa_urdf_element *e,
                                const char *const *known)
{
    for (const char *const *a = e->attributes; *a != NULL; a += 2) {
        bool found = strncmp(a[0], "xmlns", 5) == 0;
        for (const char *const *k = known; *k != NULL && !found; k++) {
            found = strcmp(a[0], *k) == 0;
        }
        if (!found) {
            tqa_urdf_ignore(w, e->line, "an attribute that is not known here", "%s@%s", e->name,
                            a[0]);
        }
    }
}

/* The place of a child element of the open link or joint ("" for itself), for a fault. */
tqa_urdf_place tqa_urdf_place_of(const tqa_urdf_walk *w, const tqa_urdf_element *e,
                                 const char *child, char path[TQA_POINTER_TEXT])
{
    (void)snprintf(path, TQA_POINTER_TEXT, "%s/%.34s", w->path, child);
    return (tqa_urdf_place){.draft = w->file->draft, .path = path, .line = e->line};
}

/* Reads n numbers of an attribute into ret, which keeps its value when there is none. */
void tqa_urdf_read_optional(const tqa_urdf_place *place, const tqa_urdf_element *e,
                            const char *name, size_t n, double *ret)
{
    const char *text = tqa_urdf_attribute(e, name);
    if (text != NULL) {
        (void)tqa_urdf_read_numbers(place, name, text, n, ret);
    }
}

void tqa_urdf_read_needed(const tqa_urdf_place *place, const tqa_urdf_element *e, const char *name,
                          size_t n, double *ret)
{
    const char *text = tqa_urdf_attribute(e, name);
    if (text == NULL) {
        char hint[96];
        (void)snprintf(hint, sizeof hint, "add the attribute %s=\"%s\"", name,
                       n == 1 ? "0" : "0 0 0");
        tqa_draft_fault(place->draft, "missing-field", place->path, hint,
                        "line %lu: <%s> has no %s", place->line, e->name, name);
        return;
    }
    (void)tqa_urdf_read_numbers(place, name, text, n, ret);
}

/* A name that must be there. NULL: a fault was added. */
const char *tqa_urdf_read_name(const tqa_urdf_place *place, const tqa_urdf_element *e,
                               const char *name)
{
    tqa_draft *draft = place->draft;
    const char *text = tqa_urdf_attribute(e, name);
    const size_t n = text != NULL ? strlen(text) : 0;
    if (n == 0) {
        char hint[96];
        (void)snprintf(hint, sizeof hint, "add the attribute %s=\"...\"", name);
        tqa_draft_fault(draft, "missing-field", place->path, hint, "line %lu: <%s> has no %s",
                        place->line, e->name, name);
        return NULL;
    }
    if (n >= TQA_NAME_MAX) {
        tqa_draft_fault(draft, "invalid-value", place->path, "names have at most 127 bytes",
                        "line %lu: the %s of <%s> has %zu bytes", place->line, name, e->name, n);
        return NULL;
    }
    if (strstr(text, "${") != NULL) {
        tqa_draft_fault(draft, "malformed", place->path,
                        "run xacro first: xacro robot.urdf.xacro > robot.urdf",
                        "line %lu: %s=\"%s\" is a xacro expression that was not expanded",
                        place->line, name, text);
        return NULL;
    }
    return tqa_arena_text(draft->arena, text, n);
}

/* False, with a fault, for a second element of this name. */
bool tqa_urdf_first_time(const tqa_urdf_place *place, const tqa_urdf_element *e, unsigned *seen,
                         unsigned bit)
{
    if ((*seen & bit) != 0) {
        tqa_draft_fault(place->draft, "duplicate-field", place->path, "keep one of the two",
                        "line %lu: a second <%s>", place->line, e->name);
        return false;
    }
    *seen |= bit;
    return true;
}
