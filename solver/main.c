/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blackout-solver - answers questions about inputs, for `blackout search`; not to be run by hand.
 *
 * Questions come on the descriptor of standard input, which is a socket, and answers go back through it
 * (src/solve/message.h).  Z3 is used in this process only: it may crash, take all memory that it is allowed, or hang,
 * and Blackout loses one question. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <z3.h>

#include "check.h"

enum { READ_BYTES = 64 << 10 };

static int print_version(void)
{
	printf("blackout-solver " BLACKOUT_VERSION ", Z3 %s\n", Z3_get_full_version());
	return 0;
}

static bool send_all(const struct message_bytes *bytes)
{
	size_t sent = 0;

	while (sent < bytes->count) {
		ssize_t n = send(STDIN_FILENO, bytes->at + sent, bytes->count - sent, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return false;
		sent += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool answer(struct checker *checker, struct question *question)
{
	struct message_answer answer = {.serial = question->ask.serial};
	struct message_bytes reply = {0};

	answer.verdict = checker_ask(checker, question, &reply);
	message_add(&reply, MESSAGE_ANSWER, &answer, sizeof(answer));
	question_next(question);
	bool sent = send_all(&reply);
	vec_free(&reply);
	return sent;
}

/* Handle all complete records.  Return false if there is nobody to talk to. */
static bool records_handle(struct checker *checker, struct question *question, struct message_bytes *received)
{
	struct message_record record;
	enum message_state state;
	size_t at = 0;

	while ((state = message_next(received->at, received->count, &at, &record)) == MESSAGE_COMPLETE) {
		enum question_state asked = question_take(question, &record);

		if (asked == QUESTION_DAMAGED || (asked == QUESTION_ASKED && !answer(checker, question)))
			return false;
	}
	received->count -= at;
	if (received->at && received->count)
		memmove(received->at, received->at + at, received->count);
	return state == MESSAGE_PARTIAL;
}

static void serve(void)
{
	static uint8_t block[READ_BYTES];
	struct checker *checker = checker_new();
	struct question *question = question_new();
	struct message_bytes received = {0};
	ssize_t n;

	while ((n = read(STDIN_FILENO, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		vec_append(&received, block, (size_t)n);
		if (!records_handle(checker, question, &received))
			break;
	}
	vec_free(&received);
	question_free(question);
	checker_free(checker);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--version"))
		return print_version();
	if (argc != 2) {
		fprintf(stderr, "blackout-solver: `blackout search` starts it; it is of no use alone\n");
		return 2;
	}
	/* Z3 gives up by itself before the kernel refuses memory. */
	Z3_global_param_set("memory_max_size", argv[1]);
	serve();
	return 0;
}
