/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unreached.c - see unreached.h. */
#include "search/unreached.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/map.h"
#include "finding/own.h"

enum { PLACES_NAMED = 8, PLACE_BYTES = 160 };

struct naming {
	struct symbols *symbols;
	const struct reach *reach;
	const struct findings_options *places;
	struct map reached; /* texts of places: those of reached code, */
	struct map named;   /* and those that were named */
	char text[PLACES_NAMED * PLACE_BYTES];
	size_t used, count;
};

/* The functions that are inlined into each other there, innermost first. */
static size_t frames_get(struct naming *n, struct reach_place place, const struct symbols_frame **frames)
{
	struct trace_module module = {.path = reach_path(n->reach, place.module)};
	struct stat st;

	if (stat(module.path, &st) == 0) {
		module.file_size = (uint64_t)st.st_size;
		module.mtime = (uint64_t)st.st_mtime;
	}
	return symbols_lookup(n->symbols, &module, place.offset, false, frames);
}

static uint64_t *text_put(struct map *map, const char *text)
{
	XXH128_hash_t key = XXH3_128bits(text, strlen(text));

	return map_put(map, key.low64, key.high64);
}

static void reached_note(struct naming *n, struct reach_place place)
{
	const struct symbols_frame *frames;
	size_t count = frames_get(n, place, &frames);
	char text[PLACE_BYTES - 2];

	for (size_t i = 0; i < count; i++) {
		symbols_frame_text(&frames[i], text, sizeof(text));
		*text_put(&n->reached, text) = 1;
	}
}

/* The innermost function of the user's own that was not reached elsewhere: a helper may be inlined into many. */
static void place_text(struct naming *n, struct reach_place place, char *text, size_t size)
{
	const struct symbols_frame *frames;
	size_t count = frames_get(n, place, &frames);

	for (size_t i = 0; i < count; i++) {
		symbols_frame_text(&frames[i], text, size);
		if (own_code(&frames[i], reach_path(n->reach, place.module), n->places) &&
		    !*text_put(&n->reached, text))
			return;
	}
	symbols_frame_text(frames, text, size);
}

/* Several instructions of one line are one place. */
static void place_name(struct naming *n, struct reach_place place)
{
	char text[PLACE_BYTES - 2];

	place_text(n, place, text, sizeof(text));
	uint64_t *known = text_put(&n->named, text);
	if (*known)
		return;
	*known = 1;
	if (n->count++ < PLACES_NAMED)
		n->used += (size_t)snprintf(n->text + n->used, sizeof(n->text) - n->used, "%s%s",
					    n->count > 1 ? ", " : "", text);
}

void unreached_note(struct findings *findings, const struct reach *reach, struct symbols *symbols,
		    const struct findings_options *places)
{
	struct naming n = {.symbols = symbols, .reach = reach, .places = places};

	for (size_t i = 0; i < reach_count(reach); i++)
		if (reach_instruction(reach, i).reached)
			reached_note(&n, reach_instruction(reach, i).place);
	for (size_t i = 0; i < reach_count(reach); i++)
		if (!reach_instruction(reach, i).reached)
			place_name(&n, reach_instruction(reach, i).place);
	if (n.count > PLACES_NAMED)
		findings_note(findings, "code that changes persistent memory was not reached: %s and %zu other places",
			      n.text, n.count - PLACES_NAMED);
	else if (n.count)
		findings_note(findings, "code that changes persistent memory was not reached: %s", n.text);
	map_free(&n.named);
	map_free(&n.reached);
}
