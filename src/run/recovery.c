/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery.c - workers, modes and waiting; see recovery.h. */
#include "run/recovery.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "run/lazy_in.h"
#include "run/mend.h"
#include "run/namespace.h"
#include "run/pmem_force.h"
#include "run/preload_path.h"
#include "run/processor.h"
#include "run/recorder.h"
#include "run/recovery_in.h"
#include "run/shell.h"

#define AWAY_NS ((uint64_t)50000000) /* longer periods in which we did not wait are not charged to recovery */
enum { JOBS_MAX = 63, LOOK_MS = 200 /* longest time between checks for interrupts */ };

/* Get the directory by name, because in a namespace our own directory may be a different one. */
static int cwd_find(struct recovery *r, struct err *err)
{
	if (r->options.cwd)
		return path_make(r->cwd, sizeof(r->cwd), err, "%s", r->options.cwd);
	if (!getcwd(r->cwd, sizeof(r->cwd)))
		return err_sys(err, "cannot find the current directory");
	return 0;
}

static void commons_fill(struct recovery *r)
{
	const struct recovery_options *o = &r->options;

	if (o->pmem_force)
		pmem_force_add(&r->environment);
	r->common.command = (struct command_template){.recover = o->command, .client = o->client};
	r->common.ready = o->ready;
	r->common.serves = o->serves;
	r->common.environment = r->environment.items;
	r->common.cwd = r->cwd;
	r->common.memory = o->memory;
	r->common.disk = o->disk;
	r->common.huge_pages = o->huge_pages;
	r->common.lean_pmemobj = o->lean_pmemobj;
	r->common.output = o->output;
	r->common.origin = o->origin;
}

static void reason_set(struct recovery *r, enum recovery_mode passed_over, const char *why)
{
	if (!*r->reason)
		snprintf(r->reason, sizeof(r->reason), "%s cannot be used (%s)", recovery_mode_name(passed_over), why);
}

/* The next mode that could work after this one.  RECOVERY_AUTO comes before the first, and is returned after the
 * last. */
static enum recovery_mode mode_next(const struct recovery *r, enum recovery_mode mode)
{
	switch (mode) {
	case RECOVERY_AUTO:
		if (*r->common.stub && !r->options.client)
			return RECOVERY_FORK;
		/* fall through */
	case RECOVERY_FORK:
		if (r->common.namespaces)
			return RECOVERY_NAMESPACE;
		/* fall through */
	case RECOVERY_NAMESPACE:
		if (*r->common.stub)
			return RECOVERY_REDIRECT;
		/* fall through */
	case RECOVERY_REDIRECT: return RECOVERY_IN_PLACE;
	default: return RECOVERY_AUTO;
	}
}

static void mode_begin(struct recovery *r)
{
	struct err why = {.sentence = "mount namespaces are disabled"}, ignored;
	const char *stub = r->options.stub;
	char *path = r->common.stub;

	if ((stub ? path_make(path, sizeof(r->common.stub), &ignored, "%s", stub)
		  : recorder_find_shipped(path, STUB_LIBRARY, &ignored)) < 0 ||
	    preload_path_replace(path, &ignored) < 0)
		*path = 0;
	/* If the user (or a test) asks for one of the later modes, avoid namespaces altogether. */
	bool avoided = r->options.mode > RECOVERY_NAMESPACE;
	r->common.namespaces = !avoided && !r->options.no_namespaces && namespace_try(false, &why) == 0;
	r->mode = r->options.mode == RECOVERY_AUTO ? mode_next(r, RECOVERY_AUTO) : r->options.mode;
	if (r->options.client && r->mode == RECOVERY_FORK)
		r->mode = mode_next(r, RECOVERY_FORK);
	if (r->options.mode == RECOVERY_AUTO && r->options.client)
		reason_set(r, RECOVERY_FORK, "recovery is a server with a client");
	if (r->mode > RECOVERY_NAMESPACE && r->options.mode == RECOVERY_AUTO)
		reason_set(r, RECOVERY_NAMESPACE, why.sentence);
}

/* Servers use ports, sockets and files, which would collide.  So several run at once only if each has its own network,
 * and only if a port is all that the server is known to use. */
static unsigned jobs_possible(struct recovery *r)
{
	unsigned jobs = r->options.jobs < 1 ? 1 : r->options.jobs > JOBS_MAX ? JOBS_MAX : r->options.jobs;
	struct err why;

	if (r->options.client && r->common.namespaces && (r->options.network || service_port(r->options.ready) > 0))
		r->common.network = namespace_try(true, &why) == 0;
	if (r->options.client && !r->common.network)
		return 1;
	return r->mode == RECOVERY_IN_PLACE ? 1 : jobs;
}

int recovery_new(struct recovery **recovery, const struct recovery_options *options, struct err *err)
{
	struct service service = {.client = options->client, .ready = options->ready};

	if (shell_check(options->command, options->cwd || options->unplaced ? options->cwd : ".", err) < 0 ||
	    (options->client && service_check(&service, err) < 0))
		return -1;
	mend_journals();
	for (size_t i = 0; i < origin_dir_count(options->origin); i++)
		mend_dir(origin_dir(options->origin, i));
	/* If whoever started us left SIGCHLD ignored, neither we nor the keepers would see any process end. */
	signal(SIGCHLD, SIG_DFL);
	struct recovery *r = mem_alloc(sizeof(*r));
	r->options = *options;
	r->settled = options->settled;
	r->opened = options->opens;
	if (cwd_find(r, err) < 0) {
		free(r);
		return -1;
	}
	commons_fill(r);
	mode_begin(r);
	r->jobs = jobs_possible(r);
	r->slots = mem_alloc(r->jobs * sizeof(*r->slots));
	r->seen_ns = clock_ns();
	/* Processes that a dying fork server leaves behind become our children. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned i = 0; i < r->jobs; i++)
		if (worker_open(&r->slots[i].worker, &r->common, err) < 0) {
			r->jobs = i + 1;
			recovery_free(r);
			return -1;
		}
	*recovery = r;
	return 0;
}

void recovery_free(struct recovery *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->jobs; i++) {
		worker_close(&r->slots[i].worker);
		openings_close(&r->slots[i].openings);
	}
	processor_follow(-1);
	free(r->slots);
	words_free(&r->environment);
	free(r);
}

unsigned recovery_jobs(const struct recovery *r)
{
	return r->jobs;
}

void recovery_stage(struct recovery *r, unsigned worker, const char *dir)
{
	r->slots[worker].stage = dir;
}

void recovery_set(struct recovery *r, unsigned worker, uint64_t setting)
{
	r->slots[worker].setting = setting;
}

int recovery_prepare(struct recovery *r, unsigned worker, struct err *err)
{
	struct recovery_slot *slot = &r->slots[worker];
	const struct recovery_setting *setting =
		slot->setting ? r->options.setting(r->options.setting_arg, slot->setting) : NULL;

	BUG_ON(!slot->stage || (slot->setting && !setting));
	if (!slot->worker.is_open && worker_stage(&slot->worker, slot->stage, err) < 0)
		return -1;
	return worker_set(&slot->worker, setting, err);
}

const char *recovery_command(struct recovery *r, unsigned worker, struct err *err)
{
	return recovery_prepare(r, worker, err) < 0 ? NULL : r->slots[worker].worker.command.text;
}

const char *recovery_input(const struct recovery *r, unsigned worker)
{
	const struct worker *w = &r->slots[worker].worker;

	return w->command.reads && !w->command.client ? w->ops : NULL;
}

enum recovery_mode recovery_mode(const struct recovery *r)
{
	return r->mode;
}

const char *recovery_reason(const struct recovery *r)
{
	return *r->reason ? r->reason : NULL;
}

bool recovery_opened(const struct recovery *r)
{
	return r->opened;
}

uint64_t recovery_unopened(const struct recovery *r)
{
	return r->unopened;
}

double recovery_start_seconds(const struct recovery *r)
{
	uint64_t least = 0;

	for (unsigned i = 0; i < r->jobs; i++) {
		uint64_t took = r->slots[i].worker.start_ns;

		if (took && (!least || took < least))
			least = took;
	}
	return (double)least / 1e9;
}

const char *recovery_foreign_file(const struct recovery *r, size_t index)
{
	for (unsigned i = 0; i < r->jobs; i++) {
		const struct words *foreign_files = &r->slots[i].worker.scene.foreign_files;

		if (index < foreign_files->count)
			return foreign_files->items[index];
		index -= foreign_files->count;
	}
	return NULL;
}

/* Does recovery see the user's own directories in this mode? */
static bool mode_sees_place(const struct recovery *r, enum recovery_mode mode)
{
	return mode == RECOVERY_IN_PLACE || mode == RECOVERY_REDIRECT ||
	       (mode == RECOVERY_FORK && !r->common.namespaces);
}

/* A run in place has the user's directories to itself: no other run may see what it creates there. */
static bool place_is_free(const struct recovery *r, const struct recovery_slot *slot, enum recovery_mode mode)
{
	for (unsigned i = 0; i < r->jobs; i++) {
		const struct recovery_slot *other = &r->slots[i];
		bool there = other->worker.mode == RECOVERY_IN_PLACE;

		if (other == slot)
			continue;
		if (worker_is_busy(&other->worker) &&
		    (there || (mode == RECOVERY_IN_PLACE && mode_sees_place(r, other->worker.mode))))
			return false;
		/* Otherwise the waiting run would never get its turn. */
		if (other->waiting && there && mode != RECOVERY_IN_PLACE)
			return false;
	}
	return true;
}

static int slot_begin(struct recovery *r, struct recovery_slot *slot, enum recovery_mode mode, struct err *err)
{
	uint64_t limit = (uint64_t)(slot->limit * 1e9);

	slot->worker.mode = mode;
	slot->waiting = mode_sees_place(r, mode) && !place_is_free(r, slot, mode);
	if (slot->waiting)
		return 0;
	slot->watching = !r->opened && !slot->worker.other_argv;
	if (slot->watching)
		openings_begin(&slot->openings, &slot->worker.scene);
	return worker_start(&slot->worker, mode, limit, err);
}

/* A run is over.  Even a run that the mode refused may have opened files before the refusal. */
static void slot_watched(struct recovery *r, struct recovery_slot *slot)
{
	if (!slot->watching)
		return;
	enum openings_seen seen = openings_end(&slot->openings);

	r->opened |= seen == OPENINGS_SOME || seen == OPENINGS_UNKNOWN;
	r->unopened += seen == OPENINGS_NONE && slot->worker.state == WORKER_ENDED;
	slot->watching = false;
}

/* The mode refused the run.  If this is the very first run, the refusal holds for all later ones. */
static int slot_refused(struct recovery *r, struct recovery_slot *slot, struct err *err)
{
	struct worker *w = &slot->worker;
	enum recovery_mode next = mode_next(r, w->mode);

	slot_watched(r, slot);
	if (!r->settled && !r->doubting) {
		reason_set(r, w->mode, w->reason);
		r->mode = next;
	}
	w->state = WORKER_IDLE;
	if (next == RECOVERY_AUTO || w->other_argv)
		return err_set(err, "recovery cannot be run: %s", w->reason);
	return slot_begin(r, slot, next, err);
}

/* A request about undecided lines is done, or could not be done. */
static int slot_lazy(struct recovery *r, struct recovery_slot *slot, struct err *err)
{
	struct worker *w = &slot->worker;

	slot_watched(r, slot);
	bool over = lazy_run_ended(w->lazy, w->state == WORKER_REFUSED ? w->reason : NULL);

	w->state = WORKER_IDLE;
	outcome_free(&w->outcome);
	if (!over)
		return slot_begin(r, slot, RECOVERY_FORK, err);
	worker_end_lazy(w);
	return 0;
}

/* If the very first run fails under the fork server, the fork server may be at fault: perhaps the program bypasses the
 * C library.  So run it once more in the next mode.  If the result differs, the fork server is not trusted. 1: the
 * second run has begun; 0: the outcome stands; -1. */
static int slot_doubt(struct recovery *r, struct recovery_slot *slot, struct err *err)
{
	struct worker *w = &slot->worker;
	bool first = !r->doubting && !r->settled && w->mode == RECOVERY_FORK && !w->other_argv;
	void *ticket = r->wanted ? NULL : slot->ticket;

	if (first && r->options.passed && !r->options.passed(r->options.arg, ticket, &w->outcome)) {
		r->doubting = true;
		r->doubted = w->outcome.ending;
		w->state = WORKER_IDLE;
		return slot_begin(r, slot, mode_next(r, RECOVERY_FORK), err) < 0 ? -1 : 1;
	}
	if (r->doubting && ending_same(r->doubted, w->outcome.ending)) {
		r->mode = RECOVERY_FORK;
	} else if (r->doubting) {
		reason_set(r, RECOVERY_FORK, "recovery gave a different result under the fork server");
		r->mode = w->mode;
	}
	r->doubting = false;
	return 0;
}

/* The worker runs another command instead of recovery; NULL: recovery again. */
static void slot_other(struct recovery_slot *slot, char *const *argv, char *const *environment)
{
	/* A keeper gets its command when it is started. */
	worker_stop_keeper(&slot->worker);
	slot->worker.other_argv = argv;
	slot->worker.other_environment = environment;
}

static void slot_ended(struct recovery *r, struct recovery_slot *slot)
{
	struct worker *w = &slot->worker;

	w->state = WORKER_IDLE;
	r->settled = r->settled || !w->other_argv;
	if (w->other_argv)
		slot_other(slot, NULL, NULL);
	if (r->wanted) {
		*r->wanted = w->outcome;
		w->outcome = (struct outcome){0};
		r->wanted_is_there = true;
		return;
	}
	if (r->options.done)
		r->options.done(r->options.arg, slot->ticket, &w->outcome);
	outcome_free(&w->outcome);
}

static int slot_pump(struct recovery *r, struct recovery_slot *slot, uint64_t now, struct err *err)
{
	struct worker *w = &slot->worker;

	if (slot->waiting && slot_begin(r, slot, w->mode, err) < 0)
		return -1;
	worker_pump(w, now);
	while (w->lazy && (w->state == WORKER_REFUSED || w->state == WORKER_ENDED))
		if (slot_lazy(r, slot, err) < 0)
			return -1;
	/* The next mode may refuse at once, too. */
	while (w->state == WORKER_REFUSED)
		if (slot_refused(r, slot, err) < 0)
			return -1;
	if (w->state != WORKER_ENDED)
		return 0;
	slot_watched(r, slot);
	int doubt = slot_doubt(r, slot, err);
	if (doubt == 0)
		slot_ended(r, slot);
	return doubt < 0 ? -1 : 0;
}

static bool slot_is_busy(const struct recovery_slot *slot)
{
	return slot->waiting || slot->worker.state != WORKER_IDLE;
}

static bool all_idle(const struct recovery *r)
{
	for (unsigned i = 0; i < r->jobs; i++)
		if (slot_is_busy(&r->slots[i]))
			return false;
	return true;
}

/* Milliseconds until the next deadline, or until a waiting run can start. */
static int wait_ms(const struct recovery *r, uint64_t now)
{
	uint64_t next = now + (uint64_t)LOOK_MS * 1000000;

	for (unsigned i = 0; i < r->jobs; i++)
		if (r->slots[i].waiting && place_is_free(r, &r->slots[i], r->slots[i].worker.mode))
			next = now;
		else if (worker_is_busy(&r->slots[i].worker) && worker_next(&r->slots[i].worker) < next)
			next = worker_next(&r->slots[i].worker);
	return next <= now ? 0 : (int)((next - now + 999999) / 1000000);
}

/* The caller was busy, and recoveries may have been blocked until we read their output. */
static void absence_forgive(struct recovery *r, uint64_t now)
{
	uint64_t away = now - r->seen_ns;

	for (unsigned i = 0; away > AWAY_NS && i < r->jobs; i++)
		r->slots[i].worker.deadline_ns += away;
}

/* A single worker and this process take turns, so they may share a processor.  Several workers had better not wait for
 * the same one. */
static void processor_share(const struct recovery *r)
{
	const struct worker *w = &r->slots[0].worker;
	bool served = w->mode == RECOVERY_FORK && w->control.page;

	if (r->jobs == 1)
		processor_follow(served ? atomic_load(&w->control.page->processor) : -1);
}

/* Wait until something happens, and handle it.  `look`: only once, without waiting. */
static int pump(struct recovery *r, bool look, struct err *err)
{
	struct pollfd polls[JOBS_MAX * WORKER_POLLS];
	uint64_t now = clock_ns();
	size_t count = 0;

	absence_forgive(r, now);
	processor_share(r);
	for (unsigned i = 0; i < r->jobs; i++)
		count += worker_polls(&r->slots[i].worker, polls + count);
	if (poll(polls, count, look ? 0 : wait_ms(r, now)) < 0 && errno != EINTR)
		return err_sys(err, "cannot wait for recovery");
	now = r->seen_ns = clock_ns();
	for (unsigned i = 0; i < r->jobs; i++)
		if (slot_pump(r, &r->slots[i], now, err) < 0)
			return -1;
	return 0;
}

static bool interrupted(const struct recovery *r)
{
	return stop_asked(&r->options.stop);
}

static bool time_is_over(const struct recovery *r)
{
	return r->options.end > 0 && clock_seconds() > r->options.end;
}

static int slot_find_idle(const struct recovery *r)
{
	for (unsigned i = 0; i < r->jobs; i++)
		if (!slot_is_busy(&r->slots[i]))
			return (int)i;
	return -1;
}

int recovery_idle(struct recovery *r, struct err *err)
{
	int found;

	if (pump(r, true, err) < 0)
		return -1;
	while ((found = slot_find_idle(r)) < 0) {
		if (interrupted(r) || time_is_over(r))
			return RECOVERY_INTERRUPTED;
		if (pump(r, false, err) < 0)
			return -1;
	}
	r->seen_ns = clock_ns();
	return interrupted(r) ? RECOVERY_INTERRUPTED : found;
}

static int slot_start(struct recovery *r, unsigned worker, void *ticket, double limit, enum recovery_mode mode,
		      struct err *err)
{
	struct recovery_slot *slot = &r->slots[worker];

	BUG_ON(worker >= r->jobs || slot_is_busy(slot));
	if (recovery_prepare(r, worker, err) < 0)
		return -1;
	slot->ticket = ticket;
	slot->limit = limit;
	if (slot_begin(r, slot, mode, err) < 0)
		return -1;
	while (slot->worker.state == WORKER_REFUSED && !slot->worker.lazy)
		if (slot_refused(r, slot, err) < 0)
			return -1;
	return 0;
}

int recovery_start(struct recovery *r, unsigned worker, void *ticket, struct err *err)
{
	return slot_start(r, worker, ticket, r->options.timeout, r->mode, err);
}

static void all_stop(struct recovery *r)
{
	for (unsigned i = 0; i < r->jobs; i++) {
		worker_stop(&r->slots[i].worker);
		slot_watched(r, &r->slots[i]);
		r->slots[i].waiting = false;
		if (r->slots[i].worker.other_argv)
			slot_other(&r->slots[i], NULL, NULL);
	}
}

static int drain(struct recovery *r, bool patiently, struct err *err)
{
	while (!all_idle(r)) {
		if (interrupted(r) || (!patiently && time_is_over(r))) {
			all_stop(r);
			return RECOVERY_INTERRUPTED;
		}
		if (pump(r, false, err) < 0)
			return -1;
	}
	r->seen_ns = clock_ns();
	return 0;
}

int recovery_drain(struct recovery *r, struct err *err)
{
	return drain(r, false, err);
}

static int run_alone(struct recovery *r, unsigned worker, double limit, enum recovery_mode mode,
		     struct outcome *outcome, struct err *err)
{
	int result = recovery_drain(r, err);

	if (result != 0)
		return result;
	r->wanted = outcome;
	r->wanted_is_there = false;
	if (slot_start(r, worker, NULL, limit, mode, err) < 0)
		result = -1;
	else
		result = drain(r, true, err);
	r->wanted = NULL;
	BUG_ON(result == 0 && !r->wanted_is_there);
	return result;
}

int recovery_run(struct recovery *r, unsigned worker, unsigned patience, struct outcome *outcome, struct err *err)
{
	return run_alone(r, worker, patience * r->options.timeout, r->mode, outcome, err);
}

/* Another command sees real files. */
static enum recovery_mode mode_of_others(const struct recovery *r)
{
	return r->common.namespaces ? RECOVERY_NAMESPACE : RECOVERY_IN_PLACE;
}

int recovery_other(struct recovery *r, unsigned worker, char *const *argv, char *const *environment, double limit,
		   struct outcome *outcome, struct err *err)
{
	int result = recovery_drain(r, err);

	if (result != 0)
		return result;
	slot_other(&r->slots[worker], argv, environment);
	result = run_alone(r, worker, limit, mode_of_others(r), outcome, err);
	slot_other(&r->slots[worker], NULL, NULL);
	return result;
}

bool recovery_left(const struct recovery *r, unsigned worker, const char *path, char *buffer, size_t size)
{
	const struct worker *w = &r->slots[worker].worker;

	return w->is_open && scene_path(&w->scene, path, buffer, size);
}

int recovery_start_other(struct recovery *r, unsigned worker, char *const *argv, char *const *environment, double limit,
			 void *ticket, struct err *err)
{
	int result;

	slot_other(&r->slots[worker], argv, environment);
	result = slot_start(r, worker, ticket, limit, mode_of_others(r), err);
	if (result < 0)
		slot_other(&r->slots[worker], NULL, NULL);
	return result;
}

/* Checkpoints */

static struct checkpoint_set *checkpoint_set_of(const struct recovery *r, unsigned worker)
{
	return &r->slots[worker].worker.checkpoints;
}

void recovery_walk(struct recovery *r, unsigned worker, const struct checkpoint_plan *plan, size_t stops)
{
	checkpoint_set_plan(checkpoint_set_of(r, worker), plan, stops);
}

const struct walk_event *recovery_walked(const struct recovery *r, unsigned worker, size_t *count)
{
	const struct walk_block *block = checkpoint_set_of(r, worker)->block;

	*count = block ? atomic_load(&block->event_count) : 0;
	return block ? walk_block_events(block) : NULL;
}

bool recovery_walked_all(const struct recovery *r, unsigned worker)
{
	const struct walk_block *block = checkpoint_set_of(r, worker)->block;

	return block && atomic_load(&block->event_count) && !*block->end;
}

unsigned recovery_checkpoints(const struct recovery *r, unsigned worker)
{
	return checkpoint_set_of(r, worker)->count;
}

double recovery_checkpoint_seconds(const struct recovery *r, unsigned worker, unsigned checkpoint)
{
	const struct checkpoint_set *c = checkpoint_set_of(r, worker);

	BUG_ON(!checkpoint || checkpoint > c->count);
	return (double)c->block->stops[checkpoint - 1].nanoseconds / 1e9;
}

void recovery_from(struct recovery *r, unsigned worker, unsigned checkpoint)
{
	checkpoint_set_of(r, worker)->wish.from = checkpoint;
}
