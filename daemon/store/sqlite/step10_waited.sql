-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step10_waited.sql - schema 10: results that are waited for.

-- Jobs whose result is for the answer to their submission are retained for a short time.
ALTER TABLE job ADD COLUMN waited INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_waited ON job(finished_ms) WHERE state >= 2 AND waited = 1;
