/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.c - see out.h. */
#include "cli/out.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define BUFFER_BYTES (256u * 1024)
#define PIECE_MAX 512u /* longest piece that is formatted in place */

struct out {
	int fd;
	int error; /* errno of the first write that failed */
	size_t used;
	/* offset in the buffer where the current line starts; after a flush it is before the buffer (negative,
	 * wrapped) */
	size_t line;
	char buffer[BUFFER_BYTES + PIECE_MAX];
};

struct out *out_open(int fd)
{
	struct out *out = mem_alloc(sizeof(*out));

	out->fd = fd;
	signal(SIGPIPE, SIG_IGN);
	return out;
}

static void out_flush(struct out *out)
{
	size_t done = 0;

	while (done < out->used && !out->error) {
		ssize_t n = write(out->fd, out->buffer + done, out->used - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			out->error = errno;
	}
	out->line -= out->used;
	out->used = 0;
}

int out_close(struct out *out, struct err *err)
{
	out_flush(out);
	errno = out->error;
	int result = out->error && out->error != EPIPE ? err_sys(err, "cannot write to standard output") : 0;
	free(out);
	return result;
}

bool out_failed(const struct out *out)
{
	return out->error != 0;
}

/* Make room for PIECE_MAX bytes. */
static char *out_room(struct out *out)
{
	if (out->used > BUFFER_BYTES)
		out_flush(out);
	return out->buffer + out->used;
}

void out_char(struct out *out, char c)
{
	*out_room(out) = c;
	out->used++;
	if (c == '\n')
		out->line = out->used;
}

void out_text(struct out *out, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t piece = left < PIECE_MAX ? left : PIECE_MAX;

		memcpy(out_room(out), text, piece);
		const char *newline = memrchr(text, '\n', piece);
		if (newline)
			out->line = out->used + (size_t)(newline + 1 - text);
		out->used += piece;
		text += piece;
		left -= piece;
	}
}

void out_number(struct out *out, uint64_t value)
{
	char digits[20];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while (value /= 10);
	char *p = out_room(out);
	out->used += count;
	while (count)
		*p++ = digits[--count];
}

static const char hex_digits[] = "0123456789abcdef";

void out_hex(struct out *out, uint64_t value)
{
	char *p = out_room(out), *start = p;
	int shift = 60;

	*p++ = '0';
	*p++ = 'x';
	while (shift && !(value >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*p++ = hex_digits[value >> shift & 15];
	out->used += (size_t)(p - start);
}

void out_bytes(struct out *out, const uint8_t *data, size_t size)
{
	while (size) {
		size_t piece = size < PIECE_MAX / 2 ? size : PIECE_MAX / 2;
		char *p = out_room(out);

		for (size_t i = 0; i < piece; i++) {
			*p++ = hex_digits[data[i] >> 4];
			*p++ = hex_digits[data[i] & 15];
		}
		out->used += 2 * piece;
		data += piece;
		size -= piece;
	}
}

void out_word(struct out *out, const char *word)
{
	for (const unsigned char *p = (const unsigned char *)word; *p; p++) {
		if (*p > ' ' && *p != 0x7f && *p != '\\') {
			out_char(out, (char)*p);
			continue;
		}
		out_char(out, '\\');
		out_char(out, (char)('0' + (*p >> 6)));
		out_char(out, (char)('0' + (*p >> 3 & 7)));
		out_char(out, (char)('0' + (*p & 7)));
	}
}

void out_grouped(struct out *out, uint64_t value, unsigned width)
{
	char text[32]; /* filled from the right: at most 20 digits and 6 spaces */
	unsigned at = sizeof(text), digits = 0;

	do {
		if (digits && digits % 3 == 0)
			text[--at] = ' ';
		text[--at] = (char)('0' + value % 10);
		digits++;
	} while (value /= 10);
	for (unsigned i = sizeof(text) - at; i < width; i++)
		out_char(out, ' ');
	while (at < sizeof(text))
		out_char(out, text[at++]);
}

void out_pad(struct out *out, size_t column)
{
	size_t now = out->used - out->line, blanks = now + 2 < column ? column - now : 2;

	BUG_ON(blanks > PIECE_MAX);
	memset(out_room(out), ' ', blanks);
	out->used += blanks;
}
