/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_runtime.c - see bo_runtime.h. */
#include "bo.h"

#include "bo_elf.h"
#include "bo_runtime.h"
#include "x86/parts.h"

static UInt runtimes; /* read so far */

/* A library may be loaded many times, but what there is to say of it is said once. */
static Bool was_told(const HChar *path)
{
	static XArray *told; /* HChar * */
	const HChar *copy = VG_(strdup)("bo.told", path);

	if (!told)
		told = VG_(newXA)(VG_(malloc), "bo.told", VG_(free), sizeof(copy));
	for (Word i = 0; i < VG_(sizeXA)(told); i++)
		if (VG_(strcmp)(*(const HChar **)VG_(indexXA)(told, i), path) == 0)
			return True;
	VG_(addToXA)(told, &copy);
	return False;
}

/* "runtime.0" and so on: which modules have a runtime; "runtime.refused.0": which have one that cannot be used. */
static void tell(const HChar *path, const HChar *problem)
{
	static UInt usable, refused;
	HChar key[48], value[4096];

	if (!bo_writer_active() || was_told(path))
		return;
	if (problem)
		VG_(sprintf)(key, BO_META_RUNTIME_REFUSED "%u", refused++);
	else
		VG_(sprintf)(key, BO_META_RUNTIME "%u", usable++);
	VG_(snprintf)(value, sizeof(value), "%.3900s%s%s", path, problem ? ": " : "", problem ? problem : "");
	bo_write_meta(key, value);
}

static Addr place_of(const Int *field)
{
	return (Addr)field + (Addr)(Long)*field;
}

static Int compare(const void *a, const void *b)
{
	Addr x = ((const struct bo_runtime_entry *)a)->addr, y = ((const struct bo_runtime_entry *)b)->addr;

	return x < y ? -1 : x > y;
}

/* Does the function do nothing?  (A program may have replaced it.) */
static Bool only_returns(Addr addr)
{
	static const UChar endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	const UChar *code = (const UChar *)addr;

	if (!bo_elf_is_readable(addr, sizeof(endbr64) + 1))
		return False;
	if (VG_(memcmp)(code, endbr64, sizeof(endbr64)) == 0)
		code += sizeof(endbr64);
	return *code == 0xc3;
}

static struct bo_runtime_entry entry_read(const struct bo_runtime *r, const struct bo_atomicity_entry *e)
{
	Addr addr = place_of(&e->place);
	Bool announces = e->kind <= BO_ENTRY_READ_WRITE;

	return (struct bo_runtime_entry){
		.addr = addr,
		.runtime = r->number,
		.kind = e->kind <= BO_ENTRY_FILL ? e->kind : BO_ENTRY_NOTHING,
		.bytes = e->bytes,
		.flags = e->flags,
		.size_argument = e->size_argument,
		.order_argument = e->order_argument,
		.failure_argument = e->failure_argument,
		.is_empty = announces && only_returns(addr),
	};
}

/* Is there anything in the entry that a runtime cannot mean? */
static Bool is_sound(const struct bo_runtime_entry *e)
{
	return e->size_argument <= 6 && e->order_argument <= 7 && e->failure_argument <= 7;
}

/* Entries that the program replaced by functions of its own are elsewhere, and are left out. */
static const HChar *runtime_fill(struct bo_runtime *r, const struct bo_atomicity_table *table)
{
	const UChar *first = (const UChar *)(table + 1);

	for (UInt i = 0; i < table->entries; i++) {
		struct bo_runtime_entry e =
			entry_read(r, (const struct bo_atomicity_entry *)(first + i * table->entry_bytes));
		if (e.addr < r->begin || e.addr >= r->end)
			continue;
		if (!is_sound(&e))
			return "its note is damaged";
		r->entries[r->count++] = e;
	}
	VG_(ssort)(r->entries, r->count, sizeof(*r->entries), compare);
	return NULL;
}

/* Why the table cannot be used; NULL: it can. */
static const HChar *table_problem(const struct bo_atomicity_table *table, SizeT size)
{
	Addr begin, end;

	if (size < sizeof(*table))
		return "its note is damaged";
	if (table->version > BO_ATOMICITY_VERSION)
		return "it is of a newer version";
	begin = place_of(&table->code_begin);
	end = place_of(&table->code_end);
	if (table->entry_bytes < sizeof(struct bo_atomicity_entry) || table->entry_bytes % 4 != 0 ||
	    table->entries > (size - sizeof(*table)) / table->entry_bytes || begin >= end ||
	    !bo_elf_is_readable(begin, end - begin))
		return "its note is damaged";
	return NULL;
}

static const struct bo_runtime *runtime_make(const struct bo_atomicity_table *table, SizeT size, const HChar *path)
{
	const HChar *problem = table_problem(table, size);
	struct bo_runtime *r = NULL;

	if (!problem) {
		r = VG_(calloc)("bo.runtime", 1, sizeof(*r));
		r->begin = place_of(&table->code_begin);
		r->end = place_of(&table->code_end);
		r->number = runtimes++ % BO_RUNTIMES_MAX + 1; /* those of unloaded modules may be used again */
		r->entries = VG_(calloc)("bo.runtime.entries", table->entries + 1, sizeof(*r->entries));
		problem = runtime_fill(r, table);
	}
	tell(path, problem);
	return problem ? NULL : r;
}

static SizeT rounded(SizeT size)
{
	return (size + 3) & ~(SizeT)3;
}

/* The description of our note in [at, end); 0: there is none. */
static Addr note_find(Addr at, Addr end, SizeT *size)
{
	while (at + sizeof(struct elf_note) <= end) {
		const struct elf_note *note = (const struct elf_note *)at;
		Addr name = at + sizeof(*note), description = name + rounded(note->name_size);
		Bool is_ours = note->type == BO_ATOMICITY_TYPE && note->name_size == sizeof(BO_ATOMICITY_NAME) &&
			       name + note->name_size <= end &&
			       VG_(memcmp)((const void *)name, BO_ATOMICITY_NAME, sizeof(BO_ATOMICITY_NAME)) == 0;

		if (is_ours) {
			*size = description > end ? 0 : note->description_size;
			*size = *size > end - description ? 0 : *size;
			return description;
		}
		at = description + rounded(note->description_size);
	}
	return 0;
}

const struct bo_runtime *bo_runtime_read(Addr addr, const HChar *path)
{
	struct bo_elf elf;

	if (!bo_elf_find(&elf, addr))
		return NULL;
	for (UInt i = 0; i < elf.segment_count; i++) {
		const struct elf_segment *s = &elf.segments[i];
		Addr start = elf.bias + s->address, description;
		SizeT size;

		if (s->type != SEGMENT_NOTE || start % 4 != 0 || !bo_elf_is_readable(start, s->size))
			continue;
		description = note_find(start, start + s->size, &size);
		if (description)
			return runtime_make((const struct bo_atomicity_table *)description, size, path);
	}
	return NULL;
}

const struct bo_runtime_entry *bo_runtime_entry_of(const struct bo_runtime *runtime, Addr addr)
{
	UInt low = 0, high;

	if (!runtime || addr < runtime->begin || addr >= runtime->end)
		return NULL;
	high = runtime->count;
	while (low < high) {
		UInt middle = low + (high - low) / 2;
		if (runtime->entries[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &runtime->entries[low - 1] : NULL;
}

/* The bytes that the instruction loads; 0: it is no such load.  *scale is the byte that has the scale. */
static UInt inline_bytes(const UChar *code, UChar *scale)
{
	while (*code == 0x3e) /* assemblers may add prefixes that have no effect, to align what follows */
		code++;
#define COMPARE(BYTES, NAME, RESULT, CODE)                    \
	if (VG_(memcmp)(code, CODE, sizeof(CODE) - 1) == 0) { \
		*scale = code[sizeof(CODE) - 1];              \
		return BYTES;                                 \
	}
	BO_INLINE_LOADS(COMPARE)
#undef COMPARE
	return 0;
}

static UInt inline_order(UChar scale)
{
	static const UInt orders[] = {
#define ORDER(ORDER, SCALE) [SCALE] = ORDER,
		BO_INLINE_ORDERS(ORDER)
#undef ORDER
	};

	return orders[1u << (scale >> 6)];
}

Bool bo_runtime_inline_load(const struct bo_runtime *runtime, Addr addr, struct bo_inline_load *load)
{
	UChar scale = 0;
	UInt bytes = runtime ? inline_bytes((const UChar *)addr, &scale) : 0;

	if (!bytes || (scale & 0x3f) != BO_INLINE_SCALE)
		return False;
	*load = (struct bo_inline_load){runtime->number, bytes, inline_order(scale)};
	return True;
}

Bool bo_runtime_inline_store(const struct bo_runtime *runtime, Addr addr, struct bo_runtime_entry *entry)
{
	const UChar *code = (const UChar *)addr;
	struct x86_parts p;

	if (!runtime)
		return False;
	p = x86_parts_read(code);
	if (p.map != 1 || p.opcode != 0x1f || !x86_is_memory(&p))
		return False;
	entry->runtime = runtime->number;
	entry->kind = BO_ENTRY_WRITE;
#define COMPARE(BYTES, FLAGS, NAME, PREFIX, WORD)      \
	if (*code == PREFIX && x86_word(&p) == WORD) { \
		entry->bytes = BYTES;                  \
		entry->flags = FLAGS;                  \
		return True;                           \
	}
	BO_INLINE_STORES(COMPARE)
#undef COMPARE
	return False;
}
