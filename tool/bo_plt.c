/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_plt.c - which function a module calls by way of a stub.
 *
 * Until its first call, the slot that the stub jumps through points back to the stub.  Then only the module's relocations
 * say whose address belongs there.  Functions that do not return are a case in point: their first call is the last. */
#include "bo.h"

#include "bo_elf.h"
#include "bo_symbol.h"

/* ---- what the dynamic linker knows about a module ---- */

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

static Bool linkage_read(struct linkage *l, const struct bo_elf *elf)
{
	const struct elf_segment *dynamic = NULL;

	*l = (struct linkage){.bias = elf->bias};
	for (UInt i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].type == SEGMENT_DYNAMIC)
			dynamic = &elf->segments[i];
	if (!dynamic || !bo_elf_is_readable(l->bias + dynamic->address, dynamic->size))
		return False;
	for (SizeT i = 0; i < dynamic->size / sizeof(struct elf_dynamic); i++)
		linkage_take(l, (const struct elf_dynamic *)(l->bias + dynamic->address) + i);
	return bo_elf_is_readable((Addr)l->relocations, l->relocation_count * sizeof(*l->relocations)) &&
	       bo_elf_is_readable((Addr)l->strings, l->strings_size);
}

const HChar *bo_plt_name(Addr slot)
{
	struct bo_elf elf;
	struct linkage l;

	if (!bo_elf_find(&elf, slot) || !linkage_read(&l, &elf))
		return NULL;
	for (SizeT i = 0; i < l.relocation_count; i++) {
		const struct elf_symbol *s = &l.symbols[l.relocations[i].info >> 32];
		if (l.bias + l.relocations[i].offset == slot && bo_elf_is_readable((Addr)s, sizeof(*s)) &&
		    s->name < l.strings_size)
			return l.strings + s->name;
	}
	return NULL;
}

Bool bo_plt_slot(Addr stub, Addr *slot)
{
	static const UChar endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	const UChar *code = (const UChar *)stub;

	if (!bo_elf_is_readable(stub, 16))
		return False;
	if (VG_(memcmp)(code, endbr64, sizeof(endbr64)) == 0)
		code += sizeof(endbr64);
	if (*code == 0xf2) /* BND */
		code++;
	if (code[0] != 0xff || code[1] != 0x25)
		return False;
	*slot = (Addr)code + 6 + (Addr)(Long)x86_number_read(code + 2, 4);
	return bo_elf_is_readable(*slot, sizeof(Addr));
}
