/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply.c - see reply.h. */
#include "solve/reply.h"

static bool take_value(struct reply *reply, struct message_record *record, size_t variable_count)
{
	struct message_value value;

	if (!message_fixed(record, &value, sizeof(value)) || value.variable >= variable_count)
		return false;
	vec_push(&reply->values, value);
	return true;
}

static bool take_answer(struct reply *reply, struct message_record *record, uint64_t serial)
{
	struct message_answer answer;

	if (!message_fixed(record, &answer, sizeof(answer)) || answer.serial != serial ||
	    answer.verdict >= MESSAGE_VERDICT_COUNT)
		return false;
	reply->verdict = (enum message_verdict)answer.verdict;
	return true;
}

enum message_state reply_read(struct reply *reply, const uint8_t *bytes, size_t size, uint64_t serial,
			      size_t variable_count)
{
	struct message_record record;
	enum message_state state;
	size_t at = 0;

	reply->values.count = 0;
	while ((state = message_next(bytes, size, &at, &record)) == MESSAGE_COMPLETE) {
		if (record.type == MESSAGE_ANSWER)
			return take_answer(reply, &record, serial) ? MESSAGE_COMPLETE : MESSAGE_DAMAGED;
		if (record.type != MESSAGE_VALUE || !take_value(reply, &record, variable_count))
			return MESSAGE_DAMAGED;
	}
	return state;
}
