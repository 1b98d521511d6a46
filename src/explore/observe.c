/* SPDX-License-Identifier: GPL-2.0-or-later */
/* observe.c - find out which lines recovery reads, by watching it, if there is no fork server to ask line by line.
 *
 * Recovery is recorded with its loads, on real files: on the files that the program left at its end, and at every
 * explored moment whose number is a power of two, both with all pending stores on media and with none.  All lines that
 * any of these recordings reads, by any code, are assumed to be read on every crash state.  That is a guess: on a state
 * where it was not watched, recovery may read other lines.  So stores in lines that it was not seen to read are not
 * ignored, but tried all on media and all lost.
 *
 * If recovery does not read a file through a mapping, it may read it by read(2) and similar calls, so the whole file is
 * assumed to be read. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "explore/explore_in.h"

struct observed {
	struct map lines; /* (hash of the path, line) -> 1 */
	struct map files; /* hash of the path -> 1: it is read by loads */
	bool failed;      /* observing failed: nothing is known */
	bool stores;      /* count lines that recovery stores to as well: a second crash may reveal their old content */
	uint64_t moments; /* number of moments asked about */
};

void observed_free(struct observed *o)
{
	if (!o)
		return;
	map_free(&o->lines);
	map_free(&o->files);
	free(o);
}

static uint64_t path_hash(const char *path)
{
	return path ? XXH3_64bits(path, strlen(path)) : 0;
}

static void access_note(void *arg, const struct trace *trace, const struct event *ev)
{
	struct observed *o = arg;
	bool is_load = ev->type == EVENT_LOAD, counts = is_load || (o->stores && ev->type == EVENT_STORE);
	const struct trace_file *file = counts && ev->file ? trace_file(trace, ev->file) : NULL;
	uint64_t path;

	if (!file || !ev->size)
		return;
	path = path_hash(file->path);
	if (is_load)
		*map_put(&o->files, path, 0) = 1;
	for (uint64_t line = ev->offset / LINE_BYTES; line <= (ev->offset + ev->size - 1) / LINE_BYTES; line++)
		*map_put(&o->lines, path, line) = 1;
}

/* Watch recovery on a state; NULL: the files as the program left them.  0 also if nothing was learned;
 * TESTER_STOPPED. */
static int observe_once(struct explore *e, struct observed *o, const struct state *state, uint64_t event)
{
	bool whole;
	const struct crash_context crash = campaign_crash(e->campaign, e->platform, event);
	int r = campaign_watch(e->campaign, state, &crash, (struct campaign_watching){0},
			       &(struct recovery_consumer){.event = access_note, .arg = o}, &whole);

	o->failed |= !whole;
	return r;
}

static uint8_t *lines_open(const struct observed *o, const struct explore *e, const struct choices *c)
{
	uint8_t *open = mem_alloc(c->line_count + 1);

	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct choices_line *l = &choices_lines(c)[i];
		uint64_t path = path_hash(image_path(reading_image(e->reading), l->file));

		open[i] = !map_get(&o->files, path, 0) || map_get(&o->lines, path, l->offset / LINE_BYTES);
	}
	return open;
}

static int observe_ends(struct explore *e, struct observed *o)
{
	struct image *image = reading_image(e->reading);
	struct state *ends[] = {state_all(image), state_none(image)};
	int r = 0;

	for (unsigned i = 0; i < 2; i++) {
		if (r == 0 && !o->failed)
			r = observe_once(e, o, ends[i], reading_number(e->reading));
		state_free(ends[i]);
	}
	return r;
}

int observe(struct explore *e, const struct moment *moment, uint8_t **open)
{
	struct observed *o = e->explored->lines;
	int r = 0;

	*open = NULL;
	if (e->campaign->options.client)
		return 0; /* a server does not end by itself, so it cannot be recorded */
	if (!o) {
		o = e->explored->lines = mem_alloc(sizeof(*o));
		o->stores = e->nests;
		r = observe_once(e, o, NULL, CRASH_NONE);
	}
	if (r == 0 && !o->failed && (o->moments & (o->moments + 1)) == 0)
		r = observe_ends(e, o);
	o->moments++;
	e->explored->observed = !o->failed;
	if (r == 0 && !o->failed)
		*open = lines_open(o, e, moment->choices);
	return r;
}
