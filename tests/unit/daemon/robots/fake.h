/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/robots/fake.h - a parser of "robot <n>", and a store in a new folder. */
#ifndef TEST_ROBOTS_FAKE_H
#define TEST_ROBOTS_FAKE_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/robots/parsed.h"
#include "daemon/robots/registry.h"

static _Atomic int parsed_now; /* robots in existence; all must be freed at the end */
static _Atomic int parsed_ever;

/* digest of robot n */
static const char *fake_digest(unsigned n)
{
    static _Thread_local char text[TQA_DIGEST_TEXT];
    snprintf(text, sizeof text, "%08x%056d", n * 2654435761u, 0);
    return text;
}

static tqa_robot *fake_parse(tqa_media media, const char *bytes, size_t n, tqa_problem *reterr)
{
    (void)media;
    unsigned i = 0;
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(n < 63 ? n : 63), bytes);
    if (sscanf(text, "robot %u", &i) != 1) {
        tqa_problem_set(reterr, "malformed", "this is no robot");
        return NULL;
    }
    tqa_robot *robot = calloc(1, sizeof *robot);
    tq_model *model = calloc(1, sizeof *model);
    model->nv = i;
    robot->model = model;
    robot->arena = model;
    robot->name = "";
    robot->source = "urdf";
    snprintf(robot->digest, sizeof robot->digest, "%s", fake_digest(i));
    parsed_now++;
    parsed_ever++;
    return robot;
}

static void fake_release(tqa_robot *robot)
{
    if (robot != NULL) {
        parsed_now--;
        free(robot->arena);
        free(robot);
    }
}

static char *fake_text(const tqa_robot *robot, const char *name, size_t *ret_n)
{
    char *text = malloc(256);
    *ret_n = (size_t)snprintf(text, 256, "{\"name\":\"%s\",\"nv\":%u}", name, robot->model->nv);
    return text;
}

static char *fake_print(const tqa_robot *robot, tqa_robot_form form, const char *name,
                        size_t *ret_n, tqa_problem *reterr)
{
    static const char *const elements[] = {"", "robot", "mujoco", "sdf"};
    if (form == TQA_FORM_DOCUMENT) {
        return fake_text(robot, name, ret_n);
    }
    if (robot->model->nv == 406) {
        tqa_problem_set(reterr, "not-acceptable", "no words for it");
        return NULL;
    }
    char *text = malloc(256);
    *ret_n = (size_t)snprintf(text, 256, "<%s name=\"%s\"/>", elements[form], name);
    return text;
}

/* "robot n" with a patch "+k" is robot n + k */
static char *fake_patch(const tqa_robot *robot, const char *name, const char *patch, size_t n,
                        const tqa_robot_others *others, size_t *ret_n, tqa_problem *reterr)
{
    (void)name, (void)others;
    if (n < 2 || patch[0] != '+') {
        tqa_problem_set(reterr, "malformed", "this is no patch");
        return NULL;
    }
    char *text = malloc(64);
    *ret_n = (size_t)snprintf(text, 64, "robot %u", robot->model->nv + (unsigned)(patch[1] - '0'));
    return text;
}

static size_t fake_count(void)
{
    return 2;
}

static const char *fake_name(size_t i)
{
    return i == 0 ? "panda" : "scara";
}

static const char *fake_bytes(size_t i, size_t *ret_n, tqa_media *ret_media)
{
    *ret_n = 9;
    *ret_media = TQA_MEDIA_XML;
    return i == 0 ? "robot 701" : "robot 401";
}

static const tqd_robot_parser fake_parser = {fake_parse, fake_release, fake_text, fake_print,
                                             fake_patch, fake_count,   fake_name, fake_bytes};

static char folder[64];
static tqd_store *store;
static tqd_registry *registry;
static pthread_t writer;

static void *write_loop(void *arg)
{
    tqd_store_write_loop(arg);
    return NULL;
}

static void start(uint64_t parsed_max)
{
    char why[TQD_STORE_WHY];
    const tqd_store_options options = {.folder = folder};
    store = tqd_store_open(&options, why);
    cr_assert(store != NULL, "%s", why);
    pthread_create(&writer, NULL, write_loop, store);
    const tqd_registry_options more = {
        .store = store, .parser = &fake_parser, .robots_max = 1000, .parsed_max = parsed_max};
    registry = tqd_registry_new(&more, why);
    cr_assert(registry != NULL, "%s", why);
}

static void stop(void)
{
    tqd_store_stop(store);
    pthread_join(writer, NULL);
    tqd_registry_free(registry);
    tqd_store_close(store);
    cr_assert(parsed_now == 0, "%d robots were not freed", parsed_now);
}

static void setup(void)
{
    snprintf(folder, sizeof folder, "%s", "/tmp/torqued-robots-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    start(8);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static void teardown(void)
{
    stop();
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
