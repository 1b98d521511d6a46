/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.h - the user wants us to stop: long loops ask, and what was done so far is still reported.
 *
 * While a command of ours runs, run/process.h takes the signals itself; this is for the rest of the time. */
#ifndef BLACKOUT_CLI_INTERRUPT_H
#define BLACKOUT_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP no longer end the process, unless they were ignored before.  A second one
 * does. */
void interrupt_watch(void);

/* From now on a SIGINT that is sent to us by name means "stop" even if it was ignored before, as it is for what a
 * script starts by &.  One of the terminal stays ignored.  Not to be called before a command is run that must find it
 * ignored, as we did. */
void interrupt_hear(void);

/* Has one come? */
bool interrupt_seen(void);

#endif
