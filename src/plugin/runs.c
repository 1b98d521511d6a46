/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runs.c - see runs.h. */
#include "plugin/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "finding/message.h"
#include "plugin/host.h"
#include "plugin/plugin_in.h"

_Static_assert((int)BLACKOUT_ROLE_STORE == (int)ROLE_STORE && (int)BLACKOUT_ROLE_FLUSH == (int)ROLE_FLUSH &&
		       (int)BLACKOUT_ROLE_FENCE == (int)ROLE_FENCE && (int)BLACKOUT_ROLE_LOAD == (int)ROLE_LOAD &&
		       (int)BLACKOUT_ROLE_GUARD == (int)ROLE_GUARD,
	       "blackout/oracle.h has the same roles as finding/kind.h");

/* Reports fit into sightings. */
_Static_assert(sizeof(((struct sighting *)0)->related) / sizeof(((struct sighting *)0)->related[0]) >=
		       BLACKOUT_RELATED_MAX,
	       "a sighting has room for all related places");

struct plugin_run {
	const struct plugin *plugin;
	struct host_job job;
	struct child child;
	const char *refused; /* what the host itself says went wrong; NULL: nothing */
	uint64_t bad;        /* reports that make no sense */
};

struct plugin_runs {
	struct plugin_run *at;
	struct sink **sinks; /* theirs */
	size_t count;
	struct arena texts;
};

struct plugin_runs *plugin_runs_new(const struct plugins *plugins, const struct platform *const *platforms,
				    size_t count)
{
	struct plugin_runs *runs = mem_alloc(sizeof(*runs));
	size_t plugin_count = plugins ? plugins->list.count : 0;

	runs->at = mem_alloc((plugin_count * count + 1) * sizeof(*runs->at));
	runs->sinks = mem_alloc((plugin_count * count + 1) * sizeof(struct sink *));
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < plugin_count; i++) {
			const struct plugin *plugin = &plugins->list.at[i];

			runs->sinks[runs->count] = sink_new(plugin->name, platform_name(platforms[k]));
			runs->at[runs->count++] = (struct plugin_run){
				.plugin = plugin,
				.job = {.path = plugin->path, .platform = platforms[k]},
				.child = {.limits = plugins->limits},
			};
		}
	return runs;
}

void plugin_runs_free(struct plugin_runs *runs)
{
	if (!runs)
		return;
	for (size_t i = 0; i < runs->count; i++) {
		child_close(&runs->at[i].child);
		sink_free(runs->sinks[i]);
	}
	arena_free(&runs->texts);
	free(runs->sinks);
	free(runs->at);
	free(runs);
}

static void run_work(void *arg)
{
	struct plugin_run *run = arg;

	host_run(&run->job, run->child.wire);
}

int plugin_runs_start(struct plugin_runs *runs, const char *dir, struct err *err)
{
	for (size_t i = 0; i < runs->count; i++) {
		struct plugin_run *run = &runs->at[i];

		run->job.dir = dir;
		run->child.wire = wire_new();
		if (child_start(&run->child, run_work, run, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- reports ---- */

/* A text with words in braces that nothing replaces is shown as it is. */
static const char *text_template(struct arena *arena, const char *text)
{
	size_t used = 0;
	const char *kept;
	char *escaped;

	if (message_knows(text))
		return text;
	escaped = mem_alloc(2 * strlen(text) + 1);
	for (; *text; text++) {
		if (*text == '{')
			escaped[used++] = '{';
		escaped[used++] = *text;
	}
	kept = arena_copy(arena, escaped, used);
	free(escaped);
	return kept;
}

/* False: no such kind, place, file or role exists. */
static bool report_is_possible(const struct plugin *plugin, const struct wire_report *r, const struct trace *trace)
{
	if (r->kind >= plugin->kinds.count || r->place > trace_context_count(trace) ||
	    r->file > trace_file_count(trace) || r->related_count > BLACKOUT_RELATED_MAX || !r->count)
		return false;
	for (uint32_t i = 0; i < r->related_count; i++)
		if (r->related[i].role >= ROLE_COUNT || r->related[i].place > trace_context_count(trace))
			return false;
	return true;
}

static bool report_read(struct plugin_runs *runs, size_t index, struct wire_record *record, const struct trace *trace)
{
	const struct plugin *plugin = runs->at[index].plugin;
	const char *message, *fix;
	struct wire_report r;
	struct sighting s = {0};

	if (!wire_fixed(record, &r, sizeof(r)) || !report_is_possible(plugin, &r, trace) ||
	    !wire_text(record, &runs->texts, &message) || !wire_text(record, &runs->texts, &fix))
		return false;
	const struct plugin_kind *kind = &plugin->kinds.at[r.kind];
	const struct form form = {
		.kind = kind->kind,
		.severity = kind->severity,
		.message = text_template(&runs->texts, *message ? message : kind_get(kind->kind)->line),
		.fix = text_template(&runs->texts, fix),
	};
	s.kind = kind->kind;
	s.form = form_register(&form);
	s.context = r.place;
	s.file = r.file;
	s.offset = r.offset;
	s.size = r.size < UINT32_MAX ? (uint32_t)r.size : UINT32_MAX;
	s.event = r.event;
	for (s.related_count = 0; s.related_count < r.related_count; s.related_count++) {
		s.related[s.related_count].role = (enum related_role)r.related[s.related_count].role;
		s.related[s.related_count].context = r.related[s.related_count].place;
	}
	sink_report_times(runs->sinks[index], &s, r.count);
	return true;
}

static void reports_read(struct plugin_runs *runs, size_t index, const struct trace *trace)
{
	struct plugin_run *run = &runs->at[index];
	struct wire_copy copy = wire_take(run->child.wire);
	struct wire_record record;

	while (wire_next(&copy, &record)) {
		if (record.type == WIRE_REFUSED)
			wire_text(&record, &runs->texts, &run->refused);
		else if (record.type != WIRE_REPORT || !report_read(runs, index, &record, trace))
			run->bad++;
	}
	run->bad += copy.at != copy.size;
	free((void *)copy.bytes);
}

void plugin_runs_finish(struct plugin_runs *runs, const struct trace *trace, const struct stop *stop)
{
	bool running = runs->count;

	for (unsigned turn = 0; running; turn++) {
		running = false;
		for (size_t i = 0; i < runs->count; i++) {
			if (stop_asked(stop))
				child_stop(&runs->at[i].child);
			running |= !child_poll(&runs->at[i].child);
		}
		if (running)
			child_pause(turn);
	}
	for (size_t i = 0; i < runs->count; i++)
		reports_read(runs, i, trace);
}

struct sink *const *plugin_runs_sinks(const struct plugin_runs *runs, size_t *count)
{
	*count = runs->count;
	return runs->sinks;
}

/* ---- notes ---- */

static void run_note(const struct plugin_run *run, const char *on, struct findings *f)
{
	const struct plugin *p = run->plugin;
	uint64_t dropped = run->child.wire->dropped;
	char how[300];

	if (run->refused) {
		findings_note(f, "the oracle %s %s%s", p->given, run->refused, on);
	} else if (run->child.end != CHILD_DONE) {
		child_end_text(&run->child, how, sizeof(how));
		findings_note(f, "the oracle %s %s%s; what it reported until then is kept", p->given, how, on);
	}
	if (dropped)
		findings_note(f, "the oracle %s reported too many different places%s: %" PRIu64 " reports are left out",
			      p->given, on, dropped);
	if (run->bad)
		findings_note(f, "the oracle %s reported kinds, places or files that do not exist%s: %" PRIu64 " times",
			      p->given, on, run->bad);
}

static bool is_unmatched(const struct trace *trace, const char *call)
{
	const char *pattern;
	char key[32];

	for (unsigned i = 0; snprintf(key, sizeof(key), "calls.unmatched.%u", i), (pattern = trace_meta(trace, key));
	     i++)
		if (!strcmp(pattern, call))
			return true;
	return false;
}

/* A pattern that matches nothing is most likely a mistake, or the function was inlined. */
static void unmatched_note(const struct plugin *p, const struct trace *trace, struct findings *f)
{
	for (size_t i = 0; i < p->calls.count; i++)
		if (is_unmatched(trace, p->calls.at[i]))
			findings_note(f, "no function matches '%s', whose calls the oracle %s wants", p->calls.at[i],
				      p->given);
}

/* What is the same on all platforms. */
static void plugin_note(const struct plugin *p, const struct trace *trace, struct findings *f)
{
	unmatched_note(p, trace, f);
	if (p->clash)
		findings_note(f, "the oracle %s describes %s differently than an earlier one, whose texts are shown",
			      p->given, p->clash);
}

void plugin_runs_note(const struct plugin_runs *runs, const struct trace *trace, struct findings *f)
{
	for (size_t i = 0; i < runs->count; i++) {
		const struct plugin_run *run = &runs->at[i];
		bool several = runs->at[0].job.platform != runs->at[runs->count - 1].job.platform;
		char on[64] = "";

		if (several)
			snprintf(on, sizeof(on), " (%s)", platform_name(run->job.platform));
		run_note(run, on, f);
		if (run->job.platform == runs->at[0].job.platform)
			plugin_note(run->plugin, trace, f);
	}
}
