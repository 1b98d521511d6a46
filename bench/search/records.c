/* SPDX-License-Identifier: GPL-2.0-or-later */
/* records.c - records whose fields are checked for their ranges; one kind of record is kept. */
// stdin: ................................................
#include "lure.h"

struct record {
	uint8_t kind, low, high, flags, size, color;
};

static bool record_is_plausible(const struct record *r)
{
	unsigned doubts = 0;

	doubts += r->low > r->high;
	if (r->flags & 0x80)
		doubts++;
	if (r->flags & 0x10)
		doubts--;
	if (r->size > 100)
		doubts++;
	if (r->size < 3)
		doubts++;
	if (r->color == 'r' || r->color == 'g' || r->color == 'b')
		doubts--;
	lure_count += doubts;
	return r->kind != 0;
}

static void record_keep(char *pool, const struct record *r)
{
	if (r->kind == 'K' && r->size == 16 && r->color == '!')
		lure_end(pool);
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv);
	struct record records[8] = {0};

	lures(records, input_all((uint8_t *)records, sizeof(records)));
	for (int i = 0; i < 8; i++)
		if (record_is_plausible(&records[i]))
			record_keep(pool, &records[i]);
	return 0;
}
