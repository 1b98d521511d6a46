/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcomes.c - see outcomes.h. */
#include "crash/outcomes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"

#define CLAIMED UINT64_MAX
#define HEADER "blackout-journal 5 "
#define HEADER_BEFORE "blackout-journal 4 " /* of the same length */
/* behind verdicts that are so */
#define ORDERLY " orderly"
#define UNCONFIRMED " unconfirmed"
#define DISTRUSTED "distrusted\n" /* a line */

enum {
	KEPT_MAX = 4 << 20, /* bytes of output to keep of recoveries that fail */
	RECENT_MAX = 64,    /* other outcomes to keep for contexts that run the same recovery, which mostly come soon */
};

/* The outcome of a run (crash_run). */
struct recent_run {
	struct digest run;
	struct outcome outcome;
};

struct outcomes {
	const struct oracles *oracles;
	struct map verdicts; /* name of a case -> code of its verdict, or CLAIMED */
	bool distrusted;     /* verdicts that are not confirmed do not count */
	FILE *journal;       /* NULL: none */
	struct map kept;     /* name of a run -> 1 + index of its outcome */
	VEC_OF(struct outcome) all;
	size_t kept_bytes;
	struct recent_run recent[RECENT_MAX]; /* a ring */
	uint64_t recent_count;
};

/* The journal */

/* Read a hexadecimal number and the character `after`; false if they are not there. */
static bool hex_read(const char **text, uint64_t *value, char after)
{
	char *end;

	*value = strtoull(*text, &end, 16);
	if (end == *text || *end != after)
		return false;
	*text = end + 1;
	return true;
}

static bool line_read(const struct outcomes *o, const char *line, struct digest *name, struct verdict *verdict)
{
	char *end;

	*verdict = (struct verdict){.known = true};
	if (!hex_read(&line, &name->high, ' ') || !hex_read(&line, &name->low, ' ') ||
	    !ending_find_letter(*line, &verdict->ending.kind) || line[1] != ' ')
		return false;
	verdict->ending.value = (int)strtol(line + 2, &end, 10);
	if (end == line + 2 || *end != ' ')
		return false;
	line = end + 1;
	end = strpbrk(line, " \n");
	if (!end || !oracles_find(o->oracles, line, (size_t)(end - line), &verdict->rejected_by))
		return false;
	verdict->orderly = !strcmp(end, ORDERLY "\n");
	verdict->unconfirmed = !strcmp(end, UNCONFIRMED "\n");
	return verdict->orderly || verdict->unconfirmed || !strcmp(end, "\n");
}

uint64_t outcomes_depend_on(const struct outcomes_options *o)
{
	return XXH3_64bits_withSeed(o->depends, strlen(o->depends), oracles_hash(o->oracles));
}

/* Read the first line.  True if the journal depends on the same options; then *timeout is its time limit. */
static bool header_read(FILE *file, const struct outcomes_options *o, double *timeout)
{
	char line[128], *end;
	const char *text = line + strlen(HEADER);
	uint64_t hash;

	if (!fgets(line, sizeof(line), file) ||
	    (strncmp(line, HEADER, strlen(HEADER)) && strncmp(line, HEADER_BEFORE, strlen(HEADER))) ||
	    !hex_read(&text, &hash, ' '))
		return false;
	*timeout = strtod(text, &end);
	return hash == outcomes_depend_on(o) && end != text && *end == '\n';
}

/* False: the line is damaged. */
static bool line_take(struct outcomes *o, const char *line, double timeout, const struct outcomes_options *options)
{
	struct verdict verdict;
	struct digest name;

	if (!strcmp(line, DISTRUSTED)) {
		o->distrusted |= !options->confirmed;
		return true;
	}
	if (!line_read(o, line, &name, &verdict))
		return false;
	if ((verdict.ending.kind != ENDING_TIMEOUT || timeout >= options->timeout) &&
	    !(verdict.unconfirmed && options->confirmed))
		*map_put(&o->verdicts, name.low, name.high) = verdict_code(verdict);
	return true;
}

/* Read lines up to the first damaged one: the last line may have been cut off.  False: it depends on other options. */
static bool journal_read(struct outcomes *o, FILE *file, const struct outcomes_options *options)
{
	double timeout;
	char line[256];

	if (!header_read(file, options, &timeout))
		return false;
	while (fgets(line, sizeof(line), file) && line_take(o, line, timeout, options))
		;
	return true;
}

/* A part without a journal has tested nothing. */
static int parts_read(struct outcomes *o, const struct outcomes_options *options, struct err *err)
{
	for (size_t i = 0; options->parts && i < options->parts->count; i++) {
		const char *dir = options->parts->dirs[i];
		char path[PATH_MAX];
		FILE *file;
		bool same;

		if (path_make(path, sizeof(path), err, "%s/" OUTCOMES_JOURNAL, dir) < 0)
			return -1;
		file = fopen(path, "re");
		if (!file)
			continue;
		same = journal_read(o, file, options);
		fclose(file);
		if (!same) {
			err_set(err, "%s was tested with other options, or with another version of Blackout", dir);
			return err_status(err, ERR_USAGE);
		}
	}
	return 0;
}

static void journal_line(struct outcomes *o, uint64_t low, uint64_t high, struct verdict verdict)
{
	if (o->journal)
		fprintf(o->journal, "%016llx %016llx %c %d %s%s\n", (unsigned long long)high, (unsigned long long)low,
			ending_letter(verdict.ending.kind), verdict.ending.value, oracles_name(o->oracles, verdict),
			verdict.orderly       ? ORDERLY
			: verdict.unconfirmed ? UNCONFIRMED
					      : "");
}

/* Rewrite the journal, which drops a line that was cut off. */
static int journal_write(struct outcomes *o, const char *path, const struct outcomes_options *options, struct err *err)
{
	o->journal = fopen(path, "we");
	if (!o->journal)
		return err_sys(err, "cannot write %s", path);
	fprintf(o->journal, HEADER "%016llx %.17g\n", (unsigned long long)outcomes_depend_on(options),
		options->timeout);
	if (o->distrusted)
		fputs(DISTRUSTED, o->journal);
	for (size_t i = 0; i < o->verdicts.room; i++) {
		const struct map_entry *entry = &o->verdicts.entries[i];

		if (entry->used)
			journal_line(o, entry->key[0], entry->key[1], verdict_decode(entry->value));
	}
	fflush(o->journal);
	return 0;
}

int outcomes_open(struct outcomes **outcomes, const char *path, const struct outcomes_options *options, struct err *err)
{
	struct outcomes *o = mem_alloc(sizeof(*o));
	FILE *old;

	o->oracles = options->oracles;
	if (path && options->resume && (old = fopen(path, "re"))) {
		journal_read(o, old, options);
		fclose(old);
	}
	if (parts_read(o, options, err) < 0 || (path && journal_write(o, path, options, err) < 0)) {
		outcomes_close(o);
		return -1;
	}
	*outcomes = o;
	return 0;
}

void outcomes_close(struct outcomes *o)
{
	if (!o)
		return;
	if (o->journal)
		fclose(o->journal);
	map_free(&o->verdicts);
	for (size_t i = 0; i < o->all.count; i++)
		outcome_free(&o->all.at[i]);
	vec_free(&o->all);
	for (size_t i = 0; i < RECENT_MAX; i++)
		outcome_free(&o->recent[i].outcome);
	map_free(&o->kept);
	free(o);
}

/* Verdicts */

/* Known, or not known any more. */
static struct verdict verdict_find(const struct outcomes *o, struct digest name)
{
	const uint64_t *code = map_get(&o->verdicts, name.low, name.high);

	return verdict_decode(code && *code != CLAIMED ? *code : 0);
}

bool outcomes_is_doubtful(const struct outcomes *o, struct digest name)
{
	return o->distrusted && verdict_find(o, name).unconfirmed;
}

struct verdict outcomes_get(const struct outcomes *o, struct digest name)
{
	const struct verdict unknown = {0};

	return outcomes_is_doubtful(o, name) ? unknown : verdict_find(o, name);
}

void outcomes_set(struct outcomes *o, struct digest name, struct verdict verdict)
{
	*map_put(&o->verdicts, name.low, name.high) = verdict_code(verdict);
	journal_line(o, name.low, name.high, verdict);
}

static struct verdict outcome_judge(const struct outcomes *o, const struct outcome *outcome,
				    const struct crash_context *crash)
{
	struct verdict verdict = oracles_judge(o->oracles, outcome, crash);

	verdict.unconfirmed = outcome->unconfirmed;
	return verdict;
}

/* Do other contexts, which are judged differently, run the same recovery? */
static bool run_is_shared(const struct crash_context *crash)
{
	return crash->key != crash->command;
}

struct verdict outcomes_find(struct outcomes *o, struct digest name, const struct crash_context *crash)
{
	struct verdict verdict = outcomes_get(o, name);
	const struct outcome *outcome;

	if (verdict.known || !run_is_shared(crash) || !(outcome = outcomes_kept(o, name, crash)))
		return verdict;
	verdict = outcome_judge(o, outcome, crash);
	if (verdict.known)
		outcomes_set(o, name, verdict);
	return verdict;
}

bool outcomes_claim(struct outcomes *o, struct digest name, const struct crash_context *crash)
{
	uint64_t *code = map_put(&o->verdicts, name.low, name.high);

	if (*code && !outcomes_is_doubtful(o, name))
		return true;
	*code = CLAIMED;
	return outcomes_find(o, name, crash).known;
}

void outcomes_keep(struct outcomes *o, struct digest name, const struct crash_context *crash,
		   const struct outcome *outcome)
{
	struct recent_run *recent = &o->recent[o->recent_count++ % RECENT_MAX];

	outcome_free(&recent->outcome);
	recent->run = crash_run(name, crash);
	outcome_copy(&recent->outcome, outcome);
}

/* Keep an outcome for the report. */
static void failure_keep(struct outcomes *o, struct digest name, const struct crash_context *crash,
			 const struct outcome *outcome)
{
	struct digest run = crash_run(name, crash);
	struct outcome copy;
	uint64_t *index;

	if (o->kept_bytes >= KEPT_MAX)
		return;
	index = map_put(&o->kept, run.low, run.high);
	/* With more time the outcome may differ from the one that was kept. */
	if (*index && ending_same(o->all.at[*index - 1].ending, outcome->ending))
		return;
	outcome_copy(&copy, outcome);
	vec_push(&o->all, copy);
	*index = o->all.count;
	o->kept_bytes += sizeof(copy) + copy.out.size + copy.err.size;
}

struct verdict outcomes_learn(struct outcomes *o, struct digest name, const struct crash_context *crash,
			      const struct outcome *outcome)
{
	struct verdict verdict = outcome_judge(o, outcome, crash);

	BUG_ON(!verdict.known); /* oracles_prepare comes first */
	outcomes_set(o, name, verdict);
	if (verdict_failed(verdict))
		failure_keep(o, name, crash, outcome);
	else if (run_is_shared(crash))
		outcomes_keep(o, name, crash, outcome);
	return verdict;
}

const struct outcome *outcomes_kept(const struct outcomes *o, struct digest name, const struct crash_context *crash)
{
	struct digest run = crash_run(name, crash);
	const uint64_t *index = map_get(&o->kept, run.low, run.high);

	if (index && *index)
		return &o->all.at[*index - 1];
	for (size_t i = 0; i < RECENT_MAX && i < o->recent_count; i++)
		if (digest_equal(o->recent[i].run, run) && !(o->distrusted && o->recent[i].outcome.unconfirmed))
			return &o->recent[i].outcome;
	return NULL;
}

void outcomes_drop(struct outcomes *o, struct digest name)
{
	*map_put(&o->verdicts, name.low, name.high) = CLAIMED;
}

void outcomes_distrust(struct outcomes *o)
{
	if (o->journal && !o->distrusted)
		fputs(DISTRUSTED, o->journal);
	o->distrusted = true;
}

bool outcomes_are_distrusted(const struct outcomes *o)
{
	return o->distrusted;
}

const struct oracles *outcomes_oracles(const struct outcomes *o)
{
	return o->oracles;
}
