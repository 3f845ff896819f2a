-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step16_queued.sql - schema 16: what each client has waiting.

-- usage 'queued:NAME': n jobs, and the bytes of their bodies that count in 'job_body'
CREATE VIEW job_bytes AS SELECT seq AS job,
    (SELECT coalesce(sum(b.size), 0) FROM job_body b WHERE b.job = seq)
    + (SELECT coalesce(sum(b.size), 0) FROM job_attachment b WHERE b.job = seq)
    + (SELECT coalesce(sum(b.size), 0) FROM job_input b WHERE b.job = seq AND b.file IS NULL) AS bytes
  FROM job;
INSERT INTO usage(what, n, bytes) SELECT 'queued:' || client, count(*), sum(bytes)
  FROM job JOIN job_bytes ON job_bytes.job = seq WHERE state = 0 AND client <> '' GROUP BY client;
CREATE TRIGGER queued_none AFTER UPDATE ON usage
  WHEN new.n = 0 AND substr(new.what, 1, 7) = 'queued:' BEGIN
  DELETE FROM usage WHERE what = new.what; END;

CREATE TRIGGER queued_in AFTER INSERT ON job WHEN new.client <> '' AND new.state = 0 BEGIN
  INSERT INTO usage(what, n, bytes) VALUES ('queued:' || new.client, 1, 0)
    ON CONFLICT(what) DO UPDATE SET n = n + 1; END;
CREATE TRIGGER queued_again AFTER UPDATE OF state ON job
  WHEN new.client <> '' AND new.state = 0 AND old.state <> 0 BEGIN
  INSERT INTO usage(what, n, bytes)
    SELECT 'queued:' || new.client, 1, bytes FROM job_bytes WHERE job = new.seq
    ON CONFLICT(what) DO UPDATE SET n = n + 1, bytes = bytes + excluded.bytes; END;
CREATE TRIGGER queued_begun AFTER UPDATE OF state ON job
  WHEN new.client <> '' AND new.state <> 0 AND old.state = 0 BEGIN
  UPDATE usage SET n = n - 1, bytes = bytes - (SELECT b.bytes FROM job_bytes b WHERE b.job = new.seq)
    WHERE what = 'queued:' || new.client; END;
-- The bodies of a job are deleted before it (schema 12).
CREATE TRIGGER queued_out AFTER DELETE ON job WHEN old.client <> '' AND old.state = 0 BEGIN
  UPDATE usage SET n = n - 1 WHERE what = 'queued:' || old.client; END;

CREATE TRIGGER queued_body_in AFTER INSERT ON job_body BEGIN
  UPDATE usage SET bytes = bytes + new.size
    WHERE what = (SELECT 'queued:' || client FROM job WHERE seq = new.job AND state = 0); END;
CREATE TRIGGER queued_body_new AFTER UPDATE OF size ON job_body BEGIN
  UPDATE usage SET bytes = bytes + new.size - old.size
    WHERE what = (SELECT 'queued:' || client FROM job WHERE seq = new.job AND state = 0); END;
CREATE TRIGGER queued_body_out AFTER DELETE ON job_body BEGIN
  UPDATE usage SET bytes = bytes - old.size
    WHERE what = (SELECT 'queued:' || client FROM job WHERE seq = old.job AND state = 0); END;
CREATE TRIGGER queued_attachment_in AFTER INSERT ON job_attachment BEGIN
  UPDATE usage SET bytes = bytes + new.size
    WHERE what = (SELECT 'queued:' || client FROM job WHERE seq = new.job AND state = 0); END;
CREATE TRIGGER queued_attachment_out AFTER DELETE ON job_attachment BEGIN
  UPDATE usage SET bytes = bytes - old.size
    WHERE what = (SELECT 'queued:' || client FROM job WHERE seq = old.job AND state = 0); END;
CREATE TRIGGER queued_input_in AFTER INSERT ON job_input WHEN new.file IS NULL BEGIN
  UPDATE usage SET bytes = bytes + new.size
    WHERE what = (SELECT 'queued:' || client FROM job WHERE seq = new.job AND state = 0); END;
CREATE TRIGGER queued_input_out AFTER DELETE ON job_input WHEN old.file IS NULL BEGIN
  UPDATE usage SET bytes = bytes - old.size
    WHERE what = (SELECT 'queued:' || client FROM job WHERE seq = old.job AND state = 0); END;

-- As in schema 2, by the index job_robot, which does not have jobs without a robot: by job_by_robot a deletion read the
-- jobs of all versions.
DROP TRIGGER job_out;
CREATE TRIGGER job_out AFTER DELETE ON job BEGIN
  UPDATE usage SET n = n - 1 WHERE what = 'job' || old.state;
  DELETE FROM robot_revision WHERE name = old.robot AND digest = old.robot_digest
    AND NOT EXISTS (SELECT 1 FROM robot WHERE robot.name = old.robot)
    AND NOT EXISTS (SELECT 1 FROM job WHERE job.robot <> '' AND job.robot = old.robot
                    AND job.robot_digest = old.robot_digest); END;
