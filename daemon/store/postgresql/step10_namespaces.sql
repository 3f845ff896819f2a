-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step10_namespaces.sql - schema 10: names of namespaces, which are keys (daemon/key.h).

-- of a key, with its '/'; '' in the default namespace
CREATE FUNCTION tqd_namespace(key_ text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT left(key_, strpos(key_, '/')) $$;

-- as in schema 2; the result of a job is an input of jobs of its own namespace only
CREATE OR REPLACE FUNCTION tqd_pin(number bigint, called text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  plain text := split_part(called, '@', 1);
  version text := CASE WHEN position('@' IN called) > 0 THEN substr(called, position('@' IN called) + 1) END;
BEGIN
  IF starts_with(called, 'job:') THEN
    INSERT INTO job_input(job, name, media, size, file, bytes)
      SELECT number, called, b.media, b.size, b.file, b.bytes FROM job_body b
      WHERE b.what = 1 AND b.job = (SELECT j.seq FROM job j, job own WHERE j.id = substr(called, 5) AND j.state = 2
        AND own.seq = number AND tqd_namespace(j.client) = tqd_namespace(own.client))
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

-- as in schema 8, of one namespace where it is not NULL
CREATE FUNCTION tqd_purge(states integer, kind_ text, robot_ text, newer_ms bigint, older_ms bigint,
  before_seq bigint, most bigint, by_ text, namespace_ text,
  OUT status integer, OUT n_job bigint, OUT last_seq bigint)
LANGUAGE plpgsql AS $$
BEGIN
  status := 0;
  EXECUTE 'WITH old AS (SELECT seq FROM job WHERE seq < $6 AND ($1 >> state) & 1 = 1'
    ' AND ($2 IS NULL OR kind = $2) AND ($3 IS NULL OR robot = $3)'
    ' AND ($4 = 0 OR created_ms >= tqd_now() - $4) AND ($5 = 0 OR created_ms < tqd_now() - $5)'
    ' AND ($8 IS NULL OR client = $8 OR client = '''')'
    ' AND ($9 IS NULL OR left(client, strpos(client, ''/'')) = $9)'
    ' ORDER BY seq DESC LIMIT least($7, 64)),'
    ' gone AS (DELETE FROM job WHERE seq IN (SELECT seq FROM old) RETURNING seq)'
    ' SELECT count(*), coalesce(min(seq), 0) FROM gone'
    INTO n_job, last_seq USING states, kind_, robot_, newer_ms, older_ms, before_seq, most, by_, namespace_;
END $$;
