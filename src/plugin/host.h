/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.h - the process of a plug-in: loads it and calls it with the events of a recording.
 *
 * The host reads the recording itself and has a model of its own, so no event crosses the border between the processes,
 * and a question of the plug-in is a function call.  Only reports go to Blackout (wire.h).
 *
 * These functions run in a child process (child.h), which ends when they return. */
#ifndef BLACKOUT_PLUGIN_HOST_H
#define BLACKOUT_PLUGIN_HOST_H

#include "model/model.h"
#include "plugin/wire.h"

/* Write to the wire what the plug-in in the file `path` is, or why it cannot be used. */
void host_describe(const char *path, struct wire *wire);

struct host_job {
	const char *path; /* the plug-in */
	const char *dir;  /* the recording */
	const struct platform *platform;
};

/* Call the plug-in with all events, and write its reports to the wire. */
void host_run(const struct host_job *job, struct wire *wire);

#endif
