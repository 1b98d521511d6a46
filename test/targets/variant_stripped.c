/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant_stripped.c - without any symbol. */
// needs: clwb
// cflags: -s
#include "variant.h"
