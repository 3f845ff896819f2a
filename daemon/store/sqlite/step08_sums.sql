-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step08_sums.sql - schema 8: checksums of rows.

-- Rows with contents for users get a checksum.
ALTER TABLE job_body ADD COLUMN sum INTEGER; UPDATE job_body SET sum = tqd_sum(media, size, file, bytes);
ALTER TABLE job_attachment ADD COLUMN sum INTEGER;
UPDATE job_attachment SET sum = tqd_sum(media, size, file, bytes);
ALTER TABLE robot_version ADD COLUMN sum INTEGER;
UPDATE robot_version SET sum = tqd_sum(digest, media, source, nv, size, bytes);
ALTER TABLE dataset ADD COLUMN sum INTEGER;
UPDATE dataset SET sum =
  tqd_sum(name, file, media, size, n_row, n_column, created_ms, summary);
