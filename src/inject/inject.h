/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inject.h - a strategy: two crash states at each chosen visit of a failure point; see inject.c. */
#ifndef BLACKOUT_INJECT_INJECT_H
#define BLACKOUT_INJECT_INJECT_H

#include "crash/strategy.h"

extern const struct strategy strategy_inject;

#endif
