/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant_nodebug.c - without debug info, but with symbols. */
// needs: clwb
// cflags: -g0
#include "variant.h"
