/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_shadow_memory.c - labels of memory, and the accesses of the target's code that use them.
 *
 * There is a label for each aligned word of 8 bytes.  A granule (bo_region.c) gets its table of words when the first
 * label is stored there, and a bit in bo_granules, so that accesses to memory that never had a label are no calls.  The
 * target's code itself looks up what it loads from one word (bo_shadow.c).  PM has no labels: what is loaded from it is
 * labelled as a new read. */
#include "bo.h"

#include "bo_index.h"
#include "bo_label.h"
#include "bo_shadow.h"

#define GRANULE_BYTES (1ULL << BO_GRANULE_SHIFT)
#define GRANULE_WORDS (GRANULE_BYTES / 8)
#define CHUNK_WORDS 128u
#define GRANULES (1ULL << (47 - BO_GRANULE_SHIFT))

#define GRANULE_SETS (GRANULE_WORDS / CHUNK_WORDS / 64)

/* The labels of a granule, and which chunks of them were written: ever, and lately. */
struct granule {
	ULong labels[GRANULE_WORDS];
	ULong ever[GRANULE_SETS], lately[GRANULE_SETS];
};

Addr *bo_shadow_tables; /* by address / GRANULE_BYTES: struct granule - bo_shadow_none, and perhaps BO_SHADOW_PM */
static UInt *used;      /* the granules that have a table */
static UInt used_count, used_room;
ULong bo_shadow_lanes[4];
ULong bo_shadow_none[sizeof(struct granule) / sizeof(ULong)];

/* ---- words ---- */

static UInt word_index(Addr addr)
{
	return (addr & (GRANULE_BYTES - 1)) / 8;
}

/* If it never had a label, it is the one that all such granules share, which must not be written to. */
static struct granule *granule_at(Addr g)
{
	return (struct granule *)((Addr)bo_shadow_none + (bo_shadow_tables[g] & ~(Addr)BO_SHADOW_PM));
}

static Bool granule_has_table(Addr g)
{
	return bo_shadow_tables[g] > BO_SHADOW_PM;
}

static ULong *word_find(Addr addr)
{
	return &granule_at(addr >> BO_GRANULE_SHIFT)->labels[word_index(addr)];
}

static ULong word_get(Addr addr)
{
	return *word_find(addr);
}

static void granule_make(Addr g)
{
	bo_shadow_tables[g] |= (Addr)bo_reserve(sizeof(struct granule)) - (Addr)bo_shadow_none;
	bo_granules[g] |= BO_GRANULE_LABELS;
	if (g)
		bo_granules[g - 1] |= BO_GRANULE_LABELS; /* an access may begin there */
	if (used_count == used_room) {
		used_room = used_room ? 2 * used_room : 64;
		used = VG_(realloc)("bo.granules", used, used_room * sizeof(*used));
	}
	used[used_count++] = (UInt)g;
}

static void word_set(Addr addr, ULong label)
{
	Addr g = addr >> BO_GRANULE_SHIFT;
	UInt index = word_index(addr);

	if (UNLIKELY(!granule_has_table(g))) {
		if (!label)
			return;
		granule_make(g);
	}
	granule_at(g)->labels[index] = label;
	granule_at(g)->lately[index / CHUNK_WORDS / 64] |= 1ULL << index / CHUNK_WORDS % 64;
}

/* ---- ranges of up to 8 bytes ---- */

static ULong get_slowly(Addr addr, UInt size)
{
	ULong bytes[8];

	for (UInt i = 0; i < size; i++)
		bytes[i] = bo_label_byte(word_get(addr + i), (addr + i) & 7);
	return bo_label_of_bytes(bytes, size);
}

static ULong get(Addr addr, UInt size)
{
	ULong word = word_get(addr);
	UInt offset = addr & 7;

	if (LIKELY(offset + size <= 8 && (size == 8 || !(word & BO_LABEL_MIX))))
		return word;
	return get_slowly(addr, size);
}

/* The part of one word that begins at `addr` gets the bytes of `label` from `from` on. */
static void put_part(Addr addr, UInt size, ULong label, UInt from)
{
	ULong bytes[8], old = word_get(addr);

	if (old == label && !(label & BO_LABEL_MIX))
		return;
	bo_label_bytes(old, bytes);
	for (UInt i = 0; i < size; i++)
		bytes[(addr & 7) + i] = bo_label_byte(label, from + i);
	word_set(addr, bo_label_of_bytes(bytes, 8));
}

static void put(Addr addr, UInt size, ULong label)
{
	UInt first = 8 - (addr & 7);

	if (LIKELY(first == 8 && size == 8)) {
		word_set(addr, label);
		return;
	}
	if (first > size)
		first = size;
	put_part(addr, first, label, 0);
	if (first < size)
		put_part(addr + first, size - first, label, first);
}

/* ---- longer ranges ---- */

static ULong get_all(Addr addr, SizeT size)
{
	ULong label = 0;

	for (SizeT done = 0; done < size; done += 8)
		label = bo_label_union(label, get(addr + done, size - done < 8 ? (UInt)(size - done) : 8));
	return label;
}

static void put_all(Addr addr, SizeT size, ULong label)
{
	for (SizeT done = 0; done < size; done += 8)
		put(addr + done, size - done < 8 ? (UInt)(size - done) : 8, label);
}

/* The part of [start, start + size) that is in the granule of `start`. */
static SizeT within_granule(Addr start, SizeT size)
{
	SizeT room = GRANULE_BYTES - (start & (GRANULE_BYTES - 1));

	return size < room ? size : room;
}

void bo_shadow_clear(Addr start, SizeT size)
{
	for (SizeT part; size; start += part, size -= part) {
		part = within_granule(start, size);
		if (!granule_has_table(start >> BO_GRANULE_SHIFT))
			continue;
		Addr first = (start + 7) & ~7ULL, end = (start + part) & ~7ULL;
		if (first >= end) {
			put_all(start, part, 0);
			continue;
		}
		put_all(start, first - start, 0);
		VG_(memset)(word_find(first), 0, (end - first) / 8 * sizeof(ULong));
		put_all(end, start + part - end, 0);
	}
}

void bo_shadow_move(Addr from, Addr to, SizeT size)
{
	bo_shadow_clear(to, size);
	for (SizeT done = 0, part; done < size; done += part) {
		part = within_granule(from + done, size - done);
		if (granule_has_table((from + done) >> BO_GRANULE_SHIFT))
			for (SizeT i = done; i < done + part; i += 8)
				word_set(to + i, word_get(from + i));
	}
	bo_shadow_clear(from, size);
}

static void visit_chunk(ULong *labels, bo_label_visitor *visit)
{
	for (UInt i = 0; i < CHUNK_WORDS; i++)
		if (labels[i])
			visit(&labels[i]);
}

static void visit_chunks(struct granule *g, UInt set, ULong chunks, bo_label_visitor *visit)
{
	for (; chunks; chunks &= chunks - 1)
		visit_chunk(g->labels + (64 * set + (UInt)__builtin_ctzll(chunks)) * CHUNK_WORDS, visit);
}

void bo_shadow_visit_memory(bo_label_visitor *visit, Bool all)
{
	for (UInt i = 0; i < used_count; i++) {
		struct granule *g = granule_at(used[i]);
		for (UInt set = 0; set < GRANULE_SETS; set++)
			visit_chunks(g, set, g->lately[set] | (all ? g->ever[set] : 0), visit);
	}
}

void bo_shadow_settle_memory(void)
{
	for (UInt i = 0; i < used_count; i++) {
		struct granule *g = granule_at(used[i]);
		for (UInt set = 0; set < GRANULE_SETS; set++) {
			g->ever[set] |= g->lately[set];
			g->lately[set] = 0;
		}
	}
}

/* ---- accesses ---- */

static Bool is_pm(Addr addr, UInt size)
{
	return bo_granules[addr >> BO_GRANULE_SHIFT] & BO_GRANULE_PM && bo_event_touches_pm(addr, size);
}

void bo_shadow_note_pm(Addr start, SizeT size, Bool is_pm_now)
{
	if (!clo_bo_dependencies)
		return;
	for (Addr g = start >> BO_GRANULE_SHIFT; g <= (start + size - 1) >> BO_GRANULE_SHIFT; g++)
		bo_shadow_tables[g] = (bo_shadow_tables[g] & ~(Addr)BO_SHADOW_PM) | (is_pm_now ? BO_SHADOW_PM : 0);
}

/* The label of a load if it is from PM; else 0. */
static ULong load_pm(Addr addr, ULong site, Addr sp, ULong address)
{
	UInt size = BO_SITE_SIZE(site), context;
	ULong label;

	if (!(bo_granules[addr >> BO_GRANULE_SHIFT] & BO_GRANULE_PM))
		return 0;
	bo_event_label = address;
	context = bo_on_load(addr, site, sp);
	if (!context)
		return 0;
	label = bo_label_of_load(context, addr, size);
	if (size > 8)
		bo_shadow_lanes[1] = bo_shadow_lanes[2] = bo_shadow_lanes[3] = label;
	return label;
}

/* Called for PM, and if the label of one word does not say everything. */
ULong bo_shadow_on_load(Addr addr, ULong site, Addr sp, ULong address)
{
	UInt size = BO_SITE_SIZE(site);
	ULong label = load_pm(addr, site, sp, address);

	if (label)
		return label;
	if (LIKELY(size <= 8))
		return bo_label_add(get(addr, size), address);
	if (size != 16 && size != 32)
		return bo_label_add(get_all(addr, size), address);
	for (UInt i = 1; i < size / 8; i++)
		bo_shadow_lanes[i] = bo_label_add(get(addr + 8 * i, 8), address);
	return bo_label_add(get(addr, 8), address);
}

static void store_pm(Addr addr, ULong site, Addr sp, ULong label)
{
	UInt kind = BO_SITE_KIND(site) & ~BO_SHADOW_SAVES;

	bo_event_label = label;
	if (kind & BO_SHADOW_SILENT)
		return;
	site = BO_SITE(BO_SITE_CODE(site), BO_SITE_SIZE(site), kind);
	if (kind == BO_STORE_STRING)
		bo_on_string_store(addr, site, sp);
	else
		bo_on_store(addr, site, sp);
}

/* What every byte of a store gets besides the label of its value. */
static ULong reason_to_store(ULong site, ULong address)
{
	return BO_SITE_KIND(site) & BO_SHADOW_SAVES ? address : bo_label_union(address, bo_control);
}

/* Called for PM, and if there is a label: of what is stored, or what is there. */
void bo_shadow_on_store(Addr addr, ULong site, Addr sp, ULong value, ULong address)
{
	UInt size = BO_SITE_SIZE(site);
	ULong label;

	if (is_pm(addr, size)) {
		store_pm(addr, site, sp, bo_label_union(value, address));
		return;
	}
	label = bo_label_add(value, reason_to_store(site, address));
	if (LIKELY(size <= 8))
		put(addr, size, label);
	else
		put_all(addr, size, bo_label_flatten(label));
}

void bo_shadow_on_wide_store(Addr addr, ULong site, Addr sp, ULong address)
{
	UInt lanes = BO_SITE_SIZE(site) / 8;
	ULong reason;

	if (is_pm(addr, 8 * lanes)) {
		for (UInt i = 0; i < lanes; i++)
			address = bo_label_union(address, bo_shadow_lanes[i]);
		store_pm(addr, site, sp, address);
		return;
	}
	reason = reason_to_store(site, address);
	for (UInt i = 0; i < lanes; i++)
		put(addr + 8 * i, 8, bo_label_add(bo_shadow_lanes[i], reason));
}

void bo_shadow_on_cas(Addr addr, ULong site, Addr sp, ULong stored, ULong value, ULong address)
{
	UInt size = BO_SITE_SIZE(site);

	bo_event_label = bo_label_union(value, address);
	if (stored && !is_pm(addr, size))
		put_all(addr, size, bo_label_union(bo_event_label, bo_control));
	bo_on_cas(addr, site, sp, stored);
}

void bo_shadow_memory_init(void)
{
	bo_shadow_tables = bo_reserve(GRANULES * sizeof(*bo_shadow_tables));
}
