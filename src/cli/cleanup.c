/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cleanup.c - see cleanup.h. */
#include "cli/cleanup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/place.h"
#include "run/mend.h"

static void tell(const char *sentence)
{
	fprintf(stderr, "%s\n", sentence);
}

/* Does the word lead outside the current directory?  A word without a slash is inside, which is checked anyway, unless
 * it is a link to elsewhere. */
static bool leads_elsewhere(const char *word)
{
	struct stat st;

	return strchr(word, '/') || (lstat(word, &st) == 0 && (S_ISLNK(st.st_mode) || S_ISDIR(st.st_mode)));
}

/* Many words may lead to the same directory. */
static bool is_same_dir(const char *word, const char *before)
{
	const char *slash = strrchr(word, '/');
	size_t length = slash ? (size_t)(slash - word) + 1 : 0;
	struct stat st;

	return length && !strncmp(word, before, length) && !strchr(before + length, '/') && lstat(word, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

void leftovers_clear(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR"), *before = "";
	char cwd[PATH_MAX];

	mend_tell(tell);
	mend_journals();
	if (getcwd(cwd, sizeof(cwd)))
		mend_dir(cwd);
	for (int i = 1; i < argc; i++) {
		const char *equals = strchr(argv[i], '='), *word = *argv[i] == '-' && equals ? equals + 1 : argv[i];

		if (*word == '-' || !leads_elsewhere(word) || is_same_dir(word, before))
			continue;
		mend_path(word);
		place_sweep(word);
		before = word;
	}
	place_sweep(PLACE_MEMORY);
	place_sweep("/tmp");
	if (tmp && *tmp)
		place_sweep(tmp);
}
