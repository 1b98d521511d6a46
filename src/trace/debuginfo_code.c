/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfo_code.c - see debuginfo_code.h. */
#include "trace/debuginfo_code.h"

#include <dwarf.h>
#include <string.h>

#include "trace/debuginfo_in.h"

#define NAMESPACES_MAX 32 /* damaged debug info may nest without end */

/* ---- addresses and bytes ---- */

/* From DWARF's addresses to those of the ELF file. */
static uint64_t elf_address(const struct debuginfo *info, uint64_t pc)
{
	return pc + info->dwarf_bias - info->elf_bias;
}

static uint64_t dwarf_address(const struct debuginfo *info, uint64_t address)
{
	return address + info->elf_bias - info->dwarf_bias;
}

bool debuginfo_address(const struct debuginfo *info, uint64_t offset, uint64_t *pc)
{
	if (!offset_to_address(info, offset, pc))
		return false;
	*pc -= info->dwarf_bias;
	return true;
}

size_t debuginfo_code(const struct debuginfo *info, uint64_t pc, void *to, size_t size)
{
	uint64_t address = elf_address(info, pc);
	size_t count, total;
	const char *file = elf_rawfile(info->elf, &total);

	if (!file || elf_getphdrnum(info->elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(info->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		uint64_t in = address - header.p_vaddr;
		if (address < header.p_vaddr || in >= header.p_filesz || header.p_offset >= total ||
		    in >= total - header.p_offset)
			continue;
		uint64_t left = header.p_filesz - in, there = total - header.p_offset - in;
		if (left > there)
			left = there;
		if (size > left)
			size = left;
		memcpy(to, file + header.p_offset + in, size);
		return size;
	}
	return 0;
}

/* ---- scopes ---- */

static struct unit *unit_at(struct debuginfo *info, uint64_t pc)
{
	const struct span *span = spans_find(&info->unit_spans, pc);

	return span ? &info->units.at[span->id] : NULL;
}

static bool tag_is_scope(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

/* The child of `parent` that is a scope and contains pc. */
static bool scope_inside(Dwarf_Die *parent, uint64_t pc, Dwarf_Die *inside)
{
	if (dwarf_child(parent, inside) != 0)
		return false;
	do
		if (tag_is_scope(dwarf_tag(inside)) && dwarf_haspc(inside, pc) > 0)
			return true;
	while (dwarf_siblingof(inside, inside) == 0);
	return false;
}

size_t debuginfo_scopes(struct debuginfo *info, uint64_t pc, Dwarf_Die *scopes, size_t max)
{
	struct unit *unit = unit_at(info, pc);
	const struct span *span = unit ? unit_function(unit, pc) : NULL;
	size_t count = 0;

	if (!span || !max)
		return 0;
	scopes[count++] = unit->functions.at[span->id];
	while (count < max && scope_inside(&scopes[count - 1], pc, &scopes[count]))
		count++;
	return count;
}

bool debuginfo_begins(struct debuginfo *info, uint64_t pc, Dwarf_Die *function)
{
	struct unit *unit = unit_at(info, pc);
	const struct span *span = unit ? unit_function(unit, pc) : NULL;
	Dwarf_Addr entry;

	if (!span)
		return false;
	*function = unit->functions.at[span->id];
	return dwarf_entrypc(function, &entry) == 0 && entry == pc;
}

/* ---- frames ---- */

static bool cfa_from(Dwarf_CFI *cfi, uint64_t address, unsigned *reg, int64_t *plus)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t count;
	bool found = false;

	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame) != 0)
		return false;
	if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1) {
		if (ops[0].atom == DW_OP_bregx) {
			*reg = (unsigned)ops[0].number;
			*plus = (int64_t)ops[0].number2;
			found = true;
		} else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
			*reg = ops[0].atom - DW_OP_breg0;
			*plus = (int64_t)ops[0].number;
			found = true;
		}
	}
	free(frame);
	return found;
}

bool debuginfo_cfa(struct debuginfo *info, uint64_t pc, unsigned *reg, int64_t *plus)
{
	uint64_t address = pc + info->dwarf_bias;
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(info->module, &bias);

	if (cfa_from(cfi, address - bias, reg, plus))
		return true;
	cfi = dwfl_module_dwarf_cfi(info->module, &bias);
	return cfa_from(cfi, address - bias, reg, plus);
}

/* ---- globals ---- */

static bool static_address(Dwarf_Die *variable, uint64_t *address)
{
	Dwarf_Attribute attribute, real;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(variable, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0 ||
	    count != 1)
		return false;
	if (ops[0].atom == DW_OP_addr) {
		*address = ops[0].number;
		return true;
	}
	return ops[0].atom == DW_OP_addrx && dwarf_getlocation_attr(&attribute, ops, &real) == 0 &&
	       dwarf_formaddr(&real, address) == 0;
}

static void globals_collect(struct debuginfo *info, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die, type;
	Dwarf_Attribute attribute;
	Dwarf_Word size;
	uint64_t address;

	if (depth > NAMESPACES_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_namespace)
			globals_collect(info, &die, depth + 1);
		if (tag != DW_TAG_variable || !static_address(&die, &address) || !address)
			continue;
		if (!dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), &type) ||
		    dwarf_aggregate_size(&type, &size) != 0 || address + size < address)
			continue;
		spans_add(&info->global_spans, address, address + size, 0, (uint32_t)info->globals.count);
		vec_push(&info->globals, die);
	} while (dwarf_siblingof(&die, &die) == 0);
}

bool debuginfo_global(struct debuginfo *info, uint64_t address, Dwarf_Die *variable, uint64_t *start)
{
	if (!info->globals_read) {
		info->globals_read = true;
		for (size_t i = 0; i < info->units.count; i++)
			globals_collect(info, &info->units.at[i].root, 0);
		spans_sort(&info->global_spans);
	}
	const struct span *span = spans_find(&info->global_spans, address);
	if (!span)
		return false;
	*variable = info->globals.at[span->id];
	*start = span->low;
	return true;
}

/* ---- symbols of other modules ---- */

/* The symbol of the relocation in section `scn` that writes to the slot. */
static const char *relocation_symbol(Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, uint64_t slot, GElf_Sym *symbol)
{
	Elf_Data *data = elf_getdata(scn, NULL), *symbols;
	Elf_Scn *table = elf_getscn(elf, header->sh_link);
	GElf_Shdr table_header;
	GElf_Rela rela;

	if (!data || !header->sh_entsize || !gelf_getshdr(table, &table_header) ||
	    (table_header.sh_type != SHT_DYNSYM && table_header.sh_type != SHT_SYMTAB) ||
	    !(symbols = elf_getdata(table, NULL)))
		return NULL;
	for (int i = 0; gelf_getrela(data, i, &rela); i++)
		if (rela.r_offset == slot && gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), symbol))
			return elf_strptr(elf, table_header.sh_link, symbol->st_name);
	return NULL;
}

const char *debuginfo_slot(struct debuginfo *info, uint64_t slot, uint64_t *address)
{
	Elf_Scn *scn = NULL;
	GElf_Sym symbol = {0};

	while ((scn = elf_nextscn(info->elf, scn))) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_RELA)
			continue;
		const char *name = relocation_symbol(info->elf, scn, &header, elf_address(info, slot), &symbol);
		if (!name || !*name)
			continue;
		*address = symbol.st_shndx == SHN_UNDEF ? 0 : dwarf_address(info, symbol.st_value);
		return name;
	}
	return NULL;
}

/* The slot that a stub of the procedure linkage table jumps through: JMP *slot(%rip), maybe after ENDBR64. */
static bool stub_slot(const struct debuginfo *info, uint64_t pc, uint64_t *slot)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[16] = {0};
	size_t at = 0;
	int32_t distance;

	debuginfo_code(info, pc, code, sizeof(code));
	if (!memcmp(code, endbr, sizeof(endbr)))
		at += sizeof(endbr);
	if (code[at] == 0xf2) /* BND */
		at++;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&distance, code + at + 2, sizeof(distance));
	*slot = pc + at + 6 + (uint64_t)(int64_t)distance;
	return true;
}

const char *debuginfo_callee(struct debuginfo *info, uint64_t address)
{
	uint64_t slot, there;
	GElf_Off into;
	GElf_Sym symbol;

	if (stub_slot(info, address, &slot))
		return debuginfo_slot(info, slot, &there);
	const char *name =
		dwfl_module_addrinfo(info->module, address + info->dwarf_bias, &into, &symbol, NULL, NULL, NULL);
	return name && into == 0 ? name : NULL;
}
