/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_op_reads.c - marks `reads`: each line of the operations file that the target reads is an operation.
 *
 * A read that would return the end of one line and the start of the next hides when the target turns to the next
 * operation.  So every read of the file is shortened to end where its line ends.  That is legal: read(2) may return
 * less than was asked for, and programs that read line by line ask again.  An operation ends when the target asks for
 * bytes of another line, and the next begins when it gets them.  If the target does not wait for bytes, it may ask in
 * vain and then perform what it has read; so there, an operation ends when the target gets bytes of another line.
 *
 * Files.  The recorder makes the call itself, in the middle of the target's code (bo_before_read), and the target goes
 * on behind its SYSCALL instruction.  Such a read does not wait for anything, so the core need not let other threads
 * and signals in, which takes it six system calls for each line.
 *
 * Pipes and others.  The core makes the call.  Its size is a register of the target, so it is changed before the core
 * looks at it, and restored afterwards.  If a pipe is empty, the target gets one byte of the line. */
#include "bo_op.h"

#include "bo_input.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vkiscnums.h"

#define IO_URING_SETUP 425
#define NO_OFFSET (~0ULL)

/* Where the target is in its list. */
static struct {
	Bool open; /* is an operation under way? */
	ULong index;
	ULong begun;  /* 1 + the highest index that was begun */
	ULong piped;  /* lines that came through a pipe */
	Bool in_line; /* the last byte from a pipe was not the end of a line */
	Bool is_read_again;
	Bool is_at_end; /* the last read found the end of the file */
	Bool has_printed;
} progress;

/* A thread's read of the file that is in progress. */
static struct read {
	Bool asks;       /* the call in progress reads the file */
	Bool is_changed; /* its size has not been restored yet; handlers of signals may make other calls meanwhile */
	Bool is_regular;
	Bool waits;   /* for bytes, if there are none */
	ULong offset; /* in a regular file */
	UWord sp, buffer;
	UWord size; /* rdx as the target set it, and as it was changed */
	UWord changed;
	struct vki_iovec *cut; /* NULL, or the element of the vector that was shortened */
	SizeT cut_size;        /* and its size before */
} reads[BO_THREADS_MAX];

static Bool is_vector_read(UInt number)
{
	return number == __NR_readv || number == __NR_preadv || number == __NR_preadv2;
}

static Bool is_read(UInt number)
{
	return number == __NR_read || number == __NR_pread64 || is_vector_read(number);
}

/* ---- operations ---- */

static void end_open(UInt context)
{
	if (!progress.has_printed && progress.index + 1 != bo_list_lines() && bo_prints_any()) {
		progress.has_printed = True;
		bo_op_note(context, BO_NOTE_PRINTED, progress.index);
	}
	bo_op_end(context, progress.index);
	progress.open = False;
}

static void begin_line(UInt context, ULong index)
{
	if (progress.open)
		return;
	if (index < progress.begun && !progress.is_read_again) {
		progress.is_read_again = True;
		bo_op_note(context, BO_NOTE_AGAIN, index);
	}
	progress.open = True;
	progress.index = index;
	progress.begun = index >= progress.begun ? index + 1 : progress.begun;
	bo_op_begin(context, index, NULL);
	bo_prints_watch();
}

/* Does the read ask for more of the line that was begun?  The target learns that a last line without a newline is
 * complete only when it finds the end of the file, once. */
static Bool asks_for_rest(const struct read *read)
{
	ULong end;

	if (!read->is_regular)
		return progress.in_line && !progress.is_at_end;
	end = bo_list_start(progress.index + 1);
	return read->offset > bo_list_start(progress.index) &&
	       (read->offset < end || (read->offset == end && progress.index + 1 == bo_list_lines() &&
				       bo_list_is_unterminated() && !progress.is_at_end));
}

static void turn_to(const struct read *read, UInt context)
{
	if (progress.open && !asks_for_rest(read))
		end_open(context);
}

static void get_file_bytes(const struct read *read, Int fd, UInt context, UWord size)
{
	progress.is_at_end = !size;
	if (size)
		begin_line(context, bo_list_line_at(fd, read->offset));
}

static void get_other_bytes(UInt context, UWord size, UChar last)
{
	progress.is_at_end = !size;
	if (!size)
		return;
	begin_line(context, progress.piped);
	progress.in_line = last != '\n';
	progress.piped += !progress.in_line;
}

/* ---- shortening ---- */

/* How many bytes the read may return. */
static UWord limit_of(Int fd, const struct read *read, UInt mode, UWord size)
{
	ULong line;

	if (read->is_regular) {
		line = bo_list_line_at(fd, read->offset);
		return line < bo_list_lines() ? bo_list_start(line + 1) - read->offset : size;
	}
	if (VKI_S_ISCHR(mode))
		return size; /* a terminal gives line by line by itself */
	return VKI_S_ISFIFO(mode) ? bo_list_peek(fd, size) : 1;
}

static UWord vector_size(const struct vki_iovec *vector, UWord count)
{
	UWord size = 0;

	for (UWord i = 0; i < count; i++)
		size += vector[i].iov_len;
	return size;
}

/* Shorten the vector in place; returns the number of its elements that are left. */
static UWord cut_vector(struct read *read, struct vki_iovec *vector, UWord count, UWord limit)
{
	for (UWord i = 0; i < count; i++) {
		if (vector[i].iov_len >= limit) {
			read->cut = &vector[i];
			read->cut_size = vector[i].iov_len;
			vector[i].iov_len = limit;
			return i + 1;
		}
		limit -= vector[i].iov_len;
	}
	return count;
}

static void shorten(struct read *read, const VexGuestAMD64State *state, UInt mode)
{
	Bool is_vector = is_vector_read((UInt)state->guest_RAX);
	struct vki_iovec *vector = (struct vki_iovec *)read->buffer;
	Int fd = (Int)state->guest_RDI;
	UWord limit;

	if (is_vector &&
	    !VG_(am_is_valid_for_client)((Addr)vector, read->size * sizeof(*vector), VKI_PROT_READ | VKI_PROT_WRITE))
		return;
	limit = limit_of(fd, read, mode, is_vector ? vector_size(vector, read->size) : read->size);
	if (is_vector)
		read->changed = cut_vector(read, vector, read->size, limit);
	else if (limit < read->size)
		read->changed = limit;
}

static void restore_size(ThreadId tid)
{
	struct read *read = &reads[tid];

	if (read->cut)
		read->cut->iov_len = read->cut_size;
	VG_(set_shadow_regs_area)
	(tid, 0, offsetof(VexGuestAMD64State, guest_RDX), sizeof(read->size), (const UChar *)&read->size);
	read->asks = read->is_changed = False;
}

/* ---- right before the system call ---- */

static ULong offset_of(UInt number, Int fd, UWord given)
{
	if (number == __NR_read || number == __NR_readv || (number == __NR_preadv2 && given == NO_OFFSET))
		return bo_position_of(fd);
	return given;
}

/* A call that a signal interrupted is made again, and is short already. */
static Bool is_made_again(const struct read *read, const VexGuestAMD64State *state)
{
	return read->is_changed && read->sp == state->guest_RSP && read->buffer == state->guest_RSI &&
	       read->changed == state->guest_RDX;
}

static Bool touches_pm(Addr addr, SizeT size)
{
	const struct bo_region *next = bo_region_next(addr);

	return bo_region_find(addr) || (next && next->start < addr + size);
}

/* The others need what the core tells the tool about them: stores to PM, and to memory that has labels. */
static Bool can_be_made_here(const struct read *read, UInt number, Int fd)
{
	return read->is_regular && !is_vector_read(number) && fd < VG_(fd_hard_limit) && bo_writer_active() &&
	       !clo_bo_dependencies && !clo_bo_inputs && !touches_pm(read->buffer, read->changed);
}

static void make_here(const struct read *read, VexGuestAMD64State *state, UInt code)
{
	UInt context = bo_context_at(code, state->guest_RSP);
	Int fd = (Int)state->guest_RDI;
	SysRes r;

	turn_to(read, context);
	r = bo_syscall(state->guest_RAX, fd, read->buffer, read->changed, state->guest_R10, 0, 0);
	if (!sr_isError(r))
		get_file_bytes(read, fd, context, sr_Res(r));
	state->guest_RAX = sr_isError(r) ? -sr_Err(r) : sr_Res(r);
}

ULong bo_before_read(VexGuestAMD64State *state, ULong code)
{
	struct read *read = &reads[VG_(get_running_tid)()];
	UInt number = (UInt)state->guest_RAX, mode;
	Int fd = (Int)state->guest_RDI;

	read->asks = is_read(number) && state->guest_RDX && bo_list_is(fd, &mode);
	if (!read->asks || is_made_again(read, state))
		return False;
	*read = (struct read){.sp = state->guest_RSP,
			      .buffer = state->guest_RSI,
			      .size = state->guest_RDX,
			      .changed = state->guest_RDX,
			      .is_regular = VKI_S_ISREG(mode)};
	if (read->is_regular)
		read->offset = offset_of(number, fd, state->guest_R10);
	read->waits = read->is_regular || !(VG_(fcntl)(fd, VKI_F_GETFL, 0) & VKI_O_NONBLOCK);
	shorten(read, state, mode);
	if (can_be_made_here(read, number, fd)) {
		make_here(read, state, (UInt)code);
		return True;
	}
	read->asks = read->is_changed = True;
	state->guest_RDX = read->changed;
	return False;
}

/* ---- around the system call ---- */

static UChar last_byte(UInt number, UWord buffer, UWord size)
{
	const struct vki_iovec *vector = (const struct vki_iovec *)buffer;

	if (!size)
		return 0;
	if (!is_vector_read(number))
		return ((const UChar *)buffer)[size - 1];
	for (; size > vector->iov_len; vector++)
		size -= vector->iov_len;
	return ((const UChar *)vector->iov_base)[size - 1];
}

/* The target gets at its operations in a way that shows no lines. */
static void note_unseen(ThreadId tid, UInt number, const UWord *args)
{
	Int fd = number == __NR_mmap ? (Int)args[4] : number == __NR_sendfile ? (Int)args[1] : (Int)args[0];
	UInt mode;

	if (number == __NR_mmap && !(args[3] & VKI_MAP_ANONYMOUS) && bo_list_is(fd, &mode))
		bo_op_note(bo_context_of_syscall(tid), BO_NOTE_MAPPED, 0);
	else if (number == IO_URING_SETUP || ((number == __NR_sendfile || number == __NR_splice || number == __NR_tee ||
					       number == __NR_copy_file_range) &&
					      bo_list_is(fd, &mode)))
		bo_op_note(bo_context_of_syscall(tid), BO_NOTE_UNSEEN, number);
}

void bo_reads_before(ThreadId tid, UInt number)
{
	bo_list_note_descriptors(number);
	if (reads[tid].asks && reads[tid].waits && bo_writer_active())
		turn_to(&reads[tid], bo_context_of_syscall(tid));
}

void bo_reads_after(ThreadId tid, UInt number, const UWord *args, SysRes result)
{
	const struct read *read = &reads[tid];
	Bool asked = read->asks;
	UInt context;

	bo_list_note_descriptors(number);
	if (asked)
		restore_size(tid);
	if (sr_isError(result) || !bo_writer_active())
		return;
	note_unseen(tid, number, args);
	if (!asked)
		return;
	context = bo_context_of_syscall(tid);
	if (!read->waits)
		turn_to(read, context);
	if (read->is_regular)
		get_file_bytes(read, (Int)args[0], context, sr_Res(result));
	else
		get_other_bytes(context, sr_Res(result), last_byte(number, args[1], sr_Res(result)));
}
