/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/compare/side.c - opens one of two tables that are compared; finds its columns. */
#include "api/operations/compare/side.h"

#include <stdio.h>
#include <string.h>

static long read_source(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    const tqa_side *s = ctx;
    return s->host->dataset_read(s->host->ctx, s->name, offset, bytes, n);
}

/* An id of a job, as against the name of a dataset. */
static bool is_job(const char *text)
{
    enum { ID = 26 };
    size_t n = 0;
    while ((text[n] >= '0' && text[n] <= '9') || (text[n] >= 'a' && text[n] <= 'z')) {
        n++;
    }
    return n == ID && text[n] == '\0';
}

/* {"dataset": NAME} or {"job": ID}, or such a name or id alone, read under the digest that the name
 * has now */
bool tqa_side_open(tqa_tree *tree, tqa_side *s, const tqa_value *part)
{
    static const char *const known[] = {"dataset", "job", NULL};
    char source_name[TQA_SIDE_NAME];
    tqa_source source;
    if (!json_is_string(part->value) && !tqa_value_object(part, known)) {
        return false;
    }
    tqa_value of = tqa_value_field(part, "dataset");
    tqa_value job = tqa_value_field(part, "job");
    if (json_is_string(part->value)) {
        *(is_job(json_string_value(part->value)) ? &job : &of) = *part;
    }
    if ((of.value == NULL) == (job.value == NULL)) {
        return tqa_value_refuse(part, of.value == NULL ? "missing-field" : "invalid-value",
                                "say {\"dataset\": NAME} or {\"job\": ID}", "one of the two");
    }
    of = of.value != NULL ? of : job;
    if (!json_is_string(of.value) || json_string_length(of.value) >= sizeof source_name - 8) {
        return tqa_value_refuse(&of, "wrong-type",
                                "the name of a dataset, or the id of a job, in quotes",
                                "a name is a text of at most 128 bytes");
    }
    const tqa_host *host = tree->host;
    (void)snprintf(source_name, sizeof source_name, "%s%s", job.value != NULL ? "job:" : "",
                   json_string_value(of.value));
    if (host == NULL || host->dataset_look == NULL || host->dataset_read == NULL ||
        host->dataset_look(host->ctx, source_name, &source) != 0) {
        return tqa_value_refuse(&of, "unknown-name",
                                job.value != NULL ? "GET /v1/jobs?state=succeeded lists them"
                                                  : "GET /v1/datasets lists them",
                                job.value != NULL ? "there is no result of a job \"%.64s\""
                                                  : "there is no dataset \"%.64s\"",
                                json_string_value(of.value));
    }
    const bool pinned = job.value == NULL && strchr(source_name, '@') == NULL;
    (void)snprintf(s->name, sizeof s->name, "%s%s%s", source_name, pinned ? "@" : "",
                   pinned ? source.digest : "");
    s->host = host;
    s->table = tqa_table_open(read_source, s);
    const char *fault = s->table != NULL ? tqa_table_fault(s->table) : "memory is short";
    if (fault != NULL) {
        /* it existed at the lookup: not the client's fault */
        const bool busy = s->table == NULL || tqa_table_busy(s->table);
        return tqa_value_refuse(&of, busy ? "busy" : "invalid-value",
                                busy ? "try again" : "repair the data, or name other ones", "%s",
                                fault);
    }
    s->n_column = tqa_table_columns(s->table);
    s->now = tqa_tree_take(tree, s->n_column, sizeof(double));
    s->before = tqa_tree_take(tree, s->n_column, sizeof(double));
    return s->now != NULL && s->before != NULL;
}

void tqa_side_normal_name(const char *name, char out[TQA_SIDE_NAME])
{
    size_t n = 0;
    for (; *name != '\0' && n + 1 < TQA_SIDE_NAME; name++) {
        if (*name != ']') {
            out[n++] = *name == '[' ? '_' : *name;
        }
    }
    out[n] = '\0';
}

size_t tqa_side_find(const tqa_side *s, const char *name)
{
    char wanted[TQA_SIDE_NAME];
    char has[TQA_SIDE_NAME];
    tqa_side_normal_name(name, wanted);
    for (size_t i = 0; i < s->n_column; i++) {
        tqa_side_normal_name(tqa_table_name(s->table, i), has);
        if (has[0] != '\0' && strcmp(has, wanted) == 0) {
            return i;
        }
    }
    return s->n_column;
}

/* Letters before the number that ends a name, without what joins them; *ret: the number. False: it
 * ends in none. */
static bool split(const char *name, char stem[TQA_SIDE_NAME], size_t *ret)
{
    char normal[TQA_SIDE_NAME];
    tqa_side_normal_name(name, normal);
    size_t n = strlen(normal);
    size_t unit = 1;
    *ret = 0;
    while (n > 0 && normal[n - 1] >= '0' && normal[n - 1] <= '9' && unit < 1000000) {
        *ret += unit * (size_t)(normal[--n] - '0');
        unit *= 10;
    }
    while (n > 0 && (normal[n - 1] == '_' || normal[n - 1] == '.' || normal[n - 1] == ' ')) {
        n--;
    }
    memcpy(stem, normal, n);
    stem[n] = '\0';
    return unit > 1 && n > 0;
}

/* The columns of a stem: least and greatest number, how many, and the one of `number`. */
typedef struct numbered {
    size_t least, most, n, column;
} numbered;

static numbered find_numbered(const tqa_side *s, const char *stem, size_t number)
{
    numbered ret = {.least = SIZE_MAX, .column = s->n_column};
    char own[TQA_SIDE_NAME];
    size_t k = 0;
    for (size_t i = 0; i < s->n_column; i++) {
        if (split(tqa_table_name(s->table, i), own, &k) && strcmp(own, stem) == 0) {
            ret.least = k < ret.least ? k : ret.least;
            ret.most = k > ret.most ? k : ret.most;
            ret.column = k == number && ret.column == s->n_column ? i : ret.column;
            ret.n++;
        }
    }
    return ret;
}

size_t tqa_side_alike(const tqa_side *s, const tqa_side *other, size_t column)
{
    enum { MANY = 512 };
    const char *name = tqa_table_name(s->table, column);
    char stem[TQA_SIDE_NAME];
    size_t number = 0;
    if (s->n_column > MANY || other->n_column > MANY || !split(name, stem, &number)) {
        return tqa_side_find(other, name);
    }
    const numbered here = find_numbered(s, stem, number);
    const numbered there = find_numbered(other, stem, number);
    if (here.n == there.n && here.least + there.least == 1 &&
        here.most - here.least + 1 == here.n &&
        there.most - there.least + 1 == there.n) { /* 1 to n beside 0 to n - 1 */
        return find_numbered(other, stem, number + there.least - here.least).column;
    }
    const size_t same = tqa_side_find(other, name);
    return same < other->n_column ? same : there.column;
}

/* a name, or a number counted from 0 */
bool tqa_side_column(const tqa_side *s, const tqa_value *part, size_t *ret)
{
    if (json_is_string(part->value)) {
        *ret = tqa_side_find(s, json_string_value(part->value));
        if (*ret == s->n_column) {
            return tqa_value_refuse(part, "unknown-name", "name a column, or count it from 0",
                                    "there is no column \"%.64s\"", json_string_value(part->value));
        }
        return true;
    }
    return tqa_value_count(part, 0, s->n_column - 1, ret);
}
