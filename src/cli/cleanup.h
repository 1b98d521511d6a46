/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cleanup.h - clean up what earlier commands left when they were killed, before this one does anything.
 *
 * The user's pools come first (run/mend.h): those that the journals name, and those in the directories that this
 * command line mentions.  Then crash states in shared memory, and our other temporary directories, are removed. */
#ifndef BLACKOUT_CLI_CLEANUP_H
#define BLACKOUT_CLI_CLEANUP_H

void leftovers_clear(int argc, char **argv);

#endif
