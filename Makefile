# SPDX-License-Identifier: Apache-2.0
# Makefile - every target that CI runs is a target here; CI runs nothing else. Each VARIANT builds in its own folder.
.DEFAULT_GOAL := build
VARIANT ?= release
# one of: release debug asan tsan coverage fuzz (fuzz: clang only)
ifeq ($(origin CC),default)
CC      := gcc
endif
version := $(shell sed -n 's/.*define TQA_VERSION "\(.*\)"/\1/p' api/version.h)
is_clang := $(findstring clang,$(CC))
config  := $(VARIANT)$(if $(is_clang),-clang)
out     := build/$(config)
arch    := $(shell uname -m)
jobs    := $(shell nproc)

# V=1 shows the commands, -s shows nothing, else one short line a file.
Q       := $(if $(V),,@)
say      = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@echo "  $(1)  $@")

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion \
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wformat=2 -Wwrite-strings \
    -Wcast-qual -Wcast-align -Wpointer-arith -Wundef -Wvla -Wswitch-enum -Wimplicit-fallthrough \
    -Wnull-dereference $(if $(is_clang),,-Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wjump-misses-init) \
    $(if $(WERROR),-Werror)
# Results must not depend on the optimiser: fused multiply-adds are written out, nothing is reassociated, asserts stay on.
numerics := -ffp-contract=off -fno-fast-math
# what gcc 14 refuses and gcc 12 only warns of: a name that only a newer library declares must not compile anywhere
refused  := $(addprefix -Werror=,implicit-function-declaration implicit-int int-conversion incompatible-pointer-types)
harden   := -fno-common -fstack-protector-strong -fPIE $(if $(filter x86_64,$(arch)),-fcf-protection -fstack-clash-protection)
sanitize := -O1 -g -fno-omit-frame-pointer -fPIE -fno-sanitize-recover=all -DTQD_SANITIZED
# level 3 includes sizes that are computed at run time; gcc 12 and clang 9 have it
cflags_release := -O2 -g $(harden) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
cflags_debug   := -O0 -g3 $(harden)
cflags_asan    := $(sanitize) -fsanitize=address,undefined
cflags_tsan    := $(sanitize) -fsanitize=thread
cflags_coverage := -O0 -g -fPIE --coverage -fprofile-update=atomic -DTQD_SANITIZED
cflags_fuzz    := $(sanitize) -fsanitize=fuzzer-no-link,address,undefined
# CFLAGS, CPPFLAGS and LDFLAGS are who builds', and come last. Files name no folder of the machine that built them.
base     = -std=c17 -D_GNU_SOURCE -I. '-ffile-prefix-map=$(CURDIR)=.' $(numerics) $(refused) $(cflags_$(VARIANT)) $(sundials_flags) $(CPPFLAGS) $(CFLAGS) $(EXTRA_CFLAGS)
flags    = $(base) $(warnings)
ldflags  = $(filter -fsanitize% --coverage,$(cflags_$(VARIANT))) -pie -pthread -Wl,-z,relro,-z,now $(LDFLAGS)
# A question to the compiler is asked once, and not before something is built: until `make deps` there may be none.
once     = $(eval $(1) := $(2))$($(1))
archive  = $(findstring /,$(shell $(CC) -print-file-name=$(1) 2>/dev/null))

# Kernels: one source, one object per lane width. "portable" is width 1 without assuming any instruction beyond the
# architecture's baseline; TQ_BUILD is the suffix of its symbols. Kernels begin at cache lines: where the
# linker puts them is worth 5 %.
kernel_builds := portable $(if $(filter x86_64,$(arch)),w1 w1v w2 w4 w8)
lanes_portable := -DTQ_LANES=1 -DTQ_BUILD=portable
lanes_w1 := -DTQ_LANES=1 -DTQ_BUILD=w1 -DTQ_WIDE=w4 -mavx2 -mfma
# one lane and the 32 registers of AVX-512: single calls take 10 to 18 % less
lanes_w1v := -DTQ_LANES=1 -DTQ_BUILD=w1v -DTQ_WIDE=w8 -mavx512f -mavx512dq -mavx512vl -mfma
lanes_w2 := -DTQ_LANES=2 -DTQ_BUILD=w2 -mavx2 -mfma
lanes_w4 := -DTQ_LANES=4 -DTQ_BUILD=w4 -mavx2 -mfma
lanes_w8 := -DTQ_LANES=8 -DTQ_BUILD=w8 -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512

kernel_src := $(sort $(wildcard core/kernels/*.c core/kernels/*/*.c))
core_src   := $(filter-out core/kernels/%,$(sort $(shell find core -name '*.c')))
api_src    := $(sort $(shell find api -name '*.c'))
daemon_src := $(filter-out daemon/main.c,$(sort $(shell find daemon -name '*.c')))
support_src := $(sort $(wildcard tests/support/*.c))
test_src   := $(sort $(shell find tests/unit tests/property tests/golden -name 'test_*.c' 2>/dev/null))
core_obj   := $(core_src:%.c=$(out)/%.o) $(foreach b,$(kernel_builds),$(kernel_src:%.c=$(out)/%.$(b).o))
page_files := $(sort $(wildcard clients/dashboard/dist/*.html clients/dashboard/dist/*.css clients/dashboard/dist/*.js))
# the guide, where `make docs-site` has built it
guide_files := $(sort $(wildcard build/site/*.html build/site/*.css build/site/*.js build/site/*.json))
robot_files := $(sort $(wildcard api/robots/builtin/*.urdf api/robots/builtin/*.json))
api_obj    := $(api_src:%.c=$(out)/%.o) $(out)/api/robots/builtin/table.o $(out)/api/docs/docs.o
engines    := sqlite postgresql
daemon_obj := $(daemon_src:%.c=$(out)/%.o) $(out)/daemon/service/dashboard_files.o $(out)/daemon/service/guide_files.o $(engines:%=$(out)/daemon/store/%/steps.o)
support_obj := $(support_src:%.c=$(out)/%.o)
test_bin   := $(test_src:%.c=$(out)/%)
has_main   := $(wildcard daemon/main.c)

core_lib   := $(out)/libtorqued_core.a
api_lib    := $(out)/libtorqued_api.a
daemon_lib := $(out)/libtorqued_daemon.a
support_lib := $(out)/libtest_support.a
libs       := $(daemon_lib) $(api_lib) $(core_lib)
# The few wrappers of LAPACKE that are called: its shared library brings LAPACK and BLAS once more, 1 MiB of an idle daemon.
lapacke     = $(call once,lapacke,$(if $(call archive,liblapacke.a),-l:liblapacke.a,-llapacke))
# SUNDIALS' integrators are linked into the program: the shared ones of version 7 bring MPI along (40 libraries, 280 MB of
# packages). Its headers want MPI's, its archive some symbols of it, which core/integrate/ode_mpi.c defines: nothing calls them.
sundials    = $(call once,sundials,$(if $(call archive,libsundials_arkode.a),-l:libsundials_arkode.a -l:libsundials_cvode.a \
    $(if $(call archive,libsundials_core.a),-l:libsundials_core.a),-lsundials_arkode -lsundials_cvode $(if $(call archive,libsundials_core.so),-lsundials_core)))
sundials_flags = $(call once,sundials_flags,$(if $(call archive,libsundials_core.so),$(patsubst -I%,-isystem %,$(shell pkg-config --cflags-only-I mpi-c 2>/dev/null))))
core_libs   = $(if $(wildcard core/linalg/*.c),$(lapacke) -lopenblas) $(sundials) $(core_lib) -lm
link_libs   = -lmicrohttpd -lseccomp -lsqlite3 -lgnutls -linih -lsystemd -ljansson -lexpat -lsodium -lxxhash -lcbor -lz -lzstd $(core_libs)
# for tests with a store in PostgreSQL; the daemon loads it where its settings name one
link_pq     = -Wl,--as-needed -lpq -Wl,--no-as-needed

#: build            the daemon and torquectl, in build/ (VARIANT=release|debug|asan|tsan, CC=gcc|clang, WERROR=1)
#: run              install what is missing, build, serve on 127.0.0.1 (PORT=8420)
#: dashboard        clients/dashboard/dist out of its sources; needs node and npm, which no other target does
#: clean            remove build/
.PHONY: build links test clean run help always
build: $(core_lib) $(api_lib) $(daemon_lib) $(if $(has_main),$(out)/torqued) $(out)/torquectl $(tqc_lib) $(tqc_so) $(if $(filter release,$(config)),links)

# All test binaries at once, each with a time limit; the last line is "N passed, N failed, N skipped".
test: $(test_bin)
	@tests/run/units.sh $(out)/log $^

run: deps
	@tests/run/build.sh "$(MAKE) --no-print-directory" $(jobs)
	@tests/run/serve.sh $(out)/torqued $(PORT)
PORT ?= 8420

.PHONY: dashboard
dashboard:
	@clients/dashboard/make.sh

help:
	@sed -n 's/^#: /make /p' $(filter %Makefile %.mk,$(MAKEFILE_LIST))

clean:
	rm -rf build

$(core_lib): $(core_obj)
$(api_lib): $(api_obj)
$(daemon_lib): $(daemon_obj)
$(support_lib): $(support_obj)
$(core_lib) $(api_lib) $(daemon_lib) $(support_lib):
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(out)/torqued: $(out)/daemon/main.o $(libs)
	$(call say,LD)
	$(Q)$(CC) $(cflags_$(VARIANT)) $(CFLAGS) $(filter %.o %.a,$^) $(ldflags) $(link_libs) -o $@
# build/torqued is the release, whatever else was built since
links: $(if $(has_main),$(out)/torqued) $(out)/torquectl
	@for program in $(^F); do ln -sf $(config)/$$program build/$$program || exit 1; done

include clients/c/c.mk
ctl_obj := $(patsubst %.c,$(out)/%.o,$(sort $(wildcard clients/torquectl/*.c clients/torquectl/*/*.c)))
$(out)/torquectl: $(ctl_obj) $(tqc_lib)
	$(call say,LD)
	$(Q)$(CC) $(cflags_$(VARIANT)) $(CFLAGS) $(filter %.o %.a,$^) $(ldflags) -ljansson -lsodium -lsqlite3 -lm -o $@

# tests do not take -Wcast-qual: Criterion's eq(str, ...) needs casts from const
test_flags = $(base) -Wall -Wextra $(if $(WERROR),-Werror)
# hundreds of programs: lld, where it is, links each in a third of the time; the daemon is linked as everywhere
test_linker = $(call once,test_linker,$(if $(filter $(shell uname -m)-%,$(shell $(CC) -dumpmachine)),$(if $(shell command -v ld.lld),-fuse-ld=lld)))
# objects of their own: a change of a library only links them again; -rdynamic, for dladdr to name who allocates (short_memory.h)
# with assertions that mean what they say: tests/support/include
$(test_bin:=.o) $(out)/tests/run/forked.o: private flags = -Itests/support/include $(test_flags)
# FORKED=1: with a main of our own, tests/run/forked.c
$(test_bin): $(out)/tests/%: $(out)/tests/%.o $(if $(FORKED),$(out)/tests/run/forked.o) $(support_lib) $(libs)
	$(call say,LD)
	$(Q)$(CC) $(cflags_$(VARIANT)) $(CFLAGS) $(filter %.o %.a,$^) $(ldflags) $(test_linker) -rdynamic -lcriterion $(link_libs) $(link_pq) -o $@
$(out)/tests/%: tests/%.c $(out)/flags $(support_lib) $(libs)
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(test_flags) -MMD -MP $< $(extra_tests) $(support_lib) $(libs) $(ldflags) $(link_tests) $(link_libs) -o $@

# Objects are made again when what makes them has changed; and a machine that cannot is refused by one line, before any.
$(out)/flags: always
	@command -v $(firstword $(CC)) >/dev/null || { echo "there is no $(firstword $(CC)): \`make deps\` installs what is needed" >&2; exit 1; }
	@mkdir -p $(@D)
	@now=$@.$$$$; { printf '%s\n' "$$($(CC) --version 2>&1 | head -n 1)"; printf '%s ' $(CC) $(filter-out -Werror,$(flags)) $(ldflags); echo; } >$$now; \
	if cmp -s $$now $@; then rm $$now; else \
	    $(CC) $(filter-out --coverage,$(base)) -fsyntax-only -x c core/base/machine.h && mv $$now $@; fi

define kernel_rule
$(out)/core/kernels/%.$(1).o: core/kernels/%.c $(out)/flags
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$(CC) $$(flags) $$(lanes_$(1)) -falign-functions=64 -MMD -MP -c $$< -o $$@
endef
$(foreach b,$(kernel_builds),$(eval $(call kernel_rule,$(b))))

# the built-in robots, embedded byte for byte
$(out)/api/robots/builtin/table.c: api/robots/builtin/embed.sh $(robot_files)
	@mkdir -p $(@D)
	$(Q)api/robots/builtin/embed.sh $(robot_files) >$@.new && mv $@.new $@
# and the contract as a page
$(out)/api/docs/docs.c: api/docs/embed.sh api/docs/docs.html api/docs/docs.js
	@mkdir -p $(@D)
	$(Q)$^ >$@.new && mv $@.new $@
# and the dashboard, which is committed as built: clients/dashboard/DECISIONS.md
$(out)/daemon/service/dashboard_files.c: daemon/service/embed.sh $(page_files)
	@mkdir -p $(@D)
	$(Q)$< daemon/service/dashboard.h tqd_dashboard_files $(page_files) >$@.new && mv $@.new $@
# and the guide: made again when its files have changed, or there are others
$(out)/daemon/service/guide_list: always
	@mkdir -p $(@D)
	@echo "$(guide_files)" | cmp -s - $@ || echo "$(guide_files)" >$@
$(out)/daemon/service/guide_files.c: daemon/service/embed.sh $(out)/daemon/service/guide_list $(guide_files)
	$(Q)$< daemon/service/guide.h tqd_guide_files $(guide_files) >$@.new && mv $@.new $@
# and the schema of each engine, which is SQL to read and to lint
define schema_rule
$(out)/daemon/store/$(1)/steps.c: daemon/store/embed.sh $(sort $(wildcard daemon/store/$(1)/step*.sql))
	@mkdir -p $$(@D)
	$$(Q)$$< daemon/store/$(1)/$(1).h tqd_$(1)_schema $$(filter %.sql,$$^) >$$@.new && mv $$@.new $$@
endef
$(foreach e,$(engines),$(eval $(call schema_rule,$(e))))
$(out)/api/robots/builtin/table.o $(out)/api/docs/docs.o $(out)/daemon/service/dashboard_files.o $(out)/daemon/service/guide_files.o \
    $(engines:%=$(out)/daemon/store/%/steps.o): $(out)/%.o: $(out)/%.c $(out)/flags
	$(Q)$(CC) $(flags) -MMD -MP -c $< -o $@

$(out)/%.o: %.c $(out)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(flags) -MMD -MP -c $< -o $@

# recipes: tests/lint/lint.mk
lint:
lint-quick:

include systemd/install.mk tests/run/deps.mk tests/lint/lint.mk tests/run/check.mk tests/run/clients.mk tests/run/cluster.mk tests/bench/bench.mk
-include $(core_obj:.o=.d) $(api_obj:.o=.d) $(daemon_obj:.o=.d) $(out)/daemon/main.d $(ctl_obj:.o=.d) $(support_obj:.o=.d) $(test_bin:=.d) \
    $(wildcard $(out)/tests/bench/*.d)
