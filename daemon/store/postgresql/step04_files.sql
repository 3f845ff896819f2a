-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step04_files.sql - schema 4: the bytes of files and of running jobs' spools, in chunks of 1 MiB.

-- `held_until_ms`: its upload has ended, and the row that refers to it may not be committed yet
CREATE TABLE file(
  digest text COLLATE "C" PRIMARY KEY,
  size bigint NOT NULL,
  held_until_ms bigint NOT NULL);
CREATE TABLE file_chunk(
  digest text COLLATE "C" NOT NULL REFERENCES file(digest) ON DELETE CASCADE,
  n integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY(digest, n));
CREATE TABLE job_spool(
  job bigint NOT NULL REFERENCES job(seq) ON DELETE CASCADE,
  n integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY(job, n));
-- recordings and results do not get smaller by it
ALTER TABLE file_chunk ALTER bytes SET STORAGE EXTERNAL;
ALTER TABLE job_spool ALTER bytes SET STORAGE EXTERNAL;

CREATE FUNCTION tqd_file_used(digest_ text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM job_body WHERE file = digest_)
    OR EXISTS (SELECT 1 FROM job_attachment WHERE file = digest_)
    OR EXISTS (SELECT 1 FROM job_input WHERE file = digest_)
    OR EXISTS (SELECT 1 FROM dataset WHERE file = digest_) $$;

-- First statement of an upload's transaction. `there`: another upload has brought the same bytes.
-- Like every file it is on the list of garbage until a row refers to it.
CREATE FUNCTION tqd_file_begin(digest_ text, size_ bigint, bytes_max bigint, OUT status integer, OUT there boolean)
LANGUAGE plpgsql AS $$
DECLARE
  until_ms bigint := tqd_now() + 600000;
BEGIN
  PERFORM set_config('lock_timeout', '60s', true),
          set_config('idle_in_transaction_session_timeout', '30s', true);
  INSERT INTO file AS f(digest, size, held_until_ms) VALUES (digest_, size_, until_ms)
    ON CONFLICT (digest) DO UPDATE SET held_until_ms = excluded.held_until_ms
    RETURNING f.xmax <> 0 INTO there;
  status := CASE WHEN NOT there AND bytes_max <> 0 AND (SELECT sum(size) FROM file) > bytes_max THEN 3 ELSE 0 END;
  IF status = 0 THEN
    INSERT INTO garbage(file) VALUES (digest_);
  END IF;
END $$;

-- Files on the list, up to a number, that no row refers to: gone with their chunks, at most 1 GiB at
-- a time, since this holds the lock of all writes. Those that are held stay on the list.
CREATE OR REPLACE FUNCTION tqd_garbage_drop(last_seq bigint, OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  one record;
  present record;
  freed bigint := 0;
BEGIN
  status := 0;
  FOR one IN SELECT g.seq, g.file FROM garbage g WHERE g.seq <= last_seq ORDER BY g.seq LOOP
    SELECT f.size, f.held_until_ms > tqd_now() AS held INTO present FROM file f
      WHERE f.digest = one.file FOR UPDATE SKIP LOCKED;
    IF FOUND AND present.held OR NOT FOUND AND EXISTS (SELECT 1 FROM file f WHERE f.digest = one.file) THEN
      CONTINUE;
    END IF;
    IF FOUND AND NOT tqd_file_used(one.file) THEN
      DELETE FROM file WHERE digest = one.file;
      freed := freed + present.size;
    END IF;
    DELETE FROM garbage WHERE seq = one.seq;
    EXIT WHEN freed > 1073741824;
  END LOOP;
END $$;

-- One chunk of a running job's spool. The row of the job is locked for the moment of this statement,
-- so a claim cannot come between the look at the fence and the chunk. `last`: none follows it.
CREATE FUNCTION tqd_spool_put(id_ text, fence_ bigint, n_ integer, bytes_ bytea, last boolean, OUT status integer)
LANGUAGE plpgsql AS $$
DECLARE
  number bigint;
BEGIN
  SELECT seq INTO number FROM job WHERE id = id_ AND state = 1 AND fence = fence_ FOR SHARE;
  status := CASE WHEN FOUND THEN 0 ELSE 2 END;
  IF status = 0 THEN
    INSERT INTO job_spool AS s(job, n, bytes) VALUES (number, n_, bytes_)
      ON CONFLICT (job, n) DO UPDATE SET bytes = excluded.bytes;
    IF last THEN
      DELETE FROM job_spool WHERE job = number AND n > n_;
    END IF;
  END IF;
END $$;

CREATE FUNCTION tqd_spool_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM job_spool WHERE job = new.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER job_ended AFTER UPDATE OF state ON job FOR EACH ROW
  WHEN (new.state >= 2) EXECUTE FUNCTION tqd_spool_out();
