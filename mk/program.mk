# SPDX-License-Identifier: GPL-2.0-or-later
# The library of all layers below cli/, the program, and the examples that it ships.

LIB_SRC := $(filter-out src/cli/% src/preload/%,$(wildcard src/*/*.c))
CLI_SRC := $(wildcard src/cli/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(B)/obj/%.o)

.PHONY: program examples
program: $(B)/blackout

$(B)/obj/%.o: %.c $(B)/flags | setup
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) $(CFLAGS) -DBLACKOUT_VERSION='"$(VERSION)"' -c $< -o $@

# Files that the assembler includes; the compiler's dependency files do not list them.
$(patsubst %,$(B)/%/src/report/assets.o,obj asan fuzz): $(wildcard src/report/assets/* doc/findings/*.md)

$(B)/libblackout.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

$(B)/blackout: $(CLI_OBJ) $(B)/libblackout.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# A single-file program declares in its first lines what it needs: "// link: -lpmem", "// cflags: -mavx2".
pragma = $(subst build/,$(B)/,$(shell sed -n '1,20s,^// $(1): *,,p' $<))
standalone = $(Q)mkdir -p $(@D) && $(1) -std=gnu11 $(WARN) -D_GNU_SOURCE -Iinclude -MMD -MP -MF $@.d $(2) \
	$(call pragma,cflags) $< -o $@ $(call pragma,link)

ORACLES := $(patsubst examples/%.c,$(B)/examples/%.so,$(wildcard examples/oracle_*.c))
EXAMPLES := $(patsubst examples/%.c,$(B)/examples/%,$(filter-out examples/oracle_%,$(wildcard examples/*.c)))
examples: $(EXAMPLES) $(ORACLES)

$(B)/examples/%: examples/%.c $(B)/flags | setup
	$(call say,CC,$<)
	$(call standalone,$(CC),-O1 -g)

# Plug-ins are linked with nothing of ours.
$(ORACLES): $(B)/examples/%.so: examples/%.c $(B)/flags | setup
	$(call say,CC,$<)
	$(call standalone,$(CC),-O2 -g -fPIC -shared)

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(EXAMPLES:=.d) $(ORACLES:=.d)

# The stub that is preloaded into recovery programs.  It is linked alone, between a program and the C library.  So the
# code that it shares with the library is compiled again.
PRELOAD := $(B)/libblackout-preload.so
PRELOAD_SHARED := src/model/choices.c
PRELOAD_OBJ := $(patsubst %.c,$(B)/preload/%.o,$(wildcard src/preload/*.c) $(PRELOAD_SHARED))
program: $(PRELOAD)

$(B)/preload/%.o: %.c $(B)/flags | setup
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) -O2 -g -fPIC -fvisibility=hidden -U_FORTIFY_SOURCE -c $< -o $@

$(PRELOAD): $(PRELOAD_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-z,now,-z,defs $^ -o $@ -ldl

-include $(PRELOAD_OBJ:.o=.d)

# The solver of `blackout search`, a program of its own: Z3 is large, and no other command needs it.
SOLVER := $(B)/blackout-solver
SOLVER_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard solver/*.c))
program: $(SOLVER)

$(SOLVER): $(SOLVER_OBJ) $(B)/libblackout.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lz3 -lxxhash -o $@

-include $(SOLVER_OBJ:.o=.d)
