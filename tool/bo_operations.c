/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_operations.c - the layer "operations": when the target begins and ends the operations of its list.
 *
 *   --bo-op-marks=reads       each line of the operations file (--bo-ops) that the target reads
 *   --bo-op-marks=prints      each complete line on its standard output
 *   --bo-op-marks=call:NAME   each outermost call (bo_calls.c)
 *   --bo-op-marks=requests    each message from an accepted connection
 *   --bo-op-marks=annotated   blackout/annotate.h
 *
 * Reads.  A read that would return the end of one line and the start of the next hides when the target turns to the
 * next operation.  So every read of the file is shortened to end where its line ends.  That is legal: read(2) may
 * return less than was asked for, and programs that read line by line ask again.  The size is a register of the target,
 * so it is changed in the target's own code, before the core looks at the system call (bo_before_read), and restored
 * afterwards.  An operation ends when the target asks for bytes of another line, and the next begins when it gets them.
 *
 * A pipe has no content to look at, but tee(2) shows what is in it.  If it is empty, the target gets one byte of the
 * line.
 *
 * Prints.  The C library writes its standard output in large blocks unless it is a terminal.  So its stream is set to
 * line-buffered, as setvbuf would do, when the library has been loaded. */
#include "bo.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clreq.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vkiscnums.h"

#include "blackout/annotate.h"

#define FIONREAD_ 0x541b
#define SPLICE_NONBLOCK 2
#define CLOEXEC 02000000
#define PEEK_BYTES 65536u
#define NO_OFFSET (~0ULL)

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

static ULong next_index; /* of operations that are counted, not found in a list */

static void write_begin(UInt context, ULong index, const HChar *text)
{
	UChar bytes[BLACKOUT_TEXT_MAX + 64], *p = bo_put_v(bytes, context);
	SizeT length = 0;

	while (text && length < BLACKOUT_TEXT_MAX && text[length])
		length++;
	p = bo_put_v(p, index);
	p = bo_put_bytes(p, text, length);
	bo_write_layer(BO_OP_OPERATION_BEGIN, bytes, (SizeT)(p - bytes));
}

static void write_numbers(UInt opcode, UInt context, const ULong *numbers, UInt count)
{
	UChar bytes[64], *p = bo_put_v(bytes, context);

	for (UInt i = 0; i < count; i++)
		p = bo_put_v(p, numbers[i]);
	bo_write_layer(opcode, bytes, (SizeT)(p - bytes));
}

static void write_end(UInt context, ULong index)
{
	write_numbers(BO_OP_OPERATION_END, context, &index, 1);
}

static void write_note(UInt context, enum bo_operation_note note, ULong value)
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
	nested[tid].index = next_index++;
	write_begin(context, nested[tid].index, text);
}

static void leave(ThreadId tid, UInt context)
{
	if (nested[tid].depth && --nested[tid].depth == 0)
		write_end(context, nested[tid].index);
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
		write_note(context, BO_NOTE_DURABLE, 0);
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
		write_end(0, nested[tid].index);
	nested[tid].depth = 0;
}

/* ---- the operations file ---- */

static struct {
	ULong dev, ino;
	Bool is_known; /* dev and ino are valid */
	ULong *starts; /* offsets of its lines, if it is a regular file; one more for the end */
	ULong lines;
	Bool open; /* is an operation under way? */
	ULong index;
	ULong begun;  /* 1 + the highest index that was begun */
	ULong piped;  /* lines that came through a pipe */
	Bool in_line; /* the last byte from a pipe was not the end of a line */
	Bool is_read_again;
	Bool is_unterminated; /* the last line of a regular file has no newline */
	Bool is_at_end;       /* the last read found the end of the file */
} list;

/* A thread's read of the file that is in progress. */
static struct read {
	Bool asks;       /* the call in progress reads the file */
	Bool is_changed; /* its size has not been restored yet; handlers of signals may make other calls meanwhile */
	Bool is_regular;
	ULong offset; /* in a regular file */
	UWord sp, buffer;
	UWord size; /* rdx as the target set it, and as it was changed */
	UWord changed;
	struct vki_iovec *cut; /* NULL, or the element of the vector that was shortened */
	SizeT cut_size;        /* and its size before */
} reads[BO_THREADS_MAX];

static Bool is_list(Int fd, struct vg_stat *st)
{
	return list.is_known && VG_(fstat)(fd, st) == 0 && st->dev == list.dev && st->ino == list.ino;
}

static void add_start(ULong offset, ULong *room)
{
	if (list.lines + 2 > *room) {
		*room = *room ? 2 * *room : 1024;
		list.starts = VG_(realloc)("bo.starts", list.starts, *room * sizeof(ULong));
	}
	list.starts[list.lines] = offset;
}

/* Find the lines.  The last one may lack its newline. */
static void index_lines(Int fd)
{
	static UChar buffer[BO_DATA_MAX];
	ULong room = 0, at = 0;
	Bool at_start = True;
	SysRes r;

	for (;; at += sr_Res(r)) {
		r = bo_syscall(__NR_pread64, fd, buffer, sizeof(buffer), at, 0, 0);
		if (sr_isError(r) || !sr_Res(r))
			break;
		for (ULong i = 0; i < sr_Res(r); i++) {
			if (at_start) {
				add_start(at + i, &room);
				list.lines++;
			}
			at_start = buffer[i] == '\n';
		}
	}
	add_start(at, &room);
	list.is_unterminated = !at_start;
}

/* The line that contains the offset; `lines` if it is past the end. */
static ULong line_at(ULong offset)
{
	ULong low = 0, high = list.lines;

	while (low < high) {
		ULong middle = (low + high) / 2;
		if (list.starts[middle + 1] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- shortening ---- */

/* How many bytes of a pipe belong to the current line, as far as they have arrived; at least 1. */
static UWord peek_line(Int fd, UWord size)
{
	static Int scratch[2] = {-1, -1};
	static UChar buffer[PEEK_BYTES];
	Int available = 0;
	SysRes r;

	bo_syscall(__NR_ioctl, fd, FIONREAD_, &available, 0, 0, 0);
	if (available <= 0 || (scratch[0] < 0 && sr_isError(bo_syscall(__NR_pipe2, scratch, CLOEXEC, 0, 0, 0, 0))))
		return 1;
	if (scratch[0] < 256) {
		scratch[0] = VG_(safe_fd)(scratch[0]);
		scratch[1] = VG_(safe_fd)(scratch[1]);
	}
	if (size > sizeof(buffer))
		size = sizeof(buffer);
	r = bo_syscall(__NR_tee, fd, scratch[1], size, SPLICE_NONBLOCK, 0, 0);
	if (sr_isError(r) || !sr_Res(r))
		return 1;
	size = sr_Res(r);
	for (UWord got = 0; got < size; got += sr_Res(r)) {
		r = bo_syscall(__NR_read, scratch[0], buffer + got, size - got, 0, 0, 0);
		if (sr_isError(r) || !sr_Res(r))
			return 1;
	}
	for (UWord i = 0; i < size; i++)
		if (buffer[i] == '\n')
			return i + 1;
	return size;
}

/* How many bytes the read may return. */
static UWord limit_of(Int fd, const struct read *read, const struct vg_stat *st, UWord size)
{
	ULong line;

	if (read->is_regular) {
		line = line_at(read->offset);
		return line < list.lines ? list.starts[line + 1] - read->offset : size;
	}
	if (VKI_S_ISCHR(st->mode))
		return size; /* a terminal gives line by line by itself */
	return VKI_S_ISFIFO(st->mode) ? peek_line(fd, size) : 1;
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

static Bool is_vector_read(UInt number)
{
	return number == __NR_readv || number == __NR_preadv || number == __NR_preadv2;
}

static ULong offset_of(UInt number, Int fd, UWord given)
{
	if (number == __NR_read || number == __NR_readv || (number == __NR_preadv2 && given == NO_OFFSET))
		return sr_Res(bo_syscall(__NR_lseek, fd, 0, 1 /* SEEK_CUR */, 0, 0, 0));
	return given;
}

/* Called by the target's code right before each system call. */
void bo_before_read(VexGuestAMD64State *state)
{
	struct read *read = &reads[VG_(get_running_tid)()];
	UInt number = (UInt)state->guest_RAX;
	Int fd = (Int)state->guest_RDI;
	Bool is_vector = is_vector_read(number);
	struct vki_iovec *vector = (struct vki_iovec *)state->guest_RSI;
	UWord size = state->guest_RDX, limit;
	struct vg_stat st;

	if ((number != __NR_read && number != __NR_pread64 && !is_vector) || !is_list(fd, &st)) {
		read->asks = False;
		return;
	}
	/* A call that a signal interrupted is made again, and is short already. */
	if (read->is_changed && read->sp == state->guest_RSP && read->buffer == state->guest_RSI &&
	    read->changed == size) {
		read->asks = True;
		return;
	}
	*read = (struct read){
		.asks = True, .is_changed = True, .size = size, .sp = state->guest_RSP, .buffer = state->guest_RSI};
	read->is_regular = VKI_S_ISREG(st.mode);
	read->changed = size;
	if (is_vector &&
	    !VG_(am_is_valid_for_client)((Addr)vector, size * sizeof(*vector), VKI_PROT_READ | VKI_PROT_WRITE))
		return;
	if (read->is_regular) {
		if (!list.starts)
			index_lines(fd);
		read->offset = offset_of(number, fd, state->guest_R10);
	}
	limit = limit_of(fd, read, &st, is_vector ? vector_size(vector, size) : size);
	if (is_vector)
		read->changed = cut_vector(read, vector, size, limit);
	else if (limit < size)
		read->changed = limit;
	state->guest_RDX = read->changed;
}

/* ---- what is printed before the last line is read ----
 *
 * A program that has printed something when it asks for the next line performs its operations one by one, even if they
 * change nothing in PM.  What it printed may still be in the buffer of the C library. */

static struct {
	Addr stream;    /* stdout of the GNU C library; 0: none */
	UWord written;  /* its write pointer when the first operation began */
	Bool has_begun; /* the first operation has */
	Bool is_noted;
	Bool has_written; /* to standard output, by a system call, since then */
} results;

static void note_stream(Addr stream)
{
	results.stream = stream;
}

/* The members of a stream: flags, three pointers for reading, then the base of the write buffer and the write pointer. */
static UWord write_pointer(void)
{
	const UWord *members = (const UWord *)results.stream;

	if (!members ||
	    !VG_(am_is_valid_for_client)((Addr)members, 6 * sizeof(*members), VKI_PROT_READ | VKI_PROT_WRITE) ||
	    (UInt)members[0] >> 16 != 0xfbad /* _IO_MAGIC */)
		return 0;
	return members[5];
}

static void watch_results(void)
{
	if (results.has_begun)
		return;
	bo_symbols_find("_IO_2_1_stdout_", note_stream);
	results.has_begun = True;
	results.written = write_pointer();
}

static void note_results(UInt context)
{
	if (results.is_noted || (list.starts && list.index + 1 == list.lines) ||
	    (!results.has_written && write_pointer() == results.written))
		return;
	results.is_noted = True;
	write_note(context, BO_NOTE_PRINTED, list.index);
}

/* ---- reading ---- */

static void end_open(UInt context)
{
	if (list.open)
		write_end(context, list.index);
	list.open = False;
}

static void begin_line(UInt context, ULong index)
{
	if (list.open)
		return;
	if (index < list.begun && !list.is_read_again) {
		list.is_read_again = True;
		write_note(context, BO_NOTE_AGAIN, index);
	}
	list.open = True;
	list.index = index;
	list.begun = index >= list.begun ? index + 1 : list.begun;
	write_begin(context, index, NULL);
	watch_results();
}

/* Does the read ask for more of the line that was begun?  The target learns that a last line without a newline is
 * complete only when it finds the end of the file, once. */
static Bool asks_for_rest(const struct read *read)
{
	if (!read->is_regular)
		return list.in_line && !list.is_at_end;
	return read->offset > list.starts[list.index] &&
	       (read->offset < list.starts[list.index + 1] ||
		(read->offset == list.starts[list.index + 1] && list.index + 1 == list.lines && list.is_unterminated &&
		 !list.is_at_end));
}

static void before_read(ThreadId tid)
{
	UInt context;

	if (!list.open || asks_for_rest(&reads[tid]))
		return;
	context = bo_context_of_syscall(tid);
	note_results(context);
	end_open(context);
}

static UChar last_byte(UInt number, UWord buffer, UWord size)
{
	const struct vki_iovec *vector = (const struct vki_iovec *)buffer;

	if (!is_vector_read(number))
		return ((const UChar *)buffer)[size - 1];
	for (; size > vector->iov_len; vector++)
		size -= vector->iov_len;
	return ((const UChar *)vector->iov_base)[size - 1];
}

static void after_read(ThreadId tid, UInt number, UWord buffer, UWord size)
{
	struct read *read = &reads[tid];
	UInt context = bo_context_of_syscall(tid);

	list.is_at_end = !size;
	if (!size)
		return;
	if (read->is_regular) {
		begin_line(context, line_at(read->offset));
		return;
	}
	begin_line(context, list.piped);
	list.in_line = last_byte(number, buffer, size) != '\n';
	list.piped += !list.in_line;
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

/* ---- standard output ---- */

static struct {
	ULong dev, ino;
	Bool is_known, has_begun;
	ULong lines;
} output;

static Bool watches_output(void)
{
	return marks == MARKS_PRINTS || marks == MARKS_READS;
}

static void after_write(ThreadId tid, Int fd, const UChar *bytes, SizeT size)
{
	struct vg_stat st;
	ULong before = output.lines;
	UInt context;

	if (fd == 2 || !output.is_known || VG_(fstat)(fd, &st) != 0 || st.dev != output.dev || st.ino != output.ino)
		return;
	if (marks == MARKS_READS) {
		results.has_written |= results.has_begun;
		return;
	}
	context = bo_context_of_syscall(tid);
	for (SizeT i = 0; i < size; i++) {
		if (bytes[i] != '\n')
			continue;
		write_end(context, output.lines++);
		write_begin(context, output.lines, NULL);
	}
	if (output.lines - before > 1)
		write_note(context, BO_NOTE_TOGETHER, output.lines - before);
}

static void after_vector_write(ThreadId tid, Int fd, const struct vki_iovec *vector, UWord size)
{
	for (; size; vector++) {
		SizeT part = vector->iov_len < size ? vector->iov_len : size;
		after_write(tid, fd, vector->iov_base, part);
		size -= part;
	}
}

/* The first operation begins with the program. */
static void begin_output(void)
{
	if (!output.has_begun)
		write_begin(0, 0, NULL);
	output.has_begun = True;
}

/* As setvbuf(stdout, NULL, _IOLBF, 0) does.  The flags of a stream of the GNU C library are its first word. */
static void buffer_lines(Addr stream)
{
	UInt *flags = (UInt *)stream;

	if (VG_(am_is_valid_for_client)(stream, sizeof(*flags), VKI_PROT_READ | VKI_PROT_WRITE) &&
	    *flags >> 16 == 0xfbad /* _IO_MAGIC */)
		*flags |= 0x200 /* _IO_LINE_BUF */;
}

void bo_operations_on_code(void)
{
	static UInt epoch;

	if (marks != MARKS_PRINTS || epoch == VG_(current_DiEpoch)().n)
		return;
	epoch = VG_(current_DiEpoch)().n;
	begin_output();
	bo_symbols_find("_IO_2_1_stdout_", buffer_lines);
}

/* ---- connections ---- */

#define CONNECTIONS_MAX 65536

static struct {
	Bool is_accepted, open;
	ULong index;
} connections[CONNECTIONS_MAX];

static Bool is_connection(Int fd)
{
	return fd >= 0 && fd < CONNECTIONS_MAX && connections[fd].is_accepted;
}

static void end_request(ThreadId tid, Int fd)
{
	if (connections[fd].open)
		write_end(bo_context_of_syscall(tid), connections[fd].index);
	connections[fd].open = False;
}

/* A server that does not block may ask in vain before it does what it was asked. */
static void before_receive(ThreadId tid, Int fd)
{
	if (is_connection(fd) && !(VG_(fcntl)(fd, VKI_F_GETFL, 0) & VKI_O_NONBLOCK))
		end_request(tid, fd);
}

static void after_receive(ThreadId tid, Int fd, UWord size)
{
	if (!is_connection(fd))
		return;
	end_request(tid, fd);
	if (!size)
		return;
	connections[fd].open = True;
	connections[fd].index = next_index++;
	write_begin(bo_context_of_syscall(tid), connections[fd].index, NULL);
}

static void after_accept(Int fd)
{
	if (fd < CONNECTIONS_MAX)
		connections[fd].is_accepted = True;
}

static void before_close(ThreadId tid, Int fd)
{
	if (!is_connection(fd))
		return;
	end_request(tid, fd);
	connections[fd].is_accepted = False;
}

static Bool is_receive(UInt number)
{
	return number == __NR_read || number == __NR_readv || number == __NR_recvfrom || number == __NR_recvmsg ||
	       number == __NR_recvmmsg;
}

/* ---- system calls ---- */

void bo_operations_before(ThreadId tid, UInt number, const UWord *args)
{
	if (!bo_writer_active())
		return;
	if (reads[tid].asks)
		before_read(tid);
	if (marks != MARKS_REQUESTS)
		return;
	if (is_receive(number))
		before_receive(tid, (Int)args[0]);
	else if (number == __NR_close)
		before_close(tid, (Int)args[0]);
}

/* The target gets at its operations in a way that shows no lines. */
static void note_unseen(ThreadId tid, UInt number, const UWord *args)
{
	struct vg_stat st;
	Int fd = number == __NR_mmap ? (Int)args[4] : number == __NR_sendfile ? (Int)args[1] : (Int)args[0];

	if (number == __NR_mmap && !(args[3] & VKI_MAP_ANONYMOUS) && is_list(fd, &st))
		write_note(bo_context_of_syscall(tid), BO_NOTE_MAPPED, 0);
	else if (number == 425 /* io_uring_setup */ || ((number == __NR_sendfile || number == __NR_splice ||
							 number == __NR_tee || number == __NR_copy_file_range) &&
							is_list(fd, &st)))
		write_note(bo_context_of_syscall(tid), BO_NOTE_UNSEEN, number);
}

void bo_operations_after(ThreadId tid, UInt number, const UWord *args, SysRes result)
{
	Bool asked = reads[tid].asks;

	if (asked)
		restore_size(tid);
	if (sr_isError(result) || !bo_writer_active())
		return;
	if (asked)
		after_read(tid, number, args[1], sr_Res(result));
	if (marks == MARKS_READS)
		note_unseen(tid, number, args);
	if (watches_output() && (number == __NR_write || number == __NR_pwrite64))
		after_write(tid, (Int)args[0], (const UChar *)args[1], sr_Res(result));
	if (watches_output() && (number == __NR_writev || number == __NR_pwritev || number == __NR_pwritev2))
		after_vector_write(tid, (Int)args[0], (const struct vki_iovec *)args[1], sr_Res(result));
	if (marks != MARKS_REQUESTS)
		return;
	if (number == __NR_accept || number == __NR_accept4)
		after_accept((Int)sr_Res(result));
	else if (is_receive(number))
		after_receive(tid, (Int)args[0], sr_Res(result));
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
	struct vg_stat st;

	if (marks == MARKS_READS) {
		list.is_known = !operations_path || VG_(strcmp)(operations_path, "-") == 0
					? VG_(fstat)(0, &st) == 0
					: !sr_isError(VG_(stat)(operations_path, &st));
		list.dev = st.dev;
		list.ino = st.ino;
	}
	if (watches_output() && VG_(fstat)(1, &st) == 0) {
		output.is_known = True;
		output.dev = st.dev;
		output.ino = st.ino;
	}
}
