-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step07_drain.sql - schema 7: nodes that are drained, and what else a node says of itself.

-- by name, and kept over restarts of the node and of the server
CREATE TABLE drained(
  name text COLLATE "C" PRIMARY KEY,
  since_ms bigint NOT NULL);

ALTER TABLE node ADD COLUMN n_lane bigint NOT NULL DEFAULT 0, ADD COLUMN memory_bytes bigint NOT NULL DEFAULT 0;

-- beside that of five values, which older daemons call
CREATE FUNCTION tqd_node_beat(name_ text, version_ text, uptime_ms bigint, running bigint, runners bigint,
  lanes bigint, memory bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tqd_node_beat(name_, version_, uptime_ms, running, runners);
  UPDATE node SET n_lane = lanes, memory_bytes = memory WHERE name = name_;
END $$;

CREATE FUNCTION tqd_node_drain(name_ text, drained_ boolean, OUT status integer) LANGUAGE plpgsql AS $$
BEGIN
  status := 0;
  IF drained_ THEN
    INSERT INTO drained(name, since_ms) VALUES (name_, tqd_now()) ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM drained WHERE name = name_;
  END IF;
  PERFORM pg_notify(tqd_channel(), 'nodes');
END $$;

-- as in schemas 2 and 6, and nothing for a drained node, of whatever version
CREATE OR REPLACE FUNCTION tqd_claim(node_ text, lease_ms bigint, OUT status integer, OUT j job) LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
BEGIN
  status := 1;
  IF EXISTS (SELECT 1 FROM drained WHERE name = node_) THEN
    RETURN;
  END IF;
  SELECT * INTO j FROM job WHERE state = 0 AND (deadline_at_ms IS NULL OR deadline_at_ms > now_ms)
    ORDER BY priority DESC, tag, seq LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE job SET state = 1, attempts = attempts + 1, fence = fence + 1, node = node_,
    lease_until_ms = now_ms + lease_ms, changed_ms = now_ms,
    started_ms = CASE started_ms WHEN 0 THEN now_ms ELSE started_ms END
    WHERE seq = j.seq RETURNING * INTO j;
  UPDATE usage SET n = j.tag WHERE what = 'clock' AND n < j.tag;
  status := 0;
END $$;

CREATE OR REPLACE FUNCTION tqd_claim_other(node_ text, lease_ms bigint, not_of text, OUT status integer, OUT j job)
LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
BEGIN
  status := 1;
  IF EXISTS (SELECT 1 FROM drained WHERE name = node_) THEN
    RETURN;
  END IF;
  SELECT * INTO j FROM job WHERE seq = (
    WITH RECURSIVE waiting(client) AS (
      (SELECT w.client FROM job w WHERE w.state = 0 ORDER BY w.client LIMIT 1)
      UNION ALL
      SELECT (SELECT w.client FROM job w WHERE w.state = 0 AND w.client > waiting.client ORDER BY w.client LIMIT 1)
      FROM waiting WHERE waiting.client IS NOT NULL)
    SELECT first.seq FROM waiting CROSS JOIN LATERAL (
      SELECT w.seq, w.tag FROM job w WHERE w.state = 0 AND w.client = waiting.client
        AND (w.deadline_at_ms IS NULL OR w.deadline_at_ms > now_ms) ORDER BY w.tag, w.seq LIMIT 1) first
    WHERE strpos(not_of, chr(10) || waiting.client || chr(10)) = 0
    ORDER BY first.tag, first.seq LIMIT 1) FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE job SET state = 1, attempts = attempts + 1, fence = fence + 1, node = node_,
    lease_until_ms = now_ms + lease_ms, changed_ms = now_ms,
    started_ms = CASE started_ms WHEN 0 THEN now_ms ELSE started_ms END
    WHERE seq = j.seq RETURNING * INTO j;
  UPDATE usage SET n = j.tag WHERE what = 'clock' AND n < j.tag;
  status := 0;
END $$;
