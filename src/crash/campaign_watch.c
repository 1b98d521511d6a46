/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_watch.c - recordings of recovery that are read once and removed (recovery_trace.h).
 *
 * They are made in OUT/observed, which exists only while the campaign runs. */
#include <limits.h>
#include <sys/stat.h>

#include "base/path.h"
#include "blackout/trace_format.h"
#include "crash/strategy.h"
#include "image/tree.h"

bool campaign_watch_dir(const struct campaign *c, char dir[PATH_MAX])
{
	return path_format(dir, PATH_MAX, "%s/observed", c->options.out);
}

void campaign_watch_prepare(struct campaign *c)
{
	char dir[PATH_MAX];

	if (campaign_watch_dir(c, dir))
		mkdir(dir, 0777); /* if it fails, nothing can be recorded there either */
}

void campaign_watch_end(struct campaign *c)
{
	char dir[PATH_MAX];

	if (campaign_watch_dir(c, dir))
		tree_remove(dir);
}

int campaign_watch(struct campaign *c, const struct state *state, const struct crash_context *crash,
		   struct campaign_watching watching, const struct recovery_consumer *consumer, bool *whole)
{
	struct err ignored;
	char dir[PATH_MAX];
	const struct recovery_trace_options how = {
		.tester = c->tester,
		.input = {.state = state, .content = c->survey->final, .crash = crash},
		.layers = watching.layers | BO_LAYER_LOADS,
		.patience = watching.patience,
		.most = watching.most,
		.under = dir,
	};
	int r = campaign_watch_dir(c, dir) ? recovery_trace(&how, consumer, &ignored) : -1;

	*whole = r == RECOVERY_TRACE_WHOLE;
	return r == TESTER_STOPPED ? r : 0;
}

int campaign_watch_start(struct campaign *c, const struct state *state, const struct crash_context *crash,
			 struct campaign_watching watching, uint64_t number, const struct recovery_consumer *consumer,
			 recovery_traced_done *done, struct err *err)
{
	char dir[PATH_MAX];
	const struct recovery_trace_options how = {
		.tester = c->tester,
		.input = {.state = state, .crash = crash},
		.layers = watching.layers | BO_LAYER_LOADS,
		.patience = watching.patience,
		.most = watching.most,
		.under = dir,
		.number = number,
	};

	return campaign_watch_dir(c, dir) ? recovery_trace_start(&how, consumer, done, err)
					  : err_set(err, "its path is too long");
}
