/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfo.c - one ELF file and its debug info; see debuginfo.h.
 *
 * Three tables of address ranges are used for lookups: the compilation units of the module (built when it is opened),
 * the functions of a unit (built at the first lookup in it), and the ELF symbols (built when DWARF has no name).
 * libdw's own dwarf_getscopes walks a whole unit for every address and needs .debug_aranges, which clang does not
 * write; hence the tables.  Inside a function the tree is walked.
 *
 * "Address" here is libdwfl's: the ELF virtual address plus the bias that it chose for the module.  DWARF has its own
 * bias, which differs only if a separate debug file was made before prelinking. */
#include "trace/debuginfo.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "trace/debuginfo_in.h"

/* Find separate debug info on the local disk only. libdwfl queries a debuginfod server if the environment names one,
 * which could take minutes per module, and the variable is its only switch.  It is restored afterwards, because the
 * user's commands run in this environment. */
static int debuginfo_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, const char *file,
			  const char *link, GElf_Word crc, char **found)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	char *saved = servers ? strdup(servers) : NULL;

	unsetenv("DEBUGINFOD_URLS");
	int fd = dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc, found);
	if (saved)
		setenv("DEBUGINFOD_URLS", saved, 1);
	free(saved);
	return fd;
}

/* ---- compilation units ---- */

/* Functions discarded by the linker keep their ranges, moved to address 0 (or, by some linkers, to the highest
 * addresses). */
static bool range_is_dead(Dwarf_Addr low, Dwarf_Addr high)
{
	return low == 0 || low >= high || low >= (Dwarf_Addr)-2;
}

static void spans_add_die(struct spans *spans, Dwarf_Die *die, uint32_t id)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &low, &high)) > 0)
		if (!range_is_dead(low, high))
			spans_add(spans, low, high, 0, id);
}

static void units_read(struct debuginfo *info, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		spans_add_die(&info->unit_spans, &die, (uint32_t)info->units.count);
		vec_push(&info->units,
			 ((struct unit){.lines = die, .root = type == DW_UT_skeleton && split.addr ? split : die}));
	}
	spans_sort(&info->unit_spans);
}

/* ---- functions of a unit ---- */

/* Entries that may contain functions with code: nested C functions stand in blocks of others, Rust's in types. */
static bool tag_holds_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: return true;
	default: return false;
	}
}

static void functions_collect(struct unit *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > 200 || dwarf_child(parent, &die) != 0) /* damaged debug info may nest without end */
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram) {
			spans_add_die(&unit->function_spans, &die, (uint32_t)unit->functions.count);
			vec_push(&unit->functions, die);
		}
		if (tag_holds_functions(tag))
			functions_collect(unit, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* Types may be in another unit, which this one imports. */
static bool unit_has_types(Dwarf_Die *root)
{
	Dwarf_Die die;

	if (dwarf_child(root, &die) != 0)
		return false;
	do
		switch (dwarf_tag(&die)) {
		case DW_TAG_base_type:
		case DW_TAG_pointer_type:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_imported_unit: return true;
		default: break;
		}
	while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

const struct span *unit_function(struct unit *unit, Dwarf_Addr pc)
{
	if (!unit->read) {
		unit->read = true;
		functions_collect(unit, &unit->root, 0);
		unit->typed = unit_has_types(&unit->root);
		spans_sort(&unit->function_spans);
	}
	return spans_find(&unit->function_spans, pc);
}

/* ---- scopes inside a function ---- */

/* Collect the inlined calls that contain pc, outermost first. */
static size_t inlined_collect(const Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die *inlined, size_t max)
{
	Dwarf_Die parent = *function, die;
	size_t count = 0;

	for (int depth = 0; depth < 1000 && dwarf_child(&parent, &die) == 0; depth++) {
		int tag;

		for (;;) {
			tag = dwarf_tag(&die);
			if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
			     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
			    dwarf_haspc(&die, pc) > 0)
				break;
			if (dwarf_siblingof(&die, &die) != 0)
				return count;
		}
		if (tag == DW_TAG_inlined_subroutine && count < max)
			inlined[count++] = die;
		parent = die;
	}
	return count;
}

static uint32_t attribute_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
		return 0;
	return (uint32_t)value;
}

/* Relative paths are relative to the compiler's working directory. */
static const char *path_absolute(struct debuginfo *info, struct unit *unit, const char *path)
{
	Dwarf_Attribute attribute;
	char joined[PATH_MAX];

	if (!path || *path == '/')
		return path;
	const char *dir = dwarf_formstring(dwarf_attr(&unit->lines, DW_AT_comp_dir, &attribute));
	if (!dir || *dir != '/')
		return path;
	if (!path_format(joined, sizeof(joined), "%s/%s", dir, path))
		return path;
	return arena_copy(&info->paths, joined, strlen(joined));
}

static const char *unit_file(struct debuginfo *info, struct unit *unit, uint32_t index)
{
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(&unit->root, &files, &count) != 0 || index >= count)
		return NULL;
	return path_absolute(info, unit, dwarf_filesrc(files, index, NULL, NULL));
}

static void frame_set_line(struct debuginfo *info, struct unit *unit, Dwarf_Addr pc, struct debuginfo_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->lines, pc);
	int number = 0;

	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0) /* line 0: the compiler gave none */
		return;
	frame->line = (uint32_t)number;
	if (dwarf_linecol(line, &number) == 0 && number > 0)
		frame->column = (uint32_t)number;
	frame->path = path_absolute(info, unit, dwarf_linesrc(line, NULL, NULL));
}

/* Fill the frame of the code at pc, then one for each function it is inlined into.  Returns 0 if no function of the
 * unit contains pc; frames[0] has the line even then. */
static size_t frames_fill(struct debuginfo *info, struct unit *unit, Dwarf_Addr pc, struct debuginfo_frame *frames)
{
	Dwarf_Die inlined[DEBUGINFO_FRAMES_MAX - 1];
	const struct span *span = unit_function(unit, pc);
	size_t count = 0;

	frame_set_line(info, unit, pc, &frames[0]);
	if (!span)
		return 0;
	Dwarf_Die *function = &unit->functions.at[span->id];
	for (size_t i = inlined_collect(function, pc, inlined, DEBUGINFO_FRAMES_MAX - 1); i > 0; i--) {
		Dwarf_Die *call = &inlined[i - 1];

		frames[count].function = names_of_die(info->names, call);
		frames[count].signature = signature_of_die(call, unit->typed);
		frames[count++].inlined = true;
		frames[count].line = attribute_number(call, DW_AT_call_line);
		frames[count].column = attribute_number(call, DW_AT_call_column);
		frames[count].path = unit_file(info, unit, attribute_number(call, DW_AT_call_file));
	}
	frames[count].function = names_of_die(info->names, function);
	frames[count].signature = signature_of_die(function, unit->typed);
	frames[count].into = pc - span->low;
	return count + 1;
}

/* ---- ELF symbols ---- */

static bool symbol_is_code(const GElf_Sym *symbol, Elf *elf, GElf_Word section)
{
	GElf_Shdr header;
	int type = GELF_ST_TYPE(symbol->st_info);

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	return gelf_getshdr(elf_getscn(elf, section), &header) && (header.sh_flags & SHF_EXECINSTR);
}

/* If an address has several names, prefer the one that other code uses: global before weak before local; a function
 * before a label. */
static uint32_t symbol_rank(const GElf_Sym *symbol)
{
	int binding = GELF_ST_BIND(symbol->st_info);

	return (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 0u : 4u) + (binding == STB_GLOBAL ? 2u
									  : binding == STB_WEAK ? 1u
												: 0u);
}

/* One pass over the symbol table: either the sized symbols (`sized`), or those without a size that no sized symbol
 * covers.  The latter come from assembly and are assumed to end where the next symbol starts. */
static void symbols_collect(struct debuginfo *info, bool sized, struct spans *found)
{
	int count = dwfl_module_getsymtab(info->module);

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(info->module, i, &symbol, &address, &section, &elf, NULL);

		if (!name || !*name || (symbol.st_size != 0) != sized || !symbol_is_code(&symbol, elf, section))
			continue;
		if (!sized && spans_find(&info->symbol_spans, address))
			continue;
		info->symbols[info->symbol_count] = name;
		spans_add(found, address, address + (sized ? symbol.st_size : 1), symbol_rank(&symbol),
			  (uint32_t)info->symbol_count++);
	}
}

static void symbols_read(struct debuginfo *info)
{
	int count = dwfl_module_getsymtab(info->module);
	struct spans unsized = {0};

	info->symbols_read = true;
	if (count <= 0)
		return;
	info->symbols = mem_alloc((size_t)count * sizeof(*info->symbols));
	symbols_collect(info, true, &info->symbol_spans);
	spans_sort(&info->symbol_spans);
	symbols_collect(info, false, &unsized);
	spans_sort(&unsized);
	for (size_t i = 0; i < unsized.count; i++) {
		const struct span *span = &unsized.at[i];
		uint64_t end = spans_next(&unsized, span->low), other = spans_next(&info->symbol_spans, span->low);

		unsized.at[i].high = end < other ? end : other;
	}
	for (size_t i = 0; i < unsized.count; i++)
		spans_add(&info->symbol_spans, unsized.at[i].low, unsized.at[i].high, unsized.at[i].rank,
			  unsized.at[i].id);
	spans_sort(&info->symbol_spans);
	spans_free(&unsized);
}

static bool frame_set_symbol(struct debuginfo *info, uint64_t address, struct debuginfo_frame *frame)
{
	if (!info->symbols_read)
		symbols_read(info);
	const struct span *span = spans_find(&info->symbol_spans, address);
	if (!span)
		return false;
	frame->function = names_of_symbol(info->names, info->symbols[span->id]);
	frame->into = address - span->low;
	return true;
}

/* ---- the file ---- */

static int debuginfo_load(struct debuginfo *info, const char *path)
{
	info->dwfl = dwfl_begin(&info->callbacks);
	if (!info->dwfl)
		return -1;
	dwfl_report_begin(info->dwfl);
	info->module = dwfl_report_offline(info->dwfl, path, path, -1);
	dwfl_report_end(info->dwfl, NULL, NULL);
	if (!info->module)
		return -1;
	info->elf = dwfl_module_getelf(info->module, &info->elf_bias);
	if (!info->elf)
		return -1;
	Dwarf *dwarf = dwfl_module_getdwarf(info->module, &info->dwarf_bias);
	if (dwarf)
		units_read(info, dwarf);
	return 0;
}

struct debuginfo *debuginfo_open(const char *path, const char *debug_path)
{
	struct debuginfo *info = mem_alloc(sizeof(*info));

	info->names = names_open();
	info->callbacks.find_debuginfo = debuginfo_find;
	info->callbacks.section_address = dwfl_offline_section_address;
	if (debug_path) {
		info->debug_path = strdup(debug_path);
		info->callbacks.debuginfo_path = &info->debug_path;
	}
	if (debuginfo_load(info, path) < 0) {
		debuginfo_close(info);
		return NULL;
	}
	return info;
}

void debuginfo_close(struct debuginfo *info)
{
	for (size_t i = 0; i < info->units.count; i++) {
		spans_free(&info->units.at[i].function_spans);
		vec_free(&info->units.at[i].functions);
	}
	vec_free(&info->units);
	spans_free(&info->unit_spans);
	spans_free(&info->symbol_spans);
	spans_free(&info->global_spans);
	vec_free(&info->globals);
	free(info->symbols);
	names_close(info->names);
	arena_free(&info->paths);
	if (info->dwfl)
		dwfl_end(info->dwfl);
	free(info->debug_path);
	free(info);
}

/* Search executable segments first, because two segments may share a page of the file. */
bool offset_to_address(const struct debuginfo *info, uint64_t offset, uint64_t *address)
{
	size_t count;
	bool found = false;

	if (elf_getphdrnum(info->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(info->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		if (offset < header.p_offset || offset - header.p_offset >= header.p_filesz)
			continue;
		if (found && !(header.p_flags & PF_X))
			continue;
		*address = header.p_vaddr + (offset - header.p_offset) + info->elf_bias;
		found = true;
	}
	return found;
}

size_t debuginfo_lookup(struct debuginfo *info, uint64_t offset, struct debuginfo_frame *frames)
{
	uint64_t address = 0;
	size_t count = 0;

	memset(frames, 0, DEBUGINFO_FRAMES_MAX * sizeof(*frames));
	if (!offset_to_address(info, offset, &address))
		return 0;
	const struct span *span = spans_find(&info->unit_spans, address - info->dwarf_bias);
	if (span)
		count = frames_fill(info, &info->units.at[span->id], address - info->dwarf_bias, frames);
	if (count && frames[count - 1].function)
		return count;
	if (!count)
		count = 1;
	return frame_set_symbol(info, address, &frames[count - 1]) || frames[0].line ? count : 0;
}

bool debuginfo_has_lines(const struct debuginfo *info)
{
	return info->unit_spans.count != 0;
}

bool debuginfo_has_names(const struct debuginfo *info)
{
	return dwfl_module_getsymtab(info->module) > 1;
}
