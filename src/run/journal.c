/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.c - see journal.h.
 *
 * /var/tmp belongs to everybody: a directory there is ours only if it is no link, and nobody else may write to it. */
#include "run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "image/tree.h"

enum { JOURNAL_BYTES_MAX = 1 << 26, PLACE_TRIES = 10 };

/* The places, best first. */
static void places_list(struct words *places)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		words_add(places, "%s/blackout", state);
	if (home && *home == '/')
		words_add(places, "%s/.local/state/blackout", home);
	words_add(places, "/var/tmp/blackout-%u", (unsigned)geteuid());
}

/* -1: it is not there, or not ours. */
static int place_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void place_make(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
}

static void journal_create(struct journal *journal, char *place)
{
	struct owner self = owner_self();

	/* Others remove the place when they find nothing in it. */
	for (int i = 0; i < PLACE_TRIES && !journal->path; i++) {
		place_make(place);
		int dir = place_open(place);
		if (dir < 0)
			return;
		close(dir);
		BUG_ON(asprintf(&journal->path, "%s/%d.%llu-XXXXXX", place, (int)self.pid, self.start) < 0);
		journal->fd = mkostemp(journal->path, O_CLOEXEC);
		if (journal->fd < 0) {
			free(journal->path);
			journal->path = NULL;
			rmdir(place);
		}
	}
}

int journal_open(struct journal *journal, struct err *err)
{
	struct words places = {0};

	*journal = (struct journal){.fd = -1};
	places_list(&places);
	for (size_t i = 0; i < places.count && !journal->path; i++)
		journal_create(journal, places.items[i]);
	words_free(&places);
	if (journal->path)
		return 0;
	err_set(err, "there is no place for a journal of the files that are moved aside");
	return err_hint(err, "let XDG_STATE_HOME, HOME or /var/tmp be a directory that can be written to");
}

int journal_add(struct journal *journal, const char *path, struct err *err)
{
	size_t size = strlen(path) + 1;

	if (write(journal->fd, path, size) != (ssize_t)size)
		return err_sys(err, "cannot write %s", journal->path);
	return 0;
}

static void journal_remove(char *path)
{
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path); /* unless there are others */
}

void journal_close(struct journal *journal, bool remove)
{
	if (!journal->path)
		return;
	close(journal->fd);
	if (remove)
		journal_remove(journal->path);
	free(journal->path);
	*journal = (struct journal){.fd = -1};
}

/* Journals of others */

struct search {
	const char *place;
	journal_visit *visit;
	void *arg;
};

static bool name_parse(const char *name, struct owner *owner)
{
	int pid, end = 0;

	if (sscanf(name, "%d.%llu-%n", &pid, &owner->start, &end) < 2 || !end || pid <= 0)
		return false;
	owner->pid = pid;
	return true;
}

static bool paths_read(int dir, const char *name, struct words *paths)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > JOURNAL_BYTES_MAX) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	char *text = mem_alloc((size_t)st.st_size + 1);
	ssize_t n = read(fd, text, (size_t)st.st_size);
	close(fd);
	/* What is cut short at the end was never swapped. */
	for (char *path = text, *end; n > 0 && (end = memchr(path, 0, (size_t)(text + n - path))); path = end + 1)
		if (*path == '/')
			words_add(paths, "%s", path);
	free(text);
	return n >= 0;
}

static bool journal_look(void *arg, int dir, const char *name)
{
	const struct search *s = arg;
	struct words paths = {0};
	struct owner owner;
	char *path;

	if (!name_parse(name, &owner) || owner_is_alive(&owner) || !paths_read(dir, name, &paths))
		return true;
	BUG_ON(asprintf(&path, "%s/%s", s->place, name) < 0);
	if (s->visit(s->arg, &owner, &paths))
		journal_remove(path);
	free(path);
	words_free(&paths);
	return true;
}

void journal_each_dead(journal_visit *visit, void *arg)
{
	struct words places = {0};

	places_list(&places);
	for (size_t i = 0; i < places.count; i++) {
		struct search search = {places.items[i], visit, arg};
		int dir = place_open(places.items[i]);

		if (dir < 0)
			continue;
		tree_each(dir, journal_look, &search);
		close(dir);
		rmdir(places.items[i]); /* somebody was killed before he had made his journal, or after */
	}
	words_free(&places);
}
