/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-process-buggy.c - a fence with nothing to wait for, where another process may rely on the order it
 * gives: a warning. */
// run: --follow-children
#include "pair.h"

#include <sys/wait.h>

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");

	ST8(p, 1);
	CLWB(p);
	SFENCE();
	if (fork() == 0)
		_exit(0);
	wait(NULL);
	SFENCE(); //! redundant-fence warning
	return 0;
}
