/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_operations.c - the layer "operations": when the target begins and ends the operations of its list.
 *
 *   --bo-op-marks=reads       each line of the operations file (--bo-ops) that the target reads
 *   --bo-op-marks=prints      each complete line on its standard output
 *   --bo-op-marks=call:NAME   each outermost call (bo_calls.c)
 *   --bo-op-marks=requests    each message from an accepted connection
 *   --bo-op-marks=annotated   blackout/annotate.h
 *
 * This file has the events, the calls and the annotations.  bo_op.h lists the files of the other marks. */
#include "bo_op.h"

#include "pub_tool_clreq.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#include "blackout/annotate.h"

enum marks { MARKS_NONE, MARKS_READS, MARKS_PRINTS, MARKS_CALLS, MARKS_REQUESTS, MARKS_ANNOTATED };

static enum marks marks;
static const HChar *operations_path; /* "-": standard input */

Bool bo_operations_on(void)
{
	return marks != MARKS_NONE;
}

Bool bo_operations_read(void)
{
	return marks == MARKS_READS;
}

/* ---- events ---- */

ULong bo_op_next_index(void)
{
	static ULong next;

	return next++;
}

static void write_numbers(UInt opcode, UInt context, const ULong *numbers, UInt count)
{
	UChar *p = bo_put_v(bo_layer_begin(opcode), context);

	for (UInt i = 0; i < count; i++)
		p = bo_put_v(p, numbers[i]);
	bo_layer_commit(p);
}

static void write_begin_with(UInt context, ULong index, const HChar *text)
{
	UChar bytes[BLACKOUT_TEXT_MAX + 64], *p = bo_put_v(bytes, context);
	SizeT length = 0;

	while (length < BLACKOUT_TEXT_MAX && text[length])
		length++;
	p = bo_put_v(p, index);
	p = bo_put_bytes(p, text, length);
	bo_write_layer(BO_OP_OPERATION_BEGIN, bytes, (SizeT)(p - bytes));
}

void bo_op_begin(UInt context, ULong index, const HChar *text)
{
	ULong numbers[] = {index, 0 /* length of the text */};

	if (text)
		write_begin_with(context, index, text);
	else
		write_numbers(BO_OP_OPERATION_BEGIN, context, numbers, 2);
}

void bo_op_end(UInt context, ULong index)
{
	write_numbers(BO_OP_OPERATION_END, context, &index, 1);
}

void bo_op_note(UInt context, enum bo_operation_note note, ULong value)
{
	ULong numbers[] = {note, value};

	write_numbers(BO_OP_OPERATION_NOTE, context, numbers, 2);
}

/* ---- calls and annotations: the outermost of each thread counts ---- */

static struct {
	UInt depth;
	ULong index;
} nested[BO_THREADS_MAX];

static void enter(ThreadId tid, UInt context, const HChar *text)
{
	if (nested[tid].depth++)
		return;
	nested[tid].index = bo_op_next_index();
	bo_op_begin(context, nested[tid].index, text);
}

static void leave(ThreadId tid, UInt context)
{
	if (nested[tid].depth && --nested[tid].depth == 0)
		bo_op_end(context, nested[tid].index);
}

void bo_operations_enter_call(UInt context)
{
	if (marks == MARKS_CALLS && bo_writer_active())
		enter(VG_(get_running_tid)(), context, NULL);
}

void bo_operations_leave_call(UInt context)
{
	if (marks == MARKS_CALLS && bo_writer_active())
		leave(VG_(get_running_tid)(), context);
}

Bool bo_operations_request(ThreadId tid, UWord *args, UWord *result)
{
	UInt context;

	if ((args[0] & ~0xffffUL) != BLACKOUT_REQUEST_BASE)
		return False;
	*result = 0;
	if (!bo_operations_on() || !bo_writer_active())
		return True;
	bo_thread_run(tid, 0);
	context = bo_context_at(bo_code_id(VG_(get_IP)(tid)), VG_(get_SP)(tid));
	if (args[0] == BLACKOUT_REQUEST_DURABLE)
		bo_op_note(context, BO_NOTE_DURABLE, 0);
	else if (args[0] == BLACKOUT_REQUEST_BEGIN && marks == MARKS_ANNOTATED)
		enter(tid, context, (const HChar *)args[1]);
	else if (args[0] == BLACKOUT_REQUEST_END && marks == MARKS_ANNOTATED)
		leave(tid, context);
	return True;
}

/* The thread is gone, and so is what it was doing. */
void bo_operations_thread_exit(ThreadId tid)
{
	if (nested[tid].depth && bo_writer_active())
		bo_op_end(0, nested[tid].index);
	nested[tid].depth = 0;
}

/* ---- the other marks ---- */

void bo_operations_on_code(void)
{
	if (marks == MARKS_PRINTS)
		bo_prints_on_code();
}

void bo_operations_before(ThreadId tid, UInt number, const UWord *args)
{
	if (marks == MARKS_READS)
		bo_reads_before(tid, number);
	else if (marks == MARKS_REQUESTS && bo_writer_active())
		bo_requests_before(tid, number, args);
}

void bo_operations_after(ThreadId tid, UInt number, const UWord *args, SysRes result)
{
	if (marks == MARKS_READS)
		bo_reads_after(tid, number, args, result);
	if (sr_isError(result) || !bo_writer_active())
		return;
	if (marks == MARKS_READS)
		bo_prints_watch_after(number, args);
	else if (marks == MARKS_PRINTS)
		bo_prints_after(tid, number, args, sr_Res(result));
	else if (marks == MARKS_REQUESTS)
		bo_requests_after(tid, number, args, sr_Res(result));
}

/* ---- options ---- */

void bo_operations_choose_file(const HChar *path)
{
	operations_path = path;
}

Bool bo_operations_choose(const HChar *how)
{
	if (VG_(strcmp)(how, "reads") == 0) {
		marks = MARKS_READS;
	} else if (VG_(strcmp)(how, "prints") == 0) {
		marks = MARKS_PRINTS;
	} else if (VG_(strcmp)(how, "requests") == 0) {
		marks = MARKS_REQUESTS;
	} else if (VG_(strcmp)(how, "annotated") == 0) {
		marks = MARKS_ANNOTATED;
	} else if (VG_(strncmp)(how, "call:", 5) == 0) {
		marks = MARKS_CALLS;
		bo_calls_choose(how + 5, True);
	} else {
		return False;
	}
	return True;
}

void bo_operations_init(void)
{
	if (marks == MARKS_READS)
		bo_list_choose(operations_path);
	if (marks == MARKS_READS || marks == MARKS_PRINTS)
		bo_prints_init();
}
