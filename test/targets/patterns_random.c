/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns_random.c - argv[2] random stores, flushes and fences, by the seed in argv[3].  Twelve lines are stored to
 * through the cache, four past it. */
// needs: clwb clflushopt
// link: -Wl,-z,now
#include "target.h"

enum { CACHED_LINES = 12, DIRECT_LINES = 4, LINE = 64 };

static uint64_t seed;

static unsigned random_below(unsigned limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % limit;
}

int main(int argc, char **argv)
{
	char *p, *v;

	CHECK(argc == 4);
	seed = strtoul(argv[3], NULL, 10) * 0x9e3779b97f4a7c15ul;
	p = pool_create(argv[1]);
	v = volatile_create();
	for (long n = strtol(argv[2], NULL, 10); n > 0; n--) {
		/* Few words and few values, so that stores meet, and many are silent. */
		char *word = p + LINE * random_below(CACHED_LINES) + 24 * random_below(2);
		char *direct = p + LINE * (CACHED_LINES + random_below(DIRECT_LINES)) + 8 * random_below(2);
		unsigned value = random_below(3);

		switch (random_below(14)) {
		case 0:
		case 1:
		case 2:
		case 3: ST8(word, value); break;
		case 4: __asm__ volatile("movnti %1, (%0)" : : "r"(direct), "r"((uint64_t)value) : "memory"); break;
		case 5:
		case 6:
		case 7: CLWB(word + random_below(40)); break;
		case 8: CLFLUSHOPT(word); break;
		case 9: CLFLUSH(word + 1); break;
		case 10: SFENCE(); break;
		case 11: MFENCE(); break;
		case 12: __asm__ volatile("lock addq $1, (%0)" : : "r"(v) : "memory"); break;
		case 13: CLWB(v); break;
		}
	}
	_exit(0);
}
