/* SPDX-License-Identifier: GPL-2.0-or-later */
/* observe.c - which lines does recovery read?  Where it cannot be asked line by line, it is watched.
 *
 * Recovery is recorded with its loads, on real files: on what the program left at its end, and again at every moment
 * whose number among those explored is a power of two, with all that is pending on media, and with nothing of it.  All
 * lines that any of these recordings reads, by whatever code, are taken to be read on every crash state.  That is a
 * guess: on a state that it was not watched on, recovery may read other lines.  So what is stored in lines that it was
 * not seen to read is not ignored, but tried all on media, and all lost.
 *
 * A file that recovery does not look at where it is mapped, but perhaps by read(2) and its kin, is taken to be read
 * wholly. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "crash/explore_in.h"

struct observed {
	struct map lines; /* (hash of the path, line) -> 1 */
	struct map files; /* hash of the path -> 1: it is read by loads */
	bool failed;      /* nothing can be told */
	bool stores;      /* lines that it stores to count, too: a second crash may show what they were */
	uint64_t moments; /* asked about */
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
	for (uint64_t line = ev->offset / CHOICES_LINE; line <= (ev->offset + ev->size - 1) / CHOICES_LINE; line++)
		*map_put(&o->lines, path, line) = 1;
}

/* NULL: what the program left at its end.  0 also if nothing was learnt; TESTER_STOPPED. */
static int observe_once(struct explore *e, struct observed *o, const struct state *state)
{
	bool whole;
	int r = campaign_watch(e->campaign, state, access_note, o, &whole);

	o->failed |= !whole;
	return r;
}

static uint8_t *lines_open(const struct observed *o, const struct explore *e, const struct choices *c)
{
	uint8_t *open = mem_alloc(c->line_count + 1);

	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct choices_line *l = &choices_lines(c)[i];
		uint64_t path = path_hash(image_path(reading_image(e->reading), l->file));

		open[i] = !map_get(&o->files, path, 0) || map_get(&o->lines, path, l->offset / CHOICES_LINE);
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
			r = observe_once(e, o, ends[i]);
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
		return 0; /* a server does not end by itself */
	if (!o) {
		o = e->explored->lines = mem_alloc(sizeof(*o));
		o->stores = explore_nests(e);
		r = observe_once(e, o, NULL);
	}
	if (r == 0 && !o->failed && (o->moments & (o->moments + 1)) == 0)
		r = observe_ends(e, o);
	o->moments++;
	e->explored->observed = !o->failed;
	if (r == 0 && !o->failed)
		*open = lines_open(o, e, moment->choices);
	return r;
}
