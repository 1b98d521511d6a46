/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utility.h - run a short command of the cluster's own, and read what it prints.
 *
 *     struct utility squeue = {.argv = argv};
 *     if (utility_run(&squeue, &err) < 0) ...           // it could not be started, or took too long
 *     if (squeue.status) ...                            // it failed; the last line that it printed says why
 *     ... squeue.printed ...
 *     utility_free(&squeue);
 *
 * The command is in a process group of its own: Ctrl-C does not end it halfway. */
#ifndef BLACKOUT_CLUSTER_UTILITY_H
#define BLACKOUT_CLUSTER_UTILITY_H

#include "base/err.h"

enum { UTILITY_MS = 60000 };

struct utility {
	char *const *argv; /* argv[0] is searched in PATH */
	const char *input; /* path of its standard input; NULL: /dev/null */
	int status;        /* exit status; -1: a signal ended it */
	char *printed;     /* standard output; standard error if the status is not 0 */
};

int utility_run(struct utility *utility, struct err *err);
void utility_free(struct utility *utility);

#endif
