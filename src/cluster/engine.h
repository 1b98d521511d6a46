/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.h - who runs the shards: processes of this machine, or Slurm.
 *
 *     struct engine *engine;
 *     if (ops->open(&engine, &options, &err) < 0) ...
 *     ops->submit(engine, tasks, count, avoid, &err);  // again for those that are to be repeated
 *     ops->poll(engine, tasks, count, &err);           // their states; never waits long
 *     ops->cancel(engine);                             // all that were submitted; they end soon, and poll tells when
 *     ops->close(engine);
 *
 * An engine knows nothing about parts, journals or findings, and does not decide what is repeated. */
#ifndef BLACKOUT_CLUSTER_ENGINE_H
#define BLACKOUT_CLUSTER_ENGINE_H

#include "base/err.h"
#include "cluster/task.h"

struct engine;

struct engine_options {
	const char *script; /* path of the script (task.h) */
	const char *name;   /* of the job: a word that nothing else has */
	const char *args;   /* words of the user for the engine, as on a command line; NULL: none */
};

struct engine_ops {
	const char *name;
	int poll_ms; /* how often to ask for the states */
	/* -1: it cannot be used here. */
	int (*open)(struct engine **engine, const struct engine_options *options, struct err *err);
	/* How many shards there should be if the user does not say; 0: it cannot tell. */
	unsigned (*capacity)(struct engine *engine);
	/* Start these tasks; their state is then TASK_WAITING or TASK_RUNNING.  `avoid`: nodes that must not run them. */
	int (*submit)(struct engine *engine, struct cluster_task *const *tasks, size_t count, const struct words *avoid,
		      struct err *err);
	/* -1: the engine does not answer now; it may later. */
	int (*poll)(struct engine *engine, struct cluster_task *const *tasks, size_t count, struct err *err);
	void (*cancel)(struct engine *engine);
	/* Nothing of it is left running. */
	void (*close)(struct engine *engine);
};

extern const struct engine_ops engine_local, engine_slurm;

/* X(the name of an engine for --cluster).  Its functions are engine_NAME. */
#define ENGINES(X) \
	X(local)   \
	X(slurm)

/* "|local|slurm", for OPTION_VALUES. */
#define ENGINE_BAR(name) "|" #name

/* By its name; NULL: there is none. */
const struct engine_ops *engine_find(const char *name);

#endif
