# SPDX-License-Identifier: Apache-2.0
# tests/run/deps.mk - what must be installed: to build and run, to check, to compare with peers.
packages_build := gcc libc6-dev pkg-config libmicrohttpd-dev libgnutls28-dev libsqlite3-dev libinih-dev libsystemd-dev \
    libjansson-dev libexpat1-dev libsodium-dev libxxhash-dev libcbor-dev zlib1g-dev libcurl4-gnutls-dev libsundials-dev scdoc curl ca-certificates $(if $(wildcard core/linalg/*.c),libopenblas-pthread-dev liblapacke-dev)
packages_check := $(packages_build) libcriterion-dev clang clang-format clang-tidy cppcheck coinor-csdp clang-tools-19 libclang-rt-dev python3 python3-venv jq fiu-utils valgrind systemd
packages_bench := $(packages_check) g++ clang-19 nginx-light wrk libeigen3-dev
# below the next major version, so that a release of somebody else turns nothing red here
venv_check := 'pytest<10' 'numpy<3' 'scipy<2' 'orjson<4' 'jsonschema<5' 'pyyaml<7' 'openapi-spec-validator<2' 'pin<5' 'mujoco<5'
venv_bench := 'yyjson<5'
# the release that the targets of speed were set against; build/venv has the newest
peer_of_targets := pin==3.7.0

.PHONY: deps deps-check deps-bench
deps:
	@tests/run/packages.sh $(packages_build)
deps-check:
	@tests/run/packages.sh $(packages_check)
	@tests/run/venv.sh build/venv $(venv_check)
deps-bench:
	@tests/run/packages.sh $(packages_bench)
	@tests/run/venv.sh build/venv $(venv_check) $(venv_bench)
	@tests/run/venv.sh build/peers/$(peer_of_targets) $(peer_of_targets)
	@tests/run/sdist.sh build/peers/yyjson yyjson yyjson.c yyjson.h
