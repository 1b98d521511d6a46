/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers_O0.c - see helpers.h. */
// needs: clwb
// cflags: -O0
#include "helpers.h"
