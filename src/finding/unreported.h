/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unreported.h - what a detector saw, and nobody should hear of: the rules that need to know whose code it is.
 *
 * Detectors judge by events; names and libraries are known only here.  Every such rule stands in unreported.c, with its
 * reason. */
#ifndef BLACKOUT_FINDING_UNREPORTED_H
#define BLACKOUT_FINDING_UNREPORTED_H

#include "finding/stacks.h"

/* Is this one not to be reported? */
bool unreported(struct stacks *stacks, const struct sighting *sighting);

#endif
