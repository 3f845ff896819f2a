-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step01_robots.sql - schema 1: robots.

-- Robots. `robot` has the current version of a name; `robot_revision` all its versions; `usage`
-- keeps totals, so that no query has to scan.
CREATE TABLE usage(
  what TEXT PRIMARY KEY,
  n INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
INSERT INTO usage(what) VALUES ('robot'), ('robot_version');
CREATE TABLE robot_version(
  digest TEXT PRIMARY KEY,
  media TEXT NOT NULL,
  source TEXT NOT NULL,
  nv INTEGER NOT NULL,
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL) STRICT;
CREATE TABLE robot_revision(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  digest TEXT NOT NULL REFERENCES robot_version(digest),
  created_ms INTEGER NOT NULL,
  UNIQUE(name, digest)) STRICT;
CREATE INDEX robot_revision_digest ON robot_revision(digest);
CREATE TABLE robot(
  name TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  FOREIGN KEY(name, digest) REFERENCES robot_revision(name, digest)) STRICT, WITHOUT ROWID;
CREATE TRIGGER robot_in AFTER INSERT ON robot BEGIN
  UPDATE usage SET n = n + 1 WHERE what = 'robot'; END;
CREATE TRIGGER robot_out AFTER DELETE ON robot BEGIN
  UPDATE usage SET n = n - 1 WHERE what = 'robot'; END;
CREATE TRIGGER robot_revision_out AFTER DELETE ON robot_revision BEGIN
  DELETE FROM robot_version WHERE digest = old.digest
    AND NOT EXISTS (SELECT 1 FROM robot_revision WHERE digest = old.digest); END;
CREATE TRIGGER robot_version_in AFTER INSERT ON robot_version BEGIN
  UPDATE usage SET n = n + 1, bytes = bytes + new.size WHERE what = 'robot_version'; END;
CREATE TRIGGER robot_version_out AFTER DELETE ON robot_version BEGIN
  UPDATE usage SET n = n - 1, bytes = bytes - old.size WHERE what = 'robot_version'; END;
