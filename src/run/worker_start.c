/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker_start.c - a run begins: its server or keeper is launched if there is none, and gets a request; see worker.h. */
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/inplace.h"
#include "run/lazy_in.h"
#include "run/worker_in.h"

/* extra time for the next leaf, beyond twice the time limit: the leaf checks its own limit */
#define LEAF_NS (5 * SECOND_NS)
#define WALK_NS (5 * SECOND_NS) /* extra time for a walk */

static struct keeper_options keeper_options(struct worker *w, enum recovery_mode mode, struct control *control)
{
	const struct worker_options *o = w->options;
	const struct command *command = &w->command;
	struct keeper_options k = {
		.argv = w->other_argv ? w->other_argv : command->argv.items,
		.environment = w->other_argv ? w->other_environment : o->environment,
		.cwd = o->cwd,
		.memory = w->other_argv ? 0 : o->memory,
		.network = o->network,
		.main = {command->reads && !command->client ? w->ops : NULL, w->out.write},
		.client = {command->reads ? w->ops : NULL, w->client.read >= 0 ? w->client.write : w->out.write},
		.err = w->err.write,
		.mode = mode,
		.scene = &w->scene,
		.control = control,
		.stub = o->stub,
	};
	if (!w->other_argv || o->serves)
		k.service = (struct service){.client = command->client, .ready = o->ready};
	return k;
}

void worker_refuse(struct worker *w, const char *reason)
{
	snprintf(w->reason, sizeof(w->reason), "%.*s", (int)sizeof(w->reason) - 1, reason);
	w->state = WORKER_REFUSED;
}

struct checkpoint_server *worker_checkpoint(struct worker *w)
{
	return w->outcome.from ? &w->checkpoints.servers[w->outcome.from - 1] : NULL;
}

int worker_send(struct worker *w, uint32_t op)
{
	struct stub_request request = {.op = op};
	const struct checkpoint_server *checkpoint = worker_checkpoint(w);
	int fd = checkpoint ? checkpoint->request : w->control.request;

	if (w->mode == RECOVERY_FORK)
		return write(fd, &request, sizeof(request)) == sizeof(request) ? 0 : -1;
	return send(w->keeper_fd, &request, sizeof(request), MSG_NOSIGNAL) == sizeof(request) ? 0 : -1;
}

void worker_set_deadline(struct worker *w)
{
	uint64_t extra = w->lazy ? w->limit_ns + LEAF_NS : w->walks ? WALK_NS : 0, spent = w->spent_ns;

	w->deadline_ns = clock_ns() + extra + (spent < w->limit_ns ? w->limit_ns - spent : 0);
}

static uint32_t run_op(const struct worker *w)
{
	return w->lazy ? STUB_LAZY : w->walks ? STUB_WALK : STUB_RUN;
}

static void run_request(struct worker *w)
{
	w->state = WORKER_RUNNING;
	w->reported = false;
	worker_set_deadline(w);
	if (w->mode == RECOVERY_FORK) {
		recovery_output_copy(&w->out, &w->out_before);
		recovery_output_copy(&w->err, &w->err_before);
		atomic_store(&w->control.page->refused, 0);
	} else if (w->redirection.page) {
		atomic_store(&w->redirection.page->refused, 0);
		atomic_store(&w->redirection.page->opened, 0);
	}
	if (w->lazy && !lazy_request(w->lazy, w))
		worker_refuse(w, "there is no space left for the undecided lines");
	else if (worker_send(w, run_op(w)) < 0)
		worker_refuse(w, "recovery cannot be reached");
}

/* A walk is slower than other runs.  What is left of the time limit must not depend on that. */
static unsigned checkpoint_in_time(const struct worker *w, unsigned from)
{
	while (from && w->checkpoints.block->stops[from - 1].nanoseconds > w->limit_ns / 2)
		from--;
	return from;
}

void worker_begin_run(struct worker *w)
{
	struct checkpoint_set *c = &w->checkpoints;
	/* A lazy run has several requests. */
	struct checkpoint_wish wish = w->lazy ? c->wish : checkpoint_set_wish(c);

	/* Another mode changes the files. */
	if (w->mode != RECOVERY_FORK || checkpoint_set_outdated(c, &w->scene))
		checkpoint_set_drop(c);
	w->outcome.from = checkpoint_in_time(w, wish.from <= c->count ? wish.from : 0);
	w->spent_ns = w->outcome.from ? c->block->stops[w->outcome.from - 1].nanoseconds : 0;
	w->walks = wish.walk && w->mode == RECOVERY_FORK && !w->lazy && checkpoint_set_begin(c, &w->control, &w->scene);
	run_request(w);
}

static void server_launch(struct worker *w)
{
	struct err err;
	bool covered = w->options->namespaces && scene_can_be_mounted(&w->scene);
	struct keeper_options k = keeper_options(w, RECOVERY_FORK, &w->control);

	int opened = control_open(&w->control, &w->scene, true, covered, &err);
	if (opened == 0) {
		w->control.page->huge_pages = w->options->huge_pages;
		w->control.page->lean_pmemobj = w->options->lean_pmemobj;
	}
	if (opened < 0 || (w->server = keeper_start_server(&k, covered, &err)) < 0) {
		w->server = 0;
		worker_refuse(w, err.sentence);
		return;
	}
	w->server_fd = pidfd_open(w->server, 0);
	w->state = WORKER_STARTING;
	w->deadline_ns = clock_ns() + w->limit_ns;
}

static void keeper_launch(struct worker *w)
{
	bool redirect = w->mode == RECOVERY_REDIRECT;
	struct err err;

	worker_stop_keeper(w);
	if (redirect && control_open(&w->redirection, &w->scene, false, false, &err) < 0) {
		worker_refuse(w, err.sentence);
		return;
	}
	struct keeper_options k = keeper_options(w, w->mode, redirect ? &w->redirection : NULL);
	w->keeper = keeper_start(&k, &w->keeper_fd, &err);
	w->keeper_mode = w->mode;
	if (w->keeper < 0) {
		w->keeper = 0;
		w->keeper_fd = -1;
		worker_refuse(w, err.sentence);
	}
}

/* Children of the fork server write only their own memory. */
bool worker_limits_usage(const struct worker *w)
{
	return w->options->disk && w->mode != RECOVERY_FORK;
}

struct output *worker_output(const struct worker *w)
{
	struct output *output = w->options->output ? output_new(w->options->output) : NULL;

	if (output && w->command.hides) {
		output_hide(output, w->ops, "{ops}");
		output_hide(output, w->file.path, "{out}");
	}
	return output;
}

static void outputs_begin(struct worker *w)
{
	bool summarized = !w->command.writes_file && !w->other_argv, by_client = w->client.read >= 0;

	recovery_output_clear(&w->out, summarized && !by_client ? worker_output(w) : NULL);
	recovery_output_clear(&w->err, NULL);
	recovery_output_clear(&w->client, summarized && by_client ? worker_output(w) : NULL);
}

void worker_pump_outputs(struct worker *w, bool all)
{
	recovery_output_pump(&w->out, all);
	recovery_output_pump(&w->err, all);
	if (w->client.read >= 0)
		recovery_output_pump(&w->client, all);
}

void worker_begin_again(struct worker *w)
{
	struct err err;

	if (w->walks)
		checkpoint_set_drop(&w->checkpoints);
	w->outcome.from = 0;
	w->spent_ns = 0;
	w->walks = false;
	worker_pump_outputs(w, true);
	outputs_begin(w);
	if (w->command.writes_file && outfile_reset(&w->file, true, &err) < 0)
		worker_refuse(w, err.sentence);
	else
		run_request(w);
}

int worker_start(struct worker *w, enum recovery_mode mode, uint64_t limit_ns, struct err *err)
{
	BUG_ON(worker_is_busy(w));
	outcome_free(&w->outcome);
	w->outcome = (struct outcome){.mode = mode, .touched = mode != RECOVERY_FORK};
	w->walks = false;
	w->mode = mode;
	w->limit_ns = limit_ns;
	w->state = WORKER_IDLE;
	outputs_begin(w);
	if (w->command.writes_file && outfile_reset(&w->file, mode == RECOVERY_FORK && w->serving, err) < 0)
		return -1;
	if (scene_refresh(&w->scene, w->littered, err) < 0)
		return -1;
	w->littered = mode != RECOVERY_FORK;
	w->wrote_too_much = false;
	w->look_ns = clock_ns() + LOOK_NS;
	if (worker_limits_usage(w))
		usage_begin(&w->usage, &w->scene);
	if (mode == RECOVERY_IN_PLACE && inplace_open(&w->scene, err) < 0)
		return -1;
	if (mode == RECOVERY_FORK && !w->serving)
		server_launch(w);
	else if (mode != RECOVERY_FORK && (!w->keeper || w->keeper_mode != mode))
		keeper_launch(w);
	/* Not before a keeper exists that would put the files back if we were killed. */
	if (w->state == WORKER_IDLE && mode == RECOVERY_IN_PLACE && inplace_put(&w->scene, err) < 0)
		return -1;
	if (w->state == WORKER_IDLE)
		worker_begin_run(w);
	if (w->state == WORKER_REFUSED)
		worker_clear_place(w);
	return 0;
}
