/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inference against a slow and simple version of itself, on random loads and stores with random labels: the same
 * invariants between store sites, with the same counts and distances, and the same answers about bytes. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/random.h"
#include "builder.h"
#include "invariants/invariants.h"
#include "scratch.h"

#define A ((uint64_t)0x7f0000000000)
#define POOL 0x3000u
#define SITES 4u
#define READS 12u
#define LABELS 10u
#define LABEL_READS 4u
#define EVENTS 120u
#define PROGRAMS 100u
#define QUESTIONS 60u
#define FAR 1024 /* doc/INVARIANTS.md */

struct range {
	uint64_t offset, size;
};

struct access {
	bool is_store;
	uint32_t site;
	struct range at;
	unsigned data, control; /* labels; 0: none */
};

/* One random program. */
static struct {
	struct range reads[READS + 1];
	unsigned label_counts[LABELS + 1], labels[LABELS + 1][LABEL_READS];
	struct access events[EVENTS];
} p;

/* ---- making it ---- */

static struct range range_make(uint64_t *random)
{
	static const uint64_t bases[] = {0, 0x20, 0x400, 0xff0, 0x1000, 0x2800};
	static const uint64_t sizes[] = {1, 2, 4, 8, 8, 8, 16, 32};
	uint64_t base = bases[random_below(random, 6)];

	return (struct range){base + random_below(random, 24), sizes[random_below(random, 8)]};
}

/* Loads by the same code from the same place are one read. */
static bool read_is_known(unsigned count, struct range at)
{
	for (unsigned i = 1; i <= count; i++)
		if (p.reads[i].offset == at.offset && p.reads[i].size == at.size)
			return true;
	return false;
}

static void program_make(uint64_t *random)
{
	memset(&p, 0, sizeof(p));
	for (unsigned i = 1; i <= READS; i++)
		do
			p.reads[i] = range_make(random);
		while (read_is_known(i - 1, p.reads[i]));
	for (unsigned i = 1; i <= LABELS; i++) {
		unsigned read = 0;

		while (p.label_counts[i] < LABEL_READS && (read += 1 + (unsigned)random_below(random, 6)) <= READS)
			p.labels[i][p.label_counts[i]++] = read;
	}
	for (unsigned i = 0; i < EVENTS; i++)
		p.events[i] = (struct access){.is_store = random_below(random, 2),
					      .site = 1 + (uint32_t)random_below(random, SITES),
					      .at = range_make(random),
					      .data = (unsigned)random_below(random, LABELS + 1),
					      .control = (unsigned)random_below(random, LABELS + 1)};
}

static void label_write(struct builder *b, unsigned label)
{
	uint8_t bytes[LABEL_READS], *at = bytes;
	unsigned last = 0;

	for (unsigned i = 0; i < p.label_counts[label]; i++) {
		at = bo_put_v(at, p.labels[label][i] - last);
		last = p.labels[label][i];
	}
	builder_put(b, BO_OP_DEF_LABEL, 0, p.label_counts[label], BUILDER_P(bytes), (uint64_t)(at - bytes));
}

static void program_write(const char *dir)
{
	static const uint8_t value[32];
	struct builder b;

	builder_start(&b, 0, BO_LAYER_LOADS | BO_LAYER_DEPENDENCIES);
	builder_put(&b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0, 1, 1, BUILDER_P("/bin/program"));
	for (uint64_t site = 1; site <= SITES; site++)
		builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, 0x10 * site);
	builder_put(&b, BO_OP_DEF_FILE, 8, 77, POOL, 0, BUILDER_P("/pm/pool"));
	builder_put(&b, BO_OP_MAP, 1, 1, A, POOL, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	for (unsigned i = 1; i <= READS; i++)
		builder_put(&b, BO_OP_DEF_READ, 1, A + p.reads[i].offset, p.reads[i].size);
	for (unsigned i = 1; i <= LABELS; i++)
		label_write(&b, i);
	for (unsigned i = 0; i < EVENTS; i++) {
		const struct access *access = &p.events[i];
		struct event ev = {.context = access->site,
				   .addr = A + access->at.offset,
				   .size = access->at.size,
				   .data = value};

		if (access->data || access->control)
			builder_put(&b, BO_OP_DEPENDS, access->data, access->control);
		if (access->is_store)
			builder_store(&b, &ev);
		else
			builder_load(&b, &ev);
	}
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
}

/* ---- the slow version ---- */

/* What is known about a rule and two sites. */
struct known {
	uint64_t seen;
	bool anywhere, shown; /* shown: by the access at hand */
	int64_t distances[INVARIANT_DISTANCES];
	size_t count;
};

static struct known known[INVARIANT_RULE_COUNT][SITES + 1][SITES + 1];
static const struct access *writer[POOL];

static bool overlap(struct range a, struct range b)
{
	return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

static void distance_note(struct known *k, int64_t distance)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->distances[i] == distance)
			return;
	if (llabs(distance) > FAR || k->count == INVARIANT_DISTANCES)
		k->anywhere = true;
	else
		k->distances[k->count++] = distance;
}

static void pair_note(enum invariant_rule rule, const struct access *first, const struct access *second)
{
	struct known *k = &known[rule][first->site][second->site];

	if (overlap(first->at, second->at))
		return;
	k->shown = true;
	distance_note(k, (int64_t)(second->at.offset - first->at.offset));
}

/* Every byte of what is read with every byte of what is accessed. */
static void read_note(enum invariant_rule rule, const struct access *access, struct range read)
{
	if (overlap(read, access->at))
		return;
	for (uint64_t x = read.offset; x < read.offset + read.size; x++) {
		if (!writer[x])
			continue;
		if (rule != INVARIANT_RO3) {
			pair_note(rule, writer[x], access);
			continue;
		}
		known[INVARIANT_RA1][writer[x]->site][writer[x]->site].shown = true;
		known[INVARIANT_RA1][writer[x]->site][writer[x]->site].anywhere = true;
		for (uint64_t y = access->at.offset; y < access->at.offset + access->at.size; y++)
			if (writer[y])
				pair_note(rule, writer[y], writer[x]);
	}
}

static void label_note(enum invariant_rule rule, const struct access *access, unsigned label)
{
	for (unsigned i = 0; i < p.label_counts[label]; i++)
		read_note(rule, access, p.reads[p.labels[label][i]]);
	for (unsigned r = 0; r < INVARIANT_RULE_COUNT; r++)
		for (unsigned a = 1; a <= SITES; a++)
			for (unsigned b = 1; b <= SITES; b++) {
				known[r][a][b].seen += known[r][a][b].shown;
				known[r][a][b].shown = false;
			}
}

static void slow_infer(void)
{
	memset(known, 0, sizeof(known));
	memset(writer, 0, sizeof(writer));
	for (unsigned i = 0; i < EVENTS; i++) {
		const struct access *access = &p.events[i];

		if (!access->is_store) {
			label_note(INVARIANT_RO3, access, access->control);
			continue;
		}
		label_note(INVARIANT_RO1, access, access->data);
		label_note(INVARIANT_RO2, access, access->control);
		for (uint64_t x = access->at.offset; x < access->at.offset + access->at.size; x++)
			writer[x] = access;
	}
}

/* How often an access to bytes of `at` depended on a read of bytes of `on`. */
static uint64_t slow_seen(enum invariant_rule rule, struct range at, struct range on)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < EVENTS; i++) {
		const struct access *access = &p.events[i];
		unsigned label = rule == INVARIANT_RO1 ? access->data : access->control;

		if (access->is_store == (rule == INVARIANT_RO3) || !overlap(access->at, at))
			continue;
		for (unsigned k = 0; k < p.label_counts[label]; k++)
			seen += overlap(p.reads[p.labels[label][k]], on);
	}
	return seen;
}

/* ---- comparing ---- */

static void lifted_compare(const struct invariants *inv)
{
	size_t count = 0;

	for (size_t i = 0; i < invariants_count(inv); i++) {
		const struct invariant *got = invariants_at(inv, i);
		const struct known *k = &known[got->rule][got->first.offset / 0x10][got->second.offset / 0x10];

		assert_int_equal(got->seen, k->seen);
		assert_int_equal(got->anywhere, k->anywhere);
		/* Beyond the limit, which distances are kept depends on the order of the reads. */
		if (k->anywhere)
			continue;
		assert_int_equal(got->distance_count, k->count);
		for (size_t d = 0; d < k->count; d++) {
			bool found = false;

			for (size_t e = 0; e < k->count; e++)
				found |= got->distances[e] == k->distances[d];
			assert_true(found);
		}
	}
	for (unsigned r = 0; r < INVARIANT_RULE_COUNT; r++)
		for (unsigned a = 1; a <= SITES; a++)
			for (unsigned b = 1; b <= SITES; b++)
				count += known[r][a][b].seen > 0;
	assert_int_equal(invariants_count(inv), count);
}

static void bytes_compare(struct invariants *inv, uint64_t *random)
{
	struct invariant_match matches[INVARIANT_ORDERINGS];
	struct range a = range_make(random), b = range_make(random);
	struct event first = {.type = EVENT_STORE, .file = 1, .offset = a.offset, .size = a.size};
	struct event second = {.type = EVENT_STORE, .file = 1, .offset = b.offset, .size = b.size};
	struct store_place from = invariants_place(inv, &first), to = invariants_place(inv, &second);
	size_t count = invariants_orders(inv, &from, &to, matches);
	uint64_t expected[] = {slow_seen(INVARIANT_RO1, b, a), slow_seen(INVARIANT_RO2, b, a),
			       slow_seen(INVARIANT_RO3, a, b)};

	if (overlap(a, b)) {
		assert_int_equal(count, 0);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(matches[i].scope, INVARIANT_ADDRESS);
		assert_int_equal(matches[i].seen, expected[matches[i].rule]);
	}
	assert_int_equal(count, (expected[0] > 0) + (expected[1] > 0) + (expected[2] > 0));
}

static void test_random(void **state)
{
	uint64_t random = random_seed(1, 0);

	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct invariants *inv = invariants_new();
		struct trace *trace;
		struct event ev;
		struct err err;

		program_make(&random);
		program_write(*state);
		slow_infer();
		trace = scratch_open(*state);
		invariants_begin(inv, trace);
		while (trace_next(trace, &ev, &err) > 0)
			invariants_event(inv, &ev);
		lifted_compare(inv);
		for (unsigned k = 0; k < QUESTIONS; k++)
			bytes_compare(inv, &random);
		invariants_free(inv);
		trace_close(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {scratch_test(test_random)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
