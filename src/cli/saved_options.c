/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saved_options.c - see saved_options.h.
 *
 * The file is a command line: "--name=value" for each option that the table marks as kept.  Each is followed by a zero
 * byte, because a value may contain any other byte.  "--name:content=HASH" tells the content of a file that an option
 * names. */
#include "cli/saved_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

#define FILE_NAME "crash.settings"

enum { SETTINGS_MAX = 1 << 20 /* bytes */ };

/* Writing */

static void word_write(const struct option *o, const char *argument, FILE *out)
{
	fprintf(out, "--%s%s%s%c", o->name, argument ? "=" : "", argument ? argument : "", 0);
}

/* A hash of the content of the file; a pipe can be read only once, and is left for its reader. */
static void content_write(const struct option *o, const char *path, FILE *out)
{
	XXH3_state_t *state = XXH3_createState();
	char bytes[1 << 14];
	struct stat st;
	size_t n;
	FILE *in = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;

	BUG_ON(!state);
	XXH3_64bits_reset(state);
	while (in && (n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		XXH3_64bits_update(state, bytes, n);
	if (in)
		fprintf(out, "--%s:content=%016llx%c", o->name, (unsigned long long)XXH3_64bits_digest(state), 0);
	if (in)
		fclose(in);
	XXH3_freeState(state);
}

static void option_write(const struct option *o, FILE *out)
{
	const struct option_list *list = o->value;
	char digits[24];

	switch (option_kind(o)) {
	case OPTION_FLAG:
	case OPTION_UNSET:
		if (*(const bool *)o->value == (option_kind(o) == OPTION_FLAG))
			word_write(o, NULL, out);
		break;
	case OPTION_TEXT:
		if (*(const char **)o->value)
			word_write(o, *(const char **)o->value, out);
		if (*(const char **)o->value && o->kind & OPTION_CONTENT)
			content_write(o, *(const char **)o->value, out);
		break;
	case OPTION_LIST:
		for (size_t i = 0; i < list->count; i++)
			word_write(o, list->items[i], out);
		break;
	case OPTION_NUMBER:
		snprintf(digits, sizeof(digits), "%llu", (unsigned long long)*(const uint64_t *)o->value);
		word_write(o, digits, out);
		break;
	case OPTION_TITLE: break;
	}
}

int saved_options_write(const struct option *options, const char *dir, struct err *err)
{
	char path[4096];
	FILE *out;

	if (path_make(path, sizeof(path), err, "%s/" FILE_NAME, dir) < 0)
		return -1;
	out = fopen(path, "we");
	if (!out)
		return err_sys(err, "cannot write %s", path);
	for (const struct option *o = options; o->name; o++)
		if (option_is_kept(o))
			option_write(o, out);
	bool failed = fflush(out) || ferror(out);
	if (failed)
		err_sys(err, "cannot write %s", path);
	fclose(out);
	return failed ? -1 : 0;
}

/* An option that has its default is not on a command line: some cannot be given that value. */
static bool option_is_default(const struct option *o)
{
	const char *text;

	switch (option_kind(o)) {
	case OPTION_TEXT: text = *(const char **)o->value; return text_equal(text, o->fallback);
	case OPTION_NUMBER: return *(const uint64_t *)o->value == strtoull(o->fallback ? o->fallback : "0", NULL, 10);
	default: return false; /* the others are written only if they were given */
	}
}

void saved_options_words(const struct option *options, struct words *words)
{
	for (const struct option *o = options; o->name; o++) {
		char *text = NULL;
		size_t size;
		FILE *out;

		if (!option_is_kept(o) || option_is_default(o) || !strcmp(o->name, "jobs"))
			continue;
		out = open_memstream(&text, &size);
		BUG_ON(!out);
		option_write(o, out);
		fclose(out);
		for (const char *word = text; word < text + size; word += strlen(word) + 1)
			if (word[2 + strlen(o->name)] != ':') /* the hash of a file is no option */
				words_add(words, "%s", word);
		free(text);
	}
}

void saved_options_remove(const char *dir)
{
	char path[4096];

	if (path_format(path, sizeof(path), "%s/" FILE_NAME, dir))
		unlink(path);
}

/* Reading */

struct settings {
	char *text; /* words, each followed by a zero byte; NULL: none */
	const char *end;
};

/* The words are never freed, like those of the command line. */
static struct settings settings_read(const char *dir)
{
	struct settings s = {0};
	char path[4096];
	size_t size;
	FILE *in;

	in = path_format(path, sizeof(path), "%s/" FILE_NAME, dir) ? fopen(path, "re") : NULL;
	if (!in)
		return s;
	s.text = mem_alloc(SETTINGS_MAX);
	size = fread(s.text, 1, SETTINGS_MAX, in);
	fclose(in);
	/* Drop a last word without a zero byte: it was cut off. */
	while (size && s.text[size - 1])
		size--;
	s.end = s.text + size;
	return s;
}

/* The next word for this option after `word`, or the first if that is NULL; NULL: there are no more. */
static const char *settings_next(const struct settings *s, const struct option *o, const char *word)
{
	size_t length = strlen(o->name);

	for (word = word ? word + strlen(word) + 1 : s->text; word < s->end; word += strlen(word) + 1)
		if (!strncmp(word, "--", 2) && !strncmp(word + 2, o->name, length) &&
		    word[2 + length] == (o->argument ? '=' : 0))
			return word;
	return NULL;
}

static const char *word_argument(const struct option *o, const char *word)
{
	return o->argument ? word + 2 + strlen(o->name) + 1 : NULL;
}

static const char *settings_text(const struct settings *s, const struct option *o)
{
	const char *word = settings_next(s, o, NULL);

	return word ? word_argument(o, word) : NULL;
}

/* Restore the option, unless it is on the command line. */
static void option_load(const struct settings *s, const struct option *o)
{
	struct err ignored;

	for (const char *word = NULL; !option_given(o) && (word = settings_next(s, o, word));)
		option_set(o, word_argument(o, word), &ignored);
}

static void changed_note(struct saved_options *saved, const struct option *o)
{
	size_t used = strlen(saved->changed);

	snprintf(saved->changed + used, sizeof(saved->changed) - used, "%s--%s", used ? ", " : "", o->name);
}

/* Has it changed, or the file that it names? */
static bool option_changed(const struct settings *s, const struct option *o)
{
	size_t name = strlen(o->name), size;
	char *now = NULL, *at;
	FILE *out = open_memstream(&now, &size);
	bool changed = false;

	BUG_ON(!out);
	option_write(o, out);
	fclose(out);
	at = now;
	for (const char *then = s->text; then < s->end; then += strlen(then) + 1) {
		if (strncmp(then, "--", 2) != 0 || strncmp(then + 2, o->name, name) != 0 ||
		    !strchr("=:", then[2 + name]))
			continue;
		changed |= at == now + size || strcmp(then, at) != 0;
		at += at < now + size ? strlen(at) + 1 : 0;
	}
	changed |= at != now + size;
	free(now);
	return changed;
}

void saved_options_read(const struct option *options, const char *dir, struct saved_options *saved)
{
	struct settings settings = settings_read(dir);

	*saved = (struct saved_options){0};
	for (const struct option *o = options; settings.text && o->name; o++) {
		if (!option_is_kept(o))
			continue;
		option_load(&settings, o);
		if (option_decides_outcome(o) && option_changed(&settings, o))
			changed_note(saved, o);
		if (!strcmp(o->name, "timeout"))
			saved->timeout = settings_text(&settings, o);
	}
}

void saved_options_compare(const struct option *options, const char *dir, struct saved_options *saved)
{
	struct settings settings = settings_read(dir);

	*saved = (struct saved_options){0};
	for (const struct option *o = options; o->name; o++)
		if (option_is_kept(o) && strcmp(o->name, "jobs") != 0 &&
		    (!settings.text || option_changed(&settings, o)))
			changed_note(saved, o);
	free(settings.text);
}

char *outcome_options_text(const struct option *options)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	BUG_ON(!out);
	for (const struct option *o = options; o->name; o++)
		if (option_decides_outcome(o))
			option_write(o, out);
	fclose(out);
	for (size_t i = 0; i + 1 < size; i++)
		if (!text[i])
			text[i] = '\n';
	return text;
}
