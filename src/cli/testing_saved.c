/* SPDX-License-Identifier: GPL-2.0-or-later */
/* testing_saved.c - how crash states were tested is kept beside the journal, so that `check --resume DIR` needs no more than DIR. */
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/testing.h"

#define FILE_NAME "crash.settings"

static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{"recover", offsetof(struct testing_options, recover)},
	{"client", offsetof(struct testing_options, client)},
	{"ready", offsetof(struct testing_options, ready)},
	{"recovery-mode", offsetof(struct testing_options, mode)},
	{"at", offsetof(struct testing_options, at)},
	{"points", offsetof(struct testing_options, points)},
	{"after", offsetof(struct testing_options, after)},
	{"timeout", offsetof(struct testing_options, timeout)},
	{"memory", offsetof(struct testing_options, memory)},
};

enum { TEXTS = sizeof(texts) / sizeof(*texts) };

static const char **text_at(const struct testing_options *options, size_t i)
{
	return (const char **)((char *)options + texts[i].offset);
}

int testing_save(const struct testing_options *options, const char *dir, struct err *err)
{
	json_t *settings = json_object();
	char path[4096];
	int r;

	for (size_t i = 0; i < TEXTS; i++)
		if (*text_at(options, i))
			json_object_set_new(settings, texts[i].name, json_string_nocheck(*text_at(options, i)));
	json_object_set_new(settings, "visits", json_integer((json_int_t)options->visits));
	json_object_set_new(settings, "seed", json_integer((json_int_t)options->seed));
	json_object_set_new(settings, "nested", json_boolean(options->nested));
	snprintf(path, sizeof(path), "%s/" FILE_NAME, dir);
	r = json_dump_file(settings, path, JSON_INDENT(2));
	json_decref(settings);
	return r < 0 ? err_sys(err, "cannot write %s", path) : 0;
}

void testing_forget(const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/" FILE_NAME, dir);
	unlink(path);
	campaign_forget(dir);
}

int testing_load(struct testing_options *options, const char *dir, struct err *err)
{
	json_t *settings;
	char path[4096];

	if (!options->resume || options->recover)
		return 0;
	snprintf(path, sizeof(path), "%s/" FILE_NAME, dir);
	settings = json_load_file(path, 0, NULL);
	if (!json_is_object(settings) || !json_string_value(json_object_get(settings, "recover"))) {
		json_decref(settings);
		err_set(err, "nothing is to be resumed in %s: no crash states were tested there", dir);
		return err_status(err, ERR_USAGE);
	}
	for (size_t i = 0; i < TEXTS; i++) {
		const char *text = json_string_value(json_object_get(settings, texts[i].name));

		/* As long as the program runs, like the words of the command line. */
		if (text)
			*text_at(options, i) = strdup(text);
	}
	if (json_integer_value(json_object_get(settings, "visits")) > 0)
		options->visits = (uint64_t)json_integer_value(json_object_get(settings, "visits"));
	options->seed = (uint64_t)json_integer_value(json_object_get(settings, "seed"));
	options->nested = json_is_true(json_object_get(settings, "nested"));
	json_decref(settings);
	return 0;
}
