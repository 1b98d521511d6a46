/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copier.h - functions that store where an argument points to: memcpy, pmem_memset, atomic_store. */
#ifndef BLACKOUT_VARIABLE_COPIER_H
#define BLACKOUT_VARIABLE_COPIER_H

#define COPIER_NONE -1

/* The index of the argument that says where `function` stores; COPIER_NONE: it is no such function. */
int copier_argument(const char *function);

#endif
