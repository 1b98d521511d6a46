/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder.c - the folder of the shards; see cluster.h for what is in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cluster/cluster_in.h"
#include "image/tree.h"
#include "run/part.h"

/* With a time to end after, a part is finished although it is not complete. */
enum folder_part folder_part(const struct cluster *c, unsigned shard)
{
	char path[PATH_MAX];
	struct part part;
	struct err ignored;

	if (!path_format(path, sizeof(path), "%s/%u", c->dir, shard) || part_read(&part, path, &ignored) < 0)
		return PART_NONE;
	return part.complete || *part.budget ? PART_FINISHED : PART_BEGUN;
}

static int file_write(const char *path, void (*content)(const struct cluster *c, FILE *out), const struct cluster *c,
		      struct err *err)
{
	FILE *out = fopen(path, "we");
	bool failed = !out;

	if (out) {
		content(c, out);
		failed = fflush(out) || ferror(out);
		failed |= fclose(out) != 0;
	}
	return failed ? err_sys(err, "cannot write %s", path) : 0;
}

static void token_content(const struct cluster *c, FILE *out)
{
	fprintf(out, "%s\n", c->token);
}

static void script_content(const struct cluster *c, FILE *out)
{
	const struct task_common common = {
		.dir = c->dir,
		.cwd = c->cwd,
		.token = c->token,
		.total = c->total,
		.command = c->options.command,
		.jobs = c->options.jobs,
	};

	task_script(&common, out);
}

static void total_content(const struct cluster *c, FILE *out)
{
	fprintf(out, "%u\n", c->total);
}

static int dir_make(const char *path, struct err *err)
{
	return mkdir(path, 0777) < 0 && errno != EEXIST ? err_sys(err, "cannot create %s", path) : 0;
}

unsigned folder_total(const struct cluster *c)
{
	char path[PATH_MAX], line[16] = "";
	FILE *in = path_format(path, sizeof(path), "%s/total", c->dir) ? fopen(path, "re") : NULL;
	unsigned long total = in && fgets(line, sizeof(line), in) ? strtoul(line, NULL, 10) : 0;

	if (in)
		fclose(in);
	return total <= PART_TOTAL_MAX ? (unsigned)total : 0;
}

int folder_make(const struct cluster *c, struct err *err)
{
	char path[PATH_MAX];

	if (!c->options.resume && !tree_remove(c->dir) && errno != ENOENT)
		return err_sys(err, "cannot remove %s", c->dir);
	if (dir_make(c->dir, err) < 0)
		return -1;
	for (unsigned shard = 1; shard <= c->total; shard++)
		if (path_make(path, sizeof(path), err, "%s/%u", c->dir, shard) < 0 || dir_make(path, err) < 0)
			return -1;
	if (path_make(path, sizeof(path), err, "%s/total", c->dir) < 0 || file_write(path, total_content, c, err) < 0 ||
	    path_make(path, sizeof(path), err, "%s/token", c->dir) < 0 || file_write(path, token_content, c, err) < 0)
		return -1;
	return file_write(c->script, script_content, c, err);
}

void folder_error(const struct cluster *c, unsigned shard, char *sentence, size_t size)
{
	char path[PATH_MAX], line[512];
	FILE *in = path_format(path, sizeof(path), "%s/%u.log", c->dir, shard) ? fopen(path, "re") : NULL;

	*sentence = 0;
	while (in && fgets(line, sizeof(line), in)) {
		if (strncmp(line, "blackout: ", 10) != 0)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(sentence, size, "%.*s", (int)size - 1, line + 10);
	}
	if (in)
		fclose(in);
}
