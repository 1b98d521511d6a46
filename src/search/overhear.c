/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overhear.c - see overhear.h. */
#include "search/overhear.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/path.h"
#include "image/tree.h"

enum { WAIT_MS = 200, EXECUTION = 0 /* those of the search count from 1 */ };

static int directory_make(const char *path, struct err *err)
{
	return mkdir(path, 0777) < 0 && errno != EEXIST ? err_sys(err, "cannot make %s", path) : 0;
}

static int searches_dir(char dir[PATH_MAX], const struct execution_plan *plan, struct err *err)
{
	return path_make(dir, PATH_MAX, err, "%s/" EXECUTIONS_DIR, plan->dir);
}

static int execution_do(const struct execution_plan *plan, const struct input *input, struct execution_result *result,
			struct err *err)
{
	struct execution e;

	if (execution_start(&e, plan, input, EXECUTION, EXECUTION_FIRST | EXECUTION_TEST, err) < 0)
		return -1;
	while (!stop_asked(&plan->stop) && poll(&(struct pollfd){.fd = e.fd, .events = POLLIN}, 1, WAIT_MS) <= 0)
		;
	if (stop_asked(&plan->stop))
		execution_stop(&e);
	execution_end(&e, result);
	return 0;
}

static int server_judge(const struct execution_plan *plan, const struct execution_result *result, struct err *err)
{
	char text[80];

	if (!result->done) {
		*err = result->err;
		return -1;
	}
	if (result->recorded.kind == ENDING_EXIT)
		return 0;
	ending_text(result->recorded, text, sizeof(text));
	err_set(err, "%s does not end well when its client runs: %s", plan->target->items[0], text);
	return err_status(err, ERR_TARGET);
}

static int talk_judge(const struct conversation *talk, const struct execution_plan *plan,
		      const struct execution_result *result, struct err *err)
{
	if (talk->connections)
		return 0;
	err_set(err, "%s received nothing on a connection that it accepted, and it or its client ended with status %d",
		plan->target->items[0], result->recorded.value);
	err_hint(err, "--client must connect to the server; --ready says when the server is up");
	return err_status(err, ERR_TARGET);
}

/* PM files that were not known are the user's own; they are put back, and are private from now on. */
static int result_take(struct conversation *talk, const struct execution_plan *plan, const char *dir,
		       const struct execution_result *result, struct err *err)
{
	char recording[PATH_MAX];

	if (server_judge(plan, result, err) < 0 ||
	    path_make(recording, sizeof(recording), err, "%s/" EXECUTION_RECORDING, dir) < 0)
		return -1;
	if (result->unknown && start_learn(plan->start, recording, err) < 0)
		return -1;
	return conversation_overhear(talk, recording, err) < 0 ? -1 : talk_judge(talk, plan, result, err);
}

int overhear_client(struct conversation *talk, const struct execution_plan *plan, const struct input *input,
		    struct err *err)
{
	struct execution_plan mine = *plan;
	struct execution_result *result;
	char all[PATH_MAX], dir[PATH_MAX];
	int status;

	mine.overhears = true;
	if (searches_dir(all, plan, err) < 0 || execution_dir(dir, plan, EXECUTION, err) < 0 ||
	    directory_make(all, err) < 0 || directory_make(dir, err) < 0)
		return -1;
	result = mem_alloc(sizeof(*result));
	status = execution_do(&mine, input, result, err);
	if (status == 0 && stop_asked(&plan->stop))
		status = OVERHEAR_STOPPED;
	if (status == 0)
		status = result_take(talk, plan, dir, result, err);
	if (status == 0)
		status = conversation_write(talk, all, err);
	tree_remove(dir);
	free(result);
	return status;
}

int overhear_again(struct conversation *talk, const struct execution_plan *plan, struct err *err)
{
	char dir[PATH_MAX];

	return searches_dir(dir, plan, err) < 0 ? -1 : conversation_read(talk, dir, err);
}
