/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.h - list the trace files of a recording. */
#ifndef BLACKOUT_TRACE_FILES_H
#define BLACKOUT_TRACE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define FILES_NAME_BYTES 16

/* List the numbers of the files trace/NNNN.bo in `dir`, ascending.  The first is always 0; if it is missing there is no
 * recording, and the result is -1.  The caller frees *numbers. */
int files_list(const char *dir, uint32_t **numbers, size_t *count, struct err *err);

/* Make a name such as "0007.bo". */
void files_name(char name[FILES_NAME_BYTES], uint32_t number);

#endif
