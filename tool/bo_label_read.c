/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_label_read.c - see bo_label_read.h. */
#include "bo.h"

#include "bo_index.h"
#include "bo_label_read.h"

#define YOUNG_MOST 4096u     /* so many reads are worth a collection */
#define OLD_LEAST (1u << 13) /* so many old ones */

struct read {
	Addr addr;
	UInt context, size;
	UInt epoch;
	UInt branch; /* context of the first branch that depends on it; 0: none */
	UInt id;     /* in the trace; 0: not defined yet */
	UInt label;  /* id of the label that has only this read; 0: not defined yet */
};

static struct read *reads;
static struct bo_index read_index;
static struct bo_ages ages;
static UInt read_count = 1;
static UInt defined; /* in this trace file */
/* Reads of different epochs are different, even at the same address: it may mean another file. */
static UInt epoch, epoch_first_read = 1;

/* ---- which load it is ---- */

static UInt read_hash(Addr addr, UInt context, UInt size, UInt in_epoch)
{
	return (UInt)(bo_mix(addr, (ULong)context << 32 | (size ^ in_epoch << 8)) >> 16);
}

static UInt hash_of_read(UInt read)
{
	const struct read *r = &reads[read];

	return read_hash(r->addr, r->context, r->size, r->epoch);
}

static UInt read_create(UInt context, Addr addr, UInt size)
{
	reads[read_count] = (struct read){.addr = addr, .context = context, .size = size, .epoch = epoch};
	return read_count++;
}

static UInt read_find(UInt context, Addr addr, UInt size)
{
	UInt hash = read_hash(addr, context, size, epoch), slot, read;

	bo_index_fit(&read_index, read_count);
	slot = bo_index_first(&read_index, hash);
	for (; (read = bo_index_find(&read_index, hash, &slot)); slot++) {
		const struct read *r = &reads[read];
		if (r->addr == addr && r->context == context && r->size == size && r->epoch == epoch)
			return read;
	}
	if (read_count == BO_READS_MAX)
		return 0;
	bo_index_put(&read_index, hash, slot, read_count);
	return read_create(context, addr, size);
}

#define CACHE_BITS 10
static struct {
	Addr addr;
	UInt context, size, read;
} cache[1u << CACHE_BITS];

UInt bo_read_of_load(UInt context, Addr addr, UInt size)
{
	UInt slot = ((UInt)addr * 0x9e3779b1u ^ context * 0x85ebca6bu) >> (32 - CACHE_BITS);

	if (LIKELY(cache[slot].addr == addr && cache[slot].context == context && cache[slot].size == size))
		return cache[slot].read;
	cache[slot].addr = addr;
	cache[slot].context = context;
	cache[slot].size = size;
	return cache[slot].read = read_find(context, addr, size);
}

/* ---- the trace ---- */

static void write_numbers(UInt opcode, const ULong *numbers, UInt count)
{
	UChar *p;

	if (!bo_writer_active())
		return; /* a child that is not followed */
	p = bo_layer_begin(opcode);
	for (UInt i = 0; i < count; i++)
		p = bo_put_v(p, numbers[i]);
	bo_layer_commit(p);
}

static void write_branch(const struct read *r)
{
	ULong numbers[] = {r->id, r->branch};

	write_numbers(BO_OP_DEF_BRANCH, numbers, 2);
}

static void define(struct read *r)
{
	ULong numbers[] = {r->context, r->addr, r->size};

	r->id = ++defined;
	write_numbers(BO_OP_DEF_READ, numbers, 3);
	if (r->branch)
		write_branch(r);
}

UInt bo_read_define(UInt read)
{
	struct read *r = &reads[read];

	if (!r->id && r->epoch == epoch)
		define(r);
	return r->id;
}

UInt *bo_read_label(UInt read)
{
	return &reads[read].label;
}

UInt bo_read_branch(UInt read)
{
	return reads[read].branch;
}

void bo_read_set_branch(UInt read, UInt context)
{
	struct read *r = &reads[read];

	r->branch = context;
	if (r->id)
		write_branch(r);
}

void bo_read_forget(Addr start, SizeT size)
{
	for (UInt i = epoch_first_read; i < read_count; i++)
		if (!reads[i].id && reads[i].addr - start < size)
			define(&reads[i]);
	epoch++;
	epoch_first_read = read_count;
	VG_(memset)(cache, 0, sizeof(cache));
}

void bo_read_redefine(void)
{
	for (UInt i = 1; i < read_count; i++)
		reads[i].id = reads[i].label = 0;
	defined = 0;
}

UInt bo_read_defined(void)
{
	return defined;
}

/* ---- collection ---- */

Bool bo_read_is_full(void)
{
	return read_count - ages.young > YOUNG_MOST;
}

Bool bo_read_is_old(void)
{
	return ages.young > ages.old_enough;
}

void bo_read_begin_collection(Bool all)
{
	bo_ages_begin(&ages, read_count, all);
}

void bo_read_mark(UInt read)
{
	bo_ages_mark(&ages, read);
}

UInt bo_read_moved(UInt read)
{
	return bo_ages_moved(&ages, read);
}

void bo_read_sweep(void)
{
	UInt live = ages.from, first = epoch_first_read;

	bo_index_remove(&read_index, ages.from, read_count);
	for (UInt i = ages.from; i < read_count; i++) {
		if (i == first)
			epoch_first_read = live;
		if (!ages.moved[i - ages.from])
			continue;
		ages.moved[i - ages.from] = live;
		reads[live++] = reads[i];
	}
	if (first == read_count)
		epoch_first_read = live;
	read_count = live;
	bo_index_add(&read_index, ages.from, read_count);
	VG_(memset)(cache, 0, sizeof(cache));
}

void bo_read_end_collection(void)
{
	bo_ages_end(&ages, read_count);
}

void bo_read_init(void)
{
	reads = bo_reserve_array(BO_READS_MAX * sizeof(*reads));
	ages = bo_ages_new(OLD_LEAST, BO_READS_MAX);
	read_index = bo_index_new(BO_READS_MAX, hash_of_read);
}
