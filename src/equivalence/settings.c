/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.c - see settings.h. */
#include "equivalence/settings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "ops/opfiles.h"
#include "ops/substitute.h"

/* An id is 1 + the index of the first operation that is left, with this bit if none is performed. */
#define IDLE (UINT64_C(1) << 62)
/* Or the index of a history, with this bit. */
#define HISTORY (UINT64_C(1) << 61)

struct history {
	struct opfiles_part part;
	size_t left;
};

struct made {
	struct recovery_setting setting;
	struct opfiles *from; /* NULL: the file could not be made */
};

struct settings {
	const struct equivalence_options *options;
	bool first_matters;
	struct opfiles *left, *probe; /* probe may be NULL */
	char *probe_folder;
	char *nowhere; /* a path without a file */
	VEC_OF(struct made *) made;
	VEC_OF(struct history) histories;
};

static bool asks_for_first(const char *command)
{
	return substitute_words_in_shell(command) & SUBSTITUTE_FIRST;
}

struct settings *settings_new(const struct equivalence_options *options)
{
	struct settings *s = mem_alloc(sizeof(*s));

	s->options = options;
	s->first_matters = asks_for_first(options->recover) || asks_for_first(options->client);
	s->left = opfiles_new(options->list, options->folder);
	BUG_ON(asprintf(&s->nowhere, "%s/no-operations", options->folder) < 0 ||
	       asprintf(&s->probe_folder, "%s/probe", options->folder) < 0);
	if (options->probe) {
		mkdir(s->probe_folder, 0777); /* if it fails, so does making files there */
		s->probe = opfiles_new(options->probe, s->probe_folder);
	}
	return s;
}

void settings_free(struct settings *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->made.count; i++)
		free(s->made.at[i]);
	vec_free(&s->made);
	vec_free(&s->histories);
	opfiles_free(s->left);
	if (s->probe) {
		opfiles_free(s->probe);
		rmdir(s->probe_folder);
	}
	free(s->probe_folder);
	free(s->nowhere);
	free(s);
}

uint64_t settings_id(const struct settings *s, size_t left)
{
	return 1 + (s->probe && !s->first_matters ? 0 : left);
}

uint64_t settings_idle_id(const struct settings *s, size_t left)
{
	return IDLE | (1 + (s->first_matters ? left : 0));
}

static bool history_same(const struct history *a, const struct history *b)
{
	return a->left == b->left && a->part.before_count == b->part.before_count && a->part.first == b->part.first &&
	       a->part.max == b->part.max &&
	       !memcmp(a->part.before, b->part.before, a->part.before_count * sizeof(*a->part.before));
}

uint64_t settings_history_id(struct settings *s, const size_t *before, unsigned count, size_t left, bool alone)
{
	size_t all = oplist_count(s->options->list);
	struct history history = {.left = left,
				  .part = {.before_count = count,
					   .first = alone || left > all ? all : left,
					   .max = alone ? 0 : s->options->after}};

	memcpy(history.part.before, before, count * sizeof(*before));
	for (size_t i = 0; i < s->histories.count; i++)
		if (history_same(&s->histories.at[i], &history))
			return HISTORY | i;
	vec_push(&s->histories, history);
	return HISTORY | (s->histories.count - 1);
}

static size_t first_of(const struct settings *s, uint64_t id)
{
	return id & HISTORY ? s->histories.at[id & ~HISTORY].left : (size_t)(id & ~IDLE) - 1;
}

static struct opfiles_part part_of(const struct settings *s, uint64_t id)
{
	size_t count = oplist_count(s->options->list), first = first_of(s, id);

	if (id & HISTORY)
		return s->histories.at[id & ~HISTORY].part;
	if (id & IDLE)
		return (struct opfiles_part){.first = count, .max = 0};
	if (s->probe)
		return (struct opfiles_part){.first = 0, .max = SIZE_MAX};
	return (struct opfiles_part){.first = first < count ? first : count, .max = s->options->after};
}

const struct recovery_setting *settings_get(struct settings *s, uint64_t id)
{
	const struct opfiles_part part = part_of(s, id);
	struct made *made;
	struct err ignored;

	for (size_t i = 0; i < s->made.count; i++)
		if (s->made.at[i]->setting.id == id)
			return &s->made.at[i]->setting;
	made = mem_alloc(sizeof(*made));
	made->from = s->probe && !(id & (IDLE | HISTORY)) ? s->probe : s->left;
	made->setting = (struct recovery_setting){
		.id = id,
		.ops = opfiles_get(made->from, &part, &ignored),
		.first = first_of(s, id),
	};
	if (!made->setting.ops) {
		made->setting.ops = s->nowhere;
		made->from = NULL;
	}
	vec_push(&s->made, made);
	return &made->setting;
}

void settings_drop_others(struct settings *s, uint64_t id)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->made.count; i++) {
		struct made *made = s->made.at[i];

		if (made->setting.id == id) {
			s->made.at[kept++] = made;
			continue;
		}
		if (made->from)
			opfiles_drop(made->from, made->setting.ops);
		free(made);
	}
	s->made.count = kept;
}
