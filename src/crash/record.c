/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c - recovery on a state, recorded like any program: to crash it in turn (nested.c), or to see what it reads
 * (observe.c). */
#include "crash/campaign_in.h"
#include "run/recorder.h"

enum { PATIENCE = 50 /* recording is slow */ };

int campaign_record(struct campaign *c, const struct recorder *recorder, const char *dir, const struct state *state,
		    bool loads, struct err *err)
{
	const struct origin *origin = c->survey->origin;
	struct recorder_job job = {.dir = dir,
				   .follow = true,
				   .loads = loads,
				   .code_hash = c->options.explore,
				   .pmem_force = c->options.pmem_force};
	struct words argv = {0}, environment = {0};
	struct outcome outcome;
	int r;

	for (size_t i = 0; i < origin_path_count(origin); i++)
		words_add(&job.pm, "%s", origin_path(origin, i));
	words_add(&job.target, "/bin/sh");
	words_add(&job.target, "-c");
	words_add(&job.target, "%s", c->options.recover);
	recorder_command(recorder, &job, &argv, &environment);
	r = state ? tester_other(c->tester, state, argv.items, environment.items, PATIENCE, &outcome, err)
		  : tester_other_content(c->tester, c->survey->final, argv.items, environment.items, PATIENCE, &outcome,
					 err);
	if (r == 0)
		outcome_free(&outcome);
	words_free(&argv);
	words_free(&environment);
	words_free(&job.pm);
	words_free(&job.target);
	return r;
}
