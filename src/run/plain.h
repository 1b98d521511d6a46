/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain.h - another name for a path that the dynamic linker cannot be told.
 *
 * LD_PRELOAD is a list with blanks and colons between its entries, and knows no quotes.  What has one of them in its
 * path, because Blackout was put into such a place, goes by a symbolic link in /tmp, which is removed when the program
 * ends. */
#ifndef BLACKOUT_RUN_PLAIN_H
#define BLACKOUT_RUN_PLAIN_H

#include <limits.h>

#include "base/err.h"

/* Put another name in the place of the path, if it needs one. */
int plain_name(char path[PATH_MAX], struct err *err);

#endif
