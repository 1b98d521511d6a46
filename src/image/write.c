/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/write.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const uint8_t *bytes, uint64_t offset, uint64_t size, const char *what, struct err *err)
{
	while (size) {
		ssize_t n = pwrite(fd, bytes, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "cannot write %s", what);
		bytes += n;
		offset += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return 0;
}
