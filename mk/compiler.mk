# SPDX-License-Identifier: GPL-2.0-or-later
# blackout-cc and blackout-c++: one program with two names, the runtime that it links, and what it has compilers use.

WRAPPER_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard compiler/wrapper/*.c))
WRAPPERS := $(B)/blackout-cc $(B)/blackout-c++
RUNTIME_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard compiler/runtime/*.c))
# What a wrapper needs to find when it runs.
WRAPPER_FILES := $(B)/libblackout-cc.a $(B)/blackout-cc.specs
ASSEMBLER_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard compiler/assembler/*.c))
# What compilers find when they run, in a directory of its own.
COMPILER_FILES := $(B)/compiler/as $(B)/compiler/blackout-cc-reads.h

.PHONY: compiler
compiler: $(WRAPPERS) $(WRAPPER_FILES) $(COMPILER_FILES)

$(WRAPPERS): $(WRAPPER_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/compiler/as: $(ASSEMBLER_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# Only names are needed of what the source includes.
$(B)/compiler/blackout-cc-reads.h: compiler/wrapper/gcc_reads.h compiler/runtime/entries.h $(B)/flags
	@mkdir -p $(@D)
	$(Q){ printf '#ifndef __ASSEMBLER__\n#ifdef __cplusplus\nextern "C" {\n#endif\n' && \
		$(CC) -E -P -DBLACKOUT_ATOMICITY_H -Iinclude $< && \
		printf '#ifdef __cplusplus\n}\n#endif\n#endif\n'; } >$@.new && mv $@.new $@

# It becomes part of every kind of module, and must not ask for a library.
$(RUNTIME_OBJ): $(B)/obj/%.o: %.c $(B)/flags | setup
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) -O2 -fPIC -fno-stack-protector -U_FORTIFY_SOURCE -fno-lto -c $< -o $@

$(B)/libblackout-cc.a: $(RUNTIME_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

$(B)/blackout-cc.specs: compiler/wrapper/gcc.specs
	@mkdir -p $(@D)
	@cp $< $@

-include $(WRAPPER_OBJ:.o=.d) $(ASSEMBLER_OBJ:.o=.d) $(RUNTIME_OBJ:.o=.d)
