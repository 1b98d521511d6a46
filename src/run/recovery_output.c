/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_output.c - see recovery_output.h. */
#include "run/recovery_output.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* A pipe holds at most 1 MiB.  So after recovery has ended, no more than that is left to read. */
enum { CHUNK = 65536, CHUNKS_FAIR = 16, CHUNKS_ALL = 64 };

int printed_open(struct printed *printed)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*printed = (struct printed){.read = ends[0], .write = ends[1]};
	return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

void printed_close(struct printed *printed)
{
	close(printed->read);
	close(printed->write);
}

static void printed_add(struct printed *printed, const char *bytes, size_t size)
{
	/* Skip the bytes that would be overwritten at once. */
	if (size > OUTCOME_TAIL) {
		printed->total += size - OUTCOME_TAIL;
		bytes += size - OUTCOME_TAIL;
		size = OUTCOME_TAIL;
	}
	size_t at = printed->total % OUTCOME_TAIL, first = OUTCOME_TAIL - at < size ? OUTCOME_TAIL - at : size;
	memcpy(printed->at + at, bytes, first);
	memcpy(printed->at, bytes + first, size - first);
	printed->total += size;
}

void printed_pump(struct printed *printed, bool all)
{
	static char chunk[CHUNK];

	for (int i = 0; i < (all ? CHUNKS_ALL : CHUNKS_FAIR); i++) {
		ssize_t n = read(printed->read, chunk, sizeof(chunk));
		if (n <= 0)
			return;
		printed_add(printed, chunk, (size_t)n);
		if (n < (ssize_t)sizeof(chunk) && !all)
			return;
	}
}

void printed_clear(struct printed *printed)
{
	printed->total = 0;
}

void printed_copy(struct printed *printed, const struct printed *from)
{
	printed->total = from->total;
	memcpy(printed->at, from->at, sizeof(printed->at));
}

struct tail printed_tail(const struct printed *printed)
{
	struct tail tail = {.cut = printed->total > OUTCOME_TAIL};

	tail.size = tail.cut ? OUTCOME_TAIL : (size_t)printed->total;
	if (!tail.size)
		return tail;
	tail.text = mem_alloc(tail.size + 1);
	size_t at = tail.cut ? printed->total % OUTCOME_TAIL : 0;
	memcpy(tail.text, printed->at + at, tail.size - at);
	memcpy(tail.text + (tail.size - at), printed->at, at);
	return tail;
}
