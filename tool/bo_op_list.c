/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_op_list.c - the operations file: which descriptors lead to it, and where its lines begin.
 *
 * A regular file is looked at once, when the target first reads it.  A pipe has no content to look at, but tee(2) shows
 * what is in it. */
#include "bo_op.h"

#include "pub_tool_vkiscnums.h"

#define FIONREAD_ 0x541b
#define SPLICE_NONBLOCK 2
#define CLOEXEC 02000000
#define PEEK_BYTES 65536u
#define CLOSE_RANGE 436

static struct {
	ULong dev, ino;
	Bool is_known; /* dev and ino are valid */
	ULong *starts; /* offsets of its lines, if it is a regular file; one more for the end */
	ULong lines;
	Bool is_unterminated; /* the last line of a regular file has no newline */
} list;

/* The descriptor that led to the file the last time, because fstat costs as much as a read. */
static struct {
	Int fd; /* -1: none is known */
	UInt mode;
	Bool is_of_thread; /* threads may have descriptors of their own */
} recent = {.fd = -1};

void bo_list_choose(const HChar *path)
{
	struct vg_stat st;

	list.is_known =
		!path || VG_(strcmp)(path, "-") == 0 ? VG_(fstat)(0, &st) == 0 : !sr_isError(VG_(stat)(path, &st));
	list.dev = st.dev;
	list.ino = st.ino;
}

Bool bo_list_is(Int fd, UInt *mode)
{
	struct vg_stat st;

	if (fd == recent.fd) {
		*mode = recent.mode;
		return fd >= 0;
	}
	if (!list.is_known || VG_(fstat)(fd, &st) != 0 || st.dev != list.dev || st.ino != list.ino)
		return False;
	*mode = recent.mode = st.mode;
	recent.fd = recent.is_of_thread ? -1 : fd;
	return True;
}

/* Only these calls make an open descriptor lead to another file. */
void bo_list_note_descriptors(UInt number)
{
	switch (number) {
	case __NR_unshare: recent.is_of_thread = True; /* fall through */
	case __NR_close:
	case __NR_dup2:
	case __NR_dup3:
	case CLOSE_RANGE: recent.fd = -1; break;
	default: break;
	}
}

/* ---- lines of a regular file ---- */

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

ULong bo_list_lines(void)
{
	return list.lines;
}

ULong bo_list_start(ULong line)
{
	return list.starts[line];
}

Bool bo_list_is_unterminated(void)
{
	return list.is_unterminated;
}

static ULong search_line(ULong offset)
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

/* Most often, it is the line of the last time or the next one. */
ULong bo_list_line_at(Int fd, ULong offset)
{
	static ULong last;

	if (!list.starts)
		index_lines(fd);
	for (ULong line = last; line < last + 2 && line < list.lines; line++)
		if (list.starts[line] <= offset && offset < list.starts[line + 1])
			return last = line;
	return last = search_line(offset);
}

/* ---- lines of a pipe ---- */

UWord bo_list_peek(Int fd, UWord size)
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
