/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant_static.c - without shared libraries. */
// needs: clwb
// cflags: -static
#include "variant.h"
