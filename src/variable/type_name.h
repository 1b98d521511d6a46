/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type_name.h - the name of a type, as the program's language writes it: `struct node` in C, `Node` in C++. */
#ifndef BLACKOUT_VARIABLE_TYPE_NAME_H
#define BLACKOUT_VARIABLE_TYPE_NAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

/* False: a struct, union or class without a name, even of a typedef; or a name that does not fit. */
bool type_name(const Dwarf_Die *type, char *text, size_t size);

#endif
