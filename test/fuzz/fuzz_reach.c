/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Graphs of modules of any content: read, or refused.  The first byte of the input chooses how the rest is used:
 *
 *   0, 3...  the rest is a file of module_file.h as it is
 *   1, 4...  the rest is what follows its header: it gets a sound one, because no fuzzer guesses a checksum
 *   2, 5...  the rest is an ELF file
 *
 * What is read can be written and read again, and everything can be asked of it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "reach/ahead.h"
#include "reach/module_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MOST (64u * 1024)

static bool wrapped_parse(struct module *m, const uint8_t *body, size_t size)
{
	static uint8_t file[sizeof(struct module_file_header) + INPUT_MOST];
	struct module_file_header header = {MODULE_FILE_MAGIC, size, XXH3_64bits(body, size)};

	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), body, size);
	return module_file_parse(m, file, sizeof(header) + size);
}

static bool elf_read(struct module *m, const uint8_t *data, size_t size)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	char path[64];
	bool is_read;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	is_read = module_read(m, path);
	close(fd);
	return is_read;
}

static void write_again(const struct module *m)
{
	struct module again;
	size_t size;
	void *bytes = module_file_format(m, &size);

	if (!module_file_parse(&again, bytes, size))
		abort();
	module_free(&again);
	free(bytes);
}

static void ask(const struct module *m)
{
	struct program program = {0};
	struct ahead ahead;
	uint32_t node = 0;

	program_add(&program, m, false);
	program_add(&program, m, true);
	program_link(&program);
	ahead_make(&ahead, &program, &node, 1);
	for (; node < program.count && node < 100; node++)
		ahead_from(&ahead, node);
	ahead_free(&ahead);
	program_free(&program);
	for (uint32_t block = 0; block < module_size(m); block++) {
		if (module_block_at(m, m->blocks.at[block].start) != block)
			abort();
		module_function_of(m, block);
		module_offset(m, m->blocks.at[block].start);
	}
	module_address(m, 0x1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct module m;
	bool is_read;

	if (!size || size > INPUT_MOST)
		return 0;
	switch (*data % 3) {
	case 0: is_read = module_file_parse(&m, data + 1, size - 1); break;
	case 1: is_read = wrapped_parse(&m, data + 1, size - 1); break;
	default: is_read = elf_read(&m, data + 1, size - 1); break;
	}
	if (!is_read)
		return 0;
	write_again(&m);
	ask(&m);
	module_free(&m);
	return 0;
}
