/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_op_prints.c - standard output.
 *
 * Marks `prints`.  Each complete line ends an operation.  The C library writes its standard output in large blocks
 * unless it is a terminal.  So its stream is set to line-buffered, as setvbuf would do, when the library has been
 * loaded.
 *
 * Marks `reads`.  A program that has printed something when it asks for the next line performs its operations one by
 * one, even if they change nothing in PM.  What it printed may still be in the buffer of the C library. */
#include "bo_op.h"

#include "bo_symbol.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_vkiscnums.h"

static struct {
	ULong dev, ino;
	Bool is_known, has_begun;
	ULong lines;
} output;

void bo_prints_init(void)
{
	struct vg_stat st;

	if (VG_(fstat)(1, &st) != 0)
		return;
	output.is_known = True;
	output.dev = st.dev;
	output.ino = st.ino;
}

static Bool is_output(Int fd)
{
	struct vg_stat st;

	return fd != 2 && output.is_known && VG_(fstat)(fd, &st) == 0 && st.dev == output.dev && st.ino == output.ino;
}

/* ---- the stream of the GNU C library ---- */

/* The members of a stream: flags, three pointers for reading, then the base of the write buffer and the write
 * pointer. */
static UWord *stream_members(Addr stream)
{
	UWord *members = (UWord *)stream;

	if (!VG_(am_is_valid_for_client)(stream, 6 * sizeof(*members), VKI_PROT_READ | VKI_PROT_WRITE) ||
	    (UInt)members[0] >> 16 != 0xfbad /* _IO_MAGIC */)
		return NULL;
	return members;
}

/* As setvbuf(stdout, NULL, _IOLBF, 0) does. */
static void buffer_lines(Addr stream)
{
	UWord *members = stream_members(stream);

	if (members)
		members[0] |= 0x200 /* _IO_LINE_BUF */;
}

/* ---- has anything been printed? ---- */

static struct {
	Addr stream;      /* 0: none */
	UWord written;    /* its write pointer when the first operation began */
	Bool has_begun;   /* the first operation has */
	Bool has_written; /* to standard output, by a system call, since then */
} results;

static void note_stream(Addr stream)
{
	results.stream = stream;
}

static UWord write_pointer(void)
{
	const UWord *members = results.stream ? stream_members(results.stream) : NULL;

	return members ? members[5] : 0;
}

void bo_prints_watch(void)
{
	if (results.has_begun)
		return;
	bo_symbols_find("_IO_2_1_stdout_", note_stream);
	results.has_begun = True;
	results.written = write_pointer();
}

Bool bo_prints_any(void)
{
	return results.has_written || write_pointer() != results.written;
}

/* ---- system calls ---- */

static void on_written(ThreadId tid, const UChar *bytes, SizeT size)
{
	ULong before = output.lines;
	UInt context = bo_context_of_syscall(tid);

	for (SizeT i = 0; i < size; i++) {
		if (bytes[i] != '\n')
			continue;
		bo_op_end(context, output.lines++);
		bo_op_begin(context, output.lines, NULL);
	}
	if (output.lines - before > 1)
		bo_op_note(context, BO_NOTE_TOGETHER, output.lines - before);
}

static void on_vector_written(ThreadId tid, const struct vki_iovec *vector, UWord size)
{
	for (; size; vector++) {
		SizeT part = vector->iov_len < size ? vector->iov_len : size;
		on_written(tid, vector->iov_base, part);
		size -= part;
	}
}

static Bool is_vector_write(UInt number)
{
	return number == __NR_writev || number == __NR_pwritev || number == __NR_pwritev2;
}

static Bool is_write(UInt number)
{
	return number == __NR_write || number == __NR_pwrite64 || is_vector_write(number);
}

void bo_prints_after(ThreadId tid, UInt number, const UWord *args, UWord size)
{
	if (!is_write(number) || !is_output((Int)args[0]))
		return;
	if (is_vector_write(number))
		on_vector_written(tid, (const struct vki_iovec *)args[1], size);
	else
		on_written(tid, (const UChar *)args[1], size);
}

void bo_prints_watch_after(UInt number, const UWord *args)
{
	if (is_write(number) && results.has_begun && !results.has_written)
		results.has_written = is_output((Int)args[0]);
}

/* The first operation begins with the program. */
static void begin_output(void)
{
	if (!output.has_begun)
		bo_op_begin(0, 0, NULL);
	output.has_begun = True;
}

void bo_prints_on_code(void)
{
	static UInt epoch;

	if (epoch == VG_(current_DiEpoch)().n)
		return;
	epoch = VG_(current_DiEpoch)().n;
	begin_output();
	bo_symbols_find("_IO_2_1_stdout_", buffer_lines);
}
