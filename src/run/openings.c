/* SPDX-License-Identifier: GPL-2.0-or-later */
/* openings.c - see openings.h. */
#include "run/openings.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/path.h"

static void file_watch(struct openings *o, const char *stage, const char *name)
{
	char path[PATH_MAX];
	int watch;

	if (!path_format(path, sizeof(path), "%s/%s", stage, name))
		return;
	watch = inotify_add_watch(o->fd, path, IN_OPEN | IN_DONT_FOLLOW);
	if (watch >= 0)
		vec_push(&o->watches, watch);
	else if (errno != ENOENT) /* a crash state need not have every file */
		o->blind = true;
}

void openings_begin(struct openings *o, const struct scene *scene)
{
	if (!o->is_open) {
		o->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		o->is_open = o->fd >= 0;
	}
	o->blind = !o->is_open;
	for (size_t i = 0; !o->blind && i < scene->count; i++)
		for (size_t n = 0; !o->blind && n < scene->dirs[i].names.count; n++)
			file_watch(o, scene->dirs[i].stage, scene->dirs[i].names.items[n]);
}

/* Also drops the events of removed watches. */
static bool opens_read(struct openings *o)
{
	_Alignas(struct inotify_event) char events[4096];
	bool seen = false;
	ssize_t n;

	while ((n = read(o->fd, events, sizeof(events))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event = (const void *)(events + at);

			seen |= (event->mask & (IN_OPEN | IN_Q_OVERFLOW)) != 0;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	return seen;
}

enum openings_seen openings_end(struct openings *o)
{
	size_t count = o->watches.count;
	bool seen = false;

	if (o->is_open) {
		seen = opens_read(o);
		for (size_t i = 0; i < count; i++)
			inotify_rm_watch(o->fd, o->watches.at[i]);
		opens_read(o);
	}
	o->watches.count = 0;
	return seen ? OPENINGS_SOME : o->blind ? OPENINGS_UNKNOWN : count ? OPENINGS_NONE : OPENINGS_NO_FILE;
}

void openings_close(struct openings *o)
{
	if (o->is_open)
		close(o->fd);
	vec_free(&o->watches);
	*o = (struct openings){0};
}
