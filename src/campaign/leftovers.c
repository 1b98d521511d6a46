/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.c - does recovery need the stores that the program never wrote back?
 *
 * Other detectors name code whose stores are left unflushed at the end of the run (campaign_options.leftovers).  The
 * recording is read to its end.  For each such context:
 *
 *  1. Recovery runs on the final state of the program, without the context's leftovers and the stores that follow them
 *     in their lines.  Does it pass?
 *  2. Two recordings of recovery show whether it first reads or first overwrites the leftover bytes.  One is of the
 *     state with no pending store on media, the other of the files as the program left them.
 *
 * Failures in step 1 are explained with the other failures (loss.c), which may blame other stores that are lost at the
 * same time.  Only then is the proof for each context known. */
#include "campaign/leftovers.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "campaign/campaign.h"
#include "crash/campaign_in.h"
#include "explain/explain.h"
#include "model/choices.h"

/* The leftover stores of one context. */
struct leftover {
	struct leftover_proof proof; /* the fate is filled in at the end */
	struct digest digest;        /* of the state without these stores */
	const bool *persisted;       /* that state, flags by model_pending; NULL: none */
	bool read, overwritten;      /* recovery's first access to some of their bytes is a read, or a write */
	struct trial trial;          /* that state, if recovery fails on it */
};

struct leftovers {
	VEC_OF(struct leftover) all;
	uint64_t event; /* the last event of the recording */
	bool watched;   /* recovery's accesses to their bytes were observed */
};

/* How one recording accessed the bytes that one context left in a word; a bit for each byte. */
struct word {
	uint32_t leftover; /* index */
	uint8_t bytes, read, overwritten;
	size_t next; /* 1 + index: the same word for another context */
};

struct search {
	struct campaign *campaign;
	struct reading *reading;
	struct map word_of; /* (hash of the path, number of the word) -> 1 + index of the first of its words */
	VEC_OF(struct word) words;
};

static struct leftover *leftover_find(struct campaign *c, uint32_t context)
{
	for (size_t i = 0; i < c->leftovers->all.count; i++)
		if (c->leftovers->all.at[i].proof.context == context)
			return &c->leftovers->all.at[i];
	return NULL;
}

static bool is_leftover(const struct unit *unit, uint32_t context)
{
	return unit->context == context && unit->kind == UNIT_CACHED && unit->cover == UNIT_BARE;
}

/* ---- recovery without the leftovers ---- */

/* Put everything on media but the leftovers of a context and the stores after them in the same lines.  False: the
 * context has no leftovers. */
static bool set_without(const struct unit *const *units, size_t count, uint32_t context, bool *persisted)
{
	struct map lines = {0}; /* lines with a lost store */
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct unit *unit = units[i];
		bool lost = is_leftover(unit, context);

		if (lost)
			*map_put(&lines, unit->file, unit->offset / LINE_BYTES) = 1;
		else if (lines.count && unit->kind == UNIT_CACHED)
			lost = map_get(&lines, unit->file, unit->offset / LINE_BYTES) != NULL;
		persisted[i] = !lost;
		any |= lost;
	}
	map_free(&lines);
	return any;
}

static struct crash_context search_crash(const struct search *s)
{
	return campaign_crash(s->campaign, s->campaign->options.leftover_platform, reading_number(s->reading));
}

static int leftover_try(struct search *s, struct leftover *leftover, struct err *err)
{
	struct image *image = reading_image(s->reading);
	struct model *model = image_model(image);
	size_t count;
	const struct unit *const *units = model_pending(model, &count);
	bool *persisted = mem_alloc(count + 1);
	const struct crash_context crash = search_crash(s);
	struct state *state;
	int r = 0;

	if (set_without(units, count, leftover->proof.context, persisted) && model_allows(model, persisted)) {
		state = state_new(image, persisted);
		leftover->digest = crash_case(state->digest, &crash);
		leftover->persisted = campaign_block(s->campaign, persisted, (count + 1) * sizeof(*persisted));
		r = tester_claim(s->campaign->tester, leftover->digest, &crash, err);
		if (r == 0)
			r = tester_submit(s->campaign->tester, state, &crash, err);
		state_free(state);
	}
	free(persisted);
	return r < 0 ? r : 0;
}

/* ---- recovery's accesses to the leftover bytes ---- */

/* Find or add the word of a leftover in the list that starts at *first. */
static struct word *word_get(struct search *s, uint64_t *first, uint32_t leftover)
{
	for (size_t at = *first; at; at = s->words.at[at - 1].next)
		if (s->words.at[at - 1].leftover == leftover)
			return &s->words.at[at - 1];
	vec_push(&s->words, ((struct word){.leftover = leftover, .next = *first}));
	*first = s->words.count;
	return &s->words.at[s->words.count - 1];
}

static void words_add(struct search *s)
{
	struct image *image = reading_image(s->reading);
	size_t count;
	const struct unit *const *units = model_pending(image_model(image), &count);

	for (size_t i = 0; i < count; i++) {
		struct leftover *leftover = leftover_find(s->campaign, units[i]->context);
		const char *path = image_path(image, units[i]->file);
		struct word *word;

		if (!leftover || !path || !is_leftover(units[i], units[i]->context))
			continue;
		word = word_get(s, map_put(&s->word_of, XXH3_64bits(path, strlen(path)), units[i]->offset / 8),
				(uint32_t)(leftover - s->campaign->leftovers->all.at));
		word->bytes |= (uint8_t)(((1u << units[i]->size) - 1) << units[i]->offset % 8);
	}
}

static uint8_t bytes_in_word(const struct event *ev, uint64_t word)
{
	uint64_t first = ev->offset > word * 8 ? ev->offset - word * 8 : 0;
	uint64_t end = ev->offset + ev->size < word * 8 + 8 ? ev->offset + ev->size - word * 8 : 8;

	return (uint8_t)((1u << end) - (1u << first));
}

static void word_note(struct word *word, const struct event *ev, uint64_t at)
{
	uint8_t bytes = (uint8_t)(bytes_in_word(ev, at) & word->bytes);

	if (ev->type == EVENT_LOAD)
		word->read |= bytes & (uint8_t)~word->overwritten;
	else
		word->overwritten |= bytes & (uint8_t)~word->read;
}

static void event_note(void *arg, const struct trace *trace, const struct event *ev)
{
	struct search *s = arg;
	const struct trace_file *file;
	uint64_t path;

	if ((ev->type != EVENT_LOAD && ev->type != EVENT_STORE && ev->type != EVENT_FILE_WRITE) || !ev->file ||
	    !ev->size)
		return;
	file = trace_file(trace, ev->file);
	if (!file || !file->path)
		return;
	path = XXH3_64bits(file->path, strlen(file->path));
	for (uint64_t at = ev->offset / 8; at <= (ev->offset + ev->size - 1) / 8; at++) {
		const uint64_t *first = map_get(&s->word_of, path, at);

		for (size_t i = first ? *first : 0; i; i = s->words.at[i - 1].next)
			word_note(&s->words.at[i - 1], ev, at);
	}
}

/* After one recording: pass on its accesses to the leftovers. */
static void words_take(struct search *s)
{
	for (size_t i = 0; i < s->words.count; i++) {
		struct word *word = &s->words.at[i];
		struct leftover *leftover = &s->campaign->leftovers->all.at[word->leftover];

		leftover->read |= word->read != 0;
		leftover->overwritten |= word->overwritten != 0;
		word->read = word->overwritten = 0;
	}
}

static int recoveries_watch(struct search *s)
{
	struct state *none = state_none(reading_image(s->reading));
	const struct state *states[] = {none, NULL};
	const struct crash_context crashes[] = {search_crash(s),
						campaign_crash(s->campaign, s->campaign->options.leftover_platform,
							       CRASH_NONE)};
	const struct recovery_consumer consumer = {.event = event_note, .arg = s};
	bool whole = true;
	int r = 0;

	words_add(s);
	for (unsigned i = 0; r == 0 && whole && i < 2; i++) {
		/* Recording is slow.  Without it each leftover gets the same verdict as in a run without --recover. */
		if (tester_time_is_over(s->campaign->tester)) {
			whole = false;
			break;
		}
		r = campaign_watch(s->campaign, states[i], &crashes[i], (struct campaign_watching){0}, &consumer,
				   &whole);
		words_take(s);
	}
	s->campaign->leftovers->watched = r == 0 && whole;
	state_free(none);
	return r;
}

static int leftovers_test(struct search *s, struct err *err)
{
	struct campaign *c = s->campaign;
	int r = 0;

	if (reading_to(s->reading, UINT64_MAX, err) < 0)
		return -1;
	c->leftovers->event = reading_number(s->reading);
	for (size_t i = 0; i < c->options.leftover_count; i++)
		if (!leftover_find(c, c->options.leftovers[i]))
			vec_push(&c->leftovers->all, (struct leftover){.proof.context = c->options.leftovers[i]});
	for (size_t i = 0; r == 0 && i < c->leftovers->all.count; i++)
		r = leftover_try(s, &c->leftovers->all.at[i], err);
	/* A server does not end by itself, so it cannot be recorded.  A shard explains nothing (crash/shard.h). */
	if (r == 0 && !c->options.client && !c->options.shard.total)
		r = recoveries_watch(s);
	return r;
}

/* ---- failures ---- */

/* Nothing is added with --points: the end of the program is not one of the chosen points. */
static void leftovers_jobs(struct campaign *c, struct jobs *jobs)
{
	if (c->options.points)
		return;
	for (size_t i = 0; i < c->leftovers->all.count; i++) {
		struct leftover *leftover = &c->leftovers->all.at[i];
		struct verdict verdict = outcomes_get(c->outcomes, leftover->digest);
		uint64_t *result;

		if (!leftover->persisted || !verdict_failed(verdict))
			continue;
		result = map_put(&c->found.contents, leftover->digest.low, leftover->digest.high);
		if (*result == CONTENT_FAILED) /* explained before */
			continue;
		judgement_count(&c->found, leftover->digest, CONTENT_FAILED);
		leftover->trial = (struct trial){.digest = leftover->digest,
						 .event = c->leftovers->event,
						 .op = OP_COUNT,
						 .which = TRIAL_NONE};
		vec_push(&jobs->all, ((struct job){.trial = &leftover->trial,
						   .digest = leftover->digest,
						   .verdict = verdict,
						   .start = c->leftovers->event,
						   .states = 1,
						   .fresh = 1,
						   .persisted = leftover->persisted}));
	}
}

static int leftovers_explain(struct campaign *c, struct err *err)
{
	struct jobs jobs = {0};
	int r;

	leftovers_jobs(c, &jobs);
	r = explain_jobs(c, c->options.leftover_platform, 0, &jobs, JUDGE_ALL, err);
	vec_free(&jobs.all);
	return r;
}

int leftovers_run(struct campaign *c, struct err *err)
{
	struct search s = {.campaign = c};
	int r;

	if (!c->options.leftover_count || c->stopped)
		return 0;
	if (reading_open(&s.reading, c->options.dir, c->options.platforms[c->options.leftover_platform],
			 c->survey->origin, err) < 0)
		return -1;
	c->leftovers = mem_alloc(sizeof(*c->leftovers));
	campaign_phase(c, "testing leftovers", 0);
	/* If one ended differently from a checkpoint, it would be too late to run others again. */
	c->testing.checkpoints = NULL;
	r = campaign_tester(c, s.reading, err);
	if (r == 0)
		r = leftovers_test(&s, err);
	r = campaign_tester_end(c, r, err);
	map_free(&s.word_of);
	vec_free(&s.words);
	reading_close(s.reading);
	return r < 0 || c->options.shard.total ? r : leftovers_explain(c, err);
}

/* ---- proofs ---- */

static bool result_blames(const struct result *result, uint32_t context)
{
	if (result->sighting.blamed == context)
		return true;
	for (size_t i = 0; i < RESULT_CONTEXTS_MAX && result->contexts[i]; i++)
		if (result->contexts[i] == context)
			return true;
	return false;
}

static enum leftover_fate leftover_fate(const struct campaign *c, const struct leftover *leftover)
{
	for (size_t i = 0; i < c->results.all.count; i++)
		if (result_blames(&c->results.all.at[i], leftover->proof.context))
			return LEFTOVER_FATAL;
	if (!leftover->persisted || !verdict_passed(outcomes_get(c->outcomes, leftover->digest)) ||
	    !c->leftovers->watched)
		return LEFTOVER_UNKNOWN;
	return leftover->read ? LEFTOVER_ACCEPTED : leftover->overwritten ? LEFTOVER_OVERWRITTEN : LEFTOVER_UNTOUCHED;
}

const struct leftover_proof *campaign_proofs(struct campaign *c, size_t *count)
{
	VEC_OF(struct leftover_proof) proofs = {0};
	const struct leftover_proof *kept;

	for (size_t i = 0; c->leftovers && i < c->leftovers->all.count; i++) {
		c->leftovers->all.at[i].proof.fate = leftover_fate(c, &c->leftovers->all.at[i]);
		vec_push(&proofs, c->leftovers->all.at[i].proof);
	}
	*count = proofs.count;
	kept = campaign_block(c, proofs.at, proofs.count * sizeof(*proofs.at));
	vec_free(&proofs);
	return kept;
}

void leftovers_free(struct leftovers *leftovers)
{
	if (leftovers)
		vec_free(&leftovers->all);
	free(leftovers);
}
