/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_file.h - graphs of modules that are kept in files, so that a search that is resumed need not disassemble again.
 *
 *     if (!module_file_load(&module, "blackout.out/reach", "/lib/x86_64-linux-gnu/libc.so.6"))
 *             // no module
 *
 * A file is named after the build id of its module, or after path, size and time of change if it has none.  It is
 * little-endian:
 *
 *     char     magic[8]    "BOREACH2"; another format has another number
 *     uint64_t bytes       of what follows the header
 *     uint64_t checksum    of that, XXH3, 64 bits
 *     the arrays of struct module, in the order of MODULE_ARRAYS: each a uint64_t, how many items it has, then the items
 *
 * A file that is not exactly like this is ignored and written again. */
#ifndef BLACKOUT_REACH_MODULE_FILE_H
#define BLACKOUT_REACH_MODULE_FILE_H

#include "reach/module.h"

#define MODULE_FILE_MAGIC "BOREACH2"

#define MODULE_ARRAYS(X) \
	X(blocks)        \
	X(edges)         \
	X(starts)        \
	X(taken)         \
	X(persists)      \
	X(stores)        \
	X(exports)       \
	X(segments)      \
	X(names)

struct module_file_header {
	char magic[8];
	uint64_t bytes, checksum;
};

/* Read the graph of the module at `path` from the folder, or from the module itself; in that case keep it in the folder,
 * if that can be written.  `folder` may be NULL.  False as in module_read. */
bool module_file_load(struct module *module, const char *folder, const char *path);

/* The module in the bytes of such a file.  False: damaged; *module is then empty. */
bool module_file_parse(struct module *module, const void *bytes, size_t size);

/* The bytes of such a file; the caller frees them. */
void *module_file_format(const struct module *module, size_t *size);

#endif
