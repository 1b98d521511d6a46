/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.c - see engine.h. */
#include "engine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "builder.h"

#define BASE 0x10000000u

/* Recording */

static uint32_t word_place(const struct engine *e, const char *word)
{
	for (uint32_t i = 0; i < e->word_count; i++)
		if (!strcmp(e->words[i], word))
			return i + 1;
	return 0;
}

uint32_t engine_place(const struct engine *e, const char *word)
{
	uint32_t place = word_place(e, word);

	assert_true(place);
	return place;
}

static uint64_t line_offset(uint64_t stride, char line)
{
	return (uint64_t)(tolower(line) - 'a') * stride + (isupper(line) ? 8 : 0);
}

static uint32_t word_define(struct engine *e, struct builder *b, const char *word)
{
	uint32_t place = word_place(e, word);

	if (place)
		return place;
	assert_true(e->word_count < ENGINE_WORDS);
	strcpy(e->words[e->word_count++], word);
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x10 * e->word_count);
	return e->word_count;
}

static void word_record(struct engine *e, struct builder *b, const char *word, uint64_t values[128])
{
	char line = word[strlen(word) - 1];
	uint64_t addr = BASE + (isalpha(line) ? line_offset(e->stride, line) : 0);
	uint32_t place = word_define(e, b, word);

	switch (*word) {
	case '[': builder_put(b, BO_OP_OPERATION_BEGIN, place, (uint64_t)(word[1] - '0'), BUILDER_P("")); break;
	case ']': builder_put(b, BO_OP_OPERATION_END, place, (uint64_t)(word[1] - '0')); break;
	case '<': builder_put(b, BO_OP_CLWB, place, addr); break;
	case '?': builder_load(b, &(struct event){.context = place, .addr = addr, .size = 8}); break;
	case '!': builder_put(b, BO_OP_CLFLUSH, place, addr); break;
	case '|': builder_put(b, BO_OP_SFENCE, place); break;
	case '@': builder_put(b, BO_OP_MSYNC, place, BASE, FAKE_POOL, MS_SYNC); break;
	case '$': builder_put(b, BO_OP_EXIT, 0); break;
	default:
		assert_true(isalpha(line));
		values[(unsigned)line]++;
		builder_store(b, &(struct event){.kind = *word == '~' ? BO_STORE_NONTEMPORAL : BO_STORE_PLAIN,
						 .context = place,
						 .addr = addr,
						 .size = 8,
						 .data = (const uint8_t *)&values[(unsigned)line]});
	}
}

/* Values go on where the pool has them. */
static void values_read(const struct engine *e, const uint8_t *pool, uint64_t values[128])
{
	for (char line = 'a'; line <= 'z' && line_offset(e->stride, line) + 16 <= FAKE_POOL; line++) {
		memcpy(&values[(unsigned)line], pool + line_offset(e->stride, line), 8);
		memcpy(&values[(unsigned)toupper(line)], pool + line_offset(e->stride, line) + 8, 8);
	}
}

static void program_record(struct engine *e, const char *dir, const uint8_t *pool, const char *program)
{
	uint64_t values[128] = {0};
	struct builder b;
	char word[3];
	int used;

	if (pool)
		values_read(e, pool, values);
	builder_start(&b, 0, BO_LAYER_LOADS | BO_LAYER_OPERATIONS);
	builder_put(&b, BO_OP_DEF_MODULE, 0x400000, 4096, 0, 1, 1, BUILDER_P("/nowhere/kv"));
	builder_put(&b, BO_OP_DEF_FILE, 7, 8, FAKE_POOL, 0, BUILDER_P("/pm/pool"));
	if (pool)
		builder_put(&b, BO_OP_CONTENT, 1, 0, BUILDER_P(pool), FAKE_POOL);
	builder_put(&b, BO_OP_MAP, 0, 1, BASE, FAKE_POOL, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	for (; sscanf(program, " %2s%n", word, &used) == 1; program += used)
		word_record(e, &b, word, values);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
}

void engine_record(const char *dir, const uint8_t *pool, const char *program)
{
	struct engine words = {.stride = 64};

	program_record(&words, dir, pool, program);
}

static void survey_make(struct engine *e)
{
	struct trace *trace = scratch_open(e->dir);
	struct event ev;
	uint64_t number = 0;

	e->survey = survey_new(POINTS_PERSIST);
	while (trace_next(trace, &ev, &e->err) > 0)
		survey_event(e->survey, &ev, ++number);
	survey_end(e->survey);
	trace_close(trace);
}

static void engine_start(struct engine *e, const char *dir, const char *program, uint64_t stride)
{
	static const struct platform *adr;

	adr = platform_find("adr");
	*e = (struct engine){.stride = stride};
	snprintf(e->dir, sizeof(e->dir), "%s/recording", dir);
	snprintf(e->out, sizeof(e->out), "%s/out", dir);
	assert_int_equal(mkdir(e->dir, 0777), 0);
	assert_int_equal(mkdir(e->out, 0777), 0);
	program_record(e, e->dir, NULL, program);
	survey_make(e);
	e->options = (struct campaign_options){
		.dir = e->dir,
		.out = e->out,
		.platforms = &adr,
		.platform_count = 1,
		.recover = "fake",
		.depends = "fake",
		.timeout = 1,
		.jobs = 1,
		.visits = 1,
		.per_segment = 1 << 16,
		.representatives = 1,
	};
	engine_use(e, ENGINE_INJECT);
}

void engine_use(struct engine *e, enum engine_strategies which)
{
	static const struct strategy *const both[] = {&strategy_inject, &strategy_explore};

	e->options.strategies = which == ENGINE_EXPLORE ? &both[1] : both;
	e->options.strategy_count = which == ENGINE_BOTH ? 2 : 1;
}

struct explore_figures engine_figures(const struct engine *e)
{
	const struct campaign_options *o = &e->campaign->options;

	return explored_figures(e->campaign->choosers[o->strategy_count - 1].state, o->platform_count);
}

void engine_make(struct engine *e, const char *dir, const char *program)
{
	engine_start(e, dir, program, 64);
}

void engine_make_pages(struct engine *e, const char *dir, const char *program)
{
	engine_start(e, dir, program, 4096);
}

/* Running */

static void campaign_end_it(struct engine *e)
{
	campaign_free(e->campaign);
	e->campaign = NULL;
	fake_free(&e->fake);
	e->fake.submitted = e->fake.recorded = e->fake.stacks = e->fake.opened = e->fake.closed = 0;
}

int engine_try(struct engine *e)
{
	campaign_end_it(e);
	e->maker = fake_maker(&e->fake);
	e->options.maker = &e->maker;
	e->options.stop = fake_stop(&e->fake);
	return campaign_run(&e->campaign, &e->options, e->survey, &e->err);
}

void engine_run(struct engine *e)
{
	if (engine_try(e) < 0)
		fail_msg("%s", e->err.sentence);
}

void engine_free(struct engine *e)
{
	campaign_end_it(e);
	survey_free(e->survey);
}

/* What was found */

void expect_detectors(const struct engine *e, size_t result, const char *detectors)
{
	const char *names[STRATEGY_SET_MAX];
	struct crash_sighting s = result_sighting(e->campaign, &e->campaign->results.all.at[result], NULL, names);
	char text[200] = "";

	for (size_t i = 0; i < s.detector_count; i++) {
		strcat(text, i ? "," : "");
		strcat(text, s.detectors[i]);
	}
	assert_string_equal(text, detectors);
}

/* What was run */

uint64_t pool_at(const uint8_t *pool, char line)
{
	uint64_t value;

	memcpy(&value, pool + line_offset(64, line), sizeof(value));
	return value;
}

struct ending passes(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)pool;
	(void)patience;
	return FAKE_PASS;
}

struct ending b_needs_a(void *arg, const uint8_t *pool, unsigned patience)
{
	(void)arg;
	(void)patience;
	return pool_at(pool, 'b') && !pool_at(pool, 'a') ? FAKE_FAIL : FAKE_PASS;
}

static bool run_has(const struct engine *e, const struct fake_run *run, const char *values)
{
	unsigned long long value;
	uint64_t there;
	char line;
	int used;

	for (; sscanf(values, " %c%llu%n", &line, &value, &used) == 2; values += used) {
		memcpy(&there, run->pool + line_offset(e->stride, line), sizeof(there));
		if (there != value)
			return false;
	}
	return true;
}

size_t engine_count(const struct engine *e, const char *values)
{
	size_t count = 0;

	for (size_t i = 0; i < e->fake.runs.count; i++)
		count += e->fake.runs.at[i].submitted && run_has(e, &e->fake.runs.at[i], values);
	return count;
}

size_t engine_submitted(const struct engine *e)
{
	struct contents seen = {0};
	size_t count = 0;

	for (size_t i = 0; i < e->fake.runs.count; i++) {
		if (!e->fake.runs.at[i].submitted)
			continue;
		assert_true(contents_add(&seen, e->fake.runs.at[i].digest));
		count++;
	}
	contents_free(&seen);
	return count;
}
