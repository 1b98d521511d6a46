/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plugin_answers.c - what a plug-in is told about ranges of bytes, compared with all legal crash states, after each
 * event of many small random programs, on both platforms.
 *
 *  1. certain: no byte of the range belongs to a pending unit that the program sees
 *  2. pending: the list of these bytes, with the event that stored them and the reason
 *  3. ordered: every legal set that has all such units of one range has all those of the other
 *  4. read: the bytes that the program stored
 *
 *     test_plugin_answers [SEED [NUMBER]]      MODEL_SEED in the environment is a SEED too */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model_sets.h"
#include "plugin/host_in.h"
#include "series.h"

#define QUESTIONS 6
#define BYTES 4352
#define FILES 3
#define SETS 65536

struct check {
	struct host host;
	uint64_t certain[FILES][BYTES]; /* event of the newest certain store on each byte */
	uint8_t bytes[FILES][BYTES];    /* what the program sees */
	bool moved;                     /* `bytes` is not known any more */
	uint32_t visible[FILES][BYTES]; /* 1 + index of the pending unit that the program sees */
	const struct unit *units[64];
	size_t unit_count;
	uint64_t sets[SETS];
	size_t set_count;
	uint64_t random;
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

/* ---- what is true ---- */

static void on_persist(void *arg, const struct event *by, const struct unit *unit)
{
	struct check *k = arg;

	(void)by;
	for (unsigned i = 0; i < unit->size; i++)
		if (k->certain[unit->file][unit->offset + i] < unit->event)
			k->certain[unit->file][unit->offset + i] = unit->event;
}

static const struct model_observer observer = {.persist = on_persist};

static bool collect(void *arg, const bool *persisted, size_t count)
{
	struct check *k = arg;

	assert_true(k->set_count < SETS);
	k->sets[k->set_count] = 0;
	for (size_t i = 0; i < count; i++)
		k->sets[k->set_count] |= (uint64_t)persisted[i] << i;
	k->set_count++;
	return true;
}

static void truth_find(struct check *k)
{
	const struct unit *const *units = model_pending(k->host.model, &k->unit_count);

	assert_true(k->unit_count <= 16);
	memset(k->visible, 0, sizeof(k->visible));
	for (size_t i = 0; i < k->unit_count; i++) {
		k->units[i] = units[i];
		for (unsigned b = 0; b < units[i]->size; b++)
			if (units[i]->event > k->certain[units[i]->file][units[i]->offset + b])
				k->visible[units[i]->file][units[i]->offset + b] = (uint32_t)i + 1;
	}
	k->set_count = 0;
	model_enumerate(k->host.model, collect, k);
}

static uint64_t range_units(const struct check *k, const struct blackout_range *range)
{
	uint64_t set = 0;

	for (uint64_t at = range->offset; at < range->offset + range->size; at++)
		if (k->visible[range->file][at])
			set |= 1ull << (k->visible[range->file][at] - 1);
	return set;
}

static bool truly_ordered(const struct check *k, const struct blackout_range *first,
			  const struct blackout_range *second)
{
	uint64_t wanted = range_units(k, first), given = range_units(k, second);

	for (size_t i = 0; i < k->set_count; i++)
		if (!(given & ~k->sets[i]) && wanted & ~k->sets[i])
			return false;
	return true;
}

static uint32_t true_reason(const struct unit *unit)
{
	if (unit->kind == UNIT_WRITTEN)
		return BLACKOUT_NOT_SYNCED;
	if (unit->kind == UNIT_DIRECT)
		return BLACKOUT_NOT_FENCED;
	return unit->cover == UNIT_BARE      ? BLACKOUT_NOT_FLUSHED
	       : unit->cover == UNIT_FLUSHED ? BLACKOUT_NOT_FENCED
					     : BLACKOUT_NOT_DONE;
}

/* ---- questions ---- */

static uint64_t roll(struct check *k, uint64_t sides)
{
	return random_next(&k->random) % sides;
}

/* Often whole words and lines that programs.c uses. */
static struct blackout_range range_pick(struct check *k)
{
	static const uint64_t starts[] = {0, 64, 4032, 4096, 0}, sizes[] = {1, 4, 8, 8, 16, 64, 128, 4200, 0};
	struct blackout_range range = {.file = 1 + (uint32_t)roll(k, 2)};

	range.offset = starts[roll(k, 5)] + (roll(k, 2) ? roll(k, 8) * 8 : roll(k, 64));
	range.size = sizes[roll(k, 9)];
	if (range.offset + range.size > BYTES)
		range.size = BYTES - range.offset;
	return range;
}

static void pending_check(struct check *k, const struct blackout_range *range)
{
	struct blackout *b = &k->host.b;
	struct blackout_store stores[BYTES];
	size_t count = b->pending(b, range->file, range->offset, range->size, stores, BYTES);
	size_t at = 0;
	uint64_t done = 0;

	if (b->pending(b, range->file, range->offset, range->size, NULL, 0) != count)
		complain(k, "the number of pending stores depends on the room");
	for (uint64_t offset = range->offset; offset < range->offset + range->size; offset++) {
		uint32_t id = k->visible[range->file][offset];
		const struct unit *unit = id ? k->units[id - 1] : NULL;

		if (!unit)
			continue;
		while (at < count && stores[at].offset + stores[at].size <= offset)
			at++;
		done++;
		if (at == count || stores[at].offset > offset || stores[at].number != unit->event ||
		    stores[at].place != unit->context || stores[at].thread != unit->thread ||
		    stores[at].why != true_reason(unit))
			complain(k, "byte %llu of event %llu is not listed", (unsigned long long)offset,
				 (unsigned long long)unit->event);
	}
	for (size_t i = 0; i < count; i++)
		done -= stores[i].size;
	if (done)
		complain(k, "bytes are listed that are not pending");
}

static void read_check(struct check *k, const struct blackout_range *range)
{
	struct blackout *b = &k->host.b;
	uint8_t got[BYTES];
	size_t n = b->read(b, range->file, range->offset, got, range->size);

	if (n != range->size && range->offset + n != b->file_size(b, range->file) && n)
		complain(k, "%zu bytes are read", n);
	if (!k->moved && memcmp(got, k->bytes[range->file] + range->offset, n))
		complain(k, "other bytes are read at %llu", (unsigned long long)range->offset);
}

static void check_point(struct check *k)
{
	struct blackout *b = &k->host.b;

	truth_find(k);
	for (unsigned i = 0; i < QUESTIONS; i++) {
		struct blackout_range first = range_pick(k), second = range_pick(k);
		bool certain = !range_units(k, &first), ordered = truly_ordered(k, &first, &second);

		if (b->certain(b, first.file, first.offset, first.size) != certain)
			complain(k, "certain(%u, %llu, %llu) should be %d", first.file,
				 (unsigned long long)first.offset, (unsigned long long)first.size, certain);
		if (b->ordered(b, &first, &second) != ordered)
			complain(k, "ordered(%u+%llu %llu, %u+%llu %llu) should be %d", first.file,
				 (unsigned long long)first.offset, (unsigned long long)first.size, second.file,
				 (unsigned long long)second.offset, (unsigned long long)second.size, ordered);
		pending_check(k, &first);
		read_check(k, &first);
	}
}

/* ---- programs ---- */

/* Stores beyond the end of the file are lost; write(2) makes it longer. */
static void bytes_apply(struct check *k, const struct event *ev)
{
	struct blackout *b = &k->host.b;

	for (uint64_t i = 0; i < ev->size; i++)
		if ((ev->type == EVENT_STORE || ev->type == EVENT_CONTENT || ev->type == EVENT_FILE_WRITE) &&
		    (ev->type == EVENT_FILE_WRITE || ev->offset + i < b->file_size(b, ev->file)))
			k->bytes[ev->file][ev->offset + i] = ev->data[i];
	/* If a file is announced again, its content is given anew. */
	k->moved |= ev->type == EVENT_FILE_TRUNCATE || (ev->type == EVENT_FILE && b->file_size(b, ev->file));
}

/* Collapsing and inserting moves bytes, and `certain` is by place. */
static bool moves(const struct program *program)
{
	for (size_t i = 0; i < program->count; i++)
		if (program->events[i].type == EVENT_FILE_ALLOCATE)
			return true;
	return false;
}

static const char *check_program(const struct program *program, const char *platform, uint64_t number)
{
	static struct check k;

	if (moves(program))
		return NULL;
	memset(&k, 0, sizeof(k));
	k.random = number + 1;
	k.host.model = model_new(platform_find(platform), MODEL_STATES, &observer, &k);
	host_answers(&k.host);
	for (size_t i = 0; i < program->count && !k.problem[0]; i++) {
		bytes_apply(&k, &program->events[i]);
		model_apply(k.host.model, &program->events[i]);
		check_point(&k);
	}
	model_free(k.host.model);
	return k.problem;
}

static struct series series = {.test = "test_plugin_answers", .seed = 1, .programs = 6000, .check = check_program};

/* ---- questions that make no sense ---- */

static void odd_questions_are_answered(void **state)
{
	struct host h = {.model = model_new(platform_find("adr"), MODEL_STATES, NULL, NULL)};
	struct event file = {.type = EVENT_FILE, .file = 1, .size = 8192, .path = "/pm/file"};
	struct event store = {.type = EVENT_STORE, .file = 1, .size = 8, .data = (const uint8_t *)"12345678"};
	struct event map = {.type = EVENT_MAP, .file = 1, .addr = 0x10000, .size = 8192, .prot = 3, .flags = 1};
	struct blackout *b = &h.b;
	struct blackout_range all = {1, 0, UINT64_MAX}, none = {9, 5, 0}, end = {1, UINT64_MAX, UINT64_MAX};
	uint64_t offset;
	uint32_t id;
	char buffer[16];

	(void)state;
	host_answers(&h);
	model_apply(h.model, &file);
	model_apply(h.model, &map);
	model_apply(h.model, &store);
	assert_int_equal(b->certain(b, 1, 0, UINT64_MAX), 0);
	assert_int_equal(b->certain(b, 1, 8, 8000), 1);
	assert_int_equal(b->certain(b, 1, UINT64_MAX, UINT64_MAX), 1);
	assert_int_equal(b->certain(b, 12345, 0, 100), 1);
	assert_int_equal(b->ordered(b, &all, &all), 1);
	assert_int_equal(b->ordered(b, &all, &none), 0);
	assert_int_equal(b->ordered(b, &none, &all), 1);
	assert_int_equal(b->ordered(b, &end, &all), 1);
	assert_int_equal(b->pending(b, 1, 0, UINT64_MAX, NULL, 0), 1);
	assert_int_equal(b->read(b, 1, 8190, buffer, sizeof(buffer)), 2);
	assert_int_equal(b->read(b, 1, UINT64_MAX, buffer, sizeof(buffer)), 0);
	assert_int_equal(b->read(b, 77, 0, buffer, sizeof(buffer)), 0);
	assert_int_equal(b->file_size(b, 1), 8192);
	assert_int_equal(b->file_size(b, 2), 0);
	assert_int_equal(b->locate(b, 0, 0x10123, &id, &offset), 1);
	assert_int_equal(id, 1);
	assert_int_equal(offset, 0x123);
	assert_int_equal(b->locate(b, 0, 0x12000, &id, &offset), 0);
	assert_int_equal(b->locate(b, 5, 0x10123, &id, &offset), 0);
	model_free(h.model);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SERIES_TESTS(series),
		cmocka_unit_test(odd_questions_are_answered),
	};

	series_arguments(&series, argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
