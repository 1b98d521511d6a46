/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_context.c - calling contexts and threads.
 *
 * Method.  Calls push (stack slot of the return address, code id) onto a shadow stack and returns pop it.  Both are
 * inline in the target's code, and nothing is computed there.  A context is computed only when an event needs it.
 * First, frames below the stack pointer are dropped: their calls have ended, by return or otherwise.  Then the frames
 * pushed since the last event are looked up one by one in the table of (parent, code) pairs, and each frame keeps its
 * result.  So a call costs a few instructions and an event costs O(1) amortized.
 *
 * Why it cannot drift: a frame is live exactly while its slot is at or above the stack pointer, and slots strictly
 * descend toward the top of the stack. longjmp, exceptions, tail calls and `call; pop` leave frames that violate one
 * of these two rules, and such frames are dropped when met.  A signal handler starts a new chain behind a barrier
 * frame, so that its contexts do not depend on what it interrupted.
 *
 * Recursion: a call site that occurs FOLD_LIMIT times in a chain is folded onto its innermost occurrence.  Otherwise a
 * recursive walk over a tree would create a context per node, and the recorder's memory would grow with the run. */
#include "bo.h"

#include "bo_sync.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#define FOLD_LIMIT 4
#define BARRIER_CODE 0xffffffffu
#define NO_SLOT (~0ULL)
#define CACHE_BITS 12 /* with 14, fewer slots have two contexts, but the misses of the processor's caches cost more */

/* A scheduler slice runs at most 100,000 blocks, and a block ends in at most one call.  So this much room at the start
 * of a slice is enough for the whole slice, and those pushes need no check.  Calls chased into a block need one
 * (bo_instr.c), because their number is unbounded.  The rest of the room is for barriers of signals. */
#define SLICE_ROOM (BO_FRAMES_MAX - 100000u - 4096u)

/* ---- contexts: (parent, code) ---- */

struct context {
	UInt parent, code;
};

static struct bo_table context_table;
static struct context *contexts; /* by id */
static UInt context_count = 1, context_room;

static void context_define(const struct context *c)
{
	ULong fields[3] = {c->parent};

	fields[1] = bo_code_define(c->code, &fields[2]);
	bo_write(BO_OP_DEF_CONTEXT, fields, 3, NULL);
}

/* The innermost occurrence of `code` in the chain, if it occurs FOLD_LIMIT times; else 0. */
static UInt fold_onto(UInt parent, UInt code)
{
	UInt innermost = 0, occurrences = 0;

	for (UInt c = parent; c; c = contexts[c].parent) {
		if (contexts[c].code != code)
			continue;
		if (!innermost)
			innermost = c;
		if (++occurrences == FOLD_LIMIT)
			return innermost;
	}
	return 0;
}

static UInt context_create(UInt parent, UInt code)
{
	UInt id = fold_onto(parent, code);

	if (!id) {
		if (context_count >= context_room) {
			context_room = context_room ? 2 * context_room : 4096;
			contexts = VG_(realloc)("bo.contexts", contexts, context_room * sizeof(*contexts));
		}
		id = context_count++;
		contexts[id] = (struct context){parent, code};
		context_define(&contexts[id]);
	}
	bo_table_put(&context_table, parent, code, id);
	return id;
}

static struct {
	UInt parent, code, id;
} __attribute__((aligned(16))) context_cache[1u << CACHE_BITS];

UInt bo_context_child(UInt parent, UInt code)
{
	UInt slot = (parent * 0x9e3779b1u ^ code * 0x85ebca6bu) >> (32 - CACHE_BITS);
	UInt id;

	if (LIKELY(context_cache[slot].parent == parent && context_cache[slot].code == code))
		return context_cache[slot].id;
	id = bo_table_get(&context_table, parent, code);
	if (!id)
		id = context_create(parent, code);
	context_cache[slot].parent = parent;
	context_cache[slot].code = code;
	context_cache[slot].id = id;
	return id;
}

void bo_context_redefine(void)
{
	bo_code_redefine();
	for (UInt id = 1; id < context_count; id++)
		context_define(&contexts[id]);
}

/* ---- threads and their shadow stacks ---- */

struct thread {
	UInt number; /* 0: never seen */
	struct bo_frame *frames, *top;
	ULong code_hash;
	UInt barriers; /* handlers entered on an alternate stack */
	struct bo_open_calls calls;
	struct bo_open_regions regions;
	struct bo_sync_thread sync;
	Addr alt_start, alt_end;
};

static struct thread *threads[BO_THREADS_MAX];
static ThreadId threads_end = 1; /* above all that there ever were */
static struct thread *running;
static UInt thread_numbers;

struct bo_frame *bo_frame_top, *bo_frame_limit;
ULong bo_code_hash;

static struct thread *thread_get(ThreadId tid)
{
	struct thread *t;
	SysRes r;

	tl_assert(tid < BO_THREADS_MAX);
	if (threads[tid])
		return threads[tid];
	if (tid >= threads_end)
		threads_end = tid + 1;
	t = threads[tid] = VG_(calloc)("bo.thread", 1, sizeof(*t));
	r = VG_(am_mmap_anon_float_valgrind)(BO_FRAMES_MAX * sizeof(struct bo_frame));
	tl_assert(!sr_isError(r));
	t->frames = (struct bo_frame *)(Addr)sr_Res(r);
	return t;
}

static void thread_reset(struct thread *t)
{
	t->number = ++thread_numbers;
	t->frames[0] = (struct bo_frame){NO_SLOT, 0, 1};
	t->top = t->frames + 1;
	t->code_hash = 0;
	t->barriers = 0;
	t->calls.count = 0;
	t->regions.count = 0;
	bo_sync_reset(&t->sync);
	t->alt_start = t->alt_end = 0;
	if (t == running) {
		bo_frame_top = t->top;
		bo_control_run(&t->regions);
	}
}

/* Called as the creator, before the new thread exists. */
void bo_thread_create(ThreadId parent, ThreadId child)
{
	struct thread *t = thread_get(child);

	if (parent == VG_INVALID_THREADID)
		return;
	bo_thread_run(parent, 0);
	thread_reset(t);
	ULong fields[] = {t->number, bo_running_thread};
	bo_write(BO_OP_THREAD_START, fields, 2, NULL);
}

void bo_thread_exit(ThreadId tid)
{
	ULong number;

	bo_thread_run(tid, 0);
	bo_calls_leave_all();
	bo_operations_thread_exit(tid);
	if (clo_bo_sync)
		bo_sync_thread_exit(tid);
	number = bo_running_thread;
	bo_write(BO_OP_THREAD_EXIT, &number, 1, NULL);
}

VG_REGPARM(1) void bo_frame_make_room(Addr sp)
{
	struct bo_frame *keep = running->frames + 1, *end = bo_frame_top;
	UInt drop = (UInt)(end - keep) / 2;

	bo_frame_resync(sp);
	if (bo_frame_top <= bo_frame_limit)
		return;
	VG_(memmove)(keep, keep + drop, (SizeT)(bo_frame_top - keep - drop) * sizeof(*keep));
	bo_frame_top -= drop;
}

void bo_thread_run(ThreadId tid, ULong blocks_done)
{
	struct thread *t = thread_get(tid);

	if (t != running) {
		bo_event_end_string();
		if (running) {
			running->top = bo_frame_top;
			running->code_hash = bo_code_hash;
		}
		running = t;
		if (!t->number)
			thread_reset(t);
		bo_frame_top = t->top;
		bo_frame_limit = t->frames + SLICE_ROOM;
		bo_code_hash = t->code_hash;
		bo_running_thread = t->number;
		bo_calls_run(&t->calls);
		bo_control_run(&t->regions);
		bo_sync_run(&t->sync);
	}
	if (UNLIKELY(bo_frame_top > bo_frame_limit))
		bo_frame_make_room(VG_(get_SP)(tid));
}

void bo_thread_visit_labels(void (*visit)(ULong *label))
{
	for (ThreadId i = 0; i < threads_end; i++)
		if (threads[i])
			bo_control_visit(&threads[i]->regions, visit);
}

ThreadId bo_thread_end(void)
{
	return threads_end;
}

/* ---- the shadow stack ---- */

void bo_frame_resync(Addr sp)
{
	struct bo_frame *f = bo_frame_top - 1;

	while (f->sp < sp)
		f--;
	bo_frame_top = f + 1;
}

/* The slot of a frame lies above the slot of the frame on top of it.  Otherwise its call never returned. */
static Bool frame_is_stale(const struct bo_frame *f)
{
	return f + 1 < bo_frame_top && f->sp <= (f[1].sp | BO_FRAME_WATCHED);
}

/* Drop stale frames, and give every other frame its context. */
static void frames_resolve(void)
{
	struct bo_frame *f = bo_frame_top - 1;

	while (!f->context || frame_is_stale(f)) {
		if (frame_is_stale(f)) {
			if (f->sp & BO_FRAME_WATCHED)
				bo_calls_leave(f->sp);
			VG_(memmove)(f, f + 1, (SizeT)(bo_frame_top - f - 1) * sizeof(*f));
			bo_frame_top--;
		}
		f--;
	}
	for (f++; f < bo_frame_top; f++)
		f->context =
			f->code == BO_CODE_RUNTIME ? f[-1].context : bo_context_child(f[-1].context - 1, f->code) + 1;
}

static Bool in_alt_stack(Addr sp)
{
	return sp >= running->alt_start && sp <= running->alt_end;
}

/* The target left a handler on the alternate stack by longjmp: its barrier and all frames above it are stale. */
static void drop_abandoned_barrier(void)
{
	struct bo_frame *f = bo_frame_top - 1;

	while (f > running->frames && !(f->code == BARRIER_CODE && f->sp == NO_SLOT))
		f--;
	if (f > running->frames)
		bo_frame_top = f;
	running->barriers--;
	bo_calls_pop_barrier();
	bo_control_pop_barrier();
}

UInt bo_context_of_caller(Addr sp)
{
	while (UNLIKELY(running->barriers) && !in_alt_stack(sp))
		drop_abandoned_barrier();
	bo_frame_resync(sp);
	if (UNLIKELY(bo_call_slot < sp))
		bo_calls_leave(sp);
	if (UNLIKELY(!bo_frame_top[-1].context))
		frames_resolve();
	return bo_frame_top[-1].context - 1;
}

Bool bo_context_has_caller(UInt caller, Addr sp)
{
	const struct bo_frame *f = bo_frame_top - 1;

	return f->context == caller + 1 && f->sp >= sp && bo_call_slot >= sp && !running->barriers;
}

/* The call of a runtime stands for what the runtime does.  If it is the last thing that its caller does, it may be a
 * jump. */
static UInt context_of_call(UInt caller)
{
	if (bo_announced.jump)
		return bo_context_child(caller, (UInt)bo_announced.jump);
	return caller ? bo_context_child(contexts[caller].parent, bo_code_of_call(contexts[caller].code)) : 0;
}

UInt bo_context_at(UInt code, Addr sp)
{
	UInt caller = bo_context_of_caller(sp);

	return UNLIKELY(code == BO_CODE_RUNTIME) ? context_of_call(caller) : bo_context_child(caller, code);
}

/* After bo_context_at.  A function that was not called, but entered by a return or by the kernel, gets a frame that
 * adds nothing to the contexts. */
void bo_frame_watch(Addr sp)
{
	if ((bo_frame_top[-1].sp | BO_FRAME_WATCHED) == (sp | BO_FRAME_WATCHED)) {
		bo_frame_top[-1].sp |= BO_FRAME_WATCHED;
		return;
	}
	if (bo_frame_top > bo_frame_limit)
		bo_frame_make_room(sp);
	*bo_frame_top = (struct bo_frame){sp | BO_FRAME_WATCHED, 0, bo_frame_top[-1].context};
	bo_frame_top++;
}

UInt bo_code_of_syscall(ThreadId tid)
{
	return bo_code_id(VG_(get_IP)(tid) - 2 /* SYSCALL: 0F 05 */);
}

UInt bo_context_of_syscall(ThreadId tid)
{
	bo_thread_run(tid, 0);
	return bo_context_at(bo_code_of_syscall(tid), VG_(get_SP)(tid));
}

/* ---- signals ---- */

static UInt handlers; /* entered, and not left by returning */

Bool bo_signal_is_handled(void)
{
	return handlers != 0;
}

void bo_signal_enter(ThreadId tid, Int signal, Bool alt_stack)
{
	ULong number = (ULong)signal;
	Addr sp = VG_(get_SP)(tid);

	bo_thread_run(tid, 0);
	/* A handler on the same stack runs below the red zone of the interrupted function.  Context 1 is "start of a
	 * thread". */
	*bo_frame_top++ = (struct bo_frame){alt_stack ? NO_SLOT : sp - 128, BARRIER_CODE, 1};
	if (alt_stack) {
		running->barriers++;
		bo_calls_push_barrier();
	}
	handlers++;
	bo_sync_interrupt();
	bo_control_push_barrier(alt_stack ? NO_SLOT : sp - 128, False);
	if (bo_region_any())
		bo_write(BO_OP_SIGNAL, &number, 1, NULL);
}

void bo_signal_leave(ThreadId tid, Int signal)
{
	struct bo_frame *f;

	bo_thread_run(tid, 0);
	for (f = bo_frame_top - 1; f > running->frames && f->code != BARRIER_CODE; f--)
		;
	if (f == running->frames)
		return;
	handlers--;
	bo_sync_resume();
	if (f->sp == NO_SLOT) {
		running->barriers--;
		bo_calls_pop_barrier();
	}
	bo_control_pop_barrier();
	bo_frame_top = f;
}

void bo_signal_set_alt_stack(ThreadId tid, Addr start, SizeT size)
{
	struct thread *t = thread_get(tid);

	t->alt_start = start;
	t->alt_end = start + size;
}
