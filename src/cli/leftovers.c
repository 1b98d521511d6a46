/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.c - see leftovers.h. */
#include "cli/leftovers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/place.h"
#include "run/mend.h"

static void tell(const char *sentence)
{
	fprintf(stderr, "%s\n", sentence);
}

void leftovers_clear(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	char cwd[PATH_MAX];

	mend_tell(tell);
	mend_journals();
	if (getcwd(cwd, sizeof(cwd)))
		mend_dir(cwd);
	for (int i = 1; i < argc; i++) {
		const char *value = *argv[i] == '-' ? strchr(argv[i], '=') : argv[i];

		if (value)
			mend_path(value + (*value == '='));
	}
	place_sweep(PLACE_MEMORY);
	place_sweep("/tmp");
	if (tmp && *tmp)
		place_sweep(tmp);
}
