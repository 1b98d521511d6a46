/* SPDX-License-Identifier: GPL-2.0-or-later */
/* solver_path.h - the solver that was built with these tests. */
#ifndef BLACKOUT_TEST_SOLVER_PATH_H
#define BLACKOUT_TEST_SOLVER_PATH_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "solve/solver.h"

/* In static storage. */
static inline const char *solver_path(void)
{
	static char path[PATH_MAX];
	const char *build = getenv("BUILD");

	snprintf(path, sizeof(path), "%s/" SOLVER_PROGRAM, build ? build : "build");
	return path;
}

#endif
