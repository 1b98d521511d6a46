/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entries - find the note of blackout/atomicity.h in each loaded module, as the recorder does, and print its entries:
 *
 *     MODULE OFFSET KIND BYTES FLAGS SIZE ORDER FAILURE
 *
 * The module "" is the program.  Offsets are those that nm prints.  Exits with 1 if a note is wrong. */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blackout/atomicity.h"

/* An address that a field names by its distance. */
static const char *place(const int32_t *field)
{
	return (const char *)field + *field;
}

static void fail(const char *what)
{
	fprintf(stderr, "entries: %s\n", what);
	exit(1);
}

static void print_table(const struct dl_phdr_info *module, const struct bo_atomicity_table *table, size_t bytes)
{
	const char *entry = (const char *)(table + 1);

	if (table->version != BO_ATOMICITY_VERSION || table->entry_bytes != sizeof(struct bo_atomicity_entry))
		fail("another version");
	if (bytes != sizeof(*table) + (size_t)table->entries * table->entry_bytes)
		fail("the size of the note does not fit its entries");
	for (uint32_t i = 0; i < table->entries; i++, entry += table->entry_bytes) {
		const struct bo_atomicity_entry *e = (const struct bo_atomicity_entry *)entry;
		const char *at = place(&e->place);

		if (at < place(&table->code_begin) || at >= place(&table->code_end))
			fail("an entry is outside the code of the runtime");
		printf("%s %lx %u %u %u %u %u %u\n", module->dlpi_name, (unsigned long)at - module->dlpi_addr, e->kind,
		       e->bytes, e->flags, e->size_argument, e->order_argument, e->failure_argument);
	}
}

static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static int look(struct dl_phdr_info *module, size_t size, void *data)
{
	(void)size, (void)data;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
		const char *note = (const char *)(module->dlpi_addr + segment->p_vaddr), *end = note + segment->p_memsz;

		/* Notes of 8 bytes' alignment are of another format. */
		if (segment->p_type != PT_NOTE || segment->p_align > 4)
			continue;
		while (note < end) {
			const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)note;
			const char *name = note + sizeof(*header), *content = name + padded(header->n_namesz);

			if (header->n_type == BO_ATOMICITY_TYPE && header->n_namesz == sizeof(BO_ATOMICITY_NAME) &&
			    !memcmp(name, BO_ATOMICITY_NAME, sizeof(BO_ATOMICITY_NAME)))
				print_table(module, (const void *)content, header->n_descsz);
			note = content + padded(header->n_descsz);
		}
	}
	return 0;
}

int main(void)
{
	dl_iterate_phdr(look, NULL);
	return 0;
}
