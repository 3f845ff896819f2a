/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/log.c - builds each line in a fixed buffer and writes it in one call. */
#include "daemon/observe/log.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/codec/writer.h"
#include "daemon/observe/timestamp.h"

/* bytes reserved for the end of the object and of the line */
enum { END_ROOM = 4 };

static _Atomic int level_max = TQD_LOG_INFO;
static _Atomic int format = TQD_LOG_JSON;

typedef struct line {
    char text[TQD_LOG_LINE];
    size_t n;
} line;

static void add(line *out, const char *text, size_t n)
{
    size_t room = sizeof out->text - END_ROOM - out->n;
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

/* Control characters, which a terminal may execute, are printed as their codes. */
static void add_escaped(line *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        char escape[8];
        if (c == '"' || c == '\\') {
            escape[0] = '\\';
            escape[1] = (char)c;
            add(out, escape, 2);
        } else if (c < 0x20 || c >= 0x7f) {
            int n = snprintf(escape, sizeof escape, "\\u%04x", c);
            add(out, escape, (size_t)n);
        } else {
            add(out, text, 1);
        }
    }
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

/* False: no space for this member; nothing of it is written. */
static bool put_field(tqa_writer *to, const char *name, const char *text, int64_t number)
{
    const tqa_writer before = *to;
    if (text != NULL) {
        tqa_writer_string(to, name, text);
    } else {
        tqa_writer_integer(to, name, number);
    }
    if (to->text.failed) {
        *to = before;
        return false;
    }
    return true;
}

/* A text that is too long for the line is cut. */
static bool put_cut(tqa_writer *to, const char *name, const char *text)
{
    enum { ESCAPED = 6, SYNTAX = 8 };
    char cut[TQD_LOG_LINE / ESCAPED];
    const size_t left = to->text.capacity - to->text.n, used = strlen(name) + SYNTAX;
    const size_t n = left > used ? (left - used) / ESCAPED : 0;
    (void)snprintf(cut, sizeof cut, "%.*s", (int)n, text);
    return put_field(to, name, cut, 0);
}

/* {"time":"...","level":"info","event":"listening","url":"http://127.0.0.1:8420"} */
static void print_json(line *out, tqd_log_level level, const char *event,
                       const tqd_log_field *fields)
{
    char now[TQD_TIMESTAMP_TEXT];
    tqa_writer to = {.text = {.bytes = out->text + out->n,
                              .capacity = sizeof out->text - END_ROOM - out->n,
                              .fixed = true}};
    tqd_timestamp(tqd_now_ms(), now);
    tqa_writer_object(&to, NULL);
    bool fits = put_field(&to, "time", now, 0) && put_field(&to, "level", level_name(level), 0) &&
                (put_field(&to, "event", event, 0) || put_cut(&to, "event", event));
    for (; fits && fields->name != NULL; fields++) {
        fits = put_field(&to, fields->name, fields->text, fields->number) ||
               (fields->text != NULL && put_cut(&to, fields->name, fields->text));
    }
    to.text.capacity += END_ROOM;
    tqa_writer_end(&to);
    out->n += to.text.n;
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
