-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step12_owners.sql - schema 12: whose a name is, the trace of a job, and what each client keeps.

-- '': of before, or of a client without a name. A damaged row of dataset keeps its sum, which fits
-- neither before nor after.
ALTER TABLE robot ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE dataset ADD COLUMN owner TEXT NOT NULL DEFAULT '';
UPDATE dataset SET sum = tqd_sum(name, file, media, size, n_row, n_column, created_ms, summary, owner)
  WHERE sum IS NULL OR sum = tqd_sum(name, file, media, size, n_row, n_column, created_ms, summary);
ALTER TABLE job ADD COLUMN trace TEXT NOT NULL DEFAULT '';

-- usage 'client:NAME': n jobs that are not `waited`, bytes of its jobs' bodies and of its datasets
INSERT INTO usage(what, n, bytes) SELECT 'client:' || client, sum(1 - waited), sum(
    (SELECT coalesce(sum(b.size), 0) FROM job_body b WHERE b.job = seq)
    + (SELECT coalesce(sum(b.size), 0) FROM job_attachment b WHERE b.job = seq)
    + (SELECT coalesce(sum(b.size), 0) FROM job_input b WHERE b.job = seq AND b.file IS NULL))
  FROM job WHERE client <> '' GROUP BY client;
CREATE TRIGGER own_none AFTER UPDATE ON usage
  WHEN new.n = 0 AND new.bytes = 0 AND substr(new.what, 1, 7) = 'client:' BEGIN
  DELETE FROM usage WHERE what = new.what; END;

CREATE TRIGGER own_job_in AFTER INSERT ON job WHEN new.client <> '' BEGIN
  INSERT INTO usage(what, n, bytes) VALUES ('client:' || new.client, 1 - new.waited, 0)
    ON CONFLICT(what) DO UPDATE SET n = n + excluded.n, bytes = bytes + excluded.bytes; END;
CREATE TRIGGER own_job_kept AFTER UPDATE OF waited ON job BEGIN
  UPDATE usage SET n = n + old.waited - new.waited WHERE what = 'client:' || new.client; END;
-- The bodies of a job are deleted before it, since their triggers look up whose it was.
CREATE TRIGGER own_job_out BEFORE DELETE ON job BEGIN
  DELETE FROM job_body WHERE job = old.seq;
  DELETE FROM job_attachment WHERE job = old.seq;
  DELETE FROM job_input WHERE job = old.seq;
  UPDATE usage SET n = n - 1 + old.waited WHERE what = 'client:' || old.client; END;

CREATE TRIGGER own_body_in AFTER INSERT ON job_body BEGIN
  UPDATE usage SET bytes = bytes + new.size
    WHERE what = (SELECT 'client:' || client FROM job WHERE seq = new.job); END;
CREATE TRIGGER own_body_new AFTER UPDATE OF size ON job_body BEGIN
  UPDATE usage SET bytes = bytes + new.size - old.size
    WHERE what = (SELECT 'client:' || client FROM job WHERE seq = new.job); END;
CREATE TRIGGER own_body_out AFTER DELETE ON job_body BEGIN
  UPDATE usage SET bytes = bytes - old.size
    WHERE what = (SELECT 'client:' || client FROM job WHERE seq = old.job); END;
CREATE TRIGGER own_attachment_in AFTER INSERT ON job_attachment BEGIN
  UPDATE usage SET bytes = bytes + new.size
    WHERE what = (SELECT 'client:' || client FROM job WHERE seq = new.job); END;
CREATE TRIGGER own_attachment_out AFTER DELETE ON job_attachment BEGIN
  UPDATE usage SET bytes = bytes - old.size
    WHERE what = (SELECT 'client:' || client FROM job WHERE seq = old.job); END;
CREATE TRIGGER own_input_in AFTER INSERT ON job_input WHEN new.file IS NULL BEGIN
  UPDATE usage SET bytes = bytes + new.size
    WHERE what = (SELECT 'client:' || client FROM job WHERE seq = new.job); END;
CREATE TRIGGER own_input_out AFTER DELETE ON job_input WHEN old.file IS NULL BEGIN
  UPDATE usage SET bytes = bytes - old.size
    WHERE what = (SELECT 'client:' || client FROM job WHERE seq = old.job); END;

CREATE TRIGGER own_dataset_in AFTER INSERT ON dataset WHEN new.owner <> '' BEGIN
  INSERT INTO usage(what, n, bytes) VALUES ('client:' || new.owner, 0, new.size)
    ON CONFLICT(what) DO UPDATE SET n = n + excluded.n, bytes = bytes + excluded.bytes; END;
CREATE TRIGGER own_dataset_new AFTER UPDATE OF size ON dataset BEGIN
  UPDATE usage SET bytes = bytes + new.size - old.size WHERE what = 'client:' || new.owner; END;
CREATE TRIGGER own_dataset_out AFTER DELETE ON dataset BEGIN
  UPDATE usage SET bytes = bytes - old.size WHERE what = 'client:' || old.owner; END;
