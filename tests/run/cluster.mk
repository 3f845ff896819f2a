# SPDX-License-Identifier: Apache-2.0
# tests/run/cluster.mk - several daemons on one PostgreSQL: make deps-cluster, make check-cluster, make run-cluster.
store_test := $(filter tests/unit/daemon/store/%,$(test_src))
# those whose subject is SQLite's file or the folder of files alone
on_postgresql := $(filter-out %/test_faults.c %/test_sums.c,$(store_test))

#: deps-cluster check-cluster   PostgreSQL, a pooler and a proxy; the suite of the store on PostgreSQL, and daemons that are killed, frozen, cut off
#: run-cluster      three daemons on a scratch PostgreSQL with a proxy in front, on 127.0.0.1 (PORT=8420); Ctrl-C ends all
#: check-cluster-long   the trials of daemons as often as a release must pass them: hours
.PHONY: check-cluster check-cluster-long check-postgresql run-cluster
check-cluster: build $(on_postgresql:%.c=$(out)/%)
	@tests/run/postgres.sh tests/run/units.sh $(out)/log-postgresql $(filter $(out)/tests/unit/%,$^) || [ $$? = 77 ]
	@TORQUED_OLDER=$$(env -u MAKEFLAGS tests/run/older.sh) POSTGRES_DURABLE=1 PYTEST_JOBS=1 \
	    tests/run/postgres.sh tests/run/pytest.sh tests/cluster $(out)/torqued || [ $$? = 77 ]
# as often as must be shown before a release
check-cluster-long: export KILLS = 300
check-cluster-long: export POSTGRES_KILLS = 30
check-cluster-long: export CLUSTER_KILLS = 10
check-cluster-long: export FAILOVER_JOBS = 2000
check-cluster-long: export FAILOVERS = 5
check-cluster-long: export FREEZES = 60
check-cluster-long: export STARTS = 20
check-cluster-long: export POOLER_KILLS = 20
check-cluster-long: export ROLLS = 10
check-cluster-long: export ROUNDS = 20
check-cluster-long: export OPERATIONS = 150
check-cluster-long: build
	@TORQUED_OLDER=$$(env -u MAKEFLAGS tests/run/older.sh) PYTEST_SECONDS=36000 POSTGRES_DURABLE=1 PYTEST_JOBS=1 tests/run/postgres.sh tests/run/pytest.sh tests/cluster $(out)/torqued
# the part of seconds, for `make check`: the life of jobs
check-postgresql: $(out)/tests/unit/daemon/store/test_jobs
	@tests/run/postgres.sh tests/run/units.sh $(out)/log-postgresql $^ || [ $$? = 77 ]
run-cluster: build
	@POSTGRES_DURABLE=1 tests/run/postgres.sh tests/run/run_cluster.sh $(out)/torqued $(PORT)
