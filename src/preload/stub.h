/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stub.h - declarations that the files of libblackout-preload.so share.  This library is the stub inside a recovery
 * program.
 *
 * The stub intercepts C library calls that name files, or that use descriptors and mappings of PM files.  It works
 * in one of two ways (run/recovery.h):
 *
 *   redirect       The path of a PM file is replaced by the path of the stage's file; nothing else is changed.
 *   fork server    When the started process first names a PM file, it stops there and becomes a server (server.c).  For
 *                  each crash state it forks a child that returns from the call.  In the child, PM files are opened
 *                  read-only and mapped privately (open.c, fd.c, mapping.c).
 *
 * Anything that cannot work this way is refused BEFORE it happens: stub_refuse writes the reason to the page and
 * ends the process, and blackout runs the state again in another mode.  So the rule for all of this code is: if in
 * doubt, refuse.
 *
 * The stub shares the program's memory, errno and locks: it does not call malloc, preserves errno, and prints
 * nothing. */
#ifndef BLACKOUT_PRELOAD_STUB_H
#define BLACKOUT_PRELOAD_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/path.h"
#include "protocol/stub.h"

#define PUBLIC __attribute__((visibility("default")))

/* The function that the program would have called without us.  All of them are in one section, so that a server can
 * look them up for its children (stub_next_all). */
struct stub_next {
	const char *name;
	void *address; /* NULL: not looked up yet */
};

#define NEXT(name)                                                                                                \
	({                                                                                                        \
		static struct stub_next next_##name __attribute__((section("stub_nexts"), used)) = {#name, NULL}; \
		(__typeof__(&name))stub_next(&next_##name);                                                       \
	})
void *stub_next(struct stub_next *next);
void stub_next_all(void);

/* NULL: there is no control directory, and the stub does nothing. */
extern struct stub_page *stub_page;
extern bool stub_is_child; /* this process is a child of the fork server and runs on a state */

void stub_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The path of the stub itself, as in LD_PRELOAD; "": unknown. */
extern const char *stub_library;

/* The path of the control file `name`; false: it does not exist. */
bool stub_control(char *path, size_t size, const char *name);

/* The path of a file beside the control directory, as recovery knows it; false: likewise. */
bool stub_beside(char *path, size_t size, const char *name);

/* What kind of path it is. */
enum place_kind {
	PLACE_NONE,
	PLACE_PM,     /* a PM file */
	PLACE_DIR,    /* a directory of PM files */
	PLACE_BESIDE, /* something else in such a directory */
};

#define PLACE_NEW UINT32_MAX /* a file that is not in the recording */

struct place {
	enum place_kind kind;
	uint32_t entry;     /* in the table of paths or of directories, or PLACE_NEW */
	const char *actual; /* the path to use instead; valid until a few more calls */
	bool alias;         /* the path is another hard link to the PM file */
};

/* `follow`: follow a symbolic link in the last component.  Preserves errno. */
struct place place_of(int dirfd, const char *path, bool follow);

/* Like place_of, for a call that queries the path.  This is where a process becomes a fork server, if it has to. */
struct place place_ask(int dirfd, const char *path, bool follow);

/* Like place_of, for a call that changes what is at the path.  Refuses a change that other states would see. */
struct place place_change(int dirfd, const char *path, const char *what);

/* Translate the text of a symbolic link, which may lead to the actual place of a PM file (/proc/self/fd/N does), to the
 * path that the program knows.  True if it changed. */
bool place_original(char *path, size_t size);

/* Become the server, unless this has already happened.  Returns in a child, or in a process that is not involved in
 * serving. */
void server_start(void);

/* In a copy of a child: become the server of a checkpoint, whose FIFOs these are.  False: that is not possible.  Then
 * server_serve serves, and returns in children. */
bool server_continue(const char *request, const char *reply);
void server_serve(void);

/* Offsets of files are those at which the program was stopped. */
void server_restore(void);

/* Descriptors of PM files, in a child. */
bool fd_is_pm(int fd);
uint32_t fd_entry(int fd);
int fd_flags(int fd); /* as the program opened it */
void fd_track(int fd, uint32_t entry, int flags);
void fd_clear(int fd);
void fd_clear_from(unsigned first, unsigned last);

/* A stream reads this file without calls that we can intercept. */
void mapping_stream(uint32_t entry);
/* Refuse to read a file that may have been changed through a mapping. */
void mapping_read(int fd);
/* Or correct the data that was just read (`size` bytes, starting at offset `at`) so that it has the contents of the
 * mappings. */
void mapping_overlay(int fd, void *buffer, ssize_t size, off_t at);

/* Copy, and restore, memory that several mappings of a file share, because a forked process would share it too.  NULL:
 * there is none. */
void *mapping_aliases_save(void);
void mapping_aliases_restore(const void *copy);
void mapping_aliases_drop(void *copy);
/* In a forked process: have such memory of its own, with the same contents.  False: that is not possible. */
bool mapping_aliases_own(void);

/* For the server: call start at the beginning, keep when there is work, and reconsider when the work is done (it
 * sometimes switches to another processor). free undoes all this, in a child. */
void processor_start(void);
void processor_keep(uint64_t now_ns);
void processor_reconsider(uint64_t now_ns);
void processor_free(void);

/* For the server: a child has ended and used this much.  See heap.c. */
struct rusage;
void heap_consider(const struct rusage *child);

/* Memory that is only reserved counts against limits of address space and of data, too. */
bool heap_may_reserve(size_t bytes);

/* For the server: see pmemobj_memory.c. */
void pmemobj_memory_start(void);

/* Copies of heaps after a fork; see heap_copy.c. `room` says where one is.  Call before in the process that forks, child in
 * the new one, and after when that has ended.  Memory whose protection changes is not copied: call spare. */
void heap_copy_room(uintptr_t from, uintptr_t to);
void heap_copy_anew(void);           /* processes will be forked elsewhere: what was found out about copies is void */
void heap_copy_before(bool repeats); /* repeats: the new process keeps its pages for many runs (repeat.h) */
void heap_copy_child(void);
void heap_copy_after(void);
void heap_copy_spare(const void *at, size_t bytes);

/* The thread `from` has the ID `to` after a fork, and keeps its locks. */
void locks_adopt(int from, int to);

/* For STUB_LAZY: begin is called in the server before a child is forked (NULL, or the reason why it is not possible),
 * over after the child has ended, child in the child. */
const char *lazy_stub_begin(void);
void lazy_stub_over(pid_t pid, int status);
void lazy_stub_child(void);

/* Refuse a program that the stub cannot control: static or privileged. */
void program_refuse(const char *path, char *const *environment);

#endif
