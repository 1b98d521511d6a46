/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.h - stop when the user interrupts.  Long loops check for it, and the results so far are still reported.
 *
 * While a command of ours runs, run/process.h handles the signals.  This module is for the rest of the time. */
#ifndef BLACKOUT_CLI_INTERRUPT_H
#define BLACKOUT_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP do not end the process at once, unless they were ignored before.  A second one
 * does. */
void interrupt_watch(void);

/* From now on a SIGINT from kill(2) means "stop" even if it was ignored before, as it is in processes that a script
 * starts with &.  A SIGINT from the terminal stays ignored.  Do not call this before starting a command that must
 * inherit the ignored signal. */
void interrupt_hear(void);

/* Has one arrived? */
bool interrupt_seen(void);

/* The same, for struct stop (base/stop.h). */
bool interrupt_asked(void *unused);

#endif
