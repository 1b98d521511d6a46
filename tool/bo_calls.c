/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_calls.c - the layer "calls": entry and end of chosen functions (bo_function.c); and of those by which threads
 * synchronize, for bo_sync_calls.c.
 *
 * Returning.  The end of a call costs nothing in code that was not chosen.  The entry of a call marks its frame on the
 * shadow stack (BO_FRAME_WATCHED).  No return matches a marked frame, so the return of the call leads to bo_on_return,
 * as every other surprise does.  If it goes to where the call came from, the call has returned.  In all other cases,
 * it was left: longjmp, an exception or the end of its thread removed its frame.  That is noticed no later than at the
 * next event of the thread.
 *
 * Tail calls.  A function that leaves by a jump into another chosen function stays open.  Both return when the other
 * one does.  A jump to the entry of a call that is open in this same frame is a loop, not a call. */
#include "bo.h"

#include "bo_function.h"
#include "bo_sync.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#define NO_SLOT (~0ULL)

/* ---- events ---- */

static UChar *begin_event(UInt opcode, UInt context, struct function *f)
{
	UChar *p;

	if (UNLIKELY(!f->id))
		bo_function_define(f);
	p = bo_put_v(bo_layer_begin(opcode), context);
	return bo_put_v(p, f->id);
}

/* Registers often stay the same from call to call.  Those that are known to hold no argument are written so. */
static void write_call(UInt context, struct function *f, const ULong *arguments)
{
	UChar *p = begin_event(BO_OP_CALL_LIKE, context, f);
	UInt i;

	for (i = 0; i < f->arguments; i++) {
		p = bo_put_v(p, bo_zigzag(arguments[i] - bo_recent_arguments[i]));
		bo_recent_arguments[i] = arguments[i];
	}
	for (; i < BO_CALL_ARGUMENTS; i++)
		p = bo_put_v(p, 0);
	bo_layer_commit(p);
}

/* ---- open calls ---- */

struct open_call {
	Addr slot; /* address of its return address; NO_SLOT: the barrier of a signal handler on another stack */
	Addr return_address;
	struct function *function;
	UInt context;
	struct bo_known_call known;
};

static struct bo_open_calls *open; /* of the running thread; the innermost call is the last one */
Addr bo_call_slot = NO_SLOT;

static struct open_call *innermost(void)
{
	return &open->at[open->count - 1];
}

static void note_innermost(void)
{
	bo_call_slot = open->count ? innermost()->slot : NO_SLOT;
}

static void push(const struct open_call *call)
{
	if (open->count == open->room) {
		open->room = open->room ? 2 * open->room : 16;
		open->at = VG_(realloc)("bo.open", open->at, open->room * sizeof(*open->at));
	}
	open->at[open->count++] = *call;
	note_innermost();
}

static struct open_call pop(void)
{
	struct open_call call = *innermost();

	open->count--;
	note_innermost();
	return call;
}

/* The offset in the PMEMoid that the function stored for its caller; 0 if the caller did not want it. */
static ULong stored_offset(const struct open_call *call)
{
	const ULong *oid = (const ULong *)call->known.arguments[1];

	return oid && VG_(am_is_valid_for_client)(call->known.arguments[1], 2 * sizeof(*oid), VKI_PROT_READ) ? oid[1]
													     : 0;
}

/* `result`: NULL if the call was left. */
static void write_end(const struct open_call *call, const ULong *result)
{
	enum bo_pmemobj_result kind = call->function->result;
	UChar *p;

	if (!bo_writer_active())
		return;
	if (result && call->function->known)
		bo_sync_return(call->function->known, &call->known, *result, call->context);
	if (!call->function->is_recorded)
		return;
	p = begin_event(!result ? BO_OP_LEFT : kind ? BO_OP_RETURN_PAIR : BO_OP_RETURN, call->context, call->function);
	if (result)
		p = bo_put_v(p, *result);
	if (result && kind)
		p = bo_put_v(p, kind == BO_RESULT_OID ? open->state->guest_RDX : stored_offset(call));
	bo_layer_commit(p);
	if (call->function->is_operation)
		bo_operations_leave_call(call->context);
}

static void leave_innermost(void)
{
	struct open_call call = pop();

	if (call.slot != NO_SLOT && !call.function->is_resolver)
		write_end(&call, NULL);
}

void bo_calls_leave(Addr sp)
{
	while (bo_call_slot < sp)
		leave_innermost();
}

void bo_calls_leave_all(void)
{
	while (open && open->count)
		leave_innermost();
}

void bo_calls_run(struct bo_open_calls *of_thread)
{
	open = of_thread;
	note_innermost();
}

void bo_calls_push_barrier(void)
{
	static const struct open_call barrier = {.slot = NO_SLOT};

	if (bo_calls_noticed)
		push(&barrier);
}

void bo_calls_pop_barrier(void)
{
	Bool is_barrier = False;

	while (bo_calls_noticed && open->count && !is_barrier) {
		is_barrier = innermost()->slot == NO_SLOT;
		leave_innermost();
	}
}

/* ---- entry and return ---- */

/* Is the function open in the frame at this slot?  Then a jump led back to its entry, and whatever it had called by a
 * jump is over. */
static Bool goes_on(Addr slot, const struct function *function)
{
	for (UInt i = open->count; i-- > 0 && open->at[i].slot == slot;)
		if (open->at[i].function == function) {
			while (open->count > i + 1)
				leave_innermost();
			return True;
		}
	return False;
}

/* Most often, a function is called from where it was called the last time. */
static UInt context_of_call(struct function *f, Addr sp)
{
	UInt caller = bo_context_of_caller(sp);

	if (UNLIKELY(f->caller != caller || !f->context)) {
		f->caller = caller;
		f->context = bo_context_child(caller, f->code);
	}
	return f->context;
}

void bo_on_call(VexGuestAMD64State *state, struct function *f, Addr sp)
{
	ULong arguments[BO_CALL_ARGUMENTS] = {state->guest_RDI, state->guest_RSI, state->guest_RDX,
					      state->guest_RCX, state->guest_R8,  state->guest_R9};
	struct open_call call = {.slot = sp, .function = f, .known.arguments = {arguments[0], arguments[1]}};

	if (!bo_writer_active() || sp % sizeof(Addr))
		return;
	if (f->known && !f->is_resolver && bo_sync_announce(f->known, arguments, sp) && !f->is_recorded)
		return;
	call.context = context_of_call(f, sp);
	if (goes_on(sp, f))
		return;
	call.return_address = *(const Addr *)sp;
	bo_frame_watch(sp);
	open->state = state;
	if (f->known && !f->is_resolver)
		bo_sync_enter(f->known, &call.known, call.context);
	push(&call);
	if (f->is_resolver || !f->is_recorded)
		return;
	if (f->is_operation)
		bo_operations_enter_call(call.context);
	write_call(call.context, f, arguments);
}

static void end_calls(Addr sp)
{
	Addr destination = *(const Addr *)(sp - sizeof(Addr));
	ULong result = open->state->guest_RAX;

	while (bo_call_slot < sp) {
		if (bo_call_slot != sp - sizeof(Addr) || innermost()->return_address != destination) {
			leave_innermost();
			continue;
		}
		struct open_call call = pop();
		if (call.function->is_resolver)
			bo_function_resolved(result, call.function);
		else
			write_end(&call, &result);
	}
}

/* The return address is still in its slot, right below the stack pointer, and the registers are up to date: the
 * target's code has written them before it came here. */
VG_REGPARM(1) void bo_on_return(Addr sp)
{
	if (UNLIKELY(bo_call_slot < sp))
		end_calls(sp);
	bo_frame_resync(sp);
}
