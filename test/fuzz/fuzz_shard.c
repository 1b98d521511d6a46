/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a part, of any content: read or refused.  The first byte says which: the file that names the part
 * (run/part.h), a file of flights (explore/flights.h), or the leaves of one flight, which a check sum protects there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explore/flights.h"
#include "run/part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { UNITS = 21, LINES = 6 };

static void part_try(const uint8_t *data, size_t size)
{
	char *text = memcpy(mem_alloc(size + 1), data, size);
	struct part part;

	if (part_parse(&part, text, size) &&
	    (!part.index || part.index > part.total || part.total > PART_TOTAL_MAX || *part.recording != '/' ||
	     !memchr(part.recording, 0, sizeof(part.recording)) || !memchr(part.budget, 0, sizeof(part.budget))))
		abort();
	free(text);
}

static void record_try(const struct flight_record *record)
{
	uint8_t taken[UNITS], decided[LINES];
	struct flight_leaf leaf;
	size_t at = 0, before = 0;

	for (; flight_record_next(record, &at, UNITS, LINES, taken, decided, &leaf); before = at)
		if (at <= before || at > record->head->bytes || (leaf.refused && strlen(leaf.refused) >= at - before))
			abort();
}

static void file_try(const uint8_t *data, size_t size)
{
	struct flights *flights = flights_new();
	uint8_t *bytes = memcpy(mem_alloc(size + 8), data, size);

	if (flights_read(flights, bytes, size, 0) > size)
		abort();
	flights_close(flights);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] % 3 == 0)
		part_try(data + 1, size - 1);
	else if (data[0] % 3 == 1)
		file_try(data + 1, size - 1);
	else
		record_try(&(struct flight_record){&(struct flights_head){.bytes = size - 1}, data + 1});
	return 0;
}
