/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.h - what earlier commands left when they were killed: it goes before this one does anything.
 *
 * The user's pools come first (run/mend.h): those that the journals name, and those in the directories of the words of
 * this command line.  Then crash states in shared memory, and other directories of ours, are removed. */
#ifndef BLACKOUT_CLI_LEFTOVERS_H
#define BLACKOUT_CLI_LEFTOVERS_H

void leftovers_clear(int argc, char **argv);

#endif
