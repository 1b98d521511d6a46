/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.c - see progress.h. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/summary.h"

enum { TERMINAL_MS = 200, LINES_MS = 10000 };

struct progress progress_start(void)
{
	return (struct progress){.terminal = isatty(STDERR_FILENO), .shown = clock_seconds()};
}

void progress_clear(struct progress *p)
{
	if (p->visible)
		fprintf(stderr, "\r\033[K");
	p->visible = false;
}

static bool is_due(struct progress *p)
{
	double now = clock_seconds();

	if ((now - p->shown) * 1000 < (p->terminal ? TERMINAL_MS : LINES_MS))
		return false;
	p->shown = now;
	return true;
}

/* This takes seconds, so it is not worth a line of its own. */
void progress_reading(void *progress, uint64_t events)
{
	struct progress *p = progress;
	char number[32];

	if (!p->terminal || !is_due(p))
		return;
	fprintf(stderr, "\r%s events analyzed", number_text(number, events));
	p->visible = true;
}

/* Seconds until the phase is done at its current pace, or until the budget is used up; negative: unknown. */
static double progress_left(const struct campaign_progress *p)
{
	uint64_t known = p->segments_known ? p->segments_known : p->known,
		 done = p->segments_known ? p->segments : p->done;
	double left = done && known >= done ? p->seconds * (double)(known - done) / (double)done : -1;

	return p->budget_left >= 0 && (left < 0 || left > p->budget_left) ? p->budget_left : left;
}

/* "exploring: 12 of 33 segments, 1 234 crash states, 2 210/s, 3 fail, about 12 s left" */
static void progress_text(const struct campaign_progress *p, char *text, size_t size)
{
	double rate = p->seconds > 0 ? (double)p->tested / p->seconds : 0, left = progress_left(p);
	char number[32], total[32], segments[80] = "", states[80], failed[48] = "", time[48] = "";

	if (p->segments_known)
		snprintf(segments, sizeof(segments), "%s of %s segments, ", number_text(number, p->segments),
			 number_text(total, p->segments_known));
	if (p->known)
		snprintf(states, sizeof(states), "%s of %s crash states", number_text(number, p->done),
			 number_text(total, p->known));
	else
		snprintf(states, sizeof(states), "%s crash states", number_text(number, p->done));
	if (p->failed)
		snprintf(failed, sizeof(failed), ", %s fail", number_text(number, p->failed));
	if (left >= 0)
		snprintf(time, sizeof(time), ", about %.0f s left", left);
	snprintf(text, size, "%s: %s%s, %s/s%s%s", p->phase, segments, states, number_text(number, (uint64_t)rate),
		 failed, time);
}

static void progress_print(struct progress *p, const char *text)
{
	if (p->terminal)
		fprintf(stderr, "\r%s\033[K", text);
	else
		fprintf(stderr, "%s\n", text);
	p->visible = p->terminal;
}

void progress_testing(void *progress, const struct campaign_progress *testing)
{
	struct progress *p = progress;
	char text[256];

	if (!is_due(p))
		return;
	progress_text(testing, text, sizeof(text));
	progress_print(p, text);
}

/* "1 234 crash states, 8 shards: 2 done, 5 running, 1 waiting (Resources)" */
void progress_sharded(void *progress, const struct cluster_progress *s)
{
	struct progress *p = progress;
	char text[256], number[32], parts[128] = "";
	const struct {
		unsigned count;
		const char *what;
	} states[] = {{s->done, "done"}, {s->failed, "failed"}, {s->running, "running"}, {s->waiting, "waiting"}};

	if (!is_due(p))
		return;
	for (size_t i = 0, used = 0; i < sizeof(states) / sizeof(*states); i++, used = strlen(parts))
		if (states[i].count)
			snprintf(parts + used, sizeof(parts) - used, "%s %u %s", used ? "," : "", states[i].count,
				 states[i].what);
	snprintf(text, sizeof(text), "%s crash states, %u shard%s:%s%s%s%s", number_text(number, s->states), s->total,
		 s->total == 1 ? "" : "s", parts, *s->waits_for ? " (" : "", s->waits_for, *s->waits_for ? ")" : "");
	progress_print(p, text);
}

/* "12 executions, 5 inputs, 40 branches, 9 of 30 PM sites, 1 finding; 17 to do, about 40 s left" */
void progress_searching(void *progress, const struct input_search_progress *s)
{
	struct progress *p = progress;
	char text[256], time[48] = "";

	if (!is_due(p))
		return;
	if (s->budget_left >= 0)
		snprintf(time, sizeof(time), ", %.0f s left", s->budget_left);
	snprintf(text, sizeof(text),
		 "%" PRIu64 " execution%s, %" PRIu64 " input%s, %" PRIu64 " branch%s, %" PRIu64 " of %" PRIu64
		 " PM sites, %" PRIu64 " finding%s; %" PRIu64 " to do%s",
		 s->executions, s->executions == 1 ? "" : "s", s->inputs, s->inputs == 1 ? "" : "s", s->branches,
		 s->branches == 1 ? "" : "es", s->pm_reached, s->pm_known, s->findings, s->findings == 1 ? "" : "s",
		 s->waiting, time);
	progress_print(p, text);
}
