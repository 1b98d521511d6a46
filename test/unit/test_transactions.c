/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The detector of transactions against a naive model: an array that says of each byte whether the transaction covers
 * it.  Random transactions, nested, committed and aborted, add ranges, allocate, and store.  Each call and each store has
 * a context of its own, so that a verdict tells what it is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "blackout/pmemobj.h"
#include "detect/detector.h"
#include "model/model.h"

enum { POOL = 0x10000000, POOL_BYTES = 1 << 16, HEAP = 4096, HEAP_BYTES = 256, STEPS = 4000, DEEPEST = 3 };

struct world {
	uint64_t random;
	struct sink *sink;
	void *detector;
	uint64_t number; /* of events */
	uint32_t context;
	unsigned depth;
	uint8_t bytes[HEAP_BYTES];
	bool covered[HEAP_BYTES];
	enum finding_kind expected[2 * STEPS]; /* by context; KIND_COUNT: nothing */
};

static void send(struct world *w, struct event ev)
{
	ev.thread = 1;
	detector_transactions.event(w->detector, &ev, ++w->number);
}

/* A call that returns `value`, and in `second` an object. */
static void call(struct world *w, enum bo_pmemobj_function function, const uint64_t *arguments, uint64_t value,
		 uint64_t second)
{
	uint64_t registers[BO_CALL_ARGUMENTS] = {0};
	struct event ev = {.type = EVENT_CALL, .unit = function, .context = w->context};

	if (arguments)
		memcpy(registers, arguments, 4 * sizeof(*arguments));
	ev.data = (const uint8_t *)registers;
	ev.size = sizeof(registers);
	send(w, ev);
	ev.type = EVENT_RETURN;
	ev.value = value;
	ev.second = second;
	send(w, ev);
}

static void begin(struct world *w)
{
	call(w, BO_PMEMOBJ_tx_begin, (uint64_t[4]){POOL}, 0, 0);
	w->depth++;
}

static void commit(struct world *w)
{
	call(w, BO_PMEMOBJ_tx_commit, NULL, 0, 0);
	call(w, BO_PMEMOBJ_tx_end, NULL, 0, 0);
	if (!--w->depth)
		memset(w->covered, 0, sizeof(w->covered));
}

/* The outer ones are aborted, too. */
static void abort_all(struct world *w)
{
	call(w, BO_PMEMOBJ_tx_abort, NULL, 0, 0);
	for (; w->depth; w->depth--)
		call(w, BO_PMEMOBJ_tx_end, NULL, 125, 0);
	memset(w->covered, 0, sizeof(w->covered));
}

static void random_range(struct world *w, uint64_t longest, uint64_t *from, uint64_t *size)
{
	*from = random_below(&w->random, HEAP_BYTES);
	*size = 1 + random_below(&w->random, longest);
	*size = *from + *size <= HEAP_BYTES ? *size : HEAP_BYTES - *from;
}

static void add(struct world *w)
{
	bool fails = random_below(&w->random, 8) == 0;
	uint64_t from, size;

	random_range(w, 40, &from, &size);
	for (uint64_t i = from; i < from + size && !fails; i++) {
		if (w->covered[i])
			w->expected[w->context] = KIND_REDUNDANT_LOG;
		w->covered[i] = true;
	}
	call(w, BO_PMEMOBJ_tx_xadd_range_direct, (uint64_t[4]){POOL + HEAP + from, size, fails ? 1 << 4 : 0},
	     fails ? 22 : 0, 0);
}

static void allocate(struct world *w)
{
	uint64_t from, size;

	random_range(w, 24, &from, &size);
	memset(w->covered + from, 1, size);
	call(w, BO_PMEMOBJ_tx_alloc, (uint64_t[4]){size}, 0, HEAP + from);
}

static void store(struct world *w)
{
	uint8_t value[16];
	uint64_t from, size;

	random_range(w, sizeof(value), &from, &size);
	for (uint64_t i = 0; i < size; i++) {
		value[i] = (uint8_t)(0xf0 + random_below(&w->random, 3));
		if (w->depth && !w->covered[from + i] && w->bytes[from + i] != value[i])
			w->expected[w->context] = KIND_UNLOGGED_STORE;
		w->bytes[from + i] = value[i];
	}
	send(w, (struct event){.type = EVENT_STORE,
			       .kind = BO_STORE_PLAIN,
			       .context = w->context,
			       .file = 1,
			       .addr = POOL + HEAP + from,
			       .offset = HEAP + from,
			       .size = size,
			       .data = value});
}

/* The headers of objects hold no plausible size, so that the size that was asked for counts. */
static void step(struct world *w)
{
	unsigned what = (unsigned)random_below(&w->random, 16);

	w->context++;
	if (what == 0 && w->depth < DEEPEST)
		begin(w);
	else if (w->depth && what == 1)
		commit(w);
	else if (w->depth && what == 2)
		abort_all(w);
	else if (w->depth && what < 6)
		add(w);
	else if (w->depth && what == 6)
		allocate(w);
	else
		store(w);
}

static void world_run(uint64_t seed)
{
	struct world w = {.random = random_seed(seed, 7), .sink = sink_new("transactions", "adr")};
	struct detector_scene scene = {.platform = platform_find("adr"), .sink = w.sink};
	enum finding_kind got[2 * STEPS];

	for (unsigned i = 0; i < 2 * STEPS; i++)
		w.expected[i] = got[i] = KIND_COUNT;
	w.detector = detector_transactions.begin(&scene);
	call(&w, BO_PMEMOBJ_open, NULL, POOL, 0);
	send(&w, (struct event){.type = EVENT_FILE, .file = 1, .size = POOL_BYTES, .path = "pool"});
	send(&w, (struct event){
			 .type = EVENT_MAP, .file = 1, .addr = POOL, .size = POOL_BYTES, .flags = 1 /* MAP_SHARED */});
	while (w.context < STEPS)
		step(&w);
	detector_transactions.end(w.detector);
	for (size_t i = 0; i < sink_count(w.sink); i++) {
		const struct sighting *s = &sink_at(w.sink, i)->first;

		if (s->kind != KIND_STORE_OUTSIDE_TRANSACTION)
			got[s->context] = s->kind;
	}
	for (unsigned i = 0; i < 2 * STEPS; i++)
		if (got[i] != w.expected[i])
			fail_msg("seed %llu, step %u: kind %d instead of %d", (unsigned long long)seed, i, (int)got[i],
				 (int)w.expected[i]);
	sink_free(w.sink);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++)
		world_run(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

	return cmocka_run_group_tests_name("transactions", tests, NULL, NULL);
}
