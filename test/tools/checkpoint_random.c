/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint_random.c - random recoveries (test/targets/walks.c) from checkpoints, compared with runs from the start.
 *
 *     checkpoint_random WALKS STUB SEED COUNT
 *
 * A model of the recovery says which pages it touches, in which sequence, what it has read and what it has stored by
 * then.  The walk must log the same.  Then states that differ in bytes that were not read before a checkpoint must end in
 * the same way from there as from the start; most of them are run by a process that has run others before.  Prints a line
 * for each recovery, and stops at the first difference. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"
#include "image/origin.h"
#include "image/tree.h"
#include "run/checkpoint.h"

enum { FILES = 2, PAGES = 8, SIZE = PAGES * 4096, WORDS = 40, STOPS = 4, STATES = 6 };

struct word {
	char kind;
	unsigned file;
	size_t offset, size;
};

struct events {
	struct walk_event *at;
	size_t count, room;
};

struct ranges {
	struct walk_range *at;
	size_t count, room;
};

/* What the recovery has done so far. */
struct model {
	struct events events;
	bool touched[FILES][PAGES], stored[FILES][SIZE], read[FILES][SIZE];
};

static uint64_t seed;
static char root[PATH_MAX], command[4096];
static uint8_t base[FILES][SIZE];
static struct word words[WORDS];
static size_t word_count;
static unsigned again; /* runs of this recovery in a process that had run before */

static uint64_t below(uint64_t limit)
{
	seed = random_mix(seed + 1);
	return seed % limit;
}

static void die(const char *what)
{
	fprintf(stderr, "checkpoint_random: %s: %s\n", command, what);
	tree_remove(root);
	exit(1);
}

/* Recoveries */

static void words_make(void)
{
	static const char kinds[] = "llllllllssssssssrrrrmmuuuupnnzzzzzzzzyyyy";

	bool maps = below(2);

	word_count = 4 + below(WORDS - 4);
	for (size_t i = 0; i < word_count; i++) {
		struct word *w = &words[i];

		*w = (struct word){kinds[below(sizeof(kinds) - 1)], (unsigned)below(FILES), below(SIZE - 6000),
				   1 + below(below(4) ? 16 : 5000)};
		/* A process in which mappings came to overlap does not run another state. */
		if (!maps && strchr("mu", w->kind))
			w->kind = 'z';
		if (w->kind == 'y')
			w->size = 1;
		if (strchr("mpq", w->kind)) {
			w->offset = below(PAGES - 2) * 4096;
			w->size = (1 + below(2)) * 4096;
		}
	}
	/* What was made read-only must be writable when it is stored to. */
	for (size_t i = 0; i < word_count; i++)
		if (words[i].kind == 'p' && (i + 1 == word_count || words[i + 1].kind != 'l'))
			words[i].kind = 'q';
	for (size_t i = 0; i + 2 < word_count; i++)
		if (words[i].kind == 'p') {
			words[i + 2] = words[i];
			words[i + 2].kind = 'q';
		}
}

static void command_make(const char *walks)
{
	const size_t size = sizeof(command);
	char *text = command;
	int n = snprintf(text, size, "%s f0 f1", walks);

	for (size_t i = 0; i < word_count; i++) {
		const struct word *w = &words[i];

		n += w->kind == 'n'   ? snprintf(text + n, size - (size_t)n, " n3")
		     : w->kind == 'z' ? snprintf(text + n, size - (size_t)n, " z%zu", w->offset)
		     : w->kind == 'u' ? snprintf(text + n, size - (size_t)n, " u%u", w->file)
				      : snprintf(text + n, size - (size_t)n, " %c%u+%zu+%zu", w->kind, w->file,
						 w->offset, w->size);
	}
	for (unsigned f = 0; f < FILES; f++)
		n += snprintf(text + n, size - (size_t)n, " l%u+0+%d", f, SIZE);
	snprintf(text + n, size - (size_t)n, " j0+0");
}

/* The model */

static void event_add(struct model *m, enum walk_kind kind, uint32_t file, uint64_t offset, uint64_t size)
{
	struct walk_event event = {.kind = kind, .file = file, .offset = offset, .size = size};

	vec_push(&m->events, event);
}

static bool model_byte(struct model *m, char kind, unsigned f, size_t at, size_t end)
{
	size_t page = at / 4096;

	if (kind != 'r' && !m->touched[f][page]) {
		if (m->events.count == end)
			return false;
		m->touched[f][page] = true;
		event_add(m, WALK_TOUCH, f, page * 4096, 4096);
	}
	if (kind == 's')
		m->stored[f][at] = true;
	else if (!m->stored[f][at])
		m->read[f][at] = true;
	return true;
}

/* Do what comes before this event. */
static void model_run(struct model *m, size_t end)
{
	for (size_t i = 0; i < word_count; i++) {
		const struct word *w = &words[i];

		if (!strchr("lsry", w->kind))
			continue;
		if (w->kind == 'r' && m->events.count == end)
			return;
		if (w->kind == 'r')
			event_add(m, WALK_READ, w->file, w->offset, w->size);
		for (size_t at = w->offset; at < w->offset + w->size; at++)
			if (!model_byte(m, w->kind, w->file, at, end))
				return;
	}
}

static void model_stored(const struct model *m, struct ranges *ranges)
{
	for (unsigned f = 0; f < FILES; f++)
		for (size_t at = 0, from; at < SIZE; at++) {
			if (!m->stored[f][at])
				continue;
			for (from = at; at < SIZE && m->stored[f][at]; at++)
				;
			struct walk_range range = {.offset = from, .size = at - from, .file = f};
			vec_push(ranges, range);
		}
}

/* Runs */

static void load(uint8_t (*state)[SIZE])
{
	for (unsigned f = 0; f < FILES; f++) {
		char path[PATH_MAX + 16];

		snprintf(path, sizeof(path), "%s/0/0/f%u", root, f);
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0 || pwrite(fd, state[f], SIZE, 0) != SIZE)
			die("cannot write the stage");
		close(fd);
	}
}

static struct outcome run(struct recovery *r)
{
	struct outcome outcome;
	struct err err;

	if (recovery_run(r, 0, 1, &outcome, &err) != 0)
		die(err.sentence);
	return outcome;
}

static void events_compare(struct recovery *r, const struct model *m)
{
	size_t count;
	const struct walk_event *e = recovery_walked(r, 0, &count);

	if (count < m->events.count)
		die("the walk has not logged all");
	for (size_t i = 0; i < m->events.count; i++) {
		const struct walk_event *wanted = &m->events.at[i];

		if (e[i].kind != wanted->kind || e[i].file != wanted->file || e[i].offset != wanted->offset ||
		    e[i].size != wanted->size)
			die("the walk has logged something else");
	}
}

static void state_change(const struct model *before)
{
	static const uint8_t endings[] = {251, 254}; /* see walks.c: no other state in this process */
	static uint8_t state[FILES][SIZE];

	memcpy(state, base, sizeof(state));
	for (unsigned f = 0; f < FILES; f++)
		for (size_t i = 0, rate = 1 + below(2000); i < SIZE; i++)
			if (!before->read[f][i] && !below(rate))
				state[f][i] = (uint8_t)below(200);
	if (!before->read[0][0] && !below(4))
		state[0][0] = endings[below(sizeof(endings))];
	load(state);
}

static void states_compare(struct recovery *r, unsigned checkpoint, const struct model *before)
{
	for (int i = 0; i < STATES; i++) {
		state_change(before);
		struct outcome start = run(r);
		recovery_from(r, 0, checkpoint);
		struct outcome there = run(r);
		if (!there.from)
			die("it did not begin at the checkpoint");
		if (!outcome_same(&start, &there))
			die("it ends in another way from the checkpoint");
		again += there.again;
		outcome_free(&start);
		outcome_free(&there);
	}
}

static void checkpoints_try(struct recovery *r, const struct model *all, const struct outcome *first)
{
	static struct model models[STOPS];
	struct ranges ranges[STOPS] = {0};
	struct checkpoint_plan plan = {0};

	memset(models, 0, sizeof(models));
	for (size_t i = 0; i < all->events.count && plan.count < STOPS; i++) {
		if (all->events.at[i].kind != WALK_TOUCH || below(3))
			continue;
		model_run(&models[plan.count], i);
		model_stored(&models[plan.count], &ranges[plan.count]);
		plan.stops[plan.count] = (struct checkpoint_stop){.event = i,
								  .stored = ranges[plan.count].at,
								  .stored_count = ranges[plan.count].count};
		plan.count++;
	}
	load(base);
	recovery_walk(r, 0, &plan, plan.count);
	struct outcome walk = run(r);
	if (!outcome_same(&walk, first))
		die("the walk ends in another way");
	outcome_free(&walk);
	events_compare(r, all);
	if (recovery_checkpoints(r, 0) != plan.count)
		die("checkpoints are missing");
	for (unsigned k = (unsigned)plan.count; k > 0; k--)
		states_compare(r, k, &models[k - 1]);
	printf("%zu words, %zu events, %zu checkpoints, %u runs again\n", word_count, all->events.count, plan.count,
	       again);
	again = 0;
	for (size_t i = 0; i < STOPS; i++) {
		vec_free(&models[i].events);
		vec_free(&ranges[i]);
	}
}

static void recovery_try(const char *walks, const char *stub, const struct origin *origin)
{
	static struct model all;
	char stage[PATH_MAX + 4];
	struct recovery_options o = {
		.command = command, .timeout = 20, .jobs = 1, .mode = RECOVERY_FORK, .stub = stub, .origin = origin};
	struct recovery *r;
	struct err err;

	words_make();
	command_make(walks);
	for (unsigned f = 0; f < FILES; f++)
		for (size_t i = 0; i < SIZE; i++)
			base[f][i] = (uint8_t)below(200);
	if (recovery_new(&r, &o, &err) < 0)
		die(err.sentence);
	snprintf(stage, sizeof(stage), "%s/0", root);
	recovery_stage(r, 0, stage);
	load(base);
	struct outcome first = run(r);
	memset(&all, 0, sizeof(all));
	model_run(&all, SIZE_MAX);
	if (recovery_mode(r) == RECOVERY_FORK)
		checkpoints_try(r, &all, &first);
	else
		printf("left out: %s\n", recovery_reason(r));
	outcome_free(&first);
	vec_free(&all.events);
	recovery_free(r);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX + 16], here[PATH_MAX - 16];
	struct origin *origin = origin_new();

	if (argc != 5 || !getcwd(here, sizeof(here)))
		die("WALKS STUB SEED COUNT");
	setvbuf(stdout, NULL, _IOLBF, 0);
	seed = random_mix(strtoull(argv[3], NULL, 0));
	for (unsigned f = 0; f < FILES; f++) {
		snprintf(path, sizeof(path), "%s/f%u", here, f);
		origin_add_path(origin, path);
	}
	snprintf(root, sizeof(root), "%s/stage-XXXXXX", here);
	if (!mkdtemp(root))
		die("cannot make the stage");
	snprintf(path, sizeof(path), "%s/0", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/0/0", root);
	mkdir(path, 0755);
	for (int i = 0; i < atoi(argv[4]); i++)
		recovery_try(argv[1], argv[2], origin);
	origin_free(origin);
	tree_remove(root);
	return 0;
}
