-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/postgresql/step11_lists.sql - schema 11: the jobs of a namespace are found without those of others.

-- of the default namespace they are most
CREATE INDEX job_by_namespace ON job(left(client, strpos(client, '/')), seq) WHERE strpos(client, '/') > 0;
