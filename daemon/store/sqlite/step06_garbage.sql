-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step06_garbage.sql - schema 6: the list of garbage.

-- Garbage list: files that have lost a reference, so that no sweep of all files is needed.
CREATE TABLE garbage(seq INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL) STRICT;
CREATE TRIGGER job_body_garbage AFTER DELETE ON job_body WHEN old.file IS NOT NULL BEGIN
  INSERT INTO garbage(file) VALUES (old.file); END;
CREATE TRIGGER job_body_garbage_new AFTER UPDATE OF file ON job_body
  WHEN old.file IS NOT NULL AND old.file IS NOT new.file BEGIN
  INSERT INTO garbage(file) VALUES (old.file); END;
CREATE TRIGGER job_attachment_garbage AFTER DELETE ON job_attachment
  WHEN old.file IS NOT NULL BEGIN INSERT INTO garbage(file) VALUES (old.file); END;
CREATE TRIGGER dataset_garbage AFTER DELETE ON dataset BEGIN
  INSERT INTO garbage(file) VALUES (old.file); END;
CREATE TRIGGER dataset_garbage_new AFTER UPDATE OF file ON dataset
  WHEN old.file IS NOT new.file BEGIN
  INSERT INTO garbage(file) VALUES (old.file); END;
