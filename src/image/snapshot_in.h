/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snapshot_in.h - the format described in snapshot.h, for its writer, its reader and their test. */
#ifndef BLACKOUT_IMAGE_SNAPSHOT_IN_H
#define BLACKOUT_IMAGE_SNAPSHOT_IN_H

#include <stdint.h>

#define SNAPSHOT_MAGIC "BOSTATE1"
#define SNAPSHOT_ABSENT UINT64_MAX /* in place of the number of extents */

/* Little-endian, like everything after it. */
struct snapshot_header {
	char magic[8];
	uint64_t event;
	uint64_t body_bytes;
	uint64_t checksum;
};

#endif
