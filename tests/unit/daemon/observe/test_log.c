/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/observe/test_log.c - every line is complete and escaped; ids are sorted and
 * unique. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/observe/counters.h"
#include "daemon/observe/latency.h"
#include "daemon/observe/log.h"
#include "daemon/observe/request_id.h"

/* What `write` sends to stderr while it runs. */
static size_t captured(char *text, size_t size, void (*say)(void))
{
    int ends[2];
    int before = dup(STDERR_FILENO);
    cr_assert(eq(int, pipe(ends), 0));
    dup2(ends[1], STDERR_FILENO);
    say();
    dup2(before, STDERR_FILENO);
    close(ends[1]);
    close(before);
    ssize_t n = read(ends[0], text, size - 1);
    close(ends[0]);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static void say_plain(void)
{
    tqd_log(TQD_LOG_WARNING, "disk full", TQD_TEXT("path", "/a\"b\\c\n\xff"), TQD_NUMBER("n", -5));
    tqd_log(TQD_LOG_DEBUG, "not said", TQD_NUMBER("n", 1));
}

Test(log, one_object_a_line)
{
    char text[4096];
    captured(text, sizeof text, say_plain);
    cr_expect(eq(int, strncmp(text, "{\"time\":\"20", 11), 0));
    const char *rest = strstr(text, "Z\",");
    cr_assert(ne(ptr, (void *)rest, NULL));
    cr_expect(eq(str, (char *)rest,
                 (char *)"Z\",\"level\":\"warning\",\"event\":\"disk full\","
                         "\"path\":\"/a\\\"b\\\\c\\u000a\xEF\xBF\xBD\",\"n\":-5}\n"));
}

Test(log, the_journal_takes_a_priority_first)
{
    char text[4096];
    tqd_log_format_set(tqd_log_format_named("journal"));
    captured(text, sizeof text, say_plain);
    cr_expect(eq(int, strncmp(text, "<4>{\"time\":\"20", 14), 0));
}

Test(log, text_for_a_terminal)
{
    char text[4096];
    tqd_log_format_set(tqd_log_format_named("text"));
    captured(text, sizeof text, say_plain);
    cr_expect(eq(int, (int)strspn(text, "0123456789:"), 8));
    cr_expect(
        eq(str, text + 8, (char *)" warning: disk full: path /a\\\"b\\\\c\\u000a\\u00ff, n -5\n"));
}

/* stderr of this test is a pipe */
Test(log, a_pipe_gets_json_and_the_journal_its_prefix)
{
    unsetenv("JOURNAL_STREAM");
    cr_expect(eq(int, (int)tqd_log_format_named("auto"), (int)TQD_LOG_JSON));
    setenv("JOURNAL_STREAM", "8:12345", 1);
    cr_expect(eq(int, (int)tqd_log_format_named("auto"), (int)TQD_LOG_JOURNAL));
    cr_expect(eq(int, (int)tqd_log_format_named("json"), (int)TQD_LOG_JSON));
}

Test(log, a_limit_counts_what_it_leaves_out)
{
    tqd_log_limit limit = {0};
    cr_expect(eq(u64, tqd_log_due(&limit), 1));
    cr_expect(eq(u64, tqd_log_due(&limit), 0));
    cr_expect(eq(u64, tqd_log_due(&limit), 0));
    limit.next_s = 0; /* a minute later */
    cr_expect(eq(u64, tqd_log_due(&limit), 3));
}

static char long_text[2 * TQD_LOG_LINE];

static void say_long(void)
{
    memset(long_text, '\n', sizeof long_text - 1);
    tqd_log(TQD_LOG_ERROR, "long", TQD_TEXT("text", long_text), TQD_TEXT("more", long_text),
            TQD_NUMBER("n", 1));
}

Test(log, a_long_line_is_cut_and_still_an_object)
{
    char text[3 * TQD_LOG_LINE];
    size_t n = captured(text, sizeof text, say_long);
    cr_expect(le(sz, n, TQD_LOG_LINE));
    cr_expect(eq(str, text + n - 3, (char *)"\"}\n"));
    cr_expect(eq(ptr, strchr(text, '\n'), text + n - 1));
}

Test(log, levels_have_names)
{
    cr_expect(eq(int, (int)tqd_log_level_named("error"), (int)TQD_LOG_ERROR));
    cr_expect(eq(int, (int)tqd_log_level_named("debug"), (int)TQD_LOG_DEBUG));
    cr_expect(eq(int, (int)tqd_log_level_named("info"), (int)TQD_LOG_INFO));
}

Test(request_id, known_time_and_sorted)
{
    /* 1469918176385 ms is the ULID specification's own example, 01ARYZ6S41 */
    tqd_id_source source = {.state = 1, .salt = 0xffff};
    char id[TQD_ID_TEXT];
    tqd_id_make(&source, 1469918176385, id);
    cr_expect(eq(int, strncmp(id, "01ARYZ6S41", 10), 0));
    cr_expect(eq(sz, strlen(id), 26));
    cr_expect(eq(sz, strspn(id, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"), 26));
    /* the salt's 16 bits before the first number of SplitMix64 from 1 */
    cr_expect(eq(str, id + 10, "ZZZS22HDXJ4G4Q61"));
    char later[TQD_ID_TEXT];
    tqd_id_make(&source, 1469918176386, later);
    cr_expect(lt(int, strcmp(id, later), 0));
    tqd_id_make(&source, 1469918176385, later);
    cr_expect(ne(int, strcmp(id, later), 0));
}

Test(counters, sum_over_threads_in_prometheus_text)
{
    tqd_counters one = {.value = {0}};
    tqd_counters two = {.value = {0}};
    tqd_count(&one, TQD_COUNTER_requests, 3);
    tqd_count(&two, TQD_COUNTER_requests, 4);
    tqd_count(&two, TQD_COUNTER_connections_open, 2);
    tqd_count(&two, TQD_COUNTER_connections_open, UINT64_MAX); /* one less */
    const tqd_counters *both[] = {&one, &two};
    tqd_text text = {.bytes = NULL};
    tqd_counters_print(both, 2, &text);
    cr_assert(not(text.failed));
    cr_expect(eq(sz, text.n, strlen(text.bytes)));
    cr_expect(ne(ptr, strstr(text.bytes, "\ntorqued_requests_total 7\n"), NULL));
    cr_expect(ne(ptr, strstr(text.bytes, "\ntorqued_connections_open 1\n"), NULL));
    cr_expect(ne(ptr, strstr(text.bytes, "# TYPE torqued_connections_open gauge\n"), NULL));
    free(text.bytes);
}

/* A bucket's upper bound is exclusive, a power of two in ns; the last bucket counts all larger
 * latencies. */
Test(latency, buckets_are_powers_of_two)
{
    static tqd_latency one;
    static tqd_latency two;
    static const struct {
        int64_t ns;
        size_t bucket;
    } rows[] = {
        {-5, 0},   {0, 0},       {4095, 0},         {4096, 1},         {8191, 1},
        {8192, 2}, {1 << 20, 9}, {68719476735, 24}, {68719476736, 25}, {INT64_MAX, 25},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqd_latency *of = i % 2 == 0 ? &one : &two;
        const uint64_t before = atomic_load(&of->rows[3][0].buckets[rows[i].bucket]);
        tqd_latency_count(of, 3, 200, rows[i].ns);
        cr_expect(eq(u64, atomic_load(&of->rows[3][0].buckets[rows[i].bucket]), before + 1),
                  "%lld ns", (long long)rows[i].ns);
    }
    tqd_latency_count(&one, TQD_LATENCY_ROUTES, 599, 1);
    tqd_latency_count(&one, TQD_LATENCY_ROUTES, 1000, 1); /* not a status, and in no row */
    const tqd_latency *both[] = {&one, &two};
    tqd_text text = {.bytes = NULL};
    tqd_latency_print_route(both, 2, 3, "route=\"x\"", &text);
    tqd_latency_print_statuses(both, 2, &text);
    cr_expect(ne(ptr, strstr(text.bytes, "_bucket{route=\"x\",class=\"2xx\",le=\"4.096e-06\"} 3\n"),
                 NULL));
    cr_expect(ne(ptr, strstr(text.bytes, "_bucket{route=\"x\",class=\"2xx\",le=\"8.192e-06\"} 5\n"),
                 NULL));
    cr_expect(
        ne(ptr, strstr(text.bytes, "_bucket{route=\"x\",class=\"2xx\",le=\"+Inf\"} 10\n"), NULL));
    cr_expect(ne(ptr, strstr(text.bytes, "torqued_replies_total{status=\"200\"} 10\n"), NULL));
    cr_expect(ne(ptr, strstr(text.bytes, "torqued_replies_total{status=\"599\"} 1\n"), NULL));
    cr_expect(eq(ptr, strstr(text.bytes, "class=\"5xx\""), NULL));
    free(text.bytes);
}
