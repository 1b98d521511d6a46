/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_plt.c - which function a module calls by way of a stub.
 *
 * Until its first call, the slot that the stub jumps through points back to the stub.  Then only the module's relocations
 * say whose address belongs there.  Functions that do not return are a case in point: their first call is the last. */
#include "bo.h"

#include "bo_symbol.h"
#include "pub_tool_aspacemgr.h"

/* ---- the parts of an ELF file that are needed, as they are in memory ---- */

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

enum { SEGMENT_LOAD = 1, SEGMENT_DYNAMIC = 2 };

struct elf_dynamic {
	ULong tag, value;
};

enum { DYNAMIC_PLT_SIZE = 2, DYNAMIC_STRINGS = 5, DYNAMIC_SYMBOLS = 6, DYNAMIC_STRINGS_SIZE = 10, DYNAMIC_PLT = 23 };

struct elf_relocation {
	ULong offset, info, addend;
};

struct elf_symbol {
	UInt name;
	UChar info, other;
	UShort section;
	ULong value, size;
};

static Bool is_readable(Addr addr, SizeT size)
{
	return VG_(am_is_valid_for_client)(addr, size, VKI_PROT_READ);
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
		seg = VG_(am_find_nsegment)(seg->start - 1);
		if (!seg || seg->kind != SkFileC || seg->dev != dev || seg->ino != ino)
			return 0;
	}
	return is_readable(seg->start, sizeof(struct elf_header)) ? seg->start : 0;
}

/* What the dynamic linker uses to fill slots. */
struct linkage {
	Addr bias;
	const struct elf_relocation *relocations;
	SizeT relocation_count;
	const struct elf_symbol *symbols;
	const HChar *strings;
	SizeT strings_size;
};

static void linkage_take(struct linkage *l, const struct elf_dynamic *d)
{
	/* The dynamic linker turns offsets into addresses, in place. */
	Addr at = d->value < l->bias ? d->value + l->bias : d->value;

	switch (d->tag) {
	case DYNAMIC_PLT_SIZE: l->relocation_count = d->value / sizeof(struct elf_relocation); break;
	case DYNAMIC_PLT: l->relocations = (const struct elf_relocation *)at; break;
	case DYNAMIC_SYMBOLS: l->symbols = (const struct elf_symbol *)at; break;
	case DYNAMIC_STRINGS: l->strings = (const HChar *)at; break;
	case DYNAMIC_STRINGS_SIZE: l->strings_size = d->value; break;
	}
}

static Bool linkage_read(struct linkage *l, Addr base)
{
	const struct elf_header *header = (const struct elf_header *)base;
	const struct elf_segment *segments = (const struct elf_segment *)(base + header->segments), *dynamic = NULL;

	*l = (struct linkage){.bias = base};
	if (VG_(memcmp)(header->magic, "\177ELF", 4) != 0 ||
	    !is_readable((Addr)segments, header->segment_count * sizeof(*segments)))
		return False;
	for (UInt i = 0; i < header->segment_count; i++) {
		if (segments[i].type == SEGMENT_LOAD && segments[i].offset == 0)
			l->bias = base - segments[i].address;
		if (segments[i].type == SEGMENT_DYNAMIC)
			dynamic = &segments[i];
	}
	if (!dynamic || !is_readable(l->bias + dynamic->address, dynamic->size))
		return False;
	for (SizeT i = 0; i < dynamic->size / sizeof(struct elf_dynamic); i++)
		linkage_take(l, (const struct elf_dynamic *)(l->bias + dynamic->address) + i);
	return is_readable((Addr)l->relocations, l->relocation_count * sizeof(*l->relocations)) &&
	       is_readable((Addr)l->strings, l->strings_size);
}

const HChar *bo_plt_name(Addr slot)
{
	Addr base = header_of(slot);
	struct linkage l;

	if (!base || !linkage_read(&l, base))
		return NULL;
	for (SizeT i = 0; i < l.relocation_count; i++) {
		const struct elf_symbol *s = &l.symbols[l.relocations[i].info >> 32];
		if (l.bias + l.relocations[i].offset == slot && is_readable((Addr)s, sizeof(*s)) &&
		    s->name < l.strings_size)
			return l.strings + s->name;
	}
	return NULL;
}

Bool bo_plt_slot(Addr stub, Addr *slot)
{
	static const UChar endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	const UChar *code = (const UChar *)stub;

	if (!is_readable(stub, 16))
		return False;
	if (VG_(memcmp)(code, endbr64, sizeof(endbr64)) == 0)
		code += sizeof(endbr64);
	if (*code == 0xf2) /* BND */
		code++;
	if (code[0] != 0xff || code[1] != 0x25)
		return False;
	*slot = (Addr)code + 6 + (Addr)(Long)x86_number_read(code + 2, 4);
	return is_readable(*slot, sizeof(Addr));
}
