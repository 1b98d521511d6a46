/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What blackout and blackout-solver could receive from each other, of any content: the same bytes are read as questions and
 * as a reply.  What comes out as a question has only expressions that exist. */
#include <stdint.h>
#include <stdlib.h>

#include "solve/question.h"
#include "solve/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARIABLES = 3 };

static void question_check(struct question *question)
{
	for (size_t i = 0; i < question->conditions.count; i++) {
		if (expressions_at(question->x, question->conditions.at[i].expression)->width != 1)
			abort();
	}
	for (size_t i = 0; i < question->variables.count; i++)
		expressions_at(question->x, question->variables.at[i]);
	question_next(question);
}

static void as_questions(const uint8_t *data, size_t size)
{
	struct question *question = question_new();
	enum question_state state = QUESTION_MORE;
	struct message_record record;
	size_t at = 0, before = 0;

	while (state != QUESTION_DAMAGED && message_next(data, size, &at, &record) == MESSAGE_COMPLETE) {
		if (at <= before || at > size)
			abort();
		before = at;
		state = question_take(question, &record);
		if (state == QUESTION_ASKED)
			question_check(question);
	}
	question_free(question);
}

static void as_reply(const uint8_t *data, size_t size)
{
	struct reply reply = {0};

	if (reply_read(&reply, data, size, 1, VARIABLES) == MESSAGE_COMPLETE && reply.verdict >= MESSAGE_VERDICT_COUNT)
		abort();
	for (size_t i = 0; i < reply.values.count; i++) {
		if (reply.values.at[i].variable >= VARIABLES)
			abort();
	}
	vec_free(&reply.values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_questions(data, size);
	as_reply(data, size);
	return 0;
}
