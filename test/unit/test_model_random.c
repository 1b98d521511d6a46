/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_model_random.c - the model compared with the reference, on many small random programs, on both platforms.
 *
 * After each event of each program, in both directions:
 *
 *  1. the units that the model calls pending are those in some legal set but not in all; it has reported the others to
 *     the observer as certain, once
 *  2. the model allows a subset of the pending units if and only if it is legal
 *  3. the enumerated sets are the legal ones, each once, from the empty to the full set
 *  4. their number is the count
 *  5. the units reported as overwritten are the right ones
 *  6. the bytes reported unit by unit and line by line are the same
 *
 * and at the end the union of the sets over all points is the same.  A second model, which forgets overwritten units,
 * must report the same overwritten and leftover units.
 *
 *     test_model_random [SEED [NUMBER]]      one series of programs; one program of it.  MODEL_SEED is a SEED too */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model_sets.h"
#include "programs.h"
#include "reference.h"

#define PROGRAMS 100000
#define SETS (1u << REFERENCE_UNITS)

static uint64_t seed = 1, only;

/* What an observer was told about one kind: a sum that does not depend on the sequence of the calls. */
struct heard {
	uint64_t calls, sum;
};

struct check {
	const struct program *program;
	const struct reference *reference;
	struct model *model, *visible;
	size_t point;
	uint32_t certain;                         /* units reported as persisted */
	uint32_t overwritten;                     /* by the last event */
	struct heard overwrites[2], leftovers[2]; /* of both models */
	struct heard persisted[2];                /* bytes, by unit and by line */
	uint32_t pending[REFERENCE_UNITS];        /* for each pending unit of the model, its bit in the reference */
	size_t pending_count;
	uint8_t legal[SETS / 8];      /* of this point */
	uint8_t seen[SETS / 8];       /* enumerated at this point */
	uint8_t ever_legal[SETS / 8]; /* of all points */
	uint8_t ever_seen[SETS / 8];
	size_t visits;
	bool whole; /* the last enumerated set was the full one */
	bool wrote; /* a system call wrote data */
	char problem[256];
};

static bool bit(const uint8_t *bits, uint32_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

static void bit_set(uint8_t *bits, uint32_t at)
{
	bits[at / 8] |= (uint8_t)(1u << at % 8);
}

__attribute__((format(printf, 2, 3))) static void complain(struct check *c, const char *fmt, ...)
{
	va_list args;

	if (c->problem[0])
		return;
	va_start(args, fmt);
	vsnprintf(c->problem, sizeof(c->problem), fmt, args);
	va_end(args);
}

/* The reference's bit for a unit of the model, or 0. */
static uint32_t unit_bit(const struct check *c, const struct unit *unit)
{
	for (unsigned u = 0; u < c->reference->unit_count; u++) {
		const struct reference_unit *r = &c->reference->units[u];

		if (r->event == unit->event && r->file == unit->file && r->word == unit->offset / 8 &&
		    (unsigned)r->kind == unit->kind && r->thread == unit->thread)
			return UINT32_C(1) << u;
	}
	return 0;
}

static void hear(struct heard *heard, const struct event *ev, const struct unit *unit)
{
	uint64_t mix = (unit->event * 31 + unit->offset) * 0x9e3779b97f4a7c15u;

	heard->calls++;
	heard->sum += (mix ^ mix >> 29) * (ev ? ev->type + 2u : 1u);
}

static void hear_byte(struct heard *heard, const struct event *by, const struct unit *unit, unsigned at)
{
	struct unit byte = *unit;

	byte.offset += at;
	hear(heard, by, &byte);
}

static void on_persist_line(void *arg, const struct event *by, const struct unit *common, uint64_t bytes)
{
	struct check *c = arg;

	for (unsigned i = 0; i < 64; i++)
		if (bytes >> i & 1)
			hear_byte(&c->persisted[1], by, common, i);
}

static void on_persist(void *arg, const struct event *by, const struct unit *unit)
{
	struct check *c = arg;
	uint32_t at = unit_bit(c, unit);

	for (unsigned i = 0; i < unit->size; i++)
		hear_byte(&c->persisted[0], by, unit, i);
	if (!at || c->certain & at)
		complain(c, "the unit of event %llu became certain twice", (unsigned long long)unit->event);
	c->certain |= at;
}

static void on_overwrite(void *arg, const struct event *ev, const struct unit *old)
{
	struct check *c = arg;

	hear(&c->overwrites[0], ev, old);
	c->overwritten |= unit_bit(c, old);
}

static void on_leftover(void *arg, const struct event *by, const struct unit *unit)
{
	hear(&((struct check *)arg)->leftovers[0], by, unit);
}

static void on_overwrite_visible(void *arg, const struct event *ev, const struct unit *old)
{
	hear(&((struct check *)arg)->overwrites[1], ev, old);
}

static void on_leftover_visible(void *arg, const struct event *by, const struct unit *unit)
{
	hear(&((struct check *)arg)->leftovers[1], by, unit);
}

/* Bytes that were zeroed since the store may be missing, or be zero. */
static bool bytes_agree(const struct unit *unit, const struct reference_unit *r, size_t point)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned at = i - (unsigned)(unit->offset % 8);
		bool held = i >= unit->offset % 8 && at < unit->size, has = r->has[i] || r->lost[i] > point;

		if (has && (!held || unit->value[at] != r->value[i]))
			return false;
		if (!has && held && unit->value[at])
			return false;
	}
	return true;
}

static void check_pending(struct check *c)
{
	const struct reference_point *p = &c->reference->points[c->point];
	const struct unit *const *units = model_pending(c->model, &c->pending_count);
	uint32_t pending = 0;

	for (size_t i = 0; i < c->pending_count && i < REFERENCE_UNITS; i++) {
		c->pending[i] = unit_bit(c, units[i]);
		pending |= c->pending[i];
		if (!c->pending[i])
			complain(c, "the unit of event %llu should not be pending",
				 (unsigned long long)units[i]->event);
		else if (!bytes_agree(units[i], &c->reference->units[__builtin_ctz(c->pending[i])], c->point))
			complain(c, "the unit of event %llu has wrong bytes", (unsigned long long)units[i]->event);
	}
	if (pending != (p->universe & ~p->certain))
		complain(c, "pending is %#x, not %#x", pending, p->universe & ~p->certain);
	if ((c->certain & p->universe) != p->certain)
		complain(c, "certain is %#x, not %#x", c->certain, p->certain);
	if (c->overwritten != p->overwritten)
		complain(c, "overwritten are %#x, not %#x", c->overwritten, p->overwritten);
}

static uint32_t set_of(const struct check *c, const bool *persisted)
{
	uint32_t set = c->reference->points[c->point].certain;

	for (size_t i = 0; i < c->pending_count; i++)
		set |= persisted[i] ? c->pending[i] : 0;
	return set;
}

static bool visit(void *arg, const bool *persisted, size_t count)
{
	struct check *c = arg;
	uint32_t set = set_of(c, persisted);

	if (count != c->pending_count)
		complain(c, "sets of %zu units, not %zu", count, c->pending_count);
	if (!bit(c->legal, set))
		complain(c, "%#x is enumerated, but not legal", set);
	if (bit(c->seen, set))
		complain(c, "%#x is enumerated twice", set);
	if (!c->visits && set != c->reference->points[c->point].certain)
		complain(c, "%#x is enumerated first, not the empty set", set);
	bit_set(c->seen, set);
	bit_set(c->ever_seen, set);
	c->whole = set == c->reference->points[c->point].universe;
	c->visits++;
	return true;
}

static void check_sets(struct check *c)
{
	const struct reference_point *p = &c->reference->points[c->point];
	size_t bytes = ((size_t)1 << c->reference->unit_count) / 8 + 1;

	memset(c->legal, 0, bytes);
	memset(c->seen, 0, bytes);
	for (size_t i = 0; i < p->set_count; i++) {
		bit_set(c->legal, p->sets[i]);
		bit_set(c->ever_legal, p->sets[i]);
	}
	c->visits = 0;
	model_enumerate(c->model, visit, c);
	if (c->visits != p->set_count)
		complain(c, "%zu sets are enumerated, not %zu", c->visits, p->set_count);
	if (!c->whole)
		complain(c, "the last set enumerated is not the whole one");
}

static void check_membership(struct check *c)
{
	bool persisted[REFERENCE_UNITS];

	for (uint32_t subset = 0; subset < UINT32_C(1) << c->pending_count; subset++) {
		for (size_t i = 0; i < c->pending_count; i++)
			persisted[i] = subset >> i & 1;
		if (model_allows(c->model, persisted) != bit(c->legal, set_of(c, persisted)))
			complain(c, "%#x is %slegal", set_of(c, persisted),
				 bit(c->legal, set_of(c, persisted)) ? "" : "not ");
	}
}

static void check_count(struct check *c)
{
	mpz_t count;

	mpz_init(count);
	model_count(c->model, count);
	if (mpz_cmp_ui(count, c->reference->points[c->point].set_count))
		complain(c, "the count is %lu, not %zu", mpz_get_ui(count), c->reference->points[c->point].set_count);
	mpz_clear(count);
}

static void check_point(struct check *c)
{
	check_pending(c);
	if (c->problem[0])
		return; /* the checks below would be meaningless */
	check_sets(c);
	check_membership(c);
	check_count(c);
}

static void check_end(struct check *c)
{
	size_t bytes = ((size_t)1 << c->reference->unit_count) / 8 + 1;

	model_end(c->model);
	model_end(c->visible);
	if (memcmp(c->ever_legal, c->ever_seen, bytes))
		complain(c, "the union over all points differs");
	if (memcmp(&c->persisted[0], &c->persisted[1], sizeof(struct heard)))
		complain(c, "units and lines differ in what became certain");
	/* The second model does not keep written units. */
	if (!c->wrote && memcmp(&c->overwrites[0], &c->overwrites[1], sizeof(struct heard)))
		complain(c, "forgetting what is overwritten changes what is overwritten");
	if (!c->wrote && memcmp(&c->leftovers[0], &c->leftovers[1], sizeof(struct heard)))
		complain(c, "forgetting what is overwritten changes what is left over");
}

/* Run one program; c->problem is "" if all is well. */
static void check_program(struct check *c, const struct program *program, enum reference_platform platform)
{
	static const struct model_observer observer = {.persist = on_persist,
						       .persist_line = on_persist_line,
						       .overwrite = on_overwrite,
						       .leftover = on_leftover};
	static const struct model_observer observer_visible = {.overwrite = on_overwrite_visible,
							       .leftover = on_leftover_visible};
	const struct platform *p = platform_find(platform == REFERENCE_ADR ? "adr" : "eadr");
	struct reference *reference = reference_run(program->events, program->count, platform);

	memset(c, 0, sizeof(*c));
	assert_false(reference->overflow);
	c->program = program;
	c->reference = reference;
	c->model = model_new(p, MODEL_STATES, &observer, c);
	c->visible = model_new(p, MODEL_VISIBLE, &observer_visible, c);
	check_point(c);
	while (c->point < program->count && !c->problem[0]) {
		c->overwritten = 0;
		c->wrote |= program->events[c->point].type == EVENT_FILE_WRITE;
		model_apply(c->model, &program->events[c->point]);
		model_apply(c->visible, &program->events[c->point]);
		c->point++;
		check_point(c);
	}
	if (!c->problem[0])
		check_end(c);
	model_free(c->model);
	model_free(c->visible);
	reference_free(reference);
}

/* Whether the kernel allows these depends on the events before them, so they are not removed. */
static bool may_be_cut(const struct event *ev)
{
	return ev->type != EVENT_FILE && ev->type != EVENT_FILE_WRITE && ev->type != EVENT_FILE_TRUNCATE &&
	       ev->type != EVENT_FILE_ALLOCATE;
}

/* Remove events as long as the program still fails. */
static void shrink(struct check *c, struct program *program, enum reference_platform platform)
{
	struct program shorter;

	for (size_t i = program->count; i-- > 0;) {
		if (!may_be_cut(&program->events[i]))
			continue;
		shorter = *program;
		for (size_t j = 0; j < shorter.count; j++)
			shorter.events[j].data = shorter.events[j].data ? shorter.data[j] : NULL;
		program_cut(&shorter, i);
		check_program(c, &shorter, platform);
		if (!c->problem[0])
			continue;
		*program = shorter;
		for (size_t j = 0; j < program->count; j++)
			program->events[j].data = program->events[j].data ? program->data[j] : NULL;
	}
	check_program(c, program, platform);
}

/* Every kind of event must occur; otherwise the comparison would not cover it. */
static void count_types(const struct program *program, size_t *seen)
{
	for (size_t i = 0; i < program->count; i++)
		seen[program->events[i].type]++;
}

static bool series(enum reference_platform platform)
{
	size_t seen[EVENT_TYPE_COUNT] = {0};
	static struct check c;
	struct program program;

	for (uint64_t number = only ? only : 1; number <= (only ? only : PROGRAMS); number++) {
		program_make(&program, seed, number);
		count_types(&program, seen);
		check_program(&c, &program, platform);
		if (!c.problem[0])
			continue;
		shrink(&c, &program, platform);
		print_error("seed %llu, program %llu, platform %s, after event %zu: %s\n", (unsigned long long)seed,
			    (unsigned long long)number, platform == REFERENCE_ADR ? "adr" : "eadr", c.point, c.problem);
		program_print(&program, stderr);
		print_error("run it again: build/test/unit/test_model_random %llu %llu\n", (unsigned long long)seed,
			    (unsigned long long)number);
		return false;
	}
	for (size_t i = 0; i < EVENT_TYPE_COUNT && !only; i++)
		assert_true(seen[i] > PROGRAMS / 1000);
	return true;
}

static void adr_agrees(void **state)
{
	(void)state;
	assert_true(series(REFERENCE_ADR));
}

static void eadr_agrees(void **state)
{
	(void)state;
	assert_true(series(REFERENCE_EADR));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adr_agrees),
		cmocka_unit_test(eadr_agrees),
	};

	if (getenv("MODEL_SEED"))
		seed = strtoull(getenv("MODEL_SEED"), NULL, 10);
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
