/* SPDX-License-Identifier: GPL-2.0-or-later */
/* share.h - which of two sources of inputs has the next turn.  One whose inputs do something new has more turns.
 *
 *     share_begin(&share);
 *     source = share_next(&share);               // SHARE_QUEUE or SHARE_FRONTIER: make an input from it,
 *     share_made(&share, source);                // or from the other one
 *     share_told(&share, source, is_new);        // what it did with its turn
 *
 * Each source has a weight.  It doubles with an input that is new, and is halved after some that are not, within limits: no
 * source is left out. */
#ifndef BLACKOUT_SEARCH_SHARE_H
#define BLACKOUT_SEARCH_SHARE_H

#include <stdbool.h>

enum share_source {
	SHARE_QUEUE,    /* branches in the order of the strategy */
	SHARE_FRONTIER, /* frontier.h */
	SHARE_SOURCES
};

struct share {
	unsigned weight[SHARE_SOURCES];
	unsigned failed[SHARE_SOURCES]; /* inputs that were not new, in sequence */
	int credit;                     /* turns of the frontier that were not taken, times the sum of weights */
};

void share_begin(struct share *share);
enum share_source share_next(const struct share *share);
void share_made(struct share *share, enum share_source source);
void share_told(struct share *share, enum share_source source, bool is_new);

#endif
