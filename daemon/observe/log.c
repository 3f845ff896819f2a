/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/log.c - builds each line in a fixed buffer and writes it in one call. */
#include "daemon/observe/log.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Atomic int level_max = TQD_LOG_INFO;
static _Atomic int format = TQD_LOG_JSON;

typedef struct line {
    char text[TQD_LOG_LINE];
    size_t n;
} line;

static void add(line *out, const char *text, size_t n)
{
    /* reserves room for the closing `"}` and newline */
    size_t room = sizeof out->text - 4 - out->n;
    if (n > room) {
        n = room;
    }
    memcpy(out->text + out->n, text, n);
    out->n += n;
}

static void add_text(line *out, const char *text)
{
    add(out, text, strlen(text));
}

static void add_escaped(line *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        char escape[8];
        if (out->n + sizeof escape + 4 > sizeof out->text) {
            return;
        }
        if (c == '"' || c == '\\') {
            escape[0] = '\\';
            escape[1] = (char)c;
            add(out, escape, 2);
        } else if (c < 0x20 || c >= 0x7f) {
            /* non-ASCII bytes may be truncated UTF-8: escaped, so that the line stays valid JSON */
            int n = snprintf(escape, sizeof escape, "\\u%04x", c);
            add(out, escape, (size_t)n);
        } else {
            add(out, text, 1);
        }
    }
}

static void add_time(line *out)
{
    struct timespec now;
    struct tm utc;
    char text[40];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    n += (size_t)snprintf(text + n, sizeof text - n, ".%03ldZ", now.tv_nsec / 1000000);
    add(out, text, n);
}

static const char *level_name(tqd_log_level level)
{
    switch (level) {
    case TQD_LOG_ERROR:
        return "error";
    case TQD_LOG_WARNING:
        return "warning";
    case TQD_LOG_INFO:
        return "info";
    case TQD_LOG_DEBUG:
        return "debug";
    }
    return "info";
}

tqd_log_level tqd_log_level_named(const char *name)
{
    static const tqd_log_level levels[] = {TQD_LOG_ERROR, TQD_LOG_WARNING, TQD_LOG_DEBUG};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (strcmp(name, level_name(levels[i])) == 0) {
            return levels[i];
        }
    }
    return TQD_LOG_INFO;
}

void tqd_log_level_set(tqd_log_level level)
{
    atomic_store_explicit(&level_max, (int)level, memory_order_relaxed);
}

void tqd_log_format_set(tqd_log_format how)
{
    atomic_store_explicit(&format, (int)how, memory_order_relaxed);
}

tqd_log_format tqd_log_format_named(const char *name)
{
    static const char *const names[] = {"json", "journal", "text"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return (tqd_log_format)i;
        }
    }
    return isatty(STDERR_FILENO)              ? TQD_LOG_TEXT
           : getenv("JOURNAL_STREAM") != NULL ? TQD_LOG_JOURNAL
                                              : TQD_LOG_JSON;
}

/* {"time":"...","level":"info","event":"listening","url":"http://127.0.0.1:8420"} */
static void print_json(line *out, tqd_log_level level, const char *event,
                       const tqd_log_field *fields)
{
    char number[48];
    add_text(out, "{\"time\":\"");
    add_time(out);
    int n = snprintf(number, sizeof number, "\",\"level\":\"%s\",\"event\":\"", level_name(level));
    add(out, number, (size_t)n);
    add_escaped(out, event);
    add(out, "\"", 1);
    for (; fields->name != NULL; fields++) {
        /* a member that may not fit is omitted, so that every line parses */
        if (out->n + strlen(fields->name) + 64 > sizeof out->text) {
            break;
        }
        add(out, ",\"", 2);
        add_escaped(out, fields->name);
        if (fields->text != NULL) {
            add(out, "\":\"", 3);
            add_escaped(out, fields->text);
            out->text[out->n++] = '"';
        } else {
            n = snprintf(number, sizeof number, "\":%lld", (long long)fields->number);
            add(out, number, (size_t)n);
        }
    }
    out->text[out->n++] = '}';
}

/* 14:03:11 warning: disk full: path=/srv/state n=5 */
static void print_text(line *out, tqd_log_level level, const char *event,
                       const tqd_log_field *fields)
{
    char number[48];
    const time_t now = time(NULL);
    struct tm here;
    localtime_r(&now, &here);
    add(out, number, strftime(number, sizeof number, "%H:%M:%S ", &here));
    if (level != TQD_LOG_INFO) {
        add_text(out, level_name(level));
        add_text(out, ": ");
    }
    add_escaped(out, event);
    for (const tqd_log_field *field = fields; field->name != NULL; field++) {
        add_text(out, field == fields ? ": " : ", ");
        add_escaped(out, field->name);
        add(out, " ", 1);
        if (field->text != NULL) {
            add_escaped(out, field->text);
        } else {
            const int n = snprintf(number, sizeof number, "%lld", (long long)field->number);
            add(out, number, (size_t)n);
        }
    }
}

void tqd_log_write(tqd_log_level level, const char *event, const tqd_log_field *fields)
{
    if ((int)level > atomic_load_explicit(&level_max, memory_order_relaxed)) {
        return;
    }
    line out = {.n = 0};
    const int how = atomic_load_explicit(&format, memory_order_relaxed);
    if (how == TQD_LOG_JOURNAL) {
        char priority[16];
        add(&out, priority, (size_t)snprintf(priority, sizeof priority, "<%d>", (int)level));
    }
    if (how == TQD_LOG_TEXT) {
        print_text(&out, level, event, fields);
    } else {
        print_json(&out, level, event, fields);
    }
    out.text[out.n++] = '\n';
    /* an error is ignored: the service does not depend on its log */
    ssize_t written = write(STDERR_FILENO, out.text, out.n);
    (void)written;
}

uint64_t tqd_log_due(tqd_log_limit *limit)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t due = atomic_load_explicit(&limit->next_s, memory_order_relaxed);
    atomic_fetch_add_explicit(&limit->n, 1, memory_order_relaxed);
    if (now.tv_sec < due || !atomic_compare_exchange_strong(
                                &limit->next_s, &due, (int64_t)now.tv_sec + TQD_LOG_LIMIT_S)) {
        return 0;
    }
    return atomic_exchange(&limit->n, 0);
}
