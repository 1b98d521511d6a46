/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_equivalence_random.c - the oracle that compares outputs (equivalence/equivalence.h) on random programs: whatever is
 * tested is judged as slow oracles do that know nothing of the fast one. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "counters.h"
#include "image/state.h"

enum { OPERATIONS_MAX = 9 };

/* ---- every crash state of operations one after the other ---- */

/* What the slow oracle knows about the crash after an event. */
struct slow {
	const struct subject *subject;
	char operations[OPERATIONS_MAX][8]; /* the list */
	unsigned count;
	const char *probe; /* NULL: those that are left */
	struct store seen; /* by the program itself */
	struct store borders[2 * OPERATIONS_MAX + 3];
	unsigned after[2 * OPERATIONS_MAX + 3]; /* how many operations these come after */
	unsigned border_count;
	unsigned begun, ended;
	uint64_t judged, wrong; /* states that the campaign tested; and those among them that are not legal */
	uint64_t possible;      /* all states that are not legal */
};

static void border_take(struct slow *slow, unsigned after)
{
	slow->after[slow->border_count] = after;
	slow->borders[slow->border_count++] = slow->seen;
}

static void slow_print(const struct slow *slow, struct store store, char *text)
{
	char left[TEXT] = "";

	*text = '\0';
	for (unsigned i = slow->begun; i < slow->count && i - slow->begun < slow->subject->options.after; i++)
		strcat(strcat(left, slow->operations[i]), "\n");
	store_perform(&store, slow->probe ? slow->probe : left, text);
}

static bool slow_accepts(const struct slow *slow, struct store store)
{
	char got[TEXT], wanted[TEXT];
	uint64_t lag = slow->subject->options.lag;

	slow_print(slow, store, got);
	for (unsigned i = 0; i < slow->border_count; i++) {
		if (slow->after[i] + lag < slow->ended || slow->after[i] > slow->begun)
			continue;
		slow_print(slow, slow->borders[i], wanted);
		if (!strcmp(got, wanted))
			return true;
	}
	return false;
}

static struct store image_store(struct image *image, const struct state *state)
{
	uint8_t *pool = mem_alloc(FAKE_POOL);
	struct store store;

	image_read(image, state, 1, 0, pool, FAKE_POOL);
	store = pool_store(pool);
	free(pool);
	return store;
}

/* Judge all crash states after this event.  Those that the campaign tested must have the same verdict. */
static void slow_moment(struct slow *slow, struct reading *reading)
{
	const struct campaign *c = slow->subject->engine.campaign;
	struct image *image = reading_image(reading);
	const struct crash_context crash = campaign_crash(c, 0, reading_number(reading));
	size_t count = model_pending_count(image_model(image));
	bool persisted[16];

	assert_true(count <= 16);
	for (unsigned set = 0; set < 1u << count; set++) {
		for (size_t i = 0; i < count; i++)
			persisted[i] = set >> i & 1;
		if (!model_allows(image_model(image), persisted))
			continue;
		struct state *state = state_new(image, persisted);
		struct verdict verdict = outcomes_get(c->outcomes, crash_case(state->digest, &crash));
		bool accepts = slow_accepts(slow, image_store(image, state));
		if (verdict.known && verdict_passed(verdict) != accepts)
			fail_msg("event %llu, set %u: %s", (unsigned long long)crash.event, set,
				 accepts ? "legal, but rejected" : "not legal, but accepted");
		slow->judged += verdict.known;
		slow->wrong += verdict.known && !accepts;
		slow->possible += !accepts;
		state_free(state);
	}
}

/* The contents at borders, from the stores themselves. */
static void slow_borders(struct slow *slow, const char *program)
{
	unsigned ended = 0;
	char word[3];
	int used;

	slow->border_count = 0;
	slow->seen = (struct store){0};
	border_take(slow, 0);
	for (; sscanf(program, " %2s%n", word, &used) == 1; program += used) {
		if (*word == '[')
			border_take(slow, ended);
		else if (*word == ']')
			border_take(slow, ++ended);
		else if (*word >= 'a' && *word <= 'c')
			slow->seen.at[*word - 'a']++;
	}
	border_take(slow, ended);
}

static void slow_compare(struct slow *slow, const char *program)
{
	const struct engine *e = &slow->subject->engine;
	struct reading *reading;
	const struct event *ev;
	struct err err;

	slow_borders(slow, program);
	slow->begun = slow->ended = 0;
	assert_int_equal(reading_open(&reading, e->dir, platform_find("adr"), e->survey->origin, &err), 0);
	while (reading_look(reading, &ev, &err) > 0) {
		slow_moment(slow, reading);
		slow->begun += ev->type == EVENT_OPERATION_BEGIN;
		slow->ended += ev->type == EVENT_OPERATION_END;
		reading_go(reading);
	}
	slow_moment(slow, reading);
	reading_close(reading);
}

/* Mostly right: now and then a flush or a fence is missing, or comes too late. */
static void program_random(uint64_t *random, char *program, struct slow *slow)
{
	*program = '\0';
	if (random_below(random, 3) == 0)
		strcat(program, "a <a | ");
	slow->count = 2 + (unsigned)random_below(random, 4);
	for (unsigned i = 0; i < slow->count; i++) {
		unsigned kind = (unsigned)random_below(random, 4);
		char first = (char)('a' + random_below(random, LINES)), other = first == 'c' ? 'a' : (char)(first + 1);
		char lines[3] = {first, kind == 3 ? other : '\0'};

		sprintf(slow->operations[i], "%c %s", kind == 0 ? 'g' : kind == 3 ? 'p' : 's', lines);
		sprintf(program + strlen(program), "[%u ", i);
		for (const char *line = lines; kind && *line; line++) {
			sprintf(program + strlen(program), "%c ", *line);
			if (random_below(random, 6))
				sprintf(program + strlen(program), "<%c ", *line);
			if (random_below(random, 3) == 0)
				strcat(program, "| ");
		}
		if (kind && random_below(random, 6))
			strcat(program, "| ");
		sprintf(program + strlen(program), "]%u ", i);
		if (random_below(random, 5) == 0)
			strcat(program, "| ");
	}
	strcat(program, "$");
}

static void test_random(void **state)
{
	uint64_t random = 1, judged = 0, wrong = 0;
	char program[TEXT], list[TEXT];

	for (unsigned i = 0; i < 80; i++) {
		struct slow slow = {0};
		struct subject s;

		program_random(&random, program, &slow);
		*list = '\0';
		for (unsigned k = 0; k < slow.count; k++)
			strcat(strcat(list, slow.operations[k]), "\n");
		subject_start(&s, *state, program, list);
		slow.subject = &s;
		s.engine.options.visits = 100;
		s.engine.fake.workers = 1 + i % 3;
		s.engine.fake.last_first = i % 2;
		s.options.lag = i % 3 == 1 ? random_below(&random, 3) : 0;
		s.options.after = i % 5 == 1 ? random_below(&random, 3) : SIZE_MAX;
		if (i % 4 == 1) {
			slow.probe = "g a\ng b\ng c\n";
			subject_probe(&s, slow.probe);
		}
		for (unsigned how = 0; how < 3; how++) {
			static const uint64_t lines[] = {0, 1, 2};

			s.engine.options.prune_reads = how == 2;
			s.engine.fake.reads = how == 2 ? lines : NULL;
			s.engine.fake.read_count = how == 2 ? LINES : 0;
			subject_run(&s, how ? ENGINE_EXPLORE : ENGINE_INJECT);
			slow.wrong = slow.possible = 0;
			slow_compare(&slow, program);
			/* Explore finds whatever there is to find. */
			if (((how ? slow.possible : slow.wrong) > 0) != (mismatches(&s) > 0))
				fail_msg("%s: %llu wrong states of %llu, %zu results", program,
					 (unsigned long long)slow.wrong, (unsigned long long)slow.possible,
					 mismatches(&s));
			wrong += slow.wrong;
		}
		judged += slow.judged;
		subject_free(&s);
	}
	assert_true(judged > 2000);
	assert_true(wrong > 100);
}

/* ---- what recovery prints in any place: operations that overlap, second crashes, contents without a crash ---- */

enum { EVENTS_MAX = 400, GROUP_MAX = 4 };

/* All that the second slow oracle knows: the program as it was recorded, step by step. */
struct story {
	const struct subject *subject;
	char operations[OPERATIONS_MAX][8];
	unsigned count;
	char printed[TEXT]; /* by the program */
	bool has_printed;   /* the oracle knows that, too */
	uint64_t begin[OPERATIONS_MAX], end[OPERATIONS_MAX];
	struct store seen[EVENTS_MAX]; /* after each event */
	uint64_t events;
	/* how much was judged, and rejected */
	uint64_t overlapping[2], nested[2], orderly[2];
	char wrong[2 * TEXT]; /* the first disagreement */
};

static struct story *told; /* accepts has no room for it */

/* Operations that overlap; or where no operation is under way, those that come next. */
struct span {
	unsigned first, count;
	uint64_t begin, end;
	bool inside;
};

static struct span span_at(const struct story *story, uint64_t event)
{
	struct span span = {0};

	while (span.first < story->count) {
		span.begin = story->begin[span.first];
		span.end = story->end[span.first];
		span.count = 1;
		while (span.first + span.count < story->count && story->begin[span.first + span.count] < span.end) {
			uint64_t end = story->end[span.first + span.count++];

			span.end = end > span.end ? end : span.end;
		}
		if (event < span.end) {
			span.inside = event >= span.begin;
			return span;
		}
		span.first += span.count;
	}
	span.count = 0;
	span.begin = span.end = story->events;
	return span;
}

static void story_print(const struct story *story, struct store store, unsigned from, char *text)
{
	*text = '\0';
	for (unsigned i = from; i < story->count; i++)
		store_perform(&store, story->operations[i], text);
}

/* Is this printed from operation `from` on, after one of these two moments? */
static bool one_prints(const struct story *story, uint64_t moment, uint64_t other, unsigned from, const char *text)
{
	char printed[TEXT];

	story_print(story, story->seen[moment], from, printed);
	if (!strcmp(printed, text))
		return true;
	story_print(story, story->seen[other], from, printed);
	return !strcmp(printed, text);
}

/* Perform operations of a span in each order in which they can have happened, and compare what comes after it.
 * `done` are those that were performed so far, as bits; those that ended until `event` must be. */
static bool orders_print(const struct story *story, const struct span *span, uint64_t event, struct store store,
			 unsigned done, unsigned from, const char *text)
{
	bool all = true;
	char printed[TEXT];

	for (unsigned i = 0; i < span->count; i++)
		all &= done >> i & 1 || story->end[span->first + i] > event;
	story_print(story, store, from, printed);
	if (all && !strcmp(printed, text))
		return true;
	for (unsigned i = 0; i < span->count; i++) {
		unsigned operation = span->first + i;
		struct store next = store;
		bool can = !(done >> i & 1) && story->begin[operation] <= event;

		/* One that has ended before this one began cannot come after it. */
		for (unsigned k = 0; k < span->count; k++)
			can &= done >> k & 1 || story->end[span->first + k] > story->begin[operation];
		*printed = '\0';
		store_perform(&next, story->operations[operation], printed);
		if (can && orders_print(story, span, event, next, done | 1u << i, from, text))
			return true;
	}
	return false;
}

static bool overlap_accepts(const struct story *story, const struct span *span, uint64_t event, unsigned begun,
			    const char *text)
{
	const struct store *start = &story->seen[span->begin];
	unsigned next = span->first + span->count;
	char after[TEXT];

	if (span->count > GROUP_MAX)
		return true;
	/* The orders are believed only if one of them explains what the program left. */
	story_print(story, story->seen[span->end], next, after);
	if (!orders_print(story, span, span->end, *start, 0, next, after))
		return true;
	return orders_print(story, span, event, *start, 0, begun, text);
}

/* Does recovery print here, without a crash, something else than the program did? */
static bool is_forgetful(const struct story *story, const struct span *span, uint64_t before)
{
	size_t size = strlen(story->printed);
	char text[TEXT];

	if (!story->has_printed || !span->first ||
	    !one_prints(story, 0, story->count ? story->begin[0] : story->events, 0, story->printed))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		story_print(story, story->seen[i ? span->begin : before], span->first, text);
		if (strlen(text) <= size && !strcmp(story->printed + size - strlen(text), text))
			return false;
	}
	return true;
}

static bool story_accepts(const struct story *story, uint64_t event, const char *text)
{
	const struct span span = span_at(story, event);
	uint64_t before = 0, next;
	unsigned begun = 0;

	for (unsigned i = 0; i < story->count; i++) {
		begun += story->begin[i] <= event;
		before = i < span.first && story->end[i] > before ? story->end[i] : before;
	}
	if (span.inside && span.count > 1)
		return overlap_accepts(story, &span, event, begun, text);
	if (!span.inside)
		return !is_forgetful(story, &span, before) && one_prints(story, before, span.begin, begun, text);
	next = span_at(story, span.end).begin;
	return one_prints(story, before, span.begin, begun, text) || one_prints(story, span.end, next, begun, text);
}

/* In place of the oracle: ask both. */
static bool both_accept(void *state, const struct outcome *outcome, const struct crash_context *crash,
			struct ending *how)
{
	const struct oracle *judge = equivalence_oracle(told->subject->equivalence);
	bool accepts = judge->accepts(state, outcome, crash, how), expected, nested = crash->first;
	const char *text = outcome->out.text ? outcome->out.text : "";
	struct span span;

	while (crash->first)
		crash = crash->first;
	if (crash->event == CRASH_NONE)
		return accepts;
	span = span_at(told, crash->event);
	expected = story_accepts(told, crash->event, text);
	if (accepts != expected && !*told->wrong)
		snprintf(told->wrong, sizeof(told->wrong), "a crash after event %llu, output %s: %s",
			 (unsigned long long)crash->event, text,
			 expected ? "legal, but rejected" : "not legal, but accepted");
	told->overlapping[!accepts] += span.inside && span.count > 1;
	told->nested[!accepts] += nested;
	told->orderly[!accepts] += !span.inside && told->has_printed;
	return accepts;
}

/* What the recording shows, from its events. */
static void story_read(struct story *story)
{
	struct trace *trace = scratch_open(story->subject->engine.dir);
	struct store seen = {{0}};
	unsigned begun = 0;
	struct event ev;
	struct err err;

	while (trace_next(trace, &ev, &err) > 0) {
		assert_true(++story->events < EVENTS_MAX);
		if (ev.type == EVENT_STORE && ev.offset / 64 < LINES)
			seen.at[ev.offset / 64]++;
		if (ev.type == EVENT_OPERATION_BEGIN)
			story->begin[begun++] = story->events;
		if (ev.type == EVENT_OPERATION_END)
			story->end[ev.value] = story->events;
		story->seen[story->events] = seen;
	}
	assert_int_equal(begun, story->count);
	trace_close(trace);
}

/* An operation happens: in PM, unless the program forgets that, and in what it prints.  Now and then a flush or a fence
 * is missing. */
static void operation_happens(uint64_t *random, const char *operation, struct store *live, char *program, char *printed)
{
	struct store before = *live;
	bool forgets = random_below(random, 12) == 0;

	store_perform(live, operation, printed);
	for (unsigned i = 0; i < LINES && !forgets; i++) {
		if (live->at[i] == before.at[i])
			continue;
		sprintf(program + strlen(program), "%c ", 'a' + i);
		if (random_below(random, 6))
			sprintf(program + strlen(program), "<%c ", 'a' + i);
		if (random_below(random, 3) == 0)
			strcat(program, "| ");
	}
	if (random_below(random, 6))
		strcat(program, "| ");
}

/* Operations begin in the order of the list, happen in any order while they are under way, and end. */
static void story_make(struct story *story, uint64_t *random, char *program)
{
	static const char *const kinds[] = {"g a", "g b", "s a", "s b", "s c", "p ab", "e ab", "e bc", "e ca"};
	unsigned at_once = 1 + (unsigned)random_below(random, 3) + (random_below(random, 8) == 0) * 3, begun = 0,
		 ended = 0;
	bool happened[OPERATIONS_MAX] = {0}, over[OPERATIONS_MAX] = {0};
	char results[OPERATIONS_MAX][32] = {{0}};
	struct store live = {{0}};

	*program = '\0';
	story->count = 3 + (unsigned)random_below(random, OPERATIONS_MAX - 4);
	for (unsigned i = 0; i < story->count; i++)
		strcpy(story->operations[i], kinds[random_below(random, sizeof(kinds) / sizeof(*kinds))]);
	while (ended < story->count) {
		unsigned which = (unsigned)random_below(random, story->count);

		if (begun < story->count && begun - ended < at_once && random_below(random, 2))
			sprintf(program + strlen(program), "[%u ", begun++);
		else if (which < begun && !happened[which] && (happened[which] = true))
			operation_happens(random, story->operations[which], &live, program, results[which]);
		else if (which < begun && happened[which] && !over[which] && (over[which] = true) && ++ended)
			sprintf(program + strlen(program), "]%u ", which);
	}
	strcat(program, "$");
	for (unsigned i = 0; i < story->count; i++)
		strcat(story->printed, results[i]);
}

/* Recovery stores something, too, which may be right or wrong. */
static void recovery_stores(void *arg, const uint8_t *pool, const char *dir)
{
	static const char *const programs[] = {"?a $", "?a b <b | $", "c <c | ?b a <a | $", "a $"};
	static unsigned next;

	(void)arg;
	engine_record(dir, pool, programs[next++ % 4]);
}

static void story_check(struct story *story, const char *dir, const char *program, unsigned number)
{
	static const enum engine_strategies strategies[] = {ENGINE_INJECT, ENGINE_EXPLORE, ENGINE_BOTH};
	struct output *printed;
	char list[TEXT] = "";
	struct subject s;

	for (unsigned i = 0; i < story->count; i++)
		strcat(strcat(list, story->operations[i]), "\n");
	subject_start(&s, dir, program, list);
	printed = printed_by(&s, story->printed);
	s.options.printed = (story->has_printed = number % 2) ? printed : NULL;
	s.engine.options.visits = 100;
	s.engine.options.nested = number % 3 == 0;
	s.engine.fake.record = recovery_stores;
	s.engine.fake.workers = 1 + number % 3;
	s.engine.fake.last_first = number / 2 % 2;
	s.accepts = both_accept;
	story->subject = &s;
	story_read(story);
	told = story;
	subject_run(&s, strategies[number % 3]);
	subject_free(&s);
	output_free(printed);
	if (*story->wrong)
		fail_msg("%s: %s", program, story->wrong);
}

static void test_stories(void **state)
{
	uint64_t random = 7, overlapping[2] = {0}, nested[2] = {0}, orderly[2] = {0};
	char program[TEXT];

	for (unsigned i = 0; i < 120; i++) {
		struct story *story = mem_alloc(sizeof(*story));

		story_make(story, &random, program);
		story_check(story, *state, program, i);
		for (unsigned k = 0; k < 2; k++) {
			overlapping[k] += story->overlapping[k];
			nested[k] += story->nested[k];
			orderly[k] += story->orderly[k];
		}
		free(story);
	}
	/* Each was judged often, in both ways. */
	for (unsigned k = 0; k < 2; k++) {
		assert_true(overlapping[k] > 50);
		assert_true(nested[k] > 20);
		assert_true(orderly[k] > 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {scratch_test(test_random), scratch_test(test_stories)};

	return cmocka_run_group_tests_name("equivalence, random programs", tests, NULL, NULL);
}
