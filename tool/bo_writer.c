/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_writer.c - the trace file of one process.
 *
 * Method: the current chunk is a shared mapping of the file itself, and after each event its header says how much of it
 * is valid.  Even if SIGKILL ends the target, all events so far are in the page cache and so in the file.  There is no
 * buffer that could be lost.  Space is reserved (fallocate) before a chunk is mapped, because a full disk would
 * otherwise cause a SIGBUS in the middle of an event.
 *
 * If there is no space, the recording cannot continue.  The last event is META "stopped" (every chunk keeps room for
 * it), and the target is ended: a run that is not recorded is not worth finishing. */
#include "bo.h"

#include "bo_input.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_vkiscnums.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define STOP_ROOM 64u /* kept free in each chunk for META "stopped" */

/* The size of a recording. */
struct extent {
	volatile ULong bytes;  /* of all chunks */
	volatile ULong spared; /* of these, the bytes that do not count for --bo-most */
};

/* Shared by all processes of a recording that follows children; lives in the file trace/clock. */
struct clock {
	volatile ULong sequence;
	volatile ULong owner; /* 1 + the process that wrote last */
	struct extent extent;
};

static struct {
	Int fd;
	const HChar *shortage; /* why there is no room for a chunk */
	UInt process;
	struct bo_chunk_header *chunk; /* NULL: nothing is recorded */
	UChar *limit;                  /* the next event must end before this */
	UChar *position;
	ULong file_end; /* offset of the next chunk */
	Addr last_addr;
	UInt thread; /* the running thread, according to the trace */
	struct clock *clock;
	ULong clock_seen;
	ULong clock_reserved; /* 0: none */
	Bool clock_held;      /* keep writing under our number, even if another process wrote meanwhile */
} writer = {.fd = -1, .shortage = BO_STOPPED_SPACE};

UInt bo_running_thread = 1;
struct bo_recent bo_recent_words;
ULong bo_recent_arguments[BO_CALL_ARGUMENTS];
ULong bo_recent_access;

static UChar *payload(void)
{
	return (UChar *)(writer.chunk + 1);
}

/* A reader must never see a closed chunk without its checksum, so the codec is written last.  Hashing takes long enough
 * that the process may be killed during it. */
static void seal_chunk(UInt span)
{
	struct bo_chunk_header *h = writer.chunk, closed = *h;

	closed.span = span;
	closed.stored_bytes = h->raw_bytes;
	closed.codec = BO_CHUNK_RAW;
	h->span = span;
	h->stored_bytes = h->raw_bytes;
	__atomic_store_n(&h->checksum,
			 XXH3_64bits_withSeed(&closed, sizeof(closed) - sizeof(closed.checksum),
					      XXH3_64bits(payload(), h->raw_bytes)),
			 __ATOMIC_RELEASE);
	__atomic_store_n(&h->codec, BO_CHUNK_RAW, __ATOMIC_RELEASE);
	VG_(am_munmap_valgrind)((Addr)h, BO_CHUNK_BYTES);
	writer.chunk = NULL;
}

/* What the recording is in size.  Without a clock, it has one process. */
static struct extent *recording_extent(void)
{
	static struct extent own;

	return writer.clock ? &writer.clock->extent : &own;
}

void bo_writer_spare(SizeT bytes)
{
	__atomic_add_fetch(&recording_extent()->spared, bytes, __ATOMIC_RELAXED);
}

/* Is one more chunk too much? */
static Bool is_full(void)
{
	const struct extent *extent = recording_extent();

	return clo_bo_most && extent->bytes + BO_CHUNK_BYTES > (ULong)clo_bo_most + extent->spared;
}

static Bool reserve_space(ULong offset)
{
	SysRes r;

	if (is_full()) {
		writer.shortage = BO_STOPPED_MOST;
		return False;
	}
	r = bo_syscall(__NR_fallocate, writer.fd, 0, offset, BO_CHUNK_BYTES, 0, 0);
	if (!sr_isError(r))
		return True;
	if (sr_Err(r) == 27 /* EFBIG */)
		writer.shortage = BO_STOPPED_LIMIT;
	if (sr_Err(r) != 95 /* EOPNOTSUPP */ && sr_Err(r) != VKI_ENOSYS)
		return False;
	/* No fallocate on this file system: writing zeros reserves space too. */
	static const UChar zeros[4096];
	for (ULong at = offset; at < offset + BO_CHUNK_BYTES; at += sizeof(zeros)) {
		r = bo_syscall(__NR_pwrite64, writer.fd, zeros, sizeof(zeros), at, 0, 0);
		if (sr_isError(r) || sr_Res(r) != sizeof(zeros))
			return False;
	}
	return True;
}

/* Map room for the next chunk; NULL if there is none.  It becomes a chunk only in chunk_begin, because a file must
 * never contain two open chunks. */
static struct bo_chunk_header *chunk_map(void)
{
	SysRes r;

	if (!reserve_space(writer.file_end))
		return NULL;
	r = VG_(am_shared_mmap_file_float_valgrind)(BO_CHUNK_BYTES, VKI_PROT_READ | VKI_PROT_WRITE, writer.fd,
						    writer.file_end);
	if (sr_isError(r))
		return NULL;
	__atomic_add_fetch(&recording_extent()->bytes, BO_CHUNK_BYTES, __ATOMIC_RELAXED);
	/* Populating 256 pages in one call costs a fraction of 256 faults.  (MADV_POPULATE_WRITE; older kernels refuse
	 * it.) */
	bo_syscall(__NR_madvise, sr_Res(r), BO_CHUNK_BYTES, 23, 0, 0, 0);
	return (struct bo_chunk_header *)(Addr)sr_Res(r);
}

static void chunk_begin(struct bo_chunk_header *h)
{
	h->codec = BO_CHUNK_OPEN;
	h->span = BO_CHUNK_BYTES;
	h->thread = writer.thread;
	h->clock = writer.clock_seen;
	__atomic_store_n(&h->magic, BO_CHUNK_MAGIC, __ATOMIC_RELEASE);
	writer.chunk = h;
	writer.position = payload();
	writer.limit = (UChar *)h + BO_CHUNK_BYTES - STOP_ROOM;
	writer.file_end += BO_CHUNK_BYTES;
	writer.last_addr = 0;
	bo_recent_words = (struct bo_recent){0};
	VG_(memset)(bo_recent_arguments, 0, sizeof(bo_recent_arguments));
	bo_recent_access = 0;
}

static Bool open_chunk(void)
{
	struct bo_chunk_header *h = chunk_map();

	if (h)
		chunk_begin(h);
	return h != NULL;
}

/* No chunk follows: release the unused room of this one. */
static void seal_last_chunk(void)
{
	UInt span = (UInt)sizeof(*writer.chunk) + writer.chunk->raw_bytes;

	bo_syscall(__NR_ftruncate, writer.fd, writer.file_end - BO_CHUNK_BYTES + span, 0, 0, 0, 0);
	seal_chunk(span);
}

static void say_and_exit(void)
{
	VG_(umsg)(BO_STOPPED_SAYS " here: %s\n", writer.shortage);
	VG_(exit)(1);
}

static void stop_for_lack_of_space(void)
{
	UChar *p = writer.position;

	*p++ = BO_OP_META;
	p = bo_put_bytes(p, BO_STOPPED, sizeof(BO_STOPPED) - 1);
	p = bo_put_bytes(p, writer.shortage, VG_(strlen)(writer.shortage));
	bo_writer_commit(p);
	seal_last_chunk();
	say_and_exit();
}

static void next_chunk(void)
{
	struct bo_chunk_header *fresh = chunk_map();

	if (!fresh)
		stop_for_lack_of_space();
	seal_chunk(BO_CHUNK_BYTES);
	chunk_begin(fresh);
}

void bo_writer_commit(UChar *end)
{
	writer.position = end;
	/* Either may be written first: a reader of an open chunk trusts only raw_bytes. */
	writer.chunk->events++;
	writer.chunk->raw_bytes = (UInt)(end - payload());
}

static void note_thread(void)
{
	UChar *p = writer.position;

	*p++ = BO_OP_THREAD_SWITCH;
	p = bo_put_v(p, bo_running_thread);
	writer.thread = bo_running_thread;
	bo_writer_commit(p);
}

static ULong next_clock(void)
{
	return __atomic_add_fetch(&writer.clock->sequence, 1, __ATOMIC_SEQ_CST);
}

void bo_writer_reserve_clock(void)
{
	if (writer.clock)
		writer.clock_reserved = next_clock();
}

static void write_clock(ULong number)
{
	UChar *p = writer.position;

	writer.clock_seen = number;
	*p++ = BO_OP_CLOCK;
	bo_writer_commit(bo_put_v(p, number));
}

void bo_writer_use_reserved_clock(void)
{
	if (!writer.clock_reserved || !bo_writer_active())
		return;
	writer.clock_held = True;
	bo_writer_begin(16);
	write_clock(writer.clock_reserved);
	writer.clock_reserved = 0;
}

void bo_writer_release_clock(void)
{
	writer.clock_held = False;
}

static void note_clock(void)
{
	writer.clock->owner = writer.process + 1;
	write_clock(next_clock());
}

UChar *bo_writer_begin(SizeT most)
{
	if (UNLIKELY(writer.position + most + 32 > writer.limit))
		next_chunk();
	if (UNLIKELY(writer.clock && !writer.clock_held && writer.clock->owner != writer.process + 1))
		note_clock();
	if (UNLIKELY(writer.thread != bo_running_thread))
		note_thread();
	return writer.position;
}

UChar *bo_put_address(UChar *p, Addr addr)
{
	p = bo_put_v(p, bo_zigzag(addr - writer.last_addr));
	writer.last_addr = addr;
	return p;
}

UChar *bo_put_bytes(UChar *p, const void *bytes, SizeT size)
{
	p = bo_put_v(p, size);
	VG_(memcpy)(p, bytes, size);
	return p + size;
}

void bo_write(UInt opcode, const ULong *fields, UInt nfields, const HChar *string)
{
	SizeT length = string ? VG_(strlen)(string) : 0;
	UChar *p;

	if (!bo_writer_active())
		return;
	bo_event_end_string();
	p = bo_writer_begin(16 + 10 * nfields + length);
	*p++ = (UChar)opcode;
	for (UInt i = 0; i < nfields; i++)
		p = bo_put_v(p, fields[i]);
	if (string)
		p = bo_put_bytes(p, string, length);
	bo_writer_commit(p);
}

void bo_write_layer(UInt opcode, const UChar *bytes, SizeT size)
{
	UChar *p;

	bo_event_end_string();
	p = bo_writer_begin(16 + size);
	*p++ = (UChar)opcode;
	bo_writer_commit(bo_put_bytes(p, bytes, size));
}

UChar *bo_layer_begin(UInt opcode)
{
	UChar *p;

	bo_event_end_string();
	p = bo_writer_begin(16 + 128);
	*p = (UChar)opcode;
	return p + 2;
}

void bo_layer_commit(UChar *end)
{
	UChar *p = writer.position;

	p[1] = (UChar)(end - p - 2); /* the number of the bytes: less than 128, so it is one byte */
	bo_writer_commit(end);
}

Bool bo_writer_active(void)
{
	return writer.chunk != NULL;
}

ULong bo_writer_place(void)
{
	return writer.file_end - BO_CHUNK_BYTES + (ULong)(writer.position - (UChar *)writer.chunk);
}

UInt bo_writer_process(void)
{
	return writer.process;
}

static Int open_numbered(void)
{
	HChar path[VG_(strlen)(clo_bo_out) + 32];

	for (UInt n = 0; n < 10000; n++) {
		SysRes r;
		VG_(sprintf)(path, "%s/trace/%04u.bo", clo_bo_out, n);
		r = VG_(open)(path, VKI_O_CREAT | VKI_O_EXCL | VKI_O_RDWR, 0644);
		if (!sr_isError(r)) {
			writer.process = n;
			return VG_(safe_fd)((Int)sr_Res(r));
		}
		if (sr_Err(r) != VKI_EEXIST)
			return -1;
	}
	return -1;
}

static Bool write_file_header(UInt parent_process)
{
	struct bo_file_header h = {.version = BO_TRACE_VERSION, .header_bytes = VKI_PAGE_SIZE};

	VG_(memcpy)(h.magic, BO_TRACE_MAGIC, sizeof(h.magic));
	h.layers = (clo_bo_loads ? BO_LAYER_LOADS : 0) | (clo_bo_code ? BO_LAYER_CODE : 0) |
		   (clo_bo_follow ? BO_LAYER_FOLLOW : 0) | (bo_calls_chosen ? BO_LAYER_CALLS : 0) |
		   (bo_operations_on() ? BO_LAYER_OPERATIONS : 0) | (clo_bo_dependencies ? BO_LAYER_DEPENDENCIES : 0) |
		   (clo_bo_sync ? BO_LAYER_SYNC : 0) | (clo_bo_inputs ? BO_LAYER_INPUTS : 0) |
		   (clo_bo_reads ? BO_LAYER_READS : 0);
	h.process = writer.process;
	h.pid = (UInt)VG_(getpid)();
	h.parent_process = parent_process == ~0u ? writer.process : parent_process;
	h.checksum = XXH3_64bits(&h, sizeof(h) - sizeof(h.checksum));
	writer.file_end = h.header_bytes;
	SysRes r = bo_syscall(__NR_pwrite64, writer.fd, &h, sizeof(h), 0, 0, 0);
	return !sr_isError(r) && sr_Res(r) == sizeof(h);
}

static void open_clock(void)
{
	HChar path[VG_(strlen)(clo_bo_out) + 32];
	SysRes r;

	if (!clo_bo_follow || writer.clock)
		return;
	VG_(sprintf)(path, "%s/trace/clock", clo_bo_out);
	r = VG_(open)(path, VKI_O_CREAT | VKI_O_RDWR, 0644);
	if (sr_isError(r))
		return;
	Int fd = (Int)sr_Res(r);
	bo_syscall(__NR_ftruncate, fd, VKI_PAGE_SIZE, 0, 0, 0, 0);
	r = VG_(am_shared_mmap_file_float_valgrind)(VKI_PAGE_SIZE, VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
	VG_(close)(fd);
	if (!sr_isError(r))
		writer.clock = (struct clock *)(Addr)sr_Res(r);
}

void bo_writer_open(UInt parent_process)
{
	writer.fd = open_numbered();
	if (writer.fd < 0) {
		VG_(umsg)("cannot create a trace file in %s/trace\n", clo_bo_out);
		VG_(exit)(1);
	}
	open_clock();
	writer.clock_seen = writer.clock_reserved = 0;
	writer.thread = bo_running_thread;
	if (write_file_header(parent_process) && open_chunk())
		return;
	/* A header without a chunk would look like damage.  An empty file means a process that did nothing. */
	bo_syscall(__NR_ftruncate, writer.fd, 0, 0, 0, 0, 0);
	say_and_exit();
}

void bo_writer_close(void)
{
	if (!bo_writer_active())
		return;
	seal_last_chunk();
	VG_(close)(writer.fd);
	writer.fd = -1;
}

/* In a forked child: the parent still writes the chunk that both have mapped, so the child must not touch it. */
void bo_writer_abandon(void)
{
	if (!bo_writer_active())
		return;
	VG_(am_munmap_valgrind)((Addr)writer.chunk, BO_CHUNK_BYTES);
	VG_(close)(writer.fd);
	writer.chunk = NULL;
	writer.fd = -1;
}
