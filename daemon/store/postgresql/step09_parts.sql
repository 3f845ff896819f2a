-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step09_parts.sql - schema 9: parts of running jobs, which runners of any node compute.

-- A table of its own: older daemons neither list nor claim a part. `run`: the fence of the job's claim that has opened
-- it; where an older daemon runs the job, in one piece, nobody claims its parts. state: 0 open, 1 running, 2 done, 3 failed.
CREATE TABLE job_part(
  job bigint NOT NULL REFERENCES job(seq) ON DELETE CASCADE,
  part integer NOT NULL,
  version text NOT NULL,
  run bigint NOT NULL,
  state smallint NOT NULL DEFAULT 0,
  fence bigint NOT NULL DEFAULT 0,
  node text NOT NULL DEFAULT '',
  lease_until_ms bigint NOT NULL DEFAULT 0,
  crashes bigint NOT NULL DEFAULT 0,
  bytes bytea,
  PRIMARY KEY(job, part)) WITH (fillfactor = 70);
ALTER TABLE job_part ALTER bytes SET STORAGE EXTERNAL;

CREATE FUNCTION tqd_parts_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM job_part WHERE job = new.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER job_parts_ended AFTER UPDATE OF state ON job FOR EACH ROW
  WHEN (new.state >= 2) EXECUTE FUNCTION tqd_parts_out();

CREATE FUNCTION tqd_part_open(id_ text, fence_ bigint, version_ text, n_ bigint, OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  number bigint := (SELECT h.number FROM tqd_held(id_, fence_) h);
BEGIN
  status := 2;
  IF number IS NULL THEN
    RETURN;
  END IF;
  status := 0;
  DELETE FROM job_part WHERE job = number AND version <> version_;
  UPDATE job_part SET run = fence_ WHERE job = number;
  INSERT INTO job_part(job, part, version, run) SELECT number, i, version_, fence_ FROM generate_series(0, n_ - 1) i
    ON CONFLICT DO NOTHING;
  PERFORM pg_notify(tqd_channel(), 'parts');
END $$;

-- id_ NULL: for any job. The job first, then its part, so that the cost is that of one job's parts.
CREATE FUNCTION tqd_part_claim(node_ text, lease_ms bigint, version_ text, id_ text, fence_ bigint,
  OUT status integer, OUT part_ integer, OUT part_fence bigint, OUT is_first boolean, OUT j job) LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
BEGIN
  status := 1;
  IF id_ IS NULL THEN
    IF EXISTS (SELECT 1 FROM drained WHERE name = node_) THEN
      RETURN;
    END IF;
    SELECT q.* INTO j FROM job q JOIN (SELECT p.job AS number,
        count(*) FILTER (WHERE p.state = 1 AND p.lease_until_ms > now_ms) AS n_running,
        min(p.part) FILTER (WHERE (p.state = 0 OR (p.state = 1 AND p.lease_until_ms <= now_ms)) AND p.crashes = 0) AS first,
        min(p.part) FILTER (WHERE p.state = 3) AS failed
      FROM job_part p JOIN job r ON r.seq = p.job AND r.fence = p.run WHERE p.version = version_ GROUP BY p.job) d
      ON d.number = q.seq
      WHERE q.state = 1 AND NOT q.cancel_asked AND d.first IS NOT NULL AND (d.failed IS NULL OR d.first < d.failed)
      ORDER BY q.priority DESC, d.n_running, q.seq LIMIT 1;
  ELSE
    SELECT * INTO j FROM job WHERE id = id_ AND state = 1 AND fence = fence_;
  END IF;
  IF j.seq IS NULL THEN
    RETURN;
  END IF;
  SELECT p.part INTO part_ FROM job_part p WHERE p.job = j.seq
    AND p.part <= coalesce((SELECT min(f.part) FROM job_part f WHERE f.job = j.seq AND f.state = 3), p.part)
    AND (p.state = 0 OR (p.state = 1 AND p.lease_until_ms <= now_ms) OR (p.state = 3 AND id_ IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM job_part l WHERE l.job = j.seq AND l.part < p.part AND l.state <> 2)))
    AND (p.crashes = 0 OR id_ IS NOT NULL)
    ORDER BY p.part LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE job_part SET state = 1, fence = fence + 1, node = node_, lease_until_ms = now_ms + lease_ms, bytes = NULL
    WHERE job = j.seq AND part = part_ RETURNING fence INTO part_fence;
  is_first := NOT EXISTS (SELECT 1 FROM job_part l WHERE l.job = j.seq AND l.part < part_ AND l.state <> 2);
  status := 0;
END $$;

-- the job of a part whose claim has this fence, unless it has ended
CREATE FUNCTION tqd_part_held(id_ text, part_ bigint, fence_ bigint, OUT number bigint, OUT cancel boolean)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT q.seq, q.cancel_asked INTO number, cancel FROM job q JOIN job_part p ON p.job = q.seq
    WHERE q.id = id_ AND q.state < 2 AND p.part = part_ AND p.state = 1 AND p.fence = fence_ FOR UPDATE OF p;
END $$;

CREATE FUNCTION tqd_part_beat(id_ text, part_ bigint, fence_ bigint, lease_ms bigint, OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  held record;
BEGIN
  SELECT * INTO held FROM tqd_part_held(id_, part_, fence_);
  status := CASE WHEN held.number IS NULL OR held.cancel THEN 2 ELSE 0 END;
  IF status = 0 THEN
    UPDATE job_part SET lease_until_ms = tqd_now() + lease_ms WHERE job = held.number AND part = part_;
  END IF;
END $$;

CREATE FUNCTION tqd_part_end(id_ text, part_ bigint, fence_ bigint, state_ bigint, bytes_ bytea, OUT status integer)
LANGUAGE plpgsql AS $$
DECLARE
  held record;
BEGIN
  SELECT * INTO held FROM tqd_part_held(id_, part_, fence_);
  status := CASE WHEN held.number IS NULL THEN 2 ELSE 0 END;
  IF status = 0 THEN
    UPDATE job_part SET state = state_, lease_until_ms = 0, bytes = bytes_ WHERE job = held.number AND part = part_;
    IF state_ = 2 THEN
      UPDATE job SET tries = 0, crashes = 0 WHERE seq = held.number AND (tries > 0 OR crashes > 0)
        AND NOT EXISTS (SELECT 1 FROM job_part p WHERE p.job = held.number AND p.state <> 2 AND p.crashes > 0);
    ELSIF state_ = 0 THEN
      PERFORM pg_notify(tqd_channel(), 'parts');
    END IF;
  END IF;
END $$;

CREATE FUNCTION tqd_part_drop(node_ text, blamed text, OUT status integer) LANGUAGE plpgsql AS $$
BEGIN
  status := 0;
  UPDATE job SET crashes = crashes + 1 WHERE id = blamed AND state < 2 AND NOT (state = 1 AND node = node_)
    AND EXISTS (SELECT 1 FROM job_part p WHERE p.job = job.seq AND p.state = 1 AND p.node = node_);
  UPDATE job_part p SET state = 0, lease_until_ms = 0, crashes = p.crashes + CASE WHEN q.id = blamed THEN 1 ELSE 0 END
    FROM job q WHERE q.seq = p.job AND p.state = 1 AND p.node = node_;
END $$;
