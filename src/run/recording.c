/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording.c - see recording.h. */
#include "run/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "blackout/trace_format.h"
#include "run/dirlock.h"
#include "run/kept_operations.h"

/* The files that the recorder and sealing leave in trace/. */
static bool name_is_trace(const char *name)
{
	static const char *const patterns[] = {"[0-9]*.bo", ".[0-9]*.bo.tmp", "clock"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

/* Call `each` for the entries of dirfd/name until it returns false.  Returns false if it did.  A directory that does
 * not exist has no entries. */
static bool dir_each(int dirfd, const char *name, bool (*each)(int dirfd, const char *name))
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool go_on = true;

	if (!dir)
		return errno == ENOENT;
	while (go_on && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			go_on = each(fd, entry->d_name);
	closedir(dir);
	return go_on;
}

static bool none(int dirfd, const char *name)
{
	(void)dirfd;
	(void)name;
	return false;
}

static bool only_trace(int dirfd, const char *name)
{
	(void)dirfd;
	return name_is_trace(name);
}

static bool remove_trace(int dirfd, const char *name)
{
	return !name_is_trace(name) || unlinkat(dirfd, name, 0) == 0;
}

/* A trace/ that contains only traces marks a recording.  It may be empty, if the recorder failed early. */
static bool is_recording(int fd)
{
	struct stat st;

	return fstatat(fd, "trace", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	       dir_each(fd, "trace", only_trace);
}

static int dir_open(const char *dir, struct err *err)
{
	int fd = -1;

	if (mkdir(dir, 0777) == 0 || errno == EEXIST)
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	int why = errno;
	err_sys(err, "cannot write a recording to %s", dir);
	return why == ENOTDIR || why == ENOENT ? err_status(err, ERR_USAGE) : -1;
}

static int dir_clear(int fd, const char *dir, struct err *err)
{
	if (!dir_each(fd, "trace", remove_trace) || (unlinkat(fd, "recorder.log", 0) < 0 && errno != ENOENT) ||
	    kept_operations_remove(fd) < 0)
		return err_sys(err, "cannot remove the earlier recording in %s", dir);
	return 0;
}

/* Lock the directory, if it is ours to use, and remove an earlier recording.  trace/ is locked, not DIR: DIR may also
 * contain pools, and then be locked by a process that tests them (run/dirlock.h). */
static int dir_take(struct recording *r, const char *dir, struct err *err)
{
	if (!dir_each(r->fd, ".", none) && !is_recording(r->fd)) {
		err_set(err, "%s is not empty, and not a recording", dir);
		err_status(err, ERR_USAGE);
		return err_hint(err, "choose another directory with --out, or remove this one");
	}
	if (mkdirat(r->fd, "trace", 0777) < 0 && errno != EEXIST)
		return err_sys(err, "cannot create %s/trace", dir);
	int fd = openat(r->fd, "trace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "cannot open %s/trace", dir);
	r->trace = fd;
	/* The processes of a command that was killed share its lock, and end soon. */
	if (!dirlock_take(fd, DIRLOCK_MEND_MS)) {
		err_set(err, "another recording is being written to %s", dir);
		err_status(err, ERR_USAGE);
		return err_hint(err, "choose another directory with --out");
	}
	if (dir_clear(r->fd, dir, err) < 0)
		return -1;
	return realpath(dir, r->dir) ? 0 : err_sys(err, "cannot find %s", dir);
}

int recording_create(struct recording *recording, const char *dir, struct err *err)
{
	recording->trace = 0;
	recording->fd = dir_open(dir, err);
	if (recording->fd < 0)
		return -1;
	if (dir_take(recording, dir, err) == 0)
		return 0;
	recording_close(recording);
	return -1;
}

void recording_close(struct recording *recording)
{
	if (recording->fd >= 0)
		close(recording->fd);
	if (recording->trace > 0)
		close(recording->trace);
	recording->fd = -1;
	recording->trace = 0;
}

void recording_remove(struct recording *recording)
{
	struct err ignored;

	dir_clear(recording->fd, recording->dir, &ignored);
	unlinkat(recording->fd, "trace", AT_REMOVEDIR);
	rmdir(recording->dir);
	recording_close(recording);
}

bool recording_started(const struct recording *recording)
{
	struct stat st;
	return fstatat(recording->fd, "trace/0000.bo", &st, 0) == 0 && st.st_size > 0;
}

uint64_t recording_bytes(const struct recording *recording)
{
	int fd = openat(recording->fd, "trace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	uint64_t bytes = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		if (name_is_trace(entry->d_name) && fstatat(fd, entry->d_name, &st, 0) == 0)
			bytes += (uint64_t)st.st_size;
	closedir(dir);
	return bytes;
}

/* Where to copy a line of the log. */
struct words_of_log {
	char *line;
	size_t size;
};

/* Call `each` with the lines of the recorder's log, without "==PID== ", until it returns true. */
static void log_read(const struct recording *recording, bool (*each)(const char *text, struct words_of_log *words),
		     struct words_of_log *words)
{
	int fd = openat(recording->fd, "recorder.log", O_RDONLY | O_CLOEXEC);
	FILE *log = fd < 0 ? NULL : fdopen(fd, "r");
	char text[512];

	*words->line = 0;
	while (log && fgets(text, sizeof(text), log)) {
		char *start = strncmp(text, "==", 2) ? text : strstr(text + 2, "== ");
		start = start && start != text ? start + 3 : text;
		start[strcspn(start, "\n")] = 0;
		if (each(start, words))
			break;
	}
	if (log)
		fclose(log);
}

static bool keep_last(const char *text, struct words_of_log *words)
{
	if (*text)
		snprintf(words->line, words->size, "%s", text);
	return false;
}

void recording_last_words(const struct recording *recording, char *line, size_t size)
{
	log_read(recording, keep_last, &(struct words_of_log){line, size});
}

static bool keep_shortage(const char *text, struct words_of_log *words)
{
	static const char *const reasons[] = {BO_STOPPED_SPACE, BO_STOPPED_LIMIT, BO_STOPPED_MOST};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strncmp(text, BO_STOPPED_SAYS, strlen(BO_STOPPED_SAYS)) && strstr(text, reasons[i]))
			return snprintf(words->line, words->size, "%s", reasons[i]) > 0;
	return false;
}

bool recording_lacks_room(const char *dir)
{
	struct statvfs fs;

	return statvfs(dir, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < 2 * BO_CHUNK_BYTES;
}

bool recording_stopped(const struct recording *recording, char *why, size_t size)
{
	log_read(recording, keep_shortage, &(struct words_of_log){why, size});
	if (*why || recording_started(recording))
		return *why;
	/* There may have been no space for the log either. */
	recording_last_words(recording, why, size);
	bool silent = !*why && recording_lacks_room(recording->dir);
	snprintf(why, size, "%s", silent ? BO_STOPPED_SPACE : "");
	return silent;
}

static bool keep_failure(const char *text, struct words_of_log *words)
{
	static const char *const signs[] = {"Assertion '", "VALGRIND INTERNAL ERROR", "the 'impossible' happened"};

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (strstr(text, signs[i]))
			return snprintf(words->line, words->size, "%s", text) > 0;
	return false;
}

bool recording_failed(const struct recording *recording, char *line, size_t size)
{
	log_read(recording, keep_failure, &(struct words_of_log){line, size});
	return *line;
}
