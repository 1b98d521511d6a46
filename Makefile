# SPDX-License-Identifier: GPL-2.0-or-later
#
#   make            build build/blackout and the recorder, usable in place
#   make demo       build, and run on the example that is shipped
#   make check      build, and run every test; TEST=e2e/flush runs one
#   make install    install below PREFIX (/usr/local); DESTDIR=DIR puts it into DIR first
#   make uninstall  remove what `make install` put there
#   make bench      measure the speed, and print a table of ratios
#   make lint       check layers, unused functions and format, run cppcheck and clang-tidy
#   make format     put the sources into the house format
#   make clean      remove build/
#   make help       print this list
#
# Sources are found by wildcard: a new file needs no line here.  Missing Debian packages are installed by script/setup.

VERSION := 0.1.0
PREFIX ?= /usr/local
B ?= build

ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
CFLAGS ?= -O2 -g

# Build in parallel unless told otherwise.
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-builtin-rules
# V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)	$(2)")

.DELETE_ON_ERROR:
.SECONDARY:

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
BASE := -std=gnu11 $(WARN) -D_GNU_SOURCE -Iinclude -Isrc -MMD -MP
LIBS := -ldw -lelf -lxxhash -lzstd -lgmp -lm -ljansson
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: all
all: program tool compiler examples

include mk/program.mk mk/tool.mk mk/compiler.mk mk/test.mk mk/install.mk

.PHONY: help demo bench lint clean
help:
	@sed -n 's/^#   make/make/p' Makefile

demo: all
	@$(B)/blackout demo 2>&1

bench: all bench-programs
	@BLACKOUT='$(abspath $(B))/blackout' PROGRAMS='$(abspath $(B))/bench' bench/run

lint: | setup
	@script/lint

clean:
	rm -rf $(B)

# What a goal needs in addition to the build.  One call, because apt takes a lock.
SETUP_FOR := build
ifneq ($(filter $(if $(TEST),,check) bench $(B)/bench/% bench-programs test-programs,$(MAKECMDGOALS)),)
SETUP_FOR += check
endif
SETUP_TESTS := $(if $(filter check,$(MAKECMDGOALS)),$(TEST)) $(patsubst $(B)/test/%,%,$(filter $(B)/test/%,$(MAKECMDGOALS)))
SETUP_FOR += $(if $(filter unit/%,$(SETUP_TESTS)),unit) $(if $(filter fuzz/%,$(SETUP_TESTS)),fuzz) \
	$(if $(filter-out unit/% fuzz/%,$(SETUP_TESTS)),e2e) $(if $(filter e2e/report_%,$(SETUP_TESTS)),browser)
ifneq ($(filter lint,$(MAKECMDGOALS)),)
SETUP_FOR += lint
endif

.PHONY: setup
setup:
	@script/setup $(SETUP_FOR)

# Rebuild everything when the compiler or its flags change.
.PHONY: FORCE
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(CC) $(CFLAGS) $(BASE) $(LDFLAGS) $(VERSION)' | cmp -s - $@ || echo '$(CC) $(CFLAGS) $(BASE) $(LDFLAGS) $(VERSION)' >$@

.PHONY: format
format: SETUP_FOR += lint
format: | setup
	clang-format -i $(wildcard include/blackout/*.h src/*/*.[ch] compiler/*/*.[ch] tool/*.[ch] solver/*.[ch] test/*/*.[ch] bench/*.[ch] examples/*.c)
