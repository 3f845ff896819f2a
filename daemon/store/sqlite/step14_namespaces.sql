-- SPDX-License-Identifier: Apache-2.0
-- daemon/store/sqlite/step14_namespaces.sql - schema 14: jobs of a namespace.

-- The jobs of a namespace are found without those of others; of the default one they are most.
CREATE INDEX job_by_namespace ON job(substr(client, 1, instr(client, '/')), seq)
 WHERE instr(client, '/') > 0;
