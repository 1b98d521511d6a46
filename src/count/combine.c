/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/combine.h"

/* The decisions of the lines before a level. */
struct level {
	struct digest sum;
	uint64_t needs, barrier;
	size_t at; /* the variant to try next at this level */
};

struct walk {
	const struct variants *v;
	struct level *levels;
	bool (*visit)(void *arg, struct digest digest);
	void *arg;
};

static bool fits(const struct level *level, const struct variant *variant)
{
	return variant->needs < level->barrier && level->needs < variant->barrier;
}

/* Visit all states of the last line, after which nothing is left to decide. */
static bool visit_last(const struct walk *w, const struct level *level, const struct variants_line *line)
{
	const struct variant *variant = w->v->all.at + line->first;

	for (size_t i = 0; i < line->count; i++) {
		if (w->v->ordered && !fits(level, &variant[i]))
			continue;
		if (!w->visit(w->arg, digest_add(level->sum, variant[i].change)))
			return false;
	}
	return true;
}

static bool walk(const struct walk *w)
{
	size_t depth = 0, last = w->v->lines.count - 1;

	for (;;) {
		struct level *level = &w->levels[depth];
		const struct variants_line *line = &w->v->lines.at[depth];

		if (depth == last && !visit_last(w, level, line))
			return false;
		if (depth == last)
			level->at = line->count;
		while (level->at < line->count && !fits(level, &w->v->all.at[line->first + level->at]))
			level->at++;
		if (level->at < line->count) {
			const struct variant *variant = &w->v->all.at[line->first + level->at++];

			w->levels[++depth] = (struct level){
				.sum = digest_add(level->sum, variant->change),
				.needs = variant->needs > level->needs ? variant->needs : level->needs,
				.barrier = variant->barrier < level->barrier ? variant->barrier : level->barrier,
			};
		} else if (depth-- == 0) {
			return true;
		}
	}
}

bool combine(const struct variants *variants, struct digest certain, bool (*visit)(void *arg, struct digest digest),
	     void *arg)
{
	struct walk w = {.v = variants, .visit = visit, .arg = arg};
	bool complete;

	if (!variants->lines.count)
		return visit(arg, certain);
	w.levels = mem_resize(NULL, variants->lines.count, sizeof(*w.levels));
	w.levels[0] = (struct level){.sum = certain, .barrier = CHOICES_NEVER};
	complete = walk(&w);
	free(w.levels);
	return complete;
}

double combine_count(const struct variants *variants)
{
	double count = 1;

	for (size_t i = 0; i < variants->lines.count; i++)
		count *= (double)variants->lines.at[i].count;
	return count;
}
