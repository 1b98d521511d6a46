/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/state.h"

#include <string.h>

#include "image/image_in.h"

static struct view *view_now(struct image *image)
{
	struct view *view = &image->view;

	if (!view->valid)
		view->certain = digests_now(image->digests);
	view->valid = true;
	return view;
}

static struct view *view_arranged(struct image *image)
{
	struct view *view = view_now(image);

	if (!view->arranged)
		view_arrange(view, image->model, image->certain, &image->ages);
	return view;
}

struct digest state_digest(struct image *image, const bool *persisted)
{
	struct view *view = view_arranged(image);

	return digest_add(view->certain, view_change(view, persisted));
}

struct digest state_digest_all(struct image *image)
{
	return state_digest(image, NULL);
}

struct digest state_digest_none(struct image *image)
{
	return view_now(image)->certain;
}

/* Make a patch for each run of visible bytes. */
static void unit_patch(struct state *state, const struct view_line *line, const struct view_unit *unit)
{
	for (unsigned i = 0, n; i < unit->size; i += n) {
		struct patch *p = &state->at[state->count];

		n = 1;
		if (!(unit->visible >> i & 1))
			continue;
		while (i + n < unit->size && unit->visible >> (i + n) & 1)
			n++;
		*p = (struct patch){.offset = unit->offset + i, .file = line->file, .size = (uint8_t)n};
		memcpy(p->value, unit->value + i, n);
		state->count++;
	}
}

static size_t runs_most(const struct view *view, const bool *persisted)
{
	size_t most = 0;

	for (size_t i = 0; i < view->units.count; i++) {
		const struct view_unit *unit = &view->units.at[i];

		if (!persisted || persisted[unit->index])
			most += unit->visible == (1u << unit->size) - 1 ? 1 : 4;
	}
	return most;
}

static void line_patch(struct state *state, const struct view *view, const struct view_line *line,
		       const bool *persisted)
{
	for (size_t i = line->first; i < line->first + line->count; i++) {
		if (persisted && !persisted[view->units.at[i].index])
			continue;
		unit_patch(state, line, &view->units.at[i]);
		state->units++;
	}
}

struct state *state_new(struct image *image, const bool *persisted)
{
	struct state *state = state_none(image);
	struct view *view = view_arranged(image);

	state->at = mem_resize(NULL, runs_most(view, persisted) + 1, sizeof(*state->at));
	state->digest = state_digest(image, persisted);
	for (size_t i = 0; i < view->lines.count; i++)
		line_patch(state, view, &view->lines.at[i], persisted);
	return state;
}

struct state *state_all(struct image *image)
{
	return state_new(image, NULL);
}

struct state *state_none(struct image *image)
{
	struct state *state = mem_alloc(sizeof(*state));

	state->event = image_events(image);
	state->digest = state_digest_none(image);
	return state;
}

void state_free(struct state *state)
{
	if (!state)
		return;
	free(state->at);
	free(state);
}
