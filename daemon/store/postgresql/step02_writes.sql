-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step02_writes.sql - schema 2: a function for each write of jobs; its status is that of types.h.
-- 0 done, 1 not found, 2 mismatch, 3 quota. A refusal has changed nothing.

-- First statement of each group. A process that is frozen within its group lets go after 5 s.
CREATE FUNCTION tqd_begin(OUT n_commit bigint, OUT xid text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '10s', true),
          set_config('idle_in_transaction_session_timeout', '5s', true),
          set_config('statement_timeout', '60s', true),
          set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                     WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true);
  UPDATE identity i SET n_commit = i.n_commit + 1 RETURNING i.n_commit INTO n_commit;
  xid := pg_current_xact_id()::text;
END $$;

CREATE FUNCTION tqd_body_put(number bigint, kind smallint, media_ text, size_ bigint, file_ text, bytes_ bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO job_body(job, what, media, size, file, bytes)
    VALUES (number, kind, media_, size_, file_, bytes_)
    ON CONFLICT (job, what) DO UPDATE SET media = excluded.media, size = excluded.size,
      file = excluded.file, bytes = excluded.bytes;
END $$;

-- One input: a dataset, a version of one that another job keeps, or the result of a job.
CREATE FUNCTION tqd_pin(number bigint, called text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  plain text := split_part(called, '@', 1);
  version text := CASE WHEN position('@' IN called) > 0 THEN substr(called, position('@' IN called) + 1) END;
BEGIN
  IF starts_with(called, 'job:') THEN
    INSERT INTO job_input(job, name, media, size, file, bytes)
      SELECT number, called, b.media, b.size, b.file, b.bytes FROM job_body b
      WHERE b.what = 1 AND b.job = (SELECT j.seq FROM job j WHERE j.id = substr(called, 5) AND j.state = 2)
      ON CONFLICT DO NOTHING;
    RETURN;
  END IF;
  INSERT INTO job_input(job, name, media, size, file)
    SELECT number, called, d.media, d.size, d.file FROM dataset d
    WHERE d.name = plain AND (version IS NULL OR d.file = version) ON CONFLICT DO NOTHING;
  IF NOT FOUND AND version IS NOT NULL THEN
    INSERT INTO job_input(job, name, media, size, file)
      SELECT number, called, i.media, i.size, i.file FROM job_input i
      WHERE i.file = version AND (i.name = plain OR i.name = called) LIMIT 1 ON CONFLICT DO NOTHING;
  END IF;
END $$;

CREATE FUNCTION tqd_submit(
  id_ text, kind_ text, robot_ text, digest_ text, client_ text, waited_ boolean, priority_ integer,
  deadline_ms bigint, key_ text, request_digest_ text, media_ text, size_ bigint, file_ text, bytes_ bytea,
  builtin_digest text, builtin_media text, builtin_source text, builtin_nv integer, builtin_size bigint,
  builtin_bytes bytea, inputs text[], queued_max bigint, bytes_max bigint,
  OUT status integer, OUT repeated boolean, OUT queue_full boolean, OUT j job) LANGUAGE plpgsql AS $$
DECLARE
  queued bigint;
  bytes_now bigint;
  tag_ bigint;
  now_ms bigint := tqd_now();
  called text;
BEGIN
  status := 0; repeated := false; queue_full := false;
  IF key_ IS NOT NULL THEN
    SELECT * INTO j FROM job WHERE client = client_ AND idem_key = key_;
    IF FOUND THEN
      repeated := j.request_digest IS NOT DISTINCT FROM request_digest_;
      status := CASE WHEN repeated THEN 0 ELSE 2 END;
      RETURN;
    END IF;
  END IF;
  SELECT n INTO queued FROM usage WHERE what = 'job0';
  SELECT bytes INTO bytes_now FROM usage WHERE what = 'job_body';
  queue_full := queued_max <> 0 AND queued >= queued_max;
  IF queue_full OR (bytes_max <> 0 AND bytes_now + size_ > bytes_max) THEN
    status := 3;
    RETURN;
  END IF;
  IF robot_ <> '' AND NOT EXISTS (SELECT 1 FROM robot_revision h WHERE h.name = robot_ AND h.digest = digest_) THEN
    IF builtin_digest IS DISTINCT FROM digest_ THEN
      status := 1;
      RETURN;
    END IF;
    INSERT INTO robot_version(digest, media, source, nv, size, bytes)
      VALUES (builtin_digest, builtin_media, builtin_source, builtin_nv, builtin_size, builtin_bytes)
      ON CONFLICT (digest) DO NOTHING;
    INSERT INTO robot_revision(name, digest, created_ms) VALUES (robot_, builtin_digest, now_ms);
  END IF;
  SELECT greatest((SELECT n FROM usage WHERE what = 'clock'),
                  (SELECT tag FROM job WHERE client = client_ AND state = 0 ORDER BY tag DESC LIMIT 1)) + 1
    INTO tag_;
  INSERT INTO job(id, kind, robot, robot_digest, client, priority, tag, deadline_at_ms, idem_key,
                  request_digest, created_ms, changed_ms, waited)
    VALUES (id_, kind_, robot_, digest_, client_, priority_, tag_,
            CASE WHEN deadline_ms <> 0 THEN now_ms + deadline_ms END, key_, request_digest_, now_ms, now_ms, waited_)
    RETURNING * INTO j;
  PERFORM tqd_body_put(j.seq, 0::smallint, media_, size_, file_, bytes_);
  FOREACH called IN ARRAY inputs LOOP
    PERFORM tqd_pin(j.seq, called);
  END LOOP;
END $$;

-- The group's lock makes claims of all nodes take turns; SKIP LOCKED passes over a row that
-- somebody else's transaction, an administrator's, holds.
CREATE FUNCTION tqd_claim(node_ text, lease_ms bigint, OUT status integer, OUT j job) LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
BEGIN
  SELECT * INTO j FROM job WHERE state = 0 AND (deadline_at_ms IS NULL OR deadline_at_ms > now_ms)
    ORDER BY priority DESC, tag, seq LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    status := 1;
    RETURN;
  END IF;
  UPDATE job SET state = 1, attempts = attempts + 1, fence = fence + 1, node = node_,
    lease_until_ms = now_ms + lease_ms, changed_ms = now_ms,
    started_ms = CASE started_ms WHEN 0 THEN now_ms ELSE started_ms END
    WHERE seq = j.seq RETURNING * INTO j;
  UPDATE usage SET n = j.tag WHERE what = 'clock' AND n < j.tag;
  status := 0;
END $$;

-- the number of a running job, if `fence_` is that of its present claim
CREATE FUNCTION tqd_held(id_ text, fence_ bigint, OUT number bigint, OUT cancel boolean)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT seq, cancel_asked INTO number, cancel FROM job WHERE id = id_ AND state = 1 AND fence = fence_;
END $$;

CREATE FUNCTION tqd_beat(id_ text, fence_ bigint, lease_ms bigint, fraction_ double precision,
  eta double precision, step_ text, OUT status integer, OUT cancel boolean) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE job SET lease_until_ms = tqd_now() + lease_ms, fraction = fraction_, eta_s = eta,
    step = coalesce(step_, step) WHERE id = id_ AND state = 1 AND fence = fence_
    RETURNING cancel_asked INTO cancel;
  status := CASE WHEN FOUND THEN 0 ELSE 2 END;
END $$;

CREATE FUNCTION tqd_checkpoint(id_ text, fence_ bigint, lease_ms bigint, media_ text, size_ bigint,
  file_ text, bytes_ bytea, bytes_max bigint, OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  number bigint := (SELECT h.number FROM tqd_held(id_, fence_) h);
BEGIN
  IF number IS NULL THEN
    status := 2;
  ELSIF bytes_max <> 0 AND (SELECT bytes FROM usage WHERE what = 'job_body') + size_ > bytes_max THEN
    status := 3;
  ELSE
    PERFORM tqd_body_put(number, 2::smallint, media_, size_, file_, bytes_);
    UPDATE job SET lease_until_ms = tqd_now() + lease_ms, tries = 0, crashes = 0 WHERE seq = number;
    status := 0;
  END IF;
END $$;

CREATE FUNCTION tqd_finish(id_ text, fence_ bigint, state_ integer,
  result_media text, result_size bigint, result_file text, result_bytes bytea,
  problem_media text, problem_size bigint, problem_file text, problem_bytes bytea,
  OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  number bigint := (SELECT h.number FROM tqd_held(id_, fence_) h);
  now_ms bigint := tqd_now();
BEGIN
  status := 2;
  IF number IS NULL THEN
    RETURN;
  END IF;
  UPDATE job SET state = state_, lease_until_ms = 0, finished_ms = now_ms, changed_ms = now_ms,
    eta_s = CASE state_ WHEN 2 THEN 0.0 ELSE -1.0 END,
    fraction = CASE state_ WHEN 2 THEN 1.0 ELSE fraction END WHERE seq = number;
  DELETE FROM job_body WHERE job = number AND what = 2;
  IF result_media IS NOT NULL THEN
    PERFORM tqd_body_put(number, 1::smallint, result_media, result_size, result_file, result_bytes);
  END IF;
  IF problem_media IS NOT NULL THEN
    PERFORM tqd_body_put(number, 3::smallint, problem_media, problem_size, problem_file, problem_bytes);
  END IF;
  status := 0;
END $$;

-- A file beside the result, in the group of the tqd_finish that has just ended the job: that has
-- moved the state, and the fence stays.
CREATE FUNCTION tqd_attach(id_ text, fence_ bigint, name_ text, media_ text, size_ bigint,
  file_ text, bytes_ bytea, OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  group_xid xid := pg_current_xact_id()::xid;
BEGIN
  INSERT INTO job_attachment(job, name, media, size, file, bytes)
    SELECT j.seq, name_, media_, size_, file_, bytes_ FROM job j
    WHERE j.id = id_ AND j.fence = fence_ AND j.state >= 2 AND j.xmin = group_xid;
  status := CASE WHEN FOUND THEN 0 ELSE 2 END;
END $$;

CREATE FUNCTION tqd_end(number bigint, state_ integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
BEGIN
  UPDATE job SET state = state_, lease_until_ms = 0, eta_s = -1.0, finished_ms = now_ms,
    changed_ms = now_ms WHERE seq = number;
END $$;

CREATE FUNCTION tqd_requeue(number bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE job SET state = 0, lease_until_ms = 0, changed_ms = tqd_now() WHERE seq = number;
END $$;

CREATE FUNCTION tqd_release(id_ text, fence_ bigint, OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  held record;
BEGIN
  SELECT * INTO held FROM tqd_held(id_, fence_);
  status := 0;
  IF held.number IS NULL THEN
    status := 2;
  ELSIF held.cancel THEN
    PERFORM tqd_end(held.number, 4);
  ELSE
    PERFORM tqd_requeue(held.number);
  END IF;
END $$;

CREATE FUNCTION tqd_cancel(id_ text, OUT status integer, OUT j job) LANGUAGE plpgsql AS $$
BEGIN
  SELECT * INTO j FROM job WHERE id = id_;
  IF NOT FOUND THEN
    status := 1;
    RETURN;
  END IF;
  status := CASE WHEN j.state >= 2 THEN 2 ELSE 0 END;
  IF j.state = 0 THEN
    PERFORM tqd_end(j.seq, 4);
  ELSIF j.state = 1 THEN
    UPDATE job SET cancel_asked = true WHERE seq = j.seq;
    PERFORM pg_notify(tqd_channel(), 'jobs');
  END IF;
  SELECT * INTO j FROM job WHERE id = id_;
END $$;

CREATE FUNCTION tqd_delete(id_ text, OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  state_ smallint := (SELECT state FROM job WHERE id = id_);
BEGIN
  status := CASE WHEN state_ IS NULL THEN 1 WHEN state_ < 2 THEN 2 ELSE 0 END;
  IF status = 0 THEN
    DELETE FROM job WHERE id = id_;
    PERFORM pg_notify(tqd_channel(), 'jobs');
  END IF;
END $$;

CREATE FUNCTION tqd_keep(id_ text, OUT status integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE job SET waited = false WHERE id = id_;
  status := CASE WHEN FOUND THEN 0 ELSE 1 END;
END $$;

CREATE FUNCTION tqd_fail(number bigint, problem bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tqd_end(number, 3);
  DELETE FROM job_body WHERE job = number AND what = 2;
  PERFORM tqd_body_put(number, 3::smallint, 'application/problem+json', length(problem), NULL, problem);
END $$;

CREATE FUNCTION tqd_expire(node_ text, blamed text, crashes_max bigint, interruptions_max bigint,
  most bigint, late bytea, crashed bytea, interrupted bytea, OUT status integer, OUT n_job bigint)
LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
  at_once bigint := least(most, 64);
  one record;
BEGIN
  status := 0; n_job := 0;
  FOR one IN SELECT seq FROM job WHERE state = 0 AND deadline_at_ms <= now_ms LIMIT at_once LOOP
    PERFORM tqd_fail(one.seq, late);
    n_job := n_job + 1;
  END LOOP;
  FOR one IN SELECT seq, id, cancel_asked FROM job WHERE state = 1
      AND CASE WHEN node_ IS NULL THEN lease_until_ms <= now_ms ELSE node = node_ END
      ORDER BY seq LIMIT at_once LOOP
    DECLARE
      guilty boolean := blamed IS NOT NULL AND one.id = blamed;
      n_crash bigint;
      n_try bigint;
    BEGIN
      UPDATE job SET tries = tries + 1, crashes = crashes + CASE WHEN guilty THEN 1 ELSE 0 END
        WHERE seq = one.seq RETURNING crashes, tries INTO n_crash, n_try;
      IF one.cancel_asked THEN
        PERFORM tqd_end(one.seq, 4);
      ELSIF guilty AND n_crash >= crashes_max THEN
        PERFORM tqd_fail(one.seq, crashed);
      ELSIF interruptions_max > 0 AND n_try >= interruptions_max THEN
        PERFORM tqd_fail(one.seq, interrupted);
      ELSE
        PERFORM tqd_requeue(one.seq);
      END IF;
    END;
    n_job := n_job + 1;
  END LOOP;
END $$;

CREATE FUNCTION tqd_retain(age_ms bigint, age_waited_ms bigint, bytes_max bigint, most bigint,
  OUT status integer, OUT n_job bigint) LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
  number bigint;
BEGIN
  status := 0; n_job := 0;
  WHILE n_job < most LOOP
    SELECT seq INTO number FROM job WHERE state >= 2 AND waited AND finished_ms <= now_ms - age_waited_ms
      ORDER BY finished_ms LIMIT 1;
    IF NOT FOUND THEN
      -- one at a time while bodies are above the bound: none is deleted that could stay
      SELECT seq INTO number FROM job WHERE state >= 2 AND (finished_ms <= now_ms - age_ms
        OR (SELECT bytes FROM usage WHERE what = 'job_body') > bytes_max) ORDER BY finished_ms, seq LIMIT 1;
      EXIT WHEN NOT FOUND;
    END IF;
    DELETE FROM job WHERE seq = number;
    n_job := n_job + 1;
  END LOOP;
END $$;

-- EXECUTE plans with the values at hand, so that filters that are not set cost nothing.
CREATE FUNCTION tqd_purge(states integer, kind_ text, robot_ text, newer_ms bigint, older_ms bigint,
  before_seq bigint, most bigint, OUT status integer, OUT n_job bigint, OUT last_seq bigint)
LANGUAGE plpgsql AS $$
BEGIN
  status := 0;
  EXECUTE 'WITH old AS (SELECT seq FROM job WHERE seq < $6 AND ($1 >> state) & 1 = 1'
    ' AND ($2 IS NULL OR kind = $2) AND ($3 IS NULL OR robot = $3)'
    ' AND ($4 = 0 OR created_ms >= tqd_now() - $4) AND ($5 = 0 OR created_ms < tqd_now() - $5)'
    ' ORDER BY seq DESC LIMIT least($7, 64)),'
    ' gone AS (DELETE FROM job WHERE seq IN (SELECT seq FROM old) RETURNING seq)'
    ' SELECT count(*), coalesce(min(seq), 0) FROM gone'
    INTO n_job, last_seq USING states, kind_, robot_, newer_ms, older_ms, before_seq, most;
END $$;
