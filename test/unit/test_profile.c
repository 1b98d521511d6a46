/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_profile.c - profiles of random recoveries, compared with a slow model that looks at every byte.
 *
 * A recovery is a list of loads and stores on three files, one of which does not exist.  Its values do not matter: a
 * state that differs in a byte that it reads makes it do something else, by definition.
 *
 *     test_profile [SEED [NUMBER]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "protocol/walk_block.h"
#include "run/profile.h"

enum { WORLDS = 1000, FILES = 3, ABSENT = 2, BYTES = 3 * PROFILE_PAGE, ACCESSES = 40, TOUCHES = FILES * 3 };

static uint64_t seed = 1, only;
static uint64_t random_state;
static size_t stops_visited; /* so many stops were after visits */

static uint64_t roll(uint64_t sides)
{
	return random_next(&random_state) % sides;
}

struct access {
	uint64_t offset, size;
	uint32_t file;
	enum { LOADS, STORES, READS } what;
	enum profile_order order;
};

struct world {
	struct access accesses[ACCESSES];
	size_t count;
	uint8_t bytes[FILES][BYTES];
	struct profile_file files[FILES];
	struct profile *profile;
};

static uint64_t size_of(uint32_t file)
{
	return file == ABSENT ? 0 : BYTES - file * 100;
}

/* Often close to the borders of pages, and to what was accessed before. */
static struct access access_random(void)
{
	uint64_t at = roll(4) * PROFILE_PAGE + roll(40);

	return (struct access){.offset = at >= 20 ? at - 20 : at,
			       .size = 1 + roll(roll(8) ? 24 : 2 * PROFILE_PAGE),
			       .file = (uint32_t)roll(FILES),
			       .what = roll(2)   ? LOADS
				       : roll(3) ? STORES
						 : READS,
			       .order = roll(4) ? PROFILE_ORDERED : PROFILE_UNORDERED};
}

static void world_make(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->count = roll(ACCESSES);
	for (size_t i = 0; i < w->count; i++)
		w->accesses[i] = access_random();
	for (uint32_t f = 0; f < FILES; f++) {
		for (size_t i = 0; i < BYTES; i++)
			w->bytes[f][i] = (uint8_t)roll(2);
		w->files[f] = (struct profile_file){w->bytes[f], size_of(f), f != ABSENT};
	}
	w->profile = profile_new(w->files, FILES);
	for (size_t i = 0; i < w->count; i++) {
		const struct access *a = &w->accesses[i];

		if (a->what == READS)
			profile_read(w->profile, a->file, a->offset, a->size);
		else
			(a->what == STORES ? profile_store : profile_load)(w->profile, a->file, a->offset, a->size,
									   a->order);
	}
	profile_end(w->profile, w->files);
}

/* The slow model: byte by byte */

struct model {
	struct profile_touch touches[TOUCHES];
	size_t count;
	bool stored[FILES][BYTES];
};

/* Called for each byte that is accessed, after its page was touched; true: stop. */
typedef bool model_step(struct model *m, const struct access *access, uint64_t at, void *arg);

static void model_touch(struct model *m, const struct access *a, uint64_t at)
{
	if (a->what == READS)
		return;
	for (size_t i = 0; i < m->count; i++)
		if (m->touches[i].file == a->file && m->touches[i].page == at / PROFILE_PAGE)
			return;
	m->touches[m->count++] = (struct profile_touch){at / PROFILE_PAGE, a->file, a->order == PROFILE_UNORDERED};
}

/* Run recovery until a step says stop, or a touch would come. */
static void model_run(struct model *m, const struct world *w, size_t touch, model_step *step, void *arg)
{
	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < w->count; i++) {
		const struct access *a = &w->accesses[i];

		for (uint64_t at = a->offset; at < a->offset + a->size && at < size_of(a->file); at++) {
			model_touch(m, a, at);
			if (m->count > touch || (step && step(m, a, at, arg)))
				return;
			m->stored[a->file][at] |= a->what == STORES;
		}
	}
}

struct difference {
	const uint8_t (*one)[BYTES], (*other)[BYTES];
	size_t touches; /* before it is seen */
};

static bool difference_see(struct model *m, const struct access *a, uint64_t at, void *arg)
{
	struct difference *d = arg;

	if (a->what == STORES || m->stored[a->file][at] || d->one[a->file][at] == d->other[a->file][at])
		return false;
	d->touches = m->count;
	return true;
}

static struct model touches_of(const struct world *w)
{
	struct model m;

	model_run(&m, w, TOUCHES, NULL, NULL);
	return m;
}

/* Another state */

static void other_make(const struct world *w, uint8_t other[FILES][BYTES], struct profile_file files[FILES])
{
	memcpy(other, w->bytes, sizeof(w->bytes));
	for (uint64_t changes = roll(4); changes; changes--) {
		struct access at = access_random();

		for (uint64_t i = 0; i < 1 + roll(8) && at.offset + i < BYTES; i++)
			other[at.file][at.offset + i] ^= 1;
	}
	for (uint32_t f = 0; f < FILES; f++)
		files[f] = (struct profile_file){other[f], size_of(f), f != ABSENT};
}

/* The profile has the stores of the model at this point. */
static void stored_compare(const struct world *w, struct profile_point point, struct model *m)
{
	struct profile_range *ranges, last = {0};
	size_t count = profile_stored(w->profile, point, &ranges);

	for (size_t i = 0; i < count; i++) {
		struct profile_range r = ranges[i];

		assert_true(i == 0 || last.file < r.file ||
			    (last.file == r.file && last.offset + last.size < r.offset));
		last = r;
		for (; r.size; r.offset++, r.size--) {
			assert_true(m->stored[r.file][r.offset]);
			m->stored[r.file][r.offset] = false;
		}
	}
	for (uint32_t f = 0; f < FILES; f++)
		for (size_t i = 0; i < BYTES; i++)
			assert_false(m->stored[f][i]);
	free(ranges);
}

static void stored_check(const struct world *w)
{
	size_t count = touches_of(w).count, touch = count ? roll(count) : 0;
	struct model m;

	if (!count)
		return;
	model_run(&m, w, touch, NULL, NULL);
	stored_compare(w, profile_touch_point(w->profile, touch), &m);
}

/* How many touches recovery comes to, if so many of its reads are the same. */
static size_t touches_reached(const struct world *w, size_t reach)
{
	size_t touch = 0, count = touches_of(w).count;

	while (touch < count && profile_touch_point(w->profile, touch).reads <= reach)
		touch++;
	return reach == PROFILE_END ? PROFILE_END : touch;
}

/* A run up to a stop. */
struct stopping {
	struct profile_stop stop;
	struct walk_visits visits;
	struct difference *difference;
	bool came, unordered;
};

static bool stop_see(struct model *m, const struct access *a, uint64_t at, void *arg)
{
	struct stopping *s = arg;
	uint64_t page = walk_page(a->file, at);

	if (a->what != READS && m->count == s->stop.touch + 1 && s->stop.visits) {
		if (!s->visits.open[0])
			s->visits = walk_visits_begin(page);
		if (!walk_visits_open(&s->visits, page)) {
			walk_visits_add(&s->visits, page);
			s->came = s->visits.count == s->stop.visits;
			s->unordered = a->order == PROFILE_UNORDERED;
		}
	}
	return s->came || difference_see(m, a, at, s->difference);
}

/* Recovery comes to the stop before this read without having seen the difference, with the stores that the profile says. */
static void stop_check(const struct world *w, size_t read, const struct difference *other)
{
	struct difference d = {other->one, other->other, PROFILE_END};
	struct stopping s = {.difference = &d};
	struct model m;

	if (!profile_stop_before(w->profile, read, &s.stop))
		return;
	assert_true(s.stop.point.reads <= read);
	model_run(&m, w, s.stop.visits ? TOUCHES : s.stop.touch, stop_see, &s);
	assert_true(d.touches == PROFILE_END);
	assert_true(s.came == (s.stop.visits > 0) && !s.unordered && s.visits.hash == s.stop.hash);
	stored_compare(w, s.stop.point, &m);
	stops_visited += s.stop.visits > 0;
}

static void reach_check(const struct world *w)
{
	uint8_t other[FILES][BYTES];
	struct profile_file files[FILES];

	other_make(w, other, files);
	struct difference d = {w->bytes, (const uint8_t(*)[BYTES])other, PROFILE_END};
	struct model m;
	model_run(&m, w, TOUCHES, difference_see, &d);
	size_t reach = profile_reach(w->profile, files, FILES, PROFILE_END);
	assert_true(touches_reached(w, reach) == d.touches);
	if (reach != PROFILE_END)
		stop_check(w, reach, &d);

	size_t most = roll(ACCESSES), bounded = profile_reach(w->profile, files, FILES, most);
	assert_true(bounded == (most < reach && most < profile_read_count(w->profile) ? most : reach));

	files[ABSENT].exists = true;
	assert_int_equal(profile_reach(w->profile, files, FILES, PROFILE_END), 0);
	files[ABSENT].exists = false;
	files[0].size--;
	assert_int_equal(profile_reach(w->profile, files, FILES, PROFILE_END), 0);
}

/* Two runs that touch the same pages, in slightly different sequences */

static bool touch_is_same(const struct profile_touch *a, const struct profile_touch *b)
{
	return a->file == b->file && a->page == b->page;
}

static bool touch_is_among(const struct profile_touch *touch, const struct profile_touch *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (touch_is_same(touch, &all[i]))
			return true;
	return false;
}

/* The number of the touch in the profile at which both runs have touched the same pages. */
static size_t agreed_slowly(const struct world *w, const struct profile_touch *theirs, size_t at)
{
	const struct model m = touches_of(w);
	const struct profile_touch *mine = m.touches;
	size_t count = m.count, number = 0;

	for (size_t i = 0; i < at; i++) {
		if (touch_is_same(&theirs[i], &theirs[at]))
			return PROFILE_END;
		number += !touch_is_among(&theirs[i], theirs, i);
	}
	if (number >= count || !touch_is_same(&mine[number], &theirs[at]) || mine[number].unordered)
		return PROFILE_END;
	for (size_t i = 0; i < number; i++)
		if (!touch_is_among(&mine[i], theirs, at))
			return PROFILE_END;
	return number;
}

static void agree_check(const struct world *w)
{
	const struct model m = touches_of(w);
	struct profile_touch theirs[3 * TOUCHES];
	size_t agreed[3 * TOUCHES], count = 0;

	for (size_t i = 0; i < m.count; i++) {
		if (!roll(40))
			continue;
		theirs[count++] = m.touches[i];
		if (count > 1 && !roll(4)) {
			struct profile_touch last = theirs[count - 1];

			theirs[count - 1] = theirs[count - 2];
			theirs[count - 2] = last;
		}
		if (!roll(6)) {
			theirs[count] = theirs[roll(count)];
			count++;
		}
		if (!roll(30))
			theirs[count++] = (struct profile_touch){.file = ABSENT, .page = roll(3)};
	}
	bool same = true;
	for (size_t i = 0; i < count; i++)
		same &= touch_is_among(&theirs[i], m.touches, m.count);
	for (size_t i = 0; i < m.count; i++)
		same &= touch_is_among(&m.touches[i], theirs, count);
	assert_true(profile_agree(w->profile, theirs, count, agreed) == same);
	for (size_t i = 0; i < count; i++)
		assert_true(agreed[i] == agreed_slowly(w, theirs, i));
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t number = 1; number <= WORLDS; number++) {
		struct world w;

		if (only && number != only)
			continue;
		random_state = random_seed(seed, number);
		world_make(&w);
		for (int i = 0; i < 3; i++) {
			reach_check(&w);
			stored_check(&w);
			agree_check(&w);
		}
		profile_free(w.profile);
	}
	assert_true(only || stops_visited > WORLDS / 100);
}

/* A run that was not seen to its end */
static void test_closed(void **state)
{
	static struct world w;
	const struct profile_file file = {w.bytes[0], size_of(0), true};
	struct profile *p = profile_new(&file, 1);

	(void)state;
	profile_load(p, 0, 0, 8, PROFILE_ORDERED);
	profile_load(p, 0, PROFILE_PAGE, 8, PROFILE_ORDERED);
	profile_close(p);
	profile_load(p, 0, 16, 8, PROFILE_ORDERED);
	profile_end(p, &file);
	assert_int_equal(profile_read_count(p), 2);
	assert_int_equal(profile_reach(p, &file, 1, PROFILE_END), 2);
	profile_free(p);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_closed)};

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	only = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
