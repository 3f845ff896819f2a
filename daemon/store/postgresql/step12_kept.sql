-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step12_kept.sql - schema 12: the bytes of all jobs are bounded by removing what the client with most of them has.

CREATE INDEX job_kept ON job(client, finished_ms) WHERE state >= 2;

-- The oldest finished job of the client whose jobs have most bytes: usage 'client:NAME' without its datasets; '' has what is nobody's.
CREATE FUNCTION tqd_oldest_of_most() RETURNS bigint LANGUAGE sql AS $$
  WITH named AS (SELECT substr(u.what, 8) AS client, u.bytes - coalesce(d.bytes, 0) AS bytes FROM usage u
      LEFT JOIN (SELECT owner, sum(size) AS bytes FROM dataset GROUP BY owner) d ON d.owner = substr(u.what, 8)
      WHERE left(u.what, 7) = 'client:'),
    held AS (SELECT client, bytes FROM named UNION ALL SELECT '', (SELECT bytes FROM usage WHERE what = 'job_body')
      - (SELECT coalesce(sum(bytes), 0) FROM named))
  SELECT seq FROM job WHERE state >= 2 AND client = (SELECT h.client FROM held h
      WHERE EXISTS (SELECT 1 FROM job j WHERE j.state >= 2 AND j.client = h.client) ORDER BY h.bytes DESC LIMIT 1)
    ORDER BY finished_ms, seq LIMIT 1
$$;

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
    IF NOT FOUND AND (SELECT bytes FROM usage WHERE what = 'job_body') > bytes_max THEN
      -- one at a time while bodies are above the bound: none is deleted that could stay
      number := tqd_oldest_of_most();
    END IF;
    EXIT WHEN number IS NULL;
    DELETE FROM job WHERE seq = number;
    n_job := n_job + 1;
  END LOOP;
END $$;
