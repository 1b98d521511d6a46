/* SPDX-License-Identifier: GPL-2.0-or-later */
/* op.c - see op.h. */
#include "trace/op.h"

#include <string.h>

static const struct {
	const char *name;
	enum op_group group;
} ops[OP_COUNT] = {
#define X(name, text, group) {text, OP_##group},
	OPS(X)
#undef X
};

/* STORE, FILE_SYNC and SYNC map to the first of several ops. */
static const enum op op_of_type[EVENT_TYPE_COUNT] = {
	[EVENT_STORE] = OP_STORE,
	[EVENT_LOAD] = OP_LOAD,
	[EVENT_CLFLUSH] = OP_CLFLUSH,
	[EVENT_CLFLUSHOPT] = OP_CLFLUSHOPT,
	[EVENT_CLWB] = OP_CLWB,
	[EVENT_SFENCE] = OP_SFENCE,
	[EVENT_MFENCE] = OP_MFENCE,
	[EVENT_LOCKED] = OP_LOCKED,
	[EVENT_CODE_HASH] = OP_CODE,
	[EVENT_FILE] = OP_FILE,
	[EVENT_CONTENT] = OP_CONTENT,
	[EVENT_MAP] = OP_MAP,
	[EVENT_UNMAP] = OP_UNMAP,
	[EVENT_REMAP] = OP_REMAP,
	[EVENT_PROTECT] = OP_PROTECT,
	[EVENT_FILE_READ] = OP_READ,
	[EVENT_FILE_WRITE] = OP_WRITE,
	[EVENT_FILE_TRUNCATE] = OP_TRUNCATE,
	[EVENT_FILE_ALLOCATE] = OP_ALLOCATE,
	[EVENT_FILE_RENAME] = OP_RENAME,
	[EVENT_FILE_UNLINK] = OP_UNLINK,
	[EVENT_FILE_SYNC] = OP_FSYNC,
	[EVENT_MSYNC] = OP_MSYNC,
	[EVENT_THREAD_START] = OP_THREAD_START,
	[EVENT_THREAD_EXIT] = OP_THREAD_EXIT,
	[EVENT_FORK] = OP_FORK,
	[EVENT_EXEC] = OP_EXEC,
	[EVENT_EXIT] = OP_EXIT,
	[EVENT_SIGNAL] = OP_SIGNAL,
	[EVENT_CALL] = OP_CALL,
	[EVENT_RETURN] = OP_RETURN,
	[EVENT_LEFT] = OP_LEFT,
	[EVENT_OPERATION_BEGIN] = OP_OP_BEGIN,
	[EVENT_OPERATION_END] = OP_OP_END,
	[EVENT_OPERATION_NOTE] = OP_OP_NOTE,
	[EVENT_SYNC] = OP_ATOMIC_LOAD,
	[EVENT_BRANCH] = OP_BRANCH,
	[EVENT_INPUT] = OP_INPUT,
	[EVENT_CONVERSATION] = OP_CONVERSATION,
	[EVENT_VALUE] = OP_VALUE,
};

_Static_assert((int)OP_SYSSTORE - OP_STORE == (int)BO_STORE_KERNEL, "stores stand in the order of enum bo_store_kind");
_Static_assert((int)OP_SYNC - OP_FSYNC == (int)BO_SYNC_SYNC, "syncs stand in the order of enum bo_sync");

_Static_assert((int)OP_JOIN - OP_ATOMIC_LOAD == (int)BO_ACT_JOIN, "acts stand in the order of enum bo_sync_act");

enum op op_of(const struct event *ev)
{
	if (ev->type == EVENT_STORE)
		return (enum op)((unsigned)OP_STORE + (unsigned)ev->kind);
	if (ev->type == EVENT_FILE_SYNC)
		return (enum op)((unsigned)OP_FSYNC + ev->flags);
	if (ev->type == EVENT_SYNC)
		return (enum op)((unsigned)OP_ATOMIC_LOAD + ev->flags);
	return op_of_type[ev->type];
}

const char *op_name(enum op op)
{
	return ops[op].name;
}

enum op_group op_group(enum op op)
{
	return ops[op].group;
}

enum op op_find(const char *name, size_t length)
{
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (strlen(ops[op].name) == length && !memcmp(ops[op].name, name, length))
			return (enum op)op;
	return OP_COUNT;
}
