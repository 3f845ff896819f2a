# SPDX-License-Identifier: Apache-2.0
# clients/c/c.mk - libtqc, static and shared: one set of objects, position-independent, what tqc.h declares visible.
tqc_src  := $(sort $(wildcard clients/c/*.c))
tqc_obj  := $(tqc_src:%.c=$(out)/%.o)
tqc_lib  := $(out)/libtqc.a
tqc_abi  := 0
tqc_so   := $(out)/libtqc.so.$(tqc_abi)
$(tqc_obj): private flags += -fPIC -fvisibility=hidden
$(tqc_lib): $(tqc_obj)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
$(tqc_so): $(tqc_obj)
	$(call say,LD)
	$(Q)$(CC) $(filter-out -fPIE,$(cflags_$(VARIANT))) $(CFLAGS) -shared -Wl,-soname,$(@F) $^ $(filter-out -pie,$(ldflags)) -lcurl -o $@

.PHONY: install-c
install-c: $(tqc_lib) $(tqc_so)
	install -D -m 644 clients/c/tqc.h "$(DESTDIR)$(PREFIX)/include/tqc.h"
	install -D -m 644 $(tqc_lib) "$(DESTDIR)$(LIBDIR)/libtqc.a"
	install $(stripping) -D -m 644 $(tqc_so) "$(DESTDIR)$(LIBDIR)/libtqc.so.$(tqc_abi)"
	ln -sf libtqc.so.$(tqc_abi) "$(DESTDIR)$(LIBDIR)/libtqc.so"
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig"
	sed 's#@prefix@#$(PREFIX)#; s#@libdir@#$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))#; s#@version@#$(version)#' clients/c/tqc.pc.in >"$(DESTDIR)$(LIBDIR)/pkgconfig/tqc.pc"

# what tests/contract/test_client_c.py drives
$(out)/tqc_drive: tests/contract/tqc_drive.c $(tqc_lib) $(out)/flags
	$(call say,CC)
	$(Q)$(CC) $(base) -Wall -Wextra -MMD -MP $(filter %.c %.a,$^) $(ldflags) -lcurl -o $@
-include $(tqc_obj:.o=.d) $(out)/tqc_drive.d
