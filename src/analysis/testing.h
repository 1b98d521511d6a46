/* SPDX-License-Identifier: GPL-2.0-or-later */
/* testing.h - test crash states: from the options of `run` and `check` to a campaign, with a progress line.
 *
 *     static struct testing_options given;
 *     static const struct option options[] = {TESTING_OPTIONS(&given), {0}};
 *     ...
 *     struct testing testing;
 *     if (testing_prepare(&testing, &given, &err) < 0) ...              // before anything is run
 *     r = testing_run(&testing, &choice, scan, &facts, &err);       // the caller then reports testing.campaign
 *     testing_free(&testing); */
#ifndef BLACKOUT_ANALYSIS_TESTING_H
#define BLACKOUT_ANALYSIS_TESTING_H

#include "analysis/counting.h"
#include "analysis/scan.h"
#include "campaign/campaign.h"
#include "cli/option.h"
#include "run/outcome.h"

struct testing_options {
	const char *recover, *client, *ready, *mode;
	const char *at, *points, *after;
	const char *timeout, *memory, *disk, *budget;
	uint64_t jobs, visits, seed;
	bool nested, resume, progress;
	bool elsewhere; /* recovery runs in the directory of a recording that was not read yet */
	/* The result of testing_load. */
	struct testing_before {
		char changed[80];    /* changed settings on which outcomes depend: "--recover, --memory" */
		const char *timeout; /* the earlier value; NULL: nothing was tested before */
	} before;
};

/* clang-format off */
#define TESTING_OPTIONS(o) \
	OPTION_GROUP("Crash states"), \
	{"recover", "CMD", NULL, "shell command that opens the PM files after the crash and checks them; without it no crash state is tested", OPTION_TEXT | OPTION_RULES, &(o)->recover}, \
	{"at", "persist|store", "persist", "where inject crashes: before flushes, fences and syncs, or before every store too", OPTION_TEXT | OPTION_KEPT, &(o)->at}, \
	{"visits", "N", "1", "crash at up to N visits of the same failure point", OPTION_NUMBER | OPTION_KEPT, &(o)->visits}, \
	{"points", "LIST", NULL, "crash only at these failure points: numbers, ranges, functions, file:line", OPTION_TEXT | OPTION_KEPT, &(o)->points}, \
	{"after", "FUNCTION", NULL, "crash only after FUNCTION has returned once", OPTION_TEXT | OPTION_KEPT, &(o)->after}, \
	{"nested", NULL, NULL, "crash recovery itself, too", OPTION_FLAG | OPTION_KEPT, &(o)->nested}, \
	{"jobs", "N", "0", "recovery workers; 0: one for each core", OPTION_NUMBER | OPTION_KEPT, &(o)->jobs}, \
	{"timeout", "SECONDS", "10", "how long one recovery may take", OPTION_TEXT | OPTION_KEPT, &(o)->timeout}, \
	{"memory", "SIZE", NULL, "how much address space one recovery may use: 512M, 4G", OPTION_TEXT | OPTION_RULES, &(o)->memory}, \
	{"disk", "SIZE", "1G", "how much one recovery may write outside its PM files; it is kept in memory", OPTION_TEXT | OPTION_RULES, &(o)->disk}, \
	{"budget", "TIME", NULL, "stop testing after this long: 90s, 5m, 1h", OPTION_TEXT, &(o)->budget}, \
	{"recovery-mode", OPTION_VALUES(RECOVERY_MODE_TABLE(RECOVERY_MODE_BAR)), "auto", "how recovery is shown the crash state at the original paths", OPTION_TEXT | OPTION_KEPT, &(o)->mode}, \
	{"seed", "N", "1", "seed of all random choices", OPTION_NUMBER | OPTION_KEPT, &(o)->seed}

#define SERVICE_OPTIONS(o) \
	OPTION_GROUP("Servers"), \
	{"client", "CMD", NULL, "the target and recovery are servers; run this shell command as their client", OPTION_TEXT | OPTION_RULES, &(o)->client}, \
	{"ready", "WHAT", NULL, "how to tell that the server is up: a port or a socket path that accepts connections, or a shell command that succeeds", OPTION_TEXT | OPTION_RULES, &(o)->ready}
/* clang-format on */

struct testing {
	const struct testing_options *options;
	const struct counting *counting; /* NULL: nothing was counted */
	struct campaign_options how;
	bool wanted;               /* there is a recovery command */
	struct campaign *campaign; /* NULL: not run */
	VEC_OF(uint64_t) suspects; /* see struct campaign_options */
	VEC_OF(uint32_t) callers;
	VEC_OF(uint32_t) leftovers;

	/* progress */
	bool terminal;
	double shown; /* time of the last update */
	bool visible; /* a progress line is on the terminal */
};

/* Facts from the command. */
struct testing_facts {
	const char *dir, *out;        /* the recording; the directory for reports */
	const struct option *options; /* of the command */
	bool quiet;
};

/* For --resume.  Options that are kept (option.h) and are not on the command line get their values from the interrupted
 * campaign in `dir`. -1, ERR_USAGE: there was none. */
int testing_load(struct testing_options *given, const struct option *options, const char *dir, struct err *err);
int testing_save(const struct option *options, const char *dir, struct err *err);

/* A text of all options on which the outcomes of recovery depend.  The caller frees it. */
char *testing_rules(const struct option *options);

/* A new recording will be written to `dir`: remove the test results of the old one. */
void testing_forget(const char *dir);

/* Parse the options; -1, ERR_USAGE. */
int testing_prepare(struct testing *testing, const struct testing_options *options, struct err *err);

/* Set what explore may leave out. */
void testing_prune(struct testing *testing, const struct counting *counting);

/* Set what the first pass over the recording must collect. */
void testing_choose(const struct testing *testing, struct choice *choice);

/* Test crash states, if they are wanted and the recording has any. -1: see campaign_run; recovery's output is shown. */
int testing_run(struct testing *testing, const struct choice *choice, const struct scan *scan,
		const struct testing_facts *facts, struct err *err);

/* True if recovery passed on every state but never opened a PM file; *err then says so. */
bool testing_judged_nothing(const struct testing *testing, const struct trace *trace, struct err *err);

/* The user interrupted: say what the reports cover, and how to continue. */
void testing_interrupted(const struct testing *testing, const char *dir);

void testing_free(struct testing *testing);

#endif
