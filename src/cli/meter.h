/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meter.h - show on the terminal how much was recorded so far, while the target runs.
 *
 *     struct meter *meter = meter_start(scan, &recording);
 *     ... the target runs ...
 *     meter_stop(meter);               // removes the text again
 *
 * The target writes to the same terminal.  So the text is at the right edge of the line that the target is on, and the
 * cursor stays where the target left it.  The text does not appear before METER_START_MS have passed. */
#ifndef BLACKOUT_CLI_METER_H
#define BLACKOUT_CLI_METER_H

#include <stdint.h>

#include "analysis/scan.h"
#include "run/recording.h"

enum { METER_START_MS = 1000, METER_STEP_MS = 250 };

struct meter;

/* `scan` follows the recording and counts its events; if it is NULL, bytes are shown instead.  Returns NULL, which
 * meter_stop accepts, if standard error is not a suitable terminal. */
struct meter *meter_start(struct scan *scan, const struct recording *recording);
void meter_stop(struct meter *meter);

#endif
