/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/credentials.c - parses the file of tokens: every line must be valid. */
#include "daemon/boot/credentials.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sodium.h>

#include "daemon/key.h"
#include "daemon/observe/log.h"

enum { LINE_TEXT = 1024, PATH_TEXT = 4096 };

#define LINE_FORM                                                                                   \
    "a line is a name, the BLAKE2b-256 of a token in 64 hex digits (printf %%s \"$token\" | b2sum " \
    "-l 256), and attributes such as roles=read,compute expires=2027-01-31"

static const char blank[] = " \t";

/* One line of the file, while it is read. */
typedef struct entry {
    const char *path;
    unsigned number;
    tqd_token *to;
    char *why;
    size_t n_why;
} entry;

__attribute__((format(printf, 2, 3))) static bool refuse(const entry *e, const char *format, ...)
{
    va_list args;
    const int n = snprintf(e->why, e->n_why, "%.300s:%u: ", e->path, e->number);
    va_start(args, format);
    vsnprintf(e->why + n, e->n_why - (size_t)n, format, args);
    va_end(args);
    return false;
}

static bool read_roles(const entry *e, const char *value)
{
    e->to->roles = 0;
    for (const char *at = value; *at != '\0'; at += *at == ',') {
        const size_t n = strcspn(at, ",");
        if (!tqd_role_add(at, n, &e->to->roles)) {
            return refuse(e, "there is no role \"%.*s\": read, compute, write or admin", (int)n,
                          at);
        }
        at += n;
    }
    return e->to->roles != 0 || refuse(e, "roles: of read, compute, write, admin, with commas");
}

/* 2027-01-31, its first second in UTC, or 2027-01-31T12:00:00Z */
static bool read_expiry(const entry *e, const char *value)
{
    struct tm when = {0};
    const char *end = strptime(value, "%Y-%m-%d", &when);
    if (end != NULL && *end == 'T') {
        end = strptime(end, "T%H:%M:%SZ", &when);
    }
    if (end == NULL || *end != '\0') {
        return refuse(e, "expires: 2027-01-31 or 2027-01-31T12:00:00Z, not \"%.40s\"", value);
    }
    e->to->until_s = timegm(&when);
    return true;
}

static bool read_number(const entry *e, const char *value, uint64_t *ret)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long n = strtoull(value, &end, 10);
    const unsigned shift = strcmp(end, "KiB") == 0   ? 10
                           : strcmp(end, "MiB") == 0 ? 20
                           : strcmp(end, "GiB") == 0 ? 30
                                                     : 0;
    if (value[0] < '0' || value[0] > '9' || errno != 0 || n == 0 || n > UINT64_MAX >> (shift + 4) ||
        (*end != '\0' && shift == 0)) {
        return refuse(e, "a number from 1 on, such as 50 or 64MiB, not \"%.40s\"", value);
    }
    *ret = n << shift;
    return true;
}

static bool read_requests(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.requests) &&
           (e->to->limits.requests <= 1000000 || refuse(e, "requests: at most 1000000 a second"));
}

static bool read_bodies(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.bodies);
}

static bool read_streams(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.streams);
}

static bool read_jobs(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.jobs);
}

static bool read_running(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.running);
}

static bool read_cpu_s(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.cpu_s);
}

static bool read_kept(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.kept);
}

static bool read_bytes(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.bytes);
}

static bool read_connections(const entry *e, const char *value)
{
    return read_number(e, value, &e->to->limits.connections);
}

/* The client becomes a key of the namespace. */
static bool read_namespace(const entry *e, const char *value)
{
    char key[TQD_CLIENT_TEXT];
    if (!tqd_namespace_good(value, strlen(value))) {
        return refuse(e, "namespace: 1 to 32 of A-Z a-z 0-9 . _ -, not \"%.40s\"", value);
    }
    const int n = snprintf(key, sizeof key, "%s/%s", value, tqd_key_name(e->to->client));
    if (n < 0 || (size_t)n >= sizeof key) {
        return refuse(e, "a name has %zu bytes at most, with its namespace", sizeof key - 2);
    }
    memcpy(e->to->client, key, sizeof key);
    return true;
}

static bool read_attribute(const entry *e, char *word)
{
    static const struct {
        const char *name;
        bool (*read)(const entry *e, const char *value);
    } attributes[] = {{"roles", read_roles},
                      {"expires", read_expiry},
                      {"requests", read_requests},
                      {"bodies", read_bodies},
                      {"streams", read_streams},
                      {"jobs", read_jobs},
                      {"running", read_running},
                      {"cpu_s", read_cpu_s},
                      {"kept", read_kept},
                      {"bytes", read_bytes},
                      {"connections", read_connections},
                      {"namespace", read_namespace}};
    char *equals = strchr(word, '=');
    if (equals == NULL) {
        return refuse(e, LINE_FORM);
    }
    *equals = '\0';
    for (size_t k = 0; k < sizeof attributes / sizeof attributes[0]; k++) {
        if (strcmp(word, attributes[k].name) == 0) {
            return attributes[k].read(e, equals + 1);
        }
    }
    return refuse(e, "there is no attribute \"%.40s\"", word);
}

static bool read_digest(const entry *e, const char *hex)
{
    size_t n = 0;
    const char *end = NULL;
    const size_t n_hex = hex != NULL ? strlen(hex) : 0;
    if (n_hex != (size_t)2 * TQD_TOKEN_DIGEST ||
        sodium_hex2bin(e->to->digest, TQD_TOKEN_DIGEST, hex, n_hex, NULL, &n, &end) != 0 ||
        n != TQD_TOKEN_DIGEST) {
        return refuse(e, LINE_FORM);
    }
    return true;
}

static bool read_line(entry *e, char *line, tqd_tokens *to)
{
    char *rest = NULL;
    line[strcspn(line, "#\r\n")] = '\0';
    const char *name = strtok_r(line, blank, &rest);
    if (name == NULL) {
        return true;
    }
    if (to->n == TQD_TOKENS_MAX) {
        return refuse(e, "more than %d tokens", (int)TQD_TOKENS_MAX);
    }
    e->to = &to->rows[to->n];
    /* a line without attributes grants all roles without expiry, as in files of earlier releases */
    *e->to = (tqd_token){.roles = TQD_ROLES_ALL, .until_s = INT64_MAX};
    if (strlen(name) >= sizeof e->to->client) {
        return refuse(e, "a name has %zu bytes at most", sizeof e->to->client - 1);
    }
    if (strchr(name, '/') != NULL) {
        return refuse(e, "a name has no \"/\": namespace=NAMESPACE says where it belongs");
    }
    memcpy(e->to->client, name, strlen(name) + 1);
    if (!read_digest(e, strtok_r(NULL, blank, &rest))) {
        return false;
    }
    for (char *word = strtok_r(NULL, blank, &rest); word != NULL;
         word = strtok_r(NULL, blank, &rest)) {
        if (!read_attribute(e, word)) {
            return false;
        }
    }
    if (tqd_key_prefix(e->to->client) > 0 && (e->to->roles & TQD_ROLE_ADMIN) != 0) {
        return refuse(e, "a token of a namespace has no role admin, which is of all namespaces: "
                         "roles=read,compute,write");
    }
    to->n++;
    return true;
}

/* Write access to the file is access to everything. */
static bool check_mode(FILE *file, const char *path, char *why, size_t n_why)
{
    struct stat info;
    if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & S_IWOTH) != 0) {
        snprintf(why, n_why, "credentials: %.300s can be written by every user: chmod o-w", path);
        return false;
    }
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
    bool good = check_mode(file, setting, why, n_why);
    entry e = {.path = setting, .why = why, .n_why = n_why};
    while (good && fgets(line, sizeof line, file) != NULL) {
        const bool whole = strchr(line, '\n') != NULL || feof(file);
        e.number++;
        good = whole ? read_line(&e, line, ret) : refuse(&e, "the line is too long");
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

void tqd_credentials_reload(const char *setting, tqd_tokens *tokens)
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
    tqd_log(TQD_LOG_INFO, "reloaded", TQD_NUMBER("tokens", fresh.n));
}
