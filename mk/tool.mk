# SPDX-License-Identifier: GPL-2.0-or-later
# The recorder: a Valgrind tool, linked against the distribution's libcoregrind and libvex without Valgrind's sources.
#
# A tool is a static program without a C library, at an address of its own, out of the target's way.  Valgrind finds it,
# and the other files that the core reads, in the directory named by VALGRIND_LIB.

# The code that it shares with the program is compiled again, with its flags.
TOOL_SRC := $(wildcard tool/*.c)
TOOL_SHARED := $(wildcard src/flow/*.c)
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/obj/%.o) $(TOOL_SHARED:%.c=$(B)/obj/tool/%.o)
TOOL := $(B)/valgrind/blackout-amd64-linux

# Used only in recipes, after script/setup has made sure that pkg-config exists.
VG_CFLAGS = $(shell pkg-config --cflags valgrind)
VG_LIBS = $(shell pkg-config --libs valgrind)
VG_ADDRESS = $(shell pkg-config --variable=valt_load_address valgrind)

TOOL_FLAGS := -std=gnu11 -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wno-unused-parameter -Iinclude -Isrc -MMD -MP \
	-DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1 \
	-m64 -O3 -gdwarf-4 -fno-pie -fno-stack-protector -fno-strict-aliasing -fno-builtin -fomit-frame-pointer \
	-fcf-protection=none -flto

# The names of VEX's operations, as lines of an array.
OP_NAMES := $(B)/obj/tool/bo_op_names.h

# The functions of the core that tool/bo_debug_info.c replaces.
VG_WRAPPED := -Wl,--wrap=vgModuleLocal_read_debuginfo_dwarf3 -Wl,--wrap=vgModuleLocal_read_callframe_info_dwarf3

# The files of the distribution that the core reads at run time.
VG_LINKS := $(addprefix /usr/libexec/valgrind/,default.supp vgpreload_core-amd64-linux.so)

.PHONY: tool
tool: $(TOOL) $(B)/valgrind/links

$(OP_NAMES): mk/tool.mk | setup
	@mkdir -p $(@D)
	$(Q)echo '#include "libvex_ir.h"' | $(CC) $(VG_CFLAGS) -E -P -x c - | grep -o 'Iop_[A-Za-z0-9_]*' | sort -u | \
		sed -n 's/^Iop_\(.*\)/[Iop_\1 - Iop_INVALID] = "\1",/; /_\(INVALID\|LAST\) -/!p' >$@

$(B)/obj/tool/bo_input_count.o: TOOL_FLAGS += -I$(dir $(OP_NAMES))
$(B)/obj/tool/bo_input_count.o: $(OP_NAMES)

tool_compile = $(Q)$(CC) $(TOOL_FLAGS) $(VG_CFLAGS) -DBLACKOUT_VERSION='"$(VERSION)"' -c $< -o $@

$(B)/obj/tool/%.o: tool/%.c $(B)/flags | setup
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(tool_compile)

$(TOOL_SHARED:%.c=$(B)/obj/tool/%.o): $(B)/obj/tool/%.o: %.c $(B)/flags | setup
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(tool_compile)

$(TOOL): $(TOOL_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -m64 -O3 -g -flto=auto -fno-builtin -static -nodefaultlibs -nostartfiles -u _start -Wl,--build-id=none \
		-Wl,-Ttext-segment=$(VG_ADDRESS) $(VG_WRAPPED) $^ $(VG_LIBS) -o $@

$(B)/valgrind/links: mk/tool.mk | setup
	@mkdir -p $(@D)
	@ln -sf $(VG_LINKS) $(@D)/
	@touch $@

-include $(TOOL_OBJ:.o=.d)
