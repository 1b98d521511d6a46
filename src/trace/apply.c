/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/apply.h"

#include <string.h>
#include <sys/mman.h>

#include "blackout/pmemobj.h"
#include "trace/dependencies.h"
#include "trace/inputs.h"
#include "trace/sync.h"

#define OFFSET_MAX ((uint64_t)INT64_MAX)
#define MAP_KIND 0x0fu /* the MAP_ bits that distinguish shared from private */

/* Values of the thread map: the id, plus this bit. */
#define THREAD_NAMED ((uint64_t)1 << 32)

enum apply_result apply_damage(struct stream *s, const char *what)
{
	snprintf(s->decoder.problem, sizeof(s->decoder.problem), "%s", what);
	return APPLY_DAMAGE;
}

enum apply_result apply_damage_id(struct stream *s, const char *what, uint64_t id)
{
	snprintf(s->decoder.problem, sizeof(s->decoder.problem), "%s %llu was not defined before", what,
		 (unsigned long long)id);
	return APPLY_DAMAGE;
}

static const char *text(struct stream *s, const struct record_bytes *string)
{
	return arena_copy(&s->defs->strings, string->at, string->size);
}

static bool range_valid(uint64_t offset, uint64_t size)
{
	return offset <= OFFSET_MAX && size <= OFFSET_MAX - offset;
}

/* Definitions */

static enum apply_result apply_module(struct stream *s, const struct record *r)
{
	struct trace_module module = {
		.path = text(s, &r->string[0]),
		.start = r->number[0],
		.size = r->number[1],
		.offset = r->number[2],
		.file_size = r->number[3],
		.mtime = r->number[4],
	};

	vec_push(&s->modules, defs_add_module(s->defs, &module));
	return APPLY_CONSUMED;
}

static enum apply_result apply_context(struct stream *s, const struct record *r, const struct event *ev)
{
	struct trace_context context = {.parent = ev->context, .offset = r->number[1]};

	if (r->number[0] >= s->modules.count)
		return apply_damage_id(s, "module", r->number[0]);
	context.module = s->modules.at[r->number[0]];
	vec_push(&s->contexts, defs_add_context(s->defs, &context));
	return APPLY_CONSUMED;
}

/* Is this definition of a file one that we already know?  Another process may define the same file.  But a new file may
 * also have the inode number of a deleted one. */
static bool file_is_known(const struct stream *s, uint32_t id, const struct record *r)
{
	const struct trace_file *known = slab_at(&s->defs->files, id - 1);
	uint64_t flags = r->number[3];

	if (!id)
		return false;
	if (flags & BO_FILE_INHERITED)
		return true;
	if (map_get(&s->own_files, id, 0))
		return false;
	return !(flags & BO_FILE_CREATED) ||
	       (strlen(known->path) == r->string[0].size && !memcmp(known->path, r->string[0].at, r->string[0].size));
}

static enum apply_result apply_file(struct stream *s, const struct record *r, struct event *ev)
{
	uint64_t dev = r->number[0], ino = r->number[1], size = r->number[2], flags = r->number[3];
	uint32_t id = defs_find_file(s->defs, dev, ino);
	bool known = file_is_known(s, id, r);

	if (size > OFFSET_MAX)
		return apply_damage(s, "a file of an impossible size");
	ev->path = text(s, &r->string[0]);
	if (!known) {
		struct trace_file file = {ev->path, dev, ino, size, flags & BO_FILE_CREATED};

		id = defs_add_file(s->defs, &file);
	}
	*map_put(&s->own_files, id, 0) = 1;
	vec_push(&s->files, id);
	if (known && flags & BO_FILE_INHERITED)
		return APPLY_CONSUMED;
	ev->type = EVENT_FILE;
	ev->file = id;
	ev->size = size;
	ev->flags = (uint32_t)flags;
	return APPLY_EVENT;
}

/* Facts of processes other than the first get a prefix: "3/command.0". */
static enum apply_result apply_meta(struct stream *s, const struct record *r)
{
	const char *key = text(s, &r->string[0]);
	char prefixed[256];

	if (s->number) {
		int length = snprintf(prefixed, sizeof(prefixed), "%u/%s", s->number, key);

		key = arena_copy(&s->defs->strings, prefixed,
				 (size_t)length < sizeof(prefixed) ? (size_t)length : sizeof(prefixed) - 1);
	}
	defs_set_meta(s->defs, key, text(s, &r->string[1]));
	return APPLY_CONSUMED;
}

/* Calls */

/* Which function of libpmemobj is it?  Symbols may have a version: "pmemobj_open@@LIBPMEMOBJ_1.0". */
static enum bo_pmemobj_function pmemobj_function(const char *symbol)
{
	static const char *const names[BO_PMEMOBJ_COUNT] = {"",
#define X(name, result, arguments) BO_PMEMOBJ_PREFIX #name,
							    BO_PMEMOBJ_FUNCTIONS(X)
#undef X
	};
	size_t length = strcspn(symbol, "@");

	for (unsigned i = BO_PMEMOBJ_NONE + 1; i < BO_PMEMOBJ_COUNT; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], symbol, length))
			return (enum bo_pmemobj_function)i;
	return BO_PMEMOBJ_NONE;
}

static enum apply_result apply_function(struct stream *s, const struct record *r)
{
	struct trace_function function = {
		.symbol = text(s, &r->string[0]),
		.name = text(s, &r->string[1]),
		.offset = r->number[1],
		.watched = r->op == BO_OP_DEF_WATCHED,
	};

	if (r->number[0] >= s->modules.count)
		return apply_damage_id(s, "module", r->number[0]);
	function.module = s->modules.at[r->number[0]];
	function.pmemobj = (uint8_t)pmemobj_function(function.symbol);
	vec_push(&s->functions, defs_add_function(s->defs, &function));
	return APPLY_CONSUMED;
}

static void take_arguments(uint64_t *arguments, const struct record *r)
{
	for (unsigned i = 0; i < BO_CALL_ARGUMENTS; i++)
		arguments[i] = r->op == BO_OP_CALL ? r->number[i + 1] : arguments[i] + bo_unzigzag(r->number[i + 1]);
}

static enum apply_result apply_call(struct stream *s, enum event_type type, const struct record *r, struct event *ev)
{
	uint64_t function = r->number[0];
	const struct trace_function *known;

	if (!function || function >= s->functions.count)
		return apply_damage_id(s, "function", function);
	ev->type = type;
	ev->function = s->functions.at[function];
	known = slab_at(&s->defs->functions, ev->function - 1);
	ev->flags = known->watched;
	ev->unit = known->pmemobj;
	if (type == EVENT_RETURN) {
		ev->value = r->number[1];
		ev->second = r->op == BO_OP_RETURN_PAIR ? r->number[2] : 0;
	}
	if (type == EVENT_CALL) {
		take_arguments(s->decoder.arguments, r);
		ev->size = sizeof(s->decoder.arguments);
		ev->data = (const uint8_t *)s->decoder.arguments;
	}
	return APPLY_EVENT;
}

/* Operations */

static enum apply_result apply_operation(struct stream *s, enum event_type type, const struct record *r,
					 struct event *ev)
{
	ev->type = type;
	ev->value = r->number[0];
	if (type == EVENT_OPERATION_BEGIN)
		ev->path = text(s, &r->string[0]);
	if (type == EVENT_OPERATION_NOTE) {
		if (r->number[0] >= BO_NOTE_COUNT)
			return apply_damage(s, "an unknown note about operations");
		ev->flags = (uint32_t)r->number[0];
		ev->value = r->number[1];
	}
	return APPLY_EVENT;
}

/* Processes and threads */

uint32_t apply_thread(const struct stream *s, uint64_t thread)
{
	const uint64_t *known = map_get(&s->threads, thread, 0);

	return known ? (uint32_t)*known : 0;
}

void apply_first_thread(struct stream *s, uint64_t thread)
{
	*map_put(&s->threads, thread, 0) = ++s->defs->thread_count;
}

/* If the number was named before, it belongs to a new thread now.  The thread that was running at the start gets its
 * name only later. */
static enum apply_result apply_thread_start(struct stream *s, const struct record *r, struct event *ev)
{
	uint64_t creator = apply_thread(s, r->number[1]);
	uint64_t *thread = map_put(&s->threads, r->number[0], 0);

	if (!*thread || *thread & THREAD_NAMED)
		*thread = ++s->defs->thread_count;
	*thread |= THREAD_NAMED;
	ev->type = EVENT_THREAD_START;
	ev->thread = (uint32_t)*thread;
	ev->value = creator == ev->thread ? 0 : creator;
	return APPLY_EVENT;
}

static enum apply_result apply_thread_exit(struct stream *s, const struct record *r, struct event *ev)
{
	ev->type = EVENT_THREAD_EXIT;
	ev->thread = apply_thread(s, r->number[0]);
	return ev->thread ? APPLY_EVENT : apply_damage_id(s, "thread", r->number[0]);
}

static enum apply_result apply_thread_switch(struct stream *s, const struct record *r)
{
	uint32_t thread = apply_thread(s, r->number[0]);

	if (!thread)
		return apply_damage_id(s, "thread", r->number[0]);
	s->thread = thread;
	return APPLY_CONSUMED;
}

static enum apply_result apply_clock(struct stream *s, const struct record *r)
{
	if (r->number[0] < s->clock)
		return apply_damage(s, "the clock goes backwards");
	s->clock = r->number[0];
	return APPLY_CLOCK;
}

static enum apply_result apply_fork(const struct record *r, struct event *ev)
{
	ev->type = EVENT_FORK;
	ev->value = r->number[0];
	ev->flags = r->number[1] != 0;
	return APPLY_EVENT;
}

static enum apply_result apply_exec(struct stream *s, const struct record *r, struct event *ev)
{
	ev->type = EVENT_EXEC;
	ev->flags = r->number[0] != 0;
	ev->path = text(s, &r->string[0]);
	return APPLY_EVENT;
}

static enum apply_result apply_value(enum event_type type, const struct record *r, struct event *ev)
{
	ev->type = type;
	ev->value = r->number[0];
	return APPLY_EVENT;
}

/* Mappings */

void apply_locate(struct stream *s, struct event *ev, uint64_t addr)
{
	const struct mapping *at = mappings_find(&s->mappings, addr);

	if (!at)
		return;
	ev->file = at->file;
	ev->offset = at->offset + (addr - at->start);
}

static enum apply_result apply_map(struct stream *s, const struct record *r, struct event *ev)
{
	const uint64_t *n = r->number; /* file, address, bytes, file offset, prot, flags */

	if (!n[0] || n[0] >= s->files.count)
		return apply_damage_id(s, "file", n[0]);
	if (!mappings_range_valid(n[1], n[2]) || !range_valid(n[3], n[2] + MAPPINGS_PAGE))
		return apply_damage(s, "a mapping of an impossible range");
	ev->type = EVENT_MAP;
	ev->file = s->files.at[n[0]];
	ev->addr = n[1];
	ev->size = n[2];
	ev->offset = n[3];
	ev->prot = (uint32_t)n[4];
	ev->flags = (uint32_t)n[5];
	/* Stores into a private mapping never reach the file, so it is not PM. */
	if ((ev->flags & MAP_KIND) == MAP_PRIVATE)
		mappings_unmap(&s->mappings, ev->addr, ev->size);
	else
		mappings_map(&s->mappings, &(struct mapping){.start = ev->addr,
							     .end = ev->addr + ev->size,
							     .offset = ev->offset,
							     .file = ev->file,
							     .prot = ev->prot});
	return APPLY_EVENT;
}

static enum apply_result apply_unmap(struct stream *s, const struct record *r, struct event *ev)
{
	if (!mappings_range_valid(r->number[0], r->number[1]))
		return apply_damage(s, "an unmapping of an impossible range");
	ev->type = EVENT_UNMAP;
	ev->addr = r->number[0];
	ev->size = r->number[1];
	apply_locate(s, ev, ev->addr);
	mappings_unmap(&s->mappings, ev->addr, ev->size);
	return APPLY_EVENT;
}

static enum apply_result apply_remap(struct stream *s, const struct record *r, struct event *ev)
{
	const uint64_t *n = r->number;

	if (!mappings_range_valid(n[0], n[1]) || !mappings_range_valid(n[2], n[3]))
		return apply_damage(s, "a remapping of an impossible range");
	ev->type = EVENT_REMAP;
	ev->old_addr = n[0];
	ev->old_size = n[1];
	ev->addr = n[2];
	ev->size = n[3];
	apply_locate(s, ev, ev->old_addr);
	mappings_remap(&s->mappings, n[0], n[1], n[2], n[3]);
	return APPLY_EVENT;
}

static enum apply_result apply_protect(struct stream *s, const struct record *r, struct event *ev)
{
	if (!mappings_range_valid(r->number[0], r->number[1]))
		return apply_damage(s, "a protection of an impossible range");
	ev->type = EVENT_PROTECT;
	ev->addr = r->number[0];
	ev->size = r->number[1];
	ev->prot = (uint32_t)r->number[2];
	apply_locate(s, ev, ev->addr);
	mappings_protect(&s->mappings, ev->addr, ev->size, ev->prot);
	return APPLY_EVENT;
}

static enum apply_result apply_msync(struct stream *s, const struct record *r, struct event *ev)
{
	if (!mappings_range_valid(r->number[0], r->number[1]))
		return apply_damage(s, "an msync of an impossible range");
	ev->type = EVENT_MSYNC;
	ev->addr = r->number[0];
	ev->size = r->number[1];
	ev->flags = (uint32_t)r->number[2];
	apply_locate(s, ev, ev->addr);
	return APPLY_EVENT;
}

/* Files */

static bool event_file(struct stream *s, struct event *ev, uint64_t file)
{
	if (!file || file >= s->files.count)
		return apply_damage_id(s, "file", file), false;
	ev->file = s->files.at[file];
	return true;
}

static enum apply_result apply_data(struct stream *s, enum event_type type, const struct record *r, struct event *ev)
{
	if (!event_file(s, ev, r->number[0]))
		return APPLY_DAMAGE;
	ev->type = type;
	ev->offset = r->number[1];
	ev->size = r->string[0].size;
	ev->data = r->string[0].at;
	return range_valid(ev->offset, ev->size) ? APPLY_EVENT : apply_damage(s, "a write at an impossible offset");
}

static enum apply_result apply_truncate(struct stream *s, const struct record *r, struct event *ev)
{
	if (!event_file(s, ev, r->number[0]))
		return APPLY_DAMAGE;
	ev->type = EVENT_FILE_TRUNCATE;
	ev->size = r->number[1];
	return ev->size <= OFFSET_MAX ? APPLY_EVENT : apply_damage(s, "a file of an impossible size");
}

static enum apply_result apply_read(struct stream *s, const struct record *r, struct event *ev)
{
	if (!event_file(s, ev, r->number[0]))
		return APPLY_DAMAGE;
	ev->type = EVENT_FILE_READ;
	ev->offset = r->number[1];
	ev->size = r->number[2];
	return range_valid(ev->offset, ev->size) ? APPLY_EVENT : apply_damage(s, "a read of an impossible range");
}

static enum apply_result apply_allocate(struct stream *s, const struct record *r, struct event *ev)
{
	if (!event_file(s, ev, r->number[0]))
		return APPLY_DAMAGE;
	ev->type = EVENT_FILE_ALLOCATE;
	ev->flags = (uint32_t)r->number[1];
	ev->offset = r->number[2];
	ev->size = r->number[3];
	return range_valid(ev->offset, ev->size) ? APPLY_EVENT
						 : apply_damage(s, "an allocation of an impossible range");
}

static enum apply_result apply_rename(struct stream *s, const struct record *r, struct event *ev)
{
	if (!event_file(s, ev, r->number[0]))
		return APPLY_DAMAGE;
	ev->type = EVENT_FILE_RENAME;
	ev->path = text(s, &r->string[0]);
	return APPLY_EVENT;
}

static enum apply_result apply_unlink(struct stream *s, const struct record *r, struct event *ev)
{
	if (!event_file(s, ev, r->number[0]))
		return APPLY_DAMAGE;
	ev->type = EVENT_FILE_UNLINK;
	ev->flags = (uint32_t)r->number[1];
	return APPLY_EVENT;
}

static enum apply_result apply_sync(struct stream *s, const struct record *r, struct event *ev)
{
	bool of_all = r->number[1] == BO_SYNC_SYNC || r->number[1] == BO_SYNC_SYNCFS;

	if (r->number[1] >= BO_SYNC_COUNT)
		return apply_damage(s, "an unknown kind of file synchronization");
	/* sync(2) and syncfs(2) need not name a file. */
	if ((r->number[0] || !of_all) && !event_file(s, ev, r->number[0]))
		return APPLY_DAMAGE;
	ev->type = EVENT_FILE_SYNC;
	ev->flags = (uint32_t)r->number[1];
	ev->offset = r->number[2];
	ev->size = r->number[3];
	return range_valid(ev->offset, ev->size) ? APPLY_EVENT
						 : apply_damage(s, "a synchronization of an impossible range");
}

enum apply_result apply_record(struct stream *s, const struct record *r, struct event *ev)
{
	switch (r->op) {
	case BO_OP_DEF_MODULE: return apply_module(s, r);
	case BO_OP_DEF_CONTEXT: return apply_context(s, r, ev);
	case BO_OP_DEF_FILE: return apply_file(s, r, ev);
	case BO_OP_META: return apply_meta(s, r);
	case BO_OP_THREAD_START: return apply_thread_start(s, r, ev);
	case BO_OP_THREAD_EXIT: return apply_thread_exit(s, r, ev);
	case BO_OP_THREAD_SWITCH: return apply_thread_switch(s, r);
	case BO_OP_CLOCK: return apply_clock(s, r);
	case BO_OP_FORK: return apply_fork(r, ev);
	case BO_OP_EXEC: return apply_exec(s, r, ev);
	case BO_OP_EXIT: return apply_value(EVENT_EXIT, r, ev);
	case BO_OP_SIGNAL: return apply_value(EVENT_SIGNAL, r, ev);
	case BO_OP_CODE_HASH: return apply_value(EVENT_CODE_HASH, r, ev);
	case BO_OP_CONTENT: return apply_data(s, EVENT_CONTENT, r, ev);
	case BO_OP_FILE_WRITE: return apply_data(s, EVENT_FILE_WRITE, r, ev);
	case BO_OP_MAP: return apply_map(s, r, ev);
	case BO_OP_UNMAP: return apply_unmap(s, r, ev);
	case BO_OP_REMAP: return apply_remap(s, r, ev);
	case BO_OP_PROTECT: return apply_protect(s, r, ev);
	case BO_OP_MSYNC: return apply_msync(s, r, ev);
	case BO_OP_FILE_TRUNCATE: return apply_truncate(s, r, ev);
	case BO_OP_FILE_ALLOCATE: return apply_allocate(s, r, ev);
	case BO_OP_FILE_RENAME: return apply_rename(s, r, ev);
	case BO_OP_FILE_UNLINK: return apply_unlink(s, r, ev);
	case BO_OP_FILE_SYNC: return apply_sync(s, r, ev);
	case BO_OP_DEF_FUNCTION:
	case BO_OP_DEF_WATCHED: return apply_function(s, r);
	case BO_OP_CALL:
	case BO_OP_CALL_LIKE: return apply_call(s, EVENT_CALL, r, ev);
	case BO_OP_RETURN:
	case BO_OP_RETURN_PAIR: return apply_call(s, EVENT_RETURN, r, ev);
	case BO_OP_LEFT: return apply_call(s, EVENT_LEFT, r, ev);
	case BO_OP_OPERATION_BEGIN: return apply_operation(s, EVENT_OPERATION_BEGIN, r, ev);
	case BO_OP_OPERATION_END: return apply_operation(s, EVENT_OPERATION_END, r, ev);
	case BO_OP_OPERATION_NOTE: return apply_operation(s, EVENT_OPERATION_NOTE, r, ev);
	case BO_OP_DEF_READ:
	case BO_OP_DEF_BRANCH:
	case BO_OP_DEF_LABEL:
	case BO_OP_DEPENDS: return dependencies_apply(s, r, ev);
	case BO_OP_FILE_READ: return apply_read(s, r, ev);
	case BO_OP_ACCESS:
	case BO_OP_SYNC: return sync_apply(s, r, ev);
	case BO_OP_DEF_SOURCE:
	case BO_OP_DEF_TABLE:
	case BO_OP_DEF_EXPRESSION:
	case BO_OP_DEF_BLOCK:
	case BO_OP_BRANCH:
	case BO_OP_INPUT:
	case BO_OP_CONVERSATION:
	case BO_OP_VALUE: return inputs_apply(s, r, ev);
	/* An event of a layer that only newer versions know; trace_layers_unknown reports it. */
	default:
		BUG_ON(r->op < BO_OP_LAYER || r->op > BO_OP_LAYER_LAST); /* known to the decoder, but not here */
		return APPLY_CONSUMED;
	}
}
