/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.h - write everything, or report why that failed. */
#ifndef BLACKOUT_IMAGE_WRITE_H
#define BLACKOUT_IMAGE_WRITE_H

#include <stdint.h>

#include "base/err.h"

/* Write `size` bytes at an offset of a file.  `what` describes the data in the error message: "a crash state to
 * /dev/shm/x". */
int write_all(int fd, const uint8_t *bytes, uint64_t offset, uint64_t size, const char *what, struct err *err);

#endif
