/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.c - see journal.h.
 *
 * Every user can write to /var/tmp.  So a directory there is ours only if it is not a link, and no other user can write
 * to it. */
#include "run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "image/tree.h"

enum { JOURNAL_BYTES_MAX = 1 << 26, PLACE_TRIES = 10 };

/* The possible places, best first. */
static void places_list(struct words *places)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		words_add(places, "%s/blackout", state);
	if (home && *home == '/')
		words_add(places, "%s/.local/state/blackout", home);
	words_add(places, "/var/tmp/blackout-%u", (unsigned)geteuid());
}

/* -1: it does not exist, or is not ours. */
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

	/* Retry: another process removes the place when it finds it empty. */
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
	err_set(err, "cannot create a journal of the files that are moved aside");
	return err_hint(err, "make XDG_STATE_HOME, HOME or /var/tmp a writable directory");
}

int journal_add(struct journal *journal, const char *path, struct err *err)
{
	size_t size = strlen(path) + 1;

	if (write(journal->fd, path, size) != (ssize_t)size)
		return err_sys(err, "cannot write %s", journal->path);
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* If a record cannot be written, the next command may have less to clean up by.  Nothing else is lost. */
static void record_write(const struct journal *journal, char kind, const char *path)
{
	char *record;
	int size = asprintf(&record, "%c%llu%s%s", kind, (unsigned long long)now_ns(), *path ? " " : "", path);

	BUG_ON(size < 0);
	if (write(journal->fd, record, (size_t)size + 1) < 0)
		lseek(journal->fd, 0, SEEK_END);
	free(record);
}

void journal_run(struct journal *journal)
{
	if (!journal->paths_end)
		journal->paths_end = lseek(journal->fd, 0, SEEK_CUR);
	if (ftruncate(journal->fd, journal->paths_end) == 0)
		lseek(journal->fd, journal->paths_end, SEEK_SET);
	record_write(journal, '=', "");
}

void journal_made(struct journal *journal, const char *path, bool is_recoverys)
{
	if (journal->path)
		record_write(journal, is_recoverys ? '+' : '-', path);
}

static void journal_remove(char *path)
{
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path); /* fails if there are other journals */
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
	char *end;
	long pid = strtol(name, &end, 10);

	if (*end != '.' || pid <= 0 || pid > INT_MAX)
		return false;
	*owner = (struct owner){(pid_t)pid, strtoull(end + 1, &end, 10)};
	return *end == '-';
}

static void made_drop(struct journal_text *text, const char *path)
{
	size_t left = 0;

	for (size_t i = 0; i < text->made_count; i++)
		if (!strcmp(text->made[i].path, path))
			free(text->made[i].path);
		else
			text->made[left++] = text->made[i];
	text->made_count = left;
}

static void record_read(struct journal_text *text, const char *record)
{
	if (*record == '/')
		words_add(&text->paths, "%s", record);
	if (!*record || *record == '/')
		return;
	char *path;
	uint64_t time = strtoull(record + 1, &path, 10);
	if (*record == '=')
		text->since_ns = time;
	if ((*record != '+' && *record != '-') || strncmp(path, " /", 2) != 0)
		return;
	made_drop(text, path + 1);
	if (*record == '-')
		return;
	text->made = mem_resize(text->made, text->made_count + 1, sizeof(*text->made));
	text->made[text->made_count] = (struct journal_entry){strdup(path + 1), time};
	BUG_ON(!text->made[text->made_count++].path);
}

static bool text_read(int dir, const char *name, struct journal_text *text)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > JOURNAL_BYTES_MAX) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	char *bytes = mem_alloc((size_t)st.st_size + 1);
	ssize_t n = read(fd, bytes, (size_t)st.st_size);
	close(fd);
	/* An incomplete record at the end describes something that was not done. */
	for (char *record = bytes, *end; n > 0 && (end = memchr(record, 0, (size_t)(bytes + n - record)));
	     record = end + 1)
		record_read(text, record);
	free(bytes);
	return n >= 0;
}

void journal_text_free(struct journal_text *text)
{
	for (size_t i = 0; i < text->made_count; i++)
		free(text->made[i].path);
	free(text->made);
	words_free(&text->paths);
}

bool journal_read(const struct journal *journal, struct journal_text *text)
{
	*text = (struct journal_text){0};
	return journal->path && text_read(AT_FDCWD, journal->path, text);
}

static bool journal_look(void *arg, int dir, const char *name)
{
	const struct search *s = arg;
	struct journal_text text = {0};
	char *path;

	if (!name_parse(name, &text.owner) || owner_is_alive(&text.owner))
		return true;
	BUG_ON(asprintf(&path, "%s/%s", s->place, name) < 0);
	if (text_read(dir, name, &text) && s->visit(s->arg, &text))
		journal_remove(path);
	free(path);
	journal_text_free(&text);
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
		/* left by a process that was killed before it created its journal, or after it removed it */
		rmdir(places.items[i]);
	}
	words_free(&places);
}
