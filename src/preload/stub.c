/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stub.c - the page, and how the stub refuses; see stub.h. */
#include "preload/stub.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stub_page *stub_page;
bool stub_is_child;
const char *stub_library = "";

/* Defined by the linker. */
extern struct stub_next __start_stub_nexts[], __stop_stub_nexts[];

void *stub_next(struct stub_next *next)
{
	if (!next->address)
		next->address = dlsym(RTLD_NEXT, next->name);
	return next->address;
}

void stub_next_all(void)
{
	for (struct stub_next *next = __start_stub_nexts; next != __stop_stub_nexts; next++)
		stub_next(next);
}

bool stub_control(char *path, size_t size, const char *name)
{
	const char *dir = getenv(STUB_VARIABLE);

	return dir && path_format(path, size, "%s/%s", dir, name);
}

bool stub_beside(char *path, size_t size, const char *name)
{
	const char *dir = getenv(STUB_VARIABLE), *last = dir ? strrchr(dir, '/') : NULL;

	return last && path_format(path, size, "%.*s/%s", (int)(last - dir), dir, name);
}

/* This runs before any code of the program, which may later change its environment or root directory. */
__attribute__((constructor)) static void stub_init(void)
{
	char path[4096];
	struct stat st;
	Dl_info self;

	if (!stub_control(path, sizeof(path), STUB_FILE_PAGE))
		return;
	if (dladdr(&stub_library, &self) && self.dli_fname)
		stub_library = self.dli_fname;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	/* Blackout was killed, or has ended, and this process outlived the recovery that started it.  Without the page
	 * it would reach the user's own files. */
	if (fd < 0 && errno == ENOENT)
		syscall(SYS_exit_group, STUB_EXIT_REFUSED);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof(struct stub_page)) {
		void *page = (void *)syscall(SYS_mmap, NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (page != MAP_FAILED && stub_page_is_valid(page, (uint64_t)st.st_size))
			stub_page = page;
	}
	syscall(SYS_close, fd);
	/* Likewise: this is the stub of another installation. */
	if (!stub_page)
		syscall(SYS_exit_group, STUB_EXIT_REFUSED);
}

/* A process that is neither the server nor a child must send the refusal itself. */
static void refusal_send(void)
{
	struct stub_reply reply = {.op = STUB_REFUSED};
	char path[4096];

	if (!stub_control(path, sizeof(path), STUB_FILE_REPLY))
		return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		syscall(SYS_write, fd, &reply, sizeof(reply));
}

void stub_refuse(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!atomic_load(&stub_page->refused))
		vsnprintf(stub_page->reason, sizeof(stub_page->reason), fmt, args);
	va_end(args);
	atomic_store(&stub_page->refused, 1);
	if (stub_page->serve && !stub_is_child)
		refusal_send();
	if (!stub_page->serve && stub_page->started > 0 && getpid() != stub_page->started)
		syscall(SYS_kill, stub_page->started, 9);
	for (;;)
		syscall(SYS_exit_group, STUB_EXIT_REFUSED);
}
