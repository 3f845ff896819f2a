-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step13_parts.sql - schema 13: parts of running jobs.

-- Parts of running jobs (parts.h): 0 open, 1 running, 2 done, 3 failed. `run`: the fence of the
-- job's claim that has opened it. The bytes come last, so that no look at a state reads them.
CREATE TABLE job_part(
  job INTEGER NOT NULL REFERENCES job(seq) ON DELETE CASCADE, part INTEGER NOT NULL,
  version TEXT NOT NULL, run INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0, node TEXT NOT NULL DEFAULT '',
  lease_until_ms INTEGER NOT NULL DEFAULT 0, crashes INTEGER NOT NULL DEFAULT 0,
  bytes BLOB, PRIMARY KEY(job, part)) STRICT;
CREATE TRIGGER job_parts_ended AFTER UPDATE OF state ON job WHEN new.state >= 2 BEGIN
  DELETE FROM job_part WHERE job = new.seq; END;
