/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layers.h - tell the user that a recording lacks what he asks for. */
#ifndef BLACKOUT_CLI_LAYERS_H
#define BLACKOUT_CLI_LAYERS_H

#include <stdint.h>

#include "base/err.h"

/* The recording in `dir` has not all of the layers that `what` (an option) needs: -1, ERR_USAGE. */
int layers_refuse(const char *dir, uint32_t lacks, const char *what, struct err *err);

#endif
