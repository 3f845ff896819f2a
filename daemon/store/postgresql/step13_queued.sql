-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step13_queued.sql - schema 13: what each client has waiting, and its share of the bytes of all jobs.

-- ------------------------------------------------------------------- what each client has waiting

-- usage 'queued:NAME': n jobs, and the bytes of their bodies that count in 'job_body'
CREATE FUNCTION tqd_queued(client_ text, more bigint, more_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  is_none boolean;
BEGIN
  IF client_ = '' OR (more = 0 AND more_bytes = 0) THEN
    RETURN;
  END IF;
  INSERT INTO usage AS u(what, n, bytes) VALUES ('queued:' || client_, more, more_bytes)
    ON CONFLICT (what) DO UPDATE SET n = u.n + more, bytes = u.bytes + more_bytes RETURNING u.n = 0 INTO is_none;
  IF is_none THEN
    DELETE FROM usage WHERE what = 'queued:' || client_;
  END IF;
END $$;

CREATE FUNCTION tqd_job_bytes(number bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT ((SELECT coalesce(sum(b.size), 0) FROM job_body b WHERE b.job = number)
    + (SELECT coalesce(sum(b.size), 0) FROM job_attachment b WHERE b.job = number)
    + (SELECT coalesce(sum(b.size), 0) FROM job_input b WHERE b.job = number AND b.file IS NULL))::bigint
$$;

-- after rows of jobs have come without their triggers (restore)
CREATE FUNCTION tqd_queued_count() RETURNS void LANGUAGE sql AS $$
  DELETE FROM usage WHERE left(what, 7) = 'queued:';
  INSERT INTO usage(what, n, bytes) SELECT 'queued:' || client, count(*), sum(tqd_job_bytes(seq))
    FROM job WHERE state = 0 AND client <> '' GROUP BY client
$$;
SELECT tqd_queued_count();

-- The bodies of a job are deleted before it (schema 8).
CREATE FUNCTION tqd_queued_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND old.state = 0 THEN
    PERFORM tqd_queued(old.client, -1, -tqd_job_bytes(old.seq));
  END IF;
  IF TG_OP <> 'DELETE' AND new.state = 0 THEN
    PERFORM tqd_queued(new.client, 1, tqd_job_bytes(new.seq));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER queued_job AFTER INSERT OR DELETE ON job FOR EACH ROW EXECUTE FUNCTION tqd_queued_job();
CREATE TRIGGER queued_job_moved AFTER UPDATE OF state ON job FOR EACH ROW WHEN (old.state <> new.state)
  EXECUTE FUNCTION tqd_queued_job();

-- as in schema 8, and of waiting jobs
CREATE OR REPLACE FUNCTION tqd_own_body() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  more bigint := 0;
  number bigint;
BEGIN
  IF TG_OP <> 'DELETE' THEN
    number := new.job;
    more := CASE WHEN TG_TABLE_NAME = 'job_input' AND new.file IS NOT NULL THEN 0 ELSE new.size END;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    number := old.job;
    more := more - CASE WHEN TG_TABLE_NAME = 'job_input' AND old.file IS NOT NULL THEN 0 ELSE old.size END;
  END IF;
  IF more <> 0 THEN
    PERFORM tqd_own(j.client, 0, more), tqd_queued(j.client, 0, CASE WHEN j.state = 0 THEN more ELSE 0 END)
      FROM job j WHERE j.seq = number;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION tqd_queued_bytes() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(bytes), 0)::bigint FROM usage WHERE left(what, 7) = 'queued:'
$$;

-- as in schema 12, of all bytes but those of waiting jobs, which have a bound of their own
CREATE OR REPLACE FUNCTION tqd_retain(age_ms bigint, age_waited_ms bigint, bytes_max bigint, most bigint,
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
      SELECT seq INTO number FROM job WHERE state >= 2 AND finished_ms <= now_ms - age_ms ORDER BY finished_ms, seq LIMIT 1;
    END IF;
    IF NOT FOUND AND (SELECT bytes FROM usage WHERE what = 'job_body') - tqd_queued_bytes() > bytes_max THEN
      -- one at a time while bodies are above the bound: none is deleted that could stay
      number := tqd_oldest_of_most();
    END IF;
    EXIT WHEN number IS NULL;
    DELETE FROM job WHERE seq = number;
    n_job := n_job + 1;
  END LOOP;
END $$;

-- ------------------------------------------------------------------- submission

-- As in schema 8, within the client's share of the queue and of the bytes of all jobs (daemon/share.h). NULL or 0: no bound.
CREATE FUNCTION tqd_submit(
  id_ text, kind_ text, robot_ text, digest_ text, client_ text, waited_ boolean, priority_ integer,
  deadline_ms bigint, key_ text, request_digest_ text, media_ text, size_ bigint, file_ text, bytes_ bytea,
  builtin_digest text, builtin_media text, builtin_source text, builtin_nv integer, builtin_size bigint,
  builtin_bytes bytea, inputs text[], queued_max bigint, bytes_max bigint, client_queued_max bigint,
  trace_ text, own_jobs_max bigint, own_bytes_max bigint, client_bytes_max bigint,
  OUT status integer, OUT repeated boolean, OUT queue_full boolean, OUT client_full boolean, OUT j job,
  OUT own_full boolean, OUT own_jobs bigint, OUT own_bytes bigint, OUT client_bytes_full boolean)
LANGUAGE plpgsql AS $$
DECLARE
  done record;
  used bigint;
BEGIN
  client_full := false; client_bytes_full := false;
  IF (client_queued_max <> 0 OR client_bytes_max <> 0)
      AND NOT EXISTS (SELECT 1 FROM job WHERE client = client_ AND idem_key = key_) THEN
    SELECT u.n, u.bytes INTO own_jobs, own_bytes FROM usage u WHERE u.what = 'queued:' || client_;
    SELECT u.bytes INTO used FROM usage u WHERE u.what = 'job_body';
    client_bytes_full := own_jobs > 0 AND client_bytes_max <> 0 AND client_bytes_max < bytes_max
      AND own_bytes + size_ > least(client_bytes_max, client_bytes_max::double precision
        / (bytes_max - client_bytes_max) * greatest(bytes_max - used, 0));
    client_bytes_full := coalesce(client_bytes_full, false);
    client_full := client_bytes_full OR (client_queued_max <> 0 AND coalesce(own_jobs, 0) >= client_queued_max);
  END IF;
  IF client_full THEN
    status := 3; repeated := false; queue_full := true; own_full := false;
    RETURN;
  END IF;
  SELECT * INTO done FROM tqd_submit(id_, kind_, robot_, digest_, client_, waited_, priority_, deadline_ms,
    key_, request_digest_, media_, size_, file_, bytes_, builtin_digest, builtin_media, builtin_source,
    builtin_nv, builtin_size, builtin_bytes, inputs, queued_max, bytes_max, 0::bigint, trace_, own_jobs_max,
    own_bytes_max);
  status := done.status; repeated := done.repeated; queue_full := done.queue_full; j := done.j;
  own_full := done.own_full; own_jobs := done.own_jobs; own_bytes := done.own_bytes;
END $$;

-- ------------------------------------------------------------------- deletion

-- As in schema 1, by the index job_robot, which does not have jobs without a robot: by job_by_robot a deletion read the
-- jobs of all versions.
CREATE OR REPLACE FUNCTION tqd_job_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tqd_count('job' || old.state, -1, 0);
  IF old.robot <> '' THEN
    DELETE FROM robot_revision h WHERE h.name = old.robot AND h.digest = old.robot_digest
      AND NOT EXISTS (SELECT 1 FROM robot r WHERE r.name = old.robot)
      AND NOT EXISTS (SELECT 1 FROM job j WHERE j.robot <> '' AND j.robot = old.robot
                      AND j.robot_digest = old.robot_digest);
  END IF;
  RETURN NULL;
END $$;
