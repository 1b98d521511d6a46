/* SPDX-License-Identifier: GPL-2.0-or-later */
/* silencers.h - files with findings that do not count: suppressions, and a baseline.
 *
 *     struct silencers s;
 *     if (silencers_read(&s, files, file_count, baseline, &err) == 0)        // before anything is run
 *             silencers_apply(&s, findings);                                 // afterwards
 *     silencers_free(&s); */
#ifndef BLACKOUT_ANALYSIS_SILENCERS_H
#define BLACKOUT_ANALYSIS_SILENCERS_H

#include <stddef.h>

#include "finding/finding.h"

struct silencers {
	struct suppress **suppress;
	size_t count;
	struct findings *baseline; /* NULL: none */
};

/* `baseline` may be NULL. -1: a file cannot be read or understood.  silencers_free is needed in any case. */
int silencers_read(struct silencers *silencers, const char *const *suppress, size_t count, const char *baseline,
		   struct err *err);
void silencers_free(struct silencers *silencers);

/* Mark the findings that the files name, add a note for each suppression that matches none, and number the findings. */
void silencers_apply(const struct silencers *silencers, struct findings *findings);

#endif
