/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mend.c - see mend.h.
 *
 * A note is trusted if one of our journals names its file.  Otherwise it must be our own, or be in a directory that
 * only we can write to.  In a directory like /tmp another user could make us rename their file over another file. */
#include "run/mend.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "image/tree.h"
#include "run/children.h"
#include "run/dirlock.h"
#include "run/swap.h"

#define CLOCK_SLACK_NS ((uint64_t)100000000) /* file systems round times */
#define MADE_NS ((uint64_t)2000000000)       /* longest time from permission to creation */
enum { LINKS_MAX = 16, LOOK_MS = 20, ATTENDED_MS = 5000 };

static void (*listener)(const char *sentence);

void mend_tell(void (*tell)(const char *sentence))
{
	listener = tell;
}

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *fmt, ...)
{
	char *sentence;
	va_list args;

	va_start(args, fmt);
	BUG_ON(vasprintf(&sentence, fmt, args) < 0);
	va_end(args);
	if (listener)
		listener(sentence);
	free(sentence);
}

/* The directory of an absolute path; the caller frees it. */
static char *path_dir(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = strndup(path, slash == path ? 1 : (size_t)(slash - path));

	BUG_ON(!dir);
	return dir;
}

/* Putting back */

/* Recovery may have started processes that survived when its keepers were killed.  They must not access the user's
 * file. */
static void survivors_kill(const struct owner *owner)
{
	char mark[sizeof(MEND_MARK) + 64];

	snprintf(mark, sizeof(mark), MEND_MARK "=%d.%llu", (int)owner->pid, owner->start);
	children_kill_lost(mark);
}

/* Lock the directory of a path. -1: it cannot be locked. -2: it is in use: a process that outlived the owner is still
 * working, or somebody uses the crash state in a shell. */
static int path_lock(const char *path)
{
	char *dir = path_dir(path);
	int lock = dirlock_open(dir);

	free(dir);
	if (lock < 0 || dirlock_take(lock, DIRLOCK_MEND_MS))
		return lock;
	close(lock);
	return -2;
}

static bool path_return(const char *path, const struct owner *owner)
{
	char *kept = NULL;
	enum swap_result result = swap_back(path, owner, &kept);

	if (result == SWAP_FAILED)
		say("cannot put back %s, which an earlier run (process %d) left swapped: %s", path, (int)owner->pid,
		    strerror(errno));
	if (result == SWAP_RESTORED)
		say("restored %s, which an earlier run (process %d) had left swapped", path, (int)owner->pid);
	if (kept)
		say("the file that was found in its place was kept as %s", kept);
	free(kept);
	return result != SWAP_FAILED;
}

static void path_mend(const char *path, const struct owner *owner)
{
	int lock = path_lock(path);

	if (lock == -2)
		return;
	survivors_kill(owner);
	path_return(path, owner);
	if (lock >= 0)
		close(lock);
}

/* Is this still the entry that recovery created?  It must have the same name and a birth time during the run. */
static bool made_is_there(const struct journal_text *text, const struct journal_entry *made)
{
	struct statx st;

	if (statx(AT_FDCWD, made->path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) < 0 || !(st.stx_mask & STATX_BTIME))
		return false;
	uint64_t born = (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
	return born + CLOCK_SLACK_NS >= text->since_ns && born <= made->by_ns + MADE_NS;
}

/* Remove what recovery created beside the files, as the end of the run would have done (witness.h). */
static void made_remove(const struct journal_text *text)
{
	for (size_t i = 0; i < text->made_count; i++) {
		const char *path = text->made[i].path;

		if (made_is_there(text, &text->made[i]) && unlink(path) < 0 && errno == EISDIR && rmdir(path) < 0)
			say("could not remove %s, which recovery created in an earlier run (process %d)", path,
			    (int)text->owner.pid);
	}
}

void mend_run(const struct journal *journal)
{
	struct owner self = owner_self();
	struct journal_text text;

	survivors_kill(&self);
	if (journal_read(journal, &text))
		made_remove(&text);
	journal_text_free(&text);
}

/* Is the directory of this path also the directory of an earlier path? */
static bool dir_is_same(const struct journal_text *text, size_t index)
{
	const char *path = text->paths.items[index];
	size_t length = (size_t)(strrchr(path, '/') - path) + 1;

	for (size_t i = 0; i < index; i++)
		if (!strncmp(text->paths.items[i], path, length) && !strchr(text->paths.items[i] + length, '/'))
			return true;
	return false;
}

static bool journal_mend(void *arg, const struct journal_text *text)
{
	int *locks = mem_alloc((text->paths.count + 1) * sizeof(*locks));
	size_t locked = 0;
	bool all = true;

	(void)arg;
	/* Paths in the same directory share one lock; taking it twice would wait for ourselves. */
	while (locked < text->paths.count && all) {
		locks[locked] = dir_is_same(text, locked) ? -1 : path_lock(text->paths.items[locked]);
		all = locks[locked] != -2;
		locked += all;
	}
	if (all) {
		survivors_kill(&text->owner);
		made_remove(text);
		for (size_t i = 0; i < text->paths.count; i++)
			all &= path_return(text->paths.items[i], &text->owner);
	}
	while (locked-- > 0)
		if (locks[locked] >= 0)
			close(locks[locked]);
	free(locks);
	return all;
}

void mend_journals(void)
{
	journal_each_dead(journal_mend, NULL);
}

/* Notes */

struct note {
	char *path; /* of the user's file */
	struct owner owner;
	bool trusted;
};

struct notes {
	const char *dir;
	bool ours; /* only we can write to it */
	struct note *at;
	size_t count;
};

static bool note_add(void *arg, int dir, const char *name)
{
	struct notes *notes = arg;
	struct note note;
	struct stat st;
	size_t length;

	if (!swap_note_parse(name, &note.owner, &length) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return true;
	BUG_ON(asprintf(&note.path, "%s/%.*s", strcmp(notes->dir, "/") ? notes->dir : "", (int)length, name) < 0);
	note.trusted = notes->ours || st.st_uid == geteuid();
	notes->at = mem_resize(notes->at, notes->count + 1, sizeof(*notes->at));
	notes->at[notes->count++] = note;
	return true;
}

static void notes_read(struct notes *notes, const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	*notes = (struct notes){.dir = dir};
	if (fd < 0)
		return;
	notes->ours = fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
	tree_each(fd, note_add, notes);
	close(fd);
}

static void notes_free(struct notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		free(notes->at[i].path);
	free(notes->at);
}

void mend_dir(const char *dir)
{
	struct notes notes;

	notes_read(&notes, dir);
	for (size_t i = 0; i < notes.count; i++)
		if (notes.at[i].trusted && !owner_is_alive(&notes.at[i].owner))
			path_mend(notes.at[i].path, &notes.at[i].owner);
	notes_free(&notes);
}

/* Named paths */

/* Resolve the directory, but keep the last component as given.  NULL: there is no such directory. */
static char *path_place(const char *path)
{
	char *copy = strdup(path), *slash, *place = NULL, real[PATH_MAX];

	BUG_ON(!copy);
	for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/'; n--)
		copy[n - 1] = 0;
	slash = strrchr(copy, '/');
	if (slash)
		*slash = 0;
	if (realpath(!slash ? "." : slash == copy ? "/" : copy, real))
		BUG_ON(asprintf(&place, "%s/%s", strcmp(real, "/") ? real : "", slash ? slash + 1 : copy) < 0);
	free(copy);
	return place;
}

/* Follow links to the final path, but not our own links: those lead to /proc, where no PM file is. */
static char *path_final(const char *path)
{
	char *place = path_place(path), text[PATH_MAX], *next;

	for (int i = 0; place && i < LINKS_MAX; i++) {
		ssize_t n = readlink(place, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = 0;
		if (n <= 0 || !strncmp(text, "/proc/", 6))
			break;
		char *dir = path_dir(place);
		BUG_ON(asprintf(&next, "%s%s%s", *text == '/' ? "" : dir, *text == '/' ? "" : "/", text) < 0);
		free(dir);
		free(place);
		place = path_place(next);
		free(next);
	}
	return place;
}

void mend_path(const char *path)
{
	char *final = path_final(path);
	struct stat st;

	if (!final)
		return;
	char *dir = path_dir(final);
	mend_dir(dir);
	if (stat(final, &st) == 0 && S_ISDIR(st.st_mode))
		mend_dir(final);
	free(dir);
	free(final);
}

/* Find the note of a swapped file that the path names; false: there is none.  The caller frees note->path. */
static bool swapped_find(const char *path, struct note *note)
{
	char *final = path_final(path), *dir;
	struct notes notes;
	struct stat st;
	bool found = false;

	if (!final)
		return false;
	bool whole = stat(final, &st) == 0 && S_ISDIR(st.st_mode);
	dir = whole ? strdup(final) : path_dir(final);
	BUG_ON(!dir);
	notes_read(&notes, dir);
	for (size_t i = 0; i < notes.count && !found; i++) {
		found = whole || !strcmp(final, notes.at[i].path) ||
			fnmatch(final, notes.at[i].path, FNM_PATHNAME) == 0;
		if (found) {
			*note = notes.at[i];
			notes.at[i].path = NULL;
		}
	}
	notes_free(&notes);
	free(dir);
	free(final);
	return found;
}

/* Is there still a process that will put the file back? */
static bool note_is_attended(const struct note *note)
{
	char *dir = path_dir(note->path);
	int lock = dirlock_open(dir);
	bool attended = owner_is_alive(&note->owner) || (lock >= 0 && !dirlock_take(lock, 0));

	if (lock >= 0)
		close(lock);
	free(dir);
	return attended;
}

static int note_refuse(const struct note *note, struct err *err)
{
	char *aside = swap_aside(note->path, &note->owner);

	if (note_is_attended(note)) {
		err_set(err, "another blackout (process %d) has put a crash state at %s", (int)note->owner.pid,
			note->path);
		err_hint(err, "wait until that process has ended");
	} else {
		err_set(err, "%s was left swapped by an earlier run (process %d), and cannot be put back", note->path,
			(int)note->owner.pid);
		err_hint(err, "run as a user who has permission: mv %s %s", aside, note->path);
	}
	free(aside);
	return -1;
}

int mend_check(const char *path, struct err *err)
{
	const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
	int left_ms = ATTENDED_MS;
	struct note note;

	for (; swapped_find(path, &note); free(note.path)) {
		bool attended = note_is_attended(&note);

		/* Its owner may have died just now. */
		if (!attended)
			mend_path(note.path);
		if (left_ms <= 0 || !attended) {
			struct note still;
			bool is = swapped_find(path, &still);
			int result = is ? note_refuse(&still, err) : 0;

			free(note.path);
			if (is)
				free(still.path);
			return result;
		}
		nanosleep(&pause, NULL);
		left_ms -= LOOK_MS;
	}
	return 0;
}

/* Crash states are in .../blackout-PID-XXXXXX/wN.scene/. */
bool mend_is_state(const char *path)
{
	static const char place[] = "/blackout-";

	for (const char *at = path; (at = strstr(at, place)); at++) {
		int end = 0;

		sscanf(at + strlen(place), "%*[0-9]-%*6[A-Za-z0-9]/w%*[0-9].scene/%n", &end);
		if (end)
			return true;
	}
	return false;
}
