/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variables.c - prints the names of what the instructions of a program store to.
 *
 *     variables PROGRAM [SOURCE]
 *
 * A line for each instruction that stores elsewhere than to the stack, and for each call of memcpy and the like:
 *
 *     LINE<tab>OFFSET<tab>NAME<tab>TYPE+OFFSET<tab>SIZE
 *
 * LINE is "file.c:12".  A name that is not known is "-".  With SOURCE, only the lines of the file of that name. */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flow/insn.h"
#include "trace/debuginfo_code.h"
#include "variable/copier.h"
#include "variable/effect.h"
#include "variable/variable.h"

static struct symbols *symbols;
static struct trace_module module;
static const char *source;
static struct arena arena;

/* A store that is not to the stack. */
static bool is_store(const uint8_t *code)
{
	struct effect_store store;

	if (!effect_stores(code, &store) || store.memory.base == REG_RSP)
		return false;
	return store.memory.base != REG_RBP || store.memory.index != X86_NONE || store.memory.displacement > 0;
}

static void print_name(uint64_t offset, const char *copier)
{
	const struct symbols_frame *frames;
	size_t count = symbols_lookup(symbols, &module, offset, copier, &frames), i = 0;
	struct variable v;

	while (i < count && source && (!frames[i].file || strcmp(frames[i].file, source) != 0))
		i++;
	if (i == count || !frames[i].line)
		return;
	printf("%s:%" PRIu32 "\t0x%" PRIx64 "\t", frames[i].file, frames[i].line, offset);
	if (!variable_find_at(symbols, &module, offset, copier, 0, 0, &arena, &v))
		printf("-\t-\t0\n");
	else if (v.type)
		printf("%s\t%s+%" PRIu64 "\t%" PRIu64 "\n", v.text, v.type, v.offset, v.size);
	else
		printf("%s\t-\t%" PRIu64 "\n", v.text, v.size);
}

static void scan(const uint8_t *bytes, uint64_t start, uint64_t size)
{
	struct debuginfo *info = symbols_debuginfo(symbols, &module);

	for (uint64_t at = 0; at < size;) {
		uint8_t code[FLOW_INSN_BYTES] = {0};
		uint64_t pc;

		memcpy(code, bytes + start + at, size - at < sizeof(code) ? size - at : sizeof(code));
		if (!info || !debuginfo_address(info, start + at, &pc))
			return;
		struct flow_insn insn = flow_insn_read(code, pc);
		const char *callee = insn.kind == FLOW_CALL ? debuginfo_callee(info, insn.target) : NULL;
		struct copier copier;
		if (callee && copier_find(callee, &copier))
			print_name(start + at + insn.length, callee);
		else if ((insn.kind == FLOW_PLAIN || insn.kind == FLOW_REPEAT) && is_store(code))
			print_name(start + at, NULL);
		at += insn.length ? insn.length : 1;
	}
}

int main(int argc, char **argv)
{
	struct stat st;
	Elf_Scn *scn = NULL;
	size_t names;

	if (argc < 2 || stat(argv[1], &st) < 0)
		return 2;
	source = argv[2];
	module = (struct trace_module){.path = realpath(argv[1], NULL),
				       .file_size = (uint64_t)st.st_size,
				       .mtime = (uint64_t)st.st_mtime};
	symbols = symbols_open(NULL);
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(open(argv[1], O_RDONLY), ELF_C_READ, NULL);
	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return 3;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		size_t total;
		const uint8_t *bytes = (const uint8_t *)elf_rawfile(elf, &total);

		if (gelf_getshdr(scn, &header) && (header.sh_flags & SHF_EXECINSTR) && header.sh_type == SHT_PROGBITS)
			scan(bytes, header.sh_offset, header.sh_size);
	}
	return 0;
}
