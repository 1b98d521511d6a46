/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look.h - instructions that make exactly one branch that depends on a value. */
#ifndef LOOK_H
#define LOOK_H

#include <stdint.h>

/* Is the byte an 'a'? */
static inline int look(const void *byte)
{
	__asm__ goto("cmpb $0x61, %0; je %l1" : : "m"(*(const uint8_t *)byte) : "cc" : yes);
	return 0;
yes:
	return 1;
}

/* Is the number 0x77? */
static inline int look_number(uint64_t number)
{
	__asm__ goto("cmpq $0x77, %0; je %l1" : : "r"(number) : "cc" : yes);
	return 0;
yes:
	return 1;
}

#endif
