/* SPDX-License-Identifier: GPL-2.0-or-later */
// cflags: -static
// link: -lpthread
#include "recovers.c"
