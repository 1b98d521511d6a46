/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_text.c - print one event as text.  Scripts rely on the format, which blackout-dump(1) describes. */
#include <string.h>
#include <sys/mman.h>

#include "cli/dump.h"
#include "trace/op.h"

#define OPERANDS_COLUMN 28
#define VALUE_BYTES_MAX 64

static const char *const orders[] = {
#define X(name, text) text,
	BO_ORDERS(X)
#undef X
};

static void print_name(struct out *out, const struct trace *trace, uint32_t id)
{
	const struct trace_file *file = trace_file(trace, id);
	const char *slash = file ? strrchr(file->path, '/') : NULL;

	out_word(out, !file ? "?" : slash ? slash + 1 : file->path);
}

static void print_flag(struct out *out, bool set, const char *yes, const char *no)
{
	out_char(out, ' ');
	out_text(out, set ? yes : no);
}

static void print_size(struct out *out, uint64_t size)
{
	out_char(out, ' ');
	out_number(out, size);
}

void dump_place(struct out *out, const struct trace *trace, uint32_t file, uint64_t offset)
{
	print_name(out, trace, file);
	out_char(out, '+');
	out_hex(out, offset);
}

/* The place in PM, or the address if it is not in PM. */
static void print_place(struct out *out, const struct trace *trace, const struct event *ev)
{
	if (ev->file)
		dump_place(out, trace, ev->file, ev->offset);
	else
		out_hex(out, ev->addr);
}

static void print_range(struct out *out, const struct trace *trace, const struct event *ev)
{
	print_place(out, trace, ev);
	print_size(out, ev->size);
}

/* Up to 8 bytes are printed as a number; more bytes in memory order. */
static void print_value(struct out *out, const struct event *ev)
{
	out_char(out, ' ');
	if (ev->size <= 8) {
		uint64_t value = 0;

		for (unsigned i = 0; i < ev->size; i++)
			value |= (uint64_t)ev->data[i] << 8 * i;
		out_hex(out, value);
		return;
	}
	bool cut = ev->size > VALUE_BYTES_MAX;
	out_bytes(out, ev->data, cut ? VALUE_BYTES_MAX : (size_t)ev->size);
	if (cut)
		out_text(out, "..");
}

static void print_prot(struct out *out, uint32_t prot)
{
	out_char(out, prot & PROT_READ ? 'r' : '-');
	out_char(out, prot & PROT_WRITE ? 'w' : '-');
	out_char(out, prot & PROT_EXEC ? 'x' : '-');
}

static void print_map(struct out *out, const struct trace *trace, const struct event *ev)
{
	print_range(out, trace, ev);
	out_text(out, " at=");
	out_hex(out, ev->addr);
	out_text(out, " prot=");
	print_prot(out, ev->prot);
	/* MAP_SHARED_VALIDATE has both type bits set. */
	out_text(out, ev->flags & MAP_SHARED ? " flags=shared" : " flags=private");
	if (ev->flags & MAP_SYNC)
		out_text(out, ",sync");
	if (ev->flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))
		out_text(out, ",fixed");
}

static void print_msync(struct out *out, const struct trace *trace, const struct event *ev)
{
	print_range(out, trace, ev);
	out_text(out, ev->flags & MS_SYNC ? " flags=sync" : " flags=async");
	if (ev->flags & MS_INVALIDATE)
		out_text(out, ",invalidate");
}

static void print_file(struct out *out, const struct trace *trace, const struct event *ev)
{
	const struct trace_file *file = trace_file(trace, ev->file);

	print_name(out, trace, ev->file);
	out_text(out, " id=");
	out_number(out, ev->file);
	out_text(out, " size=");
	out_number(out, file ? file->size : 0);
	print_flag(out, file && file->created, "created", "existing");
}

static void print_sync(struct out *out, const struct trace *trace, const struct event *ev)
{
	if (ev->offset || ev->size)
		print_range(out, trace, ev);
	else if (ev->file)
		print_name(out, trace, ev->file);
}

static void print_address_range(struct out *out, uint64_t addr, uint64_t size)
{
	out_hex(out, addr);
	print_size(out, size);
}

static void print_thread(struct out *out, const char *before, uint64_t thread)
{
	out_text(out, before);
	out_number(out, thread);
}

/* Operations on a file by system calls, except mapping it. */
static void print_file_operation(struct out *out, const struct trace *trace, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_FILE_SYNC: print_sync(out, trace, ev); return;
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE: print_range(out, trace, ev); return;
	default: print_name(out, trace, ev->file);
	}
	switch (ev->type) {
	case EVENT_FILE_TRUNCATE: print_size(out, ev->size); break;
	case EVENT_FILE_ALLOCATE:
		out_text(out, " mode=");
		out_number(out, ev->flags);
		out_char(out, ' ');
		print_address_range(out, ev->offset, ev->size);
		break;
	case EVENT_FILE_RENAME:
		out_text(out, " -> ");
		out_word(out, ev->path);
		break;
	default: /* EVENT_FILE_UNLINK */ out_text(out, " links="); out_number(out, ev->flags);
	}
}

static void print_mapping(struct out *out, const struct trace *trace, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_MAP: print_map(out, trace, ev); break;
	case EVENT_MSYNC: print_msync(out, trace, ev); break;
	case EVENT_REMAP:
		print_address_range(out, ev->old_addr, ev->old_size);
		out_text(out, " -> ");
		print_address_range(out, ev->addr, ev->size);
		break;
	case EVENT_PROTECT:
		print_address_range(out, ev->addr, ev->size);
		out_char(out, ' ');
		print_prot(out, ev->prot);
		break;
	default: /* EVENT_UNMAP */ print_address_range(out, ev->addr, ev->size);
	}
}

static void print_process(struct out *out, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_THREAD_START:
		print_thread(out, "t", ev->thread);
		print_thread(out, " by t", ev->value);
		break;
	case EVENT_FORK:
		out_text(out, "pid=");
		out_number(out, ev->value);
		print_flag(out, ev->flags, "followed", "not-followed");
		break;
	case EVENT_EXEC:
		out_word(out, ev->path);
		print_flag(out, ev->flags, "followed", "not-followed");
		break;
	default: /* EVENT_EXIT, EVENT_SIGNAL */ out_number(out, ev->value);
	}
}

/* MODULE:FUNCTION, and what went in or came out. */
static void print_call(struct out *out, const struct trace *trace, const struct event *ev)
{
	const struct trace_function *function = trace_function(trace, ev->function);
	const struct trace_module *module = function->module ? trace_module(trace, function->module) : NULL;
	const char *slash = module ? strrchr(module->path, '/') : NULL;

	out_word(out, slash ? slash + 1 : module ? module->path : "");
	out_char(out, ':');
	out_word(out, function->name);
	for (unsigned i = 0; ev->type == EVENT_CALL && i < BO_CALL_ARGUMENTS; i++) {
		out_char(out, ' ');
		out_hex(out, event_argument(ev, i));
	}
	if (ev->type == EVENT_RETURN) {
		out_char(out, ' ');
		out_hex(out, ev->value);
	}
	if (ev->type == EVENT_RETURN && ev->second) {
		out_char(out, ' ');
		out_hex(out, ev->second);
	}
}

static void print_operation(struct out *out, const struct event *ev)
{
	static const char *const notes[] = {
#define X(name, text) text,
		BO_OPERATION_NOTES(X)
#undef X
	};

	if (ev->type == EVENT_OPERATION_NOTE) {
		out_text(out, notes[ev->flags]);
		out_char(out, ' ');
	}
	out_number(out, ev->value);
	if (ev->type == EVENT_OPERATION_BEGIN && *ev->path) {
		out_char(out, ' ');
		out_word(out, ev->path);
	}
}

static void print_sync_act(struct out *out, const struct trace *trace, const struct event *ev)
{
	if (ev->flags == BO_ACT_JOIN) {
		print_thread(out, "t", ev->value);
		return;
	}
	if (ev->file)
		dump_place(out, trace, ev->file, ev->offset);
	else if (ev->flags != BO_ACT_FENCE)
		out_hex(out, ev->value);
	if (ev->flags == BO_ACT_ACQUIRE || ev->flags == BO_ACT_RELEASE)
		return;
	if (ev->flags != BO_ACT_FENCE)
		out_char(out, ' ');
	out_text(out, orders[ev->order]);
}

/* What a load or store is in the source, and how far its access reaches. */
static void print_access(struct out *out, const struct trace *trace, const struct event *ev)
{
	static const char *const atomicities[] = {
#define X(name, text) text,
		BO_ATOMICITIES(X)
#undef X
	};

	if (!ev->access)
		return;
	out_text(out, " source=");
	out_text(out, atomicities[ev->atomicity]);
	if (ev->atomicity == BO_ATOMICITY_ATOMIC) {
		out_char(out, ',');
		out_text(out, orders[ev->order]);
	}
	out_text(out, " access=");
	out_number(out, ev->access);
	out_char(out, ':');
	if (ev->file)
		dump_place(out, trace, ev->file, ev->offset - (ev->addr - ev->access_addr));
	else
		out_hex(out, ev->access_addr);
	out_char(out, ':');
	out_number(out, ev->access_size);
}

static void print_operands(struct out *out, const struct trace *trace, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE:
		print_range(out, trace, ev);
		print_value(out, ev);
		print_access(out, trace, ev);
		dump_dependencies(out, trace, ev);
		break;
	case EVENT_LOAD:
		print_range(out, trace, ev);
		print_access(out, trace, ev);
		dump_dependencies(out, trace, ev);
		break;
	case EVENT_CONTENT: print_range(out, trace, ev); break;
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB:
		print_place(out, trace, ev);
		if (!ev->file)
			out_text(out, " volatile");
		break;
	case EVENT_CODE_HASH: out_hex(out, ev->value); break;
	case EVENT_FILE: print_file(out, trace, ev); break;
	case EVENT_MAP:
	case EVENT_UNMAP:
	case EVENT_REMAP:
	case EVENT_PROTECT:
	case EVENT_MSYNC: print_mapping(out, trace, ev); break;
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK:
	case EVENT_FILE_SYNC: print_file_operation(out, trace, ev); break;
	case EVENT_CALL:
	case EVENT_RETURN:
	case EVENT_LEFT: print_call(out, trace, ev); break;
	case EVENT_OPERATION_BEGIN:
	case EVENT_OPERATION_END:
	case EVENT_OPERATION_NOTE: print_operation(out, ev); break;
	case EVENT_SYNC: print_sync_act(out, trace, ev); break;
	case EVENT_BRANCH:
	case EVENT_INPUT:
	case EVENT_CONVERSATION:
	case EVENT_VALUE: dump_inputs(out, trace, ev); break;
	default: print_process(out, ev);
	}
}

static bool has_operands(const struct event *ev)
{
	switch (ev->type) {
	case EVENT_SFENCE:
	case EVENT_MFENCE:
	case EVENT_LOCKED:
	case EVENT_THREAD_EXIT: return false;
	case EVENT_FILE_SYNC: return ev->file || ev->offset || ev->size; /* sync(2) names no file */
	default: return true;
	}
}

void dump_event(struct out *out, const struct trace *trace, const struct event *ev)
{
	out_text(out, op_name(op_of(ev)));
	if (!has_operands(ev))
		return;
	out_pad(out, OPERANDS_COLUMN);
	print_operands(out, trace, ev);
}
