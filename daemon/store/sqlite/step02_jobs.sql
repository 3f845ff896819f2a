-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step02_jobs.sql - schema 2: jobs.

-- Jobs. Fair queueing between clients: `tag` is a job's virtual start time, usage 'clock' the
-- queue's virtual time. Triggers maintain counts and events, so that no change of state lacks its
-- event.
INSERT INTO usage(what) VALUES ('clock'), ('job_body'), ('job0'), ('job1'), ('job2'),
  ('job3'), ('job4');
CREATE TABLE job(
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  robot TEXT NOT NULL,
  robot_digest TEXT NOT NULL,
  client TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  priority INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0,
  cancel_asked INTEGER NOT NULL DEFAULT 0,
  fraction REAL NOT NULL DEFAULT 0,
  eta_s REAL NOT NULL DEFAULT -1,
  step TEXT NOT NULL DEFAULT '',
  node TEXT NOT NULL DEFAULT '',
  lease_until_ms INTEGER NOT NULL DEFAULT 0,
  deadline_at_ms INTEGER,
  idem_key TEXT,
  request_digest TEXT,
  created_ms INTEGER NOT NULL,
  started_ms INTEGER NOT NULL DEFAULT 0,
  finished_ms INTEGER NOT NULL DEFAULT 0,
  changed_ms INTEGER NOT NULL) STRICT;
CREATE INDEX job_ready ON job(priority DESC, tag, seq) WHERE state = 0;
CREATE INDEX job_client ON job(client, tag) WHERE state = 0;
CREATE INDEX job_deadline ON job(deadline_at_ms)
  WHERE state = 0 AND deadline_at_ms IS NOT NULL;
CREATE INDEX job_lease ON job(lease_until_ms) WHERE state = 1;
CREATE INDEX job_finished ON job(finished_ms) WHERE state >= 2;
CREATE UNIQUE INDEX job_key ON job(client, idem_key) WHERE idem_key IS NOT NULL;
CREATE INDEX job_robot ON job(robot, robot_digest) WHERE robot <> '';
CREATE TABLE job_body(
  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE,
  what INTEGER NOT NULL,
  media TEXT NOT NULL,
  size INTEGER NOT NULL,
  file TEXT,
  bytes BLOB,
  PRIMARY KEY(job, what)) STRICT, WITHOUT ROWID;
CREATE INDEX job_body_file ON job_body(file) WHERE file IS NOT NULL;
CREATE TABLE job_event(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE,
  state INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  at_ms INTEGER NOT NULL) STRICT;
CREATE INDEX job_event_job ON job_event(job);
CREATE TRIGGER job_in AFTER INSERT ON job BEGIN
  UPDATE usage SET n = n + 1 WHERE what = 'job' || new.state;
  INSERT INTO job_event(job, state, attempts, at_ms)
    VALUES (new.seq, new.state, new.attempts, new.changed_ms); END;
CREATE TRIGGER job_moved AFTER UPDATE OF state ON job WHEN old.state <> new.state BEGIN
  UPDATE usage SET n = n - 1 WHERE what = 'job' || old.state;
  UPDATE usage SET n = n + 1 WHERE what = 'job' || new.state;
  INSERT INTO job_event(job, state, attempts, at_ms)
    VALUES (new.seq, new.state, new.attempts, new.changed_ms); END;
CREATE TRIGGER job_out AFTER DELETE ON job BEGIN
  UPDATE usage SET n = n - 1 WHERE what = 'job' || old.state;
  DELETE FROM robot_revision WHERE name = old.robot AND digest = old.robot_digest
    AND NOT EXISTS (SELECT 1 FROM robot WHERE robot.name = old.robot)
    AND NOT EXISTS (SELECT 1 FROM job WHERE job.robot = old.robot
                    AND job.robot_digest = old.robot_digest); END;
CREATE TRIGGER job_body_in AFTER INSERT ON job_body BEGIN
  UPDATE usage SET n = n + 1, bytes = bytes + new.size WHERE what = 'job_body'; END;
CREATE TRIGGER job_body_new AFTER UPDATE OF size ON job_body BEGIN
  UPDATE usage SET bytes = bytes + new.size - old.size WHERE what = 'job_body'; END;
CREATE TRIGGER job_body_out AFTER DELETE ON job_body BEGIN
  UPDATE usage SET n = n - 1, bytes = bytes - old.size WHERE what = 'job_body'; END;
