/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker.c - see worker.h. */
#include "run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "run/children.h"
#include "run/inplace.h"
#include "run/lazy_in.h"
#include "run/mend.h"
#include "run/shell.h"

#define SECOND_NS ((uint64_t)1000000000)
/* extra time for the next leaf, beyond twice the time limit: the leaf checks its own limit */
#define LEAF_NS (5 * SECOND_NS)
#define WALK_NS (5 * SECOND_NS)     /* extra time for a walk */
#define LOOK_NS (SECOND_NS / 20)    /* between measurements of what recovery writes */
#define LOOK_REST 20                /* times the duration of the last measurement */
#define KILLING_NS (10 * SECOND_NS) /* for a killed recovery to disappear */
enum { LEAVES_AT_ONCE = 64 };

int worker_open(struct worker *worker, const struct worker_options *options, struct err *err)
{
	*worker = (struct worker){.options = options, .server_fd = -1, .keeper_fd = -1};
	worker->control = worker->redirection = (struct control){.request = -1, .reply = -1};
	worker->out.read = worker->err.read = worker->client.read = -1;
	worker->file = OUTFILE_CLOSED;
	checkpoint_set_open(&worker->checkpoints);
	if (recovery_output_open(&worker->out) < 0 || recovery_output_open(&worker->err) < 0 ||
	    (options->output && options->command.client && recovery_output_open(&worker->client) < 0))
		return err_sys(err, "cannot create a pipe");
	return 0;
}

int worker_stage(struct worker *worker, const char *stage, struct err *err)
{
	int result = scene_open(&worker->scene, worker->options->origin, stage, err);
	worker->is_open = true;
	if (result < 0 || path_make(worker->ops, sizeof(worker->ops), err, "%s/" STUB_OPS, worker->scene.path) < 0)
		return -1;
	return outfile_place(&worker->file, worker->scene.path, err);
}

static void server_stop(struct worker *w)
{
	pid_t running = w->control.page ? atomic_load(&w->control.page->running) : 0;

	/* A child dies with its server, unless it changed its user ID.  A command may also have started other processes
	 * before it became a server. */
	if (w->server > 0 && running > 0)
		kill(running, SIGKILL);
	if (w->server > 0) {
		children_kill_tree(w->server);
		children_kill_marked(w->control.dir);
	}
	if (w->server_fd >= 0)
		close(w->server_fd);
	w->server = 0;
	w->server_fd = -1;
	control_close(&w->control);
	checkpoint_set_drop(&w->checkpoints);
	w->serving = false;
}

/* A keeper that gets STUB_LEAVE, or sees its socket close, kills what it runs. */
void worker_stop_keeper(struct worker *w)
{
	const struct stub_request leave = {.op = STUB_LEAVE};

	if (w->keeper > 0) {
		send(w->keeper_fd, &leave, sizeof(leave), MSG_NOSIGNAL | MSG_DONTWAIT);
		shutdown(w->keeper_fd, SHUT_RDWR);
		close(w->keeper_fd);
		while (waitpid(w->keeper, NULL, 0) < 0 && errno == EINTR)
			;
	}
	w->keeper = 0;
	w->keeper_fd = -1;
	control_close(&w->redirection);
}

static void place_clear(struct worker *w)
{
	if (w->mode == RECOVERY_IN_PLACE && w->is_open)
		inplace_restore(&w->scene);
}

void worker_stop(struct worker *w)
{
	if (worker_is_busy(w)) {
		server_stop(w);
		worker_stop_keeper(w);
		place_clear(w);
	}
	worker_end_lazy(w);
	outcome_free(&w->outcome);
	w->state = WORKER_IDLE;
}

void worker_end_lazy(struct worker *w)
{
	checkpoint_set_wish(&w->checkpoints);
	lazy_run_free(w->lazy);
	w->lazy = NULL;
}

/* Other operations, for the same command lines. */
static int ops_change(struct worker *w, const struct recovery_setting *setting, struct err *err)
{
	if (!setting || !strcmp(w->ops_now, setting->ops))
		return 0;
	if (path_make(w->ops_now, sizeof(w->ops_now), err, "%s", setting->ops) < 0 ||
	    command_link(setting, w->ops, err) < 0) {
		*w->ops_now = 0;
		return -1;
	}
	if (w->serving && atomic_load(&w->control.page->ops_used))
		server_stop(w);
	checkpoint_set_drop(&w->checkpoints);
	if (w->control.page)
		w->control.page->ops_changed = 1;
	return 0;
}

int worker_set(struct worker *w, const struct recovery_setting *setting, struct err *err)
{
	struct command command;

	if (w->command.text && w->command.id == (setting ? setting->id : 0))
		return ops_change(w, setting, err);
	command_make(&command, &w->options->command, setting, &(struct command_files){w->ops, w->file.path});
	if (!command_same(&command, &w->command)) {
		server_stop(w);
		worker_stop_keeper(w);
	}
	command_free(&w->command);
	w->command = command;
	if (command.writes_file && outfile_open(&w->file, err) < 0)
		return -1;
	return ops_change(w, setting, err);
}

void worker_close(struct worker *w)
{
	worker_stop(w);
	server_stop(w);
	worker_stop_keeper(w);
	checkpoint_set_close(&w->checkpoints);
	command_free(&w->command);
	outfile_close(&w->file);
	if (w->is_open)
		scene_close(&w->scene);
	if (w->out.read >= 0)
		recovery_output_close(&w->out);
	if (w->err.read >= 0)
		recovery_output_close(&w->err);
	if (w->client.read >= 0)
		recovery_output_close(&w->client);
	recovery_output_clear(&w->out_before, NULL);
	usage_free(&w->usage);
}

bool worker_is_busy(const struct worker *w)
{
	return w->state == WORKER_STARTING || w->state == WORKER_RUNNING || w->state == WORKER_KILLING;
}

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

static void worker_refuse(struct worker *w, const char *reason)
{
	snprintf(w->reason, sizeof(w->reason), "%.*s", (int)sizeof(w->reason) - 1, reason);
	w->state = WORKER_REFUSED;
}

/* The checkpoint at which the run began; NULL: at the start. */
static struct checkpoint_server *checkpoint_of(struct worker *w)
{
	return w->outcome.from ? &w->checkpoints.servers[w->outcome.from - 1] : NULL;
}

static int request_send(struct worker *w, uint32_t op)
{
	struct stub_request request = {.op = op};
	const struct checkpoint_server *checkpoint = checkpoint_of(w);
	int fd = checkpoint ? checkpoint->request : w->control.request;

	if (w->mode == RECOVERY_FORK)
		return write(fd, &request, sizeof(request)) == sizeof(request) ? 0 : -1;
	return send(w->keeper_fd, &request, sizeof(request), MSG_NOSIGNAL) == sizeof(request) ? 0 : -1;
}

static void deadline_set(struct worker *w)
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
	deadline_set(w);
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
	else if (request_send(w, run_op(w)) < 0)
		worker_refuse(w, "recovery cannot be reached");
}

/* A walk is slower than other runs.  What is left of the time limit must not depend on that. */
static unsigned checkpoint_in_time(const struct worker *w, unsigned from)
{
	while (from && w->checkpoints.block->stops[from - 1].nanoseconds > w->limit_ns / 2)
		from--;
	return from;
}

static void run_begin(struct worker *w)
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
static bool usage_is_limited(const struct worker *w)
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

static void outputs_pump(struct worker *w, bool all)
{
	recovery_output_pump(&w->out, all);
	recovery_output_pump(&w->err, all);
	if (w->client.read >= 0)
		recovery_output_pump(&w->client, all);
}

/* The run cannot be a walk, or begin at a checkpoint: begin at the start. */
static void run_again(struct worker *w)
{
	struct err err;

	if (w->walks)
		checkpoint_set_drop(&w->checkpoints);
	w->outcome.from = 0;
	w->spent_ns = 0;
	w->walks = false;
	outputs_pump(w, true);
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
	if (usage_is_limited(w))
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
		run_begin(w);
	if (w->state == WORKER_REFUSED)
		place_clear(w);
	return 0;
}

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
	outputs_pump(w, true);
	o->out = out_tail(w);
	o->err = recovery_output_tail(&w->err);
	o->output = summary_take(w);
	o->seconds = (double)(w->spent_ns + reply->nanoseconds) / 1e9;
	o->memory = reply->memory;
	o->by_client = reply->flags & STUB_BY_CLIENT;
	if (usage_is_limited(w) && !w->wrote_too_much)
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
	place_clear(w);
	w->state = WORKER_ENDED;
}

/* The server is stopped here.  Its output so far is part of each child's output. */
static void server_hello(struct worker *w)
{
	struct err err;

	w->serving = true;
	outputs_pump(w, true);
	recovery_output_copy(&w->out_before, &w->out);
	recovery_output_copy(&w->err_before, &w->err);
	if (w->command.writes_file && outfile_keep(&w->file, &err) < 0) {
		server_stop(w);
		worker_refuse(w, err.sentence);
		return;
	}
	run_begin(w);
}

static void run_refused(struct worker *w, const struct stub_page *page)
{
	char reason[STUB_REASON];

	snprintf(reason, sizeof(reason), "%s", page && *page->reason ? page->reason : "a process cannot be started");
	outputs_pump(w, true);
	place_clear(w);
	if (w->mode == RECOVERY_FORK && !w->serving)
		server_stop(w);
	worker_refuse(w, reason);
}

static void leaf_take(struct worker *w, const struct stub_reply *reply)
{
	if (w->state == WORKER_RUNNING)
		deadline_set(w);
	w->reported = true;
	if (w->lazy && lazy_report_take(w->lazy, w, reply))
		return;
	server_stop(w);
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

static bool server_reply(struct worker *w)
{
	struct stub_reply reply;

	if (read(w->control.reply, &reply, sizeof(reply)) != sizeof(reply))
		return false;
	if (reply.op == STUB_HELLO)
		server_hello(w);
	else if ((reply.op == STUB_REFUSED && run_is_special(w)) || walk_is_late(w, &reply))
		run_again(w);
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
	const struct checkpoint_server *checkpoint = checkpoint_of(w);

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
		run_again(w);
		return;
	}
	outputs_pump(w, true);
	server_stop(w);
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
		place_clear(w);
		worker_refuse(w, "recovery kills the process that supervises it");
	} else if (reply.op == STUB_REFUSED || (page && atomic_load(&page->refused))) {
		run_refused(w, page);
	} else if (w->mode == RECOVERY_REDIRECT && page && !atomic_load(&page->opened)) {
		/* A program that bypasses the C library has seen the user's own files instead of the state, so its
		 * verdict is worthless. */
		place_clear(w);
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
	else if (w->mode == RECOVERY_FORK || request_send(w, STUB_KILL) < 0)
		return false;
	w->state = WORKER_KILLING;
	w->deadline_ns = clock_ns() + KILLING_NS;
	return true;
}

static void server_give_up(struct worker *w, const char *why)
{
	server_stop(w);
	worker_refuse(w, why);
}

static void run_late(struct worker *w)
{
	struct stub_reply abandoned = {.op = STUB_ENDED, .flags = STUB_BY_KILL, .nanoseconds = w->limit_ns};

	if (w->state == WORKER_STARTING) {
		server_give_up(w, "recovery does not open a PM file within the time limit");
		return;
	}
	if (w->state == WORKER_RUNNING) {
		run_kill(w);
		return;
	}
	/* It survives even SIGKILL. */
	if (w->mode == RECOVERY_FORK)
		server_stop(w);
	else
		worker_stop_keeper(w);
	run_end(w, &abandoned);
}

/* Is there something to measure, again and again? */
static bool run_is_measured(const struct worker *w)
{
	return w->state == WORKER_RUNNING && !w->lazy &&
	       (usage_is_limited(w) || (w->command.writes_file && w->options->output));
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

	if (usage_is_limited(w) && usage_exceeds(&w->usage, &w->scene, w->options->disk))
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
	outputs_pump(w, false);
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
