/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.c - 24 words that change nothing, and one that does. */
// stdin: none now\n
#include "lure.h"

static void describe(const char *word)
{
	if (!strcmp(word, "help"))
		lure_count += 1;
	if (!strcmp(word, "version"))
		lure_count += 2;
	if (!strcmp(word, "status"))
		lure_count += 3;
	if (!strcmp(word, "list"))
		lure_count += 4;
	if (!strcmp(word, "show"))
		lure_count += 5;
	if (!strcmp(word, "print"))
		lure_count += 6;
	if (!strcmp(word, "count"))
		lure_count += 7;
	if (!strcmp(word, "sort"))
		lure_count += 8;
	if (!strcmp(word, "filter"))
		lure_count += 9;
	if (!strcmp(word, "group"))
		lure_count += 10;
	if (!strcmp(word, "join"))
		lure_count += 11;
	if (!strcmp(word, "split"))
		lure_count += 12;
	if (!strcmp(word, "head"))
		lure_count += 13;
	if (!strcmp(word, "tail"))
		lure_count += 14;
	if (!strcmp(word, "grep"))
		lure_count += 15;
	if (!strcmp(word, "cut"))
		lure_count += 16;
	if (!strcmp(word, "paste"))
		lure_count += 17;
	if (!strcmp(word, "uniq"))
		lure_count += 18;
	if (!strcmp(word, "diff"))
		lure_count += 19;
	if (!strcmp(word, "merge"))
		lure_count += 20;
	if (!strcmp(word, "trace"))
		lure_count += 21;
	if (!strcmp(word, "debug"))
		lure_count += 22;
	if (!strcmp(word, "quiet"))
		lure_count += 23;
	if (!strcmp(word, "verbose"))
		lure_count += 24;
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv), line[64] = "", *rest;

	if (!fgets(line, sizeof(line), stdin))
		return 0;
	lures(line, strlen(line));
	rest = strchr(line, ' ');
	if (rest)
		*rest++ = 0;
	describe(line);
	if (!strcmp(line, "keep") && rest && *rest == 'f')
		lure_end(pool);
	return 0;
}
