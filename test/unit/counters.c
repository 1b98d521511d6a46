/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.c - see counters.h. */
#include "counters.h"

#include <string.h>
#include <sys/stat.h>

enum { BOUND = 1 << 20 /* bytes of an output; what is longer has no end */ };

struct store pool_store(const uint8_t *pool)
{
	struct store store;

	for (unsigned i = 0; i < LINES; i++)
		store.at[i] = pool_at(pool, (char)('a' + i));
	return store;
}

static void line_print(const struct store *store, char line, char *text)
{
	sprintf(text + strlen(text), "%c=%llu\n", line, (unsigned long long)store->at[line - 'a']);
}

void store_perform(struct store *store, const char *operations, char *text)
{
	char kind, lines[3];
	int used;

	for (; sscanf(operations, " %c %2s%n", &kind, lines, &used) == 2; operations += used) {
		if (kind == 'e') {
			store->at[lines[0] - 'a'] += store->at[lines[1] - 'a'] % 2 == 0;
			lines[1] = '\0';
		}
		for (const char *line = lines; *line; line++) {
			store->at[*line - 'a'] += kind == 's' || kind == 'p';
			line_print(store, *line, text);
		}
	}
}

/* More than the rules of subjects allow. */
static const char *endless_text(void)
{
	static char text[BOUND + 64];

	for (size_t i = 0; i + 8 < sizeof(text); i += 7)
		strcpy(text + i, "and on\n");
	return text;
}

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
	if (++s->runs == s->odd_run)
		strcat(s->text, "by chance\n");
	if (*operations && s->endless_at && pool_at(pool, 'a') == s->endless_at)
		return endless_text();
	struct store store = pool_store(pool);
	store_perform(&store, operations, s->text);
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
	s->rules = output_rules_new(BOUND);
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

void subject_start(struct subject *s, const char *dir, const char *program, const char *operations)
{
	static unsigned number;
	char own[400];

	snprintf(own, sizeof(own), "%s/s%u", dir, number++);
	assert_int_equal(mkdir(own, 0777), 0);
	subject_make(s, own, program, operations);
}

void subject_probe(struct subject *s, const char *probe)
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

void subject_run(struct subject *s, enum engine_strategies which)
{
	struct err err;

	subject_end_it(s);
	assert_int_equal(equivalence_open(&s->equivalence, &s->options, &err), 0);
	s->oracles[0] = &oracle_exit_status;
	s->replaced = *equivalence_oracle(s->equivalence);
	s->replaced.accepts = s->accepts ? s->accepts : s->replaced.accepts;
	s->oracles[1] = &s->replaced;
	s->engine.options.oracles = s->oracles;
	s->engine.options.oracle_count = 2;
	engine_use(&s->engine, which);
	engine_run(&s->engine);
}

void subject_free(struct subject *s)
{
	subject_end_it(s);
	engine_free(&s->engine);
	oplist_free(s->list);
	if (s->probe)
		oplist_free(s->probe);
	output_rules_free(s->rules);
}

size_t mismatches(const struct subject *s)
{
	const struct results *results = &s->engine.campaign->results;

	for (size_t i = 0; i < results->all.count; i++) {
		assert_int_equal(results->all.at[i].sighting.kind, KIND_OUTPUT_MISMATCH);
		assert_int_equal(results->all.at[i].sighting.ending.kind, ENDING_OUTPUT);
	}
	return results->all.count;
}

struct output *printed_by(const struct subject *s, const char *text)
{
	struct output *output = output_new(s->rules);

	output_feed(output, text, strlen(text));
	output_end(output);
	return output;
}
