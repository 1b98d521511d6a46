/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.c - see message.h. */
#include "solve/message.h"

#include <string.h>

struct record_head {
	uint32_t type;
	uint32_t size; /* of what follows */
};

static void head_add(struct message_bytes *bytes, enum message_type type, size_t size)
{
	struct record_head head = {.type = type, .size = (uint32_t)size};

	vec_append(bytes, (const uint8_t *)&head, sizeof(head));
}

void message_add(struct message_bytes *bytes, enum message_type type, const void *fixed, size_t size)
{
	head_add(bytes, type, size);
	vec_append(bytes, (const uint8_t *)fixed, size);
}

void message_add_table(struct message_bytes *bytes, uint64_t address, const void *content, size_t size)
{
	struct message_table table = {.address = address};

	head_add(bytes, MESSAGE_TABLE, sizeof(table) + size);
	vec_append(bytes, (const uint8_t *)&table, sizeof(table));
	vec_append(bytes, (const uint8_t *)content, size);
}

enum message_state message_next(const uint8_t *bytes, size_t size, size_t *at, struct message_record *record)
{
	struct record_head head;

	if (size - *at < sizeof(head))
		return MESSAGE_PARTIAL;
	memcpy(&head, bytes + *at, sizeof(head));
	if (!head.type || head.type >= MESSAGE_TYPE_END || head.size > MESSAGE_RECORD_MAX)
		return MESSAGE_DAMAGED;
	if (size - *at - sizeof(head) < head.size)
		return MESSAGE_PARTIAL;
	*record = (struct message_record){.type = (enum message_type)head.type,
					  .bytes = bytes + *at + sizeof(head),
					  .size = head.size};
	*at += sizeof(head) + head.size;
	return MESSAGE_COMPLETE;
}

bool message_fixed(struct message_record *record, void *fixed, size_t size)
{
	if (record->size < size)
		return false;
	memcpy(fixed, record->bytes, size);
	record->bytes += size;
	record->size -= size;
	return true;
}
