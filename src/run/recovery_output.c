/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_output.c - see recovery_output.h. */
#include "run/recovery_output.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* A pipe holds at most 1 MiB.  So after recovery has ended, no more than that is left to read. */
enum { CHUNK = 65536, CHUNKS_FAIR = 16, CHUNKS_ALL = 64 };

int recovery_output_open(struct recovery_output *output)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*output = (struct recovery_output){.read = ends[0], .write = ends[1]};
	return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

void recovery_output_close(struct recovery_output *output)
{
	close(output->read);
	close(output->write);
	recovery_output_clear(output, NULL);
}

static void recovery_output_add(struct recovery_output *output, const char *bytes, size_t size)
{
	if (output->summary && !output->endless)
		output->endless = !output_feed(output->summary, bytes, size);
	/* Skip the bytes that would be overwritten at once. */
	if (size > OUTCOME_TAIL) {
		output->total += size - OUTCOME_TAIL;
		bytes += size - OUTCOME_TAIL;
		size = OUTCOME_TAIL;
	}
	size_t at = output->total % OUTCOME_TAIL, first = OUTCOME_TAIL - at < size ? OUTCOME_TAIL - at : size;
	memcpy(output->at + at, bytes, first);
	memcpy(output->at, bytes + first, size - first);
	output->total += size;
}

void recovery_output_pump(struct recovery_output *output, bool all)
{
	static char chunk[CHUNK];

	for (int i = 0; i < (all ? CHUNKS_ALL : CHUNKS_FAIR); i++) {
		ssize_t n = read(output->read, chunk, sizeof(chunk));
		if (n <= 0)
			return;
		recovery_output_add(output, chunk, (size_t)n);
		if (n < (ssize_t)sizeof(chunk) && !all)
			return;
	}
}

void recovery_output_clear(struct recovery_output *output, struct output *summary)
{
	output->total = 0;
	output_free(output->summary);
	output->summary = summary;
	output->endless = false;
}

void recovery_output_copy(struct recovery_output *output, const struct recovery_output *from)
{
	output->total = from->total;
	memcpy(output->at, from->at, sizeof(output->at));
	output_free(output->summary);
	output->summary = from->summary ? output_copy(from->summary) : NULL;
	output->endless = from->endless;
}

struct tail recovery_output_tail(const struct recovery_output *output)
{
	struct tail tail = {.cut = output->total > OUTCOME_TAIL};

	tail.size = tail.cut ? OUTCOME_TAIL : (size_t)output->total;
	if (!tail.size)
		return tail;
	tail.text = mem_alloc(tail.size + 1);
	size_t at = tail.cut ? output->total % OUTCOME_TAIL : 0;
	memcpy(tail.text, output->at + at, tail.size - at);
	memcpy(tail.text + (tail.size - at), output->at, at);
	return tail;
}

struct output *recovery_output_take(struct recovery_output *output)
{
	struct output *summary = output->summary;

	output->summary = NULL;
	if (summary)
		output_end(summary);
	return summary;
}
