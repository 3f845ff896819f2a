/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/boot/test_settings.c - flags, file, precedence; media types of headers. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/boot/settings.h"
#include "daemon/compute/handler.h"
#include "daemon/http/media.h"

static tqd_settings settings;
static char why[TQD_SETTING_WHY];

static bool read_flag(const char *flag, const char *value)
{
    char *argv[] = {(char *)"torqued", (char *)flag, (char *)value, NULL};
    return tqd_settings_read(&settings, value != NULL ? 3 : flag != NULL ? 2 : 1, argv, why);
}

/* Reads a file of this text, with one flag besides. */
static bool read_text(const char *text, const char *flag, const char *value)
{
    char path[] = "/tmp/torqued-settings-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(eq(long, (long)write(fd, text, strlen(text)), (long)strlen(text)));
    close(fd);
    char *argv[] = {(char *)"torqued", (char *)"--config", path, (char *)flag, (char *)value, NULL};
    bool good = tqd_settings_read(&settings, flag != NULL ? 5 : 3, argv, why);
    unlink(path);
    return good;
}

Test(settings, defaults)
{
    cr_assert(read_flag(NULL, NULL) == true);
    cr_expect(eq(str, settings.listen, (char *)"127.0.0.1:8420"));
    cr_expect(eq(str, settings.store, (char *)"sqlite:"));
    cr_expect(eq(i64, settings.workers, 0));
    cr_expect(eq(i64, settings.header_timeout, 10000));
}

static const struct {
    const char *value;
    int64_t bytes; /* 0: refused */
} sizes[] = {{"65536", 65536},
             {"64KiB", 65536},
             {"64 KiB", 65536},
             {"1 GiB", 1073741824},
             {"65535", 0},
             {"64 kib", 0},
             {"64 MB", 0},
             {"-1", 0},
             {"", 0},
             {"1e6", 0},
             {"9223372036854775808", 0},
             {"9223372036854775807 KiB", 0}};

Test(settings, sizes)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[80];
        snprintf(text, sizeof text, "body_budget = %s\n", sizes[i].value);
        bool good = read_text(text, NULL, NULL);
        cr_expect(good == (sizes[i].bytes != 0), "%s: %s", text, why);
        int64_t got = good ? settings.body_budget : 0;
        cr_expect(got == sizes[i].bytes, "%s", text);
    }
}

/* only sizes take a unit of bytes */
Test(settings, numbers_without_units)
{
    static const char *const lines[] = {"workers = 3KiB\n", "workers = 0KiB\n",
                                        "header_timeout = 1 KiB\n", "log_rate = 1 MiB\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        cr_expect(read_text(lines[i], NULL, NULL) == false, "%s", lines[i]);
    }
}

Test(settings, flags_win_and_the_place_is_told)
{
    cr_assert(read_text("[torqued]\nworkers = 3\nhosts = a b ; two\n", "--workers", "5") == true);
    cr_expect(eq(i64, settings.workers, 5));
    cr_expect(eq(str, settings.hosts, (char *)"a b"));
    cr_expect(read_text("[torqued]\n\nworker = 3\n", NULL, NULL) == false);
    cr_expect(strstr(why, ":3: there is no setting \"worker\"") != NULL, "%s", why);
    cr_expect(read_flag("--workers", "x") == false);
    cr_expect(strncmp(why, "--workers: ", 11) == 0, "%s", why);
}

Test(settings, an_indented_line_is_a_setting_of_its_own)
{
    /* libinih alone would add it to the value above */
    cr_assert(read_text("[torqued]\nhosts = a\n  queue = 7\n", NULL, NULL) == true);
    cr_expect(eq(str, settings.hosts, (char *)"a"));
    cr_expect(eq(i64, settings.queue, 7));
}

static const struct {
    const char *header;
    tqa_media media;
} types[] = {{NULL, TQA_MEDIA_NONE},
             {"", TQA_MEDIA_OTHER},
             {"application/json", TQA_MEDIA_JSON},
             {"Application/JSON; charset=utf-8", TQA_MEDIA_JSON},
             {"text/html, application/cbor;q=0.9, */*", TQA_MEDIA_CBOR},
             {"text/html, */*;q=0.1", TQA_MEDIA_NONE},
             {"image/png", TQA_MEDIA_OTHER},
             {"application/jsonx", TQA_MEDIA_OTHER},
             {"text/csv", TQA_MEDIA_CSV},
             {"application/x-npy", TQA_MEDIA_NPY}};

Test(media, table)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        cr_expect(tqd_media_find(types[i].header) == types[i].media, "%s",
                  types[i].header != NULL ? types[i].header : "none");
    }
}
