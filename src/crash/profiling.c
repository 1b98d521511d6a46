/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profiling.c - see profiling.h. */
#include "crash/profiling.h"

#include <string.h>

/* Libraries that choose their code for copying and comparing by the processor. */
static const char *const choosers[] = {"libc.so", "libc-", "ld-linux", "libpmem.so", "libpmem2.so"};

enum module_kind { MODULE_UNKNOWN, MODULE_ORDINARY, MODULE_CHOOSES };

static enum module_kind module_judge(const struct trace_module *module)
{
	const char *slash = module ? strrchr(module->path, '/') : NULL;

	for (size_t i = 0; slash && i < sizeof(choosers) / sizeof(*choosers); i++)
		if (!strncmp(slash + 1, choosers[i], strlen(choosers[i])))
			return MODULE_CHOOSES;
	return MODULE_ORDINARY;
}

static enum profile_order order_of(struct profiling *p, const struct trace *trace, uint32_t id)
{
	const struct trace_context *context = trace_context(trace, id);
	uint32_t module = context ? context->module : 0;

	while (p->modules.count <= module)
		vec_push(&p->modules, MODULE_UNKNOWN);
	if (p->modules.at[module] == MODULE_UNKNOWN)
		p->modules.at[module] = (uint8_t)module_judge(trace_module(trace, module));
	return p->modules.at[module] == MODULE_CHOOSES ? PROFILE_UNORDERED : PROFILE_ORDERED;
}

/* The number of a file of the recording; UINT32_MAX: the state does not have it. */
static uint32_t file_of(struct profiling *p, const struct trace *trace, uint32_t id)
{
	const struct trace_file *file = trace_file(trace, id);
	uint32_t number;

	while (p->files.count <= id)
		vec_push(&p->files, 0);
	if (!p->files.at[id] && file) {
		number = stage_view_find(p->view, file->path);
		p->files.at[id] = 1 + (number < p->view->count && !file->created ? number : UINT32_MAX - 1);
	}
	return p->files.at[id] - 1;
}

/* One process only. */
static bool process_is_same(struct profiling *p, const struct event *ev)
{
	if (!p->process)
		p->process = ev->process + 1;
	return p->process == ev->process + 1;
}

static void access_note(struct profiling *p, const struct trace *trace, const struct event *ev)
{
	uint32_t file = file_of(p, trace, ev->file);

	if (file >= p->view->count || !process_is_same(p, ev))
		profile_close(p->profile);
	else if (ev->type == EVENT_FILE_READ)
		profile_read(p->profile, file, ev->offset, ev->size);
	else if (ev->type == EVENT_LOAD)
		profile_load(p->profile, file, ev->offset, ev->size, order_of(p, trace, ev->context));
	else
		profile_store(p->profile, file, ev->offset, ev->size, order_of(p, trace, ev->context));
}

void profiling_event(void *profiling, const struct trace *trace, const struct event *ev)
{
	struct profiling *p = profiling;

	switch (ev->type) {
	case EVENT_FILE_READ:
	case EVENT_LOAD:
	case EVENT_STORE:
		if (ev->file && ev->size)
			access_note(p, trace, ev);
		break;
	case EVENT_FILE_WRITE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK: profile_close(p->profile); break;
	case EVENT_THREAD_START: profile_close(p->profile); break;
	case EVENT_FORK:
		if (p->process == ev->process + 1)
			profile_close(p->profile);
		break;
	case EVENT_EXIT: p->exited |= p->process == ev->process + 1; break;
	default: break;
	}
}

void profiling_free(struct profiling *p)
{
	vec_free(&p->files);
	vec_free(&p->modules);
}
