/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/credentials.c - parses the file of tokens: every line must be valid. */
#include "daemon/boot/credentials.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/observe/log.h"

enum { LINE_TEXT = 512, PATH_TEXT = 4096 };

static const char blank[] = " \t";

static bool read_line(const char *path, unsigned number, char *line, tqd_tokens *to, char *why,
                      size_t n_why)
{
    line[strcspn(line, "#\r\n")] = '\0';
    const char *name = line + strspn(line, blank);
    if (*name == '\0') {
        return true;
    }
    const char *hex = name + strcspn(name, blank);
    hex += strspn(hex, blank);
    const size_t n_hex = strcspn(hex, blank);
    const bool alone = hex[n_hex + strspn(hex + n_hex, blank)] == '\0';
    size_t n = 0;
    const char *end = NULL;
    if (to->n == TQD_TOKENS_MAX) {
        snprintf(why, n_why, "%.300s:%u: more than %d tokens", path, number, (int)TQD_TOKENS_MAX);
        return false;
    }
    if (!alone || n_hex != (size_t)2 * TQD_TOKEN_DIGEST ||
        sodium_hex2bin(to->digests[to->n], TQD_TOKEN_DIGEST, hex, n_hex, NULL, &n, &end) != 0 ||
        n != TQD_TOKEN_DIGEST) {
        snprintf(why, n_why,
                 "%.300s:%u: a line is a name and the BLAKE2b-256 of a token in 64 hex digits "
                 "(printf %%s \"$token\" | b2sum -l 256)",
                 path, number);
        return false;
    }
    to->n++;
    return true;
}

bool tqd_credentials_read(const char *setting, tqd_tokens *ret, char *why, size_t n_why)
{
    char path[PATH_TEXT];
    char line[LINE_TEXT];
    const char *systemd = getenv("CREDENTIALS_DIRECTORY");
    ret->n = 0;
    if (setting[0] == '\0') {
        if (systemd == NULL || systemd[0] == '\0') {
            return true;
        }
        const int n = snprintf(path, sizeof path, "%s/tokens", systemd);
        if (n < 0 || (size_t)n >= sizeof path) {
            snprintf(why, n_why, "credentials: $CREDENTIALS_DIRECTORY is too long");
            return false;
        }
        if (access(path, F_OK) != 0 && errno == ENOENT) {
            return true;
        }
        setting = path;
    }
    FILE *file = fopen(setting, "re");
    if (file == NULL) {
        snprintf(why, n_why, "credentials: %.300s: %s", setting, strerror(errno));
        return false;
    }
    bool good = true;
    for (unsigned number = 1; good && fgets(line, sizeof line, file) != NULL; number++) {
        const bool whole = strchr(line, '\n') != NULL || feof(file);
        good = whole && read_line(setting, number, line, ret, why, n_why);
        if (!whole) {
            snprintf(why, n_why, "%.300s:%u: the line is too long", setting, number);
        }
    }
    if (good && ferror(file)) {
        snprintf(why, n_why, "credentials: %.300s cannot be read", setting);
        good = false;
    }
    fclose(file);
    if (good && ret->n == 0) {
        snprintf(why, n_why, "%.300s: no token: no client could authenticate", setting);
        good = false;
    }
    return good;
}

void tqd_credentials_reload(const char *setting, tqd_tokens *tokens, tqd_sessions *sessions)
{
    static tqd_tokens fresh; /* used by the main thread only */
    char why[TQD_CREDENTIALS_WHY];
    if (tokens->n == 0) {
        tqd_log(TQD_LOG_INFO, "reloaded", TQD_TEXT("credentials", "none since the start"));
        return;
    }
    const bool good = tqd_credentials_read(setting, &fresh, why, sizeof why);
    if (!good || fresh.n == 0) {
        tqd_log(TQD_LOG_ERROR, "not reloaded: the former credentials stay in force",
                TQD_TEXT("reason", good ? "there are none" : why));
        return;
    }
    tqd_tokens_replace(tokens, &fresh);
    tqd_sessions_clear(sessions);
    tqd_log(TQD_LOG_INFO, "reloaded", TQD_NUMBER("tokens", fresh.n));
}
