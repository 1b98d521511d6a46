/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label_set.c - see bo_label_set.h.
 *
 * Sets are sorted arrays of reads in one pool, found by a hash of their content.  Unions are remembered in direct-mapped
 * caches.  All arrays have their final size in address space from the start, so nothing moves, and memory is used only as
 * they fill.  If one is full, a new set becomes BO_SET_UNKNOWN, which has no known read and is marked "many". */
#include "bo.h"

#include "bo_label.h"
#include "bo_label_set.h"

#define READS_MAX (1u << 22)
#define SETS_MAX (1u << 22)
#define MEMBERS_MAX (1u << 25)
#define COLLECT_AT (1u << 16) /* so many sets are worth a collection */

struct read {
	Addr addr;
	UInt context, size;
	UInt epoch;
	UInt set;    /* that has only this read */
	UInt branch; /* context of the first branch that depends on it; 0: none */
	UInt id;     /* in the trace; 0: not defined yet */
};

struct set {
	ULong hash;
	UInt first; /* index of its members */
	UShort count;
	Bool many;
	Bool branch_known; /* of all its reads */
	UInt id;           /* in the trace; 0: not defined yet */
};

static struct read *reads;
static struct set *sets;
static UInt *members;       /* indices of reads */
static UInt *members_spare; /* for a collection */
static UInt read_count = 1, set_count = 1, member_count;
static struct bo_index read_index, set_index;
static UInt sets_before; /* the last collection */
static UInt *moved_sets; /* while sets are collected: 0 is dead */
static UInt sets_enough = COLLECT_AT, members_enough = 16 * COLLECT_AT;
static UInt reads_defined, sets_defined; /* in this trace file */
/* Reads of different epochs are different, even at the same address: it may mean another file. */
static UInt epoch, epoch_first_read = 1;
static ULong folded; /* how often there was no room */

void *bo_reserve(SizeT size)
{
	SysRes r = VG_(am_mmap_anon_float_valgrind)(size);

	tl_assert(!sr_isError(r));
	return (void *)(Addr)sr_Res(r);
}

/* ---- hash tables ---- */

#define INDEX_SMALLEST (1u << 12)

static void index_add(struct bo_index *index, UInt number)
{
	UInt slot = index->hash(number) & index->mask;

	while (index->slots[slot])
		slot = (slot + 1) & index->mask;
	index->slots[slot] = number;
}

struct bo_index bo_index_new(UInt most, UInt (*hash)(UInt number))
{
	return (struct bo_index){bo_reserve(2 * most * sizeof(UInt)), INDEX_SMALLEST - 1, hash};
}

void bo_index_rebuild(struct bo_index *index, UInt count)
{
	VG_(memset)(index->slots, 0, ((SizeT)index->mask + 1) * sizeof(UInt));
	index->mask = INDEX_SMALLEST - 1;
	while (2 * count > index->mask)
		index->mask = 2 * index->mask + 1;
	for (UInt i = 1; i < count; i++)
		index_add(index, i);
}

void bo_index_fit(struct bo_index *index, UInt count)
{
	if (UNLIKELY(2 * count > index->mask))
		bo_index_rebuild(index, count);
}

/* ---- sets ---- */

/* A polynomial, so that the hash of a set with one more member, the largest, follows from its own. */
static ULong hash_more(ULong hash, UInt member)
{
	return (hash ^ member) * 0x9e3779b97f4a7c15ULL;
}

static ULong hash_of(const UInt *list, UInt count)
{
	ULong hash = 0;

	for (UInt i = 0; i < count; i++)
		hash = hash_more(hash, list[i]);
	return hash;
}

static UInt hash_slot(ULong hash, Bool many)
{
	return (UInt)(hash >> 32) + many;
}

static UInt hash_of_set(UInt set)
{
	return hash_slot(sets[set].hash, sets[set].many);
}

static Bool set_is(const struct set *s, const UInt *list, UInt count, Bool many, ULong hash)
{
	if (s->hash != hash || s->count != count || s->many != many)
		return False;
	for (UInt i = 0; i < count; i++)
		if (members[s->first + i] != list[i])
			return False;
	return True;
}

static UInt set_create(const UInt *list, UInt count, Bool many, ULong hash)
{
	if (set_count == SETS_MAX || member_count + count > MEMBERS_MAX) {
		folded++;
		return BO_SET_UNKNOWN;
	}
	sets[set_count] = (struct set){.first = member_count, .hash = hash, .count = (UShort)count, .many = many};
	for (UInt i = 0; i < count; i++)
		members[member_count++] = list[i];
	return set_count++;
}

/* The set of these reads, which ascend. */
static UInt set_intern(const UInt *list, UInt count, Bool many)
{
	UInt slot, found;
	ULong hash;

	if (!count)
		return many ? BO_SET_UNKNOWN : 0;
	bo_index_fit(&set_index, set_count);
	hash = hash_of(list, count);
	slot = hash_slot(hash, many) & set_index.mask;
	for (; (found = set_index.slots[slot]); slot = (slot + 1) & set_index.mask)
		if (set_is(&sets[found], list, count, many, hash))
			return found;
	found = set_create(list, count, many, hash);
	if (found != BO_SET_UNKNOWN)
		set_index.slots[slot] = found;
	return found;
}

static Bool set_is_extended(const struct set *s, const struct set *shorter, UInt member, ULong hash)
{
	return s->hash == hash && s->count == shorter->count + 1 && s->many == shorter->many &&
	       members[s->first + shorter->count] == member &&
	       VG_(memcmp)(members + s->first, members + shorter->first, shorter->count * sizeof(UInt)) == 0;
}

/* A set and one more member, which is larger than all others.  So sums over an array grow.  If the members of the set
 * are the last in the pool, both share them. */
static UInt set_extend(UInt set, UInt member)
{
	struct set *s = &sets[set];
	ULong hash = hash_more(s->hash, member);
	UInt list[BO_DATA_BOUND], slot, found;

	bo_index_fit(&set_index, set_count);
	slot = hash_slot(hash, s->many) & set_index.mask;
	for (; (found = set_index.slots[slot]); slot = (slot + 1) & set_index.mask)
		if (set_is_extended(&sets[found], s, member, hash))
			return found;
	if (s->first + s->count == member_count && set_count < SETS_MAX && member_count < MEMBERS_MAX) {
		members[member_count++] = member;
		sets[set_count] = (struct set){.first = s->first, .hash = hash, .count = s->count + 1, .many = s->many};
		return set_index.slots[slot] = set_count++;
	}
	VG_(memcpy)(list, members + s->first, s->count * sizeof(UInt));
	list[s->count] = member;
	found = set_create(list, s->count + 1u, s->many, hash);
	if (found != BO_SET_UNKNOWN)
		set_index.slots[slot] = found;
	return found;
}

/* The only member of `one`, if the union with it is an extension; else 0. */
static UInt extension_of(UInt set, UInt one, UInt bound)
{
	const struct set *s = &sets[set], *o = &sets[one];
	UInt member = members[o->first];

	if (o->count != 1 || o->many || !s->count || s->count >= bound || members[s->first + s->count - 1] >= member)
		return 0;
	return member;
}

static UInt set_union(UInt a, UInt b, UInt bound)
{
	const UInt *x = members + sets[a].first, *y = members + sets[b].first;
	const UInt *x_end = x + sets[a].count, *y_end = y + sets[b].count;
	Bool many = sets[a].many || sets[b].many;
	UInt merged[2 * BO_DATA_BOUND], count = 0, smaller, member;

	if ((member = extension_of(a, b, bound)))
		return set_extend(a, member);
	if ((member = extension_of(b, a, bound)))
		return set_extend(b, member);
	while (x < x_end || y < y_end) {
		UInt next = y == y_end || (x < x_end && *x < *y) ? *x : *y;
		x += x < x_end && *x == next;
		y += y < y_end && *y == next;
		merged[count++] = next;
	}
	if (count == sets[a].count && many == sets[a].many)
		return a;
	if (count == sets[b].count && many == sets[b].many)
		return b;
	if (count <= bound)
		return set_intern(merged, count, many);
	smaller = sets[a].count < sets[b].count ? a : b;
	return set_intern(members + sets[smaller].first, sets[smaller].count, True);
}

#define CACHE_BITS 13
static struct {
	UInt a, b, result;
} union_cache[BO_INFLUENCES][1u << CACHE_BITS];

UInt bo_set_union(UInt a, UInt b, enum bo_influence kind)
{
	UInt slot;

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
	if (LIKELY(union_cache[kind][slot].a == a && union_cache[kind][slot].b == b))
		return union_cache[kind][slot].result;
	union_cache[kind][slot].result = set_union(a, b, kind == BO_DATA ? BO_DATA_BOUND : BO_CONTROL_BOUND);
	union_cache[kind][slot].a = a;
	union_cache[kind][slot].b = b;
	return union_cache[kind][slot].result;
}

UInt bo_set_bounded(UInt set, enum bo_influence kind)
{
	UInt bound = kind == BO_DATA ? BO_DATA_BOUND : BO_CONTROL_BOUND, count = sets[set].count;

	return count <= bound ? set : set_intern(members + sets[set].first + count - bound, bound, True);
}

Bool bo_set_is_many(UInt set)
{
	return sets[set].many;
}

/* ---- reads ---- */

static UInt read_hash(Addr addr, UInt context, UInt size, UInt in_epoch)
{
	return (UInt)(bo_mix(addr, (ULong)context << 32 | (size ^ in_epoch << 8)) >> 16);
}

static UInt hash_of_read(UInt id)
{
	const struct read *r = &reads[id];

	return read_hash(r->addr, r->context, r->size, r->epoch);
}

static UInt read_create(UInt context, Addr addr, UInt size)
{
	UInt id = read_count++;

	reads[id] = (struct read){.addr = addr, .context = context, .size = size, .epoch = epoch};
	return id;
}

/* It may have been collected. */
static UInt set_of_read(UInt id)
{
	if (!reads[id].set)
		reads[id].set = set_intern(&id, 1, False);
	return reads[id].set;
}

static UInt find_read(UInt context, Addr addr, UInt size)
{
	UInt slot, id;

	bo_index_fit(&read_index, read_count);
	slot = read_hash(addr, context, size, epoch) & read_index.mask;
	for (; (id = read_index.slots[slot]); slot = (slot + 1) & read_index.mask) {
		const struct read *r = &reads[id];
		if (r->addr == addr && r->context == context && r->size == size && r->epoch == epoch)
			return id;
	}
	if (read_count == READS_MAX)
		return 0;
	return read_index.slots[slot] = read_create(context, addr, size);
}

#define READ_CACHE_BITS 14
static struct {
	Addr addr;
	UInt context, size, set;
} read_cache[1u << READ_CACHE_BITS];

UInt bo_set_of_load(UInt context, Addr addr, UInt size)
{
	UInt slot = ((UInt)addr * 0x9e3779b1u ^ context * 0x85ebca6bu) >> (32 - READ_CACHE_BITS);
	UInt id;

	if (LIKELY(read_cache[slot].addr == addr && read_cache[slot].context == context &&
		   read_cache[slot].size == size))
		return read_cache[slot].set;
	id = find_read(context, addr, size);
	folded += !id;
	read_cache[slot].addr = addr;
	read_cache[slot].context = context;
	read_cache[slot].size = size;
	return read_cache[slot].set = id ? set_of_read(id) : BO_SET_UNKNOWN;
}

/* ---- definitions in the trace ---- */

static void write_numbers(UInt opcode, const ULong *numbers, UInt count)
{
	UChar bytes[(BO_DATA_BOUND + 2) * 10], *p = bytes;

	if (!bo_writer_active())
		return; /* a child that is not followed */
	for (UInt i = 0; i < count; i++)
		p = bo_put_v(p, numbers[i]);
	bo_write_layer(opcode, bytes, (SizeT)(p - bytes));
}

static void write_branch(const struct read *r)
{
	ULong numbers[] = {r->id, r->branch};

	write_numbers(BO_OP_DEF_BRANCH, numbers, 2);
}

static void define_read(struct read *r)
{
	ULong numbers[] = {r->context, r->addr, r->size};

	r->id = ++reads_defined;
	write_numbers(BO_OP_DEF_READ, numbers, 3);
	if (r->branch)
		write_branch(r);
}

/* False: its definition would mean another place. */
static Bool read_is_defined(struct read *r)
{
	if (!r->id && r->epoch == epoch)
		define_read(r);
	return r->id != 0;
}

/* Ids ascend in the order of definition, which need not be that of our numbers. */
static void sort_ids(ULong *ids, UInt count)
{
	for (UInt i = 1; i < count; i++) {
		ULong id = ids[i];
		UInt j = i;
		for (; j && ids[j - 1] > id; j--)
			ids[j] = ids[j - 1];
		ids[j] = id;
	}
}

static void define_set(struct set *s)
{
	ULong numbers[BO_DATA_BOUND + 2];
	ULong *ids = numbers + 2;
	Bool many = s->many;
	UInt count = 0;

	for (UInt i = 0; i < s->count; i++) {
		struct read *r = &reads[members[s->first + i]];
		if (read_is_defined(r))
			ids[count++] = r->id;
		else
			many = True;
	}
	sort_ids(ids, count);
	for (UInt i = count; i-- > 1;)
		ids[i] -= ids[i - 1];
	numbers[0] = many ? BO_LABEL_MANY : 0;
	numbers[1] = count;
	s->id = ++sets_defined;
	write_numbers(BO_OP_DEF_LABEL, numbers, count + 2);
}

UInt bo_set_define(UInt set)
{
	if (set && !sets[set].id)
		define_set(&sets[set]);
	return sets[set].id;
}

Bool bo_set_is_decided(UInt set)
{
	return !set || sets[set].branch_known;
}

void bo_set_decides(UInt set, UInt context)
{
	struct set *s = &sets[set];

	if (bo_set_is_decided(set))
		return;
	s->branch_known = True;
	for (UInt i = 0; i < s->count; i++) {
		struct read *r = &reads[members[s->first + i]];
		if (r->branch)
			continue;
		r->branch = context;
		if (r->id)
			write_branch(r);
	}
}

/* ---- collection ---- */

Bool bo_set_is_full(void)
{
	return set_count > sets_enough || member_count > members_enough;
}

void bo_set_mark(UInt set)
{
	moved_sets[set] = 1;
}

UInt bo_set_moved(UInt set)
{
	return moved_sets[set];
}

/* Sets may share members, so these are copied. */
void bo_set_sweep(void)
{
	UInt live = 1, member = 0, *swap;

	sets_before = set_count;
	moved_sets[0] = 0;
	moved_sets[BO_SET_UNKNOWN] = 1;
	for (UInt i = 1; i < set_count; i++) {
		if (!moved_sets[i])
			continue;
		if (member + sets[i].count > MEMBERS_MAX) {
			moved_sets[i] = BO_SET_UNKNOWN;
			folded++;
			continue;
		}
		moved_sets[i] = live;
		sets[live] = sets[i];
		VG_(memcpy)(members_spare + member, members + sets[live].first, sets[live].count * sizeof(UInt));
		sets[live].first = member;
		member += sets[live].count;
		live++;
	}
	swap = members;
	members = members_spare;
	members_spare = swap;
	for (UInt i = 1; i < read_count; i++)
		reads[i].set = moved_sets[reads[i].set];
	set_count = live;
	member_count = member;
	sets_enough = live < COLLECT_AT / 2 ? COLLECT_AT : 2 * live;
	members_enough = member < 8 * COLLECT_AT ? 16 * COLLECT_AT : 2 * member;
	bo_index_rebuild(&set_index, set_count);
	VG_(memset)(union_cache, 0, sizeof(union_cache));
	VG_(memset)(read_cache, 0, sizeof(read_cache));
}

void bo_set_end_collection(void)
{
	VG_(memset)(moved_sets, 0, sets_before * sizeof(UInt));
}

void bo_set_forget_reads(Addr start, SizeT size)
{
	for (UInt i = epoch_first_read; i < read_count; i++)
		if (!reads[i].id && reads[i].addr - start < size)
			define_read(&reads[i]);
	epoch++;
	epoch_first_read = read_count;
	VG_(memset)(read_cache, 0, sizeof(read_cache));
}

void bo_set_redefine(void)
{
	for (UInt i = 1; i < read_count; i++)
		reads[i].id = 0;
	for (UInt i = 1; i < set_count; i++)
		sets[i].id = 0;
	reads_defined = sets_defined = 0;
}

void bo_set_describe(HChar *text)
{
	VG_(sprintf)(text, "reads=%u labels=%u folded=%llu", reads_defined, sets_defined, folded);
}

void bo_set_init(void)
{
	reads = bo_reserve(READS_MAX * sizeof(*reads));
	sets = bo_reserve(SETS_MAX * sizeof(*sets));
	members = bo_reserve(MEMBERS_MAX * sizeof(*members));
	members_spare = bo_reserve(MEMBERS_MAX * sizeof(*members));
	read_index = bo_index_new(READS_MAX, hash_of_read);
	set_index = bo_index_new(SETS_MAX, hash_of_set);
	moved_sets = bo_reserve(SETS_MAX * sizeof(UInt));
	sets[set_count++].many = True; /* BO_SET_UNKNOWN */
	set_index.slots[0] = BO_SET_UNKNOWN;
}
