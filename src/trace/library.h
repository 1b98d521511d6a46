/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library.h - which modules are libraries that everybody knows: the C and C++ runtime, PM libraries, and what Blackout
 * itself loads into the target.  Users want to hear about the code that calls these. */
#ifndef BLACKOUT_TRACE_LIBRARY_H
#define BLACKOUT_TRACE_LIBRARY_H

enum library_kind {
	LIBRARY_NONE,
	LIBRARY_SERVANT, /* stores and flushes on behalf of its caller: memcpy, pmem_persist */
	LIBRARY_OWNER,   /* has data of its own in PM: allocators and transactions */
};

/* `module`: base name of its file; NULL is no library. */
enum library_kind library_kind(const char *module);

#endif
