/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-process-fixed.c - see redundant-fence-process-buggy.c. */
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
	return 0;
}
