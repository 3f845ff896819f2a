/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/store/test_store.c - robots through the store's interface, with any engine;
 * then properties of a state folder. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/store/sqlite/sqlite.h"
#include "daemon/store/store.h"
#include "tests/unit/daemon/store/fixture.h"

TestSuite(store, .init = setup, .fini = teardown, .timeout = 100);

/* digest of version i: 64 characters, as real ones */
static void set_row(tqd_robot_row *row, const char *name, unsigned i)
{
    memset(row, 0, sizeof *row);
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->digest, sizeof row->digest, "%064x", i);
    snprintf(row->media, sizeof row->media, "application/xml");
    snprintf(row->source, sizeof row->source, "urdf");
    row->nv = i;
}

typedef struct put_facts {
    tqd_store_status status;
    bool created;
    char replaced[TQD_DIGEST_TEXT];
} put_facts;

static put_facts put(const char *name, unsigned i, const char *if_match, const char *if_none_match)
{
    tqd_robot_row row;
    set_row(&row, name, i);
    char bytes[32];
    const int n = snprintf(bytes, sizeof bytes, "robot %u", i);
    tqd_robot_put op = {.write.kind = TQD_WRITE_ROBOT_PUT,
                        .row = &row,
                        .bytes = bytes,
                        .n_byte = (size_t)n,
                        .if_match = if_match,
                        .if_none_match = if_none_match,
                        .robots_max = 100,
                        .bytes_max = 10000};
    tqd_store_write(store, &op.write);
    put_facts facts = {.status = op.write.status, .created = op.created};
    snprintf(facts.replaced, sizeof facts.replaced, "%s", op.replaced);
    return facts;
}

static tqd_store_status delete_robot(const char *name, const char *if_match)
{
    tqd_robot_delete op = {
        .write.kind = TQD_WRITE_ROBOT_DELETE, .name = name, .if_match = if_match};
    return tqd_store_write(store, &op.write);
}

/* number of the version that is read, -1 when there is none; its bytes must belong to it */
static int read_version(const char *name, const char *digest)
{
    tqd_robot_row row;
    char *bytes = NULL;
    const tqd_store_status status = tqd_store_robot(store, name, digest, &row, &bytes);
    if (status != TQD_STORE_OK) {
        cr_assert(eq(int, (int)status, (int)TQD_STORE_NOT_FOUND));
        return -1;
    }
    char expected[32];
    snprintf(expected, sizeof expected, "robot %u", row.nv);
    cr_assert(eq(str, bytes, expected));
    cr_assert(eq(u64, row.size, strlen(expected)));
    tqd_robot_row put;
    set_row(&put, name, row.nv);
    cr_assert(all(eq(str, row.digest, put.digest), eq(str, row.source, put.source)));
    cr_assert(eq(str, row.name, (char *)name));
    cr_assert(eq(str, row.media, "application/xml"));
    cr_assert(gt(i64, row.created_ms, 1600000000000));
    free(bytes);
    return (int)row.nv;
}

static char digest_of_1[] = "0000000000000000000000000000000000000000000000000000000000000001";
static char digest_of_2[] = "0000000000000000000000000000000000000000000000000000000000000002";

Test(store, robot_survives_a_restart)
{
    const put_facts first = put("arm", 1, NULL, NULL);
    cr_assert(eq(int, (int)first.status, TQD_STORE_OK));
    cr_assert(first.created);
    stop_store();
    start_store();
    cr_assert(eq(int, read_version("arm", NULL), 1));
    const put_facts second = put("arm", 2, NULL, NULL);
    cr_assert(not(second.created));
    cr_assert(eq(str, (char *)second.replaced, digest_of_1));
    cr_assert(eq(int, read_version("arm", NULL), 2));
    cr_assert(eq(int, read_version("arm", digest_of_1), 1), "the former version is kept");
    cr_assert(eq(int, read_version("leg", digest_of_1), -1), "but only under its name");
    cr_assert(eq(int, read_version("leg", NULL), -1));
}

Test(store, conditions_are_decided_inside_the_transaction)
{
    const struct {
        const char *name;
        const char *if_match, *if_none_match;
        tqd_store_status status;
    } rows[] = {
        {"new", "*", NULL, TQD_STORE_MISMATCH},
        {"new", digest_of_1, NULL, TQD_STORE_MISMATCH},
        {"new", NULL, "*", TQD_STORE_OK},
        {"old", NULL, "*", TQD_STORE_MISMATCH},
        {"old", NULL, digest_of_1, TQD_STORE_MISMATCH},
        {"old", digest_of_2, NULL, TQD_STORE_MISMATCH},
        {"old", digest_of_1, NULL, TQD_STORE_OK},
        {"old", "*", NULL, TQD_STORE_OK},
        {"old", NULL, digest_of_1, TQD_STORE_OK},
    };
    put("old", 1, NULL, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const put_facts facts =
            put(rows[i].name, (unsigned)i + 3, rows[i].if_match, rows[i].if_none_match);
        cr_assert(eq(int, (int)facts.status, (int)rows[i].status), "row %zu", i);
    }
    cr_assert(eq(int, (int)delete_robot("old", digest_of_1), TQD_STORE_MISMATCH));
    cr_assert(eq(int, (int)delete_robot("old", "*"), TQD_STORE_OK));
    cr_assert(eq(int, (int)delete_robot("old", NULL), TQD_STORE_NOT_FOUND));
}

Test(store, versions_are_bounded_and_deleted_with_the_robot)
{
    for (unsigned i = 1; i <= TQD_ROBOT_VERSIONS + 2; i++) {
        cr_assert(eq(int, (int)put("arm", i, NULL, NULL).status, TQD_STORE_OK));
    }
    put("leg", 2, NULL, NULL); /* the bytes of version 2 again */
    cr_assert(eq(int, read_version("arm", digest_of_1), -1));
    cr_assert(eq(int, read_version("arm", digest_of_2), -1));
    cr_assert(eq(int, (int)delete_robot("arm", NULL), TQD_STORE_OK));
    char digest_of_9[TQD_DIGEST_TEXT];
    snprintf(digest_of_9, sizeof digest_of_9, "%064x", 9);
    cr_assert(eq(int, read_version("arm", digest_of_9), -1));
    cr_assert(eq(int, read_version("leg", NULL), 2), "shared bytes stay while one name has them");
}

Test(store, quotas_hold_and_are_released)
{
    char name[16];
    for (unsigned i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "r%u", i);
        cr_assert(eq(int, (int)put(name, i, NULL, NULL).status, TQD_STORE_OK));
    }
    cr_assert(eq(int, (int)put("one-more", 7, NULL, NULL).status, TQD_STORE_QUOTA));
    cr_assert(eq(int, (int)put("r5", 500, NULL, NULL).status, TQD_STORE_OK));
    delete_robot("r6", NULL);
    cr_assert(eq(int, (int)put("one-more", 7, NULL, NULL).status, TQD_STORE_OK));
    static char big[20000];
    tqd_robot_row row;
    set_row(&row, "r1", 1000);
    tqd_robot_put op = {.write.kind = TQD_WRITE_ROBOT_PUT,
                        .row = &row,
                        .bytes = big,
                        .n_byte = sizeof big,
                        .bytes_max = 20500};
    cr_assert(eq(int, (int)tqd_store_write(store, &op.write), TQD_STORE_QUOTA));
    cr_assert(eq(int, read_version("r1", NULL), 1), "a refused write changes nothing");
}

static int count(void *ctx, const tqd_robot_row *row)
{
    char *last = ctx;
    cr_assert(lt(str, last, (char *)row->name), "by name");
    memcpy(last, row->name, sizeof row->name);
    return 0;
}

Test(store, list_is_by_name)
{
    put("b", 1, NULL, NULL);
    put("c", 2, NULL, NULL);
    put("a", 3, NULL, NULL);
    char last[TQD_NAME_TEXT] = "";
    cr_assert(eq(int, (int)tqd_store_robots(store, count, last), TQD_STORE_OK));
    cr_assert(eq(str, last, "c"));
}

/* ------------------------------------------------------------------------------ group commit */

enum { CLIENTS = 8, EACH = 50 };

static void *client(void *arg)
{
    char name[32];
    for (unsigned i = 0; i < EACH; i++) {
        snprintf(name, sizeof name, "client-%zu", (size_t)arg);
        cr_assert(eq(int, (int)put(name, 1000 * (unsigned)(size_t)arg + i, NULL, NULL).status,
                     TQD_STORE_OK));
    }
    return NULL;
}

Test(store, many_clients_write_at_once)
{
    pthread_t threads[CLIENTS];
    for (size_t i = 0; i < CLIENTS; i++) {
        pthread_create(&threads[i], NULL, client, (void *)i);
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
    }
    stop_store();
    start_store();
    char name[32];
    for (unsigned i = 0; i < CLIENTS; i++) {
        snprintf(name, sizeof name, "client-%u", i);
        cr_assert(eq(int, read_version(name, NULL), (int)(1000 * i + EACH - 1)));
    }
}

static void count_done(tqd_write *write)
{
    ++*(int *)write->ctx;
}

Test(store, queue_is_bounded_and_ends)
{
    tqd_store_stop(store);
    pthread_join(writer, NULL);
    cr_assert(eq(int, (int)put("arm", 1, NULL, NULL).status, TQD_STORE_BROKEN),
              "nothing is taken while stopping");
    tqd_store_close(store);
    char why[TQD_STORE_WHY];
    const tqd_store_options options = {.folder = folder, .writes_max = 2};
    store = tqd_store_open(&options, why);
    static tqd_robot_delete waiting[3];
    static int n_done;
    for (size_t i = 0; i < 3; i++) {
        waiting[i].write.kind = TQD_WRITE_ROBOT_DELETE;
        waiting[i].write.done = count_done;
        waiting[i].write.ctx = &n_done;
        waiting[i].name = "arm";
        cr_assert(eq(int, tqd_store_submit(store, &waiting[i].write), i < 2));
    }
    cr_assert(eq(int, (int)waiting[2].write.status, TQD_STORE_BUSY));
    tqd_store_close(store);
    store = NULL;
    cr_assert(eq(int, n_done, 2), "waiting writes are completed as failed");
    cr_assert(eq(int, (int)waiting[0].write.status, TQD_STORE_BROKEN));
}

/* ------------------------------------------------------------------------------ state folder */

static void assert_refused(const char *words)
{
    char why[TQD_STORE_WHY];
    const tqd_store_options options = {.folder = folder};
    tqd_store *other = tqd_store_open(&options, why);
    cr_assert(other == NULL);
    cr_assert(strstr(why, words) != NULL, "said: %s", why);
}

Test(store, second_process_is_refused)
{
    only_sqlite();
    const pid_t child = fork();
    if (child == 0) {
        char why[TQD_STORE_WHY];
        const tqd_store_options options = {.folder = folder};
        char expected[64];
        snprintf(expected, sizeof expected, "in use by process %ld", (long)getppid());
        _exit(tqd_store_open(&options, why) == NULL && strstr(why, expected) != NULL ? 0 : 1);
    }
    int result = 0;
    waitpid(child, &result, 0);
    cr_assert(eq(int, result, 0));
    struct stat facts;
    stop_store();
    char path[128];
    snprintf(path, sizeof path, "%s/torqued.db", folder);
    cr_assert(eq(int, stat(path, &facts), 0));
}

static void change_file(const char *sql)
{
    char path[128];
    snprintf(path, sizeof path, "%s/torqued.db", folder);
    sqlite3 *db = NULL;
    cr_assert(eq(int, sqlite3_open(path, &db), SQLITE_OK));
    cr_assert(eq(int, sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK), "%s",
              sqlite3_errmsg(db));
    sqlite3_close(db);
}

Test(store, newer_schema_is_refused)
{
    stop_store();
    change_file("PRAGMA user_version=1000");
    assert_refused("use a newer torqued");
}

Test(store, database_of_another_program_is_refused)
{
    stop_store();
    change_file("PRAGMA application_id=1");
    assert_refused("another program");
}

Test(store, damaged_file_is_refused)
{
    only_sqlite();
    for (unsigned i = 1; i < 90; i++) {
        char name[16];
        snprintf(name, sizeof name, "r%u", i);
        put(name, i, NULL, NULL);
    }
    stop_store();
    char path[128];
    snprintf(path, sizeof path, "%s/torqued.db", folder);
    FILE *file = fopen(path, "r+b");
    for (long page = 1; page < 8; page++) {
        fseek(file, page * 4096 + 8, SEEK_SET);
        fwrite("\xff\xff\xff\xff\xff\xff", 1, 6, file);
    }
    fclose(file);
    assert_refused("damaged");
}

/* a SQLite file, of either engine */
Test(store, snapshot_is_a_whole_store)
{
    put("arm", 1, NULL, NULL);
    char path[128];
    snprintf(path, sizeof path, "%s/copy.db", folder);
    cr_assert(eq(int, (int)tqd_store_snapshot(store, path), TQD_STORE_OK));
    put("arm", 2, NULL, NULL);
    stop_store();
    char real[128], server[sizeof uri];
    snprintf(real, sizeof real, "%s/torqued.db", folder);
    cr_assert(eq(int, rename(path, real), 0));
    memcpy(server, uri, sizeof uri);
    uri[0] = '\0';
    start_store();
    cr_assert(eq(int, read_version("arm", NULL), 1));
    stop_store();
    memcpy(uri, server, sizeof uri); /* which teardown drops */
}

/* ------------------------------------------------------------------------------- migrations */

static const char *const two_steps[] = {"CREATE TABLE a(x) STRICT", "CREATE TABLE b(x INTEGER)"};
static const char *const good_steps[] = {"CREATE TABLE a(x INTEGER)", "CREATE TABLE b(x INTEGER)",
                                         "ALTER TABLE a ADD COLUMN y INTEGER"};

Test(store, migration_takes_a_snapshot_first_and_is_whole_or_nothing)
{
    char path[128];
    char why[TQD_STORE_WHY] = "";
    snprintf(path, sizeof path, "%s/m.db", folder);
    tqd_connection *connection = tqd_connection_open(path, true, why);
    cr_assert(connection != NULL, "%s", why);
    const tqd_schema bad = {two_steps, 2};
    const tqd_schema one = {good_steps, 1};
    const tqd_schema all = {good_steps, 3};
    cr_assert(not(tqd_sqlite_migrate(connection, &bad, folder, why)));
    cr_assert(strstr(why, "migration to schema 1") != NULL, "said: %s", why);
    cr_assert(tqd_sqlite_migrate(connection, &one, folder, why), "%s", why);
    cr_assert(eq(int, sqlite3_exec(connection->db, "INSERT INTO a VALUES (7)", NULL, NULL, NULL),
                 SQLITE_OK));
    char copy[128];
    snprintf(copy, sizeof copy, "%s/torqued-schema1.db", folder);
    cr_assert(ne(int, access(copy, F_OK), 0));
    cr_assert(tqd_sqlite_migrate(connection, &all, folder, why), "%s", why);
    cr_assert(tqd_sqlite_migrate(connection, &all, folder, why), "again is nothing: %s", why);
    cr_assert(not(tqd_sqlite_migrate(connection, &one, folder, why)), "never backward");
    tqd_connection_close(connection);
    connection = tqd_connection_open(copy, true, why);
    cr_assert(
        eq(int, sqlite3_exec(connection->db, "SELECT x FROM a", NULL, NULL, NULL), SQLITE_OK));
    cr_assert(
        ne(int, sqlite3_exec(connection->db, "SELECT x FROM b", NULL, NULL, NULL), SQLITE_OK));
    tqd_connection_close(connection);
}

/* each schema from the first on, as created by its release; the last one is the previous version */
Test(store, each_former_schema_steps_forward)
{
    only_sqlite();
    for (int n = 1; n < tqd_sqlite_schema.n_step; n++) {
        char path[128];
        char why[TQD_STORE_WHY] = "";
        stop_store();
        remove_folder();
        cr_assert(eq(int, mkdir(folder, 0700), 0));
        snprintf(path, sizeof path, "%s/torqued.db", folder);
        tqd_connection *connection = tqd_connection_open(path, true, why);
        cr_assert(connection != NULL, "%s", why);
        const tqd_schema former = {tqd_sqlite_schema.steps, n};
        cr_assert(tqd_sqlite_migrate(connection, &former, folder, why), "%s", why);
        tqd_connection_close(connection);
        char sql[1024];
        snprintf(sql, sizeof sql,
                 "INSERT INTO robot_version(digest, media, source, nv, size, bytes) VALUES "
                 "('%064x', 'application/xml', 'urdf', 1, 7, CAST('robot 1' AS BLOB));"
                 "INSERT INTO robot_revision(name, digest, created_ms) VALUES "
                 "('arm', '%064x', 1700000000000);"
                 "INSERT INTO robot(name, digest) VALUES ('arm', '%064x')",
                 1, 1, 1);
        change_file(sql);
        start_store();
        cr_assert(eq(int, read_version("arm", NULL), 1), "from schema %d", n);
        put("arm", 2, NULL, NULL);
        cr_assert(eq(int, read_version("arm", NULL), 2), "from schema %d", n);
        snprintf(path, sizeof path, "%s/torqued-schema%d.db", folder, n);
        cr_assert(eq(int, access(path, F_OK), 0), "the copy of schema %d", n);
    }
}

/* no password gets into the log */
Test(store, shown_uri_has_no_password)
{
    static const char *const uris[][2] = {
        {"sqlite:", "sqlite:"},
        {"postgresql:///torqued", "postgresql:///torqued"},
        {"postgresql://lab@db1,db2/torqued?sslmode=require", "postgresql://lab@db1,db2/torqued"},
        {"postgresql://lab:secret@db1:5432/torqued", "postgresql://lab@db1:5432/torqued"},
        {"postgresql://lab:se@secret@db1/t?password=secret", "postgresql://..."},
        {"postgresql://lab@db1/t?password=x@secret", "postgresql://..."},
        {"postgresql://:secret@db1/t", "postgresql://@db1/t"},
        {"postgresql://lab:secret?x@db1/t", "postgresql://..."},
        {"postgresql://lab:secret/x@db1/t", "postgresql://..."},
    };
    for (size_t i = 0; i < sizeof uris / sizeof uris[0]; i++) {
        char shown[128];
        tqd_store_uri_show(uris[i][0], shown, sizeof shown);
        cr_assert(eq(str, shown, (char *)uris[i][1]));
    }
}

static int pragma(tqd_connection *connection, const char *name)
{
    char sql[60];
    sqlite3_stmt *statement = NULL;
    (void)snprintf(sql, sizeof sql, "PRAGMA %s", name);
    cr_assert(sqlite3_prepare_v2(connection->db, sql, -1, &statement, NULL) == SQLITE_OK);
    cr_assert(sqlite3_step(statement) == SQLITE_ROW);
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    const int value = strcmp(text, "wal") == 0 ? 1 : sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* https://sqlite.org/pragma.html: settings for durability (2: FULL), and restrictions of a reader's
 * statements */
Test(store, connections_have_their_settings)
{
    char path[128], why[TQD_STORE_WHY];
    (void)snprintf(path, sizeof path, "%s/settings.db", folder);
    tqd_connection *writing = tqd_connection_open(path, true, why);
    cr_assert(writing != NULL, "%s", why);
    cr_expect_eq(pragma(writing, "journal_mode"), 1);
    cr_expect_eq(pragma(writing, "synchronous"), 2);
    cr_expect_eq(pragma(writing, "foreign_keys"), 1);
    cr_expect_eq(pragma(writing, "trusted_schema"), 0);
    cr_expect_eq(pragma(writing, "query_only"), 0);
    cr_expect_eq(sqlite3_exec(writing->db, "CREATE TABLE t(x)", NULL, NULL, NULL), SQLITE_OK);
    tqd_connection *reading = tqd_connection_open(path, false, why);
    cr_assert(reading != NULL, "%s", why);
    cr_expect_eq(pragma(reading, "query_only"), 1);
    cr_expect_eq(pragma(reading, "trusted_schema"), 0);
    cr_expect_eq(sqlite3_exec(reading->db, "INSERT INTO t VALUES(1)", NULL, NULL, NULL) & 0xff,
                 SQLITE_READONLY);
    tqd_connection_close(reading);
    tqd_connection_close(writing);
    (void)snprintf(path, sizeof path, "%s/nowhere/settings.db", folder);
    cr_expect(tqd_connection_open(path, true, why) == NULL);
    cr_expect(strstr(why, "unable to open database file") != NULL, "%s", why);
}
