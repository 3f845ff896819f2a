# SPDX-License-Identifier: Apache-2.0
# tests/run/clients.mk - clients in other languages against the running daemon: make deps-clients, make check-clients.
# A client adds its step to client_steps and a target check-STEP that ends with "N passed, N failed, N skipped" or with its status.
# Packages of npm are named in tests/clients/package.json with its lock, those of PyPI in venv_clients (deps.mk).
# They must run on Debian 12: node 18.19, Python 3.11. `npm ci` puts them into build/node/node_modules.
client_steps := generated python javascript dashboard scenario examples docs

#: wheel            build/wheel: the package for Python that carries the daemon
#: deps-clients check-clients   what clients in Python, JavaScript and TypeScript are tested with; those tests
.PHONY: check-clients $(client_steps:%=check-%)
check-clients: build
	@tests/run/clients.sh $(client_steps)

# clients that other people's generators make of the contract
check-generated: build
	@tests/run/pytest.sh tests/clients/generated $(out)/torqued

# the package for Python: `python-client` is the part of seconds, for `make check`
.PHONY: python-client
# in one process: starting others costs more than it saves
python-client: build
	@if build/venv/bin/python -c 'import httpx' 2>/dev/null; then PYTEST_JOBS=0 tests/run/pytest.sh tests/clients/python $(out)/torqued; \
	else echo "SKIP tests/clients/python: no httpx (make deps-check could not reach PyPI)"; echo "0 passed, 0 failed, 1 skipped"; fi
# build/wheel/torqued-*.whl: the package with the daemon, its libraries and their licences
.PHONY: wheel
wheel: build
	@clients/python/wheel.sh $(out)/torqued build/wheel
#: clients          all of them: torquectl and libtqc, the dashboard's bundle (node, npm), the Python wheel (make deps-clients)
.PHONY: clients
clients: build dashboard wheel
#: check-wheel      that package in a bare Debian 12 with Python: installed, first torque, first report (make deps-clients; root)
.PHONY: check-wheel
check-wheel: build
	@tests/run/wheel.sh $(out)/torqued
check-python: build
	@tests/run/python_client.sh $(out)/torqued

# the module for JavaScript, in Node and in Chromium; one scenario by every client; programs of clients/examples in other languages
check-javascript: build
	@tests/run/pytest.sh tests/clients/javascript $(out)/torqued
# the page at /: the same sources make the same bytes (where npm is); every workflow in Chromium
check-dashboard: build
	@if command -v npm >/dev/null; then clients/dashboard/make.sh build/dashboard && diff -r clients/dashboard/dist build/dashboard; else echo "SKIP the dashboard's bundle: no npm"; fi
	@tests/run/pytest.sh tests/clients/dashboard $(out)/torqued
#: day              a day's use of the dashboard by someone new: clicks, keys and seconds, beside other tools (make deps-clients)
.PHONY: day
day: build
	@mkdir -p build
	@TORQUED=$(CURDIR)/$(out)/torqued $(python) tests/clients/dashboard/day.py build/day.md
# the README's picture, of the real thing
.PHONY: picture
picture: build
	@TORQUED=$(CURDIR)/$(out)/torqued $(python) tests/clients/dashboard/picture.py docs/dashboard.png
check-scenario: build $(out)/tests/clients/scenario/steps
	@tests/run/pytest.sh tests/clients/scenario $(out)/torqued
# build/site: the guide, which the next `make build` puts into the daemon at /docs/guide/ (make deps-docs)
#: docs-site        the guide out of docs/ and the contract, for the next build (make deps-docs)
.PHONY: docs-site
docs-site:
	@$(python) -c 'import mkdocs, pymdownx' 2>/dev/null || { echo "docs-site: no mkdocs or pymdown-extensions: make deps-docs" >&2; exit 1; }
	@mkdir -p build
	@NO_MKDOCS_2_WARNING=1 $(python) -B -m mkdocs build -q -f docs/site/mkdocs.yml
	@echo "build/site: $$(find build/site -type f | wc -l) files, $$(cat build/site/* | wc -c) bytes"
# every block of every page, by every client; the site in Chromium, by a daemon that carries it
check-docs:
	@if $(python) -c 'import mkdocs, pymdownx' 2>/dev/null; then $(MAKE) -s docs-site; fi
	@$(MAKE) -s build
	@tests/run/pytest.sh tests/clients/docs $(out)/torqued
check-examples: build
	@tests/run/pytest.sh tests/clients/examples $(out)/torqued
$(out)/tests/clients/scenario/steps: tests/clients/scenario/steps.c $(tqc_lib) $(out)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(base) -Wall -Wextra -MMD -MP $(filter %.c %.a,$^) $(ldflags) -lcurl -o $@
-include $(out)/tests/clients/scenario/steps.d
