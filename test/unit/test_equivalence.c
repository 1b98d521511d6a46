/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_equivalence.c - the oracle that compares outputs (equivalence/equivalence.h), with campaigns on small recordings
 * (engine.h).
 *
 * The program is a store of counters, one in each line.  Its operations are lines of text, and recovery performs those
 * that are left:
 *
 *     s a     a goes up by one, and is printed
 *     p ab    both go up, and are printed
 *     g a     a is printed
 *
 *  1. A correct program passes; operations that are lost, done by half or in the wrong order are found.
 *  2. A crash between operations, before the first and after the last.
 *  3. --lag, --probe, --ops-after.
 *  4. Lines that orderly runs print differently do not count.
 *  5. Where an orderly run fails, or operations overlap, outputs are not judged.  Crash states that fail as orderly
 *     contents do are one result, which blames no store.
 *  6. Whatever is tested is judged as a slow oracle does that knows nothing of the fast one: random programs. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/random.h"
#include "engine.h"
#include "equivalence/equivalence.h"
#include "image/state.h"

enum { LINES = 3, OPERATIONS_MAX = 9, TEXT = 4096 };

/* A store in memory: the values of lines a, b and c. */
struct store {
	uint64_t at[LINES];
};

static struct store pool_store(const uint8_t *pool)
{
	struct store store;

	for (unsigned i = 0; i < LINES; i++)
		store.at[i] = pool_at(pool, (char)('a' + i));
	return store;
}

/* Perform operations, and append what they print. */
static void store_perform(struct store store, const char *operations, char *text)
{
	char kind, lines[3];
	int used;

	for (; sscanf(operations, " %c %2s%n", &kind, lines, &used) == 2; operations += used)
		for (const char *line = lines; *line; line++) {
			uint64_t *value = &store.at[*line - 'a'];

			*value += kind != 'g';
			sprintf(text + strlen(text), "%c=%llu\n", *line, (unsigned long long)*value);
		}
}

/* ---- a campaign with operations ---- */

struct subject {
	struct engine engine;
	char folder[500], list_path[500], probe_path[500];
	struct oplist *list, *probe;
	struct output_rules *rules;
	struct equivalence_options options;
	struct equivalence *equivalence;
	const struct oracle *oracles[2];
	/* what is odd about this recovery */
	const char *banner; /* printed first */
	bool prints_clock;  /* the first line is another one each time */
	uint64_t fails_at;  /* recovery fails if a has this value; 0: never */
	unsigned runs;
	char text[TEXT];
};

static const char *subject_print(void *arg, const uint8_t *pool, uint64_t setting)
{
	struct subject *s = arg;
	const struct oracle *o = equivalence_oracle(s->equivalence);
	char operations[TEXT] = "";
	FILE *file = fopen(o->setting(o->state, setting)->ops, "r");

	assert_non_null(file);
	operations[fread(operations, 1, sizeof(operations) - 1, file)] = '\0';
	fclose(file);
	strcpy(s->text, s->banner ? s->banner : "");
	if (s->prints_clock)
		sprintf(s->text + strlen(s->text), "run %u\n", s->runs);
	s->runs++;
	store_perform(pool_store(pool), operations, s->text);
	return s->text;
}

static struct ending subject_recover(void *arg, const uint8_t *pool, unsigned patience)
{
	const struct subject *s = arg;

	(void)patience;
	return s->fails_at && pool_at(pool, 'a') == s->fails_at ? FAKE_FAIL : FAKE_PASS;
}

static void text_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void subject_make(struct subject *s, const char *dir, const char *program, const char *operations)
{
	struct err err;

	*s = (struct subject){0};
	engine_make(&s->engine, dir, program);
	snprintf(s->folder, sizeof(s->folder), "%s/ops", dir);
	snprintf(s->list_path, sizeof(s->list_path), "%s/list", dir);
	snprintf(s->probe_path, sizeof(s->probe_path), "%s/probe", dir);
	assert_int_equal(mkdir(s->folder, 0777), 0);
	text_write(s->list_path, operations);
	assert_int_equal(oplist_read(&s->list, s->list_path, &err), 0);
	s->rules = output_rules_new(1 << 20);
	s->engine.fake.recover = subject_recover;
	s->engine.fake.print = subject_print;
	s->engine.fake.arg = s;
	s->options = (struct equivalence_options){.dir = s->engine.dir,
						  .list = s->list,
						  .after = SIZE_MAX,
						  .rules = s->rules,
						  .recover = "kv",
						  .folder = s->folder};
}

static void subject_probe(struct subject *s, const char *probe)
{
	struct err err;

	text_write(s->probe_path, probe);
	assert_int_equal(oplist_read(&s->probe, s->probe_path, &err), 0);
	s->options.probe = s->probe;
}

static void subject_end_it(struct subject *s)
{
	campaign_free(s->engine.campaign);
	s->engine.campaign = NULL;
	equivalence_close(s->equivalence);
	s->equivalence = NULL;
}

static void subject_run(struct subject *s, enum engine_strategies which)
{
	struct err err;

	subject_end_it(s);
	assert_int_equal(equivalence_open(&s->equivalence, &s->options, &err), 0);
	s->oracles[0] = &oracle_exit_status;
	s->oracles[1] = equivalence_oracle(s->equivalence);
	s->engine.options.oracles = s->oracles;
	s->engine.options.oracle_count = 2;
	engine_use(&s->engine, which);
	engine_run(&s->engine);
}

static void subject_free(struct subject *s)
{
	subject_end_it(s);
	engine_free(&s->engine);
	oplist_free(s->list);
	if (s->probe)
		oplist_free(s->probe);
	output_rules_free(s->rules);
}

/* How many results there are, all of them mismatches. */
static size_t mismatches(const struct subject *s)
{
	const struct results *results = &s->engine.campaign->results;

	for (size_t i = 0; i < results->all.count; i++) {
		assert_int_equal(results->all.at[i].sighting.kind, KIND_OUTPUT_MISMATCH);
		assert_int_equal(results->all.at[i].sighting.ending.kind, ENDING_OUTPUT);
	}
	return results->all.count;
}

static size_t mismatches_in(const char *dir, const char *program, const char *operations)
{
	static unsigned number;
	char own[400];
	size_t counts[2];
	struct subject s;

	snprintf(own, sizeof(own), "%s/%u", dir, number++);
	assert_int_equal(mkdir(own, 0777), 0);
	subject_make(&s, own, program, operations);
	subject_run(&s, ENGINE_INJECT);
	counts[0] = mismatches(&s);
	subject_run(&s, ENGINE_EXPLORE);
	counts[1] = mismatches(&s);
	assert_int_equal(counts[0] > 0, counts[1] > 0);
	subject_free(&s);
	return counts[0];
}

/* Rules 1 and 2 */

static void test_found(void **state)
{
	/* correct */
	assert_int_equal(mismatches_in(*state, "[0 a <a | ]0 [1 b <b | ]1 [2 ]2 $", "s a\ns b\ng a\n"), 0);
	/* the first is lost during the second */
	assert_int_equal(mismatches_in(*state, "[0 a ]0 [1 b <b | ]1 <a | [2 ]2 $", "s a\ns b\ng a\n"), 1);
	/* done by half */
	assert_int_equal(mismatches_in(*state, "[0 a <a | b <b | ]0 [1 ]1 [2 ]2 $", "p ab\ng a\ng b\n"), 1);
	/* both in one line: not both at once, but in order */
	assert_int_equal(mismatches_in(*state, "[0 a <a | ]0 c <c | [1 a <a | ]1 [2 ]2 $", "s a\ns a\ng a\n"), 0);
}

/* What the report says. */
static void test_told(void **state)
{
	struct subject s;

	subject_make(&s, *state, "[0 a ]0 [1 b <b | ]1 <a | [2 ]2 [3 ]3 $", "s a\ns b\ng b\ng a\n");
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 1);
	const struct crash_sighting *told = &s.engine.campaign->results.all.at[0].sighting;
	assert_true(told->operation.known);
	assert_true(told->operation.inside);
	assert_int_equal(told->operation.index, 1);
	assert_string_equal(told->operation.text, "s b");
	assert_int_equal(told->mismatch.expected_count, 2);
	assert_string_equal(told->mismatch.expected[0].line, "a=1");
	assert_string_equal(told->mismatch.got, "a=0");
	assert_int_equal(told->mismatch.line, 2);
	assert_string_equal(told->mismatch.query, "g a");
	assert_int_equal(told->lost_count, 1);
	assert_int_equal(told->blamed, engine_place(&s.engine, "a"));
	subject_free(&s);
}

/* Between operations, before the first and after the last. */
static void test_between(void **state)
{
	/* stored after the operation has ended, which changes nothing for it */
	assert_int_equal(mismatches_in(*state, "[0 a <a | ]0 b <b | [1 ]1 $", "s a\ng a\n"), 0);
	/* lost after it has ended */
	assert_int_equal(mismatches_in(*state, "[0 a ]0 b <b | <a | [1 ]1 $", "s a\ng a\n"), 1);
	/* before the first: what was stored then may be there or not, but not half of it */
	assert_int_equal(mismatches_in(*state, "a <a | [0 ]0 [1 ]1 $", "g a\ng b\n"), 0);
	assert_int_equal(mismatches_in(*state, "a <a | b <b | [0 ]0 [1 ]1 $", "g a\ng b\n"), 1);
	/* after the last, nothing is left to perform */
	assert_int_equal(mismatches_in(*state, "[0 a ]0 b <b | $", "s a\n"), 0);
}

/* Rule 3 */

static void subject_start(struct subject *s, const char *dir, const char *program, const char *operations)
{
	static unsigned number;
	char own[400];

	snprintf(own, sizeof(own), "%s/s%u", dir, number++);
	assert_int_equal(mkdir(own, 0777), 0);
	subject_make(s, own, program, operations);
}

static void test_lag(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a ]0 [1 a ]1 c <c | <a | [2 ]2 $", "s a\ns a\ng a\n");
	for (uint64_t lag = 0; lag <= 2; lag++) {
		s.options.lag = lag;
		subject_run(&s, ENGINE_EXPLORE);
		assert_int_equal(mismatches(&s) > 0, lag < 2);
	}
	subject_free(&s);
}

static void test_probe(void **state)
{
	struct subject s;

	/* Nothing that is left asks for a. */
	subject_start(&s, *state, "[0 a ]0 [1 b <b | ]1 <a | $", "s a\ns b\n");
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 0);
	subject_probe(&s, "g a\ng b\n");
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 1);
	subject_free(&s);
}

static void test_ops_after(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a ]0 [1 b <b | ]1 <a | [2 ]2 [3 ]3 $", "s a\ns b\ng b\ng a\n");
	s.options.after = 1;
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 0);
	s.options.after = 2;
	subject_run(&s, ENGINE_INJECT);
	assert_int_equal(mismatches(&s), 1);
	subject_free(&s);
}

/* Rule 4 */

static void test_masked(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a <a | ]0 [1 b <b | ]1 [2 ]2 $", "s a\ns b\ng a\n");
	s.prints_clock = true;
	s.banner = "kv 1.0\n";
	subject_run(&s, ENGINE_EXPLORE);
	assert_int_equal(mismatches(&s), 0);
	struct equivalence_figures f = equivalence_figures(s.equivalence);
	assert_int_equal(f.total, 3);
	assert_int_equal(f.crashed_in, 2);
	assert_int_equal(f.nondeterministic, 2);
	subject_free(&s);
	subject_start(&s, *state, "[0 a ]0 [1 b <b | ]1 <a | [2 ]2 $", "s a\ns b\ng a\n");
	s.prints_clock = true;
	subject_run(&s, ENGINE_EXPLORE);
	assert_int_equal(mismatches(&s), 1);
	subject_free(&s);
}

/* Rule 5 */

static void test_failing(void **state)
{
	struct subject s;

	subject_start(&s, *state, "[0 a <a | ]0 [1 b <b | ]1 [2 a <a | ]2 [3 ]3 $", "s a\ns b\ns a\ng a\n");
	s.fails_at = 1;
	s.engine.options.resume = true;
	/* The second time all of it is in the journal. */
	for (unsigned i = 0; i < 2; i++) {
		subject_run(&s, i ? ENGINE_INJECT : ENGINE_BOTH);
		assert_int_equal(s.engine.campaign->results.all.count, 1);
		const struct crash_sighting *told = &s.engine.campaign->results.all.at[0].sighting;
		assert_int_equal(told->kind, KIND_RECOVERY_ERROR);
		assert_int_equal(told->cause, CAUSE_ORDERLY);
		assert_int_equal(told->blamed, 0);
		assert_int_equal(told->lost_count + told->persisted_count, 0);
	}
	subject_run(&s, ENGINE_EXPLORE);
	struct equivalence_figures f = equivalence_figures(s.equivalence);
	assert_true(f.failing > 0 && f.failing < f.places);
	assert_int_equal(f.failing_first.index, 0);
	assert_true(ending_same(f.failing_ending, FAKE_FAIL));
	subject_free(&s);
	/* Contents on which recovery fails only after a crash have a store to blame. */
	subject_start(&s, *state, "[0 a <a | a <a | ]0 [1 ]1 $", "s a\ng a\n");
	s.fails_at = 1;
	subject_run(&s, ENGINE_BOTH);
	assert_int_equal(s.engine.campaign->results.all.count, 1);
	assert_int_equal(s.engine.campaign->results.all.at[0].sighting.kind, KIND_RECOVERY_ERROR);
	assert_int_equal(s.engine.campaign->results.all.at[0].sighting.blamed, engine_place(&s.engine, "a"));
	assert_int_equal(equivalence_figures(s.equivalence).failing, 0);
	subject_free(&s);
}

/* The results, and how many places could not be judged. */
static size_t overlapping_in(const char *dir, const char *program, const char *operations, uint64_t *unjudged)
{
	size_t count;
	struct subject s;

	subject_start(&s, dir, program, operations);
	subject_run(&s, ENGINE_EXPLORE);
	count = mismatches(&s);
	*unjudged = equivalence_figures(s.equivalence).overlapping;
	subject_free(&s);
	return count;
}

static void test_overlapping(void **state)
{
	uint64_t unjudged;

	/* Each may have happened or not. */
	assert_int_equal(overlapping_in(*state, "[0 a [1 b <b | ]1 <a | ]0 [2 ]2 [3 ]3 $", "s a\ns b\ng a\ng b\n",
					&unjudged),
			 0);
	assert_int_equal(unjudged, 0);
	assert_int_equal(overlapping_in(*state, "[0 [1 a b <b <a | ]1 ]0 [2 ]2 [3 ]3 $", "s a\ns b\ng a\ng b\n",
					&unjudged),
			 0);
	assert_int_equal(unjudged, 0);
	/* Of the first, all or nothing. */
	assert_true(overlapping_in(*state, "[0 a <a | [1 c <c | ]1 b <b | ]0 [2 ]2 [3 ]3 $", "p ab\ns c\ng a\ng b\n",
				   &unjudged) > 0);
	assert_int_equal(unjudged, 0);
	/* The second has ended, and is lost. */
	assert_true(overlapping_in(*state, "[0 a [1 b ]1 c <c | <b <a | ]0 [2 ]2 [3 ]3 $", "s a\ns b\ng a\ng b\n",
				   &unjudged) > 0);
	assert_int_equal(unjudged, 0);
	/* What the program does is not what recovery would do. */
	assert_int_equal(overlapping_in(*state, "[0 a <a | [1 c <c | ]1 b <b | ]0 [2 ]2 [3 ]3 $",
					"s a\ns c\ng a\ng b\n", &unjudged),
			 0);
	assert_true(unjudged > 0);
	/* Too many. */
	assert_int_equal(overlapping_in(*state, "[0 [1 [2 [3 [4 a <a | ]4 ]3 ]2 ]1 b <b | ]0 [5 ]5 $",
					"p ab\ng c\ng c\ng c\ng c\ng a\n", &unjudged),
			 0);
	assert_true(unjudged > 0);
}

/* ---- rule 6 of equivalence.h: the recorded run ---- */

static struct output *printed_by(const struct subject *s, const char *text)
{
	struct output *output = output_new(s->rules);

	output_feed(output, text, strlen(text));
	output_end(output);
	return output;
}

/* The second operation is held in volatile memory: what the run prints later is not what recovery prints. */
static void test_volatile(void **state)
{
	struct subject s;
	struct output *printed;

	for (unsigned i = 0; i < 2; i++) {
		enum engine_strategies which = i ? ENGINE_EXPLORE : ENGINE_INJECT;

		subject_start(&s, *state, "[0 a <a | ]0 [1 ]1 [2 a <a | ]2 [3 ]3 $", "s a\ns b\ns a\ng b\n");
		subject_run(&s, which);
		assert_int_equal(mismatches(&s), 0);
		printed = printed_by(&s, "a=1\nb=1\na=2\nb=1\n");
		s.options.printed = printed;
		subject_run(&s, which);
		assert_int_equal(mismatches(&s), 1);
		const struct crash_sighting *told = &s.engine.campaign->results.all.at[0].sighting;
		assert_true(told->mismatch.recorded);
		assert_false(told->operation.inside);
		assert_int_equal(told->operation.index, 1);
		assert_string_equal(told->mismatch.expected[0].line, "b=1");
		assert_string_equal(told->mismatch.got, "b=0");
		assert_string_equal(told->mismatch.query, "g b");
		assert_int_equal(told->states, 2);
		output_free(printed);
		subject_free(&s);
		/* crash states between operations where recovery forgets: no store is to blame for that */
		subject_start(&s, *state, "[0 a <a | ]0 [1 ]1 c <c | c <c | [2 a <a | ]2 [3 ]3 $",
			      "s a\ns b\ns a\ng b\n");
		printed = printed_by(&s, "a=1\nb=1\na=2\nb=1\n");
		s.options.printed = printed;
		subject_run(&s, which);
		assert_int_equal(mismatches(&s), 1);
		assert_int_equal(s.engine.campaign->results.all.at[0].sighting.cause, CAUSE_ORDERLY);
		assert_int_equal(s.engine.campaign->results.all.at[0].sighting.blamed, 0);
		output_free(printed);
		/* a recovery that prints in another way cannot be compared with the run */
		printed = printed_by(&s, "a is 1\nb is 1\na is 2\nb is 1\n");
		s.options.printed = printed;
		subject_run(&s, which);
		assert_int_equal(mismatches(&s), 0);
		subject_free(&s);
		output_free(printed);
	}
	/* correct */
	subject_start(&s, *state, "[0 a <a | ]0 [1 b <b | ]1 [2 a <a | ]2 [3 ]3 $", "s a\ns b\ns a\ng b\n");
	s.options.printed = printed = printed_by(&s, "a=1\nb=1\na=2\nb=1\n");
	subject_run(&s, ENGINE_BOTH);
	assert_int_equal(mismatches(&s), 0);
	subject_free(&s);
	output_free(printed);
}

/* A campaign that is resumed needs expectations only where recovery runs again: before the first operation, and where it
 * shows a failure. */
static void test_resume(void **state)
{
	size_t submitted[2] = {0};
	struct subject s;

	subject_start(&s, *state, "[0 a <a | ]0 [1 b <b | ]1 [2 a ]2 [3 b <b | ]3 <a | [4 ]4 $",
		      "s a\ns b\ns a\ns b\ng a\n");
	s.engine.options.resume = true;
	for (unsigned i = 0; i < 2; i++) {
		subject_run(&s, ENGINE_EXPLORE);
		assert_int_equal(mismatches(&s), 1);
		for (size_t k = 0; k < s.engine.fake.runs.count; k++)
			submitted[i] += s.engine.fake.runs.at[k].submitted;
		assert_int_equal(equivalence_figures(s.equivalence).crashed_in, 4);
		assert_int_equal(equivalence_figures(s.equivalence).places, i ? 2 : 6);
	}
	assert_true(submitted[1] < submitted[0]);
	subject_free(&s);
}

/* ---- rule 6 ---- */

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
	store_perform(store, slow->probe ? slow->probe : left, text);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_found),  scratch_test(test_told),    scratch_test(test_between),
		scratch_test(test_lag),    scratch_test(test_probe),   scratch_test(test_ops_after),
		scratch_test(test_masked), scratch_test(test_failing), scratch_test(test_overlapping),
		scratch_test(test_resume), scratch_test(test_random),  scratch_test(test_volatile),
	};

	return cmocka_run_group_tests_name("equivalence", tests, NULL, NULL);
}
