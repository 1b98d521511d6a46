/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant_static_pie.c - without shared libraries, position independent. */
// needs: clwb
// cflags: -fPIE -static-pie
#include "variant.h"
