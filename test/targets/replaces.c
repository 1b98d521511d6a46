/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replaces.c - a library to preload, for file systems on which a rename has no flags. */
// cflags: -shared -fPIC
#include <errno.h>
#include <stdio.h>

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	if (!flags)
		return renameat(from_dir, from, to_dir, to);
	errno = EINVAL;
	return -1;
}
