/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct_header.c - a header with fields of several sizes. */
// symbolic: stdin
// stdin: 0123456789abcdef
// trigger stdin: BLKO\x02\x00\x10\x00\x0c\x00\x00\x00\xff\xff\xff\xff
#include "search.h"

struct header {
	char magic[4];
	uint16_t version, flags;
	uint32_t entries;
	int32_t next;
};

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	struct header h;

	SAVE(pool, 1);
	if (fread(&h, sizeof(h), 1, stdin) != 1 || memcmp(h.magic, "BLKO", 4) != 0)
		return 0;
	if (h.version != 2 || !(h.flags & 0x10))
		return 0;
	if (h.entries > 10 && h.entries < 20 && h.next < 0)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
