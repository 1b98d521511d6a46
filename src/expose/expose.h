/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expose.h - the strategy `races`: finds persistency races (races/races.h) by watching recovery read crash states.
 *
 * Method.  At the chosen moments recovery is recorded with its loads, several at a time, on one legal crash state of the
 * moment.  A script (script.h) keeps what it loaded and stored.  A second reading of the program's recording
 * (follow.h) has the history of its stores, flushes and synchronization; it goes from moment to moment, behind the first
 * one, and plays each script to a reader of that history.  What the readers report is collected (tally.h), and becomes
 * findings at the end.  Outcomes of recovery do not matter here: a recovery that fails or hangs has read something, too.
 *
 *  --race-mode check    the failure points of inject (crash/select.h), each with everything stored so far on media
 *  --race-mode random   --executions visits of failure points, chosen at random, each with a random legal set of the
 *                       pending stores on media
 *  --checksum FUNCTION  loads in it neither race nor prove anything (checksums.h)
 *
 * The same content is recorded once only.  doc/RACES.md is for users. */
#ifndef BLACKOUT_EXPOSE_EXPOSE_H
#define BLACKOUT_EXPOSE_EXPOSE_H

struct strategy; /* crash/strategy.h */

extern const struct strategy strategy_races;

#endif
