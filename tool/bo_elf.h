/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_elf.h - the parts of an ELF file that are needed, as they are in the target's memory. */
#ifndef BO_ELF_H
#define BO_ELF_H

#include "pub_tool_basics.h"

struct elf_header {
	UChar magic[16];
	UShort type, machine;
	UInt version;
	ULong entry, segments, sections;
	UInt flags;
	UShort size, segment_size, segment_count;
};

struct elf_segment {
	UInt type, flags;
	ULong offset, address, physical, size_in_file, size, alignment;
};

enum { SEGMENT_LOAD = 1, SEGMENT_DYNAMIC = 2, SEGMENT_NOTE = 4 };

struct elf_note {
	UInt name_size, description_size, type;
};

/* A module in memory. */
struct bo_elf {
	Addr bias; /* what is added to the addresses that its segments have */
	const struct elf_segment *segments;
	UInt segment_count;
};

/* The module whose code or data is at an address.  False: there is none, or its header is not in memory. */
Bool bo_elf_find(struct bo_elf *elf, Addr addr);

Bool bo_elf_is_readable(Addr addr, SizeT size);

#endif
