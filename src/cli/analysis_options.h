/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis_options.h - the options of `run` and `check` that control the analysis, from words to values.
 *
 *     static struct analysis_words given;
 *     static const struct option options[] = {ANALYSIS_OPTIONS(&given), TESTING_OPTIONS(&given), {0}};
 *     ...
 *     struct analysis_options how = {0};
 *     if (analysis_options_parse(&how, &given, options, &err) < 0) ...  // then analysis/analysis.h */
#ifndef BLACKOUT_CLI_ANALYSIS_OPTIONS_H
#define BLACKOUT_CLI_ANALYSIS_OPTIONS_H

#include "analysis/analysis.h"
#include "cli/option.h"
#include "cli/oracle_options.h"
#include "run/outcome.h"

/* As on the command line. */
struct analysis_words {
	/* ANALYSIS_OPTIONS */
	const char *detect, *platform, *write_suppressions;
	struct option_list own, fold, no_fold;
	/* ORACLE_OPTIONS */
	struct oracle_words oracles;
	/* TESTING_OPTIONS */
	const char *recover, *at, *points, *after, *timeout, *memory, *disk, *budget, *mode;
	uint64_t jobs, visits, seed; /* visits 0: it is not given */
	bool nested, huge_pages, lean_pmemobj, checkpoints;
	bool resume; /* of `check` only */
	/* EXPLORE_OPTIONS */
	const char *prune;
	uint64_t representatives, per_segment; /* representatives 0: it is not given */
	bool stats;
	/* RACE_OPTIONS */
	const char *race_mode;
	uint64_t executions;
	struct option_list checksums;
	/* SERVICE_OPTIONS (record_target.h) */
	const char *client, *ready;
};

/* clang-format off */
#define ANALYSIS_OPTIONS(o) \
	OPTION_GROUP("Analysis"), \
	{"detect", OPTION_VALUES(DETECT_NAMES), OPTION_VALUES(DETECT_USUAL), "which detectors to use", OPTION_TEXT | OPTION_KEPT, &(o)->detect}, \
	{"platform", OPTION_VALUES(PLATFORMS(PLATFORM_BAR) ",..."), "adr", "which platforms to judge for", OPTION_TEXT | OPTION_KEPT, &(o)->platform}, \
	ORACLE_OPTIONS(&(o)->oracles, "also check with this plug-in"), \
	{"own", "PATTERN", NULL, "modules or source paths that are your own code", OPTION_LIST | OPTION_KEPT, &(o)->own}, \
	{"fold", "PATTERN", NULL, "functions, modules or source paths whose callers findings name instead", OPTION_LIST | OPTION_KEPT, &(o)->fold}, \
	{"no-fold", "FUNCTION", NULL, "functions that findings name even if they only flush for their callers", OPTION_LIST | OPTION_KEPT, &(o)->no_fold}, \
	{"write-suppressions", "FILE", NULL, "write a suppression for each finding to FILE", OPTION_TEXT, &(o)->write_suppressions}

#define TESTING_OPTIONS(o) \
	OPTION_GROUP("Crash states"), \
	{"recover", "CMD", NULL, "shell command that opens the PM files after the crash and checks them; without it no crash state is tested", OPTION_TEXT | OPTION_OUTCOME, &(o)->recover}, \
	{"at", "persist|store", "persist", "where inject crashes: before flushes, fences and syncs, or before every store too", OPTION_TEXT | OPTION_KEPT, &(o)->at}, \
	{"visits", "N", NULL, "crash at up to N visits of the same failure point (default: 1; with --ops, up to 100)", OPTION_NUMBER | OPTION_KEPT, &(o)->visits}, \
	{"points", "LIST", NULL, "crash only at these failure points: numbers, ranges, functions, file:line", OPTION_TEXT | OPTION_KEPT, &(o)->points}, \
	{"after", "FUNCTION", NULL, "crash only after FUNCTION has returned once", OPTION_TEXT | OPTION_KEPT, &(o)->after}, \
	{"nested", NULL, NULL, "crash recovery itself, too", OPTION_FLAG | OPTION_KEPT, &(o)->nested}, \
	{"jobs", "N", "0", "recovery workers; 0: one for each core", OPTION_NUMBER | OPTION_KEPT, &(o)->jobs}, \
	{"timeout", "SECONDS", "10", "how long one recovery may take", OPTION_TEXT | OPTION_KEPT, &(o)->timeout}, \
	{"memory", "SIZE", NULL, "how much address space one recovery may use: 512M, 4G", OPTION_TEXT | OPTION_OUTCOME, &(o)->memory}, \
	{"disk", "SIZE", "1G", "how much one recovery may write outside its PM files; it is kept in memory", OPTION_TEXT | OPTION_OUTCOME, &(o)->disk}, \
	{"budget", "TIME", NULL, "stop testing after this long: 90s, 5m, 1h", OPTION_TEXT, &(o)->budget}, \
	{"recovery-mode", OPTION_VALUES(RECOVERY_MODE_TABLE(RECOVERY_MODE_BAR)), "auto", "how recovery is shown the crash state at the original paths", OPTION_TEXT | OPTION_KEPT, &(o)->mode}, \
	{"seed", "N", "1", "seed of all random choices", OPTION_NUMBER | OPTION_KEPT, &(o)->seed}, \
	OPTION_GROUP("Speed of recoveries"), \
	{"no-huge-pages", NULL, NULL, "do not give recoveries huge pages, even if they fill much memory", OPTION_UNSET, &(o)->huge_pages}, \
	{"plain-libpmemobj", NULL, NULL, "in recoveries, leave libpmemobj as it is: an arena for each processor, and memory from malloc", OPTION_UNSET, &(o)->lean_pmemobj}, \
	{"no-checkpoints", NULL, NULL, "run every recovery from its start", OPTION_UNSET, &(o)->checkpoints}

#define EXPLORE_OPTIONS(o) \
	OPTION_GROUP("Crash states of --detect explore"), \
	{"prune", "none|segments|reads,...", "segments,reads", "what explore may leave out", OPTION_TEXT | OPTION_KEPT, &(o)->prune}, \
	{"representatives", "N", NULL, "how many segments of the same code to explore (default: 1; with --ops, 100)", OPTION_NUMBER | OPTION_KEPT, &(o)->representatives}, \
	{"per-segment", "N", "65536", "how many crash states of a segment to test; if there are more, a random sample is tested", OPTION_NUMBER | OPTION_KEPT, &(o)->per_segment}, \
	{"stats", NULL, NULL, "list the segments with the most crash states", OPTION_FLAG, &(o)->stats}

#define RACE_OPTIONS(o) \
	OPTION_GROUP("Crash states of --detect races"), \
	{"race-mode", "check|random", "check", "crash before flushes and fences and at the end, or at random moments", OPTION_TEXT | OPTION_KEPT, &(o)->race_mode}, \
	{"executions", "N", "100", "how many random moments", OPTION_NUMBER | OPTION_KEPT, &(o)->executions}, \
	{"checksum", "FUNCTION", NULL, "loads in FUNCTION of recovery do not race", OPTION_LIST | OPTION_KEPT, &(o)->checksums}
/* clang-format on */

/* Set what the words determine, and nothing else.  `table` has the options that the words come from.  -1, ERR_USAGE. */
int analysis_options_parse(struct analysis_options *options, const struct analysis_words *words,
			   const struct option *table, struct err *err);

#endif
