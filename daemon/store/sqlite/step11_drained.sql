-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step11_drained.sql - schema 11: drained nodes.

-- Nodes that claim no job until they are resumed.
CREATE TABLE drained(name TEXT PRIMARY KEY, since_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
