/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers_g1.c - see helpers.h; with debug info that has no types. */
// needs: clwb
// cflags: -O2 -g1
#include "helpers.h"
