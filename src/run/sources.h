/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sources.h - the words by which users name sources of input: stdin, file:PATH, arg:N, socket. */
#ifndef BLACKOUT_RUN_SOURCES_H
#define BLACKOUT_RUN_SOURCES_H

#include "base/err.h"
#include "run/words.h"

/* Add a source, as the recorder wants to be told it: paths are absolute. -1, ERR_USAGE: there is no such kind. */
int sources_add(struct words *sources, const char *source, struct err *err);

#endif
