/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_choices.c - deciding line by line, in any sequence of lines, compared with the model's own sets, on many small
 * random programs, on both platforms.
 *
 * After each event of each program:
 *
 *  1. the block is well formed
 *  2. the complete decisions, reached by deciding the lines in a random sequence, are the sets of model_enumerate,
 *     each once
 *  3. those reached by contents alone are among them, and have all of their contents
 *  4. on the way, the number of completions is right at every step; a line is called forced if it has one alternative;
 *     the first alternative is the least and choices_most the greatest; choices_allows distinguishes alternatives from
 *     other sets
 *
 *     test_choices [SEED [NUMBER]]      MODEL_SEED in the environment is a SEED too */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "model/choices.h"
#include "model/model.h"
#include "model_sets.h"
#include "series.h"

#define UNITS 16
#define LINES 16
#define WISHES 2

struct check {
	struct model *model;
	const struct choices *c;
	enum choices_mode mode;
	uint32_t order[LINES]; /* sequence in which lines are decided */
	uint8_t decided[LINES];
	uint8_t taken[LINES][UNITS];
	uint8_t legal[1u << UNITS]; /* by set: 1 if legal according to the model; 2 when it was reached */
	size_t legal_count, reached;
	struct map contents, reached_contents;
	char problem[200];
};

__attribute__((format(printf, 2, 3))) static void complain(struct check *k, const char *fmt, ...)
{
	va_list args;

	if (k->problem[0])
		return;
	va_start(args, fmt);
	vsnprintf(k->problem, sizeof(k->problem), fmt, args);
	va_end(args);
}

static void taken_from(const struct choices *c, const bool *persisted, uint8_t (*taken)[UNITS])
{
	for (uint32_t l = 0; l < c->line_count; l++) {
		const struct choices_line *line = &choices_lines(c)[l];

		for (uint32_t i = 0; i < line->count; i++)
			taken[l][i] = persisted[choices_units(c)[line->first + i].pending];
	}
}

static uint32_t set_of(const struct choices *c, uint8_t (*taken)[UNITS])
{
	uint32_t set = 0;

	for (uint32_t l = 0; l < c->line_count; l++) {
		const struct choices_line *line = &choices_lines(c)[l];

		for (uint32_t i = 0; i < line->count; i++)
			set |= (uint32_t)taken[l][i] << choices_units(c)[line->first + i].pending;
	}
	return set;
}

/* The certain content is taken to be a byte that no program stores. */
static uint64_t *content_slot(struct map *map, const struct choices *c, uint8_t (*taken)[UNITS])
{
	uint8_t bytes[LINES * LINE_BYTES];
	XXH128_hash_t hash;

	memset(bytes, 0xee, sizeof(bytes));
	for (uint32_t l = 0; l < c->line_count; l++)
		choices_apply(c, l, taken[l], bytes + (size_t)l * LINE_BYTES);
	hash = XXH3_128bits(bytes, (size_t)c->line_count * LINE_BYTES);
	return map_put(map, hash.low64, hash.high64);
}

static bool collect(void *arg, const bool *persisted, size_t count)
{
	struct check *k = arg;

	assert_int_equal(count, k->c->unit_count);
	taken_from(k->c, persisted, k->taken);
	k->legal[set_of(k->c, k->taken)] = 1;
	k->legal_count++;
	*content_slot(&k->contents, k->c, k->taken) = 1;
	return true;
}

static void reach(struct check *k)
{
	uint32_t set = set_of(k->c, k->taken);

	k->reached++;
	if (!k->legal[set])
		complain(k, "%#x is reached, but not legal", set);
	if (k->legal[set] == 2)
		complain(k, "%#x is reached twice", set);
	k->legal[set] = 2;
	*content_slot(&k->reached_contents, k->c, k->taken) = 1;
}

static bool taken_equal(const uint8_t *a, const uint8_t *b, uint32_t count)
{
	return !memcmp(a, b, count);
}

/* The alternatives of a line are exactly those that choices_allows allows, from the least to the greatest. */
static void check_line(struct check *k, uint32_t line, struct choices_bounds bounds)
{
	uint32_t count = choices_lines(k->c)[line].count, listed = 0, allowed = 0;
	uint8_t taken[UNITS], least[UNITS], most[UNITS];

	choices_first(k->c, line, bounds, CHOICES_SETS, least);
	choices_most(k->c, line, bounds, most);
	memcpy(taken, least, count);
	do {
		listed++;
		if (!choices_allows(k->c, line, bounds, taken))
			complain(k, "an alternative is not allowed");
		for (uint32_t i = 0; i < count; i++) {
			if (least[i] > taken[i])
				complain(k, "the first alternative is not the least");
		}
	} while (choices_next(k->c, line, bounds, CHOICES_SETS, taken));
	if (!taken_equal(taken, most, count))
		complain(k, "the last alternative is not choices_most");
	for (uint32_t set = 0; set < 1u << count; set++) {
		for (uint32_t i = 0; i < count; i++)
			taken[i] = set >> i & 1;
		allowed += choices_allows(k->c, line, bounds, taken);
	}
	if (allowed != listed)
		complain(k, "%u alternatives, %u allowed", listed, allowed);
	if (choices_forced(k->c, line, bounds) != (listed == 1))
		complain(k, "%u alternatives, forced: %d", listed, choices_forced(k->c, line, bounds));
}

static void decide(struct check *k, uint32_t depth, struct choices_bounds bounds)
{
	uint32_t line = k->order[depth];
	size_t before = k->reached;
	double count = choices_count(k->c, bounds, k->decided);

	if (depth == k->c->line_count) {
		reach(k);
		if (count != 1)
			complain(k, "%f completions where all is decided", count);
		return;
	}
	if (k->mode == CHOICES_SETS)
		check_line(k, line, bounds);
	k->decided[line] = 1;
	for (bool more = choices_first(k->c, line, bounds, k->mode, k->taken[line]); more;
	     more = choices_next(k->c, line, bounds, k->mode, k->taken[line]))
		decide(k, depth + 1, choices_decide(k->c, line, k->taken[line], bounds));
	k->decided[line] = 0;
	if (k->mode == CHOICES_SETS && count != (double)(k->reached - before))
		complain(k, "%f completions, not %zu", count, k->reached - before);
}

static void shuffle(struct check *k, uint64_t random)
{
	for (uint32_t i = 0; i < k->c->line_count; i++) {
		uint32_t j = (uint32_t)((random >> 3 * i) % (i + 1));

		k->order[i] = k->order[j];
		k->order[j] = i;
	}
}

static void check_all(struct check *k, enum choices_mode mode, uint64_t random)
{
	size_t sets = (size_t)1 << k->c->unit_count;

	k->mode = mode;
	k->reached = 0;
	for (size_t i = 0; i < sets; i++)
		k->legal[i] = k->legal[i] != 0;
	shuffle(k, random);
	decide(k, 0, CHOICES_OPEN);
	if (mode == CHOICES_SETS && k->reached != k->legal_count)
		complain(k, "%zu sets are reached, not %zu", k->reached, k->legal_count);
	if (k->reached_contents.count != k->contents.count)
		complain(k, "%zu contents are reached, not %zu", k->reached_contents.count, k->contents.count);
	map_free(&k->reached_contents);
}

/* `set` as flags by unit of the block. */
static void flags_of(const struct choices *c, uint32_t set, uint8_t *flags)
{
	for (uint32_t i = 0; i < c->unit_count; i++)
		flags[i] = set >> choices_units(c)[i].pending & 1;
}

static uint32_t set_from(const struct choices *c, const uint8_t *flags)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < c->unit_count; i++)
		set |= (uint32_t)flags[i] << choices_units(c)[i].pending;
	return set;
}

/* The closest legal sets within and around any set: they contain, or are part of, all other ones. */
static void check_closest(struct check *k, uint32_t wish)
{
	uint8_t flags[UNITS];
	uint32_t within, around;

	flags_of(k->c, wish, flags);
	choices_drop(k->c, flags);
	within = set_from(k->c, flags);
	flags_of(k->c, wish, flags);
	choices_demand(k->c, flags);
	around = set_from(k->c, flags);
	if (!k->legal[within] || within & ~wish)
		complain(k, "choices_drop makes %#x of %#x", within, wish);
	if (!k->legal[around] || wish & ~around)
		complain(k, "choices_demand makes %#x of %#x", around, wish);
	for (uint32_t set = 0; set < 1u << k->c->unit_count; set++) {
		if (k->legal[set] && !(set & ~wish) && set & ~within)
			complain(k, "choices_drop makes %#x of %#x, not %#x", within, wish, set);
		if (k->legal[set] && !(wish & ~set) && around & ~set)
			complain(k, "choices_demand makes %#x of %#x, not %#x", around, wish, set);
	}
}

static void check_point(struct check *k, uint64_t random)
{
	struct choices *c = choices_take(k->model);

	k->c = c;
	assert_true(c->unit_count <= UNITS && c->line_count <= LINES);
	if (!choices_check(c, c->bytes))
		complain(k, "the block is not well formed");
	memset(k->legal, 0, (size_t)1 << c->unit_count);
	k->legal_count = 0;
	model_enumerate(k->model, collect, k);
	check_all(k, CHOICES_SETS, random);
	check_all(k, CHOICES_CONTENTS, random >> 7);
	choices_mark(c);
	check_all(k, CHOICES_ONCE, random >> 11);
	for (unsigned i = 0; i < WISHES; i++)
		check_closest(k, (uint32_t)(random >> i * 9) & ((1u << c->unit_count) - 1));
	map_free(&k->contents);
	free(c);
}

static const char *check_program(const struct program *program, const char *platform, uint64_t number)
{
	static struct check k;
	uint64_t random = number * 0x9e3779b97f4a7c15u;

	k.problem[0] = 0;
	k.model = model_new(platform_find(platform), MODEL_STATES, NULL, NULL);
	for (size_t i = 0; i < program->count && !k.problem[0]; i++) {
		model_apply(k.model, &program->events[i]);
		check_point(&k, random * (2 * i + 1) >> 8);
	}
	model_free(k.model);
	return k.problem;
}

static struct series series = {.test = "test_choices", .seed = 1, .programs = 12000, .check = check_program};

/* Hand-made cases */

struct hand {
	struct model *model;
	uint8_t data[64];
};

static void hand_store(struct hand *h, enum event_type type, enum bo_store_kind kind, uint64_t offset, uint64_t size,
		       uint8_t value)
{
	struct event ev = {
		.type = type, .kind = kind, .file = 1, .thread = 1, .offset = offset, .size = size, .data = h->data};

	memset(h->data, value, size);
	model_apply(h->model, &ev);
}

static struct hand hand_start(void)
{
	struct event file = {.type = EVENT_FILE, .file = 1, .size = 8192, .path = "/pm/file"};
	struct hand h = {.model = model_new(platform_find("adr"), MODEL_STATES, NULL, NULL)};

	model_apply(h.model, &file);
	return h;
}

static size_t alternatives(const struct choices *c, uint32_t line, enum choices_mode mode)
{
	uint8_t *taken = malloc(c->line_units_max);
	size_t count = 0;

	for (bool more = choices_first(c, line, CHOICES_OPEN, mode, taken); more;
	     more = choices_next(c, line, CHOICES_OPEN, mode, taken))
		count++;
	free(taken);
	return count;
}

/* A word written a hundred times and never synchronized: 2^100 sets, 101 contents. */
static void many_versions(void **state)
{
	struct hand h = hand_start();
	struct choices *c;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		hand_store(&h, EVENT_FILE_WRITE, BO_STORE_PLAIN, 128, 8, (uint8_t)(i + 1));
	c = choices_take(h.model);
	assert_int_equal(c->line_count, 1);
	assert_int_equal(c->unit_count, 100);
	assert_int_equal(alternatives(c, 0, CHOICES_CONTENTS), 101);
	assert_true(choices_count(c, CHOICES_OPEN, NULL) == 0x1p100);
	free(c);
	model_free(h.model);
}

/* A lock that is taken and released: nothing, 1 and 0.  Of equal contents the last one is kept, but not if a CLFLUSH
 * makes a difference between them. */
static void contents_return(void **state)
{
	struct hand h = hand_start();
	struct event flush = {.type = EVENT_CLFLUSH, .file = 1, .thread = 1, .offset = 128};
	struct choices *c;
	uint8_t taken[100], most[100];

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		hand_store(&h, EVENT_STORE, BO_STORE_PLAIN, 128, 8, !(i & 1));
	c = choices_take(h.model);
	assert_int_equal(alternatives(c, 0, CHOICES_ONCE), 101);
	choices_mark(c);
	assert_int_equal(alternatives(c, 0, CHOICES_ONCE), 3);
	assert_int_equal(alternatives(c, 0, CHOICES_CONTENTS), 101);
	choices_first(c, 0, CHOICES_OPEN, CHOICES_ONCE, taken);
	while (choices_next(c, 0, CHOICES_OPEN, CHOICES_ONCE, taken))
		;
	choices_most(c, 0, CHOICES_OPEN, most);
	assert_memory_equal(taken, most, sizeof(most));
	free(c);
	model_apply(h.model, &flush);
	c = choices_take(h.model);
	choices_mark(c);
	assert_int_equal(alternatives(c, 0, CHOICES_ONCE), 101);
	free(c);
	model_free(h.model);
}

/* Later versions hide only parts of the earlier ones. */
static void partly_hidden(void **state)
{
	struct hand h = hand_start();
	struct choices *c;

	(void)state;
	hand_store(&h, EVENT_STORE, BO_STORE_NONTEMPORAL, 0, 8, 1);
	hand_store(&h, EVENT_STORE, BO_STORE_NONTEMPORAL, 0, 4, 2);
	hand_store(&h, EVENT_STORE, BO_STORE_NONTEMPORAL, 4, 4, 3);
	c = choices_take(h.model);
	assert_int_equal(alternatives(c, 0, CHOICES_SETS), 8);
	/* The first one is hidden if both others are present. */
	assert_int_equal(alternatives(c, 0, CHOICES_CONTENTS), 7);
	free(c);
	model_free(h.model);
}

static void finds_lines(void **state)
{
	struct hand h = hand_start();
	struct choices *c;

	(void)state;
	hand_store(&h, EVENT_STORE, BO_STORE_PLAIN, 4096, 8, 1);
	hand_store(&h, EVENT_STORE, BO_STORE_PLAIN, 124, 8, 1);
	c = choices_take(h.model);
	assert_int_equal(c->line_count, 3);
	assert_int_equal(choices_find_from(c, 1, 0), 0);
	assert_int_equal(choices_find_from(c, 1, 192), 2);
	assert_int_equal(choices_find_from(c, 1, 5000), 3);
	assert_int_equal(choices_find_from(c, 0, 5000), 0);
	free(c);
	model_free(h.model);
}

/* Blocks with one byte changed are rejected or harmless: nothing outside of them is read. */
static void damaged_blocks(void **state)
{
	struct hand h = hand_start();
	struct choices *c;
	uint8_t *bytes;
	size_t refused = 0;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		hand_store(&h, EVENT_STORE, BO_STORE_PLAIN, 40 * i, 16, (uint8_t)(i + 1));
	c = choices_take(h.model);
	assert_false(choices_check(c, c->bytes - 1));
	for (size_t at = 0; at < c->bytes; at++) {
		struct choices *copy = malloc(c->bytes);

		memcpy(copy, c, c->bytes);
		bytes = (uint8_t *)copy;
		bytes[at] ^= (uint8_t)(1 + at * 37 % 255);
		if (!choices_check(copy, c->bytes))
			refused++;
		else
			for (uint32_t line = 0; line < copy->line_count; line++)
				alternatives(copy, line, CHOICES_CONTENTS);
		free(copy);
	}
	assert_true(refused > c->line_count * sizeof(struct choices_line) / 2);
	free(c);
	model_free(h.model);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_versions),
		cmocka_unit_test(partly_hidden),
		cmocka_unit_test(finds_lines),
		cmocka_unit_test(damaged_blocks),
		SERIES_TESTS(series),
		cmocka_unit_test(contents_return),
	};

	series_arguments(&series, argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
