/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow.h - the macro that test/fixes/follow inserts into programs.  It is included before everything else. */
#ifndef FOLLOW_H
#define FOLLOW_H

/* Flushes the lines of `bytes` bytes at p. */
#define FOLLOW_FLUSH(p, bytes)                                                                                    \
	for (const char *line_ = (const char *)((unsigned long)(p) & ~63ul), *end_ = (const char *)(p) + (bytes); \
	     line_ < end_; line_ += 64)                                                                           \
	CLWB(line_)

#endif
