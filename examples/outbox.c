// SPDX-License-Identifier: GPL-2.0-or-later
// outbox.c - messages in persistent memory: an example for the input search.
//
//     outbox POOL           performs the commands on standard input:
//                             list                 print the messages
//                             send LENGTH TEXT     add a message of LENGTH bytes; if TEXT is shorter, blanks follow
//                             clear                remove all messages
//     outbox POOL check     verifies that each message is whole
//
// The pool is one file, mapped shared; a file of zeros is an empty outbox.  Short messages are sent safely.  There is one
// mistake, marked MISTAKE, which only a command and a length reach that nobody may have tried:
//
//     echo list | blackout search --recover './outbox pool check' -- ./outbox pool

#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MESSAGES 100
#define SHORT 56 // bytes of a message that fits into one cache line
#define LONG 120

struct message { // two cache lines
	uint32_t length;
	uint32_t sum;
	char text[SHORT];
	char rest[LONG - SHORT];
};

struct outbox {
	uint64_t count;
	uint64_t pad[7];
	struct message messages[MESSAGES];
};

static struct outbox *outbox;

static void persist(const void *line)
{
	_mm_clflush(line);
	_mm_sfence();
}

static uint32_t message_sum(const struct message *message)
{
	uint32_t sum = message->length;

	for (uint32_t i = 0; i < message->length; i++)
		sum = sum * 31 + (unsigned char)(i < SHORT ? message->text[i] : message->rest[i - SHORT]);
	return sum;
}

static void send(const char *text, uint32_t length)
{
	struct message *message = &outbox->messages[outbox->count];

	memcpy(message->text, text, SHORT);
	if (length > SHORT)
		memcpy(message->rest, text + SHORT, LONG - SHORT); // MISTAKE: the second cache line is not flushed
	message->length = length;
	message->sum = message_sum(message);
	persist(message);
	outbox->count++;
	persist(&outbox->count);
}

// Reads a number of at most LONG, and sets *end to what follows; -1: it is none.
static int length_read(const char *digits, const char **end)
{
	int length = 0;

	for (*end = digits; **end >= '0' && **end <= '9'; (*end)++) {
		length = 10 * length + **end - '0';
		if (length > LONG)
			return -1;
	}
	return *end > digits ? length : -1;
}

// LENGTH TEXT
static void send_command(const char *words)
{
	char padded[LONG + 1];
	const char *text;
	int length = length_read(words, &text);

	if (length < 0 || *text != ' ') {
		fprintf(stderr, "send LENGTH TEXT: at most %d bytes\n", LONG);
		return;
	}
	snprintf(padded, sizeof(padded), "%-*s", LONG, text + 1);
	if (outbox->count < MESSAGES)
		send(padded, (uint32_t)length);
}

static void message_print(const struct message *message)
{
	for (uint32_t i = 0; i < message->length; i++)
		putchar(i < SHORT ? message->text[i] : message->rest[i - SHORT]);
	putchar('\n');
}

static void list(void)
{
	for (uint64_t i = 0; i < outbox->count; i++)
		message_print(&outbox->messages[i]);
}

static void clear(void)
{
	outbox->count = 0;
	persist(&outbox->count);
}

static void perform(char *line)
{
	if (!strcmp(line, "list"))
		list();
	else if (!strcmp(line, "clear"))
		clear();
	else if (!strncmp(line, "send ", 5))
		send_command(line + 5);
	else
		fprintf(stderr, "no such command\n");
}

static int check(void)
{
	for (uint64_t i = 0; i < outbox->count; i++) {
		const struct message *message = &outbox->messages[i];

		if (message->length > LONG || message->sum != message_sum(message)) {
			fprintf(stderr, "message %d is damaged\n", (int)i);
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;
	char line[256];

	if (fd < 0 || ftruncate(fd, sizeof(*outbox)) < 0) {
		fprintf(stderr, "usage: outbox POOL [check]\n");
		return 2;
	}
	outbox = mmap(NULL, sizeof(*outbox), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (outbox == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	if (argc > 2)
		return check();
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		perform(line);
	}
	return 0;
}
