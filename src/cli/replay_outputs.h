/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_outputs.h - compare what recovery prints in a replay with what it should print, side by side.
 *
 *     struct replay_outputs o = {.mismatch = &folder->mismatch, .got = outcome.output};
 *     if (!replay_outputs_match(&o))
 *             replay_outputs_show(&o, columns, stdout);
 *
 * A folder has the first line that differed, as each legal history prints it.  So this line decides. */
#ifndef BLACKOUT_CLI_REPLAY_OUTPUTS_H
#define BLACKOUT_CLI_REPLAY_OUTPUTS_H

#include <stdio.h>

#include "finding/finding.h"
#include "ops/output.h"

struct replay_outputs {
	const struct finding_mismatch *mismatch; /* as it was found; there is one */
	const struct output *got;                /* now; ended */
};

/* Is the line now what one of the legal histories prints? */
bool replay_outputs_match(const struct replay_outputs *outputs);

/* A column for each legal history, and one for what was printed, if `width` characters are enough; otherwise one above
 * the other. */
void replay_outputs_show(const struct replay_outputs *outputs, unsigned width, FILE *to);

#endif
