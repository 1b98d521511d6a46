/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_table.c - a hash table from a pair of numbers to an id.  Open addressing, at most half full; entries are never
 * removed. */
#include "bo.h"

struct bo_entry {
	ULong a, b;
	UInt id; /* 0: free */
};

ULong bo_mix(ULong a, ULong b)
{
	ULong h = (a ^ b * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;

	h ^= h >> 32;
	return h * 0xc4ceb9fe1a85ec53ULL ^ h >> 29;
}

static struct bo_entry *table_slot(const struct bo_table *t, ULong a, ULong b)
{
	ULong i = bo_mix(a, b) & t->mask;

	while (t->entries[i].id && (t->entries[i].a != a || t->entries[i].b != b))
		i = (i + 1) & t->mask;
	return &t->entries[i];
}

static void table_grow(struct bo_table *t)
{
	struct bo_table bigger = {.mask = t->entries ? 2 * t->mask + 1 : 1023, .used = t->used};

	bigger.entries = VG_(calloc)("bo.table", bigger.mask + 1, sizeof(struct bo_entry));
	for (ULong i = 0; t->entries && i <= t->mask; i++)
		if (t->entries[i].id)
			*table_slot(&bigger, t->entries[i].a, t->entries[i].b) = t->entries[i];
	if (t->entries)
		VG_(free)(t->entries);
	*t = bigger;
}

void bo_table_put(struct bo_table *t, ULong a, ULong b, UInt id)
{
	struct bo_entry *e;

	if (!t->entries || 2 * t->used > t->mask)
		table_grow(t);
	e = table_slot(t, a, b);
	*e = (struct bo_entry){a, b, id};
	t->used++;
}

UInt bo_table_get(const struct bo_table *t, ULong a, ULong b)
{
	return t->entries ? table_slot(t, a, b)->id : 0;
}
