/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_violate_random.c - the states that violate invariants, on small random programs with random invariants, on both
 * platforms.  After each event of each program:
 *
 *  1. every state of a violation is a legal set of the reference enumerator
 *  2. it violates its invariant: a byte of `second` is as stored there, a byte of `first` is older than `first` and
 *     differs from what it stored
 *  3. if a legal set violates an invariant between two pending stores, the violation is found
 *
 *     test_violate_random [SEED [NUMBER]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "image/state.h"
#include "programs.h"
#include "reference.h"
#include "violate/search.h"
#include "violate/states.h"

#define PROGRAMS 4000
#define UNITS 64

static uint64_t seed = 1, only;

struct check {
	const struct program *program;
	const struct reference *reference;
	struct image *image;
	struct search *search;
	const struct moment *moment;
	struct held *held;
	uint64_t salt;
	size_t point;
	bool changed; /* not by a store, while stores were pending: the events do not tell what is where */
	uint64_t states, certain, before; /* counts, so that the test is not empty */
	char problem[200];
};

__attribute__((format(printf, 2, 3))) static void complain(struct check *c, const char *fmt, ...)
{
	va_list args;

	if (c->problem[0])
		return;
	va_start(args, fmt);
	vsnprintf(c->problem, sizeof(c->problem), fmt, args);
	va_end(args);
}

/* Random invariants, by place */

static uint64_t chance(const struct check *c, const struct store_place *a, const struct store_place *b)
{
	uint64_t random = c->salt + a->offset * 31 + a->file * 7 + (b ? b->offset * 1009 + b->file * 13 + 1 : 0);

	random_next(&random);
	return random_next(&random);
}

static struct store_place place_of(void *arg, const struct event *ev)
{
	(void)arg;
	return (struct store_place){.file = ev->file, .site = 1 + ev->context, .offset = ev->offset, .size = ev->size};
}

static bool places_meet(const struct store_place *a, const struct store_place *b)
{
	return a->file == b->file && a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static size_t orders_by_chance(void *arg, const struct store_place *a, const struct store_place *b,
			       struct invariant_match matches[INVARIANT_ORDERINGS])
{
	uint64_t random = chance(arg, a, b);

	if (places_meet(a, b) || random % 3 == 0)
		return 0;
	matches[0] =
		(struct invariant_match){.rule = (enum invariant_rule)(random / 3 % INVARIANT_ORDERINGS), .seen = 1};
	return 1;
}

static bool guards_by_chance(void *arg, const struct store_place *place, struct invariant_match *match)
{
	*match = (struct invariant_match){.rule = INVARIANT_RA1, .seen = 1};
	return chance(arg, place, NULL) % 2;
}

/* Against the reference */

static uint32_t unit_bit(const struct check *c, const struct choices_unit *unit)
{
	for (unsigned u = 0; u < c->reference->unit_count; u++) {
		const struct reference_unit *r = &c->reference->units[u];

		if (r->event == unit->event && r->file == unit->file && r->word == unit->offset / 8 &&
		    (unsigned)r->kind == unit->kind && r->thread == unit->thread)
			return UINT32_C(1) << u;
	}
	return 0;
}

static uint32_t set_of(const struct check *c, const uint8_t *taken)
{
	const struct choices *choices = c->moment->choices;
	uint32_t set = c->reference->points[c->point].certain;

	for (uint32_t i = 0; i < choices->unit_count; i++)
		set |= taken[i] ? unit_bit(c, &choices_units(choices)[i]) : 0;
	return set;
}

static bool is_legal(const struct check *c, uint32_t set)
{
	const struct reference_point *p = &c->reference->points[c->point];

	for (size_t i = 0; i < p->set_count; i++)
		if (p->sets[i] == set)
			return true;
	return false;
}

/* The event of the newest unit of the set on a byte; 0: none. */
static uint64_t byte_event(const struct check *c, uint32_t set, uint32_t file, uint64_t offset)
{
	uint64_t event = 0;

	for (unsigned u = 0; u < c->reference->unit_count; u++) {
		const struct reference_unit *r = &c->reference->units[u];
		bool has = r->has[offset % 8] || r->lost[offset % 8] > c->point;

		if (set >> u & 1 && r->file == file && r->word == offset / 8 && has && r->event > event)
			event = r->event;
	}
	return event;
}

static const struct event *event_at(const struct check *c, uint64_t event)
{
	return &c->program->events[event - 1];
}

/* Is a byte as this store left it, and different without pending stores unless it is certain? */
static bool content_shows(const struct check *c, const struct state *state, const struct made *made, bool pending)
{
	const struct event *ev = event_at(c, made->event);
	uint8_t here, certain;

	for (uint64_t i = 0; i < ev->size; i++)
		if (image_read(c->image, state, ev->file, ev->offset + i, &here, 1) == 1 &&
		    image_read(c->image, NULL, ev->file, ev->offset + i, &certain, 1) == 1 && here == ev->data[i] &&
		    (!pending || certain != ev->data[i]))
			return true;
	return false;
}

static bool content_lacks(const struct check *c, const struct state *state, uint32_t set, const struct made *made)
{
	const struct event *ev = event_at(c, made->event);
	uint8_t here;

	for (uint64_t i = 0; i < ev->size; i++)
		if (image_read(c->image, state, ev->file, ev->offset + i, &here, 1) == 1 && here != ev->data[i] &&
		    byte_event(c, set, ev->file, ev->offset + i) < made->event)
			return true;
	return false;
}

static void check_state(struct check *c, const struct violation *v, const uint8_t *taken)
{
	bool persisted[UNITS];
	bool pending = held_find(c->held, v->second.event);
	uint32_t set = set_of(c, taken);
	struct state *state;

	c->states++;
	c->certain += !pending;
	assert_true(c->moment->choices->unit_count <= UNITS);
	moment_persisted(c->moment, taken, persisted);
	state = state_new(c->image, persisted);
	if (!is_legal(c, set))
		complain(c, "after event %zu, %#x is not legal", c->point, set);
	if (!content_lacks(c, state, set, &v->first))
		complain(c, "after event %zu, %#x has the store of event %llu", c->point, set,
			 (unsigned long long)v->first.event);
	if (!content_shows(c, state, &v->second, pending))
		complain(c, "after event %zu, %#x has not the store of event %llu", c->point, set,
			 (unsigned long long)v->second.event);
	state_free(state);
}

static void check_violation(struct check *c, const struct violation *v)
{
	const struct held_store *first = held_find(c->held, v->first.event);
	uint8_t *taken;

	if (v->ways == WAY_BEFORE_FIRST) {
		taken = memset(mem_alloc(UNITS), 1, UNITS);
		c->before++;
		if (v->first.event != c->point + 1)
			complain(c, "after event %zu, event %llu is not next", c->point,
				 (unsigned long long)v->first.event);
		check_state(c, v, taken);
		free(taken);
		return;
	}
	if (!first) {
		complain(c, "after event %zu, the store of event %llu is not pending", c->point,
			 (unsigned long long)v->first.event);
		return;
	}
	if (v->ways & WAY_WITHOUT_FIRST) {
		taken = state_without(c->held, first);
		check_state(c, v, taken);
		free(taken);
	}
	if (v->ways & WAY_ONLY_SECOND) {
		taken = state_only(c->held, held_find(c->held, v->second.event));
		check_state(c, v, taken);
		free(taken);
	}
}

/* 3. */

/* The units of a store. */
static uint32_t store_bits(const struct check *c, uint64_t event)
{
	uint32_t bits = 0;

	for (unsigned u = 0; u < c->reference->unit_count; u++)
		bits |= c->reference->units[u].event == event ? UINT32_C(1) << u : 0;
	return bits;
}

/* Did the store change this byte?  Words that held its bytes already have no unit. */
static bool store_has(const struct check *c, uint64_t event, uint64_t offset)
{
	for (unsigned u = 0; u < c->reference->unit_count; u++)
		if (c->reference->units[u].event == event && c->reference->units[u].word == offset / 8 &&
		    c->reference->units[u].has[offset % 8])
			return true;
	return false;
}

/* Does the set have all of `second` and show it, and on some byte of `first` only what is certain? */
static bool set_violates(const struct check *c, uint32_t set, uint64_t first, uint64_t second)
{
	uint32_t certain = c->reference->points[c->point].certain;
	const struct event *f = event_at(c, first), *s = event_at(c, second);
	bool lacks = false, shows = false;
	uint8_t byte;

	for (uint64_t i = 0; i < f->size; i++)
		lacks |= store_has(c, first, f->offset + i) &&
			 image_read(c->image, NULL, f->file, f->offset + i, &byte, 1) == 1 && byte != f->data[i] &&
			 byte_event(c, set, f->file, f->offset + i) == byte_event(c, certain, f->file, f->offset + i) &&
			 byte_event(c, certain, f->file, f->offset + i) < first;
	for (uint64_t i = 0; i < s->size; i++)
		shows |= image_read(c->image, NULL, s->file, s->offset + i, &byte, 1) == 1 && byte != s->data[i] &&
			 byte_event(c, set, s->file, s->offset + i) == second;
	return lacks && shows && !(store_bits(c, second) & c->reference->points[c->point].universe & ~set);
}

static bool is_found(const struct violations *found, uint64_t first, uint64_t second)
{
	for (size_t i = 0; i < found->all.count; i++)
		if (found->all.at[i].first.event == first && found->all.at[i].second.event == second &&
		    found->all.at[i].rule != INVARIANT_RA1)
			return true;
	return false;
}

static void check_pair(struct check *c, const struct violations *found, uint64_t first, uint64_t second)
{
	const struct reference_point *p = &c->reference->points[c->point];
	struct invariant_match matches[INVARIANT_ORDERINGS];
	struct store_place a = place_of(c, event_at(c, first)), b = place_of(c, event_at(c, second));

	if (!orders_by_chance(c, &a, &b, matches) || is_found(found, first, second))
		return;
	for (size_t i = 0; i < p->set_count; i++)
		if (set_violates(c, p->sets[i], first, second))
			complain(c, "after event %zu, %#x violates %llu before %llu, which was not found", c->point,
				 p->sets[i], (unsigned long long)first, (unsigned long long)second);
}

static bool is_named_store(const struct check *c, const struct held_store *store)
{
	return event_at(c, store->event)->type == EVENT_STORE &&
	       image_exists(c->image, event_at(c, store->event)->file);
}

static void check_complete(struct check *c, const struct violations *found)
{
	for (uint32_t i = 0; i < c->held->count; i++)
		for (uint32_t k = 0; k < c->held->count; k++)
			if (i != k && is_named_store(c, &c->held->stores[i]) && is_named_store(c, &c->held->stores[k]))
				check_pair(c, found, c->held->stores[i].event, c->held->stores[k].event);
}

static void check_point(struct check *c)
{
	struct moment *moment = moment_new(c->image, &(struct crash_context){0});
	struct violations found = {0};

	c->moment = moment;
	c->held = held_new(moment);
	search_moment(c->search);
	search_find(c->search, moment, c->image, c->point < c->program->count ? &c->program->events[c->point] : NULL,
		    c->point + 1, &found);
	for (size_t i = 0; i < found.all.count; i++)
		check_violation(c, &found.all.at[i]);
	if (!c->changed)
		check_complete(c, &found);
	vec_free(&found.all);
	held_free(c->held);
	moment_free(moment);
}

/* Does it change bytes without storing them? */
static bool is_outside(const struct event *ev)
{
	return ev->type == EVENT_FILE || ev->type == EVENT_CONTENT || ev->type == EVENT_FILE_TRUNCATE ||
	       ev->type == EVENT_FILE_ALLOCATE;
}

static void check_program(struct check *c, const char *platform, enum reference_platform rules)
{
	struct reference *reference = reference_run(c->program->events, c->program->count, rules);
	const struct rules by_chance = {.place = place_of,
					.orders = orders_by_chance,
					.guardian = guards_by_chance,
					.arg = c};

	c->reference = reference;
	c->image = image_new(platform_find(platform), NULL);
	c->search = search_new(&by_chance);
	for (size_t i = 0; !reference->overflow && i < c->program->count && !c->problem[0]; i++) {
		search_event(c->search, &c->program->events[i], i + 1);
		image_apply(c->image, &c->program->events[i]);
		c->changed |= is_outside(&c->program->events[i]) && model_pending_count(image_model(c->image));
		/* A file and its content are one. */
		if (i + 1 < c->program->count && c->program->events[i + 1].type == EVENT_CONTENT)
			continue;
		image_settle(c->image);
		c->point = i + 1;
		check_point(c);
	}
	search_free(c->search);
	image_free(c->image);
	reference_free(reference);
}

static void series(const char *platform, enum reference_platform rules)
{
	uint64_t states = 0, certain = 0, before = 0;

	for (uint64_t number = only ? only : 1; number <= (only ? only : PROGRAMS); number++) {
		struct program program;
		struct check c = {.program = &program, .salt = number * 0x9e3779b97f4a7c15u};

		program_make(&program, seed, number);
		check_program(&c, platform, rules);
		states += c.states;
		certain += c.certain;
		before += c.before;
		if (!c.problem[0])
			continue;
		program_print(&program, stderr);
		fail_msg("%s: %s; run it again: build/test/unit/test_violate_random %llu %llu", platform, c.problem,
			 (unsigned long long)seed, (unsigned long long)number);
	}
	print_message("%llu states, %llu with a second store that is certain, %llu before the first\n",
		      (unsigned long long)states, (unsigned long long)certain, (unsigned long long)before);
	assert_true(only || (states > PROGRAMS / 4 && certain > PROGRAMS / 16 && before > PROGRAMS / 16));
}

static void adr_states(void **state)
{
	(void)state;
	series("adr", REFERENCE_ADR);
}

static void eadr_states(void **state)
{
	(void)state;
	series("eadr", REFERENCE_EADR);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adr_states),
		cmocka_unit_test(eadr_states),
	};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 0);
	return cmocka_run_group_tests_name("violate_random", tests, NULL, NULL);
}
