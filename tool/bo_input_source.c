/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_source.c - where input comes from: standard input, files, arguments, connections.
 *
 * A descriptor leads to a source if it leads to the same inode, however it was made.  What a system call put into memory
 * has the labels of its place in the source; and how much it was depends on the length of the source, if that is known:
 * a regular file has one, and so has whatever has come to its end. */
#include "bo_input_source.h"

#include "pub_tool_vkiscnums.h"

#define PEEK 2u /* MSG_PEEK */
#define END 2   /* SEEK_END */
#define STATX 332
#define SOL_SOCKET_ 1
#define SO_TYPE_ 3
#define DATAGRAM 2
#define ADDRESS_BYTES 128 /* of struct sockaddr_storage */

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

UInt bo_source_add(enum bo_source kind, const HChar *name)
{
	return source_add((struct source){.kind = kind, .name = name});
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
	else if (VG_(strncmp)(spec, "socket:", 7) == 0)
		return clo_bo_inputs = bo_messages_choose(spec + 7);
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

/* 0: it does not count. */
static UInt add_connection(Int fd)
{
	static HChar name[16];
	struct vg_stat st;
	UInt source;

	if (!connections_count || VG_(fstat)(fd, &st) != 0)
		return 0;
	VG_(sprintf)(name, "%u", ++connections);
	source = source_add((struct source){.kind = BO_SOURCE_SOCKET,
					    .name = VG_(strdup)("bo.source", name),
					    .dev = st.dev,
					    .ino = st.ino,
					    .is_open = True});
	source_define(source);
	return source;
}

/* Where a client can connect to. */
static void after_accept(Int fd)
{
	UInt source = add_connection(fd);
	UChar address[ADDRESS_BYTES];
	Int size = sizeof(address);

	bo_messages_accept(fd);
	if (source && !sr_isError(bo_syscall(__NR_getsockname, fd, address, &size, 0, 0, 0)) && size <= ADDRESS_BYTES)
		bo_tell_conversation(source, BO_CONVERSATION_ACCEPTED, address, (SizeT)size);
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

/* What a call got from a source. */
struct part {
	UInt source;
	ULong offset;
	Bool has_length; /* of the source, which is `length` */
	ULong length;
};

static struct part part_of(Int fd, UInt number, const UWord *args, UWord got)
{
	struct vg_stat st;
	struct part p = {.source = source_of(fd, &st)};
	Bool is_placed = number == __NR_pread64 || number == __NR_preadv || (number == __NR_preadv2 && args[3] != ~0UL);

	if (!p.source)
		return p;
	p.has_length = VKI_S_ISREG(st.mode);
	if (p.has_length) {
		p.length = (ULong)st.size;
		p.offset = is_placed ? args[3] : bo_position_of(fd) - got;
	} else {
		p.offset = sources[p.source].at;
	}
	return p;
}

void bo_source_label(const struct bo_reading *r, ULong skip, ULong size, UInt source, ULong offset)
{
	ULong begin = 0; /* of an element, among the bytes of the call */

	for (UWord i = 0; i < r->count && begin < skip + size; begin += r->vector[i++].iov_len) {
		ULong from = begin < skip ? skip : begin, to = begin + r->vector[i].iov_len;

		to = to < skip + size ? to : skip + size;
		if (from < to)
			label_bytes(source, offset + from - skip, (Addr)r->vector[i].iov_base + from - begin,
				    to - from);
	}
}

void bo_source_label_count(const struct bo_reading *r, UInt source, ULong length, ULong offset)
{
	label_count(r->tid, bo_expr_length(source, length), offset, r->asked, r->got);
}

/* What a connection received, for whoever wants to send it again. */
static void tell_received(const struct bo_reading *r, UInt source)
{
	ULong done = 0;

	for (UWord i = 0; i < r->count && done < r->got; i++) {
		SizeT size = r->vector[i].iov_len < r->got - done ? r->vector[i].iov_len : r->got - done;

		bo_tell_conversation(source, BO_CONVERSATION_RECEIVED, r->vector[i].iov_base, size);
		done += size;
	}
}

/* Nothing more came: that is the end, and it tells the length.  A file that has grown would tell another one. */
static void read_part(const struct bo_reading *r, struct part *p)
{
	bo_source_label(r, 0, r->got, p->source, p->offset);
	if (sources[p->source].kind == BO_SOURCE_SOCKET && !r->peeks)
		tell_received(r, p->source);
	bo_tell_input(bo_context_of_syscall(r->tid), p->source, p->offset, r->asked, r->got);
	if (!p->has_length && !r->got && r->asked) {
		p->has_length = True;
		p->length = p->offset;
	}
	if (p->has_length && r->asked)
		bo_source_label_count(r, p->source, p->length, p->offset);
}

static void read_into(ThreadId tid, UInt number, const UWord *args, const struct vki_iovec *vector, UWord count,
		      UWord got, Bool peeks)
{
	struct bo_reading r = {.tid = tid, .vector = vector, .count = count, .got = got, .peeks = peeks};
	struct part p;

	for (UWord i = 0; i < count; i++)
		r.asked += vector[i].iov_len;
	if (bo_messages_are_known() && bo_messages_read((Int)args[0], &r))
		return;
	p = part_of((Int)args[0], number, args, got);
	if (!p.source)
		return;
	if (!peeks)
		sources[p.source].at = p.offset + got;
	read_part(&r, &p);
}

/* The target answers. */
static void after_send(Int fd)
{
	struct vg_stat st;
	UInt source = connections ? source_of(fd, &st) : 0;

	if (source && sources[source].kind == BO_SOURCE_SOCKET)
		bo_tell_conversation(source, BO_CONVERSATION_SENT, NULL, 0);
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
	case __NR_accept4: after_accept((Int)result); break;
	case __NR_write:
	case __NR_writev:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
	case __NR_sendfile: after_send((Int)args[0]); break;
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
