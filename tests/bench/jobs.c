/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/jobs.c - durable cycles of submit, claim and finish: 16 clients of the store against
 * one that commits each write by itself, in the same run, and with many jobs stored. */
#include <ftw.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store/engine.h"
#include "daemon/store/store.h"

enum { CLIENTS = 16, ROUNDS = 5, BODY = 500 };
static const double round_seconds = 1.0;
static char body[BODY + 1];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* one cycle through `write`; the claim may take another client's job */
static void cycle(const char *client, tqd_store_status (*write)(void *, tqd_write *), void *ctx)
{
    char id[TQD_JOB_ID_TEXT];
    tqd_job_id_make(id);
    tqd_job_submit submit = {.write.kind = TQD_WRITE_JOB_SUBMIT,
                             .id = id,
                             .kind = "inverse-dynamics",
                             .robot = "",
                             .robot_digest = "",
                             .client = client,
                             .queued_max = 100000,
                             .request = {"application/json", body, NULL, BODY}};
    tqd_job_claim claim = {.write.kind = TQD_WRITE_JOB_CLAIM, .node = "bench", .lease_ms = 100000};
    if (write(ctx, &submit.write) != TQD_STORE_OK || write(ctx, &claim.write) != TQD_STORE_OK) {
        fprintf(stderr, "a write failed\n");
        exit(1);
    }
    tqd_job_finish finish = {.write.kind = TQD_WRITE_JOB_FINISH,
                             .id = claim.job.id,
                             .fence = claim.job.fence,
                             .state = TQD_JOB_SUCCEEDED,
                             .result = {"application/json", body, NULL, BODY}};
    if (write(ctx, &finish.write) != TQD_STORE_OK) {
        fprintf(stderr, "finish failed\n");
        exit(1);
    }
}

/* --------------------------------------------------------------------------- each by itself */

static tqd_store_status write_direct(void *ctx, tqd_write *write)
{
    tqd_engine *engine = ctx;
    tqd_store_status status = engine->methods->begin(engine);
    if (status == TQD_STORE_OK) {
        status = engine->methods->run(engine, write);
    }
    return status == TQD_STORE_OK ? engine->methods->commit(engine) : status;
}

static double rate_direct(tqd_engine *engine)
{
    const double start = now();
    size_t n = 0;
    while (now() - start < round_seconds) {
        cycle("one", write_direct, engine);
        n++;
    }
    return (double)n / (now() - start);
}

/* -------------------------------------------------------------------------------- in groups */

static tqd_store_status write_grouped(void *ctx, tqd_write *write)
{
    return tqd_store_write(ctx, write);
}

static void *write_loop(void *arg)
{
    tqd_store_write_loop(arg);
    return NULL;
}

typedef struct client {
    tqd_store *store;
    char name[16];
    double until;
    size_t n;
} client;

static void *run_client(void *arg)
{
    client *c = arg;
    while (now() < c->until) {
        cycle(c->name, write_grouped, c->store);
        c->n++;
    }
    return NULL;
}

static double rate_grouped(tqd_store *store)
{
    pthread_t threads[CLIENTS];
    client clients[CLIENTS];
    const double start = now();
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (client){.store = store, .until = start + round_seconds};
        snprintf(clients[i].name, sizeof clients[i].name, "client-%d", i);
        pthread_create(&threads[i], NULL, run_client, &clients[i]);
    }
    size_t n = 0;
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        n += clients[i].n;
    }
    return (double)n / (now() - start);
}

/* ---------------------------------------------------------------------------------- many jobs */

/* n finished jobs with their bodies and events, made inside SQLite */
static void fill(const char *folder, long n)
{
    char path[256];
    char sql[1024];
    snprintf(path, sizeof path, "%s/torqued.db", folder);
    sqlite3 *db = NULL;
    snprintf(sql, sizeof sql,
             "PRAGMA synchronous=OFF; BEGIN;"
             "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM k WHERE i < %ld)"
             "INSERT INTO job(id,kind,robot,robot_digest,client,state,priority,tag,created_ms,"
             "finished_ms,changed_ms) SELECT lower(hex(randomblob(13))),'simulate','panda',"
             "'0123456789abcdef','fill',2,0,0,i,i,i FROM k;"
             "INSERT INTO job_body(job,what,media,size,bytes) SELECT seq,0,'application/json',%d,"
             "zeroblob(%d) FROM job; COMMIT;",
             n, BODY, BODY);
    if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, NULL) != 0) {
        fprintf(stderr, "fill: %s\n", sqlite3_errmsg(db));
        exit(1);
    }
    sqlite3_close(db);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

static void remove_folder(const char *folder)
{
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static tqd_store *open_store(const char *folder, double *ret_seconds)
{
    char why[TQD_STORE_WHY];
    const tqd_store_options options = {.folder = folder};
    const double start = now();
    tqd_store *store = tqd_store_open(&options, why);
    *ret_seconds = now() - start;
    if (store == NULL) {
        fprintf(stderr, "%s\n", why);
        exit(1);
    }
    return store;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
    return x[n / 2];
}

int main(int argc, char **argv)
{
    const long many = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    const char *base = argc > 2 ? argv[2] : "build/bench";
    char folders[3][256];
    double seconds[3];
    memset(body, 'x', BODY);
    for (int i = 0; i < 3; i++) {
        snprintf(folders[i], sizeof folders[i], "%s/jobs-XXXXXX", base);
        if (mkdtemp(folders[i]) == NULL) {
            perror(folders[i]);
            return 1;
        }
    }
    char why[TQD_STORE_WHY];
    tqd_engine *direct = tqd_sqlite_open(folders[0], why);
    tqd_store *stores[2];
    pthread_t writers[2];
    for (int i = 0; i < 2; i++) {
        tqd_store_close(open_store(folders[i + 1], &seconds[0]));
        fill(folders[i + 1], i == 0 ? 1000 : many);
        stores[i] = open_store(folders[i + 1], &seconds[i + 1]);
        pthread_create(&writers[i], NULL, write_loop, stores[i]);
    }
    double rates[3][ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        rates[0][r] = rate_direct(direct);
        rates[1][r] = rate_grouped(stores[0]);
        rates[2][r] = rate_grouped(stores[1]);
    }
    const double one = median(rates[0], ROUNDS);
    const double grouped = median(rates[1], ROUNDS);
    const double full = median(rates[2], ROUNDS);
    printf("jobs: durable cycles a second (submit, claim, finish), median of %d rounds\n", ROUNDS);
    printf("  1 client, a commit each            %8.0f\n", one);
    printf("  %d clients, %7d jobs stored     %8.0f   %5.2fx direct (target 3)\n", CLIENTS, 1000,
           grouped, grouped / one);
    printf("  %d clients, %7ld jobs stored     %8.0f   %5.2fx of 1e3 (target 0.75)\n", CLIENTS,
           many, full, full / grouped);
    printf("  opening a store of %d and %ld jobs: %.3f s, %.3f s\n", 1000, many, seconds[1],
           seconds[2]);
    for (int i = 0; i < 2; i++) {
        tqd_store_stop(stores[i]);
        pthread_join(writers[i], NULL);
        tqd_store_close(stores[i]);
    }
    direct->methods->close(direct);
    for (int i = 0; i < 3; i++) {
        remove_folder(folders[i]);
    }
    return 0;
}
