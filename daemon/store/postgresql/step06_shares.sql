-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step06_shares.sql - schema 6: what one client may have of the queue and of the runners.

-- tqd_submit within a bound of the client's own waiting jobs; 0: none
CREATE FUNCTION tqd_submit(
  id_ text, kind_ text, robot_ text, digest_ text, client_ text, waited_ boolean, priority_ integer,
  deadline_ms bigint, key_ text, request_digest_ text, media_ text, size_ bigint, file_ text, bytes_ bytea,
  builtin_digest text, builtin_media text, builtin_source text, builtin_nv integer, builtin_size bigint,
  builtin_bytes bytea, inputs text[], queued_max bigint, bytes_max bigint, client_queued_max bigint,
  OUT status integer, OUT repeated boolean, OUT queue_full boolean, OUT client_full boolean, OUT j job)
LANGUAGE plpgsql AS $$
DECLARE
  done record;
BEGIN
  client_full := client_queued_max <> 0
    AND (SELECT n FROM usage WHERE what = 'job0') >= client_queued_max
    AND NOT EXISTS (SELECT 1 FROM job WHERE client = client_ AND idem_key = key_)
    AND (SELECT count(*) FROM (SELECT 1 FROM job WHERE client = client_ AND state = 0
                               LIMIT client_queued_max) own) >= client_queued_max;
  IF client_full THEN
    status := 3; repeated := false; queue_full := true;
    RETURN;
  END IF;
  SELECT * INTO done FROM tqd_submit(id_, kind_, robot_, digest_, client_, waited_, priority_, deadline_ms,
    key_, request_digest_, media_, size_, file_, bytes_, builtin_digest, builtin_media, builtin_source,
    builtin_nv, builtin_size, builtin_bytes, inputs, queued_max, bytes_max);
  status := done.status; repeated := done.repeated; queue_full := done.queue_full; j := done.j;
END $$;

-- The next job by turn of a client that is not in the list, each name between two newlines. The index
-- (client, tag) is entered once for each client, however many jobs it has.
CREATE FUNCTION tqd_claim_other(node_ text, lease_ms bigint, not_of text, OUT status integer, OUT j job)
LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := tqd_now();
BEGIN
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
