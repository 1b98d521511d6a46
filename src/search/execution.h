/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execution.h - run the program on one input, in a process of its own: natively, to see whether it crashes or hangs; and
 * recorded, to see which branches depend on the input, and to judge what it does to PM.
 *
 *     struct execution run;
 *     execution_start(&run, &plan, &input, 7, parts, &err);
 *     ... poll run.fd; when it is readable: ...
 *     execution_end(&run, &result);
 *     ... result, DIR/search/7/recording, DIR/search/7/findings.json, DIR/search/7/crash ...
 *
 * Whatever happens to the process, only this execution is lost. */
#ifndef BLACKOUT_SEARCH_EXECUTION_H
#define BLACKOUT_SEARCH_EXECUTION_H

#include <limits.h>
#include <sys/types.h>

#include "analysis/analysis.h"
#include "base/vec.h"
#include "run/recorder.h"
#include "search/behavior.h"
#include "search/conversation.h"
#include "search/input.h"
#include "search/start.h"

#define EXECUTIONS_DIR "search"
#define EXECUTION_RECORDING "recording" /* in an execution's directory */
#define EXECUTION_OPERATIONS "ops"      /* in an input's directory */

/* What executions without a finding have left behind: an input that leaves the same is not likely to show one. */
struct fruitless {
	VEC_OF(uint64_t) left; /* place_left */
};

/* What all executions of a search share. */
struct execution_plan {
	const char *dir; /* of the search, absolute */
	const struct input_sources *sources;
	struct start *start;
	const struct words *target; /* the command line, with the words {ops} and {out} */
	const char *client;         /* the same; NULL: none */
	const char *ready;
	const struct conversation *talk; /* what is sent to the server instead (sender.h); NULL: the client runs */
	bool overhears;                  /* record what the client sends */
	const struct recorder *recorder;
	const struct recorder_job *job;      /* what every recording has; without dir, target, ops, layers */
	uint32_t layers;                     /* that the detectors need */
	const struct analysis_options *how;  /* how recordings are judged */
	const struct behavior_set *behavior; /* whose crash states were tested so far */
	const struct fruitless *fruitless;   /* what is known of them so far */
	struct symbols *symbols;             /* of the code that was seen so far: executions begin with them */
	double timeout;                      /* seconds, natively */
	unsigned jobs;                       /* executions at a time */
	double end;                          /* monotonic clock: judging ends then; 0: never */
	bool compress;                       /* the recordings, when they are judged */
	struct stop stop;
};

enum execution_part {
	EXECUTION_NATIVE = 1, /* run it natively, too */
	/* It may use PM files that the start does not know yet: record first, because a recording can put them back. */
	EXECUTION_FIRST = 2,
	EXECUTION_JUDGE = 4, /* judge the recording */
	EXECUTION_TEST = 8,  /* test its crash states even if its behavior is not new */
	/* Record only if it leaves other files behind, natively, than all executions that showed nothing. */
	EXECUTION_PROMISING = 16,
};

/* Plain data: it comes through a pipe. */
struct execution_result {
	bool done; /* otherwise *err says what went wrong, unless it was stopped */
	bool stopped;
	bool full;       /* it went wrong, and no space is left for recordings */
	bool judged;     /* there is a findings.json, */
	size_t findings; /* with so many findings */
	bool cut;        /* time was up before all crash states were tested */
	bool tested;     /* its behavior was new, so crash states were tested if there is a recovery command */
	bool idle;       /* it did nothing to PM */
	struct ending native, recorded;
	bool was_native;
	uint64_t left;    /* what it left behind, natively (place_left) */
	bool fruitless;   /* an execution without a finding has left the same: it was not recorded */
	char said[256];   /* the last line that the program printed on standard error, natively */
	bool unknown;     /* it used PM files that the start does not know: call start_learn */
	bool is_untested; /* crash states could not be tested: */
	struct err untested;
	struct err err;
};

struct execution {
	pid_t pid;
	int fd;
	uint64_t number;
	char dir[PATH_MAX];
};

/* `parts`: enum execution_part.  The directory DIR/search/NUMBER exists. */
int execution_start(struct execution *execution, const struct execution_plan *plan, const struct input *input,
		    uint64_t number, unsigned parts, struct err *err);

/* Tell it to stop; execution_end must still be called. */
void execution_stop(const struct execution *execution);

/* Wait until it is over. */
void execution_end(struct execution *execution, struct execution_result *result);

/* The path of an execution's directory. */
int execution_dir(char dir[PATH_MAX], const struct execution_plan *plan, uint64_t number, struct err *err);

/* The shell command that sends the input in the directory to the server; the caller frees it.  NULL: *err. */
char *execution_sender(const char *dir, struct err *err);

/* The command line of the program on this input, without a recorder.  `ops`, `out`: paths for the words. */
void execution_command(struct words *argv, const struct execution_plan *plan, const struct input *input,
		       const char *ops, const char *out);

/* The name of the file in an input's directory that is standard input; NULL: it is empty. */
const char *execution_stdin(const struct execution_plan *plan);

#endif
