/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/fixture.h - a store in a new folder, with its writer running: SQLite, or
 * PostgreSQL if tests/run/postgres.sh runs the test. */
#ifndef TEST_STORE_FIXTURE_H
#define TEST_STORE_FIXTURE_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/store/jobs.h"
#include "daemon/store/store.h"
#include "tests/support/postgres.h"

static char folder[64];
static char uri[512]; /* "": SQLite */
static tqd_store *store;
static pthread_t writer;

static void *write_loop(void *arg)
{
    tqd_store_write_loop(arg);
    return NULL;
}

static void start_store(void)
{
    char why[TQD_STORE_WHY];
    const tqd_store_options options = {.folder = folder, .uri = uri[0] != '\0' ? uri : NULL};
    store = tqd_store_open(&options, why);
    cr_assert(store != NULL, "%s", why);
    pthread_create(&writer, NULL, write_loop, store);
}

static void stop_store(void)
{
    tqd_store_stop(store);
    pthread_join(writer, NULL);
    tqd_store_close(store);
    store = NULL;
}

/* submits a short job of robot "r"; returns its new id */
static inline void submit_job(char ret_id[TQD_JOB_ID_TEXT])
{
    const tqd_robot_row robot = {.name = "r", .digest = "d", .media = "m", .source = "urdf"};
    tqd_job_id_make(ret_id);
    tqd_job_submit submit = {.write.kind = TQD_WRITE_JOB_SUBMIT,
                             .id = ret_id,
                             .kind = "simulate",
                             .robot = "r",
                             .robot_digest = "d",
                             .client = "me",
                             .request = {.media = "application/json", .bytes = "{}", .size = 2},
                             .builtin = &robot,
                             .builtin_bytes = ""};
    cr_assert(tqd_store_write(store, &submit.write) == TQD_STORE_OK);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void setup(void)
{
    /* in memory if possible: these tests do not simulate a power failure */
    snprintf(folder, sizeof folder, "%s/torqued-store-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    cr_assert(mkdtemp(folder) != NULL);
    (void)test_postgres_uri(uri, sizeof uri);
    start_store();
}

/* Skips a test of SQLite's file or of files in the folder, which PostgreSQL stores elsewhere. */
static inline void only_sqlite(void)
{
    if (uri[0] != '\0') {
        cr_skip("of files in the state folder");
    }
}

static void teardown(void)
{
    if (store != NULL) {
        stop_store();
    }
    if (uri[0] != '\0') {
        test_postgres_drop(uri);
    }
    remove_folder();
}

#endif
