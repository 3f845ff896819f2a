# SPDX-License-Identifier: Apache-2.0
# tests/run/cluster.mk - several daemons on one PostgreSQL: make deps-cluster, make check-cluster.
store_test := $(filter tests/unit/daemon/store/%,$(test_src))
# those whose subject is SQLite's file or the folder of files alone
on_postgresql := $(filter-out %/test_faults.c %/test_sums.c,$(store_test))

#: deps-cluster check-cluster   PostgreSQL and a proxy; the suite of the store on PostgreSQL
.PHONY: check-cluster check-postgresql
check-cluster: build $(on_postgresql:%.c=$(out)/%)
	@tests/run/postgres.sh tests/run/units.sh $(out)/log-postgresql $(filter $(out)/tests/unit/%,$^) || [ $$? = 77 ]
# the part of seconds, for `make check`: the life of jobs
check-postgresql: $(out)/tests/unit/daemon/store/test_jobs $(out)/tests/unit/daemon/store/test_jobs_kept
	@tests/run/postgres.sh tests/run/units.sh $(out)/log-postgresql $^ || [ $$? = 77 ]
