/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oplist.c - see oplist.h. */
#include "ops/oplist.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "ops/excerpt.h"

#define BYTES_MAX ((size_t)1 << 30)
#define READ_BYTES ((size_t)1 << 16)

struct oplist {
	VEC_OF(char) text;
	VEC_OF(size_t) starts; /* of the operations, and the end of the last one */
};

static int unreadable(struct err *err, const char *path)
{
	err_sys(err, "cannot read the operations in %s", path);
	return err_status(err, ERR_USAGE);
}

static int refuse(struct err *err, const char *fmt, const char *path)
{
	err_set(err, fmt, path);
	return err_status(err, ERR_USAGE);
}

static int text_read(struct oplist *list, int fd, const char *path, struct err *err)
{
	for (;;) {
		if (list->text.room - list->text.count < READ_BYTES) {
			list->text.room = list->text.room * 2 + READ_BYTES;
			list->text.at = mem_resize(list->text.at, list->text.room, 1);
		}
		ssize_t n = read(fd, list->text.at + list->text.count, list->text.room - list->text.count);

		if (n == 0)
			break;
		if (n > 0)
			list->text.count += (size_t)n;
		else if (errno != EINTR)
			return unreadable(err, path);
		if (list->text.count > BYTES_MAX)
			return refuse(err, "%s is too large to be a list of operations", path);
	}
	return list->text.count ? 0 : refuse(err, "there are no operations in %s", path);
}

static void starts_find(struct oplist *list)
{
	const char *end = list->text.at + list->text.count;

	for (const char *at = list->text.at; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		vec_push(&list->starts, (size_t)(at - list->text.at));
		at = newline ? newline + 1 : end;
	}
	vec_push(&list->starts, list->text.count);
}

int oplist_read(struct oplist **list, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return unreadable(err, path);
	struct oplist *l = mem_alloc(sizeof(*l));
	int result = text_read(l, fd, path, err);
	close(fd);
	if (result < 0) {
		oplist_free(l);
		return -1;
	}
	starts_find(l);
	*list = l;
	return 0;
}

void oplist_free(struct oplist *list)
{
	vec_free(&list->text);
	vec_free(&list->starts);
	free(list);
}

size_t oplist_count(const struct oplist *list)
{
	return list->starts.count - 1;
}

struct oplist_bytes oplist_bytes(const struct oplist *list, size_t first, size_t max)
{
	size_t count = oplist_count(list);

	BUG_ON(first > count);
	size_t from = list->starts.at[first], to = list->starts.at[max < count - first ? first + max : count];
	return (struct oplist_bytes){list->text.at + from, to - from};
}

void oplist_excerpt(const struct oplist *list, size_t index, char *text, size_t room)
{
	BUG_ON(index >= oplist_count(list));
	struct oplist_bytes bytes = oplist_bytes(list, index, 1);
	excerpt(text, room, bytes.at, bytes.size);
}
