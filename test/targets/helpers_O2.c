/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers_O2.c - see helpers.h. */
// needs: clwb
// cflags: -O2
#include "helpers.h"
