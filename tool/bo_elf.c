/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_elf.c - see bo_elf.h. */
#include "bo.h"

#include "bo_elf.h"
#include "pub_tool_aspacemgr.h"

Bool bo_elf_is_readable(Addr addr, SizeT size)
{
	return VG_(am_is_valid_for_client)(addr, size, VKI_PROT_READ);
}

/* The mapping below this one; the gap between two parts of a file is skipped.  NULL: none. */
static const NSegment *segment_below(const NSegment *seg)
{
	seg = seg->start ? VG_(am_find_nsegment)(seg->start - 1) : NULL;
	if (seg && seg->kind == SkFree && seg->start)
		seg = VG_(am_find_nsegment)(seg->start - 1);
	return seg;
}

/* The start of the file whose code or data is at an address: its header.  0: there is none. */
static Addr header_of(Addr addr)
{
	const NSegment *seg = VG_(am_find_nsegment)(addr);
	ULong dev, ino;

	if (!seg || seg->kind != SkFileC)
		return 0;
	dev = seg->dev;
	ino = seg->ino;
	while (seg->offset != 0) {
		seg = segment_below(seg);
		if (!seg || seg->kind != SkFileC || seg->dev != dev || seg->ino != ino)
			return 0;
	}
	return bo_elf_is_readable(seg->start, sizeof(struct elf_header)) ? seg->start : 0;
}

Bool bo_elf_find(struct bo_elf *elf, Addr addr)
{
	Addr base = header_of(addr);
	const struct elf_header *header = (const struct elf_header *)base;

	if (!base || VG_(memcmp)(header->magic, "\177ELF", 4) != 0 ||
	    !bo_elf_is_readable(base + header->segments, header->segment_count * sizeof(*elf->segments)))
		return False;
	elf->bias = base;
	elf->segments = (const struct elf_segment *)(base + header->segments);
	elf->segment_count = header->segment_count;
	for (UInt i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].type == SEGMENT_LOAD && elf->segments[i].offset == 0)
			elf->bias = base - elf->segments[i].address;
	return True;
}
