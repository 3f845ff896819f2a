# SPDX-License-Identifier: Apache-2.0
# tests/run/check.mk - everything that runs the program: check and its parts, fuzzing, sanitizers, benchmarks.
fuzz_src  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
fuzz_name := $(fuzz_src:tests/fuzz/%.c=%)
long_src  := $(sort $(wildcard tests/long/*.c))
python    := build/venv/bin/python
FUZZ_SECONDS ?= 60

#: check            everything that CI runs, in minutes; its parts: lint test contract browser-short system peers replay bits instructions seeds
#: check-long       the hours as well: a thousand kills, a quiet machine's limits, long fuzzing
#: asan tsan        unit tests and corpus under AddressSanitizer; the daemon under ThreadSanitizer
#: fuzz             every fuzz target for FUZZ_SECONDS
#: mutate           breaks one line at a time and counts what no test notices (SEED=1 N=150 ROOM=core,api/codec,api,daemon)
#: check-models     every robot description of some packages (make deps-models), loaded here and by a peer, numbers compared (PART=a path's part)
#: mutate-models    60 of those descriptions, 200 changes of each: refused, doubted, or read as the peer reads them; never a crash (FILES=60 MUTATIONS=200 SEED=1 FIRST=0)
#: round-trips      each of them through document, MJCF, SDF and URDF and back: the same dynamics within 1e-12 (PART=a path's part)
.PHONY: check-models mutate-models round-trips
.PHONY: check check-long asan tsan fuzz replay contract browser browser-short peers bits long system
check:
	@tests/run/check.sh
check-long: check
	@$(MAKE) -s -j$(jobs) long
	@QUIET=1 KILLS=1000 PYTEST_SECONDS=14400 $(MAKE) -s system
	@$(MAKE) -s -j$(jobs) fuzz FUZZ_SECONDS=600

asan:
	@$(MAKE) -s -j$(jobs) VARIANT=asan build test replay

# Criterion cannot start under ThreadSanitizer, so it watches the daemon under the contract tests and a mixed load.
tsan:
	@$(MAKE) -s -j$(jobs) VARIANT=tsan build
	@$(MAKE) -s VARIANT=tsan contract
	@$(MAKE) -s VARIANT=tsan system

#: memcheck         the C tests, and the daemon under the contract tests (PART=tests/contract/test_x.py), under valgrind: hours
.PHONY: memcheck memcheck-units memcheck-units-run
# Criterion's own main has limits of time that valgrind does not meet: tests/run/forked.c
memcheck-units:
	@$(MAKE) -s -j$(jobs) out=build/memcheck/units FORKED=1 memcheck-units-run
memcheck-units-run: $(test_bin)
	@tests/run/memcheck.sh units $(out)/log $^
memcheck: build $(if $(PART),,memcheck-units)
	@tests/run/memcheck.sh daemon $(or $(PART),tests/contract)

#: coverage         lines and branches of the rooms that read what a user sends, by the fuzz corpus, the C tests of api and daemon, and the contract tests: 90 and 80 % at least (ROOMS='api/codec api/request api/robots daemon/http')
.PHONY: coverage coverage-run
coverage:
	@$(MAKE) -s -j$(jobs) VARIANT=coverage CC=gcc coverage-run
coverage-run: $(out)/torqued $(out)/tqc_drive $(fuzz_name:%=$(out)/tests/fuzz/%) $(patsubst %.c,$(out)/%,$(filter tests/unit/api/% tests/unit/daemon/% tests/property/api/%,$(test_src)))
	@find $(out) -name '*.gcda' -delete
	@tests/run/replay.sh $(filter $(out)/tests/fuzz/%,$^)
	@tests/run/units.sh $(out)/log $(filter-out $(out)/tests/fuzz/% %/torqued %/tqc_drive,$^)
	@tests/run/pytest.sh tests/contract $(out)/torqued
	@tests/run/coverage.py $(out) $(ROOMS)

#: fresh            the two commands on an unprepared machine: ARM=lowest|newest|next|arm64 (tests/run/fresh.sh)
.PHONY: fresh fresh-selftest test-libraries
ARM ?= lowest
fresh:
	@tests/run/fresh.sh $(ARM)
fresh-selftest:
	@tests/run/fresh_selftest.sh
# the C tests that depend on third-party libraries: on a machine with other versions, these would fail
library_bin := $(patsubst %.c,$(out)/%,$(filter tests/unit/api/codec/% tests/unit/api/tables/% tests/unit/api/robots/% tests/unit/daemon/store/% tests/golden/test_seeds_%,$(test_src)))
test-libraries: $(library_bin)
	@tests/run/units.sh $(out)/log $^

contract: build $(out)/tqc_drive
	@tests/run/pytest.sh tests/contract $(out)/torqued
#: check-schemathesis  the contract by schemathesis: PHASES=examples,coverage,fuzzing,stateful SECONDS_MAX=600 PART='^/v1/jobs'
.PHONY: check-schemathesis
check-schemathesis: build
	@PHASES='$(PHASES)' SECONDS_MAX='$(SECONDS_MAX)' PART='$(PART)' tests/run/schemathesis.sh $(out)/torqued
system: build
	@tests/run/pytest.sh tests/system $(out)/torqued
#: sizes            robots of many joints through every operation: SIZES=128,500,1000 LAYOUTS=chain,tree,floating,mimic,constraints,drives
.PHONY: sizes
sizes: build
	@PYTEST_SECONDS=14400 PYTEST_JOBS=1 TORQUED_SIZES=$(or $(SIZES),128$(comma)500$(comma)1000) $(if $(LAYOUTS),TORQUED_LAYOUTS=$(LAYOUTS)) \
	    tests/run/pytest.sh tests/contract/test_sizes_walk.py $(out)/torqued
# the part of a minute, for `make check`
browser-short: build
	@tests/run/pytest.sh tests/browser $(out)/torqued
#: browser          all pages in Chromium: each workflow, by the keyboard too, axe, pictures compared, a day's use, failures, hostile names (make deps-clients; 10 min)
browser: build
	@TORQUED_PICTURES=1 tests/run/pytest.sh tests/browser $(out)/torqued
	@PYTEST_ADDOPTS=--ignore=tests/clients/dashboard/test_states.py tests/run/pytest.sh tests/clients/dashboard $(out)/torqued
	@TORQUED_PICTURES=1 PYTEST_DIST=load tests/run/pytest.sh tests/clients/dashboard/test_states.py $(out)/torqued
#: pictures         docs, a report, pages of problems and the dashboard in every state, from 360 to 3840 px, light and dark: measured, and the dashboard compared
.PHONY: pictures
pictures: build
	@TORQUED_PICTURES=1 tests/run/pytest.sh tests/browser/test_pictures.py $(out)/torqued
	@TORQUED_PICTURES=$${TORQUED_PICTURES:-1} PYTEST_DIST=load tests/run/pytest.sh tests/clients/dashboard/test_states.py $(out)/torqued
peers: build $(out)/tests/peers/dump
	@tests/run/pytest.sh tests/peers $(out)/torqued
check-models: build
	@TORQUED=$(out)/torqued $(python) tests/peers/models.py build/models $(PART)
round-trips: build
	@TORQUED=$(out)/torqued $(python) tests/peers/round_trips.py build/models $(PART)
mutate-models: build
	@TORQUED=$(out)/torqued $(python) tests/peers/mutate_models.py build/models $(or $(FILES),60) $(or $(MUTATIONS),200) $(or $(SEED),1) $(or $(FIRST),0)
# make bits N=100000 ARM_N=10000: so many answers, and of them on arm64
bits:
	@tests/run/bits.sh $(N) $(ARM_N)
# the C tests on an emulated arm64
.PHONY: arm64
arm64:
	@tests/run/arm64.sh test

# the founding texts, item by item: passed, failed or open
.PHONY: seeds
seeds: $(patsubst %.c,$(out)/%,$(shell grep -l 'seeds, item_' $(test_src)))
	@tests/run/seeds.sh $^

# Would a test notice? Variables are those of tests/run/mutate.py; MUTANTS: PATH:LINE:NEW_TEXT of one's own instead.
.PHONY: mutate
mutate:
	@$(if $(shell command -v nice),nice) tests/run/mutate.py $(MUTANTS)

# programs of minutes: each exits nonzero on failure
long: $(long_src:%.c=$(out)/%) attacks
	@for t in $(filter-out attacks,$^); do echo "$$t"; timeout 3600 $$t || exit 1; done
#: soak             a mixed load for an hour, memory and descriptors flat: SECONDS=3600 (tests/long/soak)
.PHONY: soak
soak: build
	@PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 timeout 9000 $(python) -u tests/long/soak/soak.py $(out)/torqued $(or $(SECONDS),3600)
#: calibrations     random synthetic calibrations beside the best known settings: CASES=2000 SEED=1 MINUTES=60 RESULTS=... (tests/long/calibrations)
.PHONY: calibrations
calibrations: build
	@PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 timeout 86400 $(python) -u tests/long/calibrations/calibrations.py $(out)/torqued $(or $(CASES),2000) $(or $(SEED),1)
#: attacks          thirteen greedy clients at once beside a good one: SECONDS=600 ATTACKS=slow_bodies,backups,... (tests/long/attacks)
.PHONY: attacks
attacks: build
	@PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 timeout 3600 $(python) -u tests/long/attacks/attacks.py $(out)/torqued $(or $(SECONDS),600)

# corpus replay: the fuzz targets under a plain main, over every committed input and mutations of it
# every operation, hashed
$(out)/tests/bits/answers: extra_tests := tests/bits/questions.c tests/bits/robots.c
$(out)/tests/bits/answers: tests/bits/questions.c tests/bits/robots.c
$(out)/tests/fuzz/%: extra_tests := tests/fuzz/replay.c
$(fuzz_name:%=$(out)/tests/fuzz/%): tests/fuzz/replay.c
# of clients, which no other target links
$(out)/tests/fuzz/fuzz_client: extra_tests := tests/fuzz/replay.c $(tqc_lib)
$(out)/tests/fuzz/fuzz_client $(out)/tests/fuzz/libfuzzer/fuzz_client: $(tqc_lib)
$(out)/tests/fuzz/libfuzzer/fuzz_client: private link_libs += $(tqc_lib)
# the daemon within: its main by another name
$(out)/daemon/main_within.o: daemon/main.c $(out)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(base) -Dmain=tqd_main -MMD -MP -c $< -o $@
$(out)/tests/fuzz/fuzz_server: extra_tests := tests/fuzz/replay.c $(out)/daemon/main_within.o
$(out)/tests/fuzz/fuzz_server $(out)/tests/fuzz/libfuzzer/fuzz_server: $(out)/daemon/main_within.o
$(out)/tests/fuzz/libfuzzer/fuzz_server: private link_libs := $(out)/daemon/main_within.o $(libs) $(link_libs)
replay: $(fuzz_name:%=$(out)/tests/fuzz/%)
	@tests/run/replay.sh $^

# libFuzzer needs clang: the same targets, linked against its main
fuzz:
	@$(MAKE) -s -j$(jobs) VARIANT=fuzz CC=clang fuzz-run
.PHONY: fuzz-run
#: fuzz-billion     1e9 executions of the fuzz targets of small inputs, and some of the others: two lanes, an hour of two cores
.PHONY: fuzz-billion fuzz-billion-run
fuzz_lanes := number:24:330000000,framing:64:150000000,cbor:48:50000000,view:64:3000000 \
    expression:32:200000000,client:48:200000000,npy:96:50000000,csv:48:25000000,urdf:256:500000,npz:256:300000,tree:256:300000,simulate:256:100000,job:256:100000,log:256:300000,request:256:300000
fuzz-billion:
	@$(MAKE) -s -j$(jobs) VARIANT=fuzz CC=clang fuzz-billion-run
fuzz-billion-run: $(fuzz_name:%=$(out)/tests/fuzz/libfuzzer/%)
	@printf '%s\n' $(fuzz_lanes) | tr ',' ' ' | xargs -P 2 -I{} sh -c 'tests/run/fuzz_count.sh $(out)/tests/fuzz/libfuzzer build/fuzz-count {}'
fuzz-run: $(fuzz_name:%=$(out)/tests/fuzz/libfuzzer/%)
	@tests/run/fuzz.sh $(FUZZ_SECONDS) $^
$(out)/tests/fuzz/libfuzzer/%: tests/fuzz/%.c $(support_lib) $(libs)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(base) -Wall -Wextra $< $(support_lib) $(libs) $(ldflags) -fsanitize=fuzzer $(link_libs) -o $@

.PHONY: bench-number
bench-number: $(out)/tests/bench/number $(out)/tests/bench/formats
	@$(out)/tests/bench/number
	@$(out)/tests/bench/formats
