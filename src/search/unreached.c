/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unreached.c - see unreached.h. */
#include "search/unreached.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/map.h"

enum { PLACES_NAMED = 8, PLACE_BYTES = 160 };

struct naming {
	struct symbols *symbols;
	struct map named; /* texts of places */
	char text[PLACES_NAMED * PLACE_BYTES];
	size_t used, count;
};

static void place_text(struct naming *n, const struct reach *reach, struct reach_place place, char *text, size_t size)
{
	struct trace_module module = {.path = reach_path(reach, place.module)};
	const struct symbols_frame *frames;
	struct stat st;

	if (stat(module.path, &st) == 0) {
		module.file_size = (uint64_t)st.st_size;
		module.mtime = (uint64_t)st.st_mtime;
	}
	symbols_lookup(n->symbols, &module, place.offset, false, &frames);
	symbols_frame_text(frames, text, size);
}

/* Several instructions of one line are one place. */
static void place_name(struct naming *n, const struct reach *reach, struct reach_place place)
{
	char text[PLACE_BYTES - 2];

	place_text(n, reach, place, text, sizeof(text));
	XXH128_hash_t key = XXH3_128bits(text, strlen(text));
	uint64_t *known = map_put(&n->named, key.low64, key.high64);
	if (*known)
		return;
	*known = 1;
	if (n->count++ < PLACES_NAMED)
		n->used += (size_t)snprintf(n->text + n->used, sizeof(n->text) - n->used, "%s%s",
					    n->count > 1 ? ", " : "", text);
}

void unreached_note(struct findings *findings, const struct reach *reach, struct symbols *symbols)
{
	struct naming n = {.symbols = symbols};

	for (size_t i = 0; i < reach_count(reach); i++) {
		struct reach_instruction instruction = reach_instruction(reach, i);

		if (!instruction.reached)
			place_name(&n, reach, instruction.place);
	}
	if (n.count > PLACES_NAMED)
		findings_note(findings, "code that changes persistent memory was not reached: %s and %zu other places",
			      n.text, n.count - PLACES_NAMED);
	else if (n.count)
		findings_note(findings, "code that changes persistent memory was not reached: %s", n.text);
	map_free(&n.named);
}
