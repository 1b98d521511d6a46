/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_symbol.c - symbols by name and by address.  Valgrind has read them when the module was mapped. */
#include "bo.h"

#include "bo_symbol.h"

/* ---- core internals that its headers for tools do not declare ---- */

struct symbol_address {
	Addr main;
	Addr reserve[3]; /* for platforms that have more */
};

extern Int VG_(DebugInfo_syms_howmany)(const DebugInfo *);
extern void VG_(DebugInfo_syms_getidx)(const DebugInfo *, Int index, struct symbol_address *, UInt *size,
				       const HChar **name, const HChar ***other_names, Bool *is_code, Bool *is_ifunc,
				       Bool *is_global);

/* Valgrind reads the symbols of the recorder, too.  The target has nothing to do with them. */
static Bool is_recorder(const DebugInfo *di)
{
	return (Addr)is_recorder - VG_(DebugInfo_get_text_avma)(di) < VG_(DebugInfo_get_text_size)(di);
}

Int bo_symbol_count(const DebugInfo *di)
{
	return is_recorder(di) ? 0 : VG_(DebugInfo_syms_howmany)(di);
}

struct bo_symbol bo_symbol_get(const DebugInfo *di, Int index)
{
	struct bo_symbol s;
	struct symbol_address at;
	Bool is_global;

	VG_(DebugInfo_syms_getidx)(di, index, &at, &s.size, &s.name, &s.others, &s.is_code, &s.is_ifunc, &is_global);
	s.start = at.main;
	return s;
}

void bo_symbols_find(const HChar *name, void (*found)(Addr addr))
{
	for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di; di = VG_(next_DebugInfo)(di))
		for (Int i = 0, n = bo_symbol_count(di); i < n; i++) {
			struct bo_symbol s = bo_symbol_get(di, i);
			const HChar **others = s.others;
			for (const HChar *symbol = s.name; symbol; symbol = others ? *others++ : NULL)
				if (VG_(strcmp)(symbol, name) == 0)
					found(s.start);
		}
}

Bool bo_symbol_at(Addr addr, struct bo_symbol *symbol)
{
	const DebugInfo *di = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), addr);
	Int low = 0, high = di ? bo_symbol_count(di) : 0;

	while (low < high) {
		Int middle = low + (high - low) / 2;
		*symbol = bo_symbol_get(di, middle);
		if (addr < symbol->start)
			high = middle;
		else if (addr - symbol->start >= symbol->size)
			low = middle + 1;
		else
			return symbol->is_code || symbol->is_ifunc;
	}
	return False;
}

/* ---- parts of functions ---- */

#define PART ".cold"

Bool bo_symbol_is_part(const struct bo_symbol *symbol)
{
	return VG_(strstr)(symbol->name, PART) != NULL;
}

/* The parts in the module that was asked about last. */
static XArray *parts; /* struct bo_symbol */

static void parts_collect(const DebugInfo *di)
{
	if (!parts)
		parts = VG_(newXA)(VG_(malloc), "bo.parts", VG_(free), sizeof(struct bo_symbol));
	VG_(dropTailXA)(parts, VG_(sizeXA)(parts));
	for (Int i = 0, n = bo_symbol_count(di); i < n; i++) {
		struct bo_symbol s = bo_symbol_get(di, i);
		if (s.is_code && bo_symbol_is_part(&s))
			VG_(addToXA)(parts, &s);
	}
}

/* "f.cold" and "f.cold.1" are of f. */
static Bool is_part_of(const HChar *part, const HChar *function)
{
	SizeT length = VG_(strlen)(function);

	return VG_(strncmp)(part, function, length) == 0 && VG_(strncmp)(part + length, PART, sizeof(PART) - 1) == 0;
}

Bool bo_symbol_find_part(const struct bo_symbol *function, struct bo_symbol *part)
{
	static const DebugInfo *collected;
	static UInt epoch; /* changes when a module is loaded or unloaded */
	const DebugInfo *di = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), function->start);

	if (!di)
		return False;
	if (di != collected || epoch != VG_(current_DiEpoch)().n) {
		parts_collect(di);
		collected = di;
		epoch = VG_(current_DiEpoch)().n;
	}
	for (Word i = 0; i < VG_(sizeXA)(parts); i++) {
		const struct bo_symbol *s = VG_(indexXA)(parts, i);
		if (is_part_of(s->name, function->name)) {
			*part = *s;
			return True;
		}
	}
	return False;
}
