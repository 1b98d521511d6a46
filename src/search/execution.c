/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execution.c - the process of an execution, and how its recording is judged; see execution.h. */
#include "search/execution.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "run/recording.h"
#include "search/execution_in.h"
#include "trace/seal.h"

#define TESTING_SHARE 0.25 /* of the time that is left, for the crash states of one execution */
#define BUDGET_LEAST 0.1   /* seconds for them, however little time is left */

int execution_dir(char dir[PATH_MAX], const struct execution_plan *plan, uint64_t number, struct err *err)
{
	return path_make(dir, PATH_MAX, err, "%s/" EXECUTIONS_DIR "/%" PRIu64, plan->dir, number);
}

/* ---- judging ---- */

/* Crash states are tested if the recording has an end: the program exited, with whatever status. */
static const char *untested_reason(const struct running *r)
{
	if (r->result->recorded.kind == ENDING_EXIT)
		return NULL;
	return r->result->recorded.kind == ENDING_SIGNAL ? "the program was killed by a signal"
							 : "the program did not end within its time limit";
}

/* The analysis of this recording: as the user wants it, but quiet, and without testing crash states of behavior that
 * was tested before. */
static struct analysis_options options_choose(const struct running *r, struct oplist *list)
{
	struct analysis_options how = *r->plan->how;

	how.reading = NULL;
	how.progress = NULL;
	how.arg = NULL;
	how.stop = r->plan->stop;
	how.write_suppressions = NULL;
	how.symbols = r->plan->symbols;
	if (r->plan->jobs > 1)
		how.testing.jobs = 1;
	how.testing.budget = r->plan->end > 0 ? TESTING_SHARE * (r->plan->end - clock_seconds()) : 0;
	if (r->plan->end > 0 && how.testing.budget < BUDGET_LEAST)
		how.testing.budget = BUDGET_LEAST;
	if (list)
		how.operations.list = list;
	if (!r->result->tested)
		how.testing.recover = NULL;
	return how;
}

static int recording_judge(struct running *r, struct err *err)
{
	const char *recording = *r->judged ? r->judged : r->recording;
	struct analysis_facts facts = {.out = r->dir, .out_shown = r->dir};
	const struct analysis_result *judged;
	struct oplist *list = NULL;
	struct analysis *analysis = NULL;
	int result = -1;

	if (*r->kept.list && oplist_read(&list, r->kept.list, err) < 0)
		return -1;
	struct analysis_options how = options_choose(r, list);
	if (how.testing.recover)
		facts.untested = untested_reason(r);
	if (analysis_new(&analysis, &how, err) == 0 && analysis_read(analysis, recording, err) == 0) {
		judged = analysis_judge(analysis, &facts);
		r->result->judged = judged->findings && !judged->unwritten;
		r->result->findings = judged->findings ? judged->findings->count : 0;
		r->result->cut = judged->tests_left;
		if (judged->unwritten)
			*err = *judged->unwritten;
		if (judged->untested) {
			r->result->is_untested = true;
			r->result->untested = *judged->untested;
		} else if (facts.untested) {
			r->result->is_untested = true;
			err_set(&r->result->untested, "%s", facts.untested);
		}
		result = r->result->judged ? 0 : -1;
	}
	analysis_free(analysis);
	if (list)
		oplist_free(list);
	return result;
}

/* ---- the process ---- */

/* The search reads them again, and --resume does, so they are kept. */
static int recordings_compress(const struct running *r, struct err *err)
{
	const struct seal_options how = {.compress = true};

	if (!r->plan->compress)
		return 0;
	if (trace_seal(r->recording, &how, err) < 0)
		return -1;
	return *r->judged ? trace_seal(r->judged, &how, err) : 0;
}

static int execution_run(struct running *r, struct err *err)
{
	int result;

	if (path_make(r->recording, sizeof(r->recording), err, "%s/" EXECUTION_RECORDING, r->dir) < 0 ||
	    execution_input_prepare(r, err) < 0 || execution_operations_write(r, r->dir, err) < 0 ||
	    execution_stdin_choose(r, err) < 0)
		return -1;
	if (execution_client_choose(r, err) < 0)
		return -1;
	if (r->client && *r->kept.output)
		strcpy(r->client_output, r->kept.output);
	result = execution_place_prepare(r, err) < 0 ? -1 : execution_runs_do(r, err);
	place_close(r->place);
	free(r->client);
	if (result == 0 && r->result->fruitless)
		return 0;
	if (result == 0 && r->parts & EXECUTION_JUDGE)
		result = recording_judge(r, err);
	return result < 0 ? result : recordings_compress(r, err);
}

static void result_send(int fd, const struct execution_result *result)
{
	size_t done = 0;

	while (done < sizeof(*result)) {
		ssize_t n = write(fd, (const char *)result + done, sizeof(*result) - done);

		if (n < 0 && errno != EINTR)
			return;
		done += n > 0 ? (size_t)n : 0;
	}
}

static void child_run(const struct execution_plan *plan, const struct input *input, const char *dir, unsigned parts,
		      int fd)
{
	struct execution_result *result = mem_alloc(sizeof(*result));
	struct running *r = mem_alloc(sizeof(*r));
	int status;

	*r = (struct running){.plan = plan, .input = input, .parts = parts, .result = result};
	strcpy(r->dir, dir);
	status = execution_run(r, &result->err);
	result->done = status == 0;
	result->stopped = status == PLACE_STOPPED || (status < 0 && stop_asked(&plan->stop));
	result->full = status < 0 && recording_lacks_room(plan->dir);
	result_send(fd, result);
}

int execution_start(struct execution *e, const struct execution_plan *plan, const struct input *input, uint64_t number,
		    unsigned parts, struct err *err)
{
	pid_t parent = getpid();
	int pipe_fds[2];

	*e = (struct execution){.number = number, .fd = -1};
	if (execution_dir(e->dir, plan, number, err) < 0)
		return -1;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_sys(err, "cannot create a pipe");
	fflush(NULL);
	e->pid = fork();
	if (e->pid == 0) {
		close(pipe_fds[0]);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
			_exit(1);
		/* The terminal interrupts only the search, which tells us.  A second SIGINT would kill us. */
		setpgid(0, 0);
		child_run(plan, input, e->dir, parts, pipe_fds[1]);
		_exit(0);
	}
	close(pipe_fds[1]);
	e->fd = pipe_fds[0];
	if (e->pid > 0)
		return 0;
	close(e->fd);
	return err_sys(err, "cannot start a process");
}

void execution_stop(const struct execution *e)
{
	kill(e->pid, SIGINT);
}

void execution_end(struct execution *e, struct execution_result *result)
{
	size_t got = 0;
	int status = 0;
	ssize_t n;

	while (got < sizeof(*result)) {
		n = read(e->fd, (char *)result + got, sizeof(*result) - got);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		got += n > 0 ? (size_t)n : 0;
	}
	close(e->fd);
	while (waitpid(e->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (got == sizeof(*result))
		return;
	*result = (struct execution_result){0};
	err_set(&result->err, "the process of execution %" PRIu64 " ended with status 0x%x", e->number, status);
}
