/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_file.c - see module_file.h. */
#include "reach/module_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/path.h"

#define KEY_MOST 64 /* bytes of a build id that are used */

/* ---- writing ---- */

void *module_file_format(const struct module *m, size_t *size)
{
	VEC_OF(uint8_t) out = {0};
	struct module_file_header header = {.magic = MODULE_FILE_MAGIC};
	uint64_t count;

	vec_append(&out, &header, sizeof(header));
#define X(array)                                                  \
	count = m->array.count;                                   \
	vec_append(&out, (const uint8_t *)&count, sizeof(count)); \
	vec_append(&out, (const uint8_t *)m->array.at, count * sizeof(*m->array.at));
	MODULE_ARRAYS(X)
#undef X
	header.bytes = out.count - sizeof(header);
	header.checksum = XXH3_64bits(out.at + sizeof(header), header.bytes);
	memcpy(out.at, &header, sizeof(header));
	*size = out.count;
	return out.at;
}

/* ---- reading ---- */

/* What is left of the bytes. */
struct rest {
	const uint8_t *at;
	size_t size;
	bool damaged;
};

/* The next `count` items; NULL: there are not as many. */
static const void *items_take(struct rest *r, uint64_t count, size_t item)
{
	const void *at = r->at;

	if (r->damaged || count > r->size / item) {
		r->damaged = true;
		return NULL;
	}
	r->at += count * item;
	r->size -= count * item;
	return at;
}

static uint64_t count_take(struct rest *r)
{
	const void *at = items_take(r, 1, sizeof(uint64_t));
	uint64_t count = 0;

	if (at)
		memcpy(&count, at, sizeof(count));
	return count;
}

static bool blocks_are_sound(const struct module *m)
{
	uint32_t count = module_size(m);

	if (!m->blocks.count)
		return !m->edges.count;
	for (uint32_t i = 0; i < count; i++) {
		const struct module_block *b = &m->blocks.at[i];

		if (b->start >= b->end || b->last < b->start || b->last >= b->end || b->ending >= MODULE_ENDINGS ||
		    (i && b->start < b[-1].end) || b->edges > b[1].edges)
			return false;
	}
	return m->blocks.at[0].edges == 0 && m->blocks.at[count].edges == m->edges.count;
}

static bool edges_are_sound(const struct module *m)
{
	for (size_t i = 0; i < m->edges.count; i++) {
		const struct module_edge *e = &m->edges.at[i];

		if (e->kind >= MODULE_EDGES || (e->kind == EDGE_IMPORT     ? e->to >= m->names.count
						: e->kind == EDGE_INDIRECT ? e->to != 0
									   : e->to >= module_size(m)))
			return false;
	}
	return true;
}

static bool are_ascending(const uint32_t *numbers, size_t count, uint32_t limit)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] >= limit || (i && numbers[i] <= numbers[i - 1]))
			return false;
	return true;
}

static bool names_are_sound(const struct module *m)
{
	if (m->names.count >= UINT32_MAX || (m->names.count && m->names.at[m->names.count - 1]))
		return false;
	for (size_t i = 0; i < m->exports.count; i++)
		if (m->exports.at[i].name >= m->names.count || m->exports.at[i].block >= module_size(m))
			return false;
	for (size_t i = 0; i < m->segments.count; i++)
		if (m->segments.at[i].size > UINT32_MAX - m->segments.at[i].address)
			return false;
	return true;
}

static bool is_sound(const struct module *m)
{
	return m->blocks.count < UINT32_MAX && m->edges.count < UINT32_MAX && blocks_are_sound(m) &&
	       edges_are_sound(m) && are_ascending(m->starts.at, m->starts.count, module_size(m)) &&
	       are_ascending(m->taken.at, m->taken.count, module_size(m)) &&
	       are_ascending(m->persists.at, m->persists.count, UINT32_MAX) &&
	       are_ascending(m->stores.at, m->stores.count, UINT32_MAX) && names_are_sound(m);
}

bool module_file_parse(struct module *m, const void *bytes, size_t size)
{
	struct module_file_header header;
	struct rest rest = {.at = (const uint8_t *)bytes + sizeof(header), .size = size - sizeof(header)};

	*m = (struct module){0};
	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.magic, MODULE_FILE_MAGIC, sizeof(header.magic)) != 0 || header.bytes != rest.size ||
	    header.checksum != XXH3_64bits(rest.at, rest.size))
		return false;
#define X(array)                                                                    \
	do {                                                                        \
		uint64_t count = count_take(&rest);                                 \
		const void *items = items_take(&rest, count, sizeof(*m->array.at)); \
                                                                                    \
		if (items)                                                          \
			vec_append(&m->array, items, count);                        \
	} while (0);
	MODULE_ARRAYS(X)
#undef X
	if (!rest.damaged && !rest.size && is_sound(m))
		return true;
	module_free(m);
	return false;
}

/* ---- the folder ---- */

/* Fill key with the build id of an ELF file, return its length; 0: it has none. */
static size_t build_id(int fd, uint8_t key[KEY_MOST])
{
	Elf *elf;
	const void *id = NULL;
	ssize_t length;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	length = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	if (length > KEY_MOST)
		length = KEY_MOST;
	if (length > 0)
		memcpy(key, id, (size_t)length);
	elf_end(elf);
	return length > 0 ? (size_t)length : 0;
}

static bool name_make(char *name, size_t room, const char *folder, const char *path)
{
	uint8_t key[KEY_MOST];
	char text[2 * KEY_MOST + 1];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t length = 0;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !(length = build_id(fd, key))) {
		uint64_t parts[] = {XXH3_64bits(path, strlen(path)), (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
				    (uint64_t)st.st_mtim.tv_nsec};

		length = sizeof(parts);
		memcpy(key, parts, length);
	}
	close(fd);
	for (size_t i = 0; i < length; i++)
		snprintf(text + 2 * i, 3, "%02x", key[i]);
	return length && path_format(name, room, "%s/%s", folder, text);
}

static bool file_parse(struct module *m, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool is_read = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		void *bytes = mem_resize(NULL, (size_t)st.st_size, 1);

		is_read = read(fd, bytes, (size_t)st.st_size) == st.st_size &&
			  module_file_parse(m, bytes, (size_t)st.st_size);
		free(bytes);
	}
	close(fd);
	return is_read;
}

/* A reader never sees half of a file, also if several processes write it. */
static void file_write(const struct module *m, const char *folder, const char *name)
{
	char temporary[PATH_MAX];
	size_t size;
	void *bytes;
	bool is_written;
	int fd;

	mkdir(folder, 0777);
	if (!path_format(temporary, sizeof(temporary), "%s.%d", name, (int)getpid()))
		return;
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	bytes = module_file_format(m, &size);
	is_written = write(fd, bytes, size) == (ssize_t)size;
	if ((close(fd) < 0) | !is_written || rename(temporary, name) < 0)
		unlink(temporary);
	free(bytes);
}

bool module_file_load(struct module *m, const char *folder, const char *path)
{
	char name[PATH_MAX];

	if (!folder || !name_make(name, sizeof(name), folder, path))
		return module_read(m, path);
	if (file_parse(m, name))
		return true;
	if (!module_read(m, path))
		return false;
	file_write(m, folder, name);
	return true;
}
