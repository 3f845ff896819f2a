-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step03_names.sql - schema 3: a function for each write of robots, datasets and garbage.

CREATE FUNCTION tqd_matches(present text, if_match text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT if_match IS NULL OR (present IS NOT NULL AND (if_match = '*' OR if_match = present)) $$;

-- all but the newest revisions of a name that no job refers to
CREATE FUNCTION tqd_prune(called text, most bigint) RETURNS void LANGUAGE sql AS $$
  DELETE FROM robot_revision h WHERE h.seq IN (SELECT r.seq FROM robot_revision r WHERE r.name = called
      ORDER BY r.seq DESC OFFSET most)
    AND NOT EXISTS (SELECT 1 FROM job j WHERE j.robot = h.name AND j.robot_digest = h.digest) $$;

CREATE FUNCTION tqd_robot_put(name_ text, digest_ text, media_ text, source_ text, nv_ integer,
  bytes_ bytea, if_match text, if_none_match text, robots_max bigint, bytes_max bigint, versions bigint,
  OUT status integer, OUT replaced text) LANGUAGE plpgsql AS $$
DECLARE
  used record;
BEGIN
  SELECT digest INTO replaced FROM robot WHERE name = name_;
  IF NOT tqd_matches(replaced, if_match) OR if_none_match = '*' AND replaced IS NOT NULL
     OR if_none_match = replaced THEN
    status := 2;
    RETURN;
  END IF;
  status := 0;
  IF replaced = digest_ THEN
    RETURN;
  END IF;
  SELECT (SELECT n FROM usage WHERE what = 'robot') AS n,
         (SELECT bytes FROM usage WHERE what = 'robot_version') AS bytes INTO used;
  IF (replaced IS NULL AND robots_max <> 0 AND used.n >= robots_max)
     OR (bytes_max <> 0 AND used.bytes + length(bytes_) > bytes_max) THEN
    status := 3;
    RETURN;
  END IF;
  INSERT INTO robot_version(digest, media, source, nv, size, bytes)
    VALUES (digest_, media_, source_, nv_, length(bytes_), bytes_) ON CONFLICT (digest) DO NOTHING;
  -- a version that is put again becomes the newest
  INSERT INTO robot_revision(name, digest, created_ms) VALUES (name_, digest_, tqd_now())
    ON CONFLICT (name, digest) DO UPDATE SET seq = excluded.seq, created_ms = excluded.created_ms;
  INSERT INTO robot(name, digest) VALUES (name_, digest_)
    ON CONFLICT (name) DO UPDATE SET digest = excluded.digest;
  PERFORM tqd_prune(name_, versions);
END $$;

CREATE FUNCTION tqd_robot_delete(name_ text, if_match text, OUT status integer) LANGUAGE plpgsql AS $$
DECLARE
  present text := (SELECT digest FROM robot WHERE name = name_);
BEGIN
  status := CASE WHEN present IS NULL THEN 1 WHEN NOT tqd_matches(present, if_match) THEN 2 ELSE 0 END;
  IF status = 0 THEN
    DELETE FROM robot WHERE name = name_;
    PERFORM tqd_prune(name_, 0);
  END IF;
END $$;

CREATE FUNCTION tqd_dataset_put(name_ text, file_ text, media_ text, size_ bigint, n_row_ bigint,
  n_column_ bigint, summary_ bytea, if_match text, if_none_match text, datasets_max bigint,
  OUT status integer, OUT replaced text) LANGUAGE plpgsql AS $$
BEGIN
  SELECT file INTO replaced FROM dataset WHERE name = name_;
  status := CASE WHEN NOT tqd_matches(replaced, if_match)
                   OR (if_none_match IS NOT NULL AND replaced IS NOT NULL) THEN 2
                 WHEN replaced IS NULL AND datasets_max <> 0
                   AND (SELECT n FROM usage WHERE what = 'dataset') >= datasets_max THEN 3
                 ELSE 0 END;
  IF status = 0 THEN
    INSERT INTO dataset(name, file, media, size, n_row, n_column, created_ms, summary)
      VALUES (name_, file_, media_, size_, n_row_, n_column_, tqd_now(), summary_)
      ON CONFLICT (name) DO UPDATE SET file = excluded.file, media = excluded.media,
        size = excluded.size, n_row = excluded.n_row, n_column = excluded.n_column,
        created_ms = excluded.created_ms, summary = excluded.summary;
  END IF;
END $$;

CREATE FUNCTION tqd_dataset_delete(name_ text, if_match text, OUT status integer, OUT replaced text)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT file INTO replaced FROM dataset WHERE name = name_;
  status := CASE WHEN replaced IS NULL THEN 1 WHEN NOT tqd_matches(replaced, if_match) THEN 2 ELSE 0 END;
  IF status = 0 THEN
    DELETE FROM dataset WHERE name = name_;
  END IF;
END $$;

CREATE FUNCTION tqd_garbage_drop(last_seq bigint, OUT status integer) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM garbage WHERE seq <= last_seq;
  status := 0;
END $$;
