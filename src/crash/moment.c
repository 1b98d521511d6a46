/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moment.c - see moment.h. */
#include "crash/moment.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/mem.h"
#include "image/state.h"
#include "image/variants.h"

/* The properties of a unit that affect the contents of crash states.  If CLFLUSH orders relate lines to each other, the
 * distances between events stand for their order.  Otherwise it is enough to know which units belong to one event. */
struct unit_name {
	uint64_t offset, path;
	uint64_t event, order;
	uint8_t value[8];
	uint8_t size, kind, shows, same;
	uint8_t pad[4];
};

static struct unit_name unit_name(const struct moment *m, const struct choices_unit *u,
				  const struct choices_unit *before, uint64_t path)
{
	bool ordered = m->choices->order_count > 0;
	struct unit_name name = {
		.offset = u->offset,
		.path = path,
		.event = ordered ? m->choices->event - u->event : 0,
		.order = !ordered || u->order == CHOICES_NEVER ? CHOICES_NEVER : m->choices->event - u->order,
		.size = u->size,
		.kind = u->kind,
		.shows = u->shows,
		.same = before && before->event == u->event,
	};

	memcpy(name.value, u->value, u->size);
	return name;
}

static struct digest name_find(const struct moment *m)
{
	XXH3_state_t *hash = XXH3_createState();
	XXH128_hash_t sum;

	BUG_ON(!hash);
	XXH3_128bits_reset(hash);
	XXH3_128bits_update(hash, &m->certain, sizeof(m->certain));
	for (uint32_t i = 0; i < m->choices->line_count; i++) {
		const struct choices_line *l = &choices_lines(m->choices)[i];
		const struct choices_unit *u = choices_units(m->choices) + l->first;

		for (uint32_t k = 0; k < l->count; k++) {
			struct unit_name name = unit_name(m, &u[k], k ? &u[k - 1] : NULL, m->lines[i].path);

			XXH3_128bits_update(hash, &name, sizeof(name));
		}
	}
	sum = XXH3_128bits_digest(hash);
	XXH3_freeState(hash);
	return (struct digest){sum.low64, sum.high64};
}

struct moment *moment_new(struct image *image, const struct crash_context *crash)
{
	struct moment *m = mem_alloc(sizeof(*m));

	m->choices = image_choices(image);
	choices_mark(m->choices);
	m->crash = *crash;
	m->certain = crash_case(state_digest_none(image), crash);
	m->all = crash_case(state_digest_all(image), crash);
	m->lines = mem_alloc((m->choices->line_count + 1) * sizeof(*m->lines));
	for (uint32_t i = 0; i < m->choices->line_count; i++) {
		const struct choices_line *l = &choices_lines(m->choices)[i];
		const char *path = image_path(image, l->file);

		m->lines[i].named = path;
		m->lines[i].path = digest_path(path);
		image_read(image, NULL, l->file, l->offset, m->lines[i].certain, LINE_BYTES);
	}
	m->name = name_find(m);
	return m;
}

void moment_free(struct moment *m)
{
	if (!m)
		return;
	free(m->choices);
	free(m->lines);
	free(m);
}

struct digest moment_digest(const struct moment *m, const uint8_t *taken)
{
	struct digest sum = m->certain;
	uint8_t bytes[LINE_BYTES];

	for (uint32_t i = 0; i < m->choices->line_count; i++) {
		const struct choices_line *l = &choices_lines(m->choices)[i];
		const struct moment_line *line = &m->lines[i];

		if (!line->named || !memchr(taken + l->first, 1, l->count))
			continue;
		memcpy(bytes, line->certain, sizeof(bytes));
		choices_apply(m->choices, i, taken + l->first, bytes);
		if (!memcmp(bytes, line->certain, sizeof(bytes)))
			continue;
		sum = digest_subtract(sum, digest_line(line->path, l->offset / LINE_BYTES, line->certain));
		sum = digest_add(sum, digest_line(line->path, l->offset / LINE_BYTES, bytes));
	}
	return sum;
}

void moment_persisted(const struct moment *m, const uint8_t *taken, bool *persisted)
{
	const struct choices_unit *units = choices_units(m->choices);

	for (uint32_t i = 0; i < m->choices->unit_count; i++)
		persisted[units[i].pending] = taken[i];
}

uint64_t moment_lost(const struct moment *m, const uint8_t *taken, const uint8_t *decided, uint32_t *count)
{
	struct map seen = {0};
	uint64_t hash = 0;

	*count = 0;
	for (uint32_t i = 0; i < m->choices->line_count; i++) {
		const struct choices_line *l = &choices_lines(m->choices)[i];

		for (uint32_t k = l->first; (!decided || decided[i]) && k < l->first + l->count; k++) {
			uint32_t context = choices_units(m->choices)[k].context;

			if (taken[k])
				continue;
			++*count;
			uint64_t *known = map_put(&seen, context, 0);
			if (!*known)
				hash += XXH3_64bits(&context, sizeof(context));
			*known = 1;
		}
	}
	map_free(&seen);
	return hash;
}
