# SPDX-License-Identifier: Apache-2.0
# tests/bench/bench.mk - speed, as ratios to peers in the same run; a peer that is not installed is "not measured".
# Pinocchio twice: the release that the targets were set against, and the newest; each a library with symbols of its own
cmeel      = $(firstword $(wildcard $(1)/lib/python3*/site-packages/cmeel.prefix/include))
targets_venv := build/peers/$(peer_of_targets)
peer_cxx   := $(firstword $(shell command -v clang++-19 clang++ 2>/dev/null))
has_peer    = $(and $(wildcard $(call cmeel,$(1))/pinocchio),$(wildcard /usr/include/eigen3/Eigen),$(peer_cxx))
peer_of     = $(if $(call has_peer,$(1)),$(2))
peer_libs  := $(call peer_of,$(targets_venv),build/bench/pinocchio-targets.so) $(call peer_of,build/venv,build/bench/pinocchio-newest.so)
peer_args  := $(or $(filter %-targets.so,$(peer_libs)),-) $(or $(filter %-newest.so,$(peer_libs)),-)
# what Pinocchio's own CMake target defines
peer_flags := -std=c++20 -O3 -march=native -DNDEBUG -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 \
    -DBOOST_FUSION_INVOKE_MAX_ARITY=12 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS \
    -fPIC -shared -fvisibility=hidden -fvisibility-inlines-hidden

#: bench            every figure beside its peers, five minutes (make deps-bench first); bench-http, bench-kernels, ... by itself
# one after another, whatever -j says: each needs the machine for itself
benches := kernels scaling trajectory number cost jobs calibration http
.PHONY: bench $(benches:%=bench-%)
bench: build
	@$(MAKE) -s -j$(jobs) $(peer_libs) $(patsubst %,$(out)/tests/bench/%,kernels scaling trajectory number formats cost jobs responder exchange fit)
	@MAKE='$(MAKE)' tests/bench/run.sh build/bench $(benches); status=$$?; \
	    python3 tests/bench/collect.py build/bench build/bench.json $(benches) && exit $$status
bench-jobs: $(out)/tests/bench/jobs
	@mkdir -p build/bench
	@$< 1000000 build/bench
bench-kernels: $(out)/tests/bench/kernels $(peer_libs)
	@mkdir -p build/bench
	@$< build/bench/kernels.json $(peer_args)

bench-scaling: $(out)/tests/bench/scaling $(peer_libs)
	@mkdir -p build/bench
	@$< build/bench/scaling.json $(peer_args)

# one trajectory to the same error as MuJoCo, and scipy with Pinocchio
bench-trajectory: $(out)/tests/bench/trajectory
	@mkdir -p build/bench
	@$(if $(wildcard $(python)),$(python),python3) tests/bench/trajectory.py $< api/robots/builtin/panda.urdf build/bench/trajectory.json

#: bench-pairs      contact pairs of 10 to 100 solids: all distances beside those that bounds leave
.PHONY: bench-pairs
bench-pairs: $(out)/tests/bench/pairs
	@$<
#: bench-landing    a quadruped falls onto its four feet: time to the same error beside MuJoCo
.PHONY: bench-landing
bench-landing: $(out)/torqued
	@mkdir -p build/bench
	@TORQUED=$(CURDIR)/$< OPENBLAS_NUM_THREADS=1 $(if $(wildcard $(python)),$(python),python3) tests/bench/landing.py build/bench/landing.json

#: bench-identification   the same logs, without and with faults, by torqued, FIGAROH and MuJoCo's sysid: error, processor time, what each says (make deps-identification; half an hour)
.PHONY: bench-identification
bench-identification: $(out)/torqued
	@mkdir -p build/bench
	@OPENBLAS_NUM_THREADS=1 $(if $(wildcard $(python)),$(python),python3) tests/bench/identification/identification.py \
	    $(CURDIR)/$< $(CURDIR)/build/peers/identification/bin/python build/bench/identification.json $(KINDS)

#: bench-sessions   a lock step of an arm over a Unix socket: p50, p99 and steps a second beside the bare HTTP library
bench-sessions: $(out)/torqued $(out)/tests/bench/responder $(out)/tests/bench/steps
	@mkdir -p build/bench
	@python3 tests/bench/sessions.py $^ build/bench/sessions.json
.PHONY: bench-sessions

#: bench-cluster    several daemons on one PostgreSQL: job cycles beside pgbench, idle runners, an ensemble on one and two cores (make deps-cluster)
bench-cluster: build
	@mkdir -p build/bench
	@TORQUED=$(CURDIR)/$(out)/torqued POSTGRES_DURABLE=1 tests/run/postgres.sh $(python) $(CURDIR)/tests/bench/cluster.py \
	    $(CURDIR)/build/bench/cluster.json || [ $$? = 77 ]
.PHONY: bench-cluster

#: bench-dashboard  the page at / in Chromium: first paint, frames, a million samples, memory over 100 playbacks (make deps-clients)
bench-dashboard: build
	@$(python) tests/bench/dashboard.py $(out)/torqued build/bench/dashboard.json
.PHONY: bench-dashboard

build/bench/pinocchio-targets.so: private venv := $(targets_venv)
build/bench/pinocchio-newest.so: private venv := build/venv
build/bench/pinocchio-%.so: tests/bench/pinocchio.cpp tests/bench/peer.h core/model/model.h
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(peer_cxx) $(peer_flags) -I. -isystem $(call cmeel,$(venv)) -isystem /usr/include/eigen3 $< -o $@
$(out)/tests/bench/kernels $(out)/tests/bench/scaling: extra_tests := $(out)/tests/bench/robots.o $(out)/tests/bench/peers.o
$(out)/tests/bench/kernels $(out)/tests/bench/scaling: $(out)/tests/bench/robots.o $(out)/tests/bench/peers.o

# yyjson's two files, out of its package's sources
yyjson     := build/peers/yyjson
yyjson_obj := $(if $(wildcard $(yyjson)/yyjson.c),build/bench/yyjson_peer.o build/bench/yyjson.o,$(out)/tests/bench/yyjson.o)
build/bench/yyjson.o: $(yyjson)/yyjson.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -O3 -DNDEBUG -c $< -o $@
build/bench/yyjson_peer.o: tests/bench/yyjson.c tests/bench/yyjson.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(flags) -DTQB_HAS_YYJSON -isystem $(yyjson) -c $< -o $@
$(out)/tests/bench/number: extra_tests := $(yyjson_obj)
$(out)/tests/bench/number: $(yyjson_obj)

# instruction counts: no noise, so that make check compares them with those kept beside
$(out)/tests/bench/instructions: extra_tests := $(out)/tests/bench/robots.o
$(out)/tests/bench/instructions: $(out)/tests/bench/robots.o
.PHONY: instructions instructions-write
instructions: $(out)/tests/bench/instructions
	@tests/run/instructions.sh $< "$(CC)"
instructions-write: $(out)/tests/bench/instructions
	@tests/run/instructions.sh $< "$(CC)" write

# a million samples and feasible fits, against dgels and CSDP
benches += fit
.PHONY: bench-fit
bench-fit: $(out)/tests/bench/fit
	@mkdir -p build/bench
	@OPENBLAS_NUM_THREADS=1 $< build/bench/fit.json
$(out)/tests/bench/fit: extra_tests := $(out)/tests/bench/robots.o
$(out)/tests/bench/fit: link_tests := -lcriterion
$(out)/tests/bench/fit: $(out)/tests/bench/robots.o

# estimates of cost against what calls take
bench-cost: $(out)/tests/bench/cost
	@$<

# calibrations over loopback, against the time they may take
bench-calibration: build
	@mkdir -p build/bench
	@$(if $(wildcard $(python)),$(python),python3) tests/bench/calibration.py $(out)/torqued build/bench/calibration.json

.PHONY: bench-excitation
# what designed motions gain over random ones, in errors of calibrations; some minutes, no target of time
bench-excitation: build
	@mkdir -p build/bench
	@$(if $(wildcard $(python)),$(python),python3) tests/bench/excitation.py $(out)/torqued build/bench/excitation.json

# the daemon over loopback, against the bare HTTP library and orjson
bench-http: build $(out)/tests/bench/responder
	@mkdir -p build/bench
	@$(if $(wildcard $(python)),$(python),python3) tests/bench/loopback.py $(out)/torqued $(out)/tests/bench/responder build/bench/http.json

# many simulations at once against MuJoCo's threaded rollout, to the same error
benches += ensemble
.PHONY: bench-ensemble
bench-ensemble: build
	@mkdir -p build/bench
	@$(if $(wildcard $(python)),$(python),python3) tests/bench/ensemble.py $(out)/torqued build/bench/ensemble.json

# time-optimal trajectories beside toppra, at equal numbers of grid points
benches += optimal
.PHONY: bench-optimal
bench-optimal: build $(out)/tests/bench/optimal
	@mkdir -p build/bench
	@$(if $(wildcard $(python)),$(python),python3) tests/bench/optimal.py $(out)/torqued $(out)/tests/bench/optimal build/bench/optimal.json

# bodies of a million samples and stored files, against a bare exchange of the same bytes; AVX2 beside
benches += bulk
.PHONY: bench-bulk
bench-bulk: build $(out)/tests/bench/exchange
	@mkdir -p build/bench
	@$(if $(wildcard $(python)),$(python),python3) tests/bench/bulk.py $(out)/torqued $(out)/tests/bench/exchange build/bench/bulk.json 0 4

# small calls beside a calibration, an ensemble and uploads, at 1 to 4,096 connections
benches += mixed
.PHONY: bench-mixed
bench-mixed: build $(out)/tests/bench/responder
	@mkdir -p build/bench
	@python3 tests/bench/mixed.py $(out)/torqued $(out)/tests/bench/responder build/bench/mixed.json
