/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inject.h - two crash states at each chosen visit of a failure point; see inject.c. */
#ifndef BLACKOUT_INJECT_INJECT_H
#define BLACKOUT_INJECT_INJECT_H

#include "crash/campaign_in.h"

/* Make trials on a platform, in one round; 0 also when stopped. */
int inject_read(struct campaign *campaign, size_t platform, unsigned round, struct err *err);

/* The maximum number of states: two for each visit.  0: not known. */
uint64_t campaign_expects(const struct campaign *campaign);

#endif
