/* SPDX-License-Identifier: Apache-2.0 */
/* api/tables/records.c - columns out of the keys of objects, then their cells. */
#include "api/tables/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/number/number.h"

enum { COLUMNS_MAX = 256, ENTRIES_MAX = 4096, NAME = 160, NUMBER_ROOM = 32 };

typedef struct column {
    char name[NAME];
    size_t n;     /* entries of its longest array; 0: no array */
    size_t first; /* cell, from the second pass on */
    bool is_out;  /* holds what has no cell */
} column;

typedef struct cell {
    size_t at, n; /* in the text of the object */
} cell;

struct tqa_records {
    column columns[COLUMNS_MAX];
    size_t n_column, n_cell;
    char path[NAME]; /* keys of the objects that are open, each with a dot */
    size_t n_path;
    size_t depth;   /* objects open */
    size_t skipped; /* brackets open in a value that has no cell */
    column *now;    /* of the value to come */
    bool in_array;
    size_t entry; /* of that array */
    bool is_writing;
    cell *cells;
    char *text, *line;
    size_t n_text, text_room, n_line, line_room;
    const char *fault;
};

tqa_records *tqa_records_new(void)
{
    return calloc(1, sizeof(tqa_records));
}

void tqa_records_free(tqa_records *records)
{
    if (records != NULL) {
        free(records->cells);
        free(records->text);
        free(records->line);
        free(records);
    }
}

static bool append(char **text, size_t *n_text, size_t *room, const char *bytes, size_t n)
{
    if (*n_text + n > *room) {
        const size_t size = 2 * *room + n;
        char *larger = realloc(*text, size);
        if (larger == NULL) {
            return false;
        }
        *text = larger;
        *room = size;
    }
    memcpy(*text + *n_text, bytes, n);
    *n_text += n;
    return true;
}

static column *find(tqa_records *r, const char *key, size_t n)
{
    char name[NAME];
    const int length =
        snprintf(name, sizeof name, "%.*s%.*s", (int)r->n_path, r->path, (int)n, key);
    if (length < 0 || (size_t)length >= sizeof name) {
        return NULL;
    }
    for (size_t c = 0; c < r->n_column; c++) {
        if (strcmp(r->columns[c].name, name) == 0) {
            return &r->columns[c];
        }
    }
    if (r->is_writing || r->n_column == COLUMNS_MAX) {
        return NULL;
    }
    column *new = &r->columns[r->n_column++];
    memcpy(new->name, name, sizeof name);
    return new;
}

/* skips a value that has no cell */
static bool leave_out(tqa_records *r)
{
    if (r->now != NULL) {
        r->now->is_out = true;
    }
    return true;
}

bool tqa_records_begin_map(tqa_records *r)
{
    if (r->skipped > 0 || r->in_array) {
        r->skipped++;
        return leave_out(r);
    }
    if (r->depth++ > 0) {
        const char *name = r->now != NULL ? r->now->name : "";
        const size_t n = strlen(name);
        if (r->now == NULL || n + 1 >= sizeof r->path) {
            r->fault = "holds objects with too many or too long names";
            return false;
        }
        r->now->is_out = true; /* its keys have columns instead */
        memcpy(r->path, name, n);
        r->path[n] = '.';
        r->n_path = n + 1;
    } else {
        r->n_path = 0;
        r->n_text = 0;
        if (r->is_writing) {
            memset(r->cells, 0, (r->n_cell + 1) * sizeof *r->cells);
        }
    }
    r->now = NULL;
    return true;
}

bool tqa_records_end_map(tqa_records *r)
{
    if (r->skipped > 0) {
        r->skipped--;
        return true;
    }
    r->depth--;
    if (r->n_path > 0) { /* up to the dot before the last one */
        r->n_path--;
        while (r->n_path > 0 && r->path[r->n_path - 1] != '.') {
            r->n_path--;
        }
    }
    r->now = NULL;
    return true;
}

bool tqa_records_begin_array(tqa_records *r)
{
    if (r->skipped > 0 || r->in_array) {
        r->skipped++;
        return leave_out(r);
    }
    r->in_array = true;
    r->entry = 0;
    return true;
}

bool tqa_records_end_array(tqa_records *r)
{
    if (r->skipped > 0) {
        r->skipped--;
    } else {
        r->in_array = false;
        r->now = NULL;
    }
    return true;
}

bool tqa_records_key(tqa_records *r, const char *text, size_t n)
{
    if (r->skipped == 0) {
        r->now = find(r, text, n);
        if (r->now == NULL) {
            r->fault = "holds objects with too many or too long names";
            return false;
        }
    }
    return true;
}

/* a value as its cell has it */
static bool put(tqa_records *r, const char *text, size_t n)
{
    column *c = r->now;
    if (r->skipped > 0 || c == NULL) {
        return true;
    }
    const size_t entry = r->in_array ? r->entry++ : 0;
    if (!r->is_writing) {
        c->n = r->in_array && c->n < r->entry ? r->entry : c->n;
        c->is_out = c->is_out || c->n > ENTRIES_MAX;
        return true;
    }
    if (c->is_out) {
        return true;
    }
    r->cells[c->first + entry] = (cell){r->n_text, n};
    return append(&r->text, &r->n_text, &r->text_room, text, n);
}

bool tqa_records_number(tqa_records *r, double value)
{
    char text[NUMBER_ROOM];
    return put(r, text, r->is_writing ? (size_t)(tqa_number_print(value, text) - text) : 0);
}

bool tqa_records_text(tqa_records *r, const char *text, size_t n)
{
    return (r->in_array || r->skipped > 0) ? leave_out(r) : put(r, text, n);
}

bool tqa_records_none(tqa_records *r)
{
    return put(r, "", 0);
}

bool tqa_records_is_open(const tqa_records *records)
{
    return records->depth > 0;
}

const char *tqa_records_fault(const tqa_records *records)
{
    return records->fault;
}

void tqa_records_turn(tqa_records *r)
{
    r->n_cell = 0;
    for (size_t c = 0; c < r->n_column; c++) {
        r->columns[c].first = r->n_cell;
        r->n_cell += r->columns[c].is_out ? 0 : r->columns[c].n > 0 ? r->columns[c].n : 1;
    }
    r->cells = calloc(r->n_cell + 1, sizeof *r->cells);
    r->is_writing = true;
    r->depth = r->skipped = r->n_path = 0;
    r->in_array = false;
    r->now = NULL;
}

/* RFC 4180: quoted where it holds a comma, a quote or an end of line */
static bool put_cell(tqa_records *r, const char *text, size_t n)
{
    bool is_plain = true;
    for (size_t i = 0; i < n; i++) {
        is_plain = is_plain && strchr(",\"\r\n", text[i]) == NULL;
    }
    bool good = is_plain || append(&r->line, &r->n_line, &r->line_room, "\"", 1);
    for (size_t i = 0; good && !is_plain && i < n; i++) {
        good = append(&r->line, &r->n_line, &r->line_room, "\"\"", text[i] == '"' ? 1 : 0) &&
               append(&r->line, &r->n_line, &r->line_room, text + i, 1);
    }
    return good &&
           append(&r->line, &r->n_line, &r->line_room, is_plain ? text : "\"", is_plain ? n : 1);
}

const char *tqa_records_names(tqa_records *r, size_t *ret_n)
{
    bool good = r->cells != NULL;
    r->n_line = 0;
    for (size_t c = 0; c < r->n_column; c++) {
        const column *of = &r->columns[c];
        for (size_t k = 0; !of->is_out && k < (of->n > 0 ? of->n : 1); k++) {
            char name[NAME + NUMBER_ROOM];
            const int n = of->n > 0 ? snprintf(name, sizeof name, "%s_%zu", of->name, k)
                                    : snprintf(name, sizeof name, "%s", of->name);
            good = good &&
                   (of->first + k == 0 || append(&r->line, &r->n_line, &r->line_room, ",", 1)) &&
                   put_cell(r, name, (size_t)n);
        }
    }
    good = good && append(&r->line, &r->n_line, &r->line_room, "", 1); /* at least some memory */
    *ret_n = r->n_line - (good ? 1 : 0);
    return good ? r->line : NULL;
}

const char *tqa_records_line(tqa_records *r, size_t *ret_n)
{
    bool good = true;
    r->n_line = 0;
    for (size_t k = 0; k < r->n_cell; k++) {
        good = good && (k == 0 || append(&r->line, &r->n_line, &r->line_room, ",", 1)) &&
               (r->cells[k].n == 0 || put_cell(r, r->text + r->cells[k].at, r->cells[k].n));
    }
    *ret_n = r->n_line;
    return good ? r->line : NULL;
}
