# SPDX-License-Identifier: GPL-2.0-or-later
# The installed program looks for the recorder in ../libexec/blackout/valgrind, the stub in ../libexec/blackout, the example in ../libexec/blackout/examples.

D = $(DESTDIR)$(PREFIX)

.PHONY: install install-only
install: all
	@$(MAKE) --no-print-directory install-only

# Without building first.
install-only:
	install -d $(D)/bin $(D)/libexec/blackout/valgrind $(D)/libexec/blackout/examples $(D)/include/blackout $(D)/share/man/man1 \
		$(D)/share/doc/blackout/findings $(D)/share/doc/blackout/examples
	install $(B)/blackout $(D)/bin/
	install $(TOOL) $(D)/libexec/blackout/valgrind/
	ln -sf $(VG_LINKS) $(D)/libexec/blackout/valgrind/
	install $(EXAMPLES) $(D)/libexec/blackout/examples/
	install $(PRELOAD) $(D)/libexec/blackout/
	install -m 644 include/blackout/*.h $(D)/include/blackout/
	install -m 644 doc/man/*.1 $(D)/share/man/man1/
	install -m 644 doc/*.md $(D)/share/doc/blackout/
	install -m 644 doc/findings/*.md $(D)/share/doc/blackout/findings/
	install -m 644 examples/*.c $(D)/share/doc/blackout/examples/
