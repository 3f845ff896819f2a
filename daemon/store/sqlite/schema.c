/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/schema.c - the tables, and migrations of older databases. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/folder.h"
#include "daemon/store/sqlite/job_row.h"
#include "daemon/store/store.h"

/* 1: robots. `robot` has the current version of a name; `robot_revision` all its versions; `usage`
 * keeps totals, so that no query has to scan. */
static const char robots_1[] =
    "CREATE TABLE usage("
    "  what TEXT PRIMARY KEY,"
    "  n INTEGER NOT NULL DEFAULT 0,"
    "  bytes INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;"
    "INSERT INTO usage(what) VALUES ('robot'), ('robot_version');"
    "CREATE TABLE robot_version("
    "  digest TEXT PRIMARY KEY,"
    "  media TEXT NOT NULL,"
    "  source TEXT NOT NULL,"
    "  nv INTEGER NOT NULL,"
    "  size INTEGER NOT NULL,"
    "  bytes BLOB NOT NULL) STRICT;"
    "CREATE TABLE robot_revision("
    "  seq INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  name TEXT NOT NULL,"
    "  digest TEXT NOT NULL REFERENCES robot_version(digest),"
    "  created_ms INTEGER NOT NULL,"
    "  UNIQUE(name, digest)) STRICT;"
    "CREATE INDEX robot_revision_digest ON robot_revision(digest);"
    "CREATE TABLE robot("
    "  name TEXT PRIMARY KEY,"
    "  digest TEXT NOT NULL,"
    "  FOREIGN KEY(name, digest) REFERENCES robot_revision(name, digest)) STRICT, WITHOUT ROWID;"
    "CREATE TRIGGER robot_in AFTER INSERT ON robot BEGIN"
    "  UPDATE usage SET n = n + 1 WHERE what = 'robot'; END;"
    "CREATE TRIGGER robot_out AFTER DELETE ON robot BEGIN"
    "  UPDATE usage SET n = n - 1 WHERE what = 'robot'; END;"
    "CREATE TRIGGER robot_revision_out AFTER DELETE ON robot_revision BEGIN"
    "  DELETE FROM robot_version WHERE digest = old.digest"
    "    AND NOT EXISTS (SELECT 1 FROM robot_revision WHERE digest = old.digest); END;"
    "CREATE TRIGGER robot_version_in AFTER INSERT ON robot_version BEGIN"
    "  UPDATE usage SET n = n + 1, bytes = bytes + new.size WHERE what = 'robot_version'; END;"
    "CREATE TRIGGER robot_version_out AFTER DELETE ON robot_version BEGIN"
    "  UPDATE usage SET n = n - 1, bytes = bytes - old.size WHERE what = 'robot_version'; END;";

/* 2: jobs. Fair queueing between clients: `tag` is a job's virtual start time, usage 'clock' the
 * queue's virtual time. Triggers maintain counts and events, so that no change of state lacks its
 * event. */
static const char jobs_2[] =
    "INSERT INTO usage(what) VALUES ('clock'), ('job_body'), ('job0'), ('job1'), ('job2'),"
    "  ('job3'), ('job4');"
    "CREATE TABLE job("
    "  seq INTEGER PRIMARY KEY,"
    "  id TEXT NOT NULL UNIQUE,"
    "  kind TEXT NOT NULL,"
    "  robot TEXT NOT NULL,"
    "  robot_digest TEXT NOT NULL,"
    "  client TEXT NOT NULL,"
    "  state INTEGER NOT NULL DEFAULT 0,"
    "  priority INTEGER NOT NULL,"
    "  tag INTEGER NOT NULL,"
    "  attempts INTEGER NOT NULL DEFAULT 0,"
    "  tries INTEGER NOT NULL DEFAULT 0,"
    "  crashes INTEGER NOT NULL DEFAULT 0,"
    "  fence INTEGER NOT NULL DEFAULT 0,"
    "  cancel_asked INTEGER NOT NULL DEFAULT 0,"
    "  fraction REAL NOT NULL DEFAULT 0,"
    "  eta_s REAL NOT NULL DEFAULT -1,"
    "  step TEXT NOT NULL DEFAULT '',"
    "  node TEXT NOT NULL DEFAULT '',"
    "  lease_until_ms INTEGER NOT NULL DEFAULT 0,"
    "  deadline_at_ms INTEGER,"
    "  idem_key TEXT,"
    "  request_digest TEXT,"
    "  created_ms INTEGER NOT NULL,"
    "  started_ms INTEGER NOT NULL DEFAULT 0,"
    "  finished_ms INTEGER NOT NULL DEFAULT 0,"
    "  changed_ms INTEGER NOT NULL) STRICT;"
    "CREATE INDEX job_ready ON job(priority DESC, tag, seq) WHERE state = 0;"
    "CREATE INDEX job_client ON job(client, tag) WHERE state = 0;"
    "CREATE INDEX job_deadline ON job(deadline_at_ms)"
    "  WHERE state = 0 AND deadline_at_ms IS NOT NULL;"
    "CREATE INDEX job_lease ON job(lease_until_ms) WHERE state = 1;"
    "CREATE INDEX job_finished ON job(finished_ms) WHERE state >= 2;"
    "CREATE UNIQUE INDEX job_key ON job(client, idem_key) WHERE idem_key IS NOT NULL;"
    "CREATE INDEX job_robot ON job(robot, robot_digest) WHERE robot <> '';"
    "CREATE TABLE job_body("
    "  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE,"
    "  what INTEGER NOT NULL,"
    "  media TEXT NOT NULL,"
    "  size INTEGER NOT NULL,"
    "  file TEXT,"
    "  bytes BLOB,"
    "  PRIMARY KEY(job, what)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX job_body_file ON job_body(file) WHERE file IS NOT NULL;"
    "CREATE TABLE job_event("
    "  seq INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE,"
    "  state INTEGER NOT NULL,"
    "  attempts INTEGER NOT NULL,"
    "  at_ms INTEGER NOT NULL) STRICT;"
    "CREATE INDEX job_event_job ON job_event(job);"
    "CREATE TRIGGER job_in AFTER INSERT ON job BEGIN"
    "  UPDATE usage SET n = n + 1 WHERE what = 'job' || new.state;"
    "  INSERT INTO job_event(job, state, attempts, at_ms)"
    "    VALUES (new.seq, new.state, new.attempts, new.changed_ms); END;"
    "CREATE TRIGGER job_moved AFTER UPDATE OF state ON job WHEN old.state <> new.state BEGIN"
    "  UPDATE usage SET n = n - 1 WHERE what = 'job' || old.state;"
    "  UPDATE usage SET n = n + 1 WHERE what = 'job' || new.state;"
    "  INSERT INTO job_event(job, state, attempts, at_ms)"
    "    VALUES (new.seq, new.state, new.attempts, new.changed_ms); END;"
    "CREATE TRIGGER job_out AFTER DELETE ON job BEGIN"
    "  UPDATE usage SET n = n - 1 WHERE what = 'job' || old.state;"
    "  DELETE FROM robot_revision WHERE name = old.robot AND digest = old.robot_digest"
    "    AND NOT EXISTS (SELECT 1 FROM robot WHERE robot.name = old.robot)"
    "    AND NOT EXISTS (SELECT 1 FROM job WHERE job.robot = old.robot"
    "                    AND job.robot_digest = old.robot_digest); END;"
    "CREATE TRIGGER job_body_in AFTER INSERT ON job_body BEGIN"
    "  UPDATE usage SET n = n + 1, bytes = bytes + new.size WHERE what = 'job_body'; END;"
    "CREATE TRIGGER job_body_new AFTER UPDATE OF size ON job_body BEGIN"
    "  UPDATE usage SET bytes = bytes + new.size - old.size WHERE what = 'job_body'; END;"
    "CREATE TRIGGER job_body_out AFTER DELETE ON job_body BEGIN"
    "  UPDATE usage SET n = n - 1, bytes = bytes - old.size WHERE what = 'job_body'; END;";

/* 3: datasets. */
static const char datasets_3[] = "INSERT INTO usage(what) VALUES ('dataset');"
                                 "CREATE TABLE dataset("
                                 "  name TEXT PRIMARY KEY,"
                                 "  file TEXT NOT NULL,"
                                 "  media TEXT NOT NULL,"
                                 "  size INTEGER NOT NULL,"
                                 "  n_row INTEGER NOT NULL,"
                                 "  n_column INTEGER NOT NULL,"
                                 "  created_ms INTEGER NOT NULL,"
                                 "  summary BLOB NOT NULL) STRICT;"
                                 "CREATE INDEX dataset_file ON dataset(file);"
                                 "CREATE TRIGGER dataset_in AFTER INSERT ON dataset BEGIN"
                                 "  UPDATE usage SET n = n + 1 WHERE what = 'dataset'; END;"
                                 "CREATE TRIGGER dataset_out AFTER DELETE ON dataset BEGIN"
                                 "  UPDATE usage SET n = n - 1 WHERE what = 'dataset'; END;";

/* 4: indexes for lists of jobs, one for each filter, newest first. */
static const char lists_4[] = "CREATE INDEX job_by_state ON job(state, seq);"
                              "CREATE INDEX job_by_kind ON job(kind, seq);"
                              "CREATE INDEX job_by_robot ON job(robot, seq);";

/* 5: named files attached to a job's result; they count as bodies. */
static const char attachments_5[] =
    "CREATE TABLE job_attachment("
    "  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE,"
    "  name TEXT NOT NULL,"
    "  media TEXT NOT NULL,"
    "  size INTEGER NOT NULL,"
    "  file TEXT,"
    "  bytes BLOB,"
    "  PRIMARY KEY(job, name)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX job_attachment_file ON job_attachment(file) WHERE file IS NOT NULL;"
    "CREATE TRIGGER job_attachment_in AFTER INSERT ON job_attachment BEGIN"
    "  UPDATE usage SET n = n + 1, bytes = bytes + new.size WHERE what = 'job_body'; END;"
    "CREATE TRIGGER job_attachment_out AFTER DELETE ON job_attachment BEGIN"
    "  UPDATE usage SET n = n - 1, bytes = bytes - old.size WHERE what = 'job_body'; END;";

/* 6: garbage list: files that have lost a reference, so that no sweep of all files is needed. */
static const char garbage_6[] =
    "CREATE TABLE garbage(seq INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL) STRICT;"
    "CREATE TRIGGER job_body_garbage AFTER DELETE ON job_body WHEN old.file IS NOT NULL BEGIN"
    "  INSERT INTO garbage(file) VALUES (old.file); END;"
    "CREATE TRIGGER job_body_garbage_new AFTER UPDATE OF file ON job_body"
    "  WHEN old.file IS NOT NULL AND old.file IS NOT new.file BEGIN"
    "  INSERT INTO garbage(file) VALUES (old.file); END;"
    "CREATE TRIGGER job_attachment_garbage AFTER DELETE ON job_attachment"
    "  WHEN old.file IS NOT NULL BEGIN INSERT INTO garbage(file) VALUES (old.file); END;"
    "CREATE TRIGGER dataset_garbage AFTER DELETE ON dataset BEGIN"
    "  INSERT INTO garbage(file) VALUES (old.file); END;"
    "CREATE TRIGGER dataset_garbage_new AFTER UPDATE OF file ON dataset"
    "  WHEN old.file IS NOT new.file BEGIN"
    "  INSERT INTO garbage(file) VALUES (old.file); END;";

/* 7: identity of the database and its number of commits: see mark.h. */
static const char identity_7[] =
    "CREATE TABLE identity(one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL,"
    "  n_commit INTEGER NOT NULL) STRICT;"
    "INSERT INTO identity VALUES (1, lower(hex(randomblob(8))), 0);";

/* 8: rows with contents for users get a checksum. */
#define SUM_BODY "tqd_sum(media, size, file, bytes)"
static const char sums_8[] =
    "ALTER TABLE job_body ADD COLUMN sum INTEGER; UPDATE job_body SET sum = " SUM_BODY ";"
    "ALTER TABLE job_attachment ADD COLUMN sum INTEGER;"
    "UPDATE job_attachment SET sum = " SUM_BODY ";"
    "ALTER TABLE robot_version ADD COLUMN sum INTEGER;"
    "UPDATE robot_version SET sum = tqd_sum(digest, media, source, nv, size, bytes);"
    "ALTER TABLE dataset ADD COLUMN sum INTEGER;"
    "UPDATE dataset SET sum ="
    "  tqd_sum(name, file, media, size, n_row, n_column, created_ms, summary);";

/* 9: a job's inputs in the version of its submission. A result in a row is copied, since its job
 * may be deleted before this one begins. */
static const char inputs_9[] =
    "CREATE TABLE job_input("
    "  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE,"
    "  name TEXT NOT NULL,"
    "  media TEXT NOT NULL,"
    "  size INTEGER NOT NULL,"
    "  file TEXT,"
    "  bytes BLOB,"
    "  sum INTEGER,"
    "  PRIMARY KEY(job, name)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX job_input_file ON job_input(file) WHERE file IS NOT NULL;"
    "CREATE TRIGGER job_input_in AFTER INSERT ON job_input WHEN new.file IS NULL BEGIN"
    "  UPDATE usage SET n = n + 1, bytes = bytes + new.size WHERE what = 'job_body'; END;"
    "CREATE TRIGGER job_input_out AFTER DELETE ON job_input WHEN old.file IS NULL BEGIN"
    "  UPDATE usage SET n = n - 1, bytes = bytes - old.size WHERE what = 'job_body'; END;"
    "CREATE TRIGGER job_input_garbage AFTER DELETE ON job_input WHEN old.file IS NOT NULL BEGIN"
    "  INSERT INTO garbage(file) VALUES (old.file); END;";

/* 10: jobs whose result is for the answer to their submission are retained for a short time. */
static const char waited_10[] =
    "ALTER TABLE job ADD COLUMN waited INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX job_waited ON job(finished_ms) WHERE state >= 2 AND waited = 1;";

/* 11: nodes that claim no job until they are resumed. */
static const char drained_11[] =
    "CREATE TABLE drained(name TEXT PRIMARY KEY, since_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;";

/* 12: whose a name is, "" for those of before; the trace that a job belongs to; and what a client
 * keeps, as usage 'client:NAME': n jobs that are not `waited`, bytes of its jobs' bodies and of its
 * datasets. The bodies of a job are deleted before it, since their triggers look up whose it was. A
 * damaged row keeps its sum, which fits neither before nor after. */
#define OWN     "'client:' || "
#define SIZE_OF "(SELECT coalesce(sum(b.size), 0) FROM "
#define JOB_BYTES(seq)                                                                             \
    SIZE_OF "job_body b WHERE b.job = " seq ") + " SIZE_OF "job_attachment b WHERE b.job = " seq   \
            ") + " SIZE_OF "job_input b WHERE b.job = " seq " AND b.file IS NULL)"
#define SUM_DATASET "tqd_sum(name, file, media, size, n_row, n_column, created_ms, summary"
#define OWN_BYTES(trigger, event, table, change, row)                                              \
    "CREATE TRIGGER " trigger " AFTER " event " ON " table " BEGIN"                                \
    "  UPDATE usage SET bytes = bytes " change "    WHERE what = (SELECT " OWN                     \
    "client FROM job WHERE seq = " row ".job); END;"
#define OWN_MORE(what, more, bytes)                                                                \
    "  INSERT INTO usage(what, n, bytes) VALUES (" OWN what ", " more ", " bytes ")"               \
    "    ON CONFLICT(what) DO UPDATE SET n = n + excluded.n, bytes = bytes + excluded.bytes;"
static const char owners_12[] =
    "ALTER TABLE robot ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE dataset ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
    "UPDATE dataset SET sum = " SUM_DATASET ", owner)"
    "  WHERE sum IS NULL OR sum = " SUM_DATASET ");"
    "ALTER TABLE job ADD COLUMN trace TEXT NOT NULL DEFAULT '';"
    "INSERT INTO usage(what, n, bytes) SELECT " OWN "client, sum(1 - waited), sum(" JOB_BYTES(
        "seq") ")"
               "  FROM job WHERE client <> '' GROUP BY client;"
               "CREATE TRIGGER own_none AFTER UPDATE ON usage"
               "  WHEN new.n = 0 AND new.bytes = 0 AND substr(new.what, 1, 7) = 'client:' BEGIN"
               "  DELETE FROM usage WHERE what = new.what; END;"
               "CREATE TRIGGER own_job_in AFTER INSERT ON job WHEN new.client <> '' BEGIN" OWN_MORE(
                   "new.client", "1 - new.waited",
                   "0") " END;"
                        "CREATE TRIGGER own_job_kept AFTER UPDATE OF waited ON job BEGIN"
                        "  UPDATE usage SET n = n + old.waited - new.waited WHERE what = " OWN
                        "new.client; END;"
                        "CREATE TRIGGER own_job_out BEFORE DELETE ON job BEGIN"
                        "  DELETE FROM job_body WHERE job = old.seq;"
                        "  DELETE FROM job_attachment WHERE job = old.seq;"
                        "  DELETE FROM job_input WHERE job = old.seq;"
                        "  UPDATE usage SET n = n - 1 + old.waited WHERE what = " OWN
                        "old.client; END;" OWN_BYTES(
                            "own_body_in", "INSERT", "job_body", "+ new.size",
                            "new") OWN_BYTES("own_body_new", "UPDATE OF size", "job_body",
                                             "+ new.size - old.size",
                                             "new") OWN_BYTES("own_body_out", "DELETE", "job_body",
                                                              "- old.size", "old")
                            OWN_BYTES(
                                "own_attachment_in", "INSERT", "job_attachment", "+ new.size",
                                "new") OWN_BYTES("own_attachment_out", "DELETE", "job_attachment",
                                                 "- old.size",
                                                 "old") OWN_BYTES("own_input_in", "INSERT",
                                                                  "job_input WHEN new.file IS NULL",
                                                                  "+ new.size", "new")
                                OWN_BYTES("own_input_out", "DELETE", "job_input WHEN old.file IS NULL", "- old.size", "old") "CREATE TRIGGER own_dataset_in AFTER INSERT ON dataset WHEN new.owner <> '' BEGIN" OWN_MORE(
                                    "new.owner", "0",
                                    "new.size") " END;"
                                                "CREATE TRIGGER own_dataset_new AFTER UPDATE OF size ON dataset BEGIN"
                                                "  UPDATE usage SET bytes = bytes + new.size - old.size WHERE what = " OWN
                                                "new.owner; END;"
                                                "CREATE TRIGGER own_dataset_out AFTER DELETE ON dataset BEGIN"
                                                "  UPDATE usage SET bytes = bytes - old.size WHERE what = " OWN
                                                "old.owner; END;";

/* 13: parts of running jobs (parts.h): 0 open, 1 running, 2 done, 3 failed. `run`: the fence of the
 * job's claim that has opened it. The bytes come last, so that no look at a state reads them. */
static const char parts_13[] =
    "CREATE TABLE job_part("
    "  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE, part INTEGER NOT NULL,"
    "  version TEXT NOT NULL, run INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0,"
    "  fence INTEGER NOT NULL DEFAULT 0, node TEXT NOT NULL DEFAULT '',"
    "  lease_until_ms INTEGER NOT NULL DEFAULT 0, crashes INTEGER NOT NULL DEFAULT 0,"
    "  bytes BLOB, PRIMARY KEY(job, part)) STRICT;"
    "CREATE TRIGGER job_parts_ended AFTER UPDATE OF state ON job WHEN new.state >= 2 BEGIN"
    "  DELETE FROM job_part WHERE job = new.seq; END;";

/* 14: the jobs of a namespace are found without those of others; of the default one they are
 * most. */
static const char namespaces_14[] = "CREATE INDEX job_by_namespace ON job(" TQD_JOB_NAMESPACE(
    "client") ", seq)"
              " WHERE " TQD_JOB_IS_NAMED("client") ";";

/* 15: what a client has finished, oldest first: the bytes of all are bounded by removing what the
 * client with most of them has. */
static const char kept_15[] = "CREATE INDEX job_kept ON job(client, finished_ms) WHERE state >= 2;";

/* 16: what a client has waiting, as usage 'queued:NAME': n jobs, and the bytes of their bodies that
 * count in 'job_body'. The bodies of a job are deleted before it (12). */
#define QUEUED "'queued:' || "
#define QUEUED_BYTES(trigger, event, table, change, row)                                           \
    "CREATE TRIGGER " trigger " AFTER " event " ON " table " BEGIN"                                \
    "  UPDATE usage SET bytes = bytes " change " WHERE what = (SELECT " QUEUED                     \
    "client FROM job WHERE seq = " row ".job AND state = 0); END;"
#define QUEUED_MORE(row, sign)                                                                     \
    " INSERT INTO usage(what, n, bytes) VALUES (" QUEUED row ".client, " sign "1,"                 \
    "    " sign "(" JOB_BYTES(                                                                     \
        row                                                                                        \
        ".seq") "))"                                                                               \
                "    ON CONFLICT(what) DO UPDATE SET n = n + excluded.n, bytes = bytes + excluded.bytes; END;"
static const char queued_16[] =
    "INSERT INTO usage(what, n, bytes) SELECT " QUEUED "client, count(*), sum(" JOB_BYTES(
        "seq") ")"
               "  FROM job WHERE state = 0 AND client <> '' GROUP BY client;"
               "CREATE TRIGGER queued_none AFTER UPDATE ON usage"
               "  WHEN new.n = 0 AND substr(new.what, 1, 7) = 'queued:' BEGIN"
               "  DELETE FROM usage WHERE what = new.what; END;"
               "CREATE TRIGGER queued_in AFTER INSERT ON job"
               "  WHEN new.client <> '' AND new.state = 0 BEGIN" QUEUED_MORE(
                   "new",
                   "+") "CREATE TRIGGER queued_again AFTER UPDATE OF state ON job"
                        "  WHEN new.client <> '' AND new.state = 0 AND old.state <> 0 BEGIN" QUEUED_MORE(
                            "new",
                            "+") "CREATE TRIGGER queued_begun AFTER UPDATE OF state ON job"
                                 "  WHEN new.client <> '' AND new.state <> 0 AND old.state = 0 BEGIN" QUEUED_MORE(
                                     "old",
                                     "-") "CREATE TRIGGER queued_out AFTER DELETE ON job"
                                          "  WHEN old.client <> '' AND old.state = 0 BEGIN" QUEUED_MORE(
                                              "old", "-") QUEUED_BYTES("queued_body_in", "INSERT",
                                                                       "job_body", "+ new.size",
                                                                       "new")
                                              QUEUED_BYTES("queued_body_new", "UPDATE OF size",
                                                           "job_body", "+ new.size - old.size",
                                                           "new") QUEUED_BYTES("queued_body_out",
                                                                               "DELETE", "job_body",
                                                                               "- old.size", "old")
                                                  QUEUED_BYTES("queued_attachment_in", "INSERT",
                                                               "job_attachment", "+ new.size",
                                                               "new")
                                                      QUEUED_BYTES("queued_attachment_out",
                                                                   "DELETE", "job_attachment",
                                                                   "- old.size", "old")
                                                          QUEUED_BYTES(
                                                              "queued_input_in", "INSERT",
                                                              "job_input WHEN new.file IS NULL",
                                                              "+ new.size", "new")
                                                              QUEUED_BYTES(
                                                                  "queued_input_out", "DELETE",
                                                                  "job_input WHEN old.file IS NULL",
                                                                  "- old.size", "old");

static const char *const steps[] = {robots_1,      jobs_2,        datasets_3, lists_4,
                                    attachments_5, garbage_6,     identity_7, sums_8,
                                    inputs_9,      waited_10,     drained_11, owners_12,
                                    parts_13,      namespaces_14, kept_15,    queued_16};
const tqd_schema tqd_sqlite_schema = {steps, sizeof steps / sizeof steps[0]};

static bool read_number(sqlite3 *db, const char *pragma, int *ret)
{
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(db, pragma, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    *ret = good ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    return good;
}

bool tqd_sqlite_version(sqlite3 *db, int *ret)
{
    return read_number(db, "PRAGMA user_version", ret);
}

static bool sync_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool good = fsync(fd) == 0;
    close(fd);
    return good;
}

/* copies all pages into a fresh file; the result code of SQLite */
static int copy_pages(sqlite3 *db, const char *path)
{
    sqlite3 *copy = NULL;
    int code = sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(copy, "main", db, "main");
        if (backup == NULL) {
            code = sqlite3_errcode(copy);
        } else {
            do {
                code = sqlite3_backup_step(backup, -1);
            } while (code == SQLITE_BUSY || code == SQLITE_LOCKED);
            const int finished = sqlite3_backup_finish(backup);
            code = code == SQLITE_DONE ? finished : code;
        }
    }
    sqlite3_close(copy);
    return code;
}

tqd_store_status tqd_sqlite_copy(sqlite3 *db, const char *path)
{
    char part[PATH_MAX];
    char folder[PATH_MAX];
    const int n = snprintf(part, sizeof part, "%s.part", path);
    if (n < 0 || (size_t)n >= sizeof part) {
        return TQD_STORE_BROKEN;
    }
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        snprintf(folder, sizeof folder, ".");
    } else {
        slash[slash == folder ? 1 : 0] = '\0';
    }
    unlink(part);
    tqd_store_status status = tqd_sqlite_status(NULL, copy_pages(db, part));
    if (status == TQD_STORE_OK &&
        (!sync_file(part) || rename(part, path) != 0 || tqd_folder_sync(folder) != 0)) {
        status = errno == ENOSPC || errno == EDQUOT ? TQD_STORE_NO_SPACE : TQD_STORE_BROKEN;
    }
    if (status != TQD_STORE_OK) {
        unlink(part);
    }
    return status;
}

/* another program's file, or one of a later release, is refused unchanged */
static bool check_identity(sqlite3 *db, int n_step, int *ret_version, char *why)
{
    int application = 0;
    int version = 0;
    int objects = 0;
    if (!read_number(db, "PRAGMA application_id", &application) ||
        !read_number(db, "PRAGMA user_version", &version) ||
        !read_number(db, "SELECT count(*) FROM sqlite_schema", &objects)) {
        snprintf(why, TQD_STORE_WHY, "the database cannot be read: %.150s", sqlite3_errmsg(db));
        return false;
    }
    if (application != TQD_SQLITE_APPLICATION && (application != 0 || objects != 0)) {
        snprintf(why, TQD_STORE_WHY, "the database belongs to another program");
        return false;
    }
    if (version > n_step || version < 0) {
        snprintf(why, TQD_STORE_WHY,
                 "the database has schema %d, this program supports up to %d: use a newer torqued",
                 version, n_step);
        return false;
    }
    *ret_version = version;
    return true;
}

static bool run_step(sqlite3 *db, const char *step, int version)
{
    char end[128];
    snprintf(end, sizeof end, "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT;",
             (int)TQD_SQLITE_APPLICATION, version);
    const bool good = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
                      sqlite3_exec(db, step, NULL, NULL, NULL) == SQLITE_OK &&
                      sqlite3_exec(db, end, NULL, NULL, NULL) == SQLITE_OK;
    return good;
}

bool tqd_sqlite_migrate(tqd_connection *connection, const tqd_schema *schema, const char *folder,
                        char *why)
{
    sqlite3 *db = connection->db;
    int version = 0;
    if (!check_identity(db, schema->n_step, &version, why)) {
        return false;
    }
    if (version > 0 && version < schema->n_step) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/torqued-schema%d.db", folder, version);
        const tqd_store_status status = tqd_sqlite_copy(db, path);
        if (status != TQD_STORE_OK) {
            snprintf(why, TQD_STORE_WHY, "no snapshot before the migration: %.150s",
                     tqd_store_status_text(status));
            return false;
        }
    }
    for (; version < schema->n_step; version++) {
        if (!run_step(db, schema->steps[version], version + 1)) {
            snprintf(why, TQD_STORE_WHY, "migration to schema %d: %.150s", version + 1,
                     sqlite3_errmsg(db));
            sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
            return false;
        }
    }
    return true;
}
