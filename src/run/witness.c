/* SPDX-License-Identifier: GPL-2.0-or-later */
/* witness.c - see witness.h.  "Rule N" refers to the rules there. */
#include "run/witness.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "image/tree.h"

#define HERE ((uint64_t)(uint32_t)AT_FDCWD)

enum {
	REPLY_ROOM = 256, /* for the kernel's structures, which may grow */
	MADE_MAX = 1 << 16,
	ELSEWHERE_MAX = 1 << 10,
};

struct witness {
	struct scene *scene;
	int sockets[2];
	int listeners[WITNESS_POLLS];
	size_t count;
	/* paths, one list for each directory of the scene, and one for entries elsewhere, which are not removed */
	struct words *made;
};

struct witness *witness_new(struct scene *scene)
{
	struct witness *w = mem_alloc(sizeof(*w));

	w->scene = scene;
	w->made = mem_alloc((scene->count + 1) * sizeof(*w->made));
	return w;
}

/* The filter */

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define ARGUMENT(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[i]))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define TELL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Notify us if it is this call. */
#define CALL(name) IF(SYS_##name, 0, 1), TELL
/* If it is this call, notify us if its flags, in this argument, ask to create a file. */
#define CALL_OPEN(name, argument) \
	IF(SYS_##name, 0, 4), ARGUMENT(argument), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT, 0, 1), TELL, ALLOW

static int filter_install(void)
{
	static struct sock_filter filter[] = {
		FIELD(arch),
		IF(AUDIT_ARCH_X86_64, 1, 0),
		ALLOW,
		FIELD(nr),
		CALL_OPEN(openat, 2),
		CALL_OPEN(open, 1),
		CALL(openat2),
		CALL(creat),
		CALL(mkdir),
		CALL(mkdirat),
		CALL(mknod),
		CALL(mknodat),
		CALL(symlink),
		CALL(symlinkat),
		CALL(link),
		CALL(linkat),
		CALL(rename),
		CALL(renameat),
		CALL(renameat2),
		CALL(bind),
		ALLOW,
	};
	const struct sock_fprog program = {.len = sizeof(filter) / sizeof(*filter), .filter = filter};
	/* Kernels that know these flags can also let a call continue (5.7).  WAIT_KILLABLE_RECV (5.19) keeps a signal
	 * from causing a second notification for the same call. */
	unsigned long flags =
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
	long fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
	return (int)(fd < 0 ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) : fd);
}

/* A message that carries a descriptor. */
struct parcel {
	char byte;
	struct iovec data;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message;
};

static void parcel_make(struct parcel *p)
{
	*p = (struct parcel){0};
	p->data = (struct iovec){&p->byte, 1};
	p->message = (struct msghdr){.msg_iov = &p->data,
				     .msg_iovlen = 1,
				     .msg_control = p->control,
				     .msg_controllen = sizeof(p->control)};
}

void witness_call(struct witness *w)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, w->sockets) < 0)
		w->sockets[0] = w->sockets[1] = -1;
}

void witness_follow(struct witness *w)
{
	int listener = w->sockets[1] < 0 ? -1 : filter_install();
	struct cmsghdr *header;
	struct parcel p;

	parcel_make(&p);
	header = CMSG_FIRSTHDR(&p.message);
	*header =
		(struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
	memcpy(CMSG_DATA(header), &listener, sizeof(listener));
	/* With a filter that nobody listens to, the calls would fail. */
	if (listener >= 0 && sendmsg(w->sockets[1], &p.message, MSG_NOSIGNAL) < 0)
		_exit(127);
	/* witness_answer must not wait until exec, which comes late in a client whose server is not ready. */
	close(w->sockets[0]);
	close(w->sockets[1]);
}

void witness_answer(struct witness *w)
{
	struct cmsghdr *header = NULL;
	struct parcel p;

	close(w->sockets[1]);
	parcel_make(&p);
	if (w->count < WITNESS_POLLS && recvmsg(w->sockets[0], &p.message, MSG_CMSG_CLOEXEC) == 1)
		header = CMSG_FIRSTHDR(&p.message);
	if (header)
		memcpy(&w->listeners[w->count++], CMSG_DATA(header), sizeof(int));
	close(w->sockets[0]);
}

/* Names */

struct entry {
	size_t dir; /* index in the scene; its count: elsewhere */
	char name[NAME_MAX + 1];
	char path[PATH_MAX + NAME_MAX + 2]; /* as we can reach it; "": unknown */
};

/* Read a string from the process; false: it is too long, or not readable. */
static bool text_read(pid_t pid, uint64_t address, char *text, size_t size)
{
	size_t got = 0;

	/* Do not read across a page boundary: the next page may be unmapped. */
	while (got < size) {
		size_t n = 4096 - (address + got) % 4096;
		struct iovec to = {text + got, n < size - got ? n : size - got};
		struct iovec from = {(void *)(uintptr_t)(address + got), to.iov_len};
		ssize_t r = process_vm_readv(pid, &to, 1, &from, 1, 0);

		if (r <= 0)
			return false;
		if (memchr(text + got, 0, (size_t)r))
			return true;
		got += (size_t)r;
	}
	return false;
}

static size_t dir_find(const struct witness *w, const char *path)
{
	struct stat here, there;

	if (stat(path, &here) < 0)
		return w->scene->count;
	for (size_t i = 0; i < w->scene->count; i++)
		if (stat(w->scene->dirs[i].original, &there) == 0 && here.st_dev == there.st_dev &&
		    here.st_ino == there.st_ino)
			return i;
	return w->scene->count;
}

/* Resolve a path that the process uses. */
static struct entry entry_of(const struct witness *w, pid_t pid, uint64_t dirfd, const char *path)
{
	struct entry e = {.dir = w->scene->count};
	char full[PATH_MAX + 64], real[PATH_MAX];
	const char *dir = real;
	char *end, *slash;
	bool fits;

	if (*path == '/')
		fits = path_format(full, sizeof(full), "/proc/%d/root%s", (int)pid, path);
	else if ((uint32_t)dirfd == HERE)
		fits = path_format(full, sizeof(full), "/proc/%d/cwd/%s", (int)pid, path);
	else
		fits = path_format(full, sizeof(full), "/proc/%d/fd/%d/%s", (int)pid, (int)dirfd, path);
	if (!fits)
		return e;
	end = full + strlen(full);
	while (end > full && end[-1] == '/')
		*--end = 0;
	slash = strrchr(full, '/');
	if (!slash || strlen(slash + 1) > NAME_MAX)
		return e;
	*slash = 0;
	snprintf(e.name, sizeof(e.name), "%s", slash + 1);
	e.dir = dir_find(w, full);
	if (e.dir < w->scene->count)
		dir = w->scene->dirs[e.dir].original;
	else if (!realpath(full, real))
		return e;
	if (!path_format(e.path, sizeof(e.path), "%s/%s", dir, e.name))
		e.dir = w->scene->count;
	return e;
}

static struct entry entry_read(const struct witness *w, pid_t pid, uint64_t dirfd, uint64_t address)
{
	char path[PATH_MAX];

	if (!text_read(pid, address, path, sizeof(path)))
		return (struct entry){.dir = w->scene->count};
	return entry_of(w, pid, dirfd, path);
}

static bool entry_is_there(const struct entry *e)
{
	struct stat st;
	return lstat(e->path, &st) == 0;
}

static bool entry_is_link(const struct entry *e)
{
	struct stat st;
	return lstat(e->path, &st) == 0 && S_ISLNK(st.st_mode);
}

static bool entry_is_pm(const struct witness *w, const struct entry *e)
{
	const struct scene_dir *dir = &w->scene->dirs[e->dir];

	if (e->dir == w->scene->count)
		return false;
	for (size_t i = 0; i < dir->alias_count; i++)
		if (!strcmp(dir->aliases[i].name, e->name))
			return true;
	return words_have(&dir->names, e->name);
}

/* The index among the entries that recovery created; their count if it is not one of them. */
static size_t entry_find(const struct witness *w, const struct entry *e)
{
	const struct words *made = &w->made[e->dir];
	size_t i = 0;

	while (i < made->count && strcmp(made->items[i], e->path))
		i++;
	return i;
}

static bool entry_is_ours(const struct witness *w, const struct entry *e)
{
	return entry_find(w, e) < w->made[e->dir].count || (entry_is_pm(w, e) && entry_is_link(e));
}

static void entry_note(struct witness *w, const struct entry *e)
{
	struct words *made = &w->made[e->dir];

	if (!*e->path || entry_find(w, e) < made->count ||
	    made->count == (e->dir == w->scene->count ? ELSEWHERE_MAX : MADE_MAX))
		return;
	words_add(made, "%s", e->path);
	if (e->dir < w->scene->count)
		journal_made(&w->scene->journal, e->path, true);
}

static void entry_forget(struct witness *w, const struct entry *e)
{
	if (e->dir < w->scene->count && entry_find(w, e) < w->made[e->dir].count)
		journal_made(&w->scene->journal, e->path, false);
	words_drop(&w->made[e->dir], entry_find(w, e));
}

static void entry_own(struct witness *w, const struct entry *e, bool ours)
{
	if (ours)
		entry_note(w, e);
	else
		entry_forget(w, e);
}

/* Rule 1. */
static void made(struct witness *w, struct entry e)
{
	if (!entry_is_there(&e))
		entry_note(w, &e);
}

static void exchanged(struct witness *w, const struct entry *a, const struct entry *b)
{
	bool first = entry_is_ours(w, a), second = entry_is_ours(w, b);

	entry_own(w, b, first);
	entry_own(w, a, second);
}

/* Rule 2. */
static void renamed(struct witness *w, struct entry from, struct entry to, uint64_t flags)
{
	bool replaces = entry_is_there(&to);

	/* The rename will fail. */
	if (!entry_is_there(&from) || (replaces ? flags & RENAME_NOREPLACE : flags & RENAME_EXCHANGE))
		return;
	if (flags & RENAME_EXCHANGE)
		exchanged(w, &from, &to);
	else if (!entry_is_ours(w, &from))
		entry_forget(w, &to);
	else if (!replaces || entry_is_pm(w, &to))
		entry_note(w, &to);
}

/* Calls */

static void bound(struct witness *w, pid_t pid, uint64_t address, uint64_t size)
{
	struct sockaddr_un name = {0};
	struct iovec to = {&name, size < sizeof(name) ? size : sizeof(name) - 1}, from = to;

	from.iov_base = (void *)(uintptr_t)address;
	if (process_vm_readv(pid, &to, 1, &from, 1, 0) > 0 && name.sun_family == AF_UNIX && *name.sun_path)
		made(w, entry_of(w, pid, HERE, name.sun_path));
}

static void opened(struct witness *w, pid_t pid, const uint64_t *a)
{
	uint64_t flags = 0;
	struct iovec to = {&flags, sizeof(flags)}, from = {(void *)(uintptr_t)a[2], sizeof(flags)};

	/* The filter cannot see the flags: they are at the start of a structure. */
	if (process_vm_readv(pid, &to, 1, &from, 1, 0) == sizeof(flags) && flags & O_CREAT)
		made(w, entry_read(w, pid, a[0], a[1]));
}

static void call_look(struct witness *w, pid_t pid, const struct seccomp_data *call)
{
	const uint64_t *a = (const uint64_t *)call->args;

	switch (call->nr) {
	case SYS_open:
	case SYS_creat:
	case SYS_mkdir:
	case SYS_mknod: made(w, entry_read(w, pid, HERE, a[0])); break;
	case SYS_openat:
	case SYS_mkdirat:
	case SYS_mknodat: made(w, entry_read(w, pid, a[0], a[1])); break;
	case SYS_openat2: opened(w, pid, a); break;
	case SYS_symlink:
	case SYS_link: made(w, entry_read(w, pid, HERE, a[1])); break;
	case SYS_symlinkat: made(w, entry_read(w, pid, a[1], a[2])); break;
	case SYS_linkat: made(w, entry_read(w, pid, a[2], a[3])); break;
	case SYS_rename: renamed(w, entry_read(w, pid, HERE, a[0]), entry_read(w, pid, HERE, a[1]), 0); break;
	case SYS_renameat: renamed(w, entry_read(w, pid, a[0], a[1]), entry_read(w, pid, a[2], a[3]), 0); break;
	case SYS_renameat2: renamed(w, entry_read(w, pid, a[0], a[1]), entry_read(w, pid, a[2], a[3]), a[4]); break;
	default: bound(w, pid, a[1], a[2]);
	}
}

/* The kernel's structures may be longer than the ones we know. */
union notice {
	struct seccomp_notif call;
	struct seccomp_notif_resp reply;
	char room[REPLY_ROOM];
};

static void listener_look(struct witness *w, int listener)
{
	union notice notice = {0}, reply = {0};

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) < 0)
		return;
	call_look(w, (pid_t)notice.call.pid, &notice.call.data);
	reply.reply.id = notice.call.id;
	reply.reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

size_t witness_polls(const struct witness *w, struct pollfd *polls)
{
	for (size_t i = 0; i < w->count; i++)
		polls[i] = (struct pollfd){.fd = w->listeners[i], .events = POLLIN};
	return w->count;
}

void witness_look(struct witness *w)
{
	struct pollfd polls[WITNESS_POLLS];
	size_t count = witness_polls(w, polls), left = 0;

	if (!count || poll(polls, count, 0) <= 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (polls[i].revents & POLLIN)
			listener_look(w, polls[i].fd);
		/* All processes of this filter have ended. */
		if (polls[i].revents && !(polls[i].revents & POLLIN))
			close(polls[i].fd);
		else
			w->listeners[left++] = polls[i].fd;
	}
	w->count = left;
}

void witness_clear(struct witness *w)
{
	while (w->count)
		close(w->listeners[--w->count]);
	for (size_t i = 0; i < w->scene->count; i++)
		for (size_t k = 0; k < w->made[i].count; k++)
			tree_remove(w->made[i].items[k]);
	for (size_t i = 0; i <= w->scene->count; i++)
		words_free(&w->made[i]);
}
