-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step03_datasets.sql - schema 3: datasets.

-- Datasets.
INSERT INTO usage(what) VALUES ('dataset');
CREATE TABLE dataset(
  name TEXT PRIMARY KEY,
  file TEXT NOT NULL,
  media TEXT NOT NULL,
  size INTEGER NOT NULL,
  n_row INTEGER NOT NULL,
  n_column INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  summary BLOB NOT NULL) STRICT;
CREATE INDEX dataset_file ON dataset(file);
CREATE TRIGGER dataset_in AFTER INSERT ON dataset BEGIN
  UPDATE usage SET n = n + 1 WHERE what = 'dataset'; END;
CREATE TRIGGER dataset_out AFTER DELETE ON dataset BEGIN
  UPDATE usage SET n = n - 1 WHERE what = 'dataset'; END;
