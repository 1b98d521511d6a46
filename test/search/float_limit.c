/* SPDX-License-Identifier: GPL-2.0-or-later */
/* float_limit.c - a number with a fraction; comparisons of floating-point numbers are not followed. */
// symbolic: stdin
// stdin: 1.0\n
// trigger stdin: 3.5\n
// expect: incomplete
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	double number = 0;

	SAVE(pool, 1);
	if (scanf("%lf", &number) == 1 && number > 3.25 && number < 3.75) {
		SAVE(pool + LINE, 1);
		ST8(pool, 2); //! missing-flush error
	}
	return 0;
}
