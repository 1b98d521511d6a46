/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results.c - see results.h. */
#include "crash/results.h"

void results_unkept(struct results *results, const struct err *err)
{
	if (!results->is_unkept)
		results->unkept = *err;
	results->is_unkept = true;
}

void results_free(struct results *results)
{
	vec_free(&results->all);
	map_free(&results->explained);
}
