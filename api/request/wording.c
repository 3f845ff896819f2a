/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/wording.c - fields and names in the words of other tools: read as ours, and said.
 *
 * The tree stays as it was sent, so that places and bytes of refusals are those of the body; a
 * field that is not there is looked up among the readings. */
#include <stdio.h>
#include <string.h>

#include "api/codec/writer.h"
#include "api/problems/renamed.h"
#include "api/request/refusal.h"
#include "api/request/value.h"

enum { READINGS_MAX = 12 };

static tqa_reading *find_to(const tqa_tree *tree, const char *pointer)
{
    for (size_t k = 0; k < tree->n_reading; k++) {
        if (strcmp(tree->readings[k].to, pointer) == 0) {
            return &tree->readings[k];
        }
    }
    return NULL;
}

static tqa_reading *find_from(const tqa_tree *tree, const char *pointer)
{
    for (size_t k = 0; k < tree->n_reading; k++) {
        if (tree->readings[k].kind == TQA_READ_FIELD &&
            strcmp(tree->readings[k].from, pointer) == 0) {
            return &tree->readings[k];
        }
    }
    return NULL;
}

/* Room for one more; NULL: there are many, or memory is short. */
static tqa_reading *add(tqa_tree *tree, tqa_reading_kind kind, const char *from, const char *to)
{
    if (tree->readings == NULL) {
        tree->readings = tqa_arena_take(tree->arena, READINGS_MAX, sizeof(tqa_reading), 64);
    }
    if (tree->readings == NULL || tree->n_reading == READINGS_MAX) {
        return NULL;
    }
    tqa_reading *ret = &tree->readings[tree->n_reading++];
    memset(ret, 0, sizeof *ret);
    ret->kind = kind;
    (void)snprintf(ret->from, sizeof ret->from, "%s", from);
    (void)snprintf(ret->to, sizeof ret->to, "%s", to);
    return ret;
}

json_t *tqa_wording_missing(const tqa_value *object, const char *key, const char *pointer)
{
    tqa_tree *tree = object->tree;
    const tqa_reading *reading = tree->n_reading > 0 ? find_to(tree, pointer) : NULL;
    if (reading == NULL && object->value != NULL) {
        tree->absent[tree->n_absent % TQA_ABSENT_MAX].object = object->value;
        tree->absent[tree->n_absent++ % TQA_ABSENT_MAX].key = key;
    }
    return reading != NULL ? reading->value : NULL;
}

/* A reader has looked for this field already: another word for it would be said and not used. */
static bool is_taken_as_absent(const tqa_value *object, const char *name)
{
    const tqa_tree *tree = object->tree;
    const size_t n = tree->n_absent < TQA_ABSENT_MAX ? tree->n_absent : TQA_ABSENT_MAX;
    bool is = false;
    for (size_t k = 0; k < n; k++) {
        is = is ||
             (tree->absent[k].object == object->value && strcmp(tree->absent[k].key, name) == 0);
    }
    return is;
}

bool tqa_wording_is_read(const tqa_value *object, const char *key, const char *const *known)
{
    char pointer[TQA_POINTER_TEXT];
    (void)snprintf(pointer, sizeof pointer, "%s", object->pointer);
    tqa_place_key(pointer, key, strlen(key));
    const tqa_reading *reading = find_from(object->tree, pointer);
    bool is = false;
    for (; reading != NULL && *known != NULL && !is; known++) {
        is = strcmp(*known, reading->name) == 0;
    }
    return is;
}

/* The new object of a member that is read one level further in: made for the first of its fields.
 * Its place has no word of its own in the body. */
static json_t *open_object(tqa_tree *tree, const char *pointer)
{
    tqa_reading *there = find_to(tree, pointer);
    if (there != NULL) {
        return there->kind == TQA_READ_OBJECT ? there->value : NULL;
    }
    there = add(tree, TQA_READ_OBJECT, "", pointer);
    if (there != NULL) {
        there->value = json_object();
    }
    return there != NULL ? there->value : NULL;
}

static void read_member(const tqa_value *object, const char *key, json_t *value,
                        const tqa_renamed_field *as)
{
    tqa_tree *tree = object->tree;
    if (is_taken_as_absent(object, as->name)) {
        return;
    }
    const size_t n_absent = tree->n_absent;
    tqa_value to = tqa_value_field(object, as->name);
    const tqa_value from = tqa_value_field(object, key);
    tree->n_absent = n_absent; /* this was no reader */
    json_t *inside = NULL;
    if (as->member != NULL) {
        const bool is_ours = find_to(tree, to.pointer) != NULL;
        if (to.value != NULL && !is_ours) {
            return; /* the object itself was sent: the field belongs into it */
        }
        inside = open_object(tree, to.pointer);
        if (inside == NULL || json_object_get(inside, as->member) != NULL ||
            json_object_set_nocheck(inside, as->member, value) != 0) {
            return;
        }
        tqa_place_key(to.pointer, as->member, strlen(as->member));
    } else if (to.value != NULL) {
        return; /* twice */
    }
    tqa_reading *reading = add(tree, TQA_READ_FIELD, from.pointer, to.pointer);
    if (reading != NULL) {
        reading->name = as->name;
        reading->sent = key;
        reading->read = as->text;
        reading->value = inside == NULL ? value : NULL;
    }
}

void tqa_wording_fields(const tqa_value *object, const char *const *known)
{
    const char *key = NULL;
    json_t *value = NULL;
    if (object->tree->is_strict) {
        return;
    }
    json_object_foreach(object->value, key, value)
    {
        tqa_renamed_field as;
        bool is_known = false;
        for (const char *const *name = known; *name != NULL && !is_known; name++) {
            is_known = strcmp(*name, key) == 0;
        }
        if (!is_known && !tqa_wording_is_read(object, key, known) &&
            tqa_renamed_reads(key, strlen(key), known, &as)) {
            read_member(object, key, value, &as);
        }
    }
}

bool tqa_wording_stream(tqa_tree *tree, const char *word, size_t n, const char *name)
{
    char from[TQA_POINTER_TEXT] = "", to[TQA_POINTER_TEXT] = "";
    tqa_place_key(from, word, n);
    tqa_place_key(to, name, strlen(name));
    tqa_reading *reading = add(tree, TQA_READ_FIELD, from, to);
    if (reading != NULL) {
        reading->sent = tqa_arena_text(tree->arena, word, n);
        reading->name = reading->read = name;
    }
    return reading != NULL && reading->sent != NULL;
}

bool tqa_wording_choice(const tqa_value *part, const char *const *words, unsigned *ret)
{
    tqa_renamed_field as;
    const char *text = json_string_value(part->value);
    if (part->tree->is_strict ||
        !tqa_renamed_reads(text, json_string_length(part->value), words, &as) ||
        as.member != NULL) {
        return false;
    }
    for (*ret = 0; words[*ret] != as.name; ++*ret) {
    }
    char from[TQA_POINTER_TEXT];
    tqa_wording_place(part->tree, part->pointer, from);
    for (size_t k = 0; k < part->tree->n_reading; k++) {
        const tqa_reading *one = &part->tree->readings[k];
        if (one->sent == text) {
            return true; /* looked at again */
        }
    }
    tqa_reading *reading = add(part->tree, TQA_READ_NAME, from, "");
    if (reading != NULL) {
        reading->sent = text;
        reading->read = as.name;
    }
    return reading != NULL;
}

/* Two parts of a pointer, cut to its size. */
static void replace(const char *first, const char *rest, char ret[TQA_POINTER_TEXT])
{
    size_t n = strlen(first);
    memcpy(ret, first, n);
    while (*rest != '\0' && n + 1 < TQA_POINTER_TEXT) {
        ret[n++] = *rest++;
    }
    ret[n] = '\0';
}

/* The longest part of a place that was sent in another word, in that word. False: there is none. */
static bool place_once(const tqa_tree *tree, const char *pointer, char ret[TQA_POINTER_TEXT])
{
    size_t longest = 0;
    for (size_t k = 0; k < tree->n_reading; k++) {
        const tqa_reading *one = &tree->readings[k];
        const size_t n = strlen(one->to);
        if (one->kind == TQA_READ_FIELD && n > longest && strncmp(one->to, pointer, n) == 0 &&
            (pointer[n] == '/' || pointer[n] == '\0')) {
            longest = n;
            replace(one->from, pointer + n, ret);
        }
    }
    return longest > 0;
}

void tqa_wording_place(const tqa_tree *tree, const char *pointer, char ret[TQA_POINTER_TEXT])
{
    char next[TQA_POINTER_TEXT];
    (void)snprintf(ret, TQA_POINTER_TEXT, "%s", pointer);
    /* a field of an object that came in another word itself: from the inside out */
    for (size_t k = 0; k < tree->n_reading && place_once(tree, ret, next); k++) {
        memcpy(ret, next, sizeof next);
    }
}

void tqa_wording_assume(tqa_tree *tree, const char *pointer, const char *value)
{
    for (size_t k = 0; k < tree->n_reading; k++) {
        const tqa_reading *one = &tree->readings[k];
        if (one->kind == TQA_READ_ASSUMED && strcmp(one->from, pointer) == 0) {
            return; /* read again */
        }
    }
    tqa_reading *reading = add(tree, TQA_READ_ASSUMED, pointer, "");
    if (reading != NULL) {
        reading->read = value;
    }
}

bool tqa_wording_any(const tqa_tree *tree)
{
    return tree->n_reading > 0;
}

void tqa_wording_put(const tqa_tree *tree, tqa_writer *to)
{
    tqa_writer_list(to, "read_as");
    for (size_t k = 0; k < tree->n_reading; k++) {
        const tqa_reading *one = &tree->readings[k];
        if (one->kind != TQA_READ_OBJECT) {
            char from[TQA_POINTER_TEXT];
            tqa_wording_place(tree, one->from, from);
            tqa_writer_object(to, NULL);
            tqa_writer_string(to, "pointer", from);
            if (one->kind != TQA_READ_ASSUMED) {
                tqa_writer_string(to, "sent", one->sent);
            }
            tqa_writer_string(to, "read", one->read);
            tqa_writer_end(to);
        }
    }
    tqa_writer_end(to);
}

void tqa_wording_free(tqa_tree *tree)
{
    for (size_t k = 0; k < tree->n_reading; k++) {
        if (tree->readings[k].kind == TQA_READ_OBJECT) {
            json_decref(tree->readings[k].value);
        }
    }
}
