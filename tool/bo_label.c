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
#define NOT_MADE (~0u) /* a derived label that nobody asked for yet */

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
static UInt *pair_slots, *mix_slots; /* hash tables of indices, at most half full; 0 is free */
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

static UInt pair_intern(UInt data, UInt control)
{
	UInt mask = 2 * PAIRS_MAX - 1, slot, found;

	if (!data && !control)
		return 0;
	slot = (UInt)(bo_mix(data, control) >> 16) & mask;
	for (; (found = pair_slots[slot]); slot = (slot + 1) & mask)
		if (pairs[found].set[BO_DATA] == data && pairs[found].set[BO_CONTROL] == control)
			return found;
	found = pair_create(data, control);
	if (found == pair_count - 1)
		pair_slots[slot] = found;
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

static UInt mix_intern(const UInt bytes[8])
{
	UInt mask = 2 * MIXES_MAX - 1, slot, found;
	ULong hash = 0;

	for (UInt i = 0; i < 8; i++)
		hash = bo_mix(hash, bytes[i]);
	slot = (UInt)(hash >> 16) & mask;
	for (; (found = mix_slots[slot]); slot = (slot + 1) & mask)
		if (VG_(memcmp)(mixes[found].bytes, bytes, 8 * sizeof(*bytes)) == 0)
			return BO_LABEL_MIX | found;
	found = mix_create(bytes);
	if (found & BO_LABEL_MIX)
		mix_slots[slot] = found & ~BO_LABEL_MIX;
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
	pair_slots = bo_reserve(2 * PAIRS_MAX * sizeof(UInt));
	mix_slots = bo_reserve(2 * MIXES_MAX * sizeof(UInt));
	label_unknown = pair_intern(BO_SET_UNKNOWN, BO_SET_UNKNOWN);
}
