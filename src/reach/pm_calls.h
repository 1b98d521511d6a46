/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pm_calls.h - functions of PM libraries, and of the C library, that change PM or make it durable. */
#ifndef BLACKOUT_REACH_PM_CALLS_H
#define BLACKOUT_REACH_PM_CALLS_H

#include <stdbool.h>

bool pm_calls_match(const char *function);

#endif
