/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/print/yaml.c - a document as JSON on lines, or as YAML. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clients/torquectl/print/print.h"

static void print_real(FILE *out, double value)
{
    char text[CTL_NUMBER_BYTES];
    ctl_number(value, text);
    fprintf(out, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

/* A JSON string, ASCII only: valid YAML too, and harmless on a terminal. */
static void print_string(FILE *out, const char *text)
{
    json_t *value = json_string_nocheck(text);
    char *quoted = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    fputs(quoted != NULL ? quoted : "\"\"", out);
    free(quoted);
    json_decref(value);
}

static void print_scalar(FILE *out, const json_t *value)
{
    if (json_is_string(value)) {
        print_string(out, json_string_value(value));
    } else if (json_is_integer(value)) {
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        print_real(out, json_real_value(value));
    } else {
        fputs(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null", out);
    }
}

/* arrays without objects, on one line; the same in JSON and YAML */
static void print_flow(FILE *out, const json_t *value)
{
    if (!json_is_array(value)) {
        print_scalar(out, value);
        return;
    }
    fputc('[', out);
    for (size_t i = 0; i < json_array_size(value); i++) {
        fputs(i > 0 ? ", " : "", out);
        print_flow(out, json_array_get(value, i));
    }
    fputc(']', out);
}

static bool has_objects(const json_t *value)
{
    bool found = json_is_object(value);
    for (size_t i = 0; !found && i < json_array_size(value); i++) {
        found = has_objects(json_array_get(value, i));
    }
    return found;
}

/* arrays of arrays: a line each */
static bool is_flat(const json_t *value)
{
    return !has_objects(value) && !json_is_array(json_array_get(value, 0));
}

/* -------------------------------------------------- JSON */

static void print_indented(FILE *out, const json_t *value, int depth)
{
    const char *key;
    json_t *inner;
    const bool is_object = json_is_object(value);
    const size_t n = is_object ? json_object_size(value) : json_array_size(value);
    if (n == 0 || is_flat(value)) {
        if (is_object) {
            fputs("{}", out);
        } else {
            print_flow(out, value);
        }
        return;
    }
    size_t i = 0;
    fputc(is_object ? '{' : '[', out);
    if (is_object) {
        json_object_foreach((json_t *)(uintptr_t)value, key, inner)
        {
            fprintf(out, "%s\n%*s", i++ > 0 ? "," : "", 2 * depth + 2, "");
            print_string(out, key);
            fputs(": ", out);
            print_indented(out, inner, depth + 1);
        }
    }
    for (i = 0; !is_object && i < n; i++) {
        fprintf(out, "%s\n%*s", i > 0 ? "," : "", 2 * depth + 2, "");
        print_indented(out, json_array_get(value, i), depth + 1);
    }
    fprintf(out, "\n%*s%c", 2 * depth, "", is_object ? '}' : ']');
}

void ctl_print_json(FILE *out, const json_t *value)
{
    print_indented(out, value, 0);
    fputc('\n', out);
}

static void print_compact(FILE *out, const json_t *value)
{
    const char *key;
    json_t *inner;
    if (!has_objects(value)) {
        print_flow(out, value);
        return;
    }
    const bool is_object = json_is_object(value);
    size_t i = 0;
    fputc(is_object ? '{' : '[', out);
    if (is_object) {
        json_object_foreach((json_t *)(uintptr_t)value, key, inner)
        {
            fputs(i++ > 0 ? ", " : "", out);
            print_string(out, key);
            fputs(": ", out);
            print_compact(out, inner);
        }
    }
    for (; !is_object && i < json_array_size(value); i++) {
        fputs(i > 0 ? ", " : "", out);
        print_compact(out, json_array_get(value, i));
    }
    fputc(is_object ? '}' : ']', out);
}

char *ctl_compact(const json_t *value)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (out != NULL) {
        print_compact(out, value);
        (void)fclose(out);
    }
    return text;
}

/* -------------------------------------------------- YAML */

/* a key without quotes: letters, digits, _ - . and nothing that YAML takes for something else */
static void print_key(FILE *out, const char *key)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    static const char *const words[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};
    bool is_plain = key[0] != '\0' && strspn(key, plain) == strlen(key) &&
                    ((key[0] >= 'a' && key[0] <= 'z') || (key[0] >= 'A' && key[0] <= 'Z'));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        is_plain = is_plain && strcasecmp(key, words[i]) != 0;
    }
    if (is_plain) {
        fputs(key, out);
    } else {
        print_string(out, key);
    }
}

/* `is_inline`: after "- ", where the first line is written already */
static void print_block(FILE *out, const json_t *value, int depth, bool is_inline)
{
    const char *key;
    json_t *inner;
    bool is_first = true;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)(uintptr_t)value, key, inner)
        {
            fprintf(out, "%*s", is_first && is_inline ? 0 : 2 * depth, "");
            is_first = false;
            print_key(out, key);
            const bool is_empty = json_is_object(inner) && json_object_size(inner) == 0;
            if (is_empty || is_flat(inner)) {
                fputs(is_empty ? ": {}" : ": ", out);
                if (!is_empty) {
                    print_flow(out, inner);
                }
                fputc('\n', out);
            } else {
                fputs(":\n", out);
                print_block(out, inner, depth + 1, false);
            }
        }
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        inner = json_array_get(value, i);
        fprintf(out, "%*s- ", 2 * depth, "");
        if (has_objects(inner) && !(json_is_object(inner) && json_object_size(inner) == 0)) {
            fputs(json_is_object(inner) ? "" : "\n", out);
            print_block(out, inner, depth + 1, json_is_object(inner));
        } else {
            fputs(json_is_object(inner) ? "{}" : "", out);
            if (!json_is_object(inner)) {
                print_flow(out, inner);
            }
            fputc('\n', out);
        }
    }
}

void ctl_print_yaml(FILE *out, const json_t *value)
{
    if ((json_is_object(value) && json_object_size(value) > 0) ||
        (json_array_size(value) > 0 && !is_flat(value))) {
        print_block(out, value, 0, false);
    } else {
        fputs(json_is_object(value) ? "{}" : "", out);
        if (!json_is_object(value)) {
            print_flow(out, value);
        }
        fputc('\n', out);
    }
}
