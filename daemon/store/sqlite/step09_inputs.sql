-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step09_inputs.sql - schema 9: a job's inputs.

-- A job's inputs in the version of its submission. A result in a row is copied, since its job may
-- be deleted before this one begins.
CREATE TABLE job_input(
  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE,
  name TEXT NOT NULL,
  media TEXT NOT NULL,
  size INTEGER NOT NULL,
  file TEXT,
  bytes BLOB,
  sum INTEGER,
  PRIMARY KEY(job, name)) STRICT, WITHOUT ROWID;
CREATE INDEX job_input_file ON job_input(file) WHERE file IS NOT NULL;
CREATE TRIGGER job_input_in AFTER INSERT ON job_input WHEN new.file IS NULL BEGIN
  UPDATE usage SET n = n + 1, bytes = bytes + new.size WHERE what = 'job_body'; END;
CREATE TRIGGER job_input_out AFTER DELETE ON job_input WHEN old.file IS NULL BEGIN
  UPDATE usage SET n = n - 1, bytes = bytes - old.size WHERE what = 'job_body'; END;
CREATE TRIGGER job_input_garbage AFTER DELETE ON job_input WHEN old.file IS NOT NULL BEGIN
  INSERT INTO garbage(file) VALUES (old.file); END;
