/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - a check of many small random programs (programs.h), on both platforms.
 *
 *     static struct series series = {.test = "test_choices", .seed = 1, .programs = 12000, .check = check_program};
 *
 *     int main(int argc, char **argv)
 *     {
 *             const struct CMUnitTest tests[] = {SERIES_TESTS(series), ...};
 *
 *             series_arguments(&series, argc, argv);
 *             return cmocka_run_group_tests(tests, NULL, NULL);
 *     }
 *
 *     test_choices [SEED [NUMBER]]      one series of programs; one program of it.  MODEL_SEED is a SEED too */
#ifndef BLACKOUT_TEST_SERIES_H
#define BLACKOUT_TEST_SERIES_H

#include "programs.h"

struct series {
	const char *test; /* its name */
	uint64_t seed, programs;
	uint64_t only; /* the number of a single program; 0: all */
	/* What is wrong; NULL or "": nothing.  `number` is a source of random choices. */
	const char *(*check)(const struct program *program, const char *platform, uint64_t number);
};

void series_arguments(struct series *series, int argc, char **argv);

/* Tests of cmocka, whose initial state is the series. */
void series_on_adr(void **state);
void series_on_eadr(void **state);
#define SERIES_TESTS(series)                                         \
	{"adr_agrees", series_on_adr, NULL, NULL, &(series)},        \
	{                                                            \
		"eadr_agrees", series_on_eadr, NULL, NULL, &(series) \
	}

#endif
