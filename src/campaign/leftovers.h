/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.h - does recovery need the stores that the program never wrote back?  See leftovers.c.
 *
 *     leftovers_run(campaign, &err);                          // with options.leftovers
 *     proofs = campaign_proofs(campaign, &count);             // campaign.h: the answers */
#ifndef BLACKOUT_CAMPAIGN_LEFTOVERS_H
#define BLACKOUT_CAMPAIGN_LEFTOVERS_H

#include "base/err.h"

struct campaign;
struct leftovers; /* all that is known about the leftovers of one campaign */

/* For each leftover, run recovery without its stores and watch it.  Explain the failures.  0 also when stopped. */
int leftovers_run(struct campaign *campaign, struct err *err);
void leftovers_free(struct leftovers *leftovers);

#endif
