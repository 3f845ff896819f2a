/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/log.h - one event a line on stderr: JSON, JSON with the journal's <N> priority, or
 * text for a terminal. */
#ifndef TQD_OBSERVE_LOG_H
#define TQD_OBSERVE_LOG_H

#include <stdatomic.h>
#include <stdint.h>

/* Severities of syslog(3). */
typedef enum tqd_log_level {
    TQD_LOG_ERROR = 3,
    TQD_LOG_WARNING = 4,
    TQD_LOG_INFO = 6,
    TQD_LOG_DEBUG = 7,
} tqd_log_level;

typedef enum tqd_log_format {
    TQD_LOG_JSON,
    TQD_LOG_JOURNAL, /* sd-daemon(3): <N> before each line */
    TQD_LOG_TEXT,
} tqd_log_format;

enum { TQD_LOG_LINE = 2048, TQD_LOG_LIMIT_S = 60 };

/* One member of the object: text when text is not NULL, else number. A text must not be NULL. */
typedef struct tqd_log_field {
    const char *name;
    const char *text;
    int64_t number;
} tqd_log_field;

#define TQD_TEXT(key, value)                                                                       \
    {                                                                                              \
        .name = (key), .text = (value)                                                             \
    }
#define TQD_NUMBER(key, value)                                                                     \
    {                                                                                              \
        .name = (key), .number = (int64_t)(value)                                                  \
    }

/* tqd_log(TQD_LOG_INFO, "listening", TQD_TEXT("url", url), TQD_NUMBER("threads", n)); takes at
 * least one field. Any thread; one write(2) a line; never blocks on a lock. Never log tokens or
 * bodies. */
#define tqd_log(level, event, ...)                                                                 \
    tqd_log_write((level), (event), (const tqd_log_field[]){__VA_ARGS__, {.name = NULL}})

void tqd_log_write(tqd_log_level level, const char *event, const tqd_log_field *fields);

/* Lines above this level are dropped; INFO at start. */
void tqd_log_level_set(tqd_log_level level);

/* JSON at start. */
void tqd_log_format_set(tqd_log_format format);

/* "json", "journal" or "text"; anything else: text on a terminal, journal under systemd, else JSON.
 */
tqd_log_format tqd_log_format_named(const char *name);

/* Bounds how often clients can cause a line. Zero-initialised. */
typedef struct tqd_log_limit {
    _Atomic int64_t next_s;
    _Atomic uint64_t n; /* since the last line */
} tqd_log_limit;

/* Counts one event. If the result N is not 0, log a line now: N events have occurred since the last
 * line. At most one line in TQD_LOG_LIMIT_S. Any thread. */
uint64_t tqd_log_due(tqd_log_limit *limit);

/* "error", "warning", "info" or "debug"; INFO for anything else. */
tqd_log_level tqd_log_level_named(const char *name);

#endif
