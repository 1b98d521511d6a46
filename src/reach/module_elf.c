/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_elf.c - see module_elf.h. */
#include "reach/module_elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "x86/parts.h"

#define ADDRESS_MOST 0x7fffffffu /* code of larger files would not reach its own data */
#define CODE_MOST (256u << 20)   /* bytes from the first section to the last: more is no program, but damage */

/* .eh_frame_hdr: a version, three encodings, and with the usual ones a pointer, a count, and pairs of distances. */
enum {
	FRAMES_VERSION = 1,
	FRAMES_COUNT_PLAIN = 0x03, /* DW_EH_PE_udata4 */
	FRAMES_TABLE_SIGNED = 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
};

/* ---- bytes ---- */

static const uint8_t *loaded(const struct module_elf *e, uint64_t address, size_t *left)
{
	for (size_t i = 0; i < e->module->segments.count; i++) {
		const struct module_segment *s = &e->module->segments.at[i];

		if (address >= s->address && address - s->address < s->size) {
			*left = s->size - (address - s->address);
			return e->file + s->offset + (address - s->address);
		}
	}
	return NULL;
}

size_t module_elf_bytes(const struct module_elf *e, uint64_t address, void *to, size_t size)
{
	size_t left = 0;
	const uint8_t *from = loaded(e, address, &left);

	if (!from)
		return 0;
	if (size > left)
		size = left;
	memcpy(to, from, size);
	return size;
}

static void segments_read(struct module_elf *e, struct module *m)
{
	size_t count = 0;
	GElf_Phdr p;

	elf_getphdrnum(e->handle, &count);
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(e->handle, (int)i, &p) || p.p_type != PT_LOAD || !p.p_filesz)
			continue;
		if (p.p_offset >= e->size || p.p_filesz > e->size - p.p_offset || p.p_offset > ADDRESS_MOST ||
		    p.p_vaddr > ADDRESS_MOST || p.p_filesz > ADDRESS_MOST - p.p_vaddr)
			continue;
		vec_push(&m->segments,
			 ((struct module_segment){(uint32_t)p.p_vaddr, (uint32_t)p.p_offset, (uint32_t)p.p_filesz}));
	}
}

static int section_compare(const void *a, const void *b)
{
	const struct module_section *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void section_add(struct module_elf *e, const GElf_Shdr *h)
{
	size_t left = 0;
	const uint8_t *bytes = loaded(e, h->sh_addr, &left);

	if (bytes && h->sh_size && h->sh_size <= left)
		vec_push(&e->sections, ((struct module_section){(uint32_t)h->sh_addr, (uint32_t)h->sh_size, bytes}));
}

/* Ascending, without overlap. */
static void sections_sort(struct module_elf *e)
{
	size_t kept = 0;

	if (!e->sections.count)
		return;
	qsort(e->sections.at, e->sections.count, sizeof(*e->sections.at), section_compare);
	for (size_t i = 0; i < e->sections.count; i++) {
		const struct module_section *s = &e->sections.at[i], *before = &e->sections.at[kept ? kept - 1 : 0];

		if (kept && (s->address < before->address + before->size ||
			     s->address + s->size - e->sections.at[0].address > CODE_MOST))
			continue;
		e->sections.at[kept++] = *s;
	}
	e->sections.count = kept;
}

static bool is_code(const struct module_elf *e, uint64_t address)
{
	for (size_t i = 0; i < e->sections.count; i++)
		if (address - e->sections.at[i].address < e->sections.at[i].size)
			return true;
	return false;
}

static void start_add(struct module_elf *e, uint64_t address)
{
	if (is_code(e, address))
		vec_push(&e->starts, (uint32_t)address);
}

/* ---- symbols ---- */

static uint32_t name_add(struct module *m, const char *name)
{
	uint32_t at = (uint32_t)m->names.count;

	vec_append(&m->names, name, strlen(name) + 1);
	return at;
}

/* The cold part of a function is reached by jumps from its other part, and jumps back. */
static bool is_cold(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length > 5 && !strcmp(name + length - 5, ".cold");
}

static void symbols_read(struct module_elf *e, struct module *m, Elf_Scn *scn, const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym s;

	for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
		unsigned type = GELF_ST_TYPE(s.st_info);
		const char *name = elf_strptr(e->handle, h->sh_link, s.st_name);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s.st_shndx == SHN_UNDEF || is_cold(name) ||
		    !is_code(e, s.st_value))
			continue;
		vec_push(&e->starts, (uint32_t)s.st_value);
		if (h->sh_type == SHT_DYNSYM && name && *name)
			vec_push(&m->exports, ((struct module_export){name_add(m, name), (uint32_t)s.st_value}));
	}
}

/* ---- pointers ---- */

static void slot_add(struct module_elf *e, uint64_t at, struct module_slot slot)
{
	uint64_t *index = map_put(&e->slots, at, 0);

	vec_push(&e->slot, slot);
	*index = e->slot.count;
}

static const char *relocation_name(const struct module_elf *e, Elf_Scn *symbols, const GElf_Rela *r, GElf_Sym *s)
{
	Elf_Data *data = symbols ? elf_getdata(symbols, NULL) : NULL;
	GElf_Shdr h;

	if (!data || !gelf_getshdr(symbols, &h) || (h.sh_type != SHT_DYNSYM && h.sh_type != SHT_SYMTAB) ||
	    !gelf_getsym(data, (int)GELF_R_SYM(r->r_info), s))
		return NULL;
	return elf_strptr(e->handle, h.sh_link, s->st_name);
}

static void relocation_read(struct module_elf *e, struct module *m, Elf_Scn *symbols, const GElf_Rela *r)
{
	struct module_slot slot = {MODULE_NONE, MODULE_NONE};
	const char *name;
	GElf_Sym s = {0};

	switch (GELF_R_TYPE(r->r_info)) {
	case R_X86_64_RELATIVE:
	case R_X86_64_IRELATIVE: slot.local = (uint32_t)r->r_addend; break;
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_64:
		name = relocation_name(e, symbols, r, &s);
		if (!name || !*name)
			return;
		slot.name = name_add(m, name);
		if (s.st_shndx != SHN_UNDEF)
			slot.local = (uint32_t)(s.st_value + (uint64_t)r->r_addend);
		break;
	default: return;
	}
	slot_add(e, r->r_offset, slot);
	/* Slots for calls are no pointers that are passed around. */
	if (GELF_R_TYPE(r->r_info) != R_X86_64_JUMP_SLOT && slot.local != MODULE_NONE)
		vec_push(&e->pointers, slot.local);
}

static void relocations_read(struct module_elf *e, struct module *m, Elf_Scn *scn, const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Scn *symbols = h->sh_link ? elf_getscn(e->handle, h->sh_link) : NULL;
	GElf_Rela r;

	for (int i = 0; data && gelf_getrela(data, i, &r); i++)
		relocation_read(e, m, symbols, &r);
}

/* A file that is loaded at a fixed address has pointers without relocations. */
static void words_read(struct module_elf *e, const GElf_Shdr *h)
{
	size_t left = 0;
	const uint8_t *bytes = loaded(e, h->sh_addr, &left);
	uint64_t word;

	for (uint64_t i = 0; bytes && i + sizeof(word) <= h->sh_size && i + sizeof(word) <= left; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		if (word && word <= ADDRESS_MOST && is_code(e, word))
			vec_push(&e->pointers, (uint32_t)word);
	}
}

/* ---- frames ---- */

static void frames_read(struct module_elf *e, const GElf_Shdr *h)
{
	size_t left = 0;
	const uint8_t *at = loaded(e, h->sh_addr, &left);

	if (!at || left < 12 || at[0] != FRAMES_VERSION || at[2] != FRAMES_COUNT_PLAIN || at[3] != FRAMES_TABLE_SIGNED)
		return;
	uint32_t count = (uint32_t)x86_number_read(at + 8, 4);
	for (uint32_t i = 0; i < count && 12 + 8 * ((size_t)i + 1) <= left; i++)
		start_add(e, h->sh_addr + (uint64_t)(int64_t)x86_number_read(at + 12 + 8 * (size_t)i, 4));
}

/* ---- all sections ---- */

static void each_section(struct module_elf *e, struct module *m, bool code)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	size_t names = 0;

	elf_getshdrstrndx(e->handle, &names);
	while ((scn = elf_nextscn(e->handle, scn))) {
		if (!gelf_getshdr(scn, &h))
			continue;
		const char *name = elf_strptr(e->handle, names, h.sh_name);
		if (code) {
			if (h.sh_type == SHT_PROGBITS && (h.sh_flags & SHF_EXECINSTR))
				section_add(e, &h);
			continue;
		}
		if (h.sh_type == SHT_SYMTAB || h.sh_type == SHT_DYNSYM)
			symbols_read(e, m, scn, &h);
		else if (h.sh_type == SHT_RELA)
			relocations_read(e, m, scn, &h);
		else if (name && !strcmp(name, ".eh_frame_hdr"))
			frames_read(e, &h);
		else if (e->fixed && h.sh_type == SHT_PROGBITS && (h.sh_flags & SHF_ALLOC) &&
			 !(h.sh_flags & SHF_EXECINSTR))
			words_read(e, &h);
	}
}

static int number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void starts_sort(struct module_elf *e)
{
	size_t kept = 0;

	if (!e->starts.count)
		return;
	qsort(e->starts.at, e->starts.count, sizeof(*e->starts.at), number_compare);
	for (size_t i = 0; i < e->starts.count; i++)
		if (!kept || e->starts.at[kept - 1] != e->starts.at[i])
			e->starts.at[kept++] = e->starts.at[i];
	e->starts.count = kept;
}

bool module_elf_starts(const struct module_elf *e, uint64_t address)
{
	uint32_t key = (uint32_t)address;

	return address <= ADDRESS_MOST && e->starts.count &&
	       bsearch(&key, e->starts.at, e->starts.count, sizeof(key), number_compare);
}

const struct module_slot *module_elf_slot(const struct module_elf *e, uint64_t address)
{
	const uint64_t *index = map_get(&e->slots, address, 0);

	return index ? &e->slot.at[*index - 1] : NULL;
}

bool module_elf_open(struct module_elf *e, struct module *m, const char *path)
{
	GElf_Ehdr h;

	*e = (struct module_elf){.module = m};
	elf_version(EV_CURRENT);
	e->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (e->fd < 0)
		return false;
	e->handle = elf_begin(e->fd, ELF_C_READ_MMAP, NULL);
	e->file = e->handle ? (const uint8_t *)elf_rawfile(e->handle, &e->size) : NULL;
	if (!e->file || !gelf_getehdr(e->handle, &h) || h.e_machine != EM_X86_64 ||
	    (h.e_type != ET_DYN && h.e_type != ET_EXEC)) {
		module_elf_close(e);
		return false;
	}
	e->fixed = h.e_type == ET_EXEC;
	segments_read(e, m);
	each_section(e, m, true);
	sections_sort(e);
	each_section(e, m, false);
	starts_sort(e);
	return true;
}

void module_elf_close(struct module_elf *e)
{
	vec_free(&e->sections);
	vec_free(&e->starts);
	vec_free(&e->pointers);
	vec_free(&e->slot);
	map_free(&e->slots);
	elf_end(e->handle);
	close(e->fd);
}
