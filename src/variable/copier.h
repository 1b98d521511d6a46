/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copier.h - functions that store where an argument points to: memcpy, pmem_memset, atomic_store. */
#ifndef BLACKOUT_VARIABLE_COPIER_H
#define BLACKOUT_VARIABLE_COPIER_H

#include <stdbool.h>
#include <stdint.h>

#define COPIER_NONE -1

struct copier {
	int target;    /* index of the argument that says where it stores */
	int length;    /* index of the argument that says how many bytes; COPIER_NONE: there is none */
	uint32_t size; /* bytes, if the function always stores so many; 0: not so */
};

/* False: it is no such function. */
bool copier_find(const char *function, struct copier *copier);

#endif
