/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line.h - the size of a cache line: caches write back LINE_BYTES aligned bytes at a time.
 *
 *     uint64_t line = offset / LINE_BYTES;
 *
 * Only the compiler is needed: the stub inside recovery programs includes this, too. */
#ifndef BLACKOUT_BASE_LINE_H
#define BLACKOUT_BASE_LINE_H

#define LINE_BYTES 64u

#endif
