/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

void series_arguments(struct series *series, int argc, char **argv)
{
	if (getenv("MODEL_SEED"))
		series->seed = strtoull(getenv("MODEL_SEED"), NULL, 10);
	if (argc > 1)
		series->seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		series->only = strtoull(argv[2], NULL, 10);
}

static void series_run(const struct series *series, const char *platform)
{
	uint64_t first = series->only ? series->only : 1, last = series->only ? series->only : series->programs;
	struct program program;

	for (uint64_t number = first; number <= last; number++) {
		const char *problem;

		program_make(&program, series->seed, number);
		problem = series->check(&program, platform, number);
		if (!problem || !*problem)
			continue;
		program_print(&program, stderr);
		fail_msg("%s: %s; run it again: build/test/unit/%s %llu %llu", platform, problem, series->test,
			 (unsigned long long)series->seed, (unsigned long long)number);
	}
}

void series_on_adr(void **state)
{
	series_run(*state, "adr");
}

void series_on_eadr(void **state)
{
	series_run(*state, "eadr");
}
