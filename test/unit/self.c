/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "self.h"

#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"

const char *self_path(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = 0;
	return path;
}

void self_define(struct builder *b)
{
	const char *path = self_path();
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	builder_put(b, BO_OP_DEF_MODULE, 0x400000, st.st_size, 0, st.st_size, st.st_mtime, BUILDER_P(path));
}

struct search {
	uintptr_t address;
	uint64_t offset;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *search = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t into = search->address - info->dlpi_addr - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && into < segment->p_filesz) {
			search->offset = segment->p_offset + into;
			return 1;
		}
	}
	return 0;
}

uint64_t self_offset(void (*function)(void))
{
	struct search search = {.address = (uintptr_t)function};

	assert_int_equal(dl_iterate_phdr(search_object, &search), 1);
	return search.offset;
}
