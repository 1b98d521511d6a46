/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stub.h - libblackout-preload.so, the stub inside a recovery program: what its files share.
 *
 * The stub stands between the program and the C library for the calls that name files, or use descriptors and mappings
 * of PM files.  It has two ways of life (run/recovery.h):
 *
 *   redirect       a path of a PM file is replaced by that of the stage's file; nothing else.
 *   fork server    when the started process first names a PM file it stops there and becomes a server (server.c): for
 *                  each crash state it forks a child that returns from the call.  In the child PM files are opened
 *                  read-only and mapped privately (open.c, fd.c, mapping.c).
 *
 * Whatever cannot be done so is refused BEFORE it is done: stub_refuse leaves the reason in the page and ends the
 * process, and blackout runs the state again in another mode.  So the rule for everything here is: if in doubt, refuse.
 *
 * The stub shares the program's memory, errno and locks: it calls no malloc, keeps errno, prints nothing. */
#ifndef BLACKOUT_PRELOAD_STUB_H
#define BLACKOUT_PRELOAD_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/path.h"
#include "run/stub.h"

#define PUBLIC __attribute__((visibility("default")))

/* The function that the program would have called without us.  All of them stand in one section, so that a server can
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

/* NULL: no control directory, the stub does nothing. */
extern struct stub_page *stub_page;
extern bool stub_is_child; /* of the fork server: this process has a state */

const char *stub_text(uint32_t offset);
void stub_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The path of the stub itself, as LD_PRELOAD names it; "": not known. */
extern const char *stub_library;

/* The path of the control file `name`; false: there is none. */
bool stub_control(char *path, size_t size, const char *name);

/* What a path is to us. */
enum place_kind {
	PLACE_NONE,
	PLACE_PM,     /* a PM file */
	PLACE_DIR,    /* a directory of PM files */
	PLACE_BESIDE, /* something else in such a directory */
};

#define PLACE_NEW UINT32_MAX /* a file that the recording did not have */

struct place {
	enum place_kind kind;
	uint32_t entry;     /* in the table of paths or of directories, or PLACE_NEW */
	const char *actual; /* the path to use instead; good until a few more are asked for */
	bool alias;         /* the path is another hard link to the PM file */
};

/* `follow`: a symbolic link stands for what it leads to.  Keeps errno. */
struct place place_of(int dirfd, const char *path, bool follow);

/* As place_of, for a call that asks something about the path: a fork server comes to be here, if one is to be. */
struct place place_ask(int dirfd, const char *path, bool follow);

/* As place_of, for a call that changes what is at the path: what cannot be kept apart from the other states is
 * refused. */
struct place place_change(int dirfd, const char *path, const char *what);

/* The text of a symbolic link, which may lead to where a PM file really is (/proc/self/fd/N does): as the program knows
 * that path.  True if it is another now. */
bool place_original(char *path, size_t size);

/* Become the server, unless this has happened.  Returns in a child, or in a process that has nothing to do with
 * serving. */
void server_start(void);

/* Descriptors of PM files in a child. */
bool fd_is_pm(int fd);
uint32_t fd_entry(int fd);
int fd_flags(int fd); /* as the program opened it */
void fd_track(int fd, uint32_t entry, int flags);
void fd_clear(int fd);
void fd_clear_from(unsigned first, unsigned last);

/* A stream reads this file, behind our back. */
void mapping_stream(uint32_t entry);
/* Refuse to read a file that may have been changed through a mapping. */
void mapping_read(int fd);
/* Or put into what was just read, `size` bytes from the offset `at` on, what the mappings show there. */
void mapping_overlay(int fd, void *buffer, ssize_t size, off_t at);

/* Memory that mappings of a file share, and that a forked process would share too: a copy of it, and back.  NULL: there
 * is none. */
void *mapping_aliases_save(void);
void mapping_aliases_restore(void *copy);

/* Of the server: at its start, when there is something to do, when that is done (now and then, another one is better),
 * and what a child undoes. */
void processor_start(void);
void processor_keep(uint64_t now_ns);
void processor_reconsider(uint64_t now_ns);
void processor_free(void);

/* The thread `from` is `to` after a fork, and keeps its locks. */
void locks_adopt(int from, int to);

/* STUB_LAZY: in the server, before a child is forked (NULL, or why it cannot be) and after it has ended; and in the
 * child. */
const char *lazy_stub_begin(void);
void lazy_stub_over(pid_t pid, int status);
void lazy_stub_child(void);

/* Refuse a program that would not obey us: static, or privileged. */
void program_refuse(const char *path, char *const *environment);

#endif
