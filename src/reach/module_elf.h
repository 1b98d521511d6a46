/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_elf.h - what an ELF file says about its code: sections, where functions start, pointers to them, names.
 *
 * The content of the file is never trusted. */
#ifndef BLACKOUT_REACH_MODULE_ELF_H
#define BLACKOUT_REACH_MODULE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "reach/module.h"

/* Executable code. */
struct module_section {
	uint32_t address, size;
	const uint8_t *bytes;
};

/* A word that the loader fills in. */
struct module_slot {
	uint32_t name;  /* in module.names, or MODULE_NONE */
	uint32_t local; /* the address in this module that it gets, or MODULE_NONE */
};

struct module_elf {
	VEC_OF(struct module_section) sections; /* ascending */
	VEC_OF(uint32_t) starts;                /* addresses where functions start; ascending, each once */
	VEC_OF(uint32_t) pointers;              /* addresses that words of data hold, or may hold */
	struct map slots;                       /* from the address of a word to 1 + index of slot */
	VEC_OF(struct module_slot) slot;
	bool fixed; /* is loaded where the file says: code may have addresses as numbers */
	const uint8_t *file;
	size_t size;
	const struct module *module;
	int fd;
	void *handle; /* of libelf */
};

/* Fill segments, names and exports of the module, too; exports have addresses in place of blocks. */
bool module_elf_open(struct module_elf *elf, struct module *module, const char *path);
void module_elf_close(struct module_elf *elf);

/* Copy bytes as they are loaded; return how many there are. */
size_t module_elf_bytes(const struct module_elf *elf, uint64_t address, void *to, size_t size);

bool module_elf_starts(const struct module_elf *elf, uint64_t address);

/* NULL: the loader does not fill in a word there. */
const struct module_slot *module_elf_slot(const struct module_elf *elf, uint64_t address);

#endif
