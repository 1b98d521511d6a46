/* SPDX-License-Identifier: GPL-2.0-or-later */
/* worker.c - a worker is opened, brought into a setting, stopped and closed; see worker.h. */
#include "run/worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "run/children.h"
#include "run/inplace.h"
#include "run/lazy_in.h"
#include "run/worker_in.h"

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

void worker_stop_server(struct worker *w)
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

void worker_clear_place(struct worker *w)
{
	if (w->mode == RECOVERY_IN_PLACE && w->is_open)
		inplace_restore(&w->scene);
}

void worker_stop(struct worker *w)
{
	if (worker_is_busy(w)) {
		worker_stop_server(w);
		worker_stop_keeper(w);
		worker_clear_place(w);
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
		worker_stop_server(w);
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
		worker_stop_server(w);
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
	worker_stop_server(w);
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
