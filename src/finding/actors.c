/* SPDX-License-Identifier: GPL-2.0-or-later */
/* actors.c - see actors.h. */
#include "finding/actors.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "finding/fix.h"
#include "finding/message.h"
#include "finding/own.h"
#include "trace/ahead.h"

/* An event that must be looked up in the trace, and where to put the answer. */
struct question {
	uint64_t event;
	uint32_t *thread;        /* set to the event's thread; NULL: not wanted */
	struct finding *finding; /* changed if its store is in a transaction; NULL: not wanted */
};

enum transaction { TRANSACTION_UNASKED, TRANSACTION_NONE, TRANSACTION_WORKS, TRANSACTION_ENDS };

struct actors {
	struct findings *findings;
	struct trace *trace;
	struct symbols *symbols;
	VEC_OF(struct question) questions; /* sorted by event */
	VEC_OF(uint8_t) kinds;             /* by context: enum transaction */
	VEC_OF(bool) within;               /* by thread */
	bool threads;                      /* threads are wanted */
	bool transactions;                 /* transactions are wanted */
};

/* ---- questions ---- */

static void thread_ask(struct actors *a, uint64_t event, uint32_t *thread)
{
	if (event && a->threads)
		vec_push(&a->questions, ((struct question){.event = event, .thread = thread}));
}

/* True if the finding is about a store of the user's own code that reaches media too late, or not at all. */
static bool may_lack_snapshot(const struct finding *finding)
{
	const struct finding_crash *crash = finding->crash;

	if (!finding->first.event || !finding->fix || !own_request(&finding->stack))
		return false;
	if (!crash)
		return finding->kind == KIND_MISSING_FLUSH || finding->kind == KIND_TRANSIENT_DATA;
	return crash->cause <= CAUSE_EARLY;
}

/* True if a commit flushes the store.  Then its range was added to the transaction, and something else is wrong. */
static bool flushed_by_commit(const struct finding *finding)
{
	const struct finding_stack *flush =
		finding->crash && finding->crash->lost_count ? &finding->crash->lost[0].flush : NULL;

	for (size_t i = 0; flush && i < flush->count; i++)
		if (flush->frames[i].function && !strcmp(flush->frames[i].function, "pmemobj_tx_commit"))
			return true;
	return false;
}

static void questions_gather(struct actors *a)
{
	for (size_t i = 0; i < a->findings->count; i++) {
		struct finding *finding = &a->findings->at[i];
		struct finding_crash *crash = finding->crash;

		if (crash && crash->nested)
			continue;
		if (may_lack_snapshot(finding) && !flushed_by_commit(finding)) {
			vec_push(&a->questions, ((struct question){.event = finding->first.event, .finding = finding}));
			a->transactions = true;
		}
		if (!crash)
			continue;
		thread_ask(a, crash->point_event, &crash->point_thread);
		for (size_t k = 0; k < crash->lost_count; k++)
			thread_ask(a, crash->lost[k].event, &crash->lost[k].thread);
		for (size_t k = 0; k < crash->persisted_count; k++)
			thread_ask(a, crash->persisted[k].event, &crash->persisted[k].thread);
	}
}

static int question_compare(const void *left, const void *right)
{
	const struct question *a = left, *b = right;

	return (a->event > b->event) - (a->event < b->event);
}

/* ---- events ---- */

static enum transaction function_kind(const char *function)
{
	static const char *const ends[] = {"pmemobj_tx_commit", "pmemobj_tx_abort", "pmemobj_tx_process",
					   "pmemobj_tx_end"};

	if (!function || fnmatch("pmemobj_tx_*", function, 0) != 0)
		return TRANSACTION_NONE;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(ends[i], function))
			return TRANSACTION_ENDS;
	return TRANSACTION_WORKS;
}

/* Only frames of libpmemobj are looked up, which saves time: most events of most programs have none. */
static enum transaction context_kind(struct actors *a, uint32_t id)
{
	enum transaction kind = TRANSACTION_NONE;
	bool caller = false;

	for (const struct trace_context *context; kind == TRANSACTION_NONE && (context = trace_context(a->trace, id));
	     id = context->parent) {
		const struct trace_module *module = trace_module(a->trace, context->module);
		const struct symbols_frame *frames;

		if (module && strstr(module->path, "libpmemobj")) {
			size_t count = symbols_lookup(a->symbols, module, context->offset, caller, &frames);

			kind = function_kind(frames[count - 1].function);
		}
		caller = true;
	}
	return kind;
}

/* Calls that are recorded do not count: those of inner transactions would be taken for the outermost one's. */
static void transaction_follow(struct actors *a, const struct event *ev)
{
	if (ev->type == EVENT_CALL || ev->type == EVENT_RETURN || ev->type == EVENT_LEFT)
		return;
	while (a->kinds.count <= ev->context)
		vec_push(&a->kinds, TRANSACTION_UNASKED);
	while (a->within.count <= ev->thread)
		vec_push(&a->within, false);
	if (a->kinds.at[ev->context] == TRANSACTION_UNASKED)
		a->kinds.at[ev->context] = (uint8_t)context_kind(a, ev->context);
	if (a->kinds.at[ev->context] != TRANSACTION_NONE)
		a->within.at[ev->thread] = a->kinds.at[ev->context] == TRANSACTION_WORKS;
}

static void question_answer(struct actors *a, const struct question *question, const struct event *ev)
{
	struct finding *finding = question->finding;
	char fix[4096];

	if (question->thread)
		*question->thread = ev->thread;
	if (!finding || !a->within.at[ev->thread])
		return;
	message_fill(finding, finding->kind == KIND_TRANSIENT_DATA ? FIX_VOLATILE_OR_ADD : FIX_ADD, fix, sizeof(fix));
	finding->fix = findings_text(a->findings, fix);
}

static int actors_read(struct actors *a, struct err *err)
{
	/* Do not read ahead if transactions are wanted: contexts are looked up here while the other thread would add
	 * to them. */
	struct ahead *ahead = ahead_start(a->trace, !a->transactions);
	const struct event *ev;
	uint64_t number = 0;
	size_t next = 0;
	int more = 0;

	while (next < a->questions.count && (more = ahead_next(ahead, &ev, err)) > 0) {
		number++;
		if (a->transactions)
			transaction_follow(a, ev);
		for (; next < a->questions.count && a->questions.at[next].event <= number; next++)
			if (a->questions.at[next].event == number)
				question_answer(a, &a->questions.at[next], ev);
	}
	ahead_stop(ahead);
	return more < 0 ? -1 : 0;
}

int actors_collect(struct findings *findings, const char *dir, struct symbols *symbols, struct err *err)
{
	const struct findings_figure *threads = &findings->stats.threads;
	struct actors a = {.findings = findings, .symbols = symbols, .threads = threads->known && threads->value > 1};
	int r = 0;

	questions_gather(&a);
	if (a.questions.count) {
		qsort(a.questions.at, a.questions.count, sizeof(*a.questions.at), question_compare);
		r = trace_open(&a.trace, dir, err);
		if (r == 0) {
			r = actors_read(&a, err);
			trace_close(a.trace);
		}
	}
	vec_free(&a.questions);
	vec_free(&a.kinds);
	vec_free(&a.within);
	return r;
}
