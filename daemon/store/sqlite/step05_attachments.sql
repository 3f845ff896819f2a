-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step05_attachments.sql - schema 5: files attached to a result.

-- Named files attached to a job's result; they count as bodies.
CREATE TABLE job_attachment(
  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE,
  name TEXT NOT NULL,
  media TEXT NOT NULL,
  size INTEGER NOT NULL,
  file TEXT,
  bytes BLOB,
  PRIMARY KEY(job, name)) STRICT, WITHOUT ROWID;
CREATE INDEX job_attachment_file ON job_attachment(file) WHERE file IS NOT NULL;
CREATE TRIGGER job_attachment_in AFTER INSERT ON job_attachment BEGIN
  UPDATE usage SET n = n + 1, bytes = bytes + new.size WHERE what = 'job_body'; END;
CREATE TRIGGER job_attachment_out AFTER DELETE ON job_attachment BEGIN
  UPDATE usage SET n = n - 1, bytes = bytes - old.size WHERE what = 'job_body'; END;
