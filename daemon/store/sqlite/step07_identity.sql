-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step07_identity.sql - schema 7: identity of the database.

-- Identity of the database and its number of commits: see mark.h.
CREATE TABLE identity(one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL,
  n_commit INTEGER NOT NULL) STRICT;
INSERT INTO identity VALUES (1, lower(hex(randomblob(8))), 0);
