/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flights.c - see flights.h. */
#include "explore/flights.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/path.h"

#define HEADER "blackout-flights 1 "
enum { HEADER_BYTES = sizeof(HEADER) - 1 + 16 + 1 };

struct mapping {
	void *at;
	size_t size;
};

struct flights {
	struct map index; /* key -> 1 + index of its record */
	VEC_OF(struct flight_record) records;
	VEC_OF(struct mapping) mappings;
	FILE *file; /* NULL: nothing is written */
};

struct flights *flights_new(void)
{
	return mem_alloc(sizeof(struct flights));
}

void flights_close(struct flights *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->mappings.count; i++)
		munmap(f->mappings.at[i].at, f->mappings.at[i].size);
	vec_free(&f->mappings);
	vec_free(&f->records);
	map_free(&f->index);
	if (f->file)
		fclose(f->file);
	free(f);
}

/* Leaves */

static size_t bits_bytes(size_t count)
{
	return (count + 7) / 8;
}

static void bits_push(struct flight_log *log, const uint8_t *flags, size_t count)
{
	for (size_t i = 0; i < count; i += 8) {
		uint8_t byte = 0;

		for (size_t k = i; k < count && k < i + 8; k++)
			byte |= (uint8_t)(!!flags[k] << (k - i));
		vec_push(&log->bytes, byte);
	}
}

static void bits_take(const uint8_t *bytes, uint8_t *flags, size_t count)
{
	for (size_t i = 0; i < count; i++)
		flags[i] = bytes[i / 8] >> i % 8 & 1;
}

void flight_log_leaf(struct flight_log *log, const struct flight_leaf *leaf, size_t units, size_t lines)
{
	uint8_t flags = (uint8_t)((leaf->refused ? FLIGHT_REFUSED : 0) | (leaf->is_all ? FLIGHT_IS_ALL : 0) |
				  (leaf->is_none ? FLIGHT_IS_NONE : 0) | (leaf->taken ? FLIGHT_HAS_SETS : 0) |
				  (leaf->is_branch ? FLIGHT_BRANCH : 0));

	log->leaves++;
	vec_push(&log->bytes, flags);
	if (leaf->is_branch)
		return;
	if (leaf->refused) {
		vec_append(&log->bytes, leaf->refused, strlen(leaf->refused) + 1);
		return;
	}
	vec_append(&log->bytes, &leaf->name, sizeof(leaf->name));
	if (!leaf->taken)
		return;
	bits_push(log, leaf->taken, units);
	bits_push(log, leaf->decided, lines);
}

void flight_log_free(struct flight_log *log)
{
	vec_free(&log->bytes);
	log->leaves = 0;
}

bool flight_record_next(const struct flight_record *record, size_t *at, size_t units, size_t lines, uint8_t *taken,
			uint8_t *decided, struct flight_leaf *leaf)
{
	const uint8_t *bytes = record->bytes + *at, *end;
	size_t left = record->head->bytes - *at, size;

	if (!left)
		return false;
	*leaf = (struct flight_leaf){.is_all = *bytes & FLIGHT_IS_ALL, .is_none = *bytes & FLIGHT_IS_NONE};
	if (*bytes & FLIGHT_BRANCH) {
		leaf->is_branch = true;
		++*at;
		return true;
	}
	if (*bytes & FLIGHT_REFUSED) {
		end = memchr(bytes, 0, left);
		leaf->refused = (const char *)bytes + 1;
		*at += end ? (size_t)(end - bytes) + 1 : 0;
		return end;
	}
	size = 1 + sizeof(leaf->name);
	size += *bytes & FLIGHT_HAS_SETS ? bits_bytes(units) + bits_bytes(lines) : 0;
	if (size > left)
		return false;
	memcpy(&leaf->name, bytes + 1, sizeof(leaf->name));
	if (*bytes & FLIGHT_HAS_SETS) {
		bits_take(bytes + 1 + sizeof(leaf->name), taken, units);
		bits_take(bytes + 1 + sizeof(leaf->name) + bits_bytes(units), decided, lines);
		leaf->taken = taken;
		leaf->decided = decided;
	}
	*at += size;
	return true;
}

/* Files */

static uint64_t head_check(const struct flights_head *head, const uint8_t *bytes)
{
	const uint8_t *rest = (const uint8_t *)&head->check + sizeof(head->check);
	uint64_t hash = XXH3_64bits_withSeed(rest, (size_t)((const uint8_t *)(head + 1) - rest), head->key.low);

	return XXH3_64bits_withSeed(bytes, head->bytes, hash ^ head->key.high);
}

/* Records are multiples of 8 bytes, and so is what is before them. */
static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

size_t flights_read(struct flights *f, const uint8_t *bytes, size_t size, uint64_t depends)
{
	size_t at = padded(HEADER_BYTES);
	char header[64];

	snprintf(header, sizeof(header), HEADER "%016llx\n", (unsigned long long)depends);
	if (size < at || memcmp(bytes, header, HEADER_BYTES) != 0)
		return 0;
	while (size - at >= sizeof(struct flights_head)) {
		const struct flights_head *head = (const void *)(bytes + at);
		size_t left = size - at - sizeof(*head);

		if (head->bytes > left || padded(head->bytes) > left ||
		    head->check != head_check(head, (const uint8_t *)(head + 1)))
			break;
		vec_push(&f->records, ((struct flight_record){head, (const uint8_t *)(head + 1)}));
		*map_put(&f->index, head->key.low, head->key.high) = f->records.count;
		at += sizeof(*head) + padded(head->bytes);
	}
	return at;
}

/* Returns the number of sound bytes; 0: there is no such file, or it is of other options. */
static size_t file_read(struct flights *f, const char *path, uint64_t depends)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t sound = 0;
	struct stat st;
	void *at;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && st.st_size > 0 &&
	    (at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) != MAP_FAILED) {
		vec_push(&f->mappings, ((struct mapping){at, (size_t)st.st_size}));
		sound = flights_read(f, at, (size_t)st.st_size, depends);
	}
	close(fd);
	return sound;
}

/* Continue a file behind its sound records, or begin a new one. */
static int file_write(struct flights *f, const char *path, size_t sound, uint64_t depends, struct err *err)
{
	f->file = fopen(path, sound ? "r+e" : "we");
	if (!f->file || (sound && (ftruncate(fileno(f->file), (off_t)sound) < 0 || fseek(f->file, 0, SEEK_END) < 0)))
		return err_sys(err, "cannot write %s", path);
	if (!sound)
		fprintf(f->file, HEADER "%016llx\n%*s", (unsigned long long)depends,
			(int)(padded(HEADER_BYTES) - HEADER_BYTES), "");
	fflush(f->file);
	return 0;
}

int flights_open(struct flights **flights, const char *dir, const struct flights_options *o, struct err *err)
{
	struct flights *f = *flights = flights_new();
	char path[PATH_MAX];
	size_t sound = 0;

	for (size_t i = 0; o->parts && i < o->parts->count; i++)
		if (path_format(path, sizeof(path), "%s/" FLIGHTS_FILE, o->parts->dirs[i]))
			file_read(f, path, o->depends);
	if (o->parts)
		return 0;
	if (path_make(path, sizeof(path), err, "%s/" FLIGHTS_FILE, dir) < 0)
		return -1;
	if (o->resume)
		sound = file_read(f, path, o->depends);
	return file_write(f, path, sound, o->depends, err);
}

bool flights_find(const struct flights *f, struct digest key, struct flight_record *record)
{
	const uint64_t *index = f ? map_get(&f->index, key.low, key.high) : NULL;

	if (!index)
		return false;
	*record = f->records.at[*index - 1];
	return true;
}

void flights_put(struct flights *f, struct digest key, const struct flight_log *log, const struct flight_end *end)
{
	struct flights_head head;

	if (!f || !f->file)
		return;
	memset(&head, 0, sizeof(head)); /* the padding, too */
	head.key = key;
	head.bytes = log->bytes.count;
	head.leaves = log->leaves;
	head.end.traps = end->traps;
	head.end.left_out = end->left_out;
	head.end.broken = end->broken;
	head.check = head_check(&head, log->bytes.at);
	fwrite(&head, sizeof(head), 1, f->file);
	fwrite(log->bytes.at, 1, log->bytes.count, f->file);
	fprintf(f->file, "%.*s", (int)(padded(head.bytes) - head.bytes), "       ");
	fflush(f->file);
}
