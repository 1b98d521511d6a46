/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host.c - see host.h. */
#include "plugin/host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "plugin/host_in.h"
#include "plugin/pattern.h"

enum { KINDS_MAX = 64, CALLS_MAX = 256 };

/* ---- loading ---- */

/* NULL: `problem` says why. */
static const struct blackout_oracle *oracle_load(const char *path, struct wire *wire, char *problem, size_t size)
{
	const struct blackout_oracle *(*entry)(void);
	const struct blackout_oracle *oracle;
	void *library;

	wire_at(wire, WIRE_IN_LOADING);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		snprintf(problem, size, "cannot be loaded: %s", dlerror());
		return NULL;
	}
	*(void **)&entry = dlsym(library, "blackout_oracle");
	if (!entry) {
		snprintf(problem, size, "is no oracle: it has no function blackout_oracle");
		return NULL;
	}
	wire_at(wire, WIRE_IN_ENTRY);
	oracle = entry();
	wire_at(wire, WIRE_IN_NONE);
	if (!oracle)
		snprintf(problem, size, "is no oracle: blackout_oracle() returns nothing");
	return oracle;
}

/* ---- describing ---- */

static bool name_is_valid(const char *name)
{
	return name && *name && strlen(name) < 100 &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")];
}

/* What is wrong with the members; false: nothing. */
static bool oracle_is_wrong(const struct blackout_oracle *o, char *problem, size_t size)
{
	if (!o->version || o->version > BLACKOUT_ORACLE_VERSION)
		snprintf(problem, size,
			 "was built for version %u of blackout/oracle.h, and this program has version %u", o->version,
			 BLACKOUT_ORACLE_VERSION);
	else if (!name_is_valid(o->name))
		snprintf(problem, size, "has no name of letters, digits, - _ and .");
	else if (!o->kinds || !o->kind_count || o->kind_count > KINDS_MAX)
		snprintf(problem, size, "must have 1 to %d kinds of finding", KINDS_MAX);
	else
		return false;
	return true;
}

static bool kind_is_wrong(const struct blackout_kind *k, size_t index, char *problem, size_t size)
{
	if (!name_is_valid(k->name))
		snprintf(problem, size,
			 "has a kind of finding, number %zu, without a name of letters, digits, - _ and .", index);
	else if (!k->title || !*k->title)
		snprintf(problem, size, "has a kind of finding without a title: %s", k->name);
	else if (k->severity > BLACKOUT_WARNING)
		snprintf(problem, size, "has a kind of finding with an unknown severity: %s", k->name);
	else
		return false;
	return true;
}

static bool calls_are_wrong(const char *const *calls, char *problem, size_t size)
{
	size_t count = 0;

	for (; calls && calls[count]; count++) {
		if (count == CALLS_MAX) {
			snprintf(problem, size, "has more than %d patterns in `calls`", CALLS_MAX);
			return true;
		}
		if (!*calls[count]) {
			snprintf(problem, size, "has an empty name in `calls`");
			return true;
		}
	}
	return false;
}

static uint32_t layers_needed(const struct blackout_oracle *o)
{
	return (o->load ? BO_LAYER_LOADS : 0) | (o->call && o->calls && *o->calls ? BO_LAYER_CALLS : 0);
}

static bool description_write(const struct blackout_oracle *o, struct wire *wire)
{
	const struct wire_description fixed = {.layers = layers_needed(o)};
	bool all = wire_put(wire, WIRE_DESCRIPTION, &fixed, sizeof(fixed), &o->name, 1);

	for (size_t i = 0; i < o->kind_count; i++) {
		const struct blackout_kind *k = &o->kinds[i];
		const struct wire_kind kind = {.severity = k->severity};
		const char *const texts[] = {k->name, k->title, k->group, k->help};

		all &= wire_put(wire, WIRE_KIND, &kind, sizeof(kind), texts, 4) != NULL;
	}
	for (size_t i = 0; fixed.layers & BO_LAYER_CALLS && o->calls[i]; i++)
		all &= wire_put(wire, WIRE_CALL, NULL, 0, &o->calls[i], 1) != NULL;
	return all;
}

void host_describe(const char *path, struct wire *wire)
{
	char text[400] = "";
	const char *problem = text;
	const struct blackout_oracle *o = oracle_load(path, wire, text, sizeof(text));
	bool wrong = !o || oracle_is_wrong(o, text, sizeof(text)) || calls_are_wrong(o->calls, text, sizeof(text));

	for (size_t i = 0; !wrong && i < o->kind_count; i++)
		wrong = kind_is_wrong(&o->kinds[i], i, text, sizeof(text));
	if (!wrong && !description_write(o, wire)) {
		snprintf(text, sizeof(text), "has too long texts");
		wrong = true;
	}
	if (wrong) {
		wire->used = 0;
		wire_put(wire, WIRE_REFUSED, NULL, 0, &problem, 1);
	}
	wire->done = true;
}

/* ---- events ---- */

static struct blackout_event event_from(const struct host *h, const struct event *ev, enum blackout_what what)
{
	return (struct blackout_event){
		.number = h->number,
		.what = what,
		.process = ev->process,
		.thread = ev->thread,
		.place = ev->context,
		.file = ev->file,
		.offset = ev->file ? ev->offset : 0,
		.size = ev->size,
		.address = ev->addr,
	};
}

static void tell_fence(struct host *h, const struct event *ev, enum blackout_what what)
{
	struct blackout_event e = event_from(h, ev, what);

	e.file = 0;
	e.offset = e.size = e.address = 0;
	HOST_CALL(h, WIRE_IN_FENCE, fence, &h->b, &e);
}

static void tell_store(struct host *h, const struct event *ev)
{
	static const enum blackout_what whats[] = {
		[BO_STORE_PLAIN] = BLACKOUT_STORE_PLAIN,   [BO_STORE_NONTEMPORAL] = BLACKOUT_STORE_NONTEMPORAL,
		[BO_STORE_LOCKED] = BLACKOUT_STORE_LOCKED, [BO_STORE_STRING] = BLACKOUT_STORE_STRING,
		[BO_STORE_KERNEL] = BLACKOUT_STORE_KERNEL,
	};
	struct blackout_event e = event_from(h, ev, whats[ev->kind]);

	if (ev->kind == BO_STORE_LOCKED)
		tell_fence(h, ev, BLACKOUT_LOCKED);
	e.data = ev->data;
	e.before = h->before.at;
	e.changes = memcmp(h->before.at, ev->data, ev->size) != 0;
	HOST_CALL(h, WIRE_IN_STORE, store, &h->b, &e);
}

static void tell_flush(struct host *h, const struct event *ev, enum blackout_what what)
{
	struct blackout_event e = event_from(h, ev, what);

	e.size = 0;
	HOST_CALL(h, WIRE_IN_FLUSH, flush, &h->b, &e);
}

static void tell_simple(struct host *h, const struct event *ev, enum blackout_what what)
{
	struct blackout_event e = event_from(h, ev, what);

	switch (what) {
	case BLACKOUT_LOAD: HOST_CALL(h, WIRE_IN_LOAD, load, &h->b, &e); break;
	case BLACKOUT_MAP:
	case BLACKOUT_UNMAP: HOST_CALL(h, WIRE_IN_MAP, map, &h->b, &e); break;
	default: HOST_CALL(h, WIRE_IN_SYNC, sync, &h->b, &e);
	}
}

static void tell_operation(struct host *h, const struct event *ev, enum blackout_what what)
{
	struct blackout_event e = event_from(h, ev, what);

	e.index = ev->value;
	e.text = ev->path;
	HOST_CALL(h, WIRE_IN_OPERATION, operation, &h->b, &e);
}

/* ---- calls ---- */

/* A recording may have calls that others asked for. */
#define CALL_OTHER UINT32_MAX

/* CALL_OTHER, or 1 + the index of the first pattern that matches. */
static uint32_t function_match(const struct host *h, const struct trace_function *f)
{
	const struct trace_module *module = trace_module(h->trace, f->module);

	for (uint32_t i = 0; h->oracle->calls[i]; i++)
		if (pattern_matches(h->oracle->calls[i], f->symbol, f->name, module ? module->path : NULL))
			return i + 1;
	return CALL_OTHER;
}

static bool function_is_chosen(struct host *h, uint32_t id, const struct trace_function *f, uint32_t *pattern)
{
	while (h->chosen.count <= id)
		vec_push(&h->chosen, 0);
	if (!h->chosen.at[id])
		h->chosen.at[id] = function_match(h, f);
	*pattern = h->chosen.at[id] - 1;
	return h->chosen.at[id] != CALL_OTHER;
}

static void tell_call(struct host *h, const struct event *ev, enum blackout_what what)
{
	const struct trace_function *f = trace_function(h->trace, ev->function);
	struct blackout_event e = event_from(h, ev, what);
	uint64_t arguments[6];
	uint32_t *depth;

	if (h->oracle->transaction)
		host_transaction(h, ev);
	if (!h->oracle->call || !h->oracle->calls || !f || !function_is_chosen(h, ev->function, f, &e.pattern))
		return;
	while (h->depths.count <= ev->thread)
		vec_push(&h->depths, 0);
	depth = &h->depths.at[ev->thread];
	*depth += what == BLACKOUT_CALL;
	for (unsigned i = 0; what == BLACKOUT_CALL && i < 6; i++)
		arguments[i] = event_argument(ev, i);
	e.file = 0;
	e.offset = e.size = e.address = 0;
	e.function = f->name;
	e.depth = *depth;
	e.arguments = what == BLACKOUT_CALL ? arguments : NULL;
	e.result = what == BLACKOUT_RETURN ? ev->value : 0;
	/* A child that was forked inside of a call ends calls that it did not begin. */
	*depth -= what != BLACKOUT_CALL && *depth;
	HOST_CALL(h, WIRE_IN_CALL, call, &h->b, &e);
}

/* ---- all events ---- */

/* Keep what the store will overwrite. */
static void before_read(struct host *h, const struct event *ev)
{
	size_t n;

	if (h->before.room < ev->size) {
		h->before.room = (size_t)ev->size * 2;
		h->before.at = mem_resize(h->before.at, h->before.room, 1);
	}
	n = h->b.read(&h->b, ev->file, ev->offset, h->before.at, (size_t)ev->size);
	memset(h->before.at + n, 0, (size_t)ev->size - n);
}

static void tell(struct host *h, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE: tell_store(h, ev); break;
	case EVENT_LOAD: tell_simple(h, ev, BLACKOUT_LOAD); break;
	case EVENT_CLFLUSH: tell_flush(h, ev, BLACKOUT_CLFLUSH); break;
	case EVENT_CLFLUSHOPT: tell_flush(h, ev, BLACKOUT_CLFLUSHOPT); break;
	case EVENT_CLWB: tell_flush(h, ev, BLACKOUT_CLWB); break;
	case EVENT_SFENCE: tell_fence(h, ev, BLACKOUT_SFENCE); break;
	case EVENT_MFENCE: tell_fence(h, ev, BLACKOUT_MFENCE); break;
	case EVENT_LOCKED: tell_fence(h, ev, BLACKOUT_LOCKED); break;
	case EVENT_MSYNC: tell_simple(h, ev, BLACKOUT_MSYNC); break;
	case EVENT_FILE_SYNC: tell_simple(h, ev, BLACKOUT_FSYNC); break;
	case EVENT_CALL: tell_call(h, ev, BLACKOUT_CALL); break;
	case EVENT_RETURN: tell_call(h, ev, BLACKOUT_RETURN); break;
	case EVENT_LEFT: tell_call(h, ev, BLACKOUT_LEFT); break;
	case EVENT_OPERATION_BEGIN: tell_operation(h, ev, BLACKOUT_OPERATION_BEGIN); break;
	case EVENT_OPERATION_END: tell_operation(h, ev, BLACKOUT_OPERATION_END); break;
	case EVENT_MAP: tell_simple(h, ev, BLACKOUT_MAP); break;
	case EVENT_UNMAP: tell_simple(h, ev, BLACKOUT_UNMAP); break;
	default: break;
	}
}

static int host_read(struct host *h, struct err *err)
{
	struct event ev;
	int r;

	while ((r = trace_next(h->trace, &ev, err)) > 0) {
		if (ev.type == EVENT_STORE)
			before_read(h, &ev);
		h->number++;
		atomic_store_explicit(&h->wire->event, h->number, memory_order_relaxed);
		model_apply(h->model, &ev);
		tell(h, &ev);
	}
	return r;
}

/* The process ends after this, so nothing is freed. */
void host_run(const struct host_job *job, struct wire *wire)
{
	struct host *h = mem_alloc(sizeof(*h));
	char problem[400];
	const char *text = problem;
	struct err err;

	h->wire = wire;
	h->b.version = BLACKOUT_ORACLE_VERSION;
	h->b.platform = platform_name(job->platform);
	host_answers(h);
	h->oracle = oracle_load(job->path, wire, problem, sizeof(problem));
	if (!h->oracle) {
		wire_put(wire, WIRE_REFUSED, NULL, 0, &text, 1);
		return;
	}
	h->model = model_new(job->platform, MODEL_STATES, NULL, NULL);
	if (trace_open(&h->trace, job->dir, &err) == 0) {
		HOST_CALL(h, WIRE_IN_BEGIN, begin, &h->b);
		if (host_read(h, &err) == 0) {
			HOST_CALL(h, WIRE_IN_END, end, &h->b);
			wire->done = true;
			return;
		}
	}
	snprintf(problem, sizeof(problem), "could not read the recording: %.300s", err.sentence);
	wire_put(wire, WIRE_REFUSED, NULL, 0, &text, 1);
}
