-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step04_lists.sql - schema 4: indexes for lists of jobs.

-- Indexes for lists of jobs, one for each filter, newest first.
CREATE INDEX job_by_state ON job(state, seq);
CREATE INDEX job_by_kind ON job(kind, seq);
CREATE INDEX job_by_robot ON job(robot, seq);
