/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drawings.c - see drawings.h. */
#include "analysis/drawings.h"

#include "detect/activity.h"
#include "finding/helpers.h"
#include "finding/history.h"
#include "trace/symbols.h"
#include "trace/trace.h"

/* findings.json does not say which functions are helpers. */
static int helpers_read(struct helpers **helpers, const char *dir, struct symbols *symbols,
			const struct findings_options *options, struct err *err)
{
	struct activity *activity = activity_new();
	struct trace *trace = NULL;
	struct event ev;
	int r = trace_open(&trace, dir, err);

	while (r == 0 && (r = trace_next(trace, &ev, err)) > 0) {
		activity_event(activity, &ev);
		r = 0;
	}
	if (r == 0)
		*helpers = helpers_find(trace, symbols, activity, options);
	trace_close(trace);
	activity_free(activity);
	return r;
}

int drawings_make(struct findings *f, const char *dir, struct err *err)
{
	struct findings_options how = {
		.own = f->target.own.at,
		.own_count = f->target.own.count,
		.fold = f->target.fold.at,
		.fold_count = f->target.fold.count,
		.no_fold = f->target.no_fold.at,
		.no_fold_count = f->target.no_fold.count,
	};
	struct helpers *helpers = NULL;
	struct symbols *symbols;
	int r;

	symbols = symbols_open(NULL);
	r = helpers_read(&helpers, dir, symbols, &how, err);
	how.helpers = helpers;
	if (r == 0)
		r = history_collect(f, dir, symbols, &how, err);
	helpers_free(helpers);
	symbols_close(symbols);
	return r;
}
