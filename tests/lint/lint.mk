# SPDX-License-Identifier: Apache-2.0
# tests/lint/lint.mk - what is checked without running the program; lint-quick takes seconds and gates every commit.
sources := $(shell tests/lint/files.sh '*.c' '*.h' 2>/dev/null)
headers := $(filter %.h,$(sources))
tidy_src := $(filter core/%.c api/%.c daemon/%.c,$(sources))

#: lint lint-quick  what can be said without running; the part of it that takes seconds
#: format openapi   clang-format over all; the contract and its tables in C out of api/openapi/schema
.PHONY: lint lint-quick lint-newest lint-newest-clang lint-headers lint-cppcheck lint-includes lint-tidy lint-folders lint-syntax lint-openapi openapi format analyze
lint-quick:
	@tests/lint/arrows.sh
	@tests/lint/circles.sh
	@tests/lint/doors.sh
	@tests/lint/dashboard.sh
	@tests/lint/banned.sh
	@tests/lint/json.sh
	@tests/lint/shape.sh
	@tests/lint/contracts.sh
	@printf '%s\n' $(sources) | xargs -r -n 16 -P $(jobs) clang-format --dry-run -Werror
	@$(if $(CI),,$(MAKE) -s CC=clang WERROR=1 lint-syntax)
	@$(MAKE) -s lint-cppcheck
	@$(MAKE) -s -j$(jobs) lint-changed
	@$(if $(filter $(sources),$(changed)),tests/lint/includes.sh $(filter $(sources),$(changed)))
# clang-tidy of what a branch has changed in .c files; `lint-tidy` checks everything
changed := $(shell git diff --name-only --diff-filter=d main 2>/dev/null)
lint-changed:
	@$(if $(filter $(tidy_src),$(changed)),$(call tidy,$(filter $(tidy_src),$(changed))))
# what builds with gcc must build with clang too, and the other way round; CI does build with both
lint-syntax:
	@printf '%s\n' $(filter-out core/kernels/%,$(tidy_src)) | xargs -r -n 4 -P $(jobs) $(CC) $(flags) -fsyntax-only
	@printf '%s\n' $(filter core/kernels/%,$(tidy_src)) | xargs -r -n 2 -P $(jobs) $(CC) $(flags) $(lanes_w4) -fsyntax-only

lint: lint-quick lint-headers lint-includes lint-tidy lint-newest lint-folders lint-openapi
lint-folders:
	@python3 api/codec/number/tables.py --check
	@tests/lint/folders.sh
	@tests/lint/unused.sh
	@tests/lint/pages.py
	@tests/lint/selftest.sh
	@tests/run/forked_selftest.sh
	@tests/lint/links.sh

# the contract and the tables in C are what the schema makes
lint-openapi:
	@tests/lint/openapi.sh
openapi:
	api/openapi/generate.py
	clients/python/generate.py
	clients/javascript/types.py
	clients/torquectl/fields.py

# every header compiles by itself, as C; those of tests with the warnings of tests, whose assertions convert
header_flags = $(base) -Werror -Wno-unused-function -Wno-unused-const-variable -fsyntax-only -x c /dev/null
lint-headers:
	@printf '%s\n' $(filter-out core/kernels/% tests/%,$(headers)) | xargs -r -n 1 -P $(jobs) $(CC) $(filter-out -Wundef,$(warnings)) $(header_flags) -Wno-pedantic -include
	@printf '%s\n' $(filter tests/%,$(headers)) | xargs -r -n 1 -P $(jobs) $(CC) -Wall -Wextra $(header_flags) -include

# every file includes what it uses, as far as a library could take it away
lint-includes:
	@tests/lint/includes.sh $(sources)

lint-cppcheck:
	@tests/lint/cppcheck.sh $(wildcard core api daemon clients/c clients/torquectl)

tidy_flags := -std=c17 -D_GNU_SOURCE -I.
tidy = printf '%s\n' $(1) | FLAGS='$(tidy_flags)' KERNEL_FLAGS='$(tidy_flags) $(lanes_w4)' tests/lint/seen_all.py build/lint/tidy clang-tidy --quiet {} -- {flags}
lint-tidy:
	@$(call tidy,$(tidy_src))

# the warnings of the compiler that the next Debian has
newest_flags = $(filter-out -Werror,$(flags)) -Werror
lint-newest:
	@$(MAKE) -s CC=clang lint-newest-clang
lint-newest-clang:
	@if command -v clang-19 >/dev/null; then printf '%s\n' $(tidy_src) $(filter clients/%.c,$(sources)) | FLAGS='$(newest_flags)' KERNEL_FLAGS='$(newest_flags) $(lanes_w4)' \
	    tests/lint/seen_all.py build/lint/newest clang-19 -fsyntax-only {flags} {}; else echo "SKIP lint-newest: no clang-19 (make deps-check)"; fi

format:
	clang-format -i $(sources)

# slower than lint: the compiler's own analyser over everything
analyze:
	@$(MAKE) -s -j$(jobs) VARIANT=debug EXTRA_CFLAGS='-fanalyzer -O1' WERROR=1 out=build/analyze build
