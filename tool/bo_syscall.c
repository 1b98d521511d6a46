/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_syscall.c - system calls: those that change PM files or mappings, and those that stock Valgrind refuses.
 *
 * An event is written after its call has returned successfully.  Facts that only hold before the call (which file a
 * path named) are looked up before it and kept per thread.  Data written by a call are read back from the file, so the
 * same code handles write, writev, sendfile, splice and copy_file_range. */
#include "bo.h"

#include "bo_input.h"
#include "libvex_guest_amd64.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_vkiscnums.h"

#define AT_FDCWD_ (-100)
#define SYMLINK_NOFOLLOW 0x100
#define EXCHANGE 2u    /* RENAME_EXCHANGE */
#define DONTUNMAP 4u   /* MREMAP_DONTUNMAP */
#define MADV_REMOVE_ 9 /* punches a hole into the file */
#define PUNCH_HOLE 3u  /* FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE */
#define O_DSYNC_ 010000u
#define RWF_DSYNC_ 2u
#define RWF_SYNC_ 4u
#define PATH_ROOM (2 * VKI_PATH_MAX + 2) /* a directory plus a path given to the kernel */

/* Facts looked up before a thread's call in progress. */
struct before {
	UInt number;                   /* of the call */
	struct bo_file *file, *victim; /* named by its paths */
	ULong victim_links;
	Bool creates;
	UInt write_flags; /* RWF_ bits of pwritev2 */
};

static struct before before[BO_THREADS_MAX];

/* ---- paths ---- */

/* Fill the fields that identify a file.  The kernel checks the guest's pointer. */
static Bool stat_at(Int dirfd, UWord path, Bool follow, struct vg_stat *st)
{
	struct vki_stat k;
	SysRes r = bo_syscall(__NR_newfstatat, dirfd, path, &k, follow ? 0 : SYMLINK_NOFOLLOW, 0, 0);

	if (sr_isError(r))
		return False;
	VG_(memset)(st, 0, sizeof(*st));
	st->dev = k.st_dev;
	st->ino = k.st_ino;
	st->nlink = k.st_nlink;
	st->mode = k.st_mode;
	return True;
}

static struct bo_file *file_at_path(Int dirfd, UWord path, Bool follow)
{
	struct vg_stat st;

	return stat_at(dirfd, path, follow, &st) ? bo_file_by_stat(&st) : NULL;
}

/* False if the path of the directory cannot be determined. */
static Bool absolute_path(HChar *out, Int dirfd, const HChar *path)
{
	HChar link[48];
	SSizeT n = 0;

	out[0] = '\0';
	if (path[0] != '/') {
		if (dirfd == AT_FDCWD_)
			VG_(strcpy)(link, "/proc/self/cwd");
		else
			VG_(sprintf)(link, "/proc/self/fd/%d", dirfd);
		n = VG_(readlink)(link, out, VKI_PATH_MAX);
		if (n <= 0 || n == VKI_PATH_MAX)
			return False;
		out[n++] = '/';
		while (path[0] == '.' && path[1] == '/')
			path += 2;
	}
	VG_(strncpy)(out + n, path, (SizeT)(PATH_ROOM - n - 1));
	out[PATH_ROOM - 1] = '\0';
	return True;
}

/* ---- data written by system calls ---- */

static void write_file_data(UInt context, UInt id, ULong offset, const UChar *bytes, SizeT size)
{
	UChar *p;

	bo_event_end_string();
	p = bo_writer_begin(BO_EVENT_MAX);
	*p++ = BO_OP_FILE_WRITE;
	p = bo_put_v(p, context);
	p = bo_put_v(p, id);
	p = bo_put_v(p, offset);
	bo_writer_commit(bo_put_bytes(p, bytes, size));
}

static void on_sync(ThreadId tid, struct bo_file *file, enum bo_sync kind, ULong offset, ULong size)
{
	if (!file || !file->id)
		return;
	ULong fields[] = {bo_context_of_syscall(tid), file->id, kind, offset, size};
	bo_write(BO_OP_FILE_SYNC, fields, 5, NULL);
}

/* O_DSYNC, RWF_DSYNC: the call returns when its data are on media, as if fdatasync had followed. */
static void sync_if_asked(ThreadId tid, struct bo_file *file, Int fd, ULong offset, ULong size)
{
	UInt status_flags = (UInt)VG_(fcntl)(fd, VKI_F_GETFL, 0);

	if (status_flags & O_DSYNC_ || before[tid].write_flags & (RWF_DSYNC_ | RWF_SYNC_))
		on_sync(tid, file, BO_SYNC_FDATASYNC, offset, size);
}

static void record_written(ThreadId tid, struct bo_file *file, Int fd, ULong offset, ULong size)
{
	static UChar buffer[BO_DATA_MAX];
	UInt context = bo_context_of_syscall(tid);
	ULong first = offset, all = size;
	Int reader = bo_file_reader(fd);

	while (size && reader >= 0) {
		ULong want = size < sizeof(buffer) ? size : sizeof(buffer);
		SysRes r = bo_syscall(__NR_pread64, reader, buffer, want, offset, 0, 0);
		if (sr_isError(r) || sr_Res(r) == 0)
			break;
		write_file_data(context, file->id, offset, buffer, sr_Res(r));
		offset += sr_Res(r);
		size -= sr_Res(r);
	}
	if (reader >= 0 && reader != fd)
		VG_(close)(reader);
	sync_if_asked(tid, file, fd, first, all);
	bo_file_refresh(file);
}

ULong bo_position_of(Int fd)
{
	return sr_Res(bo_syscall(__NR_lseek, fd, 0, 1 /* SEEK_CUR */, 0, 0, 0));
}

/* The call wrote `size` bytes, ending at the descriptor's position. */
static void on_write_at_position(ThreadId tid, Int fd, ULong size)
{
	struct bo_file *file = size ? bo_file_by_fd(fd) : NULL;

	if (file)
		record_written(tid, file, fd, bo_position_of(fd) - size, size);
}

static void on_write_at_offset(ThreadId tid, Int fd, ULong offset, ULong size)
{
	struct bo_file *file = size ? bo_file_by_fd(fd) : NULL;
	struct vg_stat st;

	if (!file)
		return;
	/* On Linux even pwrite appends if the file is open for appending. */
	if (VG_(fcntl)(fd, VKI_F_GETFL, 0) & VKI_O_APPEND && VG_(fstat)(fd, &st) == 0)
		offset = (ULong)st.size - size;
	record_written(tid, file, fd, offset, size);
}

/* splice, copy_file_range: the offset pointer may be NULL; otherwise the kernel has advanced the offset it points
 * to. */
static void on_write_at_pointer(ThreadId tid, Int fd, UWord pointer, ULong size)
{
	if (pointer)
		on_write_at_offset(tid, fd, *(ULong *)pointer - size, size);
	else
		on_write_at_position(tid, fd, size);
}

/* ---- data read by system calls ---- */

static void record_read(ThreadId tid, struct bo_file *file, ULong offset, ULong size)
{
	UInt context = bo_context_of_syscall(tid);
	UChar *p = bo_layer_begin(BO_OP_FILE_READ);

	p = bo_put_v(bo_put_v(p, context), file->id);
	bo_layer_commit(bo_put_v(bo_put_v(p, offset), size));
}

static void on_read_at_offset(ThreadId tid, Int fd, ULong offset, ULong size)
{
	struct bo_file *file = size ? bo_file_to_read(fd) : NULL;

	if (file)
		record_read(tid, file, offset, size);
}

/* The call read `size` bytes, ending at the descriptor's position. */
static void on_read_at_position(ThreadId tid, Int fd, ULong size)
{
	struct bo_file *file = size ? bo_file_to_read(fd) : NULL;

	if (file)
		record_read(tid, file, bo_position_of(fd) - size, size);
}

/* As on_write_at_pointer. */
static void on_read_at_pointer(ThreadId tid, Int fd, UWord pointer, ULong size)
{
	if (pointer)
		on_read_at_offset(tid, fd, *(ULong *)pointer - size, size);
	else
		on_read_at_position(tid, fd, size);
}

/* A private mapping shows what is in the file, and its loads are not recorded. */
static void on_mapped_privately(ThreadId tid, const UWord *args)
{
	Bool is_private = (args[3] & 0x0f) == VKI_MAP_PRIVATE && !(args[3] & VKI_MAP_ANONYMOUS);

	if (is_private)
		on_read_at_offset(tid, (Int)args[4], args[5], args[1]);
}

/* The part by which such a mapping has grown.  (A shared one that is read-only may be reported, too.) */
static void on_grown_privately(ThreadId tid, const UWord *args, Addr addr)
{
	SizeT before_size = VG_PGROUNDUP(args[1]), size = VG_PGROUNDUP(args[2]);
	const NSegment *seg = size > before_size ? VG_(am_find_nsegment)(addr + before_size) : NULL;
	struct vg_stat st = {0};
	struct bo_file *file;

	if (!seg || seg->kind != SkFileC || bo_region_find(addr + before_size))
		return;
	st.dev = seg->dev;
	st.ino = seg->ino;
	file = bo_file_by_stat(&st);
	if (file)
		record_read(tid, file, (ULong)seg->offset + (addr + before_size - seg->start), size - before_size);
}

/* ---- other changes of files ---- */

static void on_truncate(ThreadId tid, struct bo_file *file, ULong size)
{
	if (!file)
		return;
	ULong fields[] = {bo_context_of_syscall(tid), file->id, size};
	bo_write(BO_OP_FILE_TRUNCATE, fields, 3, NULL);
	bo_file_refresh(file);
}

static void on_allocate(ThreadId tid, struct bo_file *file, UInt mode, ULong offset, ULong size)
{
	if (!file)
		return;
	ULong fields[] = {bo_context_of_syscall(tid), file->id, mode, offset, size};
	bo_write(BO_OP_FILE_ALLOCATE, fields, 5, NULL);
	bo_file_refresh(file);
}

static void on_sync_all(ThreadId tid, enum bo_sync kind, const struct vg_stat *file_system)
{
	struct bo_file *file;

	for (UInt i = 0; (file = bo_file_at(i)); i++)
		if (!file_system || file_system->dev == file->dev)
			on_sync(tid, file, kind, 0, 0);
}

static void on_syncfs(ThreadId tid, Int fd)
{
	struct vg_stat st;

	if (VG_(fstat)(fd, &st) == 0)
		on_sync_all(tid, BO_SYNC_SYNCFS, &st);
}

static void on_msync(ThreadId tid, Addr addr, SizeT size, UInt flags)
{
	const struct bo_region *next = bo_region_next(addr);

	if (!bo_region_find(addr) && (!next || next->start >= addr + size))
		return;
	ULong fields[] = {bo_context_of_syscall(tid), addr, size, flags};
	bo_write(BO_OP_MSYNC, fields, 4, NULL);
}

static void on_madvise(ThreadId tid, Addr addr, SizeT size, Int advice)
{
	const struct bo_region *r = bo_region_find(addr);

	if (advice == MADV_REMOVE_ && r)
		on_allocate(tid, r->file, PUNCH_HOLE, r->offset + (addr - r->start), size);
}

/* ---- names ---- */

static void move_to(ThreadId tid, struct bo_file *file, const HChar *path)
{
	ULong fields[] = {bo_context_of_syscall(tid), file->id};

	if (file->id)
		bo_write(BO_OP_FILE_RENAME, fields, 2, path);
	VG_(free)(file->path);
	file->path = VG_(strdup)("bo.path", path);
	bo_file_refresh(file);
}

static void on_unlinked(ThreadId tid, struct bo_file *file, ULong links_before)
{
	if (!file)
		return;
	ULong fields[] = {bo_context_of_syscall(tid), file->id, links_before ? links_before - 1 : 0};
	file->nameless = links_before <= 1;
	if (file->id)
		bo_write(BO_OP_FILE_UNLINK, fields, 3, NULL);
}

/* A directory was renamed, and everything below it moved too.  A path that is too long is useless and is skipped. */
static void move_below(ThreadId tid, const HChar *from, const HChar *to)
{
	static HChar path[PATH_ROOM];
	SizeT length = VG_(strlen)(from);
	struct bo_file *file;

	for (UInt i = 0; (file = bo_file_at(i)); i++) {
		if (file->nameless || VG_(strncmp)(file->path, from, length) != 0 || file->path[length] != '/')
			continue;
		if (VG_(strlen)(to) + VG_(strlen)(file->path + length) >= sizeof(path)) {
			on_unlinked(tid, file, 1);
			continue;
		}
		VG_(strcpy)(path, to);
		VG_(strcpy)(path + VG_(strlen)(to), file->path + length);
		move_to(tid, file, path);
	}
}

static void before_rename(struct before *b, Int old_dir, UWord old_path, Int new_dir, UWord new_path)
{
	struct vg_stat st;

	if (stat_at(old_dir, old_path, False, &st))
		b->file = bo_file_known(&st);
	if (stat_at(new_dir, new_path, False, &st)) {
		b->victim = bo_file_known(&st);
		b->victim_links = st.nlink;
	}
}

static void on_rename(ThreadId tid, Int old_dir, UWord old_path, Int new_dir, UWord new_path, UInt flags)
{
	static HChar old[PATH_ROOM], new[PATH_ROOM];
	struct before *b = &before[tid];

	if (b->file && b->file == b->victim)
		return; /* two names of one file: rename does nothing */
	if (!bo_file_at(0))
		return;
	if (!absolute_path(old, old_dir, (const HChar *)old_path) ||
	    !absolute_path(new, new_dir, (const HChar *)new_path)) {
		on_unlinked(tid, b->victim, 1);
		on_unlinked(tid, b->file, 1);
		return;
	}
	if (!(flags & EXCHANGE))
		on_unlinked(tid, b->victim, b->victim_links);
	else if (b->victim)
		move_to(tid, b->victim, old);
	if (b->file)
		move_to(tid, b->file, new);
	else if (!(flags & EXCHANGE))
		move_below(tid, old, new);
}

static void before_unlink(struct before *b, Int dirfd, UWord path)
{
	struct vg_stat st;

	if (stat_at(dirfd, path, False, &st)) {
		b->victim = bo_file_known(&st);
		b->victim_links = st.nlink;
	}
}

static void before_open(struct before *b, Int dirfd, UWord path, UInt flags)
{
	struct vg_stat st;

	if (!(flags & (VKI_O_CREAT | VKI_O_TRUNC)))
		return;
	if (!stat_at(dirfd, path, True, &st))
		b->creates = flags & VKI_O_CREAT;
	else if (flags & VKI_O_TRUNC)
		b->file = bo_file_by_stat(&st);
}

static void on_opened(ThreadId tid, Int fd)
{
	struct vg_stat st;

	if (before[tid].creates && VG_(fstat)(fd, &st) == 0)
		bo_file_note_created(&st);
	on_truncate(tid, before[tid].file, 0);
}

/* ---- processes ---- */

/* The core decides this; its headers for tools do not declare it. */
extern Bool VG_(should_we_trace_this_child)(const HChar *path, const HChar **argv);

static void before_exec(ThreadId tid, Int dirfd, UWord path)
{
	struct vg_stat st;

	if (!stat_at(dirfd, path, True, &st))
		return;
	ULong fields[] = {bo_context_of_syscall(tid), VG_(should_we_trace_this_child)((const HChar *)path, NULL)};
	bo_write(BO_OP_EXEC, fields, 2, (const HChar *)path);
}

static void on_forked(ThreadId tid, ULong pid)
{
	bo_writer_use_reserved_clock();
	ULong fields[] = {bo_context_of_syscall(tid), pid, clo_bo_follow};
	bo_write(BO_OP_FORK, fields, 3, NULL);
	bo_writer_release_clock();
}

static Bool clone_is_fork(UWord flags)
{
	return !(flags & VKI_CLONE_VM) || flags & VKI_CLONE_VFORK;
}

static void on_alt_stack(ThreadId tid, UWord pointer)
{
	const vki_stack_t *ss = (const vki_stack_t *)pointer;

	if (ss)
		bo_signal_set_alt_stack(tid, (Addr)ss->ss_sp, ss->ss_flags & VKI_SS_DISABLE ? 0 : ss->ss_size);
}

/* ---- faults ---- A handler for SIGSEGV or SIGBUS may fix the fault and restart the instruction, which needs exact
 * registers at each memory access.  Few targets do that, and it costs speed.  So code is translated that way only after
 * such a handler is set. */

static void on_handler_set(UWord signal, UWord action)
{
	static Bool exact;

	if (exact || clo_bo_sync /* exact anyway */ || !action || (signal != VKI_SIGSEGV && signal != VKI_SIGBUS) ||
	    *(UWord *)action <= 1 /* DFL, IGN */)
		return;
	exact = True;
	VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtMemAccess;
	VG_(clo_px_file_backed) = VexRegUpdAllregsAtMemAccess;
	VG_(discard_translations)(0, ~0UL / 2, "bo: exact faults");
}

/* ---- the two hooks ---- */

static UInt exit_status;
static Bool exits;

/* recvfrom: the core reports the whole buffer as written, however much was received. */
SizeT bo_syscall_stored(ThreadId tid, SizeT size)
{
	UWord received;

	if (before[tid].number != __NR_recvfrom)
		return size;
	VG_(get_shadow_regs_area)
	(tid, (UChar *)&received, 0, offsetof(VexGuestAMD64State, guest_RAX), sizeof(received));
	return received < size ? received : size;
}

void bo_pre_syscall(ThreadId tid, UInt number, UWord *args, UInt nargs)
{
	struct before *b = &before[tid];

	*b = (struct before){.number = number};
	bo_thread_run(tid, 0);
	bo_event_end_string(); /* the call may block forever, so write the earlier stores now */
	bo_operations_before(tid, number, args);
	switch (number) {
	case __NR_open: before_open(b, AT_FDCWD_, args[0], (UInt)args[1]); break;
	case __NR_openat: before_open(b, (Int)args[0], args[1], (UInt)args[2]); break;
	case __NR_creat: before_open(b, AT_FDCWD_, args[0], VKI_O_CREAT | VKI_O_TRUNC); break;
	case __NR_pwritev2: b->write_flags = (UInt)args[5]; break;
	case __NR_truncate: b->file = file_at_path(AT_FDCWD_, args[0], True); break;
	case __NR_rename: before_rename(b, AT_FDCWD_, args[0], AT_FDCWD_, args[1]); break;
	case __NR_renameat:
	case __NR_renameat2: before_rename(b, (Int)args[0], args[1], (Int)args[2], args[3]); break;
	case __NR_unlink: before_unlink(b, AT_FDCWD_, args[0]); break;
	case __NR_unlinkat: before_unlink(b, (Int)args[0], args[1]); break;
	case __NR_execve: before_exec(tid, AT_FDCWD_, args[0]); break;
	case __NR_execveat: before_exec(tid, (Int)args[0], args[1]); break;
	case __NR_setrlimit:
	case __NR_prlimit64: bo_limits_before(tid, number, args); break;
	case __NR_exit_group:
		exits = True;
		exit_status = (UInt)args[0] & 0xff;
		break;
	default: break;
	}
}

static SizeT whole_pages(UWord size)
{
	return VG_PGROUNDUP(size);
}

static void after_mapping_call(ThreadId tid, UInt number, const UWord *args, UWord result)
{
	switch (number) {
	case __NR_mmap:
		if (args[2] & VKI_PROT_EXEC)
			bo_code_forget(result, whole_pages(args[1]));
		bo_region_map(tid, result, whole_pages(args[1]), (UInt)args[2], (UInt)args[3], (Int)args[4], args[5]);
		break;
	case __NR_munmap:
		bo_code_forget(args[0], whole_pages(args[1]));
		bo_region_unmap(tid, args[0], whole_pages(args[1]));
		break;
	case __NR_mremap:
		bo_region_remap(tid, args[0], whole_pages(args[1]), result, whole_pages(args[2]),
				args[1] == 0 || args[3] & DONTUNMAP);
		break;
	case __NR_mprotect: bo_region_protect(tid, args[0], whole_pages(args[1]), (UInt)args[2]); break;
	case __NR_msync: on_msync(tid, args[0], whole_pages(args[1]), (UInt)args[2]); break;
	case __NR_madvise: on_madvise(tid, args[0], whole_pages(args[1]), (Int)args[2]); break;
	default: break;
	}
}

static void after_write_call(ThreadId tid, UInt number, const UWord *args, UWord result)
{
	switch (number) {
	case __NR_write:
	case __NR_writev:
	case __NR_sendfile: on_write_at_position(tid, (Int)args[0], result); break;
	case __NR_pwrite64:
	case __NR_pwritev: on_write_at_offset(tid, (Int)args[0], args[3], result); break;
	case __NR_pwritev2:
		if (args[3] == ~0UL)
			on_write_at_position(tid, (Int)args[0], result);
		else
			on_write_at_offset(tid, (Int)args[0], args[3], result);
		break;
	case __NR_splice:
	case __NR_copy_file_range: on_write_at_pointer(tid, (Int)args[2], args[3], result); break;
	default: break;
	}
}

static void after_read_call(ThreadId tid, UInt number, const UWord *args, UWord result)
{
	switch (number) {
	case __NR_read:
	case __NR_readv: on_read_at_position(tid, (Int)args[0], result); break;
	case __NR_pread64:
	case __NR_preadv: on_read_at_offset(tid, (Int)args[0], args[3], result); break;
	case __NR_preadv2:
		if (args[3] == ~0UL)
			on_read_at_position(tid, (Int)args[0], result);
		else
			on_read_at_offset(tid, (Int)args[0], args[3], result);
		break;
	case __NR_sendfile: on_read_at_pointer(tid, (Int)args[1], args[2], result); break;
	case __NR_splice:
	case __NR_copy_file_range: on_read_at_pointer(tid, (Int)args[0], args[1], result); break;
	case __NR_mmap: on_mapped_privately(tid, args); break;
	case __NR_mremap: on_grown_privately(tid, args, result); break;
	default: break;
	}
}

static void after_file_call(ThreadId tid, UInt number, const UWord *args, UWord result)
{
	switch (number) {
	case __NR_open:
	case __NR_openat:
	case __NR_creat: on_opened(tid, (Int)result); break;
	case __NR_truncate: on_truncate(tid, before[tid].file, args[1]); break;
	case __NR_ftruncate: on_truncate(tid, bo_file_by_fd((Int)args[0]), args[1]); break;
	case __NR_fallocate: on_allocate(tid, bo_file_by_fd((Int)args[0]), (UInt)args[1], args[2], args[3]); break;
	case __NR_rename: on_rename(tid, AT_FDCWD_, args[0], AT_FDCWD_, args[1], 0); break;
	case __NR_renameat: on_rename(tid, (Int)args[0], args[1], (Int)args[2], args[3], 0); break;
	case __NR_renameat2: on_rename(tid, (Int)args[0], args[1], (Int)args[2], args[3], (UInt)args[4]); break;
	case __NR_unlink:
	case __NR_unlinkat: on_unlinked(tid, before[tid].victim, before[tid].victim_links); break;
	case __NR_fsync: on_sync(tid, bo_file_by_fd((Int)args[0]), BO_SYNC_FSYNC, 0, 0); break;
	case __NR_fdatasync: on_sync(tid, bo_file_by_fd((Int)args[0]), BO_SYNC_FDATASYNC, 0, 0); break;
	case __NR_sync_file_range:
		on_sync(tid, bo_file_by_fd((Int)args[0]), BO_SYNC_SYNC_FILE_RANGE, args[1], args[2]);
		break;
	case __NR_sync: on_sync_all(tid, BO_SYNC_SYNC, NULL); break;
	case __NR_syncfs: on_syncfs(tid, (Int)args[0]); break;
	default: break;
	}
}

/* The parent of this process set its PDEATHSIG to SIGKILL.  That stays in force unless the target sets its own.  But
 * the target must not see it, because it would not be set without the recorder. */
static void on_prctl(UWord option, UWord arg)
{
	static Bool wished;

	if (option == 1 /* PR_SET_PDEATHSIG */)
		wished = True;
	else if (option == 2 /* PR_GET_PDEATHSIG */ && !wished && *(Int *)arg == VKI_SIGKILL)
		*(Int *)arg = 0;
}

static void after_process_call(ThreadId tid, UInt number, const UWord *args, UWord result)
{
	switch (number) {
	case __NR_fork:
	case __NR_vfork:
		if (result)
			on_forked(tid, result);
		break;
	case __NR_clone:
		if (result && clone_is_fork(args[0]))
			on_forked(tid, result);
		break;
	case __NR_sigaltstack: on_alt_stack(tid, args[0]); break;
	case __NR_rt_sigaction: on_handler_set(args[0], args[1]); break;
	case __NR_prctl: on_prctl(args[0], args[1]); break;
	default: break;
	}
}

void bo_post_syscall(ThreadId tid, UInt number, UWord *args, UInt nargs, SysRes result)
{
	bo_limits_after(tid, number, args, sr_isError(result));
	bo_calls_settle();
	bo_operations_after(tid, number, args, result);
	if (sr_isError(result) || !bo_writer_active())
		return;
	bo_thread_run(tid, 0);
	if (clo_bo_reads)
		after_read_call(tid, number, args, sr_Res(result));
	after_mapping_call(tid, number, args, sr_Res(result));
	after_write_call(tid, number, args, sr_Res(result));
	after_file_call(tid, number, args, sr_Res(result));
	after_process_call(tid, number, args, sr_Res(result));
	if (clo_bo_inputs)
		bo_source_after(tid, number, args, sr_Res(result));
}

void bo_write_exit(void)
{
	ULong status = exit_status;

	if (exits)
		bo_write(BO_OP_EXIT, &status, 1, NULL);
}
