/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidates.c - see candidates.h. */
#include "crash/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BYTES_KEPT = 1 << 16, KEPT_LEAST = 4 };

static void candidates_begin(struct candidates *c, const struct choices *choices)
{
	c->line_count = choices->line_count;
	c->unit_count = choices->unit_count;
	c->first = mem_alloc((c->line_count + 1) * sizeof(*c->first));
	c->pending = mem_alloc((c->unit_count + 1) * sizeof(*c->pending));
	c->touched = mem_alloc(c->line_count + 1);
	for (uint32_t i = 0; i < c->line_count; i++)
		c->first[i] = choices_lines(choices)[i].first;
	c->first[c->line_count] = c->unit_count;
	for (uint32_t i = 0; i < c->unit_count; i++)
		c->pending[i] = choices_units(choices)[i].pending;
}

/* The number of candidates to keep; fewer if the moment has very many pending units. */
static size_t kept_most(const struct candidates *c)
{
	size_t most = BYTES_KEPT / (c->unit_count + 1);

	return most < KEPT_LEAST ? KEPT_LEAST : most < CANDIDATES_KEPT ? most : CANDIDATES_KEPT;
}

/* Results arrive in any order.  Keep those that come first in the test sequence, so that the choice does not depend on
 * the order of arrival. */
static struct candidate *place_find(struct candidates *c, uint64_t sequence)
{
	struct candidate *last = NULL;

	if (c->all.count < kept_most(c)) {
		vec_push(&c->all, ((struct candidate){.taken = mem_alloc(c->unit_count + 1)}));
		return &c->all.at[c->all.count - 1];
	}
	for (size_t i = 0; i < c->all.count; i++)
		if (!last || c->all.at[i].sequence > last->sequence)
			last = &c->all.at[i];
	return last && last->sequence > sequence ? last : NULL;
}

void candidates_add(struct candidates *c, const struct moment *moment, const uint8_t *taken, const uint8_t *touched,
		    uint64_t sequence)
{
	struct digest digest = moment_digest(moment, taken);
	struct candidate *candidate;

	if (digest_equal(digest, moment->all) || digest_equal(digest, moment->certain) ||
	    !contents_add(&c->passing, digest))
		return;
	if (!c->first)
		candidates_begin(c, moment->choices);
	for (uint32_t i = 0; i < c->line_count; i++)
		c->touched[i] |= !touched || touched[i];
	candidate = place_find(c, sequence);
	if (!candidate)
		return;
	candidate->digest = digest;
	candidate->sequence = sequence;
	memcpy(candidate->taken, taken, c->unit_count);
}

void candidates_free(struct candidates *c)
{
	for (size_t i = 0; i < c->all.count; i++)
		free(c->all.at[i].taken);
	vec_free(&c->all);
	contents_free(&c->passing);
	free(c->first);
	free(c->pending);
	free(c->touched);
}

/* Ranking */

static uint32_t difference(const struct candidates *c, const uint8_t *a, const uint8_t *b)
{
	uint32_t lines = 0;

	for (uint32_t i = 0; i < c->line_count; i++)
		lines += c->touched[i] && memcmp(a + c->first[i], b + c->first[i], c->first[i + 1] - c->first[i]) != 0;
	return lines;
}

/* Update each candidate's distance to the nearest state taken so far. */
static void nearest_update(const struct candidates *c, uint32_t *nearest, const uint8_t *taken)
{
	for (size_t i = 0; i < c->all.count; i++) {
		uint32_t lines = difference(c, c->all.at[i].taken, taken);

		nearest[i] = lines < nearest[i] ? lines : nearest[i];
	}
}

static size_t furthest_find(const struct candidates *c, const uint32_t *nearest)
{
	size_t best = 0;

	for (size_t i = 1; i < c->all.count; i++)
		if (nearest[i] > nearest[best] ||
		    (nearest[i] == nearest[best] && c->all.at[i].sequence < c->all.at[best].sequence))
			best = i;
	return best;
}

size_t candidates_rank(const struct candidates *c, struct candidate_rank *ranks, size_t room)
{
	uint32_t *nearest = mem_alloc((c->all.count + 1) * sizeof(*nearest));
	uint8_t *extreme = mem_alloc(c->unit_count + 1);
	size_t count = 0;

	memset(nearest, 0xff, c->all.count * sizeof(*nearest));
	for (unsigned all = 0; c->all.count && all < 2; all++) {
		memset(extreme, (int)all, c->unit_count);
		nearest_update(c, nearest, extreme);
	}
	while (count < room && count < c->all.count) {
		size_t best = furthest_find(c, nearest);

		if (!nearest[best])
			break;
		ranks[count++] = (struct candidate_rank){best, nearest[best]};
		nearest_update(c, nearest, c->all.at[best].taken);
	}
	free(extreme);
	free(nearest);
	return count;
}

void candidates_persisted(const struct candidates *c, size_t index, bool *persisted)
{
	for (uint32_t i = 0; i < c->unit_count; i++)
		persisted[c->pending[i]] = c->all.at[index].taken[i];
}
