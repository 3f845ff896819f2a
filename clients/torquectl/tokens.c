/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/tokens.c - the file of credentials: tokens made, listed, revoked, rotated. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/print/print.h"

enum {
    LINE_BYTES = 1024,
    LINES_MAX = 1024,
    SECRET_BYTES = 32,
    DIGEST_BYTES = 32,
    DIGEST_TEXT = 2 * DIGEST_BYTES + 1,
    TOKEN_TEXT = 64,
    NAME_MAX_BYTES = 64,
    ID_BYTES = 12, /* digits of a digest that name a token */
    DAY_S = 86400,
};

static const char default_path[] = "/etc/torqued/tokens";
static const char name_bytes[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@-";
static const char prefix[] = "tq_"; /* scanners of repositories find it */

/* The file, as lines; comments and blank lines stay as they are. */
typedef struct token_file {
    const char *path;
    char *lines[LINES_MAX]; /* NULL: removed */
    size_t n;
    struct stat info; /* of the file that is replaced */
    bool is_there;
} token_file;

/* Words of a line: a name, a digest, attributes. */
typedef struct token_line {
    char text[LINE_BYTES];
    const char *name, *digest; /* "" in a line without a token */
    char *attributes;
} token_line;

static void split(const char *line, token_line *ret)
{
    char *rest = NULL;
    ret->name = "";
    ret->digest = "";
    (void)snprintf(ret->text, sizeof ret->text, "%s", line);
    ret->text[strcspn(ret->text, "#\r\n")] = '\0';
    const char *name = strtok_r(ret->text, " \t", &rest);
    const char *digest = name != NULL ? strtok_r(NULL, " \t", &rest) : NULL;
    ret->attributes = rest;
    if (digest != NULL) {
        ret->name = name;
        ret->digest = digest;
    }
}

/* The lines stay until the process ends. */
static int load(const ctl *c, bool must_exist, token_file *ret)
{
    char line[LINE_BYTES];
    memset(ret, 0, sizeof *ret);
    ret->path = c->credentials != NULL ? c->credentials : default_path;
    FILE *file = fopen(ret->path, "re");
    if (file == NULL && (errno != ENOENT || must_exist)) {
        ctl_fault("%s: %s", ret->path, strerror(errno));
        return CTL_FAILED;
    }
    ret->is_there = file != NULL && fstat(fileno(file), &ret->info) == 0;
    int status = CTL_DONE;
    while (file != NULL && status == CTL_DONE && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *copy = ret->n < LINES_MAX ? strdup(line) : NULL;
        if (copy == NULL) {
            ctl_fault("%s: more than %d lines", ret->path, LINES_MAX);
            status = CTL_FAILED;
        } else {
            ret->lines[ret->n++] = copy;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return status;
}

static int add_line(token_file *all, const char *line)
{
    if (all->n == LINES_MAX) {
        ctl_fault("%s: more than %d lines", all->path, LINES_MAX);
        return CTL_FAILED;
    }
    all->lines[all->n] = strdup(line);
    return all->lines[all->n++] != NULL ? CTL_DONE : CTL_FAILED;
}

/* Written beside it and renamed: the service never reads half a file. O_EXCL keeps a second
 * torquectl out. */
static int save(const token_file *all)
{
    char part[PATH_MAX];
    (void)snprintf(part, sizeof part, "%s.new", all->path);
    const int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL) {
        ctl_fault("%s: %s%s", part, strerror(errno),
                  errno == EEXIST ? "; another torquectl is changing the file, or was interrupted: "
                                    "remove it then"
                                  : "");
        return CTL_FAILED;
    }
    for (size_t i = 0; i < all->n; i++) {
        if (all->lines[i] != NULL) {
            fprintf(file, "%s\n", all->lines[i]);
        }
    }
    bool good = fflush(file) == 0 && fsync(fd) == 0;
    if (all->is_there) { /* keep its readers */
        good =
            good && fchmod(fd, all->info.st_mode & 07777) == 0 &&
            (fchown(fd, all->info.st_uid, all->info.st_gid) == 0 || all->info.st_uid == geteuid());
    }
    good = fclose(file) == 0 && good && rename(part, all->path) == 0;
    if (!good) {
        ctl_fault("%s: %s", all->path, strerror(errno));
        (void)unlink(part);
    }
    return good ? CTL_DONE : CTL_FAILED;
}

static void make_token(char token[TOKEN_TEXT], char digest[DIGEST_TEXT])
{
    unsigned char secret[SECRET_BYTES];
    unsigned char bytes[DIGEST_BYTES];
    if (sodium_init() < 0) {
        ctl_fault("there is no source of random numbers");
        exit(CTL_FAILED);
    }
    randombytes_buf(secret, sizeof secret);
    memcpy(token, prefix, sizeof prefix - 1);
    (void)sodium_bin2base64(token + sizeof prefix - 1, TOKEN_TEXT - (sizeof prefix - 1), secret,
                            sizeof secret, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    (void)crypto_generichash(bytes, sizeof bytes, (const unsigned char *)token, strlen(token), NULL,
                             0);
    (void)sodium_bin2hex(digest, DIGEST_TEXT, bytes, sizeof bytes);
}

/* "90d", "12h" as seconds; 0: it is no time */
static time_t read_span(const char *text)
{
    char *end = NULL;
    const long n = strtol(text, &end, 10);
    const long unit = strcmp(end, "d") == 0   ? DAY_S
                      : strcmp(end, "h") == 0 ? 3600
                      : strcmp(end, "m") == 0 ? 60
                      : strcmp(end, "s") == 0 ? 1
                                              : 0;
    return end != text && n > 0 && n <= 36500 ? (time_t)n * unit : 0;
}

static void print_time(time_t when, char ret[32])
{
    struct tm utc;
    (void)strftime(ret, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &utc));
}

static bool are_roles(const char *value)
{
    static const char *const roles[] = {"read", "compute", "write", "admin"};
    bool good = *value != '\0';
    while (good && *value != '\0') {
        const size_t n = strcspn(value, ",");
        bool found = false;
        for (size_t k = 0; k < sizeof roles / sizeof roles[0]; k++) {
            found = found || (strlen(roles[k]) == n && memcmp(roles[k], value, n) == 0);
        }
        good = found;
        value += n + (value[n] == ',');
    }
    return good;
}

/* A number from 1 on, perhaps with KiB, MiB or GiB. */
static bool is_amount(const char *value)
{
    const size_t n = strspn(value, "0123456789");
    return n > 0 && n < 19 && strspn(value, "0") < n &&
           (value[n] == '\0' || strcmp(value + n, "KiB") == 0 || strcmp(value + n, "MiB") == 0 ||
            strcmp(value + n, "GiB") == 0);
}

/* The service does not start with a file that has another attribute. */
static bool is_quota(const char *word, size_t n)
{
    static const char *const quotas[] = {"requests", "bodies", "streams", "jobs",       "running",
                                         "cpu_s",    "kept",   "bytes",   "connections"};
    for (size_t k = 0; k < sizeof quotas / sizeof quotas[0]; k++) {
        if (strlen(quotas[k]) == n && memcmp(quotas[k], word, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends " name=value" to a line, an expiry as the time that it means. */
static int add_attribute(const ctl *c, char *line, size_t size, const char *word)
{
    const size_t n = strlen(line);
    const char *equals = strchr(word, '=');
    char when[32];
    if (equals == NULL || equals == word || strpbrk(word, " \t\r\n#") != NULL) {
        return ctl_misused(
            c, "an attribute is NAME=VALUE, such as roles=read,compute; not \"%.80s\"", word);
    }
    const char *value = equals + 1;
    if (strncmp(word, "roles=", 6) == 0 && !are_roles(value)) {
        return ctl_misused(
            c, "roles are read, compute, write and admin, with commas; not \"%.80s\"", value);
    }
    const size_t n_name = (size_t)(equals - word);
    const bool is_expiry = strncmp(word, "expires=", 8) == 0;
    const bool is_namespace = strncmp(word, "namespace=", 10) == 0;
    if (is_namespace && !ctl_is_namespace(value)) {
        return ctl_misused(c, "a namespace has 1 to %d of A-Z a-z 0-9 . _ -; not \"%.80s\"",
                           CTL_NAMESPACE_MAX, value);
    }
    if (strncmp(word, "roles=", 6) != 0 && !is_expiry && !is_namespace && !is_quota(word, n_name)) {
        return ctl_misused(c,
                           "there is no attribute \"%.*s\": roles, expires, namespace, requests, "
                           "bodies, streams, jobs, running, cpu_s, kept, bytes, connections",
                           (int)n_name, word);
    }
    if (is_quota(word, n_name) && !is_amount(value)) {
        return ctl_misused(c, "%.*s is a number from 1 on, such as 50 or 64MiB; not \"%.40s\"",
                           (int)n_name, word, value);
    }
    if (is_expiry && read_span(value) > 0) {
        print_time(time(NULL) + read_span(value), when);
        value = when;
    }
    const int used = snprintf(line + n, size - n, " %.*s=%s", (int)(equals - word), word, value);
    return used > 0 && (size_t)used < size - n ? CTL_DONE : ctl_misused(c, "too many attributes");
}

static void note_made(const ctl *c, const token_file *all, const char *token)
{
    puts(token);
    if (!c->quiet) {
        ctl_note("kept in %s as a digest: this is the only time that the token is shown; "
                 "`systemctl reload torqued` (SIGHUP) makes it valid",
                 all->path);
    }
}

int ctl_token_create(ctl *c, int n, char **arguments)
{
    static token_file all; /* a process runs one command */
    char token[TOKEN_TEXT], digest[DIGEST_TEXT], line[LINE_BYTES - 2];
    const char *name = arguments[0];
    bool has_roles = false, has_namespace = false, is_admin = false;
    if (strspn(name, name_bytes) != strlen(name) || strlen(name) > NAME_MAX_BYTES) {
        return ctl_misused(c, "a name has up to %d of A-Z a-z 0-9 . _ @ -", NAME_MAX_BYTES);
    }
    make_token(token, digest);
    (void)snprintf(line, sizeof line, "%s %s", name, digest);
    int status = CTL_DONE;
    for (int i = 1; i < n && status == CTL_DONE; i++) {
        const bool is_roles = strncmp(arguments[i], "roles=", 6) == 0;
        has_roles = has_roles || is_roles;
        is_admin = is_admin || (is_roles && strstr(arguments[i], "admin") != NULL);
        has_namespace = has_namespace || strncmp(arguments[i], "namespace=", 10) == 0;
        status = add_attribute(c, line, sizeof line, arguments[i]);
    }
    if (status == CTL_DONE && has_namespace && is_admin) {
        status = ctl_misused(c, "a token of a namespace has no role admin, which is of all "
                                "namespaces: roles=read,compute,write");
    }
    if (status == CTL_DONE && !has_roles) {
        status = ctl_misused(c, "roles= is missing: read, compute, write, admin, with commas");
    }
    status = status == CTL_DONE ? load(c, false, &all) : status;
    for (size_t i = 0; status == CTL_DONE && i < all.n; i++) {
        token_line old;
        split(all.lines[i], &old);
        if (strcmp(old.name, name) == 0) {
            ctl_fault("there is a token of \"%s\": `token rotate` makes a new one, `token revoke` "
                      "removes it",
                      name);
            status = CTL_FAILED;
        }
    }
    status = status == CTL_DONE ? add_line(&all, line) : status;
    status = status == CTL_DONE ? save(&all) : status;
    if (status == CTL_DONE) {
        note_made(c, &all, token);
    }
    return status;
}

/* The value of an attribute, "" without it. */
static const char *attribute(const char *attributes, const char *name, char *ret, size_t size)
{
    const size_t n = strlen(name);
    ret[0] = '\0';
    for (const char *at = attributes; at != NULL && *at != '\0'; at += strcspn(at, " \t")) {
        at += strspn(at, " \t");
        if (strncmp(at, name, n) == 0 && at[n] == '=') {
            (void)snprintf(ret, size, "%.*s", (int)strcspn(at + n + 1, " \t"), at + n + 1);
        }
    }
    return ret;
}

static bool has_expired(const char *expires)
{
    struct tm when = {0};
    const char *end = strptime(expires, "%Y-%m-%d", &when);
    end = end != NULL && *end == 'T' ? strptime(end, "T%H:%M:%SZ", &when) : end;
    return end != NULL && *end == '\0' && timegm(&when) <= time(NULL);
}

int ctl_token_list(ctl *c, int n, char **arguments)
{
    (void)n;
    (void)arguments;
    static token_file all; /* a process runs one command */
    int status = load(c, true, &all);
    json_t *list = json_array();
    for (size_t i = 0; status == CTL_DONE && i < all.n; i++) {
        token_line line;
        split(all.lines[i], &line);
        char roles[64], expires[64], id[ID_BYTES + 1];
        if (line.digest[0] == '\0') {
            continue;
        }
        (void)snprintf(id, sizeof id, "%s", line.digest);
        attribute(line.attributes, "expires", expires, sizeof expires);
        attribute(line.attributes, "roles", roles, sizeof roles);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", line.name, "id",
                                        id, "roles", roles[0] != '\0' ? roles : "admin", "expires",
                                        expires[0] != '\0' ? expires : "never", "state",
                                        has_expired(expires) ? "expired" : "valid", "attributes",
                                        line.attributes != NULL ? line.attributes : ""));
    }
    json_t *document = json_pack("{s:o}", "tokens", list);
    status = status == CTL_DONE ? ctl_print_document(c, document) : status;
    json_decref(document);
    return status;
}

int ctl_token_revoke(ctl *c, int n, char **arguments)
{
    static token_file all; /* a process runs one command */
    int status = load(c, true, &all);
    const char *id = n > 1 ? arguments[1] : "";
    size_t n_gone = 0;
    if (n > 1 && strlen(id) < ID_BYTES) {
        return ctl_misused(c, "an ID has %d digits: `torquectl token list`", ID_BYTES);
    }
    for (size_t i = 0; status == CTL_DONE && i < all.n; i++) {
        token_line line;
        split(all.lines[i], &line);
        if (strcmp(line.name, arguments[0]) == 0 && strncmp(line.digest, id, strlen(id)) == 0) {
            free(all.lines[i]);
            all.lines[i] = NULL;
            n_gone++;
        }
    }
    if (status == CTL_DONE && n_gone == 0) {
        ctl_fault("%s: there is no such token of \"%s\"", all.path, arguments[0]);
        return CTL_FAILED;
    }
    status = status == CTL_DONE ? save(&all) : status;
    if (status == CTL_DONE && !c->quiet) {
        ctl_note("%zu removed; `systemctl reload torqued` (SIGHUP) makes it invalid", n_gone);
    }
    return status;
}

/* The attributes of a line without its expiry. */
static void copy_attributes(const char *attributes, char *line, size_t size)
{
    for (const char *at = attributes; at != NULL && *at != '\0';) {
        at += strspn(at, " \t");
        const size_t n_word = strcspn(at, " \t");
        if (n_word > 0 && strncmp(at, "expires=", 8) != 0) {
            const size_t n = strlen(line);
            (void)snprintf(line + n, size - n, " %.*s", (int)n_word, at);
        }
        at += n_word;
    }
}

/* Lines of the name end at `until`, those that end sooner stay; the last one's attributes are the
 * new line's. Returns how many lines there are. */
static size_t end_old(token_file *all, const char *name, const char *until, char *line, size_t size)
{
    size_t n_old = 0;
    const size_t n_head = strlen(line);
    for (size_t i = 0; i < all->n; i++) {
        token_line old;
        split(all->lines[i], &old);
        char ended[LINE_BYTES], expires[64];
        if (strcmp(old.name, name) != 0) {
            continue;
        }
        n_old++;
        line[n_head] = '\0';
        copy_attributes(old.attributes, line, size);
        attribute(old.attributes, "expires", expires, sizeof expires);
        if (expires[0] != '\0' && strcmp(expires, until) < 0) {
            continue;
        }
        (void)snprintf(ended, sizeof ended, "%s %s", old.name, old.digest);
        copy_attributes(old.attributes, ended, sizeof ended);
        const size_t n = strlen(ended);
        (void)snprintf(ended + n, sizeof ended - n, " expires=%s", until);
        free(all->lines[i]);
        all->lines[i] = strdup(ended);
    }
    return n_old;
}

int ctl_token_rotate(ctl *c, int n, char **arguments)
{
    static token_file all; /* a process runs one command */
    char token[TOKEN_TEXT], digest[DIGEST_TEXT], line[LINE_BYTES - 2], until[32];
    const time_t overlap_s = n > 1 ? read_span(arguments[1]) : DAY_S;
    if (overlap_s == 0) {
        return ctl_misused(c, "both are valid for a time such as 7d or 12h, not \"%.40s\"",
                           arguments[1]);
    }
    int status = load(c, true, &all);
    if (status != CTL_DONE) {
        return status;
    }
    make_token(token, digest);
    print_time(time(NULL) + overlap_s, until);
    (void)snprintf(line, sizeof line, "%s %s", arguments[0], digest);
    if (end_old(&all, arguments[0], until, line, sizeof line) == 0) {
        ctl_fault("%s: there is no token of \"%s\"", all.path, arguments[0]);
        return CTL_FAILED;
    }
    status = add_line(&all, line);
    status = status == CTL_DONE ? save(&all) : status;
    if (status == CTL_DONE) {
        note_made(c, &all, token);
    }
    return status;
}
