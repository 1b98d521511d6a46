/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester.c - see tester.h. */
#include "crash/tester.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "image/content.h"

/* A worker, and the ticket of what it runs. */
struct slot {
	struct tester *tester;
	struct stage *stage;
	struct digest digest;
	tester_told *told; /* NULL: nobody else wants to know */
	void *told_arg;
};

struct tester {
	struct tester_options options;
	struct image *image;
	struct known *known;
	struct staging *staging;
	struct recovery *recovery;
	struct slot *slots;
	uint64_t runs, failed;
};

struct ending ending_of(const struct outcome *outcome)
{
	return (struct ending){.known = true, .kind = outcome->kind, .value = outcome->value};
}

void tester_count(struct tester *t, const struct outcome *outcome)
{
	t->runs++;
	t->failed += !outcome_passed(outcome);
	if (t->options.look)
		t->options.look(t->options.arg);
}

static void slot_tell(struct slot *slot, const struct outcome *outcome)
{
	tester_told *told = slot->told;

	slot->told = NULL;
	if (told)
		told(slot->told_arg, outcome);
}

static void slot_done(void *arg, void *ticket, const struct outcome *outcome)
{
	struct tester *t = arg;
	struct slot *slot = ticket;

	if (outcome->touched)
		stage_distrust(slot->stage);
	known_learn(t->known, slot->digest, outcome);
	slot_tell(slot, outcome);
	tester_count(t, outcome);
}

static int stages_make(struct tester *t, struct err *err)
{
	unsigned jobs = recovery_jobs(t->recovery);

	if (staging_open(&t->staging, t->options.recovery.origin, t->options.fallback, jobs, err) < 0)
		return -1;
	t->slots = mem_alloc(jobs * sizeof(*t->slots));
	for (unsigned w = 0; w < jobs; w++) {
		t->slots[w].tester = t;
		t->slots[w].stage = stage_new(t->staging, t->image, err);
		if (!t->slots[w].stage)
			return -1;
		recovery_stage(t->recovery, w, stage_root(t->slots[w].stage));
	}
	return 0;
}

int tester_open(struct tester **tester, const struct tester_options *options, struct image *image, struct known *known,
		struct err *err)
{
	struct tester *t = mem_alloc(sizeof(*t));

	*t = (struct tester){.options = *options, .image = image, .known = known};
	t->options.recovery.done = slot_done;
	t->options.recovery.arg = t;
	if (recovery_new(&t->recovery, &t->options.recovery, err) < 0 || stages_make(t, err) < 0) {
		tester_close(t);
		return -1;
	}
	*tester = t;
	return 0;
}

void tester_close(struct tester *t)
{
	if (!t)
		return;
	if (t->recovery)
		recovery_free(t->recovery);
	if (t->staging)
		staging_close(t->staging);
	free(t->slots);
	free(t);
}

bool tester_time_is_over(const struct tester *t)
{
	bool failed = t->failed + t->options.failed > 0;
	double deadline = failed ? t->options.deadline_failed : t->options.deadline;

	return deadline > 0 && clock_seconds() > deadline;
}

/* A worker whose stage holds the state; or what the caller says. */
static int worker_fill(struct tester *t, const struct state *state, struct err *err)
{
	int worker;

	if (tester_time_is_over(t))
		return TESTER_STOPPED;
	worker = recovery_idle(t->recovery, err);
	if (worker < 0)
		return worker == RECOVERY_INTERRUPTED ? TESTER_STOPPED : -1;
	return stage_load(t->slots[worker].stage, state, err) < 0 ? -1 : worker;
}

int tester_submit(struct tester *t, const struct state *state, struct err *err)
{
	return tester_submit_told(t, state, NULL, NULL, err);
}

int tester_submit_told(struct tester *t, const struct state *state, tester_told *told, void *arg, struct err *err)
{
	int worker = worker_fill(t, state, err);

	if (worker < 0)
		return worker;
	t->slots[worker].digest = state->digest;
	t->slots[worker].told = told;
	t->slots[worker].told_arg = arg;
	return recovery_start(t->recovery, (unsigned)worker, &t->slots[worker], err);
}

int tester_submit_lazy(struct tester *t, const struct state *certain, void *ticket, const struct lazy_options *options,
		       struct err *err)
{
	int worker = worker_fill(t, certain, err);

	return worker < 0 ? worker : recovery_start_lazy(t->recovery, (unsigned)worker, ticket, options, err);
}

int tester_drain(struct tester *t, struct err *err)
{
	int r = recovery_drain(t->recovery, err);

	for (unsigned w = 0; r == RECOVERY_INTERRUPTED && w < recovery_jobs(t->recovery); w++)
		slot_tell(&t->slots[w], NULL);
	return r == RECOVERY_INTERRUPTED ? TESTER_STOPPED : r;
}

/* What is in the first stage. */
static int stage_run(struct tester *t, unsigned patience, struct outcome *outcome, struct err *err)
{
	int r = recovery_run(t->recovery, 0, patience, outcome, err);

	if (r < 0) {
		stage_distrust(t->slots[0].stage);
		return r == RECOVERY_INTERRUPTED ? TESTER_STOPPED : -1;
	}
	if (outcome->touched)
		stage_distrust(t->slots[0].stage);
	t->runs++;
	if (t->options.look)
		t->options.look(t->options.arg);
	return 0;
}

/* Worker 0 may still be busy with its stage. */
static int stage_fill(struct tester *t, const struct state *state, struct err *err)
{
	int r = tester_drain(t, err);

	return r < 0 ? r : stage_load(t->slots[0].stage, state, err);
}

int tester_run(struct tester *t, const struct state *state, unsigned patience, struct outcome *outcome, struct err *err)
{
	int r = stage_fill(t, state, err);

	return r < 0 ? r : stage_run(t, patience, outcome, err);
}

static int file_put(const struct tester *t, const struct content *content, uint32_t file, struct err *err)
{
	const char *path = content_path(content, file);
	char staged[PATH_MAX];
	int fd, r;

	if (!path || !stage_path(t->slots[0].stage, path, staged, sizeof(staged)))
		return 0;
	fd = open(staged, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_sys(err, "cannot create %s", staged);
	r = content_write(content, file, fd, err);
	close(fd);
	return r;
}

/* Files as they are in `content`, in the first stage. */
static int stage_put(struct tester *t, const struct content *content, struct err *err)
{
	struct state *empty = state_none(t->image);
	int r = stage_fill(t, empty, err);

	state_free(empty);
	if (r < 0)
		return r;
	/* What we put there the stage does not know of. */
	stage_distrust(t->slots[0].stage);
	for (uint32_t file = 1; content_knows(content, file); file++)
		if (file_put(t, content, file, err) < 0)
			return -1;
	return 0;
}

int tester_run_content(struct tester *t, const struct content *content, unsigned patience, struct outcome *outcome,
		       struct err *err)
{
	int r = stage_put(t, content, err);

	return r < 0 ? r : stage_run(t, patience, outcome, err);
}

int tester_stack(struct tester *t, const struct state *state, bool hangs, struct recovery_frame *frames, size_t room,
		 struct err *err)
{
	int r = stage_fill(t, state, err);

	if (r < 0)
		return r;
	r = recovery_stack(t->recovery, 0, hangs, frames, room, err);
	stage_distrust(t->slots[0].stage);
	return r == RECOVERY_INTERRUPTED ? TESTER_STOPPED : r;
}

static int stage_other(struct tester *t, char *const *argv, char *const *environment, unsigned patience,
		       struct outcome *outcome, struct err *err)
{
	int r = recovery_other(t->recovery, 0, argv, environment, patience, outcome, err);
	stage_distrust(t->slots[0].stage);
	return r == RECOVERY_INTERRUPTED ? TESTER_STOPPED : r;
}

int tester_other(struct tester *t, const struct state *state, char *const *argv, char *const *environment,
		 unsigned patience, struct outcome *outcome, struct err *err)
{
	int r = stage_fill(t, state, err);

	return r < 0 ? r : stage_other(t, argv, environment, patience, outcome, err);
}

int tester_other_content(struct tester *t, const struct content *content, char *const *argv, char *const *environment,
			 unsigned patience, struct outcome *outcome, struct err *err)
{
	int r = stage_put(t, content, err);

	return r < 0 ? r : stage_other(t, argv, environment, patience, outcome, err);
}

struct recovery *tester_recovery(const struct tester *t)
{
	return t->recovery;
}

uint64_t tester_runs(const struct tester *t)
{
	return t->runs;
}

uint64_t tester_failed(const struct tester *t)
{
	return t->failed;
}
