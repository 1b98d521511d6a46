/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unreported.h - sightings that must not be reported: the rules that need to know whose code it is.
 *
 * Detectors judge by events; names and libraries are known only here.  All such rules are in unreported.c, with
 * their reasons. */
#ifndef BLACKOUT_FINDING_UNREPORTED_H
#define BLACKOUT_FINDING_UNREPORTED_H

#include "finding/stacks.h"

/* True if this sighting must not be reported. */
bool unreported(struct stacks *stacks, const struct sighting *sighting);

#endif
