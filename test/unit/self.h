/* SPDX-License-Identifier: GPL-2.0-or-later */
/* self.h - use the test program itself as the target of a hand-made trace: contexts point to functions of the test, so
 * that lines are known without compiling anything.
 *
 *     self_define(&b);                                                // the first module: 1
 *     builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, self_offset(function)); */
#ifndef BLACKOUT_TEST_SELF_H
#define BLACKOUT_TEST_SELF_H

#include <stdint.h>

#include "builder.h"

/* The path of this program, in static storage. */
const char *self_path(void);

/* Define the module: this program at 0x400000. */
void self_define(struct builder *b);

/* The file offset of a function of this program. */
uint64_t self_offset(void (*function)(void));

#endif
