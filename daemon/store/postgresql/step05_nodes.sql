-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step05_nodes.sql - schema 5: the daemons that have this store, as they last said.

-- unlogged: it costs no flush, and is filled again within seconds after a crash or on a former replica
CREATE UNLOGGED TABLE node(
  name text COLLATE "C" PRIMARY KEY,
  version text NOT NULL,
  since_ms bigint NOT NULL,
  seen_ms bigint NOT NULL,
  n_running bigint NOT NULL,
  n_runner bigint NOT NULL);

CREATE FUNCTION tqd_node_beat(name_ text, version_ text, uptime_ms bigint, running bigint, runners bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
BEGIN
  INSERT INTO node AS n(name, version, since_ms, seen_ms, n_running, n_runner)
    VALUES (name_, version_, now_ms - uptime_ms, now_ms, running, runners)
    ON CONFLICT (name) DO UPDATE SET version = version_, seen_ms = now_ms, n_running = running, n_runner = runners,
      -- the way of a beat takes some time: it is the same start unless it is another
      since_ms = CASE WHEN abs(n.since_ms - now_ms + uptime_ms) < 2000 THEN n.since_ms ELSE now_ms - uptime_ms END;
  DELETE FROM node WHERE seen_ms < now_ms - 86400000;
END $$;
