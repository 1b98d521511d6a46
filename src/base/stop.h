/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stop.h - lets a caller end a long operation early.  The operation asks often, and keeps its results so far.
 *
 *     struct options options = {.stop = {.asked = user_interrupted, .arg = &user}};
 *     ...
 *     while (!stop_asked(&options.stop)) ... */
#ifndef BLACKOUT_BASE_STOP_H
#define BLACKOUT_BASE_STOP_H

#include <stdbool.h>
#include <stddef.h>

struct stop {
	bool (*asked)(void *arg); /* NULL: never */
	void *arg;
};

static inline bool stop_asked(const struct stop *stop)
{
	return stop->asked && stop->asked(stop->arg);
}

#endif
