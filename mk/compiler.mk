# SPDX-License-Identifier: GPL-2.0-or-later
# blackout-cc and blackout-c++: one program with two names, and the runtime that it links.

WRAPPER_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard compiler/wrapper/*.c))
WRAPPERS := $(B)/blackout-cc $(B)/blackout-c++
RUNTIME_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard compiler/runtime/*.c))
# What a wrapper needs to find when it runs.
WRAPPER_FILES := $(B)/libblackout-cc.a $(B)/blackout-cc.specs

.PHONY: compiler
compiler: $(WRAPPERS) $(WRAPPER_FILES)

$(WRAPPERS): $(WRAPPER_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

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

-include $(WRAPPER_OBJ:.o=.d) $(RUNTIME_OBJ:.o=.d)
