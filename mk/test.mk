# SPDX-License-Identifier: GPL-2.0-or-later
# Tests: unit tests and fuzzers under sanitizers, programs to record, and the runner.

# Unit tests: each test_*.c is a program.  The other files in test/unit are linked into all of them, except those of
# test_lazy.
UNIT := $(patsubst test/unit/%.c,$(B)/test/unit/%,$(wildcard test/unit/test_*.c))
UNIT_PLAIN := $(patsubst %,$(B)/test/unit/test_%,lazy pmemobj_memory)
UNIT_COMMON := $(patsubst %.c,$(B)/asan/%.o,$(filter-out test/unit/test_% test/unit/lazy_%,$(wildcard test/unit/*.c)))
ASAN_OBJ := $(LIB_SRC:%.c=$(B)/asan/%.o)

$(B)/asan/%.o: %.c $(B)/flags | setup
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) -O1 -g $(SANITIZE) -c $< -o $@

$(B)/asan/libblackout.a: $(ASAN_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

# test_lazy has handlers for faults and forks in them.  That does not work with sanitizers, which have their own
# handlers.
$(B)/test/unit/test_lazy: $(patsubst %.c,$(B)/obj/%.o,test/unit/test_lazy.c test/unit/lazy_recovery.c test/unit/model_sets.c \
		test/unit/programs.c \
		$(filter-out src/preload/lazy_stub.c,$(wildcard src/preload/lazy*.c)) src/preload/call.c src/preload/insn.c src/preload/move.c) $(B)/libblackout.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $^ -lcmocka $(LIBS) -o $@

# Sanitizers have another malloc.
$(B)/test/unit/test_pmemobj_memory: $(patsubst %,$(B)/obj/%.o,test/unit/test_pmemobj_memory src/preload/pmemobj_memory) $(B)/libblackout.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $^ -lcmocka $(LIBS) -o $@

$(B)/test/unit/test_move: $(B)/asan/src/preload/move.o
$(B)/test/unit/test_assembly_filter $(B)/test/unit/test_ir_filter: \
	$(patsubst %,$(B)/asan/compiler/assembler/%.o,filter ir entry)
$(B)/test/unit/test_codegen: $(B)/asan/compiler/wrapper/codegen.o
$(B)/test/unit/test_x86: $(patsubst %,$(B)/asan/%.o,src/preload/insn src/preload/move tool/bo_decode)
$(B)/test/unit/test_x86 $(B)/test/unit/test_effect: LIBS += -lZydis

# They ask a real solver.
$(filter $(B)/test/unit/test_solve%,$(UNIT)): | $(SOLVER)

$(filter-out $(UNIT_PLAIN),$(UNIT)): $(B)/test/unit/%: $(B)/asan/test/unit/%.o $(UNIT_COMMON) $(B)/asan/libblackout.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SANITIZE) $^ -lcmocka $(LIBS) -o $@

# Programs to record.  Always built by the same compiler, because what they assert depends on the generated code.
TARGETS := $(patsubst test/targets/%.c,$(B)/test/targets/%,$(wildcard test/targets/*.c))

$(TARGETS): $(B)/test/targets/%: test/targets/%.c $(B)/flags | setup
	$(call say,CC,$<)
	$(call standalone,gcc,-O1 -g -Itest/targets)

standalone_cxx = $(Q)mkdir -p $(@D) && $(1) -std=gnu++20 -Wall -Wextra -Werror -Wshadow -D_GNU_SOURCE -MMD -MP -MF $@.d -O1 -g $(2) \
	$(call pragma,cflags) $< -o $@ $(call pragma,link)

TARGETS_CXX := $(patsubst test/targets/%.cc,$(B)/test/targets/%,$(wildcard test/targets/*.cc))

$(TARGETS_CXX): $(B)/test/targets/%: test/targets/%.cc $(B)/flags | setup
	$(call say,CXX,$<)
	$(call standalone_cxx,g++,-Itest/targets)

# Programs with a mistake, and without it: test/pairs/X-buggy.c and X-fixed.c, or .cc.  With a comment `// wrapped: clang`
# blackout-cc runs that compiler; `// wrapped: clang++` for C++.
pair_cc = $(if $(call pragma,wrapped),BLACKOUT_CC=$(call pragma,wrapped) $(B)/blackout-cc,gcc)
pair_cxx = $(if $(call pragma,wrapped),BLACKOUT_CXX=$(call pragma,wrapped) $(B)/blackout-c++,g++)
PAIRS := $(patsubst test/pairs/%.c,$(B)/test/pairs/%,$(wildcard test/pairs/*.c))

$(PAIRS): $(B)/test/pairs/%: test/pairs/%.c $(B)/flags | setup
	$(call say,CC,$<)
	$(call standalone,$(pair_cc),-O1 -g -Itest/targets -Itest/pairs)

PAIRS_CXX := $(patsubst test/pairs/%.cc,$(B)/test/pairs/%,$(wildcard test/pairs/*.cc))

$(PAIRS_CXX): $(B)/test/pairs/%: test/pairs/%.cc $(B)/flags | setup
	$(call say,CXX,$<)
	$(call standalone_cxx,$(pair_cxx),-Itest/targets -Itest/pairs)

$(filter $(B)/test/pairs/race-%,$(PAIRS) $(PAIRS_CXX)): $(WRAPPERS) $(WRAPPER_FILES)

# Programs with asserted dependencies, each built without and with optimization: test/dependencies/X.c or .cc.
DEPENDENCIES := $(foreach o,O0 O2,$(patsubst test/dependencies/%.c,$(B)/test/dependencies/%-$(o),$(wildcard test/dependencies/*.c)))
DEPENDENCIES_CXX := $(foreach o,O0 O2,$(patsubst test/dependencies/%.cc,$(B)/test/dependencies/%-$(o),$(wildcard test/dependencies/*.cc)))

$(filter %-O0,$(DEPENDENCIES)): $(B)/test/dependencies/%-O0: test/dependencies/%.c $(B)/flags | setup
	$(call say,CC,$< -O0)
	$(call standalone,gcc,-O0 -g -Itest/targets)

$(filter %-O2,$(DEPENDENCIES)): $(B)/test/dependencies/%-O2: test/dependencies/%.c $(B)/flags | setup
	$(call say,CC,$< -O2)
	$(call standalone,gcc,-O2 -g -Itest/targets)

$(filter %-O0,$(DEPENDENCIES_CXX)): $(B)/test/dependencies/%-O0: test/dependencies/%.cc $(B)/flags | setup
	$(call say,CXX,$< -O0)
	$(call standalone_cxx,g++,-O0 -Itest/targets)

$(filter %-O2,$(DEPENDENCIES_CXX)): $(B)/test/dependencies/%-O2: test/dependencies/%.cc $(B)/flags | setup
	$(call say,CXX,$< -O2)
	$(call standalone_cxx,g++,-O2 -Itest/targets)

# Helpers of the end-to-end tests that use the library: test/tools/NAME.c.
TOOLS := $(patsubst test/tools/%.c,$(B)/test/tools/%,$(wildcard test/tools/*.c))

$(TOOLS): $(B)/test/tools/%: $(B)/asan/test/tools/%.o $(B)/asan/libblackout.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SANITIZE) $^ $(LIBS) -o $@

# Fuzzers: libFuzzer comes with clang, so the library is built again with clang.
FUZZ := $(patsubst test/fuzz/%.c,$(B)/test/fuzz/%,$(wildcard test/fuzz/fuzz_*.c))
FUZZ_OBJ := $(LIB_SRC:%.c=$(B)/fuzz/%.o)
FUZZ_SANITIZE := $(SANITIZE) -fsanitize=fuzzer

$(B)/fuzz/%.o: %.c $(B)/flags | setup
	@mkdir -p $(@D)
	$(call say,CLANG,$<)
	$(Q)$(CLANG) $(BASE) -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link -c $< -o $@

$(B)/fuzz/libblackout.a: $(FUZZ_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcs $@ $^

$(FUZZ): $(B)/test/fuzz/%: $(B)/fuzz/test/fuzz/%.o $(B)/fuzz/libblackout.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CLANG) $(FUZZ_SANITIZE) $^ $(LIBS) -o $@

# Benchmarks: built by the same compiler, for the same reason as the programs to record.
BENCH := $(patsubst bench/%.c,$(B)/bench/%,$(wildcard bench/*.c))

BENCH_CXX := $(patsubst bench/%.cc,$(B)/bench/%,$(wildcard bench/*.cc))

.PHONY: bench-programs test-programs check
bench-programs: $(BENCH) $(BENCH_CXX)
$(BENCH): $(B)/bench/%: bench/%.c $(B)/flags $(B)/libblackout.a | setup
	$(call say,CC,$<)
	$(call standalone,gcc,-O2 -g -Isrc -Itest/targets)

$(BENCH_CXX): $(B)/bench/%: bench/%.cc $(B)/flags | setup
	$(call say,CXX,$<)
	$(call standalone_cxx,g++,-O2)

# What to build: everything, or only what TEST='NAME...' needs.  Unit tests and fuzzers need only themselves.  Pairs
# need the program and their two sides.  Other end-to-end tests need all programs to record and all tools.
E2E_PROGRAMS := all $(TARGETS) $(TARGETS_CXX) $(PAIRS) $(PAIRS_CXX) $(DEPENDENCIES) $(DEPENDENCIES_CXX) $(TOOLS)
TEST_PAIRS := $(foreach t,$(filter e2e/pair_%,$(TEST)),$(addprefix $(B)/test/pairs/$(subst _,-,$(t:e2e/pair_%=%)),-buggy -fixed))
TEST_PROGRAMS := $(patsubst %,$(B)/test/%,$(filter unit/% fuzz/%,$(TEST))) $(if $(TEST_PAIRS),all $(TEST_PAIRS)) \
	$(if $(filter-out unit/% fuzz/% e2e/pair_%,$(TEST)),$(E2E_PROGRAMS))

test-programs: $(E2E_PROGRAMS) $(UNIT) $(FUZZ)

check: $(if $(TEST),$(TEST_PROGRAMS),test-programs)
	@BUILD='$(abspath $(B))' test/run $(TEST)

-include $(ASAN_OBJ:.o=.d) $(FUZZ_OBJ:.o=.d) $(TARGETS:=.d) $(TARGETS_CXX:=.d) $(PAIRS:=.d) $(PAIRS_CXX:=.d) \
	$(DEPENDENCIES:=.d) $(DEPENDENCIES_CXX:=.d) $(BENCH:=.d) $(BENCH_CXX:=.d)
-include $(wildcard $(addprefix $(B)/asan/,test/*/*.d src/preload/*.d compiler/*/*.d tool/*.d) $(B)/obj/test/*/*.d $(B)/obj/src/preload/*.d $(B)/fuzz/test/fuzz/*.d)
