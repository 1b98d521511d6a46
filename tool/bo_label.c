/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label.c - see bo_label.h.
 *
 * Sets are sorted arrays of elements in one pool, found by a hash of their content.  Unions are remembered in a
 * direct-mapped cache, and everything else that is derived from a single set or mix is kept beside it.  All arrays have
 * their final size in address space from the start, so nothing moves, and memory is used only as it fills.
 *
 * Limits.  If one of the arrays is full, a new set becomes LABEL_UNKNOWN, the set without a known element that is marked
 * "many", and a new mix is flattened.  Both are counted. */
#include "bo.h"

#include "bo_label.h"

#define READS_MAX (1u << 22)
#define SETS_MAX (1u << 22)
#define ELEMENTS_MAX (1u << 25)
#define MIXES_MAX (1u << 20)
#define LABEL_UNKNOWN 1u /* made by bo_label_init */
#define NOT_MADE (~0u)   /* a derived label that nobody asked for yet */

/* An element of a set: a read, and how it had an influence. */
#define DATA 0u
#define CONTROL 1u
#define ELEMENT(read, kind) ((read) << 1 | (kind))
#define ELEMENT_READ(element) ((element) >> 1)
#define ELEMENT_KIND(element) ((element)&1)

struct read {
	Addr addr;
	UInt context, size;
	UInt epoch;
	UInt label;  /* the set { (this read, data) } */
	UInt branch; /* context of the first branch that depends on it; 0: none */
	UInt id;     /* in the trace; 0: not defined yet */
};

struct set {
	UInt first; /* index of its elements */
	UInt hash;
	UShort count;
	Bool many;
	Bool branch_known; /* of all its reads */
	UInt as_control;
	UInt part[2]; /* its reads of one kind, as a set of elements of kind DATA */
	UInt id;      /* in the trace; 0: not defined yet */
};

struct mix {
	UInt bytes[8];
	UInt flat;
};

/* A hash table of indices; 0 is free.  At most half full. */
struct index {
	UInt *slots;
	UInt mask;
};

static struct read *reads;
static struct set *sets;
static struct mix *mixes;
static UInt *elements;
static UInt read_count = 1, set_count = 1, mix_count = 1, element_count;
static struct index read_index, set_index, mix_index;
static UInt reads_defined, sets_defined; /* in this trace file */
/* Reads of different epochs are different, even at the same address: it may mean another file. */
static UInt epoch, epoch_first_read = 1;
static ULong many_events, folded;

static void *reserve(SizeT size)
{
	SysRes r = VG_(am_mmap_anon_float_valgrind)(size);

	tl_assert(!sr_isError(r));
	return (void *)(Addr)sr_Res(r);
}

static struct index index_new(UInt most)
{
	return (struct index){reserve(2 * most * sizeof(UInt)), 2 * most - 1};
}

/* ---- sets ---- */

static UInt hash_words(const UInt *words, UInt count, UInt seed)
{
	ULong h = seed * 0x9e3779b97f4a7c15ULL + count;

	for (UInt i = 0; i < count; i++)
		h = bo_mix(h, words[i]);
	return (UInt)(h >> 16);
}

static Bool set_is(const struct set *s, const UInt *list, UInt count, Bool many, UInt hash)
{
	return s->hash == hash && s->count == count && s->many == many &&
	       VG_(memcmp)(elements + s->first, list, count * sizeof(*list)) == 0;
}

static UInt set_create(const UInt *list, UInt count, Bool many, UInt hash)
{
	if (set_count == SETS_MAX || element_count + count > ELEMENTS_MAX) {
		folded++;
		return LABEL_UNKNOWN;
	}
	sets[set_count] = (struct set){.first = element_count,
				       .hash = hash,
				       .count = (UShort)count,
				       .many = many,
				       .as_control = NOT_MADE,
				       .part = {NOT_MADE, NOT_MADE}};
	VG_(memcpy)(elements + element_count, list, count * sizeof(*list));
	element_count += count;
	return set_count++;
}

/* The set of these elements, which ascend. */
static UInt set_intern(const UInt *list, UInt count, Bool many)
{
	UInt hash, slot, id;

	if (!count && !many)
		return 0;
	hash = hash_words(list, count, many);
	for (slot = hash & set_index.mask; set_index.slots[slot]; slot = (slot + 1) & set_index.mask)
		if (set_is(&sets[set_index.slots[slot]], list, count, many, hash))
			return set_index.slots[slot];
	id = set_create(list, count, many, hash);
	if (id != LABEL_UNKNOWN || set_count == LABEL_UNKNOWN + 1)
		set_index.slots[slot] = id;
	return id;
}

static UInt set_union(UInt a, UInt b)
{
	const UInt *x = elements + sets[a].first, *y = elements + sets[b].first;
	const UInt *x_end = x + sets[a].count, *y_end = y + sets[b].count;
	Bool many = sets[a].many || sets[b].many;
	UInt merged[2 * BO_LABEL_BOUND], count = 0, smaller;

	while (x < x_end || y < y_end) {
		UInt next = y == y_end || (x < x_end && *x < *y) ? *x : *y;
		x += x < x_end && *x == next;
		y += y < y_end && *y == next;
		merged[count++] = next;
	}
	if (count <= BO_LABEL_BOUND)
		return set_intern(merged, count, many);
	smaller = sets[a].count < sets[b].count ? a : b;
	return set_intern(elements + sets[smaller].first, sets[smaller].count, True);
}

#define UNION_CACHE_BITS 14
static struct {
	UInt a, b, result;
} union_cache[1u << UNION_CACHE_BITS];

static UInt union_of_sets(UInt a, UInt b)
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
	slot = (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> (32 - UNION_CACHE_BITS);
	if (LIKELY(union_cache[slot].a == a && union_cache[slot].b == b))
		return union_cache[slot].result;
	union_cache[slot].result = set_union(a, b);
	union_cache[slot].a = a;
	union_cache[slot].b = b;
	return union_cache[slot].result;
}

UInt bo_label_union(UInt a, UInt b)
{
	return union_of_sets(bo_label_flatten(a), bo_label_flatten(b));
}

/* The next element of kind data from an index on; the end of the set if there is none. */
static UInt next_data(const struct set *s, UInt at)
{
	while (at < s->first + s->count && ELEMENT_KIND(elements[at]) != DATA)
		at++;
	return at;
}

Bool bo_label_is_same_data(UInt a, UInt b)
{
	const struct set *x = &sets[bo_label_flatten(a)], *y = &sets[bo_label_flatten(b)];
	UInt i = next_data(x, x->first), k = next_data(y, y->first);

	while (i < x->first + x->count && k < y->first + y->count && elements[i] == elements[k]) {
		i = next_data(x, i + 1);
		k = next_data(y, k + 1);
	}
	return i == x->first + x->count && k == y->first + y->count;
}

UInt bo_label_as_control(UInt label)
{
	UInt list[BO_LABEL_BOUND], count = 0, made;
	struct set *s;

	label = bo_label_flatten(label);
	if (!label)
		return 0;
	s = &sets[label];
	if (s->as_control != NOT_MADE)
		return s->as_control;
	for (UInt i = 0; i < s->count; i++) {
		UInt element = ELEMENT(ELEMENT_READ(elements[s->first + i]), CONTROL);
		if (!count || list[count - 1] != element)
			list[count++] = element;
	}
	made = set_intern(list, count, s->many);
	s->as_control = made;
	return made;
}

/* The reads of one kind, as a set of kind DATA: the form in which the trace has them. */
static UInt reads_of_kind(UInt label, UInt kind)
{
	UInt list[BO_LABEL_BOUND], count = 0;
	struct set *s;

	if (!label)
		return 0;
	s = &sets[label];
	if (s->part[kind] != NOT_MADE)
		return s->part[kind];
	for (UInt i = 0; i < s->count; i++)
		if (ELEMENT_KIND(elements[s->first + i]) == kind)
			list[count++] = ELEMENT(ELEMENT_READ(elements[s->first + i]), DATA);
	return s->part[kind] = set_intern(list, count, s->many);
}

/* ---- mixes ---- */

static UInt mix_create(const UInt bytes[8])
{
	struct mix *m;

	if (mix_count == MIXES_MAX) {
		UInt flat = 0;
		for (UInt i = 0; i < 8; i++)
			flat = union_of_sets(flat, bytes[i]);
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
	UInt slot = hash_words(bytes, 8, 0) & mix_index.mask, id;

	for (; mix_index.slots[slot]; slot = (slot + 1) & mix_index.mask)
		if (VG_(memcmp)(mixes[mix_index.slots[slot]].bytes, bytes, 8 * sizeof(*bytes)) == 0)
			return BO_LABEL_MIX | mix_index.slots[slot];
	id = mix_create(bytes);
	if (id & BO_LABEL_MIX)
		mix_index.slots[slot] = id & ~BO_LABEL_MIX;
	return id;
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
			flat = union_of_sets(flat, m->bytes[i]);
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

UInt bo_label_add(UInt label, UInt set)
{
	UInt bytes[8];

	if (!set)
		return label;
	if (!(label & BO_LABEL_MIX))
		return union_of_sets(label, set);
	bo_label_bytes(label, bytes);
	for (UInt i = 0; i < 8; i++)
		bytes[i] = union_of_sets(bytes[i], set);
	return bo_label_of_bytes(bytes, 8);
}

/* ---- reads ---- */

static UInt read_hash(Addr addr, UInt context, UInt size)
{
	return (UInt)(bo_mix(addr, (ULong)context << 32 | (size ^ epoch << 8)) >> 16);
}

static UInt read_create(UInt context, Addr addr, UInt size)
{
	UInt element = ELEMENT(read_count, DATA);
	struct read *r = &reads[read_count++];

	*r = (struct read){.addr = addr, .context = context, .size = size, .epoch = epoch};
	r->label = set_intern(&element, 1, False);
	return read_count - 1;
}

static UInt find_read(UInt context, Addr addr, UInt size)
{
	UInt slot = read_hash(addr, context, size) & read_index.mask, id;

	for (; (id = read_index.slots[slot]); slot = (slot + 1) & read_index.mask) {
		const struct read *r = &reads[id];
		if (r->addr == addr && r->context == context && r->size == size && r->epoch == epoch)
			return id;
	}
	if (read_count == READS_MAX)
		return 0;
	return read_index.slots[slot] = read_create(context, addr, size);
}

#define READ_CACHE_BITS 12
static struct {
	Addr addr;
	UInt context, size, label;
} read_cache[1u << READ_CACHE_BITS];

UInt bo_label_of_load(UInt context, Addr addr, UInt size)
{
	UInt slot = ((UInt)addr * 0x9e3779b1u ^ context * 0x85ebca6bu) >> (32 - READ_CACHE_BITS);
	UInt id;

	if (LIKELY(read_cache[slot].addr == addr && read_cache[slot].context == context &&
		   read_cache[slot].size == size))
		return read_cache[slot].label;
	id = find_read(context, addr, size);
	folded += !id;
	read_cache[slot].addr = addr;
	read_cache[slot].context = context;
	read_cache[slot].size = size;
	return read_cache[slot].label = id ? reads[id].label : LABEL_UNKNOWN;
}

/* ---- definitions in the trace ---- */

static void write_numbers(UInt opcode, const ULong *numbers, UInt count)
{
	UChar bytes[(BO_LABEL_BOUND + 2) * 10], *p = bytes;

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
	ULong numbers[BO_LABEL_BOUND + 2];
	ULong *ids = numbers + 2;
	Bool many = s->many;
	UInt count = 0;

	for (UInt i = 0; i < s->count; i++) {
		struct read *r = &reads[ELEMENT_READ(elements[s->first + i])];
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

static UInt id_of_set(UInt label)
{
	if (label && !sets[label].id)
		define_set(&sets[label]);
	return label ? sets[label].id : 0;
}

void bo_label_write_depends(UInt label, UInt control)
{
	UInt set = bo_label_flatten(label), data = reads_of_kind(set, DATA);
	ULong numbers[2];

	control = union_of_sets(reads_of_kind(set, CONTROL), reads_of_kind(control, CONTROL));
	if (!data && !control)
		return;
	numbers[0] = id_of_set(data);
	numbers[1] = id_of_set(control);
	many_events += (data && sets[data].many) || (control && sets[control].many);
	write_numbers(BO_OP_DEPENDS, numbers, 2);
}

Bool bo_label_is_decided(UInt label)
{
	return sets[bo_label_flatten(label)].branch_known;
}

void bo_label_decides(UInt label, UInt context)
{
	struct set *s = &sets[bo_label_flatten(label)];

	if (s == sets || s->branch_known)
		return;
	s->branch_known = True;
	for (UInt i = 0; i < s->count; i++) {
		struct read *r = &reads[ELEMENT_READ(elements[s->first + i])];
		if (r->branch)
			continue;
		r->branch = context;
		if (r->id)
			write_branch(r);
	}
}

void bo_label_forget_reads(Addr start, SizeT size)
{
	if (!clo_bo_dependencies || !bo_writer_active())
		return;
	for (UInt i = epoch_first_read; i < read_count; i++)
		if (!reads[i].id && reads[i].addr - start < size)
			define_read(&reads[i]);
	epoch++;
	epoch_first_read = read_count;
	VG_(memset)(read_cache, 0, sizeof(read_cache));
}

void bo_label_redefine(void)
{
	for (UInt i = 1; i < read_count; i++)
		reads[i].id = 0;
	for (UInt i = 1; i < set_count; i++)
		sets[i].id = 0;
	reads_defined = sets_defined = 0;
	many_events = 0;
}

void bo_label_describe(HChar *text)
{
	VG_(sprintf)
	(text, "reads=%u labels=%u many=%llu folded=%llu", reads_defined, sets_defined, many_events, folded);
}

void bo_label_init(void)
{
	reads = reserve(READS_MAX * sizeof(*reads));
	sets = reserve(SETS_MAX * sizeof(*sets));
	mixes = reserve(MIXES_MAX * sizeof(*mixes));
	elements = reserve(ELEMENTS_MAX * sizeof(*elements));
	read_index = index_new(READS_MAX);
	set_index = index_new(SETS_MAX);
	mix_index = index_new(MIXES_MAX);
	set_intern(NULL, 0, True); /* LABEL_UNKNOWN */
}
