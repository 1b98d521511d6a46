/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quantity.h - times and sizes on the command line.
 *
 *     double seconds;
 *     if (seconds_parse("budget", "5m", &seconds, &err) < 0) ...       // names the option and says what it takes */
#ifndef BLACKOUT_CLI_QUANTITY_H
#define BLACKOUT_CLI_QUANTITY_H

#include <stdint.h>

#include "base/err.h"

/* "90", "90s", "5m", "1h"; above 0, and at most about thirty years. -1, ERR_USAGE. */
int seconds_parse(const char *option, const char *text, double *seconds, struct err *err);

/* "4096", "512M", "4G", "4GiB"; above 0. -1, ERR_USAGE. */
int bytes_parse(const char *option, const char *text, uint64_t *bytes, struct err *err);

#endif
