/* SPDX-License-Identifier: GPL-2.0-or-later */
/* swap.c - see swap.h.  "Rule N" refers to the rules there. */
#include "run/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

#define ASIDE ".blackout-aside-"
#define ABSENT ".blackout-absent-"
#define LINK ".blackout-link-" /* temporary name of the new link */
#define KEPT ".blackout-kept-"

static char *note_path(const char *path, const char *kind, const struct owner *owner)
{
	char *note;

	BUG_ON(asprintf(&note, "%s%s%d.%llu", path, kind, (int)owner->pid, owner->start) < 0);
	return note;
}

/* The name that earlier versions used. */
static char *note_path_bare(const char *path, const char *kind, const struct owner *owner)
{
	char *note;

	BUG_ON(asprintf(&note, "%s%s%d", path, kind, (int)owner->pid) < 0);
	return note;
}

static char *note_find(const char *path, const char *kind, const struct owner *owner)
{
	struct stat st;
	char *note = owner->start ? note_path(path, kind, owner) : note_path_bare(path, kind, owner);

	if (lstat(note, &st) == 0)
		return note;
	free(note);
	return NULL;
}

char *swap_aside(const char *path, const struct owner *owner)
{
	return owner->start ? note_path(path, ASIDE, owner) : note_path_bare(path, ASIDE, owner);
}

bool swap_note_parse(const char *name, struct owner *owner, size_t *length)
{
	static const char *const kinds[] = {ASIDE, ABSENT, LINK};
	const char *kind = NULL, *number;
	char *end;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !kind; i++) {
		kind = strstr(name, kinds[i]);
		number = kind ? kind + strlen(kinds[i]) : NULL;
	}
	if (!kind || *number < '0' || *number > '9')
		return false;
	long pid = strtol(number, &end, 10);
	*owner = (struct owner){.pid = (pid_t)pid};
	if (*end == '.')
		owner->start = strtoull(end + 1, &end, 10);
	*length = (size_t)(kind - name);
	return !*end && pid > 0 && pid <= INT_MAX && *length;
}

/* Rule 3. */
static bool is_our_link(const char *path, const struct owner *owner)
{
	char text[PATH_MAX], ours[64];
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	snprintf(ours, sizeof(ours), "/proc/%d/fd/", (int)owner->pid);
	if (!strncmp(text, ours, strlen(ours)))
		return true;
	/* Earlier versions made links directly to the state's file. */
	snprintf(ours, sizeof(ours), "/blackout-%d-", (int)owner->pid);
	return strstr(text, ours) && strstr(text, ".scene/");
}

/* Out */

static int absent_note(const char *path, const char *text, const struct owner *owner, struct err *err)
{
	char *note = note_path(path, ABSENT, owner);
	int fd = open(note, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), result = 0;

	if (fd < 0)
		result = err_sys(err, "cannot create %s", note);
	else if (*text && symlink(text, path) < 0)
		result = err_sys(err, "cannot put a link at %s", path);
	if (fd >= 0)
		close(fd);
	free(note);
	return result;
}

/* Rule 2, for file systems that cannot exchange.  The user's file gets a second name, or is moved. */
static int link_over(const char *path, const char *text, const char *aside, const struct owner *owner)
{
	char *coming = note_path(path, LINK, owner);
	int result = -1;

	if ((link(path, aside) == 0 || rename(path, aside) == 0) && symlink(text, coming) == 0)
		result = rename(coming, path);
	free(coming);
	return result;
}

static int present_move(const char *path, const char *text, const struct owner *owner, struct err *err)
{
	char *aside = note_path(path, ASIDE, owner);
	int result;

	if (!*text) {
		result = rename(path, aside);
	} else {
		result = symlink(text, aside);
		if (result == 0 && renameat2(AT_FDCWD, aside, AT_FDCWD, path, RENAME_EXCHANGE) < 0) {
			unlink(aside);
			result = link_over(path, text, aside, owner);
		}
	}
	if (result < 0)
		err_sys(err, "cannot put a crash state in the place of %s", path);
	free(aside);
	return result;
}

int swap_out(const char *path, int dir, const char *name, struct err *err)
{
	struct owner owner = owner_self();
	char text[PATH_MAX] = "";
	struct stat st;

	if (name && path_make(text, sizeof(text), err, "/proc/%d/fd/%d/%s", (int)owner.pid, dir, name) < 0)
		return -1;
	return lstat(path, &st) < 0 ? absent_note(path, text, &owner, err) : present_move(path, text, &owner, err);
}

/* Back */

/* Not every file system supports RENAME_NOREPLACE. */
static int path_move(const char *path, const char *to)
{
	int result = renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE);
	struct stat st;

	if (result == 0 || (errno != EINVAL && errno != ENOSYS))
		return result;
	if (lstat(to, &st) < 0)
		return rename(path, to);
	errno = EEXIST;
	return -1;
}

/* Rule 4: keep the file that took the place of the user's.  Returns its new path; NULL: it cannot be moved. */
static char *replacement_keep(const char *path)
{
	for (unsigned i = 1;; i++) {
		char *kept;

		BUG_ON(asprintf(&kept, "%s" KEPT "%u", path, i) < 0);
		if (path_move(path, kept) == 0)
			return kept;
		free(kept);
		if (errno != EEXIST)
			return NULL;
	}
}

static enum swap_result aside_return(const char *path, const char *aside, const struct owner *owner, char **kept)
{
	struct stat own, there;

	/* Rule 2: they have not changed places yet, or have changed back already. */
	if (is_our_link(aside, owner))
		return unlink(aside) == 0 ? SWAP_NONE : SWAP_FAILED;
	if (lstat(aside, &own) < 0)
		return SWAP_FAILED;
	if (lstat(path, &there) == 0) {
		if (own.st_dev == there.st_dev && own.st_ino == there.st_ino)
			return unlink(aside) == 0 ? SWAP_NONE : SWAP_FAILED;
		if (!is_our_link(path, owner) && !(*kept = replacement_keep(path)))
			return SWAP_FAILED;
		/* A directory cannot be renamed over a link. */
		if (S_ISDIR(own.st_mode) && !*kept && unlink(path) < 0)
			return SWAP_FAILED;
	}
	return rename(aside, path) == 0 ? SWAP_RESTORED : SWAP_FAILED;
}

static enum swap_result absent_return(const char *path, const char *note, const struct owner *owner)
{
	bool swapped = is_our_link(path, owner);

	if (swapped && unlink(path) < 0)
		return SWAP_FAILED;
	if (unlink(note) < 0)
		return SWAP_FAILED;
	return swapped ? SWAP_RESTORED : SWAP_NONE;
}

enum swap_result swap_back(const char *path, const struct owner *owner, char **kept)
{
	char *coming = note_find(path, LINK, owner), *aside = note_find(path, ASIDE, owner);
	char *absent = aside ? NULL : note_find(path, ABSENT, owner), *moved = NULL;
	enum swap_result result = SWAP_NONE;

	if (coming)
		unlink(coming);
	if (aside)
		result = aside_return(path, aside, owner, &moved);
	else if (absent)
		result = absent_return(path, absent, owner);
	free(coming);
	free(aside);
	free(absent);
	if (kept)
		*kept = moved;
	else
		free(moved);
	return result;
}
