/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label.c - see bo_label.h.
 *
 * A plain label is a pair of sets (bo_label_set.h), one for each way of influence.  So values that are computed under the
 * same decisions share the set of these, and decisions change without new sets of data.  What is derived from a single
 * pair or mix is kept beside it, and unions are in a direct-mapped cache.  If there is no room, a new pair becomes
 * LABEL_UNKNOWN, and a new mix is flattened. */
#include "bo.h"

#include "bo_label.h"
#include "bo_label_set.h"

#define PAIRS_MAX (1u << 23)
#define MIXES_MAX (1u << 20)
#define COLLECT_AT (1u << 18) /* so many pairs are worth a collection */
#define NOT_MADE (~0u)        /* a derived label that nobody asked for yet */

struct pair {
	UInt set[BO_INFLUENCES];
	UInt as_control;
};

struct mix {
	UInt bytes[8];
	UInt flat;
};

static struct pair *pairs;
static struct mix *mixes;
static struct bo_index pair_index, mix_index;
static UInt *moved_pairs, *moved_mixes; /* while labels are collected: 0 is dead */
static UInt pairs_enough = COLLECT_AT;
static UInt pair_count = 1, mix_count = 1;
static UInt label_unknown;
static ULong many_events, folded;

/* ---- plain labels ---- */

static UInt pair_create(UInt data, UInt control)
{
	if (pair_count == PAIRS_MAX) {
		folded++;
		return label_unknown;
	}
	pairs[pair_count] = (struct pair){{data, control}, NOT_MADE};
	return pair_count++;
}

static UInt pair_hash(UInt data, UInt control)
{
	return (UInt)(bo_mix(data, control) >> 16);
}

static UInt hash_of_pair(UInt pair)
{
	return pair_hash(pairs[pair].set[BO_DATA], pairs[pair].set[BO_CONTROL]);
}

static UInt pair_intern(UInt data, UInt control)
{
	UInt slot, found;

	if (!data && !control)
		return 0;
	bo_index_fit(&pair_index, pair_count);
	slot = pair_hash(data, control) & pair_index.mask;
	for (; (found = pair_index.slots[slot]); slot = (slot + 1) & pair_index.mask)
		if (pairs[found].set[BO_DATA] == data && pairs[found].set[BO_CONTROL] == control)
			return found;
	found = pair_create(data, control);
	if (found == pair_count - 1)
		pair_index.slots[slot] = found;
	return found;
}

#define CACHE_BITS 14
static struct {
	UInt a, b, result;
} union_cache[1u << CACHE_BITS];

static UInt union_of_pairs(UInt a, UInt b)
{
	UInt slot, data, control;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	if (a > b) {
		UInt t = a;
		a = b;
		b = t;
	}
	slot = (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> (32 - CACHE_BITS);
	if (LIKELY(union_cache[slot].a == a && union_cache[slot].b == b))
		return union_cache[slot].result;
	data = bo_set_union(pairs[a].set[BO_DATA], pairs[b].set[BO_DATA], BO_DATA);
	control = bo_set_union(pairs[a].set[BO_CONTROL], pairs[b].set[BO_CONTROL], BO_CONTROL);
	union_cache[slot].result = pair_intern(data, control);
	union_cache[slot].a = a;
	union_cache[slot].b = b;
	return union_cache[slot].result;
}

UInt bo_label_of_load(UInt context, Addr addr, UInt size)
{
	return pair_intern(bo_set_of_load(context, addr, size), 0);
}

UInt bo_label_union(UInt a, UInt b)
{
	return union_of_pairs(bo_label_flatten(a), bo_label_flatten(b));
}

Bool bo_label_is_same_data(UInt a, UInt b)
{
	return pairs[bo_label_flatten(a)].set[BO_DATA] == pairs[bo_label_flatten(b)].set[BO_DATA];
}

UInt bo_label_as_control(UInt label)
{
	struct pair *p;

	label = bo_label_flatten(label);
	if (!label)
		return 0;
	p = &pairs[label];
	if (p->as_control == NOT_MADE) {
		UInt data = bo_set_bounded(p->set[BO_DATA], BO_CONTROL);
		p->as_control = pair_intern(0, bo_set_union(data, p->set[BO_CONTROL], BO_CONTROL));
	}
	return p->as_control;
}

/* ---- mixes ---- */

static UInt mix_create(const UInt bytes[8])
{
	struct mix *m;

	if (mix_count == MIXES_MAX) {
		UInt flat = 0;
		for (UInt i = 0; i < 8; i++)
			flat = union_of_pairs(flat, bytes[i]);
		folded++;
		return flat;
	}
	m = &mixes[mix_count];
	VG_(memcpy)(m->bytes, bytes, sizeof(m->bytes));
	m->flat = NOT_MADE;
	return BO_LABEL_MIX | mix_count++;
}

static UInt mix_hash(const UInt bytes[8])
{
	ULong hash = 0;

	for (UInt i = 0; i < 8; i++)
		hash = (hash ^ bytes[i]) * 0x9e3779b97f4a7c15ULL;
	return (UInt)(hash >> 32);
}

static UInt hash_of_mix(UInt mix)
{
	return mix_hash(mixes[mix].bytes);
}

static UInt mix_intern(const UInt bytes[8])
{
	UInt slot, found;

	bo_index_fit(&mix_index, mix_count);
	slot = mix_hash(bytes) & mix_index.mask;
	for (; (found = mix_index.slots[slot]); slot = (slot + 1) & mix_index.mask)
		if (VG_(memcmp)(mixes[found].bytes, bytes, 8 * sizeof(*bytes)) == 0)
			return BO_LABEL_MIX | found;
	found = mix_create(bytes);
	if (found & BO_LABEL_MIX)
		mix_index.slots[slot] = found & ~BO_LABEL_MIX;
	return found;
}

UInt bo_label_flatten(UInt label)
{
	struct mix *m;
	UInt flat = 0;

	if (LIKELY(!(label & BO_LABEL_MIX)))
		return label;
	m = &mixes[label & ~BO_LABEL_MIX];
	if (m->flat == NOT_MADE) {
		for (UInt i = 0; i < 8; i++)
			flat = union_of_pairs(flat, m->bytes[i]);
		m->flat = flat;
	}
	return m->flat;
}

void bo_label_bytes(UInt label, UInt bytes[8])
{
	for (UInt i = 0; i < 8; i++)
		bytes[i] = bo_label_byte(label, i);
}

UInt bo_label_byte(UInt label, UInt index)
{
	return label & BO_LABEL_MIX ? mixes[label & ~BO_LABEL_MIX].bytes[index] : label;
}

UInt bo_label_of_bytes(const UInt bytes[8], UInt size)
{
	UInt padded[8] = {0};

	for (UInt i = 0; i < size; i++)
		padded[i] = bytes[i];
	for (UInt i = 1; i < size; i++)
		if (bytes[i] != bytes[0])
			return mix_intern(padded);
	return bytes[0];
}

UInt bo_label_add(UInt label, UInt plain)
{
	UInt bytes[8];

	if (!plain)
		return label;
	if (!(label & BO_LABEL_MIX))
		return union_of_pairs(label, plain);
	bo_label_bytes(label, bytes);
	for (UInt i = 0; i < 8; i++)
		bytes[i] = union_of_pairs(bytes[i], plain);
	return bo_label_of_bytes(bytes, 8);
}

/* ---- collection ---- */

Bool bo_label_is_full(void)
{
	return pair_count > pairs_enough || mix_count > MIXES_MAX / 2 || bo_set_is_full();
}

static void mark_pair(UInt pair)
{
	if (!pair || moved_pairs[pair])
		return;
	moved_pairs[pair] = 1;
	bo_set_mark(pairs[pair].set[BO_DATA]);
	bo_set_mark(pairs[pair].set[BO_CONTROL]);
}

static void mark(UInt *label)
{
	UInt mix = *label & ~BO_LABEL_MIX;

	if (!(*label & BO_LABEL_MIX)) {
		mark_pair(*label);
	} else if (!moved_mixes[mix]) {
		moved_mixes[mix] = 1;
		for (UInt i = 0; i < 8; i++)
			mark_pair(mixes[mix].bytes[i]);
	}
}

static void move(UInt *label)
{
	*label = *label & BO_LABEL_MIX ? BO_LABEL_MIX | moved_mixes[*label & ~BO_LABEL_MIX] : moved_pairs[*label];
}

/* A label that was derived and kept is forgotten if nobody else needs it. */
static UInt moved_or_not_made(UInt pair)
{
	return pair != NOT_MADE && moved_pairs[pair] ? moved_pairs[pair] : NOT_MADE;
}

static void sweep_pairs(void)
{
	UInt live = 1;

	for (UInt i = 1; i < pair_count; i++)
		if (moved_pairs[i])
			moved_pairs[i] = live++;
	for (UInt i = 1; i < pair_count; i++) {
		if (!moved_pairs[i])
			continue;
		pairs[moved_pairs[i]] = (struct pair){
			{bo_set_moved(pairs[i].set[BO_DATA]), bo_set_moved(pairs[i].set[BO_CONTROL])},
			moved_or_not_made(pairs[i].as_control),
		};
	}
	pair_count = live;
	pairs_enough = live < COLLECT_AT / 2 ? COLLECT_AT : 2 * live;
	bo_index_rebuild(&pair_index, pair_count);
}

static void sweep_mixes(void)
{
	UInt live = 1;

	for (UInt i = 1; i < mix_count; i++) {
		if (!moved_mixes[i])
			continue;
		moved_mixes[i] = live;
		mixes[live] = mixes[i];
		for (UInt k = 0; k < 8; k++)
			mixes[live].bytes[k] = moved_pairs[mixes[live].bytes[k]];
		mixes[live].flat = moved_or_not_made(mixes[live].flat);
		live++;
	}
	mix_count = live;
	bo_index_rebuild(&mix_index, mix_count);
}

void bo_label_collect(void (*visit_all)(bo_label_visitor *visit))
{
	UInt pairs_before = pair_count, mixes_before = mix_count;

	mark(&label_unknown);
	visit_all(mark);
	bo_set_sweep();
	sweep_pairs();
	sweep_mixes();
	visit_all(move);
	move(&label_unknown);
	bo_set_end_collection();
	VG_(memset)(moved_pairs, 0, pairs_before * sizeof(UInt));
	VG_(memset)(moved_mixes, 0, mixes_before * sizeof(UInt));
	VG_(memset)(union_cache, 0, sizeof(union_cache));
}

/* ---- the trace ---- */

void bo_label_write_depends(UInt label, UInt control)
{
	const UInt *set = pairs[bo_label_flatten(label)].set;
	UInt data = set[BO_DATA], numbers[2];
	UChar bytes[20], *p;

	control = bo_set_union(set[BO_CONTROL], pairs[control].set[BO_CONTROL], BO_CONTROL);
	if (!data && !control)
		return;
	numbers[0] = bo_set_define(data);
	numbers[1] = bo_set_define(control);
	many_events += bo_set_is_many(data) || bo_set_is_many(control);
	p = bo_put_v(bytes, numbers[0]);
	p = bo_put_v(p, numbers[1]);
	bo_write_layer(BO_OP_DEPENDS, bytes, (SizeT)(p - bytes));
}

Bool bo_label_is_decided(UInt label)
{
	const UInt *set = pairs[bo_label_flatten(label)].set;

	return bo_set_is_decided(set[BO_DATA]) && bo_set_is_decided(set[BO_CONTROL]);
}

void bo_label_decides(UInt label, UInt context)
{
	const UInt *set = pairs[bo_label_flatten(label)].set;

	bo_set_decides(set[BO_DATA], context);
	bo_set_decides(set[BO_CONTROL], context);
}

void bo_label_forget_reads(Addr start, SizeT size)
{
	if (clo_bo_dependencies && bo_writer_active())
		bo_set_forget_reads(start, size);
}

void bo_label_redefine(void)
{
	bo_set_redefine();
	many_events = 0;
}

void bo_label_describe(HChar *text)
{
	bo_set_describe(text);
	VG_(sprintf)(text + VG_(strlen)(text), " many=%llu unlabelled=%llu", many_events, folded);
}

void bo_label_init(void)
{
	bo_set_init();
	pairs = bo_reserve(PAIRS_MAX * sizeof(*pairs));
	mixes = bo_reserve(MIXES_MAX * sizeof(*mixes));
	moved_pairs = bo_reserve(PAIRS_MAX * sizeof(UInt));
	moved_mixes = bo_reserve(MIXES_MAX * sizeof(UInt));
	pair_index = bo_index_new(PAIRS_MAX, hash_of_pair);
	mix_index = bo_index_new(MIXES_MAX, hash_of_mix);
	label_unknown = pair_intern(BO_SET_UNKNOWN, BO_SET_UNKNOWN);
}
