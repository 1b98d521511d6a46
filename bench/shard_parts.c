/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shard_parts PART N VISITS - makes N parts PART.1 ... PART.N of the recording that PART, a part of `check --shard 1/1`,
 * names.  All crash states before stores, up to VISITS at each, are tested by a recovery that always passes and is no
 * process.  So parts with very many states are made in seconds, to measure how fast they are put together. */
// link: build/libblackout.a -ldw -lelf -lxxhash -lzstd -lgmp -ljansson -lm
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "campaign/campaign.h"
#include "campaign/strategies.h"
#include "crash/tester.h"
#include "inject/inject.h"
#include "run/part.h"
#include "trace/trace.h"

static void fail(const struct err *err)
{
	fprintf(stderr, "shard_parts: %s\n", err->sentence);
	exit(3);
}

/* A recovery that passes */

static const struct outcome passes = {.ending = {ENDING_EXIT, 0}, .mode = RECOVERY_FORK};

static int pass_submit(struct tester *t, const struct state *state, const struct tester_ticket *ticket, struct err *err)
{
	(void)state;
	(void)err;
	tester_learn(t, ticket, &passes);
	return 0;
}

static int pass_drain(struct tester *t, struct err *err)
{
	(void)t;
	(void)err;
	return 0;
}

static int pass_run(struct tester *t, const struct tester_input *input, unsigned patience, struct outcome *outcome,
		    struct err *err)
{
	(void)t;
	(void)input;
	(void)patience;
	(void)err;
	*outcome = passes;
	return 0;
}

static struct tester_facts pass_facts(const struct tester *t)
{
	(void)t;
	return (struct tester_facts){.mode = RECOVERY_FORK, .opened = true};
}

static const char *pass_foreign_file(const struct tester *t, size_t index)
{
	(void)t;
	(void)index;
	return NULL;
}

static void pass_close(struct tester *t)
{
	free(t);
}

static int pass_open(struct tester **t, const struct tester *common, void *arg, struct err *err)
{
	static const struct tester_ops ops = {.submit = pass_submit,
					      .drain = pass_drain,
					      .run = pass_run,
					      .facts = pass_facts,
					      .foreign_file = pass_foreign_file,
					      .close = pass_close};

	(void)arg;
	(void)err;
	*t = mem_alloc(sizeof(**t));
	**t = *common;
	(*t)->ops = &ops;
	return 0;
}

/* All verdicts, in the journal of `out` */

static struct survey *survey_make(const char *dir)
{
	struct survey *survey = survey_new(POINTS_STORE);
	struct trace *trace;
	struct event ev;
	struct err err;
	uint64_t number = 0;

	if (trace_open(&trace, dir, &err) < 0)
		fail(&err);
	while (trace_next(trace, &ev, &err) > 0)
		survey_event(survey, &ev, ++number);
	survey_end(survey);
	trace_close(trace);
	return survey;
}

static void journal_make(const char *recording, const char *out, uint64_t visits)
{
	static const struct tester_maker maker = {.open = pass_open};
	const struct platform *adr = platform_find("adr");
	const struct strategy *inject = &strategy_inject;
	const struct campaign_options options = {.dir = recording,
						 .out = out,
						 .platforms = &adr,
						 .platform_count = 1,
						 .recover = "true",
						 .depends = "",
						 .timeout = 10,
						 .jobs = 1,
						 .maker = &maker,
						 .strategies = &inject,
						 .strategy_count = 1,
						 .visits = visits,
						 .shard = {.index = 1, .total = 1}};
	struct survey *survey = survey_make(recording);
	struct campaign *campaign;
	struct err err;

	if (campaign_run(&campaign, &options, survey, &err) < 0)
		fail(&err);
	campaign_free(campaign);
	survey_free(survey);
}

/* Parts */

/* Copies the settings, and the first line of the journal, which belongs to them. */
static FILE *part_make(const char *from, const char *dir, struct part part, uint32_t index, uint32_t total)
{
	char command[3 * PATH_MAX], path[PATH_MAX];
	struct err err;

	part.index = index;
	part.total = total;
	part.complete = true;
	mkdir(dir, 0777);
	snprintf(command, sizeof(command),
		 "cp '%s/crash.settings' '%s/' && head -n 1 '%s/crash.journal' >'%s/crash.journal'", from, dir, from,
		 dir);
	if (part_write(&part, dir, &err) < 0 || path_make(path, sizeof(path), &err, "%s/crash.journal", dir) < 0)
		fail(&err);
	return system(command) ? NULL : fopen(path, "ae");
}

int main(int argc, char **argv)
{
	uint32_t total = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0, next = 0;
	FILE **files = mem_alloc((total + 1) * sizeof(FILE *)), *journal;
	char path[PATH_MAX], line[256];
	struct part part;
	struct err err;
	uint64_t states = 0;

	if (argc != 4 || !total)
		return 2;
	if (part_read(&part, argv[1], &err) < 0 || path_make(path, sizeof(path), &err, "%s.all", argv[1]) < 0)
		fail(&err);
	mkdir(path, 0777);
	journal_make(part.recording, path, strtoull(argv[3], NULL, 10));
	strcat(path, "/crash.journal");
	journal = fopen(path, "re");
	for (uint32_t i = 0; i < total; i++) {
		snprintf(path, sizeof(path), "%s.%u", argv[1], i + 1);
		files[i] = part_make(argv[1], path, part, i + 1, total);
		if (!files[i])
			return 3;
	}
	if (!journal || !fgets(line, sizeof(line), journal))
		return 3;
	for (; fgets(line, sizeof(line), journal); states++)
		fputs(line, files[next++ % total]);
	for (uint32_t i = 0; i < total; i++)
		fclose(files[i]);
	fclose(journal);
	free(files);
	printf("%llu states\n", (unsigned long long)states);
	return 0;
}
