/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker_pump.c - a run is attended to: its output, replies, deadlines, and how it ends; see worker.h. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/lazy_in.h"
#include "run/mend.h"
#include "run/shell.h"
#include "run/worker_in.h"

#define LOOK_REST 20                /* times the duration of the last measurement */
#define KILLING_NS (10 * SECOND_NS) /* for a killed recovery to disappear */
enum { LEAVES_AT_ONCE = 64 };

static void polls_add(struct pollfd *polls, size_t *count, int fd)
{
	if (fd >= 0)
		polls[(*count)++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

size_t worker_polls(const struct worker *w, struct pollfd polls[WORKER_POLLS])
{
	size_t count = 0;

	if (!worker_is_busy(w))
		return 0;
	polls_add(polls, &count, w->out.read);
	polls_add(polls, &count, w->err.read);
	polls_add(polls, &count, w->client.read);
	if (w->mode == RECOVERY_FORK) {
		polls_add(polls, &count, w->control.reply);
		polls_add(polls, &count, w->server_fd);
		polls_add(polls, &count, w->outcome.from ? w->checkpoints.servers[w->outcome.from - 1].watch : -1);
	} else {
		polls_add(polls, &count, w->keeper_fd);
	}
	return count;
}

/* A shell that waits for the program reports its signal by an exit status. */
static void outcome_set(struct outcome *o, bool killed, int status)
{
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : shell_signal(WEXITSTATUS(status));

	o->ending.kind = killed ? ENDING_TIMEOUT : signal ? ENDING_SIGNAL : ENDING_EXIT;
	o->ending.value = killed ? 0 : signal ? signal : WEXITSTATUS(status);
}

/* What is compared with other runs, complete. */
static struct output *summary_take(struct worker *w)
{
	if (w->lazy || w->other_argv)
		return NULL;
	if (!w->command.writes_file)
		return recovery_output_take(w->client.read >= 0 ? &w->client : &w->out);
	struct output *output = worker_output(w);
	if (output) {
		outfile_read(&w->file, output);
		output_end(output);
	}
	return output;
}

/* A client that prints nothing leaves it to the server to say what is wrong. */
static struct tail out_tail(const struct worker *w)
{
	return recovery_output_tail(w->client.total ? &w->client : &w->out);
}

static void run_end(struct worker *w, const struct stub_reply *reply)
{
	struct outcome *o = &w->outcome;

	if (w->walks)
		checkpoint_set_take(&w->checkpoints);
	worker_pump_outputs(w, true);
	o->out = out_tail(w);
	o->err = recovery_output_tail(&w->err);
	o->output = summary_take(w);
	o->seconds = (double)(w->spent_ns + reply->nanoseconds) / 1e9;
	o->memory = reply->memory;
	o->by_client = reply->flags & STUB_BY_CLIENT;
	o->again = reply->flags & STUB_AGAIN;
	if (worker_limits_usage(w) && !w->wrote_too_much)
		w->wrote_too_much = usage_exceeds(&w->usage, &w->scene, w->options->disk);
	/* If it ended before we killed it, that outcome counts.  SIGKILL may also be recovery's own doing. */
	bool killed = reply->flags & STUB_BY_KILL ||
		      (w->state == WORKER_KILLING && WIFSIGNALED(reply->status) && WTERMSIG(reply->status) == SIGKILL);
	outcome_set(o, killed, reply->status);
	/* However it ended, and whether we killed it or not: its output is all that counts. */
	if (o->output && output_is_endless(o->output))
		o->ending = (struct ending){ENDING_EXIT, 0};
	if (w->wrote_too_much) {
		o->ending.kind = ENDING_SIGNAL;
		o->ending.value = SIGXFSZ;
	}
	worker_clear_place(w);
	w->state = WORKER_ENDED;
}

/* The server is stopped here.  Its output so far is part of each child's output. */
static void server_hello(struct worker *w, const struct stub_reply *reply)
{
	struct err err;

	w->serving = true;
	w->start_ns = reply->nanoseconds;
	worker_pump_outputs(w, true);
	recovery_output_copy(&w->out_before, &w->out);
	recovery_output_copy(&w->err_before, &w->err);
	if (w->command.writes_file && outfile_keep(&w->file, &err) < 0) {
		worker_stop_server(w);
		worker_refuse(w, err.sentence);
		return;
	}
	worker_begin_run(w);
}

static void run_refused(struct worker *w, const struct stub_page *page)
{
	char reason[STUB_REASON];

	snprintf(reason, sizeof(reason), "%s", page && *page->reason ? page->reason : "a process cannot be started");
	worker_pump_outputs(w, true);
	worker_clear_place(w);
	if (w->mode == RECOVERY_FORK && !w->serving)
		worker_stop_server(w);
	worker_refuse(w, reason);
}

static void leaf_take(struct worker *w, const struct stub_reply *reply)
{
	if (w->state == WORKER_RUNNING)
		worker_set_deadline(w);
	w->reported = true;
	if (w->lazy && lazy_report_take(w->lazy, w, reply))
		return;
	worker_stop_server(w);
	worker_refuse(w, "recovery sent an unexpected report");
}

/* May it begin at the start instead?  Not after leaves were reported. */
static bool run_is_special(const struct worker *w)
{
	return (w->walks || w->outcome.from) && !w->reported;
}

/* An ordinary run might have been quicker, or might have been ended. */
static bool walk_is_late(const struct worker *w, const struct stub_reply *reply)
{
	return w->walks && (w->state == WORKER_KILLING || reply->nanoseconds > w->limit_ns);
}

/* If recovery has blocked SIGSYS, a system call that is to be noticed kills it. */
static bool call_was_blocked(const struct worker *w, const struct stub_reply *reply)
{
	return reply->op == STUB_ENDED && WIFSIGNALED(reply->status) && WTERMSIG(reply->status) == SIGSYS &&
	       run_is_special(w);
}

static bool server_reply(struct worker *w)
{
	struct stub_reply reply;

	if (read(w->control.reply, &reply, sizeof(reply)) != sizeof(reply))
		return false;
	if (reply.op == STUB_HELLO)
		server_hello(w, &reply);
	else if ((reply.op == STUB_REFUSED && run_is_special(w)) || walk_is_late(w, &reply) ||
		 call_was_blocked(w, &reply))
		worker_begin_again(w);
	else if (reply.op == STUB_REFUSED)
		run_refused(w, w->control.page);
	else if (reply.op == STUB_LEAF)
		leaf_take(w, &reply);
	else
		run_end(w, &reply);
	return true;
}

static bool process_is_dead(int watch)
{
	struct pollfd poll_fd = {.fd = watch, .events = POLLIN};
	return poll(&poll_fd, 1, 0) > 0;
}

/* Something has killed the checkpoint. */
static bool checkpoint_is_lost(struct worker *w)
{
	const struct checkpoint_server *checkpoint = worker_checkpoint(w);

	if (!checkpoint || !process_is_dead(checkpoint->watch))
		return false;
	/* Its child has died with it, and the number may belong to another process by now. */
	atomic_store(&w->control.page->running, 0);
	w->outcome.from = 0;
	checkpoint_set_drop(&w->checkpoints);
	return true;
}

static void server_pump(struct worker *w)
{
	const char *reason = w->serving ? "recovery kills the fork server"
					: "the process that was started ends without opening a PM file";

	for (int i = 0; w->lazy && i < LEAVES_AT_ONCE && worker_is_busy(w); i++)
		if (!server_reply(w))
			break;
	if (!worker_is_busy(w) || server_reply(w))
		return;
	/* The last reply of a dead server counts. */
	bool dead = process_is_dead(w->server_fd), lost = checkpoint_is_lost(w);
	if ((!dead && !lost) || server_reply(w))
		return;
	/* Leaves that were reported cannot be taken back. */
	if (!dead && !w->lazy) {
		worker_begin_again(w);
		return;
	}
	worker_pump_outputs(w, true);
	worker_stop_server(w);
	worker_refuse(w, reason);
}

static void keeper_pump(struct worker *w)
{
	struct stub_page *page = w->redirection.page;
	struct stub_reply reply;
	ssize_t n = recv(w->keeper_fd, &reply, sizeof(reply), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != sizeof(reply)) {
		worker_stop_keeper(w);
		if (w->mode == RECOVERY_IN_PLACE)
			mend_run(&w->scene.journal);
		worker_clear_place(w);
		worker_refuse(w, "recovery kills the process that supervises it");
	} else if (reply.op == STUB_REFUSED || (page && atomic_load(&page->refused))) {
		run_refused(w, page);
	} else if (w->mode == RECOVERY_REDIRECT && page && !atomic_load(&page->opened)) {
		/* A program that bypasses the C library has seen the user's own files instead of the state, so its
		 * verdict is worthless. */
		worker_clear_place(w);
		worker_refuse(w, "recovery opens no PM file through the C library");
	} else {
		run_end(w, &reply);
	}
}

/* False: it has just ended, or has not begun.  The reply will come, or the next check handles it. */
static bool run_kill(struct worker *w)
{
	pid_t running = w->mode == RECOVERY_FORK ? atomic_load(&w->control.page->running) : 0;

	if (running > 0)
		kill(running, SIGKILL);
	else if (w->mode == RECOVERY_FORK || worker_send(w, STUB_KILL) < 0)
		return false;
	w->state = WORKER_KILLING;
	w->deadline_ns = clock_ns() + KILLING_NS;
	return true;
}

static void server_give_up(struct worker *w, const char *why)
{
	worker_stop_server(w);
	worker_refuse(w, why);
}

static void run_late(struct worker *w)
{
	struct stub_reply abandoned = {.op = STUB_ENDED, .flags = STUB_BY_KILL, .nanoseconds = w->limit_ns};

	if (w->state == WORKER_STARTING) {
		server_give_up(w, "recovery does not open a PM file within the time limit");
		return;
	}
	if (w->state == WORKER_RUNNING && (run_kill(w) || clock_ns() < w->deadline_ns + KILLING_NS))
		return;
	/* It survives even SIGKILL, or nobody replies for it. */
	if (w->mode == RECOVERY_FORK)
		worker_stop_server(w);
	else
		worker_stop_keeper(w);
	run_end(w, &abandoned);
}

/* Is there something to measure, again and again? */
static bool run_is_measured(const struct worker *w)
{
	return w->state == WORKER_RUNNING && !w->lazy &&
	       (worker_limits_usage(w) || (w->command.writes_file && w->options->output));
}

uint64_t worker_next(const struct worker *w)
{
	return run_is_measured(w) && w->look_ns < w->deadline_ns ? w->look_ns : w->deadline_ns;
}

/* If it writes too much into the scene, the outcome is the same as if the kernel had limited the size of its files.  If
 * {out} is endless, run_end will see that. */
static void run_measure(struct worker *w)
{
	uint64_t start = clock_ns();
	bool endless = w->command.writes_file && w->options->output &&
		       outfile_size(&w->file) > output_rules_bound(w->options->output);

	if (worker_limits_usage(w) && usage_exceeds(&w->usage, &w->scene, w->options->disk))
		w->wrote_too_much = run_kill(w);
	else if (endless)
		run_kill(w);
	/* A large scene takes a while to measure. */
	w->look_ns = clock_ns() + LOOK_NS + LOOK_REST * (clock_ns() - start);
}

/* There is no need to wait for the rest of an output that has no end. */
static void output_stop(struct worker *w)
{
	if (w->state == WORKER_STARTING)
		server_give_up(w, "recovery prints without end before it opens a PM file");
	else if (w->state == WORKER_RUNNING)
		run_kill(w);
}

void worker_pump(struct worker *w, uint64_t now)
{
	if (!worker_is_busy(w))
		return;
	worker_pump_outputs(w, false);
	if (w->mode == RECOVERY_FORK)
		server_pump(w);
	else
		keeper_pump(w);
	if (worker_is_busy(w) && w->lazy)
		lazy_trim(w);
	if (w->out.endless || w->client.endless)
		output_stop(w);
	if (run_is_measured(w) && now >= w->look_ns)
		run_measure(w);
	if (worker_is_busy(w) && now >= w->deadline_ns)
		run_late(w);
}
