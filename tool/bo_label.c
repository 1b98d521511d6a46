/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label.c - see bo_label.h.
 *
 * Plain labels need no table.  Most unions are of a label with nothing or with itself, in both halves, and need not even
 * look anything up.  Mixes are hash-consed; if there is no room for one, it is flattened. */
#include "bo.h"

#include "bo_index.h"
#include "bo_label.h"
#include "bo_label_read.h"
#include "bo_label_set.h"

#define MIXES_MAX (1u << 20)
#define YOUNG_MOST 2048u /* so many mixes are worth a collection */
#define OLD_LEAST (1u << 12)

struct mix {
	ULong bytes[8];
	ULong flat;       /* the union of its bytes */
	ULong flat_since; /* the number of collections when it was made; it may be gone after the next */
};

static struct mix *mixes;
static struct bo_index mix_index;
static UInt mix_count = 1;
static struct bo_ages ages;   /* of mixes */
static ULong collections = 1; /* and one */
static ULong many_events, folded;

/* ---- plain labels ---- */

static UInt data_of(ULong plain)
{
	return (UInt)plain;
}

static UInt control_of(ULong plain)
{
	return (UInt)(plain >> 32);
}

static ULong plain_label(UInt data, UInt control)
{
	return data | (ULong)control << 32;
}

static inline UInt union_of_sets(UInt a, UInt b, enum bo_influence kind)
{
	return a == b || !b ? a : !a ? b : bo_set_union(a, b, kind);
}

static ULong union_of_plain(ULong a, ULong b)
{
	UInt data, control;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	data = union_of_sets(data_of(a), data_of(b), BO_DATA);
	control = union_of_sets(control_of(a), control_of(b), BO_CONTROL);
	return plain_label(data, control);
}

ULong bo_label_of_load(UInt context, Addr addr, UInt size)
{
	return plain_label(bo_set_of_load(context, addr, size), 0);
}

ULong bo_label_union(ULong a, ULong b)
{
	return union_of_plain(bo_label_flatten(a), bo_label_flatten(b));
}

ULong bo_label_as_control(ULong label)
{
	UInt data;

	label = bo_label_flatten(label);
	data = bo_set_bounded(data_of(label), BO_CONTROL);
	return plain_label(0, union_of_sets(data, control_of(label), BO_CONTROL));
}

Bool bo_label_has_data(ULong label)
{
	return data_of(bo_label_flatten(label)) != 0;
}

Bool bo_label_is_same_data(ULong a, ULong b)
{
	return data_of(bo_label_flatten(a)) == data_of(bo_label_flatten(b));
}

/* ---- mixes ---- */

static UInt mix_hash(const ULong bytes[8])
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

static ULong flat_bytes(const ULong bytes[8])
{
	ULong flat = 0;

	for (UInt i = 0; i < 8; i++)
		flat = union_of_plain(flat, bytes[i]);
	return flat;
}

static Bool mix_is(UInt mix, const ULong bytes[8])
{
	for (UInt i = 0; i < 8; i++)
		if (mixes[mix].bytes[i] != bytes[i])
			return False;
	return True;
}

static ULong mix_intern(const ULong bytes[8])
{
	UInt hash = mix_hash(bytes), slot, found;

	bo_index_fit(&mix_index, mix_count);
	slot = bo_index_first(&mix_index, hash);
	for (; (found = bo_index_find(&mix_index, hash, &slot)); slot++)
		if (mix_is(found, bytes))
			return BO_LABEL_MIX | found;
	if (mix_count == MIXES_MAX) {
		folded++;
		return flat_bytes(bytes);
	}
	for (UInt i = 0; i < 8; i++)
		mixes[mix_count].bytes[i] = bytes[i];
	mixes[mix_count].flat_since = 0;
	bo_index_put(&mix_index, hash, slot, mix_count);
	return BO_LABEL_MIX | mix_count++;
}

ULong bo_label_flatten(ULong label)
{
	struct mix *m;

	if (LIKELY(!(label & BO_LABEL_MIX)))
		return label;
	m = &mixes[(UInt)label];
	if (m->flat_since != collections) {
		m->flat = flat_bytes(m->bytes);
		m->flat_since = collections;
	}
	return m->flat;
}

void bo_label_bytes(ULong label, ULong bytes[8])
{
	for (UInt i = 0; i < 8; i++)
		bytes[i] = bo_label_byte(label, i);
}

ULong bo_label_byte(ULong label, UInt index)
{
	return label & BO_LABEL_MIX ? mixes[(UInt)label].bytes[index] : label;
}

ULong bo_label_of_bytes(const ULong bytes[8], UInt size)
{
	ULong padded[8] = {0};

	for (UInt i = 0; i < size; i++)
		padded[i] = bytes[i];
	for (UInt i = 1; i < size; i++)
		if (bytes[i] != bytes[0])
			return mix_intern(padded);
	return bytes[0];
}

ULong bo_label_add(ULong label, ULong plain)
{
	ULong bytes[8];

	if (!plain)
		return label;
	if (LIKELY(!(label & BO_LABEL_MIX)))
		return union_of_plain(label, plain);
	bo_label_bytes(label, bytes);
	for (UInt i = 0; i < 8; i++)
		bytes[i] = union_of_plain(bytes[i], plain);
	return bo_label_of_bytes(bytes, 8);
}

/* ---- collection ---- */

Bool bo_label_is_full(void)
{
	return mix_count - ages.young > YOUNG_MOST || bo_set_is_full();
}

static void mark_plain(ULong plain)
{
	bo_set_mark(data_of(plain));
	bo_set_mark(control_of(plain));
}

/* What an old mix is made of is old, too. */
static void mark(ULong *label)
{
	UInt mix = (UInt)*label;

	if (!(*label & BO_LABEL_MIX)) {
		mark_plain(*label);
	} else if (mix >= ages.from && !ages.moved[mix - ages.from]) {
		bo_ages_mark(&ages, mix);
		for (UInt i = 0; i < 8; i++)
			mark_plain(mixes[mix].bytes[i]);
	}
}

static ULong moved_plain(ULong plain)
{
	return plain_label(bo_set_moved(data_of(plain)), bo_set_moved(control_of(plain)));
}

static void move(ULong *label)
{
	*label = *label & BO_LABEL_MIX ? BO_LABEL_MIX | bo_ages_moved(&ages, (UInt)*label) : moved_plain(*label);
}

static void sweep_mixes(void)
{
	UInt live = ages.from;

	bo_index_remove(&mix_index, ages.from, mix_count);
	for (UInt i = ages.from; i < mix_count; i++) {
		if (!ages.moved[i - ages.from])
			continue;
		ages.moved[i - ages.from] = live;
		for (UInt k = 0; k < 8; k++)
			mixes[live].bytes[k] = moved_plain(mixes[i].bytes[k]);
		live++;
	}
	mix_count = live;
	bo_index_add(&mix_index, ages.from, mix_count);
}

void bo_label_collect(void (*visit_all)(bo_label_visitor *visit, Bool all))
{
	Bool all = ages.young > ages.old_enough || bo_set_is_old();

	bo_ages_begin(&ages, mix_count, all);
	bo_set_begin_collection(all);
	visit_all(mark, all);
	bo_set_sweep();
	sweep_mixes();
	visit_all(move, all);
	bo_set_end_collection();
	bo_ages_end(&ages, mix_count);
	collections++;
}

/* ---- the trace ---- */

void bo_label_write_depends(ULong label, ULong control)
{
	ULong all = union_of_plain(bo_label_flatten(label), control);
	UInt data, decided;
	UChar *p;

	if (!all)
		return;
	data = bo_set_define(data_of(all));
	decided = bo_set_define(control_of(all));
	many_events += bo_set_is_many(data_of(all)) || bo_set_is_many(control_of(all));
	p = bo_put_v(bo_layer_begin(BO_OP_DEPENDS), data);
	bo_layer_commit(bo_put_v(p, decided));
}

Bool bo_label_is_decided(ULong label)
{
	label = bo_label_flatten(label);
	return bo_set_is_decided(data_of(label)) && bo_set_is_decided(control_of(label));
}

void bo_label_decides(ULong label, UInt context)
{
	label = bo_label_flatten(label);
	bo_set_decides(data_of(label), context);
	bo_set_decides(control_of(label), context);
}

void bo_label_forget_reads(Addr start, SizeT size)
{
	if (clo_bo_dependencies && bo_writer_active())
		bo_read_forget(start, size);
}

void bo_label_redefine(void)
{
	bo_set_redefine();
	many_events = 0;
}

void bo_label_describe(HChar *text)
{
	bo_set_describe(text);
	VG_(sprintf)(text + VG_(strlen)(text), " many=%llu flattened=%llu", many_events, folded);
}

void bo_label_init(void)
{
	bo_set_init();
	mixes = bo_reserve_array(MIXES_MAX * sizeof(*mixes));
	ages = bo_ages_new(OLD_LEAST, MIXES_MAX);
	mix_index = bo_index_new(MIXES_MAX, hash_of_mix);
}
