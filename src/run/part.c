/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.c - see part.h. */
#include "run/part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/path.h"

#define FILE_NAME "shard"
#define HEADER "blackout-shard 1\n"

enum { SAMPLE = 1 << 16 /* bytes at each end of a trace */ };

/* The recording */

static uint64_t sample_hash(int fd, off_t offset, uint64_t seed)
{
	char bytes[SAMPLE];
	ssize_t n = pread(fd, bytes, sizeof(bytes), offset);

	return XXH3_64bits_withSeed(bytes, n > 0 ? (size_t)n : 0, seed);
}

/* The names of traces have no order in a directory, so their hashes are added. */
static uint64_t trace_hash(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	uint64_t hash = XXH3_64bits(name, strlen(name));
	struct stat st;

	if (fd < 0)
		return hash;
	if (fstat(fd, &st) == 0) {
		hash = XXH3_64bits_withSeed(&st.st_size, sizeof(st.st_size), hash);
		hash = sample_hash(fd, 0, hash);
		hash = sample_hash(fd, st.st_size > SAMPLE ? st.st_size - SAMPLE : 0, hash);
	}
	close(fd);
	return hash;
}

int part_identify(const char *recording, uint64_t *identity, struct err *err)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	if (path_make(path, sizeof(path), err, "%s/trace", recording) < 0)
		return -1;
	dir = opendir(path);
	if (!dir)
		return err_sys(err, "cannot read %s", path);
	*identity = 0;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			*identity += trace_hash(dirfd(dir), entry->d_name);
	closedir(dir);
	return 0;
}

/* The file */

static int part_print(const struct part *part, const char *path, struct err *err)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return err_sys(err, "cannot write %s", path);
	fprintf(out, HEADER "part %u of %u\ncomplete %d\nidentity %016llx\nbudget %s\nrecording %s", part->index,
		part->total, part->complete, (unsigned long long)part->identity, part->budget, part->recording);
	bool failed = fflush(out) || ferror(out);
	if (failed)
		err_sys(err, "cannot write %s", path);
	fclose(out);
	return failed ? -1 : 0;
}

int part_write(const struct part *part, const char *dir, struct err *err)
{
	char path[PATH_MAX], fresh[PATH_MAX];

	if (path_make(path, sizeof(path), err, "%s/" FILE_NAME, dir) < 0 ||
	    path_make(fresh, sizeof(fresh), err, "%s/" FILE_NAME ".new", dir) < 0)
		return -1;
	if (part_print(part, fresh, err) < 0) {
		unlink(fresh);
		return -1;
	}
	return rename(fresh, path) < 0 ? err_sys(err, "cannot write %s", path) : 0;
}

void part_forget(const char *dir)
{
	char path[PATH_MAX];

	if (path_format(path, sizeof(path), "%s/" FILE_NAME, dir))
		unlink(path);
}

/* Take a word from the front of the text. */
static bool word_take(const char **text, const char *word)
{
	size_t size = strlen(word);

	if (strncmp(*text, word, size) != 0)
		return false;
	*text += size;
	return true;
}

static bool number_take(const char **text, int base, uint64_t most, uint64_t *number)
{
	char *end;

	if (!strchr("0123456789abcdef", **text) || !**text)
		return false;
	errno = 0;
	*number = strtoull(*text, &end, base);
	if (errno || end == *text || *number > most)
		return false;
	*text = end;
	return true;
}

static bool line_take(const char **text, char *line, size_t room)
{
	size_t size = strcspn(*text, "\n");

	if (size >= room || (*text)[size] != '\n')
		return false;
	memcpy(line, *text, size);
	line[size] = 0;
	*text += size + 1;
	return true;
}

bool part_parse(struct part *part, const char *text, size_t size)
{
	uint64_t index, total, complete;
	const char *end = text + size;

	*part = (struct part){0};
	if (memchr(text, 0, size) || !word_take(&text, HEADER "part ") ||
	    !number_take(&text, 10, PART_TOTAL_MAX, &index) || !word_take(&text, " of ") ||
	    !number_take(&text, 10, PART_TOTAL_MAX, &total) || !word_take(&text, "\ncomplete ") ||
	    !number_take(&text, 10, 1, &complete) || !word_take(&text, "\nidentity ") ||
	    !number_take(&text, 16, UINT64_MAX, &part->identity) || !word_take(&text, "\nbudget ") ||
	    !line_take(&text, part->budget, sizeof(part->budget)) || !word_take(&text, "recording "))
		return false;
	size = (size_t)(end - text);
	if (!index || index > total || *text != '/' || size >= sizeof(part->recording))
		return false;
	memcpy(part->recording, text, size);
	part->index = (uint32_t)index;
	part->total = (uint32_t)total;
	part->complete = complete;
	return true;
}

int part_read(struct part *part, const char *dir, struct err *err)
{
	char path[PATH_MAX], text[PATH_MAX + 512];
	size_t size = 0;
	FILE *in;

	if (path_make(path, sizeof(path), err, "%s/" FILE_NAME, dir) < 0)
		return -1;
	in = fopen(path, "re");
	if (in) {
		size = fread(text, 1, sizeof(text) - 1, in);
		fclose(in);
	}
	text[size] = 0;
	if (in && part_parse(part, text, size))
		return 0;
	err_set(err, in ? "%s is damaged" : "%s is not there: the directory is not a part of blackout check --shard",
		path);
	return err_status(err, ERR_USAGE);
}
