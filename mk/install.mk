# SPDX-License-Identifier: GPL-2.0-or-later
# The installed program looks for the recorder in ../libexec/blackout/valgrind, for the stub and the solver in
# ../libexec/blackout, and for the examples in ../libexec/blackout/examples.

D = $(DESTDIR)$(PREFIX)

# Directories below PREFIX, and the files that go into each.  Both `install` and `uninstall` use this list.
INSTALL_DIRS := bin libexec/blackout libexec/blackout/valgrind libexec/blackout/compiler libexec/blackout/examples include/blackout share/man/man1 \
	share/doc/blackout share/doc/blackout/findings share/doc/blackout/examples share/bash-completion/completions share/zsh/site-functions
INSTALL_bin := $(B)/blackout $(WRAPPERS)
INSTALL_libexec/blackout := $(PRELOAD) $(SOLVER) $(WRAPPER_FILES)
INSTALL_libexec/blackout/valgrind := $(TOOL)
INSTALL_libexec/blackout/compiler := $(COMPILER_FILES)
INSTALL_libexec/blackout/examples := $(EXAMPLES) $(ORACLES)
INSTALL_include/blackout := $(wildcard include/blackout/*.h)
INSTALL_share/man/man1 := $(wildcard doc/man/*.1)
INSTALL_share/doc/blackout := $(wildcard doc/*.md)
INSTALL_share/doc/blackout/findings := $(wildcard doc/findings/*.md)
INSTALL_share/doc/blackout/examples := $(wildcard examples/*.c examples/*.spec)
INSTALL_share/bash-completion/completions := $(B)/completion/blackout
INSTALL_share/zsh/site-functions := $(B)/completion/_blackout
# Directories that no other software uses.
INSTALL_OWN := $(foreach d,$(INSTALL_DIRS),$(if $(findstring /blackout/,$(d)/),$(d)))
install_mode = $(if $(filter bin libexec/%,$(1)),755,644)

# Shell completion for our command lines.
COMPLETIONS := $(B)/completion/blackout $(B)/completion/_blackout
program: $(COMPLETIONS)

$(COMPLETIONS): $(B)/blackout
	@mkdir -p $(@D)
	$(Q)$(B)/blackout completion $(if $(findstring /_,$@),zsh,bash) >$@

.PHONY: install install-only uninstall
install: all
	@$(MAKE) --no-print-directory install-only

# Install without building first.
install-only:
	$(foreach d,$(INSTALL_DIRS),install -d '$(D)/$(d)' && install -m $(call install_mode,$(d)) $(INSTALL_$(d)) '$(D)/$(d)/' &&) true
	ln -sf $(VG_LINKS) '$(D)/libexec/blackout/valgrind/'

uninstall:
	cd '$(D)' && rm -f $(foreach d,$(INSTALL_DIRS),$(addprefix $(d)/,$(notdir $(INSTALL_$(d))))) \
		$(addprefix libexec/blackout/valgrind/,$(notdir $(VG_LINKS)))
	cd '$(D)' && for d in $$(printf '%s\n' $(INSTALL_OWN) | sort -r); do \
		[ ! -d $$d ] || rmdir --ignore-fail-on-non-empty $$d || exit; done
