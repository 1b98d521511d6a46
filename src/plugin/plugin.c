/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c - see plugin.h. */
#include "plugin/plugin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "plugin/host.h"
#include "plugin/pattern.h"
#include "plugin/plugin_in.h"

#define KIND_PREFIX "custom:"

_Static_assert((int)BLACKOUT_ERROR == (int)SEVERITY_ERROR && (int)BLACKOUT_PERFORMANCE == (int)SEVERITY_PERFORMANCE &&
		       (int)BLACKOUT_WARNING == (int)SEVERITY_WARNING,
	       "blackout/oracle.h has the same severities as finding/kind.h");

/* ---- reading a description ---- */

static bool same_kind(const struct kind *a, const struct kind *b)
{
	return a->severity == b->severity && text_equal(a->line, b->line) && text_equal(a->class_text, b->class_text);
}

/* A document as those of the other kinds. */
static const char *help_make(struct arena *arena, const char *kind, const char *title, const char *help)
{
	char *text;
	int length = *help ? asprintf(&text, "# %s\n\n%s", kind, help)
			   : asprintf(&text, "# %s\n\nA plug-in reports this: %s.\n", kind, title);

	BUG_ON(length < 0);
	help = arena_copy(arena, text, (size_t)length);
	free(text);
	return help;
}

static bool kind_read(struct plugins *all, struct plugin *p, struct wire_record *record)
{
	struct wire_kind fixed;
	const char *name, *title, *group, *help;
	char full[160];
	unsigned before = kind_count();

	if (!wire_fixed(record, &fixed, sizeof(fixed)) || !wire_text(record, &all->texts, &name) ||
	    !wire_text(record, &all->texts, &title) || !wire_text(record, &all->texts, &group) ||
	    !wire_help(record, &all->texts, &help))
		return false;
	if (fixed.severity >= SEVERITY_COUNT ||
	    (size_t)snprintf(full, sizeof(full), KIND_PREFIX "%s", name) >= sizeof(full) || !kind_name_is_valid(full))
		return false;
	const struct kind kind = {
		.name = full,
		.class = CLASS_CRASH, /* of a class that no rule of the built-in ones applies to */
		.severity = (enum severity)fixed.severity,
		.line = title,
		.help = help_make(&all->texts, full, title, help),
		.class_text = *group ? group : "custom",
	};
	enum finding_kind id = kind_register(&kind);
	if (kind_count() == before && !same_kind(&kind, kind_get(id)))
		p->clash = kind_get(id)->name;
	vec_push(&p->kinds, ((struct plugin_kind){id, kind.severity}));
	return true;
}

static bool has_call(const struct plugin *p, const char *call)
{
	for (size_t i = 0; i < p->calls.count; i++)
		if (!strcmp(p->calls.at[i], call))
			return true;
	return false;
}

/* False: it is not what host_describe writes. */
static bool record_read(struct plugins *all, struct plugin *p, struct wire_record *record, const char **refused)
{
	struct wire_description fixed;
	const char *text;

	switch (record->type) {
	case WIRE_DESCRIPTION:
		if (!wire_fixed(record, &fixed, sizeof(fixed)) || !wire_text(record, &all->texts, &p->name))
			return false;
		p->layers = fixed.layers & BO_LAYERS_KNOWN;
		return *p->name;
	case WIRE_KIND: return kind_read(all, p, record);
	case WIRE_CALL:
		if (!wire_text(record, &all->texts, &text) || !*text)
			return false;
		if (!has_call(p, text))
			vec_push(&p->calls, text);
		return true;
	case WIRE_REFUSED: return wire_text(record, &all->texts, refused);
	default: return false;
	}
}

/* The sentence of a refusal may begin with the path, as the loader's do. */
static int plugin_refuse(const struct plugin *p, const char *why, struct err *err)
{
	err_set(err, "the oracle %s %s", p->given, why);
	return err_status(err, ERR_USAGE);
}

static int description_read(struct plugins *all, struct plugin *p, struct wire_copy copy, struct err *err)
{
	struct wire_record record;
	const char *refused = NULL;
	bool good = true;

	while (good && !refused && wire_next(&copy, &record))
		good = record_read(all, p, &record, &refused);
	if (refused)
		return plugin_refuse(p, refused, err);
	if (!good || copy.at != copy.size || !p->name || !p->kinds.count)
		return plugin_refuse(p, "cannot be used: its process wrote what makes no sense", err);
	return 0;
}

/* ---- opening ---- */

struct describing {
	const char *path;
	struct wire *wire;
};

static void describe(void *arg)
{
	const struct describing *d = arg;

	host_describe(d->path, d->wire);
}

static int plugin_describe(struct plugins *all, struct plugin *p, struct err *err)
{
	struct child child = {.wire = wire_new(), .limits = all->limits};
	struct describing describing = {p->path, child.wire};
	char how[300], why[320];
	int r = child_start(&child, describe, &describing, err);

	for (unsigned turn = 0; r == 0 && !child_poll(&child); turn++)
		child_pause(turn);
	if (r == 0 && child.end != CHILD_DONE) {
		child_end_text(&child, how, sizeof(how));
		snprintf(why, sizeof(why), "cannot be used: it %s", how);
		r = plugin_refuse(p, why, err);
	} else if (r == 0) {
		struct wire_copy copy = wire_take(child.wire);

		r = description_read(all, p, copy, err);
		free((void *)copy.bytes);
	}
	child_close(&child);
	return r;
}

int plugins_open(struct plugins **plugins, const char *const *paths, size_t count, const struct child_limits *limits,
		 struct err *err)
{
	struct plugins *all = *plugins = mem_alloc(sizeof(*all));

	all->limits = *limits;
	for (size_t i = 0; i < count; i++) {
		vec_push(&all->list, ((struct plugin){.given = paths[i], .path = realpath(paths[i], NULL)}));
		struct plugin *p = &all->list.at[i];

		if (!p->path) {
			err_sys(err, "cannot load the oracle %s", paths[i]);
			return err_status(err, ERR_USAGE);
		}
		if (plugin_describe(all, p, err) < 0)
			return -1;
	}
	return 0;
}

void plugins_close(struct plugins *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->list.count; i++) {
		free(all->list.at[i].path);
		vec_free(&all->list.at[i].kinds);
		vec_free(&all->list.at[i].calls);
	}
	vec_free(&all->list);
	arena_free(&all->texts);
	free(all);
}

/* ---- needs ---- */

uint32_t plugins_layers(const struct plugins *all)
{
	uint32_t layers = 0;

	for (size_t i = 0; all && i < all->list.count; i++)
		layers |= all->list.at[i].layers;
	return layers;
}

const char *plugins_call(const struct plugins *all, size_t index)
{
	for (size_t i = 0; all && i < all->list.count; i++) {
		if (index < all->list.at[i].calls.count)
			return all->list.at[i].calls.at[index];
		index -= all->list.at[i].calls.count;
	}
	return NULL;
}

static bool call_is_recorded(const struct trace *trace, const char *pattern)
{
	const char *recorded;
	char key[32];

	for (unsigned i = 0; snprintf(key, sizeof(key), "calls.%u", i), (recorded = trace_meta(trace, key)); i++)
		if (pattern_covers(recorded, pattern))
			return true;
	return false;
}

bool plugins_lack(const struct plugins *all, const struct trace *trace, struct plugins_lack *lack)
{
	for (size_t i = 0; all && i < all->list.count; i++) {
		const struct plugin *p = &all->list.at[i];

		*lack = (struct plugins_lack){.plugin = p->given, .layers = p->layers & ~trace_layers(trace)};
		for (size_t k = 0; k < p->calls.count && !lack->call; k++)
			if (!call_is_recorded(trace, p->calls.at[k]))
				lack->call = p->calls.at[k];
		if (lack->layers || lack->call)
			return true;
	}
	return false;
}
