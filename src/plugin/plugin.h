/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.h - plug-in oracles (--oracle, blackout/oracle.h): what they are, and what they need.
 *
 *     struct plugins *plugins;
 *     if (plugins_open(&plugins, paths, count, &limits, &err) < 0) ...         // one cannot be used: ERR_USAGE
 *     ... plugins_layers(plugins), plugins_call(plugins, 0) ...                // what to record
 *     ... runs.h: call them with the events of a recording
 *     plugins_close(plugins);
 *
 * Blackout never loads a plug-in into its own process.  To find out what a plug-in is, it starts one that does, and reads
 * what that wrote (wire.h).  Its kinds of finding are registered (finding/kind.h), so that everything that comes later
 * knows them. */
#ifndef BLACKOUT_PLUGIN_PLUGIN_H
#define BLACKOUT_PLUGIN_PLUGIN_H

#include "base/err.h"
#include "plugin/child.h"
#include "trace/trace.h"

struct plugins;

/* Not for processes with several threads.  *plugins must be closed in any case. */
int plugins_open(struct plugins **plugins, const char *const *paths, size_t count, const struct child_limits *limits,
		 struct err *err);
void plugins_close(struct plugins *plugins); /* NULL is fine */

/* BO_LAYER_*: what the recording should have.  NULL needs nothing. */
uint32_t plugins_layers(const struct plugins *plugins);

/* The patterns of the functions whose calls should be recorded; NULL after the last. */
const char *plugins_call(const struct plugins *plugins, size_t index);

/* What a recording lacks for a plug-in. */
struct plugins_lack {
	const char *plugin; /* its path, as given */
	uint32_t layers;
	const char *call; /* a pattern whose calls were not recorded; NULL: none */
};

/* False: all plug-ins can work with it. */
bool plugins_lack(const struct plugins *plugins, const struct trace *trace, struct plugins_lack *lack);

#endif
