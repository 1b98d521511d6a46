/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label_set.c - see bo_label_set.h.
 *
 * Most sets have one read.  These have no entry in any table: the number of the set is that of the read, with a bit that
 * says so.  The others are sorted arrays of reads in one pool, found by a hash of their content.  Most of them grow by
 * one read at a time, as sums over an array do, and the decisions of a search.  So that is made cheap: the hash is a sum
 * over the members, and a set may share its members with one that continues it.
 *
 * Unions are remembered in direct-mapped caches.  All arrays have their final size in address space from the start, so
 * nothing moves, and memory is used only as they fill.  If one is full, a new set becomes BO_SET_UNKNOWN, which has no
 * known read and is marked "many". */
#include "bo.h"

#include "bo_index.h"
#include "bo_label_read.h"
#include "bo_label_set.h"

#define SETS_MAX (1u << 22)
#define MEMBERS_MAX (1u << 25)
#define YOUNG_MOST 4096u /* so many sets are worth a collection */
#define OLD_LEAST (1u << 13)
#define MEMBERS_YOUNG_MOST (16 * YOUNG_MOST) /* so many members */
#define MEMBERS_OLD_LEAST (16 * OLD_LEAST)
#define ONE_READ (1u << 30) /* marks a set of one read, of which all are known */

struct set {
	ULong hash;
	UInt first; /* index of its members */
	UShort count;
	Bool many;
	Bool branch_known; /* of all its reads */
	UInt id;           /* in the trace; 0: not defined yet */
};

static struct set *sets;
static UInt *members; /* reads */
static UInt set_count = 1, member_count;
static struct bo_index set_index;
static struct bo_ages ages;
static UInt members_young, members_enough = MEMBERS_OLD_LEAST; /* as in struct bo_ages */
static UInt sets_defined;                                      /* in this trace file */
static ULong folded;                                           /* how often there was no room */

/* ---- what is in a set ---- */

struct content {
	const UInt *list; /* of reads, which ascend */
	UInt count;
	Bool many;
	ULong hash; /* of the reads and of the mark, so that nobody need compare marks */
};

static Bool is_one(UInt set)
{
	return (set & ONE_READ) != 0;
}

static UInt the_read(UInt set)
{
	return set & ~ONE_READ;
}

/* Hashes of members are added, so that the hash of a union follows from those of its operands. */
static ULong hash_of_member(UInt read)
{
	ULong hash = read * 0x9e3779b97f4a7c15ULL;

	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ULL;
}

static ULong hash_of_mark(Bool many)
{
	return many ? 0x94d049bb133111ebULL : 0;
}

/* `one` is where the list is if there is only one read. */
static struct content content_of(UInt set, UInt *one)
{
	const struct set *s = &sets[set];

	if (is_one(set)) {
		*one = the_read(set);
		return (struct content){one, 1, False, hash_of_member(*one)};
	}
	return (struct content){members + s->first, s->count, s->many, s->hash};
}

static UInt hash_in_index(ULong hash)
{
	return (UInt)(hash >> 32);
}

static UInt hash_of_set(UInt set)
{
	return hash_in_index(sets[set].hash);
}

static Bool is_same_list(const UInt *a, const UInt *b, UInt count)
{
	for (UInt i = 0; i < count; i++)
		if (a[i] != b[i])
			return False;
	return True;
}

/* ---- making sets ---- */

static Bool has_room(UInt more_members)
{
	if (set_count < SETS_MAX && member_count + more_members <= MEMBERS_MAX)
		return True;
	folded++;
	return False;
}

static UInt set_add(UInt slot, UInt first, const struct content *c)
{
	bo_index_put(&set_index, hash_in_index(c->hash), slot, set_count);
	sets[set_count] = (struct set){.first = first, .hash = c->hash, .count = (UShort)c->count, .many = c->many};
	return set_count++;
}

static UInt set_intern(const struct content *c)
{
	UInt hash, slot, found, first = member_count;

	if (!c->count)
		return c->many ? BO_SET_UNKNOWN : 0;
	if (c->count == 1 && !c->many)
		return ONE_READ | c->list[0];
	bo_index_fit(&set_index, set_count);
	hash = hash_in_index(c->hash);
	slot = bo_index_first(&set_index, hash);
	for (; (found = bo_index_find(&set_index, hash, &slot)); slot++) {
		const struct set *s = &sets[found];
		if (s->hash == c->hash && s->count == c->count && is_same_list(members + s->first, c->list, c->count))
			return found;
	}
	if (!has_room(c->count))
		return BO_SET_UNKNOWN;
	for (UInt i = 0; i < c->count; i++)
		members[member_count++] = c->list[i];
	return set_add(slot, first, c);
}

static UInt set_of_many(struct content c)
{
	c.hash += hash_of_mark(True) - hash_of_mark(c.many);
	c.many = True;
	return set_intern(&c);
}

/* ---- unions ---- */

/* Does the list consist of the other one, which is shorter, and `read` at index `at`? */
static Bool is_list_with(const UInt *list, const struct content *c, UInt read, UInt at)
{
	return list[at] == read && is_same_list(list, c->list, at) &&
	       is_same_list(list + at + 1, c->list + at, c->count - at);
}

/* The members of a set and one more at index `at`.  A set that ends where the pool does shares its members, if they will
 * be collected together. */
static UInt members_with(const struct content *c, UInt read, UInt at)
{
	UInt first = member_count;

	if (at == c->count && c->list + at == members + member_count && c->list >= members + members_young) {
		members[member_count++] = read;
		return first - c->count;
	}
	for (UInt i = 0; i < at; i++)
		members[member_count++] = c->list[i];
	members[member_count++] = read;
	for (UInt i = at; i < c->count; i++)
		members[member_count++] = c->list[i];
	return first;
}

/* A set and one more read. */
static UInt union_with_read(UInt set, UInt read, UInt bound)
{
	UInt one, hash, slot, found, at;
	struct content c = content_of(set, &one), with = c;

	for (at = c.count; at && c.list[at - 1] > read; at--)
		;
	if (at && c.list[at - 1] == read)
		return set;
	with.hash += hash_of_member(read);
	if (++with.count > bound)
		return set_of_many((struct content){&read, 1, False, hash_of_member(read)});
	bo_index_fit(&set_index, set_count);
	hash = hash_in_index(with.hash);
	slot = bo_index_first(&set_index, hash);
	for (; (found = bo_index_find(&set_index, hash, &slot)); slot++) {
		const struct set *s = &sets[found];
		if (s->hash == with.hash && s->count == with.count && is_list_with(members + s->first, &c, read, at))
			return found;
	}
	if (!has_room(with.count))
		return BO_SET_UNKNOWN;
	return set_add(slot, members_with(&c, read, at), &with);
}

/* The union of two lists, and its hash. */
static struct content merge(const struct content *a, const struct content *b, UInt *to)
{
	const UInt *x = a->list, *y = b->list, *x_end = x + a->count, *y_end = y + b->count;
	struct content merged = {to, 0, a->many || b->many, a->hash + b->hash - hash_of_mark(a->many && b->many)};

	while (x < x_end && y < y_end) {
		UInt next = *x < *y ? *x : *y;
		if (*x == *y)
			merged.hash -= hash_of_member(next);
		x += *x == next;
		y += *y == next;
		to[merged.count++] = next;
	}
	while (x < x_end)
		to[merged.count++] = *x++;
	while (y < y_end)
		to[merged.count++] = *y++;
	return merged;
}

static UInt set_union(UInt a, UInt b, UInt bound)
{
	UInt list[2 * BO_DATA_BOUND], one;
	struct content x, y, both;

	if (is_one(b))
		return union_with_read(a, the_read(b), bound);
	if (is_one(a))
		return union_with_read(b, the_read(a), bound);
	x = content_of(a, &one);
	y = content_of(b, &one);
	if (x.list == y.list && x.many == y.many)
		return x.count > y.count ? a : b;
	both = merge(&x, &y, list);
	if (both.count == x.count && (x.many || !y.many))
		return a;
	if (both.count == y.count && (y.many || !x.many))
		return b;
	if (both.count <= bound)
		return set_intern(&both);
	return set_of_many(x.count < y.count ? x : y);
}

#define CACHE_BITS 11
static struct {
	UInt a, b, result;
} union_cache[BO_INFLUENCES][1u << CACHE_BITS];

UInt bo_set_union(UInt a, UInt b, enum bo_influence kind)
{
	UInt slot;

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

static ULong hash_of_list(const UInt *list, UInt count)
{
	ULong hash = 0;

	for (UInt i = 0; i < count; i++)
		hash += hash_of_member(list[i]);
	return hash;
}

UInt bo_set_bounded(UInt set, enum bo_influence kind)
{
	UInt bound = kind == BO_DATA ? BO_DATA_BOUND : BO_CONTROL_BOUND;
	const UInt *newest;

	if (is_one(set) || sets[set].count <= bound)
		return set;
	newest = members + sets[set].first + sets[set].count - bound;
	return set_of_many((struct content){newest, bound, False, hash_of_list(newest, bound)});
}

UInt bo_set_of_load(UInt context, Addr addr, UInt size)
{
	UInt read = bo_read_of_load(context, addr, size);

	folded += !read;
	return read ? ONE_READ | read : BO_SET_UNKNOWN;
}

Bool bo_set_is_many(UInt set)
{
	return !is_one(set) && sets[set].many;
}

/* ---- definitions in the trace ---- */

/* Ids ascend in the order of definition, which need not be that of our numbers. */
static void sort_ids(UInt *ids, UInt count)
{
	for (UInt i = 1; i < count; i++) {
		UInt id = ids[i], j = i;
		for (; j && ids[j - 1] > id; j--)
			ids[j] = ids[j - 1];
		ids[j] = id;
	}
}

/* Write the definition of the next label. */
static UInt write_label(const UInt *ids, UInt count, Bool many)
{
	UChar bytes[(BO_DATA_BOUND + 2) * 5], *p = bytes;

	if (bo_writer_active()) { /* not a child that is not followed */
		p = bo_put_v(p, many ? BO_LABEL_MANY : 0);
		p = bo_put_v(p, count);
		for (UInt i = 0, before = 0; i < count; before = ids[i++])
			p = bo_put_v(p, ids[i] - before);
		bo_write_layer(BO_OP_DEF_LABEL, bytes, (SizeT)(p - bytes));
	}
	return ++sets_defined;
}

UInt bo_set_define(UInt set)
{
	UInt ids[BO_DATA_BOUND], count = 0, one, *id;
	struct content c;
	Bool many;

	if (!set)
		return 0;
	id = is_one(set) ? bo_read_label(the_read(set)) : &sets[set].id;
	if (*id)
		return *id;
	c = content_of(set, &one);
	many = c.many;
	for (UInt i = 0; i < c.count; i++) {
		ids[count] = bo_read_define(c.list[i]);
		many |= !ids[count];
		count += ids[count] != 0;
	}
	sort_ids(ids, count);
	return *id = write_label(ids, count, many);
}

/* ---- branches ---- */

Bool bo_set_is_decided(UInt set)
{
	if (is_one(set))
		return bo_read_branch(the_read(set)) != 0;
	return !set || sets[set].branch_known;
}

void bo_set_decides(UInt set, UInt context)
{
	UInt one;
	struct content c;

	if (bo_set_is_decided(set))
		return;
	c = content_of(set, &one);
	for (UInt i = 0; i < c.count; i++)
		if (!bo_read_branch(c.list[i]))
			bo_read_set_branch(c.list[i], context);
	if (!is_one(set))
		sets[set].branch_known = True;
}

/* ---- collection ---- */

Bool bo_set_is_full(void)
{
	return set_count - ages.young > YOUNG_MOST || member_count - members_young > MEMBERS_YOUNG_MOST ||
	       bo_read_is_full();
}

Bool bo_set_is_old(void)
{
	return ages.young > ages.old_enough || members_young > members_enough || bo_read_is_old();
}

void bo_set_begin_collection(Bool all)
{
	bo_ages_begin(&ages, set_count, all);
	bo_read_begin_collection(all);
	bo_set_mark(BO_SET_UNKNOWN);
}

void bo_set_mark(UInt set)
{
	if (is_one(set))
		bo_read_mark(the_read(set));
	else
		bo_ages_mark(&ages, set);
}

UInt bo_set_moved(UInt set)
{
	return is_one(set) ? ONE_READ | bo_read_moved(the_read(set)) : bo_ages_moved(&ages, set);
}

static Bool is_dead(UInt set)
{
	return !ages.moved[set - ages.from];
}

static void mark_members(void)
{
	for (UInt i = ages.from; i < set_count; i++)
		for (UInt k = is_dead(i) ? sets[i].count : 0; k < sets[i].count; k++)
			bo_read_mark(members[sets[i].first + k]);
}

/* Move the members of a set to the end of those that are left.  `shared` of them have been moved with another set. */
static void move_members(struct set *s, UInt shared)
{
	for (UInt k = shared; k < s->count; k++)
		members[member_count++] = bo_read_moved(members[s->first + k]);
	s->first = member_count - s->count;
	s->hash = hash_of_list(members + s->first, s->count) + hash_of_mark(s->many);
}

/* In the order of their numbers, sets are also in the order of their members; and of sets that share members, the
 * longest comes last.  So nothing is moved to where something else still is. */
static void move_sets(void)
{
	UInt live = ages.from, last_first = 0, last_count = 0, end = set_count;

	member_count = ages.from == 1 ? 0 : members_young;
	set_count = live;
	for (UInt i = ages.from; i < end; i++) {
		UInt first = sets[i].first;
		if (is_dead(i))
			continue;
		ages.moved[i - ages.from] = live;
		sets[live] = sets[i];
		move_members(&sets[live++], first == last_first ? last_count : 0);
		last_first = first;
		last_count = sets[live - 1].count;
	}
	set_count = live;
}

void bo_set_sweep(void)
{
	bo_index_remove(&set_index, ages.from, set_count);
	mark_members();
	bo_read_sweep();
	move_sets();
	bo_index_add(&set_index, ages.from, set_count);
	VG_(memset)(union_cache, 0, sizeof(union_cache));
}

void bo_set_end_collection(void)
{
	if (ages.from == 1)
		members_enough = bo_ages_enough(member_count, MEMBERS_OLD_LEAST, MEMBERS_MAX);
	members_young = member_count;
	bo_ages_end(&ages, set_count);
	bo_read_end_collection();
}

void bo_set_redefine(void)
{
	bo_read_redefine();
	for (UInt i = 1; i < set_count; i++)
		sets[i].id = 0;
	sets_defined = 0;
}

void bo_set_describe(HChar *text)
{
	VG_(sprintf)(text, "reads=%u labels=%u folded=%llu", bo_read_defined(), sets_defined, folded);
}

void bo_set_init(void)
{
	bo_read_init();
	sets = bo_reserve_array(SETS_MAX * sizeof(*sets));
	members = bo_reserve_array(MEMBERS_MAX * sizeof(*members));
	ages = bo_ages_new(OLD_LEAST, SETS_MAX);
	set_index = bo_index_new(SETS_MAX, hash_of_set);
	sets[set_count++] = (struct set){.hash = hash_of_mark(True), .many = True}; /* BO_SET_UNKNOWN */
	bo_index_add(&set_index, BO_SET_UNKNOWN, set_count);
}
