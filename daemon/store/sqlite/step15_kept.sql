-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step15_kept.sql - schema 15: what a client has finished.

-- What a client has finished, oldest first: the bytes of all are bounded by removing what the
-- client with most of them has.
CREATE INDEX job_kept ON job(client, finished_ms) WHERE state >= 2;
