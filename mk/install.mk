# SPDX-License-Identifier: GPL-2.0-or-later
# The installed program looks for the recorder in ../libexec/blackout/valgrind, the stub in ../libexec/blackout, the example in ../libexec/blackout/examples.

D = $(DESTDIR)$(PREFIX)

.PHONY: install install-only
install: all
	@$(MAKE) --no-print-directory install-only

# Without building first.
install-only:
	install -d $(D)/bin $(D)/libexec/blackout/valgrind $(D)/libexec/blackout/examples $(D)/include/blackout $(D)/share/man/man1
	install $(B)/blackout $(D)/bin/
	install $(wildcard $(B)/valgrind/blackout-amd64-linux) $(D)/libexec/blackout/valgrind/
	for f in $(VG_LINKS); do \
		ln -sf $$f $(D)/libexec/blackout/valgrind/; done
	install $(EXAMPLES) $(D)/libexec/blackout/examples/
	install $(PRELOAD) $(D)/libexec/blackout/
	install -m 644 include/blackout/*.h $(D)/include/blackout/
	install -m 644 doc/man/*.1 $(D)/share/man/man1/
