/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.h - a campaign on a small recording, with a fake tester: for the tests of the crash-state engine.
 *
 *     struct engine e;
 *     engine_make(&e, dir, "a <a b <b |");            // the program that is recorded
 *     e.fake.recover = b_needs_a;                     // or a function of the test
 *     engine_run(&e);                                 // must succeed
 *     e.campaign->results.all ...                     // crash/campaign_in.h
 *     engine_free(&e);
 *
 * Programs are words:
 *
 *     a    store 8 bytes in line a: 1, and then 2, 3 ...      A    the same, in the second 8 bytes of line a
 *     ~a   a non-temporal store                               @    msync of the whole pool
 *     <a   clwb of line a                                     !a   clflush of line a
 *     |    sfence                                             ?a   a load
 *     $    the program ends
 *     [0   operation 0 begins                                 ]0   it ends; up to 9
 *
 * Each different word is code of its own, so a word that comes again is the same place. */
#ifndef BLACKOUT_TEST_ENGINE_H
#define BLACKOUT_TEST_ENGINE_H

#include "campaign/campaign.h"
#include "campaign/nested.h"
#include "crash/campaign_in.h"
#include "explore/explore.h"
#include "fake_tester.h"
#include "inject/inject.h"
#include "scratch.h"

enum { ENGINE_WORDS = 64 };

enum engine_strategies { ENGINE_INJECT, ENGINE_EXPLORE, ENGINE_BOTH };

struct engine {
	char dir[500], out[500]; /* the recording, and where the campaign writes */
	uint64_t stride;         /* bytes between line a and line b */
	char words[ENGINE_WORDS][3];
	uint32_t word_count;
	struct fake fake;
	struct tester_maker maker;
	struct campaign_options options; /* inject; change it before engine_run */
	struct survey *survey;
	struct campaign *campaign;
	struct err err;
};

/* Record.  Lines are 64 bytes apart, or pages, which are 4096. */
void engine_make(struct engine *engine, const char *dir, const char *program);
void engine_make_pages(struct engine *engine, const char *dir, const char *program);

/* Which strategies; inject, unless it is called. */
void engine_use(struct engine *engine, enum engine_strategies which);

/* What explore did, or what inject did with pages. */
struct explore_figures engine_figures(const struct engine *engine);

/* A campaign, which must end well; engine_try returns what campaign_run does.  It may be done again; `fake.runs` then
 * begins anew. */
void engine_run(struct engine *engine);
int engine_try(struct engine *engine);

void engine_free(struct engine *engine);

/* For fake.record: recovery on this pool is a program in these words.  Its places are numbered from 1, as the words
 * appear. */
void engine_record(const char *dir, const uint8_t *pool, const char *program);

/* The context of a word of the program. */
uint32_t engine_place(const struct engine *engine, const char *word);

/* What is stored in lines 'a' to 'z', or in the second 8 bytes of them, 'A' to 'Z'; pools of engine_make. */
uint64_t pool_at(const uint8_t *pool, char line);

/* Recoveries for `fake.recover`: one that always passes; one that fails if b is on media without a. */
fake_recovery passes, b_needs_a;

/* The detectors that the result names, with a comma between them, are these. */
void expect_detectors(const struct engine *engine, size_t result, const char *detectors);

/* How many recoveries were run on states where each of these lines has such a value: "a1 b0". */
size_t engine_count(const struct engine *engine, const char *values);

/* How many recoveries were submitted, and that they were on different contents. */
size_t engine_submitted(const struct engine *engine);

#endif
