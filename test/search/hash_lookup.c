/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash_lookup.c - a word is found in a hash table of words. */
// symbolic: stdin
// stdin: cherry\n
// trigger stdin: vacuum\n
#include "search.h"

enum { SLOTS = 4 };

static const char *const words[] = {"apple", "insert", "vacuum"};
static const char *slots[SLOTS];

static unsigned hash(const char *word)
{
	unsigned h = 5381;

	for (; *word; word++)
		h = h * 33 + (unsigned char)*word;
	return h % SLOTS;
}

static const char *find(const char *word)
{
	for (unsigned at = hash(word); slots[at]; at = (at + 1) % SLOTS)
		if (!strcmp(slots[at], word))
			return slots[at];
	return NULL;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), word[32] = "";

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		unsigned at = hash(words[i]);

		while (slots[at])
			at = (at + 1) % SLOTS;
		slots[at] = words[i];
	}
	SAVE(pool, 1);
	if (scanf("%31s", word) == 1 && find(word) == words[2])
		ST8(pool, 2); //! missing-flush error
	return 0;
}
