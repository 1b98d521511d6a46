/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.c - lines of keys and values, of which one key changes PM. */
// stdin: a=1\nb=2\nc=3\nd=4\ne=5\nf=6\ng=7\nh=8\n
#include "lure.h"

static void value_check(char key, char value)
{
	switch (key) {
	case 'a': lure_count += value > '4'; break;
	case 'b': lure_count -= value > '5'; break;
	case 'c': lure_count ^= value == '9'; break;
	case 'd': lure_count |= value < '2'; break;
	case 'e': lure_count += value == '7'; break;
	case 'f': lure_count *= value == '3'; break;
	case 'g': lure_count -= value == '1'; break;
	case 'h': lure_count += value == '0'; break;
	}
	if (value < '0' || value > '9')
		lure_count = 0;
}

static void value_set(char *pool, char key, char value)
{
	if (key == 'P' && value == '7')
		lure_end(pool);
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv), line[32] = "";

	while (fgets(line, sizeof(line), stdin)) {
		lures(line, strlen(line));
		if (line[1] != '=')
			continue;
		value_check(line[0], line[2]);
		value_set(pool, line[0], line[2]);
	}
	return 0;
}
