-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step08_owners.sql - schema 8: whose a name is, the trace of a job, and what each client keeps.

-- '': of before, or of a client without a name. What older daemons write stays anybody's.
ALTER TABLE robot ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE dataset ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN trace text NOT NULL DEFAULT '';

-- ------------------------------------------------------------------- what each client keeps

-- usage 'client:NAME': n jobs that are not `waited`, bytes of its jobs' bodies and of its datasets
CREATE FUNCTION tqd_own(client_ text, more bigint, more_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  is_none boolean;
BEGIN
  IF client_ = '' OR (more = 0 AND more_bytes = 0) THEN
    RETURN;
  END IF;
  INSERT INTO usage AS u(what, n, bytes) VALUES ('client:' || client_, more, more_bytes)
    ON CONFLICT (what) DO UPDATE SET n = u.n + more, bytes = u.bytes + more_bytes
    RETURNING u.n = 0 AND u.bytes = 0 INTO is_none;
  IF is_none THEN
    DELETE FROM usage WHERE what = 'client:' || client_;
  END IF;
END $$;

INSERT INTO usage(what, n, bytes)
  SELECT 'client:' || j.client, count(*) FILTER (WHERE NOT j.waited), sum(
      (SELECT coalesce(sum(b.size), 0) FROM job_body b WHERE b.job = j.seq)
      + (SELECT coalesce(sum(b.size), 0) FROM job_attachment b WHERE b.job = j.seq)
      + (SELECT coalesce(sum(b.size), 0) FROM job_input b WHERE b.job = j.seq AND b.file IS NULL))
    FROM job j WHERE j.client <> '' GROUP BY j.client;

CREATE FUNCTION tqd_own_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM tqd_own(new.client, CASE WHEN new.waited THEN 0 ELSE 1 END, 0);
  ELSIF TG_OP = 'UPDATE' THEN
    PERFORM tqd_own(new.client, CASE WHEN old.waited AND NOT new.waited THEN 1
                                     WHEN new.waited AND NOT old.waited THEN -1 ELSE 0 END, 0);
  ELSE
    -- before the row itself: the triggers of these look up whose it was
    DELETE FROM job_body WHERE job = old.seq;
    DELETE FROM job_attachment WHERE job = old.seq;
    DELETE FROM job_input WHERE job = old.seq;
    PERFORM tqd_own(old.client, CASE WHEN old.waited THEN 0 ELSE -1 END, 0);
    RETURN old;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER own_job_in AFTER INSERT ON job FOR EACH ROW EXECUTE FUNCTION tqd_own_job();
CREATE TRIGGER own_job_kept AFTER UPDATE OF waited ON job FOR EACH ROW EXECUTE FUNCTION tqd_own_job();
CREATE TRIGGER own_job_out BEFORE DELETE ON job FOR EACH ROW EXECUTE FUNCTION tqd_own_job();

CREATE FUNCTION tqd_own_body() RETURNS trigger LANGUAGE plpgsql AS $$
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
    PERFORM tqd_own(j.client, 0, more) FROM job j WHERE j.seq = number;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER own_body AFTER INSERT OR UPDATE OR DELETE ON job_body FOR EACH ROW EXECUTE FUNCTION tqd_own_body();
CREATE TRIGGER own_attachment AFTER INSERT OR DELETE ON job_attachment FOR EACH ROW EXECUTE FUNCTION tqd_own_body();
CREATE TRIGGER own_input AFTER INSERT OR DELETE ON job_input FOR EACH ROW EXECUTE FUNCTION tqd_own_body();

CREATE FUNCTION tqd_own_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM tqd_own(old.owner, 0, -old.size);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM tqd_own(new.owner, 0, new.size);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER own_dataset AFTER INSERT OR UPDATE OR DELETE ON dataset FOR EACH ROW EXECUTE FUNCTION tqd_own_dataset();

-- ------------------------------------------------------------------- changes by an owner

-- 4 beside the statuses of schema 2: another client's, `whose`. by_ NULL: it may change any.
CREATE FUNCTION tqd_is_owned(owner_ text, by_ text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT by_ IS NOT NULL AND owner_ <> '' AND owner_ <> by_ $$;

CREATE FUNCTION tqd_robot_put(name_ text, digest_ text, media_ text, source_ text, nv_ integer,
  bytes_ bytea, if_match text, if_none_match text, robots_max bigint, bytes_max bigint, versions bigint,
  owner_ text, by_ text, OUT status integer, OUT replaced text, OUT whose text) LANGUAGE plpgsql AS $$
DECLARE
  present record;
  done record;
BEGIN
  SELECT r.digest, r.owner INTO present FROM robot r WHERE r.name = name_;
  whose := coalesce(present.owner, owner_);
  IF tqd_is_owned(present.owner, by_) AND present.digest <> digest_ THEN
    status := 4; replaced := present.digest;
    RETURN;
  END IF;
  SELECT * INTO done FROM tqd_robot_put(name_, digest_, media_, source_, nv_, bytes_, if_match, if_none_match,
    robots_max, bytes_max, versions);
  status := done.status; replaced := done.replaced;
  IF status = 0 AND present.owner IS NULL AND owner_ <> '' THEN
    UPDATE robot SET owner = owner_ WHERE name = name_;
  END IF;
END $$;

CREATE FUNCTION tqd_robot_delete(name_ text, if_match text, by_ text, OUT status integer, OUT whose text)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT r.owner INTO whose FROM robot r WHERE r.name = name_;
  status := CASE WHEN tqd_is_owned(whose, by_) THEN 4 ELSE tqd_robot_delete(name_, if_match) END;
END $$;

CREATE FUNCTION tqd_dataset_put(name_ text, file_ text, media_ text, size_ bigint, n_row_ bigint,
  n_column_ bigint, summary_ bytea, if_match text, if_none_match text, datasets_max bigint,
  owner_ text, by_ text, own_bytes_max bigint,
  OUT status integer, OUT replaced text, OUT whose text, OUT own_bytes bigint) LANGUAGE plpgsql AS $$
DECLARE
  present record;
  done record;
BEGIN
  SELECT d.file, d.owner, d.size INTO present FROM dataset d WHERE d.name = name_;
  whose := coalesce(present.owner, owner_);
  IF tqd_is_owned(present.owner, by_) THEN
    status := 4; replaced := present.file;
    RETURN;
  END IF;
  IF NOT tqd_matches(present.file, if_match) OR (if_none_match IS NOT NULL AND present.file IS NOT NULL) THEN
    status := 2; replaced := present.file;
    RETURN;
  END IF;
  IF own_bytes_max <> 0 AND whose = owner_ AND size_ > coalesce(present.size, 0) THEN
    own_bytes := coalesce((SELECT u.bytes FROM usage u WHERE u.what = 'client:' || owner_), 0);
    IF own_bytes - coalesce(present.size, 0) + size_ > own_bytes_max THEN
      status := 3; replaced := present.file;
      RETURN;
    END IF;
    own_bytes := NULL;
  END IF;
  SELECT * INTO done FROM tqd_dataset_put(name_, file_, media_, size_, n_row_, n_column_, summary_, if_match,
    if_none_match, datasets_max);
  status := done.status; replaced := done.replaced;
  IF status = 0 AND present.owner IS NULL AND owner_ <> '' THEN
    UPDATE dataset SET owner = owner_ WHERE name = name_;
  END IF;
END $$;

CREATE FUNCTION tqd_dataset_delete(name_ text, if_match text, by_ text,
  OUT status integer, OUT replaced text, OUT whose text) LANGUAGE plpgsql AS $$
DECLARE
  done record;
BEGIN
  SELECT d.owner INTO whose FROM dataset d WHERE d.name = name_;
  IF tqd_is_owned(whose, by_) THEN
    status := 4;
    RETURN;
  END IF;
  SELECT * INTO done FROM tqd_dataset_delete(name_, if_match);
  status := done.status; replaced := done.replaced;
END $$;

CREATE FUNCTION tqd_cancel(id_ text, by_ text, OUT status integer, OUT j job) LANGUAGE plpgsql AS $$
DECLARE
  done record;
BEGIN
  SELECT * INTO j FROM job WHERE id = id_;
  IF tqd_is_owned(j.client, by_) THEN
    status := 4;
    RETURN;
  END IF;
  SELECT * INTO done FROM tqd_cancel(id_);
  status := done.status; j := done.j;
END $$;

CREATE FUNCTION tqd_delete(id_ text, by_ text, OUT status integer, OUT whose text) LANGUAGE plpgsql AS $$
BEGIN
  SELECT client INTO whose FROM job WHERE id = id_;
  status := CASE WHEN tqd_is_owned(whose, by_) THEN 4 ELSE tqd_delete(id_) END;
END $$;

-- as in schema 2, of one client's jobs and nobody's where by_ is not NULL
CREATE FUNCTION tqd_purge(states integer, kind_ text, robot_ text, newer_ms bigint, older_ms bigint,
  before_seq bigint, most bigint, by_ text, OUT status integer, OUT n_job bigint, OUT last_seq bigint)
LANGUAGE plpgsql AS $$
BEGIN
  status := 0;
  EXECUTE 'WITH old AS (SELECT seq FROM job WHERE seq < $6 AND ($1 >> state) & 1 = 1'
    ' AND ($2 IS NULL OR kind = $2) AND ($3 IS NULL OR robot = $3)'
    ' AND ($4 = 0 OR created_ms >= tqd_now() - $4) AND ($5 = 0 OR created_ms < tqd_now() - $5)'
    ' AND ($8 IS NULL OR client = $8 OR client = '''')'
    ' ORDER BY seq DESC LIMIT least($7, 64)),'
    ' gone AS (DELETE FROM job WHERE seq IN (SELECT seq FROM old) RETURNING seq)'
    ' SELECT count(*), coalesce(min(seq), 0) FROM gone'
    INTO n_job, last_seq USING states, kind_, robot_, newer_ms, older_ms, before_seq, most, by_;
END $$;

-- ------------------------------------------------------------------- submission

-- as in schema 6, in a trace, and within bounds of what the client keeps; 0: none
CREATE FUNCTION tqd_submit(
  id_ text, kind_ text, robot_ text, digest_ text, client_ text, waited_ boolean, priority_ integer,
  deadline_ms bigint, key_ text, request_digest_ text, media_ text, size_ bigint, file_ text, bytes_ bytea,
  builtin_digest text, builtin_media text, builtin_source text, builtin_nv integer, builtin_size bigint,
  builtin_bytes bytea, inputs text[], queued_max bigint, bytes_max bigint, client_queued_max bigint,
  trace_ text, own_jobs_max bigint, own_bytes_max bigint,
  OUT status integer, OUT repeated boolean, OUT queue_full boolean, OUT client_full boolean, OUT j job,
  OUT own_full boolean, OUT own_jobs bigint, OUT own_bytes bigint)
LANGUAGE plpgsql AS $$
DECLARE
  done record;
BEGIN
  own_full := false;
  IF (own_jobs_max <> 0 OR own_bytes_max <> 0)
      AND NOT EXISTS (SELECT 1 FROM job WHERE client = client_ AND idem_key = key_) THEN
    SELECT u.n, u.bytes INTO own_jobs, own_bytes FROM usage u WHERE u.what = 'client:' || client_;
    own_full := own_jobs_max <> 0 AND coalesce(own_jobs, 0) >= own_jobs_max
      OR own_bytes_max <> 0 AND coalesce(own_bytes, 0) + size_ > own_bytes_max;
  END IF;
  IF own_full THEN
    status := 3; repeated := false; queue_full := false; client_full := false;
    RETURN;
  END IF;
  SELECT * INTO done FROM tqd_submit(id_, kind_, robot_, digest_, client_, waited_, priority_, deadline_ms,
    key_, request_digest_, media_, size_, file_, bytes_, builtin_digest, builtin_media, builtin_source,
    builtin_nv, builtin_size, builtin_bytes, inputs, queued_max, bytes_max, client_queued_max);
  status := done.status; repeated := done.repeated; queue_full := done.queue_full;
  client_full := done.client_full; j := done.j;
  IF status = 0 AND NOT repeated AND trace_ <> '' THEN
    UPDATE job SET trace = trace_ WHERE seq = j.seq RETURNING * INTO j;
  END IF;
END $$;
