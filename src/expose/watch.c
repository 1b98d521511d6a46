/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.c - recovery is recorded on a state of a moment; see expose_in.h.
 *
 * Recordings are slow to start, so several are under way at a time, and none is made whose script is known: the same
 * content makes recovery do the same.  The history may differ, so the script is played again.  If nothing was stored
 * since the last visit, even that is needless: more is certain now, and fewer stores can be lost. */
#include <stdlib.h>

#include "crash/moment.h"
#include "expose/expose_in.h"

enum {
	SCRIPTS_KEPT = 64,
	STEPS_KEPT = 1 << 22, /* in all scripts that are kept, besides the last */
	/* Bytes of a recording: a recovery that spins on PM would fill the disk.  The others of its kind get less. */
	RECORDING_MOST = 256 << 20,
	RECORDING_MOST_THEN = 16 << 20,
	PATIENCE = 5, /* time limits for a recorded recovery; 1 once a recovery has hung */
};

/* Scripts by content */

static void script_forget(struct scripts *s, size_t place)
{
	*map_put(&s->index, s->contents.at[place].low, s->contents.at[place].high) = 0;
	script_drop(s->all.at[place]);
}

void scripts_free(struct scripts *s)
{
	for (size_t i = s->first; i < s->all.count; i++)
		script_drop(s->all.at[i]);
	vec_free(&s->all);
	vec_free(&s->contents);
	map_free(&s->index);
}

static struct script *scripts_find(const struct scripts *s, struct digest content)
{
	const uint64_t *place = map_get(&s->index, content.low, content.high);

	return place && *place ? s->all.at[*place - 1] : NULL;
}

static size_t scripts_steps(const struct scripts *s)
{
	size_t steps = 0;

	for (size_t i = s->first; i < s->all.count; i++)
		steps += s->all.at[i]->steps.count;
	return steps;
}

static void scripts_keep(struct scripts *s, struct digest content, struct script *script)
{
	while (s->all.count - s->first == SCRIPTS_KEPT || scripts_steps(s) > STEPS_KEPT)
		script_forget(s, s->first++);
	vec_push(&s->all, script_use(script));
	vec_push(&s->contents, content);
	*map_put(&s->index, content.low, content.high) = s->all.count;
}

/* Recordings under way */

struct flight {
	struct script_writer writer; /* first: it is what the consumer gets */
	struct expose *expose;
};

static void flight_free(struct flight *f)
{
	script_writer_free(&f->writer);
	script_drop(f->writer.script);
	free(f);
}

static void flight_end(void *arg, int traced, const struct outcome *outcome)
{
	struct flight *f = arg;
	struct expose_figures *figures = &f->expose->figures;

	f->writer.script->ended = true;
	figures->recoveries += traced >= 0;
	figures->unrecorded += traced == RECOVERY_TRACE_CUT || traced == RECOVERY_TRACE_DAMAGED;
	figures->hung += outcome && outcome->ending.kind == ENDING_TIMEOUT;
	figures->limited += traced == RECOVERY_TRACE_LIMITED;
	figures->cut += f->writer.script->cut;
	figures->loads += script_loads(f->writer.script);
	flight_free(f);
}

static struct flight *flight_new(struct pass *pass, struct script *script)
{
	struct image *image = reading_image(pass->reading);
	struct expose *x = pass->chooser->state;
	struct flight *f = mem_alloc(sizeof(*f));

	f->expose = x;
	f->writer.script = script_use(script);
	f->writer.stacks = x->stacks;
	f->writer.checksums = x->checksums;
	for (uint32_t file = 1; file <= image_file_count(image); file++)
		if (image_exists(image, file))
			script_files_add(&f->writer.files, image_path(image, file), file);
	return f;
}

/* With a budget, one recovery gets no more than the time that is left. */
static unsigned recording_patience(const struct campaign *c, const struct expose *x)
{
	double left = campaign_time_left(c);
	unsigned patience = x->figures.hung ? 1 : PATIENCE;

	return left >= 0 && left < patience * c->options.timeout ? 1 : patience;
}

/* Begin to write the script of recovery on this state. */
static int recording_start(struct pass *pass, const struct state *state, const struct crash_context *crash,
			   struct script *script, struct err *err)
{
	struct campaign *c = pass->chooser->campaign;
	struct expose *x = pass->chooser->state;
	struct flight *f = flight_new(pass, script);
	const struct campaign_watching how = {
		.layers = BO_LAYER_SYNC | (c->options.checksum_count ? BO_LAYER_DEPENDENCIES : 0),
		.patience = recording_patience(c, x),
		.most = x->figures.limited ? RECORDING_MOST_THEN : RECORDING_MOST,
	};
	int r = campaign_watch_start(c, state, crash, how, ++x->number,
				     &(struct recovery_consumer){SCRIPT_CONSUMER(&f->writer)}, flight_end, err);

	if (r == 0)
		return 0;
	script->ended = true;
	flight_free(f);
	if (r == -1 && !x->figures.unrecorded++)
		x->why = *err;
	return r == -1 ? 0 : r;
}

/* Visits */

/* The script of recovery on this state, which may still be under way; the caller is one of its users.  NULL:
 * stopped. */
static struct script *state_script(struct pass *pass, const struct state *state, const struct crash_context *crash,
				   struct digest content, struct err *err)
{
	struct expose *x = pass->chooser->state;
	struct scripts *known = &x->scripts[pass->platform];
	struct script *script = scripts_find(known, content);

	if (script)
		return script_use(script);
	script = script_new();
	if (recording_start(pass, state, crash, script, err) == TESTER_STOPPED) {
		script_drop(script);
		return NULL;
	}
	scripts_keep(known, content, script);
	return script;
}

static int state_visit(struct pass *pass, struct state *state, const bool *persisted, struct err *err)
{
	struct exposing *w = pass->state;
	const struct crash_context crash =
		campaign_crash(pass->chooser->campaign, pass->platform, reading_number(pass->reading));
	size_t count;
	const struct unit *const *units = model_pending(image_model(reading_image(pass->reading)), &count);
	struct script *script = state_script(pass, state, &crash, crash_case(state->digest, &crash), err);
	struct visit *visit;

	if (!script)
		return TESTER_STOPPED;
	visit = follow_add(w->follow, crash.event, script);
	for (size_t i = 0; persisted && i < count; i++)
		if (!persisted[i])
			vec_push(&visit->lost, ((struct lost_unit){units[i]->event, units[i]->offset, units[i]->size,
								   units[i]->file}));
	script_drop(script);
	follow_go(w->follow);
	return 0;
}

int watch_all(struct pass *pass, struct err *err)
{
	struct exposing *w = pass->state;
	struct image *image = reading_image(pass->reading);
	const struct crash_context crash =
		campaign_crash(pass->chooser->campaign, pass->platform, reading_number(pass->reading));
	struct digest content = crash_case(state_digest_all(image), &crash);
	struct state *state;
	int r;

	if (digest_equal(content, w->content) && w->stores == w->content_stores)
		return 0;
	w->content = content;
	w->content_stores = w->stores;
	state = state_all(image);
	r = state_visit(pass, state, NULL, err);
	state_free(state);
	return r;
}

/* Of each line, a random number of its first units is on media, as far as the platform allows it. */
static bool *persisted_choose(const struct moment *moment, uint64_t random)
{
	const struct choices *c = moment->choices;
	uint8_t *taken = mem_alloc(c->unit_count + 1);
	bool *persisted = mem_alloc((c->unit_count + 1) * sizeof(*persisted));

	for (uint32_t l = 0; l < c->line_count; l++) {
		const struct choices_line *line = &choices_lines(c)[l];
		uint64_t count = random_below(&random, line->count + 1);

		for (uint32_t i = 0; i < count; i++)
			taken[line->first + i] = 1;
	}
	choices_drop(c, taken);
	moment_persisted(moment, taken, persisted);
	free(taken);
	return persisted;
}

int watch_random(struct pass *pass, size_t pick, struct err *err)
{
	struct campaign *c = pass->chooser->campaign;
	struct image *image = reading_image(pass->reading);
	const struct crash_context crash = campaign_crash(c, pass->platform, reading_number(pass->reading));
	struct moment *moment = moment_new(image, &crash);
	bool *persisted = persisted_choose(moment, random_seed(c->options.seed, pick));
	struct state *state = state_new(image, persisted);
	int r = state_visit(pass, state, persisted, err);

	state_free(state);
	free(persisted);
	moment_free(moment);
	return r;
}
