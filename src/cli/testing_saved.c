/* SPDX-License-Identifier: GPL-2.0-or-later */
/* testing_saved.c - how crash states were tested is kept beside the journal, so that `check --resume DIR` needs no more than DIR. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/testing.h"
#include "cli/verdict.h"

#define FILE_NAME "crash.settings"

struct setting {
	const char *name;
	const char **text;
};

enum { SETTINGS = 12 };

static void settings_list(const struct testing_asked *asked, struct setting settings[SETTINGS])
{
	struct testing_options *t = asked->testing;
	const struct setting all[SETTINGS] = {
		{"recover", &t->recover},
		{"client", &t->client},
		{"ready", &t->ready},
		{"recovery-mode", &t->mode},
		{"at", &t->at},
		{"points", &t->points},
		{"after", &t->after},
		{"timeout", &t->timeout},
		{"memory", &t->memory},
		{"detect", &asked->judging->detect},
		{"platform", &asked->judging->platform},
		{"prune", &asked->counting->prune},
	};

	memcpy(settings, all, sizeof(all));
}

int testing_save(const struct testing_asked *asked, const char *dir, struct err *err)
{
	const struct testing_options *options = asked->testing;
	struct setting texts[SETTINGS];
	json_t *settings = json_object();
	char path[4096];
	int r;

	settings_list(asked, texts);
	for (size_t i = 0; i < SETTINGS; i++)
		if (*texts[i].text)
			json_object_set_new(settings, texts[i].name, json_string_nocheck(*texts[i].text));
	json_object_set_new(settings, "visits", json_integer((json_int_t)options->visits));
	json_object_set_new(settings, "seed", json_integer((json_int_t)options->seed));
	json_object_set_new(settings, "representatives", json_integer((json_int_t)asked->counting->representatives));
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

/* A number that is not there, or makes no sense, stays as it is. */
static void number_load(const json_t *settings, const char *name, uint64_t *number)
{
	json_int_t value = json_integer_value(json_object_get(settings, name));

	if (value > 0)
		*number = (uint64_t)value;
}

int testing_load(const struct testing_asked *asked, const char *dir, struct err *err)
{
	struct testing_options *options = asked->testing;
	struct setting texts[SETTINGS];
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
	settings_list(asked, texts);
	for (size_t i = 0; i < SETTINGS; i++) {
		const char *text = json_string_value(json_object_get(settings, texts[i].name));

		/* As long as the program runs, like the words of the command line. */
		if (text)
			*texts[i].text = strdup(text);
	}
	number_load(settings, "visits", &options->visits);
	number_load(settings, "representatives", &asked->counting->representatives);
	options->seed = (uint64_t)json_integer_value(json_object_get(settings, "seed"));
	options->nested = json_is_true(json_object_get(settings, "nested"));
	json_decref(settings);
	return 0;
}
