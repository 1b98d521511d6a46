/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis_options.c - see analysis_options.h. */
#include "cli/analysis_options.h"

#include <string.h>
#include <unistd.h>

#include "cli/quantity.h"

enum { JOBS_MAX = 63 };

static bool word_is(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && !memcmp(word, name, length);
}

static int prune_parse(struct campaign_options *testing, const char *prune, struct err *err)
{
	if (!strcmp(prune, "none"))
		return 0;
	for (const char *end, *list = prune; list; list = *end ? end + 1 : NULL) {
		size_t length = (size_t)((end = strchrnul(list, ',')) - list);

		if (word_is(list, length, "segments")) {
			testing->prune_segments = true;
		} else if (word_is(list, length, "reads")) {
			testing->prune_reads = true;
		} else {
			err_set(err, "--prune must be none, or a list of segments and reads, not '%s'", prune);
			return err_status(err, ERR_USAGE);
		}
	}
	return 0;
}

static unsigned jobs_number(uint64_t wanted)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (!wanted)
		wanted = cores > 0 ? (uint64_t)cores : 1;
	return wanted < JOBS_MAX ? (unsigned)wanted : JOBS_MAX;
}

/* Is it 0 on the command line?  Otherwise 0 means that the user leaves it to us. */
static bool is_given_as_zero(const struct option *table, const uint64_t *number)
{
	for (const struct option *o = table; o->name; o++)
		if (o->value == number)
			return !*number && option_given(o);
	return false;
}

static int numbers_check(const struct analysis_words *words, const struct option *table, struct err *err)
{
	if (is_given_as_zero(table, &words->visits))
		err_set(err, "--visits cannot be 0");
	else if (is_given_as_zero(table, &words->representatives))
		err_set(err, "--representatives cannot be 0");
	else if (!words->per_segment)
		err_set(err, "--per-segment cannot be 0");
	else if (!words->executions)
		err_set(err, "--executions cannot be 0");
	else if (words->ready && !words->client)
		err_set(err, "--ready needs --client");
	else
		return 0;
	return err_status(err, ERR_USAGE);
}

static int limits_parse(struct campaign_options *testing, const struct analysis_words *words, struct err *err)
{
	if (seconds_parse("timeout", words->timeout, &testing->timeout, err) < 0 ||
	    (words->budget && seconds_parse("budget", words->budget, &testing->budget, err) < 0) ||
	    (words->memory && bytes_parse("memory", words->memory, &testing->memory, err) < 0))
		return -1;
	return bytes_parse("disk", words->disk, &testing->disk, err);
}

int analysis_options_parse(struct analysis_options *o, const struct analysis_words *words, const struct option *table,
			   struct err *err)
{
	if (choice_parse(&o->choice, words->detect, words->platform, err) < 0)
		return -1;
	o->choice.at = strcmp(words->at, "store") ? POINTS_PERSIST : POINTS_STORE;
	o->stats = words->stats;
	o->write_suppressions = words->write_suppressions;
	o->places = (struct findings_options){
		.own = words->own.items,
		.own_count = words->own.count,
		.fold = words->fold.items,
		.fold_count = words->fold.count,
		.no_fold = words->no_fold.items,
		.no_fold_count = words->no_fold.count,
	};
	o->testing = (struct campaign_options){
		.recover = words->recover,
		.client = words->client,
		.ready = words->ready,
		.mode = words->mode,
		.jobs = jobs_number(words->jobs),
		.visits = words->visits,
		.points = words->points,
		.after = words->after,
		.seed = words->seed,
		.nested = words->nested,
		.huge_pages = words->huge_pages,
		.lean_pmemobj = words->lean_pmemobj,
		.checkpoints = words->checkpoints,
		.resume = words->resume,
		.representatives = words->representatives,
		.per_segment = words->per_segment,
		.race_executions = strcmp(words->race_mode, "random") ? 0 : words->executions,
		.checksums = words->checksums.items,
		.checksum_count = words->checksums.count,
	};
	if (numbers_check(words, table, err) < 0 || limits_parse(&o->testing, words, err) < 0)
		return -1;
	return prune_parse(&o->testing, words->prune, err);
}
