/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant_pie.c - position independent. */
// needs: clwb
// cflags: -fPIE -pie
#include "variant.h"
