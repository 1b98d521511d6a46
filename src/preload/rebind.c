/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rebind.c - walks the relocations of a library; see rebind.h. */
#include "preload/rebind.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

struct table {
	const Elf64_Rela *at;
	size_t count;
};

struct library {
	const char *prefix;
	bool found;
	uintptr_t base;
	void *read_only; /* pages that the dynamic linker has made so after relocation */
	size_t read_only_bytes;
	const Elf64_Sym *symbols;
	const char *strings;
	struct table tables[2]; /* data, and calls */
};

/* The dynamic linker has added the base to most addresses of the dynamic section, but not in every library. */
static const void *address_of(const struct library *l, const Elf64_Dyn *d)
{
	return (const void *)(d->d_un.d_ptr < l->base ? d->d_un.d_ptr + l->base : d->d_un.d_ptr);
}

static void dynamic_read(struct library *l, const Elf64_Dyn *d)
{
	for (; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_SYMTAB: l->symbols = address_of(l, d); break;
		case DT_STRTAB: l->strings = address_of(l, d); break;
		case DT_RELA: l->tables[0].at = address_of(l, d); break;
		case DT_RELASZ: l->tables[0].count = d->d_un.d_val / sizeof(Elf64_Rela); break;
		case DT_JMPREL: l->tables[1].at = address_of(l, d); break;
		case DT_PLTRELSZ: l->tables[1].count = d->d_un.d_val / sizeof(Elf64_Rela); break;
		default: break;
		}
	}
}

static void relro_read(struct library *l, uintptr_t from, size_t bytes)
{
	uintptr_t first = from & -(uintptr_t)PAGE, end = (from + bytes) & -(uintptr_t)PAGE;

	l->read_only = (void *)first;
	l->read_only_bytes = end - first;
}

static int library_look(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	struct library *l = arg;

	(void)size;
	if (strncmp(slash ? slash + 1 : info->dlpi_name, l->prefix, strlen(l->prefix)) != 0)
		return 0;
	l->base = info->dlpi_addr;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_DYNAMIC)
			dynamic_read(l, (const void *)(l->base + p->p_vaddr));
		if (p->p_type == PT_GNU_RELRO)
			relro_read(l, l->base + p->p_vaddr, p->p_memsz);
	}
	l->found = l->symbols && l->strings;
	return 1;
}

/* The place of the library that has the address of this function; NULL: the relocation is about something else. */
static void **slot_of(const struct library *l, const Elf64_Rela *r, const struct rebind_function *f)
{
	const Elf64_Sym *symbol = &l->symbols[ELF64_R_SYM(r->r_info)];
	uint32_t type = ELF64_R_TYPE(r->r_info);
	bool named = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
	bool variable = type == R_X86_64_64 && !r->r_addend;

	if (!variable && (!named || f->variables))
		return NULL;
	if (symbol->st_shndx != SHN_UNDEF || strcmp(l->strings + symbol->st_name, f->name) != 0)
		return NULL;
	return (void **)(l->base + r->r_offset);
}

/* Calls are bound when they are first made, so their slots may lead into the library itself. */
static bool slot_is_bound_otherwise(void *const *slot, const Elf64_Rela *r, const struct rebind_function *f)
{
	return ELF64_R_TYPE(r->r_info) != R_X86_64_JUMP_SLOT && *slot != f->before;
}

static bool function_is_there(const struct library *l, const struct rebind_function *f)
{
	bool found = false;

	for (size_t t = 0; t < 2; t++) {
		for (size_t i = 0; i < l->tables[t].count; i++) {
			const Elf64_Rela *r = &l->tables[t].at[i];
			void **slot = slot_of(l, r, f);

			if (slot && slot_is_bound_otherwise(slot, r, f))
				return false;
			found = found || slot;
		}
	}
	return found || !f->required;
}

static void function_rebind(const struct library *l, const struct rebind_function *f)
{
	for (size_t t = 0; t < 2; t++) {
		for (size_t i = 0; i < l->tables[t].count; i++) {
			void **slot = slot_of(l, &l->tables[t].at[i], f);

			if (slot)
				*slot = f->by;
		}
	}
}

static bool slots_protect(const struct library *l, int prot)
{
	return !l->read_only_bytes || mprotect(l->read_only, l->read_only_bytes, prot) == 0;
}

bool rebind_library(const char *prefix, const struct rebind_function *functions, size_t count)
{
	struct library l = {.prefix = prefix};

	dl_iterate_phdr(library_look, &l);
	if (!l.found)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!function_is_there(&l, &functions[i]))
			return false;
	if (!slots_protect(&l, PROT_READ | PROT_WRITE))
		return false;
	for (size_t i = 0; i < count; i++)
		function_rebind(&l, &functions[i]);
	slots_protect(&l, PROT_READ);
	return true;
}
