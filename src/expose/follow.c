/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow.c - see follow.h. */
#include "expose/follow.h"

#include <stdlib.h>
#include <string.h>

#include "trace/library.h"

struct follow {
	struct trace *trace;
	uint64_t number; /* of the last event */
	bool ended;      /* the recording has no more events, or is damaged */
	struct race_history *history;
	race_report *report;
	void *arg;
	VEC_OF(struct visit *) visits; /* those before `first` are done */
	size_t first;
	uint64_t newest;          /* event of the last visit that was added */
	VEC_OF(uint32_t) callers; /* by context: 1 + the context that had it store, or 0: not asked yet */
	struct follow_figures figures;
};

/* Copies by libraries */

static bool is_servant(const struct follow *f, const struct trace_context *at)
{
	const struct trace_module *module = trace_module(f->trace, at->module);
	const char *slash = module ? strrchr(module->path, '/') : NULL;

	return module && library_kind(slash ? slash + 1 : module->path) == LIBRARY_SERVANT;
}

/* The call of a library that stores on behalf of its caller; 0: the code stores for itself. */
static uint32_t servant_caller(const struct follow *f, uint32_t context)
{
	const struct trace_context *at = trace_context(f->trace, context);

	if (!at || !is_servant(f, at))
		return 0;
	while (at && is_servant(f, at)) {
		context = at->parent;
		at = trace_context(f->trace, context);
	}
	return context;
}

static uint32_t context_caller(void *arg, uint32_t context)
{
	struct follow *f = arg;

	while (f->callers.count <= context)
		vec_push(&f->callers, 0);
	if (!f->callers.at[context])
		f->callers.at[context] = 1 + servant_caller(f, context);
	return f->callers.at[context] - 1;
}

/* Reading */

struct follow *follow_new(const char *dir, const struct platform *platform, race_report *report, void *arg)
{
	struct follow *f = mem_alloc(sizeof(*f));
	struct err ignored; /* the campaign reads the same recording, and tells */

	if (trace_open(&f->trace, dir, &ignored) < 0)
		f->trace = NULL;
	f->ended = !f->trace;
	f->history = race_history_new(platform, context_caller, f);
	f->report = report;
	f->arg = arg;
	return f;
}

static void visit_free(struct visit *v)
{
	vec_free(&v->lost);
	script_drop(v->script);
	free(v);
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	for (size_t i = f->first; i < f->visits.count; i++)
		visit_free(f->visits.at[i]);
	vec_free(&f->visits);
	vec_free(&f->callers);
	race_history_free(f->history);
	if (f->trace)
		trace_close(f->trace);
	free(f);
}

static void follow_to(struct follow *f, uint64_t number)
{
	struct err ignored;
	struct event ev;

	while (!f->ended && f->number < number) {
		f->ended = trace_next(f->trace, &ev, &ignored) <= 0;
		if (f->ended)
			return;
		race_history_event(f->history, &ev, ++f->number);
		f->figures.stores += ev.type == EVENT_STORE;
		f->figures.known += ev.type == EVENT_STORE && ev.atomicity != BO_ATOMICITY_UNKNOWN;
	}
}

/* Visits */

struct visit *follow_add(struct follow *f, uint64_t event, struct script *script)
{
	struct visit *v = mem_alloc(sizeof(*v));

	BUG_ON(f->newest > event);
	f->newest = event;
	v->event = event;
	v->script = script_use(script);
	vec_push(&f->visits, v);
	return v;
}

static void visit_play(struct follow *f, const struct visit *v)
{
	struct race_reader *reader;

	follow_to(f, v->event);
	reader = race_reader_new(f->history, f->report, f->arg);
	for (size_t i = 0; i < v->lost.count; i++)
		race_reader_lose(reader, v->lost.at[i].event, v->lost.at[i].file, v->lost.at[i].offset,
				 v->lost.at[i].size);
	script_play(v->script, reader);
	race_reader_free(reader);
}

void follow_go(struct follow *f)
{
	for (; f->first < f->visits.count && f->visits.at[f->first]->script->ended; f->first++) {
		visit_play(f, f->visits.at[f->first]);
		visit_free(f->visits.at[f->first]);
	}
}

struct follow_figures follow_figures(const struct follow *f)
{
	return f->figures;
}
