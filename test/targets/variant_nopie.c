/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variant_nopie.c - linked to fixed addresses. */
// needs: clwb
// cflags: -fno-pie -no-pie
#include "variant.h"
