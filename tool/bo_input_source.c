/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_source.c - where input comes from: standard input, files, arguments, connections.
 *
 * A descriptor leads to a source if it leads to the same inode, however it was made.  What a system call put into memory
 * has the labels of its place in the source; and how much it was depends on the length of the source, if that is known:
 * a regular file has one, and so has whatever has come to its end. */
#include "bo_input.h"

#include "pub_tool_vkiscnums.h"

#define PEEK 2u /* MSG_PEEK */
#define END 2   /* SEEK_END */
#define STATX 332
#define SOL_SOCKET_ 1
#define SO_TYPE_ 3
#define DATAGRAM 2

struct source {
	enum bo_source kind;
	const HChar *name;
	UInt number; /* of an argument */
	ULong dev, ino;
	Bool is_open; /* dev and ino are known */
	ULong at;     /* what is not a regular file: bytes that were read */
};

static struct source *sources; /* numbered from 1, as in the trace */
static UInt source_count = 1, source_room;
static Bool connections_count; /* what connections receive is input */
static UInt connections;

/* ---- sources ---- */

static UInt source_add(struct source s)
{
	if (source_count >= source_room) {
		source_room = 2 * source_count + 16;
		sources = VG_(realloc)("bo.sources", sources, source_room * sizeof(*sources));
	}
	sources[source_count] = s;
	return source_count++;
}

static void source_define(UInt source)
{
	const struct source *s = &sources[source];
	SizeT length = VG_(strlen)(s->name);
	UChar bytes[VKI_PATH_MAX + 32], *p = bo_put_v(bytes, s->kind);

	p = bo_put_bytes(p, s->name, length < VKI_PATH_MAX ? length : VKI_PATH_MAX);
	bo_write_layer(BO_OP_DEF_SOURCE, bytes, (SizeT)(p - bytes));
}

Bool bo_source_choose(const HChar *spec)
{
	if (VG_(strcmp)(spec, "stdin") == 0)
		source_add((struct source){.kind = BO_SOURCE_STDIN, .name = ""});
	else if (VG_(strncmp)(spec, "file:", 5) == 0 && spec[5])
		source_add((struct source){.kind = BO_SOURCE_FILE, .name = spec + 5});
	else if (VG_(strncmp)(spec, "arg:", 4) == 0 && VG_(strtoll10)(spec + 4, NULL) > 0)
		source_add((struct source){.kind = BO_SOURCE_ARG,
					   .name = spec + 4,
					   .number = (UInt)VG_(strtoll10)(spec + 4, NULL)});
	else if (VG_(strcmp)(spec, "socket") == 0)
		connections_count = True;
	else
		return False;
	clo_bo_inputs = True;
	return True;
}

/* A file may be made by the target itself, or by its start. */
static Bool source_is_open(struct source *s)
{
	struct vg_stat st;

	if (!s->is_open && s->kind == BO_SOURCE_FILE && !sr_isError(VG_(stat)(s->name, &st))) {
		s->is_open = True;
		s->dev = st.dev;
		s->ino = st.ino;
	}
	return s->is_open;
}

/* 0: none.  Numbers of inodes are used again, so the last one counts. */
static UInt source_of_inode(ULong dev, ULong ino)
{
	for (UInt i = source_count - 1; i; i--)
		if (source_is_open(&sources[i]) && sources[i].dev == dev && sources[i].ino == ino)
			return i;
	return 0;
}

static UInt source_of(Int fd, struct vg_stat *st)
{
	return VG_(fstat)(fd, st) == 0 ? source_of_inode(st->dev, st->ino) : 0;
}

static void add_connection(Int fd)
{
	static HChar name[16];
	struct vg_stat st;
	UInt source;

	if (!connections_count || VG_(fstat)(fd, &st) != 0)
		return;
	VG_(sprintf)(name, "%u", ++connections);
	source = source_add((struct source){.kind = BO_SOURCE_SOCKET,
					    .name = VG_(strdup)("bo.source", name),
					    .dev = st.dev,
					    .ino = st.ino,
					    .is_open = True});
	source_define(source);
}

/* A socket for datagrams has no connections: whatever it receives is of one source. */
static void add_datagrams(Int fd)
{
	Int type = 0, size = sizeof(type);

	bo_syscall(__NR_getsockopt, fd, SOL_SOCKET_, SO_TYPE_, &type, &size, 0);
	if (type == DATAGRAM)
		add_connection(fd);
}

/* ---- labels ---- */

static void label_bytes(UInt source, ULong offset, Addr addr, SizeT size)
{
	for (SizeT i = 0; i < size; i++) {
		UInt byte = bo_expr_input(source, offset + i, *(const UChar *)(addr + i));
		if (!byte)
			bo_concrete("input that was changed");
		bo_memory_put(addr + i, 1, byte);
	}
}

/* How many bytes there are from the offset on. */
static UInt rest_of(UInt length, ULong offset)
{
	UInt rest = bo_expr_2(BO_EXPR_SUB, length, bo_expr_const(64, offset));

	if (!offset)
		return length;
	return bo_expr_ite(bo_expr_2(BO_EXPR_ULT, bo_expr_const(64, offset), length), rest, bo_expr_const(64, 0));
}

static void label_result(ThreadId tid, UInt label, UWord result)
{
	ULong cell = label && bo_expr_value(label) == result ? label : 0;

	VG_(set_shadow_regs_area)
	(tid, 1, offsetof(VexGuestAMD64State, guest_RAX), sizeof(cell), (const UChar *)&cell);
}

/* The call got min(asked, rest) bytes. */
static void label_count(ThreadId tid, UInt length, ULong offset, ULong asked, UWord got)
{
	UInt rest = rest_of(length, offset), most = bo_expr_const(64, asked);

	label_result(tid, bo_expr_ite(bo_expr_2(BO_EXPR_ULT, most, rest), most, rest), got);
}

/* ---- reading ---- */

struct reading {
	UInt source;
	ULong offset, asked, got;
	Bool has_length; /* of the source, which is `length` */
	ULong length;
};

static struct reading begin_reading(Int fd, UInt number, const UWord *args, UWord got)
{
	struct vg_stat st;
	struct reading r = {.source = source_of(fd, &st), .got = got};
	Bool is_placed = number == __NR_pread64 || number == __NR_preadv || (number == __NR_preadv2 && args[3] != ~0UL);

	if (!r.source)
		return r;
	r.has_length = VKI_S_ISREG(st.mode);
	if (r.has_length) {
		r.length = (ULong)st.size;
		r.offset = is_placed ? args[3] : bo_position_of(fd) - got;
	} else {
		r.offset = sources[r.source].at;
	}
	return r;
}

/* Nothing more came: that is the end, and it tells the length.  A file that has grown would tell another one. */
static void end_reading(ThreadId tid, struct reading *r)
{
	bo_tell_input(bo_context_of_syscall(tid), r->source, r->offset, r->asked, r->got);
	if (!r->has_length && !r->got && r->asked) {
		r->has_length = True;
		r->length = r->offset;
	}
	if (r->has_length && r->asked)
		label_count(tid, bo_expr_length(r->source, r->length), r->offset, r->asked, r->got);
}

static void label_vector(const struct reading *r, const struct vki_iovec *vector, UWord count)
{
	ULong done = 0;

	for (UWord i = 0; i < count && done < r->got; i++) {
		SizeT part = vector[i].iov_len < r->got - done ? vector[i].iov_len : r->got - done;
		label_bytes(r->source, r->offset + done, (Addr)vector[i].iov_base, part);
		done += part;
	}
}

static void read_into(ThreadId tid, UInt number, const UWord *args, const struct vki_iovec *vector, UWord count,
		      UWord got, Bool peeks)
{
	struct reading r = begin_reading((Int)args[0], number, args, got);

	if (!r.source)
		return;
	for (UWord i = 0; i < count; i++)
		r.asked += vector[i].iov_len;
	if (!peeks)
		sources[r.source].at = r.offset + got;
	label_vector(&r, vector, count);
	end_reading(tid, &r);
}

/* A datagram may be longer than what was asked for, and a call may tell that. */
static UWord received(UWord result, UWord asked)
{
	return result < asked ? result : asked;
}

static void read_messages(ThreadId tid, UInt number, const UWord *args, UWord count)
{
	const struct vki_mmsghdr *messages = (const struct vki_mmsghdr *)args[1];

	for (UWord i = 0; i < count; i++)
		read_into(tid, number, args, messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen,
			  messages[i].msg_len, (args[3] & PEEK) != 0);
	label_result(tid, 0, 0);
}

static void after_read(ThreadId tid, UInt number, const UWord *args, UWord result)
{
	struct vki_iovec one = {(void *)args[1], args[2]};
	const struct vki_msghdr *message = (const struct vki_msghdr *)args[1];

	switch (number) {
	case __NR_read:
	case __NR_pread64: read_into(tid, number, args, &one, 1, result, False); break;
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2:
		read_into(tid, number, args, (const struct vki_iovec *)args[1], args[2], result, False);
		break;
	case __NR_recvfrom:
		read_into(tid, number, args, &one, 1, received(result, args[2]), (args[3] & PEEK) != 0);
		break;
	case __NR_recvmsg:
		read_into(tid, number, args, message->msg_iov, message->msg_iovlen, result, (args[2] & PEEK) != 0);
		break;
	case __NR_recvmmsg: read_messages(tid, number, args, result); break;
	default: break;
	}
}

/* ---- other ways to content and length ---- */

static void after_map(const UWord *args, Addr addr)
{
	struct vg_stat st;
	UInt source = args[3] & VKI_MAP_ANONYMOUS || !(args[2] & VKI_PROT_READ) ? 0 : source_of((Int)args[4], &st);
	ULong offset = args[5], size = args[1];

	if (!source || !VKI_S_ISREG(st.mode) || offset >= (ULong)st.size)
		return;
	size = size < (ULong)st.size - offset ? size : (ULong)st.size - offset;
	label_bytes(source, offset, addr, size);
}

static void after_seek(ThreadId tid, const UWord *args, UWord result)
{
	struct vg_stat st;
	UInt source = args[2] == END ? source_of((Int)args[0], &st) : 0, length;

	if (!source || !VKI_S_ISREG(st.mode))
		return;
	length = bo_expr_length(source, (ULong)st.size);
	label_result(tid, bo_expr_2(BO_EXPR_ADD, length, bo_expr_const(64, args[1])), result);
}

static void label_size(ULong dev, ULong ino, UInt mode, Addr size)
{
	UInt source = source_of_inode(dev, ino);

	if (source && VKI_S_ISREG(mode))
		bo_memory_put(size, 8, bo_expr_length(source, *(const ULong *)size));
}

static void after_stat(const struct vki_stat *st)
{
	label_size(st->st_dev, st->st_ino, st->st_mode, (Addr)&st->st_size);
}

/* struct statx, of which Valgrind's headers know nothing */
static void after_statx(Addr st)
{
	ULong major = *(const UInt *)(st + 136), minor = *(const UInt *)(st + 140);
	ULong dev = (minor & 0xff) | major << 8 | (minor & ~0xffULL) << 12;

	label_size(dev, *(const ULong *)(st + 32), *(const UShort *)(st + 28), st + 40);
}

void bo_source_after(ThreadId tid, UInt number, const UWord *args, UWord result)
{
	switch (number) {
	case __NR_mmap: after_map(args, result); break;
	case __NR_lseek: after_seek(tid, args, result); break;
	case __NR_stat:
	case __NR_lstat:
	case __NR_fstat: after_stat((const struct vki_stat *)args[1]); break;
	case __NR_newfstatat: after_stat((const struct vki_stat *)args[2]); break;
	case STATX: after_statx(args[4]); break;
	case __NR_accept:
	case __NR_accept4: add_connection((Int)result); break;
	case __NR_bind: add_datagrams((Int)args[0]); break;
	default: after_read(tid, number, args, result); break;
	}
}

/* ---- the start ---- */

/* The zero byte at the end of an argument is a byte of a longer one. */
static void label_argument(UInt source, Addr text)
{
	SizeT length = VG_(strlen)((const HChar *)text);
	UInt is_longer, end;

	label_bytes(source, 0, text, length);
	is_longer = bo_expr_2(BO_EXPR_ULT, bo_expr_const(64, length), bo_expr_length(source, length));
	end = bo_expr_ite(is_longer, bo_expr_input(source, length, 0), bo_expr_const(8, 0));
	bo_memory_put(text + length, 1, end);
	bo_tell_input(0, source, 0, length, length);
}

/* The image of the stack is argc, then argv. */
void bo_source_on_start(ThreadId tid)
{
	const UWord *stack = (const UWord *)VG_(get_SP)(tid);

	if (bo_writer_process() != 0)
		return; /* arguments of a program that the target executed are not the user's */
	for (UInt i = 1; i < source_count; i++)
		if (sources[i].kind == BO_SOURCE_ARG && sources[i].number < stack[0])
			label_argument(i, stack[1 + sources[i].number]);
}

void bo_source_redefine(void)
{
	for (UInt i = 1; i < source_count; i++)
		source_define(i);
}

void bo_source_init(void)
{
	struct vg_stat st;
	Bool has_stdin = VG_(fstat)(0, &st) == 0;

	for (UInt i = 1; i < source_count; i++) {
		if (sources[i].kind != BO_SOURCE_STDIN || !has_stdin)
			continue;
		sources[i].is_open = True;
		sources[i].dev = st.dev;
		sources[i].ino = st.ino;
	}
}
