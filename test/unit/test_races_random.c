/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_races_random.c - the detector of races compared with a slow transcription of its rules (races_slow.h), on many
 * small random programs: one to three threads, a crash, and what recovery loads and stores, on both platforms.
 *
 *     test_races_random [SEED [NUMBER]]      one series of programs; one program of it.  RACES_SEED is a SEED too */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/random.h"
#include "races_slow.h"
#include "trace/op.h"

#define PROGRAMS 30000
#define MOST_EVENTS 26     /* and an announcement for each file */
#define COPY_CONTEXT 1000u /* contexts from here on are in a function that copies: 16 for each call */

static uint64_t seed = 1, only;

struct maker {
	struct event events[REFERENCE_EVENTS];
	uint8_t data[REFERENCE_EVENTS][32];
	size_t source[REFERENCE_EVENTS];
	size_t count;
	uint64_t random;
	unsigned threads, files, lines;
	unsigned units; /* how many may still be stored, so that there are few sets */
	uint64_t accesses;
	uint32_t copies;
	bool started[4];
};

static uint64_t roll(struct maker *m, uint64_t sides)
{
	return random_next(&m->random) % sides;
}

#define one_of(m, ...) \
	(((const uint64_t[]){__VA_ARGS__})[roll(m, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))])

static struct event *add(struct maker *m, enum event_type type, uint32_t thread)
{
	struct event *ev = &m->events[m->count];

	*ev = (struct event){.type = type, .thread = thread, .context = (uint32_t)m->count + 1};
	m->source[m->count] = m->count;
	m->count++;
	return ev;
}

/* ---- stores ---- */

static const uint64_t line_offset[] = {0, 64, 4032};

static unsigned units_of(uint64_t offset, uint64_t size)
{
	return (unsigned)((offset + size - 1) / 8 - offset / 8 + 1);
}

/* Most stores have a value of their own; some are silent. */
static void store_fill(struct maker *m, struct event *ev, uint32_t file, uint64_t offset, uint64_t size)
{
	size_t i = (size_t)(ev - m->events);

	memset(m->data[i], roll(m, 4) ? (int)i + 2 : (int)roll(m, 2), sizeof(m->data[i]));
	ev->data = m->data[i];
	ev->file = file;
	ev->offset = offset;
	ev->addr = 0x10000 * file + offset;
	ev->size = size;
	m->units -= units_of(offset, size);
}

static void access_fill(struct maker *m, struct event *ev, enum bo_atomicity atomicity)
{
	ev->atomicity = atomicity;
	if (atomicity == BO_ATOMICITY_UNKNOWN)
		return;
	ev->access = ++m->accesses;
	ev->access_addr = ev->addr;
	ev->access_size = ev->size;
}

/* An access that is stored in two parts, perhaps with something of the thread between them. */
static void add_parts(struct maker *m, uint32_t thread, uint32_t file, uint64_t offset)
{
	enum bo_atomicity atomicity = one_of(m, BO_ATOMICITY_PLAIN, BO_ATOMICITY_PLAIN, BO_ATOMICITY_VOLATILE);
	uint64_t size = one_of(m, 2, 4, 8), first = m->count;
	struct event *ev = add(m, EVENT_STORE, thread);

	store_fill(m, ev, file, offset, size);
	access_fill(m, ev, atomicity);
	ev->access_size = 2 * size;
	if (roll(m, 3) == 0)
		add(m, one_of(m, EVENT_SFENCE, EVENT_LOAD), thread);
	ev = add(m, EVENT_STORE, thread);
	m->source[m->count - 1] = first;
	store_fill(m, ev, file, offset + size, size);
	ev->atomicity = atomicity;
	ev->access = m->accesses;
	ev->access_addr = ev->addr - size;
	ev->access_size = 2 * size;
}

/* Two instructions of a library copy something for their caller. */
static void add_copy(struct maker *m, uint32_t thread, uint32_t file, uint64_t offset)
{
	uint64_t size = one_of(m, 4, 8), overlap = one_of(m, 0, 0, 2, size), first = m->count;
	uint32_t context = COPY_CONTEXT + 16 * ++m->copies;
	struct event *ev = add(m, EVENT_STORE, thread);

	store_fill(m, ev, file, offset + size - overlap, size);
	ev->context = context;
	if (roll(m, 4) == 0)
		add(m, EVENT_LOAD, thread);
	ev = add(m, EVENT_STORE, thread);
	store_fill(m, ev, file, offset, size);
	ev->context = context + 1;
	m->source[m->count - 1] = first;
	if (roll(m, 3))
		return;
	/* The next call at the same place, which is not a part of this one. */
	if (m->units < 3)
		return;
	ev = add(m, EVENT_STORE, thread);
	store_fill(m, ev, file, offset + size, 8);
	ev->context = context + 1;
}

static void add_atomic(struct maker *m, uint32_t thread, uint32_t file, uint64_t offset)
{
	uint64_t size = one_of(m, 1, 4, 8, 8);
	bool update = roll(m, 3) == 0;
	struct event *ev = add(m, EVENT_SYNC, thread);

	offset -= offset % size;
	ev->flags = update ? BO_ACT_ATOMIC_UPDATE : BO_ACT_ATOMIC_STORE;
	ev->order = (enum bo_order)(update ? roll(m, BO_ORDER_COUNT)
					   : one_of(m, BO_ORDER_RELAXED, BO_ORDER_RELEASE, BO_ORDER_SEQ_CST));
	ev->file = file;
	ev->offset = offset;
	ev->value = 0x10000 * file + offset;
	ev = add(m, EVENT_STORE, thread);
	ev->order = ev[-1].order;
	ev->kind = update || roll(m, 4) == 0 ? BO_STORE_LOCKED : BO_STORE_PLAIN;
	store_fill(m, ev, file, offset, size);
	access_fill(m, ev, BO_ATOMICITY_ATOMIC);
}

static void add_plain(struct maker *m, uint32_t thread, uint32_t file, uint64_t offset)
{
	static const enum bo_store_kind kinds[] = {BO_STORE_PLAIN,  BO_STORE_PLAIN,       BO_STORE_PLAIN,
						   BO_STORE_PLAIN,  BO_STORE_NONTEMPORAL, BO_STORE_LOCKED,
						   BO_STORE_STRING, BO_STORE_KERNEL};
	uint64_t size = one_of(m, 1, 2, 4, 8, 8, 8, 8, 16);
	struct event *ev;

	offset -= roll(m, 4) ? offset % (size < 8 ? size : 8) : 0;
	ev = add(m, EVENT_STORE, thread);
	ev->kind = kinds[roll(m, sizeof(kinds) / sizeof(*kinds))];
	store_fill(m, ev, file, offset, size);
	if (ev->kind != BO_STORE_LOCKED && ev->kind != BO_STORE_KERNEL)
		access_fill(m, ev,
			    one_of(m, BO_ATOMICITY_PLAIN, BO_ATOMICITY_PLAIN, BO_ATOMICITY_PLAIN, BO_ATOMICITY_VOLATILE,
				   BO_ATOMICITY_UNKNOWN));
}

static void add_store(struct maker *m, uint32_t thread)
{
	uint32_t file = 1 + (uint32_t)roll(m, m->files);
	uint64_t offset = line_offset[roll(m, m->lines)] + one_of(m, 0, 0, 8, 8, 16, 24, 5, 48, 56, 60);

	if (m->units < 4)
		return;
	switch (roll(m, 10)) {
	case 0: add_parts(m, thread, file, offset); break;
	case 1: add_copy(m, thread, file, offset); break;
	case 2:
	case 3:
	case 4: add_atomic(m, thread, file, offset); break;
	case 5:
		if (roll(m, 3) == 0) {
			store_fill(m, add(m, EVENT_FILE_WRITE, thread), file, offset, 8);
			break;
		}
		/* fall through */
	default: add_plain(m, thread, file, offset); break;
	}
}

/* ---- flushes and synchronization ---- */

static void add_flush(struct maker *m, uint32_t thread)
{
	struct event *ev = add(m, one_of(m, EVENT_CLWB, EVENT_CLWB, EVENT_CLFLUSHOPT, EVENT_CLFLUSH), thread);

	ev->file = 1 + (uint32_t)roll(m, m->files);
	ev->offset = line_offset[roll(m, m->lines)] + roll(m, 64);
	if (roll(m, 2))
		add(m, one_of(m, EVENT_SFENCE, EVENT_MFENCE, EVENT_LOCKED), thread);
}

static void add_file_sync(struct maker *m, uint32_t thread)
{
	struct event *ev = add(m, one_of(m, EVENT_FILE_SYNC, EVENT_MSYNC), thread);

	ev->file = 1 + (uint32_t)roll(m, m->files);
	if (ev->type == EVENT_FILE_SYNC) {
		ev->flags = (uint32_t)roll(m, BO_SYNC_COUNT);
		ev->file = ev->flags == BO_SYNC_SYNC ? 0 : ev->file;
		return;
	}
	ev->flags = roll(m, 4) ? MS_SYNC : MS_ASYNC;
	ev->offset = one_of(m, 0, 100, 4095, 4096);
	ev->size = one_of(m, 1, 64, 5000);
}

static void add_act(struct maker *m, uint32_t thread)
{
	static const enum bo_sync_act acts[] = {BO_ACT_ATOMIC_LOAD,  BO_ACT_ATOMIC_LOAD,  BO_ACT_ATOMIC_LOAD,
						BO_ACT_ATOMIC_STORE, BO_ACT_ATOMIC_STORE, BO_ACT_ATOMIC_UPDATE,
						BO_ACT_FENCE,        BO_ACT_ACQUIRE,      BO_ACT_RELEASE,
						BO_ACT_JOIN};
	struct event *ev = add(m, EVENT_SYNC, thread);

	ev->flags = acts[roll(m, sizeof(acts) / sizeof(*acts))];
	ev->order = (enum bo_order)roll(m, BO_ORDER_COUNT);
	if (ev->flags == BO_ACT_JOIN) {
		ev->value = 1 + roll(m, m->threads);
		if (ev->value == thread || !m->started[ev->value])
			m->count--;
		return;
	}
	ev->value = ev->flags == BO_ACT_FENCE ? 0 : 0x100 + roll(m, 2);
	/* An object in PM that a store may have released. */
	if (ev->flags == BO_ACT_ATOMIC_LOAD && roll(m, 2)) {
		ev->file = 1;
		ev->offset = line_offset[roll(m, m->lines)] + one_of(m, 0, 8, 16, 24);
		ev->value = 0x10000 + ev->offset;
	}
	if (ev->flags == BO_ACT_ATOMIC_UPDATE && roll(m, 2))
		add(m, EVENT_LOCKED, thread);
}

static void add_any(struct maker *m)
{
	uint32_t thread = 1 + (uint32_t)roll(m, m->threads);

	if (!m->started[thread] && roll(m, 2)) {
		struct event *ev = add(m, EVENT_THREAD_START, thread);

		ev->value = thread == 1 ? 0 : 1 + roll(m, thread - 1);
	}
	m->started[thread] = true;
	switch (roll(m, 12)) {
	case 0:
	case 1:
	case 2: add_flush(m, thread); break;
	case 3: add(m, one_of(m, EVENT_SFENCE, EVENT_MFENCE, EVENT_LOCKED), thread); break;
	case 4: add_act(m, thread); break;
	case 5:
	case 6: add_act(m, m->threads > 1 ? thread : 1); break;
	case 7:
		if (roll(m, 4) == 0) {
			add_file_sync(m, thread);
			break;
		}
		/* fall through */
	default: add_store(m, thread); break;
	}
}

static void program_make(struct maker *m, uint64_t number)
{
	memset(m, 0, sizeof(*m));
	m->random = random_seed(seed, number);
	m->threads = one_of(m, 1, 2, 2, 3);
	m->files = one_of(m, 1, 1, 1, 2);
	m->lines = one_of(m, 1, 1, 2, 3);
	m->units = 11;
	for (uint32_t file = 1; file <= m->files; file++) {
		struct event *ev = add(m, EVENT_FILE, 1);

		ev->file = file;
		ev->size = REFERENCE_BYTES;
	}
	for (size_t events = 4 + roll(m, MOST_EVENTS - 8); m->count < events;)
		add_any(m);
}

static void steps_make(struct maker *m, struct slow_input *in)
{
	in->step_count = 1 + roll(m, SLOW_LOADS);
	for (size_t i = 0; i < in->step_count; i++) {
		const struct event *ev = &m->events[roll(m, m->count)];
		struct slow_step *step = &in->steps[i];

		*step = (struct slow_step){.file = 1, .offset = line_offset[roll(m, m->lines)], .size = 8};
		if (ev->type == EVENT_STORE)
			*step = (struct slow_step){.file = ev->file, .offset = ev->offset, .size = ev->size};
		if (roll(m, 4) == 0)
			step->size = one_of(m, 1, 3, 8, 16, 64);
		step->stores = roll(m, 8) == 0;
		step->silent = !step->stores && roll(m, 10) == 0;
	}
}

static void program_print(const struct maker *m, const struct slow_input *in)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct event *ev = &m->events[i];

		printf("%zu t%u %s %u+%#llx %llu", i + 1, ev->thread, op_name(op_of(ev)), ev->file,
		       (unsigned long long)ev->offset, (unsigned long long)ev->size);
		printf(" value %#llx flags %u order %u atomicity %u access %llu source %zu context %u\n",
		       (unsigned long long)ev->value, ev->flags, ev->order, ev->atomicity,
		       (unsigned long long)ev->access, m->source[i] + 1, ev->context);
	}
	for (unsigned u = 0; u < in->reference->unit_count; u++)
		printf("unit of event %u, word %#llx: %s\n", in->reference->units[u].event,
		       (unsigned long long)in->reference->units[u].word * 8,
		       in->state >> u & 1 ? "on media" : "not on media");
	for (size_t i = 0; i < in->step_count; i++)
		printf("recovery %zu: %s %u+%#llx %llu%s\n", i, in->steps[i].stores ? "stores" : "loads",
		       in->steps[i].file, (unsigned long long)in->steps[i].offset,
		       (unsigned long long)in->steps[i].size, in->steps[i].silent ? " silently" : "");
}

/* ---- the detector ---- */

struct found {
	struct slow_race races[SLOW_RACES];
	size_t count;
};

static void on_race(void *arg, const struct race *race)
{
	struct found *found = arg;

	assert_true(found->count < SLOW_RACES);
	found->races[found->count++] = (struct slow_race){
		.source = race->event - 1,
		.step = race->load->context - 1,
		.reasons = 1u << race->reason,
		.several = race->units > 1,
	};
}

static uint32_t caller_of(void *arg, uint32_t context)
{
	(void)arg;
	return context < COPY_CONTEXT ? 0 : context / 16;
}

static void reader_lose(struct race_reader *reader, const struct reference_unit *unit)
{
	uint64_t from = 0, to = 8;

	while (!unit->has[from])
		from++;
	while (!unit->has[to - 1])
		to--;
	race_reader_lose(reader, unit->event, unit->file, unit->word * 8 + from, to - from);
}

static void races_find(const struct slow_input *in, struct found *found)
{
	bool adr = in->platform == REFERENCE_ADR;
	struct race_history *history = race_history_new(platform_find(adr ? "adr" : "eadr"), caller_of, NULL);
	struct race_reader *reader;

	for (size_t i = 0; i < in->count; i++)
		race_history_event(history, &in->events[i], i + 1);
	reader = race_reader_new(history, on_race, found);
	for (unsigned u = 0; u < in->reference->unit_count; u++)
		if (!(in->state >> u & 1))
			reader_lose(reader, &in->reference->units[u]);
	for (size_t i = 0; i < in->step_count; i++) {
		const struct slow_step *step = &in->steps[i];

		if (step->stores)
			race_reader_store(reader, step->file, step->offset, step->size);
		else
			race_reader_load(reader, &(struct race_load){.file = step->file,
								     .offset = step->offset,
								     .size = step->size,
								     .context = (uint32_t)i + 1,
								     .silent = step->silent});
	}
	race_reader_free(reader);
	race_history_free(history);
}

/* ---- the comparison ---- */

static const struct slow_race *race_in(const struct slow_race *races, size_t count, const struct slow_race *race)
{
	for (size_t i = 0; i < count; i++)
		if (races[i].source == race->source && races[i].step == race->step)
			return &races[i];
	return NULL;
}

/* Return whether both are the same; print what differs. */
static bool races_agree(const struct found *fast, const struct slow_race *slow, size_t slow_count)
{
	bool same = true;

	for (size_t i = 0; i < fast->count; i++) {
		const struct slow_race *other = race_in(slow, slow_count, &fast->races[i]);

		if (other && other->several == fast->races[i].several && other->reasons & fast->races[i].reasons)
			continue;
		printf("event %zu, recovery %zu: the detector reports a race, reason %#x%s; the rules say %#x\n",
		       fast->races[i].source + 1, fast->races[i].step, fast->races[i].reasons,
		       fast->races[i].several ? " in several units" : "", other ? other->reasons : 0);
		same = false;
	}
	for (size_t i = 0; i < slow_count; i++) {
		if (race_in(fast->races, fast->count, &slow[i]))
			continue;
		printf("event %zu, recovery %zu: the detector reports no race; reason %#x\n", slow[i].source + 1,
		       slow[i].step, slow[i].reasons);
		same = false;
	}
	return same;
}

struct seen {
	size_t programs, races, reasons[4], several, lost;
};

static void program_check(uint64_t number, enum reference_platform platform, struct seen *seen)
{
	static struct maker m;
	static struct slow_race slow[SLOW_RACES];
	static struct found fast;
	struct slow_input in = {.platform = platform};
	size_t slow_count;

	program_make(&m, number);
	in.events = m.events;
	in.count = m.count;
	in.source = m.source;
	in.reference = reference_run(m.events, m.count, platform);
	in.state =
		in.reference->points[m.count].sets[roll(&m, roll(&m, 3) ? in.reference->points[m.count].set_count : 1)];
	if (roll(&m, 3) == 0)
		in.state = in.reference->points[m.count].universe;
	steps_make(&m, &in);
	slow_count = races_slow(&in, slow);
	fast.count = 0;
	races_find(&in, &fast);
	if (only)
		program_print(&m, &in);
	if (!races_agree(&fast, slow, slow_count)) {
		program_print(&m, &in);
		fail_msg("%s: run test_races_random %llu %llu", platform == REFERENCE_ADR ? "adr" : "eadr",
			 (unsigned long long)seed, (unsigned long long)number);
	}
	seen->programs++;
	seen->races += slow_count;
	for (size_t i = 0; i < slow_count; i++) {
		seen->several += slow[i].several;
		for (unsigned r = 0; r < 4; r++)
			seen->reasons[r] += slow[i].reasons >> r & 1;
	}
	reference_free((struct reference *)in.reference);
}

static void random_programs(void **state)
{
	struct seen seen[2] = {0};

	(void)state;
	for (uint64_t number = only ? only : 1; number <= (only ? only : PROGRAMS); number++) {
		program_check(number, REFERENCE_ADR, &seen[0]);
		program_check(number, REFERENCE_EADR, &seen[1]);
	}
	if (only)
		return;
	for (unsigned i = 0; i < 2; i++)
		print_message(
			"%zu programs, %zu races: unproved %zu, unfenced %zu, unordered %zu, unflushed %zu; in several "
			"units %zu\n",
			seen[i].programs, seen[i].races, seen[i].reasons[RACE_UNPROVED], seen[i].reasons[RACE_UNFENCED],
			seen[i].reasons[RACE_UNORDERED], seen[i].reasons[RACE_UNFLUSHED], seen[i].several);
	/* The comparison is worth something only if there is something to find. */
	for (unsigned r = 0; r < 4; r++)
		assert_true(seen[0].reasons[r] > PROGRAMS / 100);
	assert_true(seen[1].races > PROGRAMS / 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};

	if (argc > 1 || getenv("RACES_SEED"))
		seed = strtoull(argc > 1 ? argv[1] : getenv("RACES_SEED"), NULL, 10);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
