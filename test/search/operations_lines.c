/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operations_lines.c - a command a line, as drivers of maps read them: only a key that was inserted can be removed. */
// symbolic: stdin
// stdin: h\n
// trigger stdin: i7\nr7\n
#include "search.h"

enum { SLOTS = 4 };

static uint64_t *slot(char *pool, unsigned i)
{
	return (uint64_t *)(pool + (1 + i) * LINE);
}

/* The slot that has a key; or one that is empty, for key 0. */
static int find(char *pool, uint64_t key)
{
	for (unsigned i = 0; i < SLOTS; i++)
		if (*slot(pool, i) == key)
			return (int)i;
	return -1;
}

static void insert(char *pool, uint64_t key)
{
	int i = find(pool, 0);

	if (i >= 0 && key)
		SAVE(slot(pool, (unsigned)i), key);
}

static void remove_key(char *pool, uint64_t key)
{
	int i = key ? find(pool, key) : -1;

	if (i >= 0)
		ST8(slot(pool, (unsigned)i), 0); //! missing-flush error
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[64];
	unsigned long key = 0;

	while (fgets(line, sizeof(line), stdin)) {
		bool has_key = sscanf(line + 1, "%lu", &key) == 1;
		switch (line[0]) {
		case 'h': puts("i, r, c KEY; p; q"); break;
		case 'i':
			if (has_key)
				insert(pool, key);
			break;
		case 'r':
			if (has_key)
				remove_key(pool, key);
			break;
		case 'c':
			if (has_key)
				printf("%d\n", find(pool, key));
			break;
		case 'p': printf("%d free\n", find(pool, 0)); break;
		case 'q': return 0;
		}
	}
	return 0;
}
