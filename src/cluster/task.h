/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h - one shard as an engine runs it, and the shell script that does it.
 *
 * The script is the same for every engine and every shard; its argument is the number of the shard.  Before it does
 * anything, it looks for a token in the folder of the shards: a node that sees another file system finds none, and must
 * not test crash states whose results nobody would see.  Then the script becomes `blackout check`, so a signal to the
 * task is a signal to that.  If an earlier attempt left a journal, the script continues from there. */
#ifndef BLACKOUT_CLUSTER_TASK_H
#define BLACKOUT_CLUSTER_TASK_H

#include <stdio.h>

#include "run/words.h"

/* Exit statuses of the script itself; those of Blackout are lower. */
enum task_refusal {
	TASK_SEES_NOTHING = 121, /* no token: the folder is not shared */
	TASK_NO_DIRECTORY = 122, /* the working directory does not exist there */
	TASK_NO_PROGRAM = 123,   /* Blackout does not */
	TASK_NO_LOG = 124,       /* the log cannot be written */
};

enum task_state { TASK_WAITING, TASK_RUNNING, TASK_ENDED };

/* An attempt to run a shard. */
struct cluster_task {
	unsigned shard; /* from 1 */
	enum task_state state;
	/* For TASK_ENDED: */
	int status;         /* as of waitpid(2); meaningless if `lost` */
	bool lost;          /* nobody knows how it ended */
	bool cancelled;     /* a person did it */
	const char *reason; /* what the engine knows about its end, "exceeded its time limit"; NULL: nothing */
	char node[64];      /* where it runs or ran; "": not known yet, or here */
	char waits_for[64]; /* what the engine says while it waits; "": nothing */
	long job;           /* the engine's own number */
};

/* What all shards have in common. */
struct task_common {
	const char *dir;   /* absolute: the folder of the shards, with the token, the parts and their logs */
	const char *cwd;   /* absolute */
	const char *token; /* content of DIR/token */
	unsigned total;
	/* `blackout check` with all of its options but those of a shard, then the recording; the program is absolute. */
	const struct words *command;
	unsigned jobs; /* recovery workers of a shard; 0: as many as the engine gives it processors */
};

/* Write the script. */
void task_script(const struct task_common *common, FILE *out);

#endif
