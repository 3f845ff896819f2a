# SPDX-License-Identifier: Apache-2.0
# systemd/install.mk - what leaves this folder: installed files, the tarball, its list of parts, Debian packages.
PREFIX     ?= /usr/local
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),/etc,$(PREFIX)/etc)
LIBDIR     ?= $(PREFIX)/lib
# packages strip by themselves, and keep what was stripped
stripping  ?= -s
units      := torqued.service torqued-activated.service torqued-activated.socket
completions := man/man1/torquectl.1:'help man' bash-completion/completions/torquectl:'completion bash' \
    zsh/site-functions/_torquectl:'completion zsh' fish/vendor_completions.d/torquectl.fish:'completion fish'

#: install          into PREFIX below DESTDIR, stripped; uninstall: all of it but the settings and the state
#: dist sbom        a tarball of the last commit, the same bytes anywhere; what the programs are linked to (SPDX)
#: deb test-deb     Debian packages in build/deb; installed, upgraded, removed and purged under a systemd (make deps-deb; root)
.PHONY: install uninstall dist sbom deb test-deb
# units name the installed paths; settings that are there already are left alone
install: build install-c
	install $(stripping) -D -m 755 $(out)/torqued "$(DESTDIR)$(PREFIX)/bin/torqued"
	install $(stripping) -D -m 755 $(out)/torquectl "$(DESTDIR)$(PREFIX)/bin/torquectl"
	for made in $(completions); do \
	    file="$(DESTDIR)$(PREFIX)/share/$${made%%:*}" && install -d "$${file%/*}" && $(out)/torquectl $${made#*:} >"$$file" || exit 1; done
	$(out)/torquectl help commands | while read -r command; do \
	    $(out)/torquectl help man $$command >"$(DESTDIR)$(PREFIX)/share/man/man1/torquectl-$$(echo $$command | tr ' ' -).1" || exit 1; done
	if command -v scdoc >/dev/null; then install -d "$(DESTDIR)$(PREFIX)/share/man/man8" "$(DESTDIR)$(PREFIX)/share/man/man5" && \
	    scdoc <systemd/torqued.8.scd >"$(DESTDIR)$(PREFIX)/share/man/man8/torqued.8" && \
	    systemd/conf_page.sh $(out)/torqued | scdoc >"$(DESTDIR)$(PREFIX)/share/man/man5/torqued.conf.5"; \
	else echo "no scdoc: installed without torqued(8) and torqued.conf(5)"; fi
	install -D -m 644 LICENSE "$(DESTDIR)$(PREFIX)/share/doc/torqued/LICENSE"
	install -D -m 644 README.md "$(DESTDIR)$(PREFIX)/share/doc/torqued/README.md"
	install -D -m 644 systemd/torqued.conf "$(DESTDIR)$(PREFIX)/share/doc/torqued/torqued.conf"
	[ -e "$(DESTDIR)$(SYSCONFDIR)/torqued/torqued.conf" ] || \
	    install -D -m 644 systemd/torqued.conf "$(DESTDIR)$(SYSCONFDIR)/torqued/torqued.conf"
	install -d "$(DESTDIR)$(PREFIX)/lib/systemd/system"
	for unit in $(units); do \
	    sed 's#@bindir@#$(PREFIX)/bin#; s#@sysconfdir@#$(SYSCONFDIR)#' systemd/$$unit \
	        >"$(DESTDIR)$(PREFIX)/lib/systemd/system/$$unit" || exit 1; done
	install -D -m 644 systemd/torqued.sysusers "$(DESTDIR)$(PREFIX)/lib/sysusers.d/torqued.conf"
	install -D -m 644 systemd/torqued.tmpfiles "$(DESTDIR)$(PREFIX)/lib/tmpfiles.d/torqued.conf"

uninstall:
	for unit in $(if $(DESTDIR),,$(filter-out %activated.service,$(units))); do systemctl disable --now $$unit 2>/dev/null || true; done
	rm -f $(foreach f,torqued torquectl,"$(DESTDIR)$(PREFIX)/bin/$f") $(foreach u,$(units),"$(DESTDIR)$(PREFIX)/lib/systemd/system/$u")
	for made in $(completions); do rm -f "$(DESTDIR)$(PREFIX)/share/$${made%%:*}"; done
	rm -f "$(DESTDIR)$(PREFIX)"/share/man/man1/torquectl-*.1
	rm -f $(foreach f,man/man8/torqued.8 man/man5/torqued.conf.5,"$(DESTDIR)$(PREFIX)/share/$f")
	rm -f $(foreach f,sysusers tmpfiles,"$(DESTDIR)$(PREFIX)/lib/$f.d/torqued.conf") "$(DESTDIR)$(PREFIX)/include/tqc.h"
	rm -f $(foreach f,libtqc.a libtqc.so libtqc.so.$(tqc_abi) pkgconfig/tqc.pc,"$(DESTDIR)$(LIBDIR)/$f")
	rm -rf "$(DESTDIR)$(PREFIX)/share/doc/torqued"
	@echo "kept: $(DESTDIR)$(SYSCONFDIR)/torqued, /var/lib/torqued and the user torqued"

# git's tar has the commit's time; gzip -n none of its own
dist:
	@mkdir -p build
	git -c tar.umask=0022 archive --prefix=torqued-$(version)/ --format=tar HEAD | gzip -9n >build/torqued-$(version).tar.gz

sbom: build
	@systemd/sbom.py $(out)/torqued $(out)/torquectl >build/torqued-$(version).spdx.json
	@echo build/torqued-$(version).spdx.json

#: container        an image of Debian's packages in build/container; test-container runs its root in 256 MiB (make deps-container; root)
.PHONY: container test-container
container:
	@systemd/container/build.sh build/container
test-container:
	@tests/run/container.sh
#: check-proxies    nginx, Caddy and haproxy as systemd/proxies configures them, promtool over the alert rules (make deps-proxies)
.PHONY: check-proxies
check-proxies: build
	@tests/run/pytest.sh tests/proxies $(out)/torqued

deb:
	@systemd/debian/build.sh build/deb
test-deb:
	@tests/run/deb.sh
