/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/contexts.c - named servers in $XDG_CONFIG_HOME/torquectl/contexts. */
#include "clients/torquectl/contexts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/torquectl/print/print.h"

enum { CONTEXTS_MAX = 64, LINE_BYTES = 2048, NAME_BYTES = 64 };

/* The file: a line `in use = NAME`, then for each context [NAME], server = URL, token_file = FILE,
 * namespace = NAME. */
typedef struct context {
    char name[NAME_BYTES];
    char server[LINE_BYTES], token_file[LINE_BYTES], name_space[NAME_BYTES];
} context;

typedef struct contexts {
    char path[PATH_MAX];
    char in_use[NAME_BYTES];
    context *all;
    size_t n;
} contexts;

static bool find_path(char path[PATH_MAX])
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const bool has_folder = folder != NULL && folder[0] == '/';
    if (!has_folder && (home == NULL || home[0] == '\0')) {
        return false;
    }
    const int n = has_folder ? snprintf(path, PATH_MAX, "%s/torquectl/contexts", folder)
                             : snprintf(path, PATH_MAX, "%s/.config/torquectl/contexts", home);
    return n > 0 && n < PATH_MAX;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL) {
        text[--n] = '\0';
    }
    return text;
}

static void take_line(contexts *all, char *line)
{
    context *last = all->n > 0 ? &all->all[all->n - 1] : NULL;
    line = trim(line);
    const size_t n = strlen(line);
    if (line[0] == '[' && n > 2 && line[n - 1] == ']' && all->n < CONTEXTS_MAX) {
        (void)snprintf(all->all[all->n++].name, NAME_BYTES, "%.*s", (int)n - 2, line + 1);
        return;
    }
    char *equals = strchr(line, '=');
    if (line[0] == '#' || equals == NULL) {
        return;
    }
    *equals = '\0';
    const char *key = trim(line), *value = trim(equals + 1);
    if (last == NULL && strcmp(key, "in use") == 0) {
        (void)snprintf(all->in_use, sizeof all->in_use, "%s", value);
    } else if (last != NULL && strcmp(key, "server") == 0) {
        (void)snprintf(last->server, sizeof last->server, "%s", value);
    } else if (last != NULL && strcmp(key, "token_file") == 0) {
        (void)snprintf(last->token_file, sizeof last->token_file, "%s", value);
    } else if (last != NULL && strcmp(key, "namespace") == 0) {
        (void)snprintf(last->name_space, sizeof last->name_space, "%s", value);
    }
}

/* All of them; none where there is no file. They live as long as the process. */
static contexts *load(void)
{
    static contexts all;
    static context memory[CONTEXTS_MAX];
    char line[LINE_BYTES + 64];
    memset(&all, 0, sizeof all);
    all.all = memory;
    FILE *file = find_path(all.path) ? fopen(all.path, "re") : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        take_line(&all, line);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return &all;
}

static context *find(contexts *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->all[i].name, name) == 0) {
            return &all->all[i];
        }
    }
    return NULL;
}

/* written beside it and renamed: never half a file */
static int save(const contexts *all)
{
    char part[PATH_MAX + 8];
    if (all->path[0] == '\0') {
        ctl_fault("neither XDG_CONFIG_HOME nor HOME is set");
        return CTL_FAILED;
    }
    for (char *slash = strchr(all->path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        (void)snprintf(part, sizeof part, "%.*s", (int)(slash - all->path), all->path);
        (void)mkdir(part, 0700);
    }
    (void)snprintf(part, sizeof part, "%s.part", all->path);
    FILE *file = fopen(part, "we");
    if (file == NULL) {
        ctl_fault("%s: %s", part, strerror(errno));
        return CTL_FAILED;
    }
    if (all->in_use[0] != '\0') {
        fprintf(file, "in use = %s\n", all->in_use);
    }
    for (size_t i = 0; i < all->n; i++) {
        const context *one = &all->all[i];
        fprintf(file, "[%s]\nserver = %s\n", one->name, one->server);
        if (one->token_file[0] != '\0') {
            fprintf(file, "token_file = %s\n", one->token_file);
        }
        if (one->name_space[0] != '\0') {
            fprintf(file, "namespace = %s\n", one->name_space);
        }
    }
    if (fclose(file) != 0 || rename(part, all->path) != 0) {
        ctl_fault("%s: %s", all->path, strerror(errno));
        return CTL_FAILED;
    }
    return CTL_DONE;
}

bool ctl_context_apply(ctl *c)
{
    const char *url = getenv("TORQUED_URL"), *named = getenv("TORQUECTL_CONTEXT");
    if (c->server != NULL) {
        return true;
    }
    if (c->context == NULL && url != NULL && url[0] != '\0') {
        c->server = url;
        return true;
    }
    contexts *all = load();
    const char *name = c->context != NULL                  ? c->context
                       : named != NULL && named[0] != '\0' ? named
                                                           : all->in_use;
    const context *one = find(all, name);
    if (one == NULL) {
        if (name[0] != '\0') {
            ctl_fault("there is no context \"%.60s\"; `torquectl contexts` lists them", name);
        }
        return name[0] == '\0';
    }
    c->server = one->server;
    if (c->token_file == NULL && one->token_file[0] != '\0') {
        c->token_file = one->token_file;
    }
    if (c->name_space == NULL && one->name_space[0] != '\0') {
        c->name_space = one->name_space;
    }
    return true;
}

/* ------------------------------------------------------------------------------------ commands */

int ctl_contexts_list(ctl *c, int n, char **arguments)
{
    (void)n;
    (void)arguments;
    contexts *all = load();
    json_t *list = json_array();
    for (size_t i = 0; i < all->n; i++) {
        const context *one = &all->all[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:b}", "name", one->name,
                                              "server", one->server, "token_file", one->token_file,
                                              "namespace", one->name_space, "in_use",
                                              strcmp(one->name, all->in_use) == 0));
    }
    json_t *document = json_pack("{s:o}", "contexts", list);
    const int status = ctl_print_document(c, document);
    json_decref(document);
    return status;
}

int ctl_contexts_use(ctl *c, int n, char **arguments)
{
    (void)n;
    contexts *all = load();
    if (find(all, arguments[0]) == NULL) {
        return ctl_misused(c, "there is no context \"%.60s\"", arguments[0]);
    }
    (void)snprintf(all->in_use, sizeof all->in_use, "%s", arguments[0]);
    return save(all);
}

int ctl_contexts_set(ctl *c, int n, char **arguments)
{
    (void)n;
    contexts *all = load();
    char whole[PATH_MAX];
    if (c->server == NULL || strpbrk(c->server, "\r\n") != NULL ||
        strlen(arguments[0]) >= NAME_BYTES || strpbrk(arguments[0], "[]=\r\n") != NULL) {
        return ctl_misused(c,
                           "a context needs a name, -s URL, and for credentials --token-file FILE");
    }
    context *one = find(all, arguments[0]);
    if (one == NULL && all->n == CONTEXTS_MAX) {
        ctl_fault("there are %d contexts, and no more can be", CONTEXTS_MAX);
        return CTL_FAILED;
    }
    one = one != NULL ? one : &all->all[all->n++];
    memset(one, 0, sizeof *one);
    (void)snprintf(one->name, sizeof one->name, "%s", arguments[0]);
    (void)snprintf(one->server, sizeof one->server, "%s", c->server);
    (void)snprintf(one->name_space, sizeof one->name_space, "%s",
                   c->name_space != NULL ? c->name_space : "");
    if (c->token_file != NULL) { /* it is used from other folders too */
        const char *path = realpath(c->token_file, whole);
        (void)snprintf(one->token_file, sizeof one->token_file, "%s",
                       path != NULL ? path : c->token_file);
    }
    if (all->in_use[0] == '\0') {
        (void)snprintf(all->in_use, sizeof all->in_use, "%s", one->name);
    }
    return save(all);
}

int ctl_contexts_delete(ctl *c, int n, char **arguments)
{
    (void)n;
    contexts *all = load();
    context *one = find(all, arguments[0]);
    if (one == NULL) {
        return ctl_misused(c, "there is no context \"%.60s\"", arguments[0]);
    }
    if (strcmp(all->in_use, one->name) == 0) {
        all->in_use[0] = '\0';
    }
    memmove(one, one + 1, (size_t)(all->all + all->n - one - 1) * sizeof *one);
    all->n--;
    return save(all);
}
