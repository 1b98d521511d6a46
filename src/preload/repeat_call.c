/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeat_call.c - system calls of a child that goes back (repeat.h): they are made so that they can be undone.
 *
 * What was there at the beginning is never given up: memory that is unmapped moves to a place that the program does not
 * know, and a descriptor that is closed has a copy.  What the program has made since then is really unmapped or closed.
 *
 * The notes say which is which: the newest one about a place counts. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/call.h"
#include "preload/repeat_in.h"
#include "preload/walk.h"

static bool failed(long result)
{
	return (unsigned long)result > -(unsigned long)PAGE;
}

static bool undo_note(struct repeat_undo undo)
{
	if (repeat->undo_count == REPEAT_UNDOS)
		return false;
	repeat->undos[repeat->undo_count++] = undo;
	return true;
}

/* A call needs a few notes. */
static bool undos_have_room(void)
{
	return repeat->undo_count + 8 <= REPEAT_UNDOS;
}

static bool is_memory(const struct repeat_undo *undo)
{
	return undo->kind == REPEAT_UNMAP || undo->kind == REPEAT_MOVE;
}

/* A part of memory that has one history. */
struct piece {
	uintptr_t end;
	const struct repeat_undo *note; /* the newest one about it; NULL: it is still as it was at the beginning */
};

/* The first piece of [at, end). */
static struct piece piece_at(uintptr_t at, uintptr_t end)
{
	struct piece piece = {.end = end};

	for (size_t i = repeat->undo_count; !piece.note && i-- > 0;) {
		const struct repeat_undo *undo = &repeat->undos[i];

		if (!is_memory(undo) || undo->at + undo->bytes <= at || undo->at >= piece.end)
			continue;
		if (undo->at > at) {
			piece.end = undo->at;
		} else {
			piece.end = low(piece.end, undo->at + undo->bytes);
			piece.note = undo;
		}
	}
	return piece;
}

/* Has the program mapped all of this since the beginning? */
static bool is_new(uintptr_t at, size_t bytes)
{
	uintptr_t end = at + bytes;

	for (struct piece piece; at < end; at = piece.end) {
		piece = piece_at(at, end);
		if (!piece.note || piece.note->kind != REPEAT_UNMAP)
			return false;
	}
	return true;
}

/* Memory */

static bool protection_note(uintptr_t at, size_t bytes)
{
	return undo_note((struct repeat_undo){.kind = REPEAT_PROTECT, .at = at, .bytes = bytes});
}

/* Memory moves; before it does so for the first time, its protection is noted. */
static bool move_note(uintptr_t to, size_t bytes, uintptr_t before, size_t bytes_before, bool protected)
{
	return undo_note((struct repeat_undo){.kind = REPEAT_MOVE,
					      .at = to,
					      .bytes = bytes,
					      .before = before,
					      .bytes_before = bytes_before,
					      .protected = protected});
}

/* Is the protection of this memory known at the end?  Then it may change. */
static bool is_protected(uintptr_t at, size_t bytes)
{
	uintptr_t end = at + bytes;

	for (struct piece piece; at < end; at = piece.end) {
		piece = piece_at(at, end);
		if (piece.note && piece.note->kind == REPEAT_MOVE && !piece.note->protected)
			return false;
		if (piece.note)
			continue;
		if (!repeat_memory_has(at, piece.end - at) || !protection_note(at, piece.end - at))
			return false;
	}
	return true;
}

static bool undo(const struct repeat_undo *u)
{
	switch (u->kind) {
	case REPEAT_UNMAP: return !u->bytes || !failed(CALL(SYS_munmap, u->at, u->bytes));
	case REPEAT_MOVE:
		repeat_memory_changed(u->before, u->bytes_before);
		return !failed(
			CALL(SYS_mremap, u->at, u->bytes, u->bytes_before, MREMAP_MAYMOVE | MREMAP_FIXED, u->before));
	case REPEAT_PROTECT: repeat_memory_protect(u->at, u->bytes); return true;
	case REPEAT_CLOSE: CALL(SYS_close, u->at); return true;
	case REPEAT_OPEN:
		return CALL(SYS_dup3, u->before, u->at, u->bytes & FD_CLOEXEC ? O_CLOEXEC : 0) >= 0 &&
		       CALL(SYS_close, u->before) == 0;
	case REPEAT_ACTION: return CALL(SYS_rt_sigaction, u->at, &repeat->actions[u->before], 0, sizeof(uint64_t)) == 0;
	}
	return false;
}

/* Move memory out of the program's sight. */
static bool memory_hide(uintptr_t at, size_t bytes)
{
	long place = CALL(SYS_mmap, NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool protected = is_protected(at, bytes);

	if (failed(place))
		return false;
	if (failed(CALL(SYS_mremap, at, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place))) {
		CALL(SYS_munmap, place, bytes);
		return false;
	}
	undo_note((struct repeat_undo){.kind = REPEAT_UNMAP, .at = (uintptr_t)place, .bytes = bytes});
	return move_note((uintptr_t)place, bytes, at, bytes, protected);
}

static bool call_munmap(greg_t *r)
{
	uintptr_t at = (uintptr_t)r[REG_RDI];
	size_t bytes = page_round((size_t)r[REG_RSI]);

	if (is_new(at, bytes)) {
		dispatch_make(r);
		return true;
	}
	if (at % PAGE || !bytes || !memory_hide(at, bytes))
		return false;
	r[REG_RAX] = 0;
	return true;
}

/* What is at a fixed address gives way.  The call must not fail then; if it does, the place is as it was. */
static bool call_mmap_fixed(greg_t *r, uintptr_t at, size_t bytes)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	greg_t number = r[REG_RAX];
	bool new = is_new(at, bytes);
	long place = new ? (long)at : CALL(SYS_mmap, at, bytes, PROT_NONE, flags, -1, 0);
	bool hidden = place == -EEXIST;

	if (hidden ? !memory_hide(at, bytes) : place != (long)at)
		return false;
	dispatch_make(r);
	if (new || !failed(r[REG_RAX]))
		return undo_note((struct repeat_undo){.kind = REPEAT_UNMAP, .at = at, .bytes = bytes});
	CALL(SYS_munmap, at, bytes);
	for (int i = 0; hidden && i < 2; i++) /* the notes of memory_hide; protections have not changed */
		undo(&repeat->undos[--repeat->undo_count]);
	r[REG_RAX] = number;
	return false;
}

static bool call_mmap(greg_t *r)
{
	uintptr_t at = (uintptr_t)r[REG_RDI];
	size_t bytes = page_round((size_t)r[REG_RSI]);

	if (r[REG_R10] & MAP_FIXED)
		return at % PAGE == 0 && bytes && call_mmap_fixed(r, at, bytes);
	dispatch_make(r);
	at = (uintptr_t)r[REG_RAX];
	return failed(r[REG_RAX]) || undo_note((struct repeat_undo){.kind = REPEAT_UNMAP, .at = at, .bytes = bytes});
}

static bool call_mprotect(greg_t *r)
{
	uintptr_t at = (uintptr_t)r[REG_RDI];
	size_t bytes = page_round((size_t)r[REG_RSI]);

	if (!is_protected(at, bytes))
		return false;
	dispatch_make(r);
	return true;
}

static bool call_mremap(greg_t *r)
{
	uintptr_t at = (uintptr_t)r[REG_RDI];
	size_t before = page_round((size_t)r[REG_RSI]), bytes = page_round((size_t)r[REG_RDX]);
	bool fixed = r[REG_R10] & MREMAP_FIXED, new = is_new(at, before);

	if (!before || r[REG_R10] & ~(greg_t)(MREMAP_MAYMOVE | MREMAP_FIXED) || (!new &&bytes < before) ||
	    (fixed && !is_new((uintptr_t)r[REG_R8], bytes)))
		return false;
	bool protected = !new &&is_protected(at, before);
	dispatch_make(r);
	if (failed(r[REG_RAX]))
		return true;
	uintptr_t to = (uintptr_t)r[REG_RAX];
	if (!new &&to != at)
		return move_note(to, bytes, at, before, protected);
	if (!new)
		to += before, bytes -= before;
	return undo_note((struct repeat_undo){.kind = REPEAT_UNMAP, .at = to, .bytes = bytes});
}

/* Other advice than this discards memory, or changes flags of a mapping, which splits it. */
static bool call_madvise(greg_t *r)
{
	uintptr_t at = (uintptr_t)r[REG_RDI];
	greg_t advice = r[REG_RDX];

	if (advice != MADV_WILLNEED && !is_new(at, page_round((size_t)r[REG_RSI])))
		return false;
	dispatch_make(r);
	return true;
}

static bool call_brk(greg_t *r)
{
	if (r[REG_RDI] && (uintptr_t)r[REG_RDI] < repeat->brk)
		return false;
	dispatch_make(r);
	return true;
}

/* Descriptors */

static bool fd_is_new(int fd)
{
	for (size_t i = repeat->undo_count; i-- > 0;) {
		const struct repeat_undo *undo = &repeat->undos[i];

		if ((undo->kind == REPEAT_CLOSE || undo->kind == REPEAT_OPEN) && undo->at == (uintptr_t)fd)
			return undo->kind == REPEAT_CLOSE;
	}
	return false;
}

/* Is it a descriptor that the program does not know of? */
static bool fd_is_ours(int fd)
{
	bool ours = fd == repeat->request || fd == repeat->reply || fd == repeat->pagemap;

	for (size_t i = 0; !ours && i < REPEAT_FILES; i++)
		ours = fd == repeat->files[i] - 1;
	for (size_t i = 0; !ours && i < repeat->undo_count; i++)
		ours = repeat->undos[i].kind == REPEAT_OPEN && repeat->undos[i].before == (uintptr_t)fd;
	return ours;
}

/* This descriptor, if there is one, will be closed. */
static bool fd_keep(int fd)
{
	long flags = CALL(SYS_fcntl, fd, F_GETFD), copy;

	if (flags < 0 || fd_is_new(fd))
		return true;
	if (fd_is_ours(fd) || (copy = call_fd_away(fd)) < 0)
		return false;
	return undo_note((struct repeat_undo){
		.kind = REPEAT_OPEN, .at = (uintptr_t)fd, .bytes = (size_t)flags, .before = (uintptr_t)copy});
}

static bool call_close(greg_t *r)
{
	if (!fd_keep((int)r[REG_RDI]))
		return false;
	dispatch_make(r);
	return true;
}

/* A call that returns a new descriptor. */
static bool fd_make(greg_t *r)
{
	dispatch_make(r);
	return failed(r[REG_RAX]) || undo_note((struct repeat_undo){.kind = REPEAT_CLOSE, .at = (uintptr_t)r[REG_RAX]});
}

static bool call_dup2(greg_t *r)
{
	return r[REG_RDI] != r[REG_RSI] && fd_keep((int)r[REG_RSI]) && fd_make(r);
}

/* What others will read, all children write to the same place. */
static bool call_write(greg_t *r)
{
	if (r[REG_RDI] != STDOUT_FILENO && r[REG_RDI] != STDERR_FILENO)
		return false;
	dispatch_make(r);
	return true;
}

/* Signals */

static bool call_sigaction(greg_t *r)
{
	struct kernel_action *before = &repeat->actions[repeat->action_count];

	if (repeat->action_count == REPEAT_ACTIONS || r[REG_R10] != sizeof(uint64_t) ||
	    CALL(SYS_rt_sigaction, r[REG_RDI], 0, before, sizeof(uint64_t)) < 0)
		return false;
	if (r[REG_RSI])
		undo_note((struct repeat_undo){.kind = REPEAT_ACTION,
					       .at = (uintptr_t)r[REG_RDI],
					       .before = repeat->action_count++});
	dispatch_make(r);
	return true;
}

/* Calls */

/* Nobody waits: there is one thread. */
static bool call_futex(greg_t *r)
{
	if ((r[REG_RSI] & FUTEX_CMD_MASK) != FUTEX_WAKE)
		return false;
	dispatch_make(r);
	return true;
}

/* A walk asks whether copies of the process may exist; that may also be undone, if it changes nothing. */
static bool call_other(ucontext_t *context)
{
	switch (walk_call(context)) {
	case WALK_CALL_MAKE: dispatch_make(context->uc_mcontext.gregs); return true;
	case WALK_CALL_DONE: return true;
	case WALK_CALL_END: break;
	}
	return false;
}

bool repeat_call(ucontext_t *context)
{
	greg_t *r = context->uc_mcontext.gregs;

	if (!undos_have_room())
		return false;
	switch (r[REG_RAX]) {
	case SYS_munmap: return call_munmap(r);
	case SYS_mmap: return call_mmap(r);
	case SYS_mprotect: return call_mprotect(r);
	case SYS_mremap: return call_mremap(r);
	case SYS_madvise: return call_madvise(r);
	case SYS_brk: return call_brk(r);
	case SYS_close: return call_close(r);
	case SYS_write:
	case SYS_writev: return call_write(r);
	case SYS_futex: return call_futex(r);
	case SYS_rt_sigaction: return walk_call(context) == WALK_CALL_MAKE && call_sigaction(r);
	case SYS_open:
	case SYS_openat:
	case SYS_dup: return walk_call(context) == WALK_CALL_MAKE && fd_make(r);
	case SYS_fcntl:
		if (r[REG_RSI] == F_DUPFD || r[REG_RSI] == F_DUPFD_CLOEXEC)
			return fd_make(r);
		return (r[REG_RSI] != F_SETFD || fd_is_new((int)r[REG_RDI])) && call_other(context);
	case SYS_dup2:
	case SYS_dup3: return call_dup2(r);
	case SYS_close_range: return false;
	}
	return call_other(context);
}

bool repeat_calls_begin(void)
{
	struct kernel_action action;

	for (int sig = 1; sig < NSIG; sig++)
		if (CALL(SYS_rt_sigaction, sig, 0, &action, sizeof(uint64_t)) == 0 && action.flags & SA_RESETHAND)
			return false;
	return CALL(SYS_sigaltstack, NULL, &repeat->signal_stack) == 0;
}

bool repeat_calls_undo(void)
{
	while (repeat->undo_count > 0)
		if (!undo(&repeat->undos[--repeat->undo_count]))
			return false;
	repeat->action_count = 0;
	/* The return from a handler restores it only if there was one. */
	if (CALL(SYS_sigaltstack, &repeat->signal_stack, NULL) < 0)
		return false;
	return (uintptr_t)CALL(SYS_brk, 0) == repeat->brk || (uintptr_t)CALL(SYS_brk, repeat->brk) == repeat->brk;
}
