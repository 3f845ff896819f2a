# SPDX-License-Identifier: Apache-2.0
# Every target that CI runs is a target here; CI runs nothing else. Each VARIANT builds in its own folder.
.DEFAULT_GOAL := build
VARIANT ?= release
# one of: release debug asan tsan
CC      ?= gcc
ifeq ($(origin CC),default)
CC      := gcc
endif
out     := build/$(VARIANT)$(if $(findstring clang,$(CC)),-clang)
arch    := $(shell uname -m)

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion \
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wformat=2 -Wwrite-strings \
    -Wcast-qual -Wcast-align -Wpointer-arith -Wundef -Wvla -Wswitch-enum -Wimplicit-fallthrough \
    -Wnull-dereference $(if $(WERROR),-Werror)
# Results must not depend on the optimiser: fused multiply-adds are written out, nothing is reassociated, asserts stay on.
numerics := -ffp-contract=off -fno-fast-math
harden   := -fno-common -fstack-protector-strong -fPIE
cflags_release := -O2 -g $(harden) -D_FORTIFY_SOURCE=2
cflags_debug   := -O0 -g3 $(harden)
cflags_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
cflags_tsan    := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
base    := -std=c17 -D_GNU_SOURCE -I. $(numerics) $(cflags_$(VARIANT)) $(EXTRA_CFLAGS)
CFLAGS  := $(base) $(warnings)
LDFLAGS += $(filter -fsanitize%,$(cflags_$(VARIANT))) -pie -pthread

# Kernels: one source, one object per lane width. "portable" is width 1 without assuming any instruction beyond the
# architecture's baseline; TQ_BUILD is the suffix of its symbols.
kernel_builds := portable
ifeq ($(arch),x86_64)
kernel_builds += w1 w2 w4 w8
endif
lanes_portable := -DTQ_LANES=1 -DTQ_BUILD=portable
lanes_w1 := -DTQ_LANES=1 -DTQ_BUILD=w1 -mavx2 -mfma
lanes_w2 := -DTQ_LANES=2 -DTQ_BUILD=w2 -mavx2 -mfma
lanes_w4 := -DTQ_LANES=4 -DTQ_BUILD=w4 -mavx2 -mfma
lanes_w8 := -DTQ_LANES=8 -DTQ_BUILD=w8 -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512

kernel_src := $(sort $(wildcard core/kernels/*.c))
core_src   := $(filter-out core/kernels/%,$(sort $(wildcard core/*/*.c)))
core_obj   := $(core_src:%.c=$(out)/%.o) $(foreach b,$(kernel_builds),$(kernel_src:%.c=$(out)/%.$(b).o))
api_src    := $(sort $(wildcard api/*.c api/*/*.c))
api_obj    := $(api_src:%.c=$(out)/%.o)
daemon_src := $(sort $(wildcard daemon/*/*.c))
daemon_obj := $(daemon_src:%.c=$(out)/%.o)
support_src := $(sort $(wildcard tests/support/*.c))
support_obj := $(support_src:%.c=$(out)/%.o)
test_src   := $(sort $(shell find tests/unit tests/property tests/golden -name 'test_*.c' 2>/dev/null))
test_bin   := $(test_src:%.c=$(out)/%)

core_lib   := $(out)/libtorqued_core.a
api_lib    := $(out)/libtorqued_api.a
daemon_lib := $(out)/libtorqued_daemon.a
support_lib := $(out)/libtest_support.a
core_libs   := -llapacke -lopenblas -lm
api_libs    := -ljansson -lexpat -lsodium -lcbor -lz
daemon_libs := -lmicrohttpd -lsqlite3 -linih -lsystemd

.PHONY: build test clean
build: $(core_lib) $(api_lib) $(if $(wildcard daemon/main.c),$(out)/torqued build/torqued)

test: $(test_bin)
	@failed=0; for t in $^; do timeout 300 $$t --timeout 120 || failed=1; done; exit $$failed

clean:
	rm -rf build

$(core_lib): $(core_obj)
$(api_lib): $(api_obj)
$(daemon_lib): $(daemon_obj)
$(support_lib): $(support_obj)
$(core_lib) $(api_lib) $(daemon_lib) $(support_lib):
	@rm -f $@
	ar rcs $@ $^

$(out)/torqued: $(out)/daemon/main.o $(daemon_lib) $(api_lib) $(core_lib)
	$(CC) $(cflags_$(VARIANT)) $^ $(LDFLAGS) $(daemon_libs) $(api_libs) $(core_libs) -o $@
build/torqued: $(out)/torqued
	ln -sf $(VARIANT)$(if $(findstring clang,$(CC)),-clang)/torqued $@

# tests do not take -Wcast-qual: Criterion's eq(str, ...) needs casts from const
$(out)/tests/%: tests/%.c $(support_lib) $(daemon_lib) $(api_lib) $(core_lib)
	@mkdir -p $(@D)
	$(CC) $(base) -Wall -Wextra -MMD -MP $< $(support_lib) $(daemon_lib) $(api_lib) $(core_lib) $(LDFLAGS) -lcriterion \
	    $(daemon_libs) $(api_libs) $(core_libs) -o $@

define kernel_rule
$(out)/core/kernels/%.$(1).o: core/kernels/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(lanes_$(1)) -MMD -MP -c $$< -o $$@
endef
$(foreach b,$(kernel_builds),$(eval $(call kernel_rule,$(b))))

$(out)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c $< -o $@

-include $(core_obj:.o=.d) $(api_obj:.o=.d) $(daemon_obj:.o=.d) $(support_obj:.o=.d) $(test_bin:=.d)
