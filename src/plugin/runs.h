/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runs.h - call plug-ins with the events of a recording, each in a process for each platform.
 *
 *     struct plugin_runs *runs = plugin_runs_new(plugins, platforms, count);
 *     if (plugin_runs_start(runs, dir, &err) < 0) ...          // this process must have only one thread now
 *     ... anything that starts no process and waits for none ...
 *     plugin_runs_finish(runs, trace, &stop);                  // waits; `trace` has been read to its end
 *     ... plugin_runs_sinks(runs, &n) ...; plugin_runs_note(runs, trace, findings);
 *     plugin_runs_free(runs);
 *
 * A plug-in that fails costs what it would have reported afterwards, and nothing else. */
#ifndef BLACKOUT_PLUGIN_RUNS_H
#define BLACKOUT_PLUGIN_RUNS_H

#include "base/stop.h"
#include "detect/sink.h"
#include "finding/finding.h"
#include "model/model.h"
#include "plugin/plugin.h"

struct plugin_runs;

/* `plugins`, which may be NULL for none, and the platforms must outlive the runs. */
struct plugin_runs *plugin_runs_new(const struct plugins *plugins, const struct platform *const *platforms,
				    size_t count);
void plugin_runs_free(struct plugin_runs *runs); /* NULL is fine */

int plugin_runs_start(struct plugin_runs *runs, const char *dir, struct err *err);
void plugin_runs_finish(struct plugin_runs *runs, const struct trace *trace, const struct stop *stop);

/* What they reported: a sink for each plug-in and platform. */
struct sink *const *plugin_runs_sinks(const struct plugin_runs *runs, size_t *count);

/* Add notes about those that failed, and about functions that they wait for in vain. */
void plugin_runs_note(const struct plugin_runs *runs, const struct trace *trace, struct findings *findings);

#endif
