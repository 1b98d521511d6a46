/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcome.h - how one run of recovery ended: data about the program, never an error of ours. */
#ifndef BLACKOUT_RUN_OUTCOME_H
#define BLACKOUT_RUN_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

enum { OUTCOME_TAIL = 4096 /* bytes that are kept of each output: its end */ };

/* How the recovery command is shown the crash state; see recovery.h. */
enum recovery_mode {
	RECOVERY_AUTO,
	RECOVERY_FORK,
	RECOVERY_NAMESPACE,
	RECOVERY_REDIRECT,
	RECOVERY_IN_PLACE,
	RECOVERY_MODES
};

enum outcome_kind { OUTCOME_EXIT, OUTCOME_SIGNAL, OUTCOME_TIMEOUT };

/* The end of what was printed: `size` bytes, any bytes, followed by a zero byte.  NULL: nothing was. */
struct tail {
	char *text;
	size_t size;
	bool cut; /* there was more before it */
};

struct outcome {
	enum outcome_kind kind;
	int value;      /* exit status, or number of the signal; 0 for a time-out */
	double seconds; /* that it took */
	struct tail out, err;
	enum recovery_mode mode; /* in which it ran */
	bool by_client;          /* it is the client that failed, not the server */
	bool touched;            /* it could write to the files of the stage: stage_distrust */
};

/* Did recovery accept the state? */
bool outcome_passed(const struct outcome *outcome);

/* The same kind and value?  What was printed, and how long it took, may differ. */
bool outcome_same(const struct outcome *a, const struct outcome *b);

/* "exit status 3", "SIGSEGV", "no end within the time limit". */
void outcome_describe(const struct outcome *outcome, char *text, size_t size);

/* *copy owns its texts; outcome_free gives them back. */
void outcome_copy(struct outcome *copy, const struct outcome *outcome);
void outcome_free(struct outcome *outcome);

#endif
