/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder_read.c - read replay.json into a struct folder; see folder.h.
 *
 * The file may come from anywhere, so nothing in it is trusted: types, lengths and numbers are checked, and unknown
 * values are rejected. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text.h"
#include "finding/crash_finding.h"
#include "replay/folder.h"
#include "replay/folder_json.h"

#define REPLAY_BYTES_MAX (16u << 20)
#define TIMEOUT_MAX 1e9

struct replay {
	struct folder *folder;
	const char *name;
	struct err *err;
};

static int replay_fail(struct replay *r, const char *key, const char *problem)
{
	return err_set(r->err, "%s is not a replay.json of this version: %s %s", r->name, key, problem);
}

static int nibble(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode KEY_hex.  A zero byte is rejected: it would cut the text short. */
static int take_hex(struct replay *r, const json_t *value, const char *key, const char **text)
{
	const char *hex = json_string_value(value);
	size_t length = hex ? strlen(hex) : 0;
	char *bytes = mem_alloc(length / 2 + 1);
	bool right = hex && length % 2 == 0;

	for (size_t i = 0; right && i < length / 2; i++) {
		int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);

		bytes[i] = (char)(high * 16 + low);
		right = high >= 0 && low >= 0 && bytes[i];
	}
	if (right)
		*text = arena_copy(&r->folder->texts, bytes, length / 2);
	free(bytes);
	return right ? 0 : replay_fail(r, key, "is not in hexadecimal");
}

static int take_text(struct replay *r, const json_t *object, const char *key, bool needed, const char **text)
{
	const json_t *value = json_object_get(object, key);
	char hex[64];

	*text = NULL;
	if (value && (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value)))
		return replay_fail(r, key, "is not a string");
	if (value) {
		*text = arena_copy(&r->folder->texts, json_string_value(value), json_string_length(value));
		return 0;
	}
	snprintf(hex, sizeof(hex), "%s_hex", key);
	value = json_object_get(object, hex);
	if (value)
		return take_hex(r, value, hex, text);
	return needed ? replay_fail(r, key, "is missing") : 0;
}

static int take_object(struct replay *r, const json_t *root, const char *key, const json_t **object)
{
	*object = json_object_get(root, key);
	return json_is_object(*object) ? 0 : replay_fail(r, key, "is not an object");
}

static int read_finding(struct replay *r, const json_t *root)
{
	struct folder *f = r->folder;
	const json_t *object;

	if (take_object(r, root, "finding", &object) < 0 || take_text(r, object, "id", true, &f->id) < 0 ||
	    take_text(r, object, "kind", true, &f->kind) < 0 ||
	    take_text(r, object, "message", true, &f->message) < 0 ||
	    take_text(r, object, "location", true, &f->location) < 0 ||
	    take_text(r, object, "fingerprint", true, &f->fingerprint) < 0)
		return -1;
	return 0;
}

/* If the key is absent, there is no limit: 0. */
static int read_bytes(struct replay *r, const json_t *object, const char *key, uint64_t *bytes)
{
	const json_t *value = json_object_get(object, key);

	if (value && (!json_is_integer(value) || json_integer_value(value) <= 0))
		return replay_fail(r, key, "is not a number of bytes");
	*bytes = value ? (uint64_t)json_integer_value(value) : 0;
	return 0;
}

static int read_limits(struct replay *r, const json_t *object)
{
	const json_t *timeout = json_object_get(object, "timeout");
	double seconds = json_number_value(timeout);

	if (!json_is_number(timeout) || !(seconds > 0) || seconds > TIMEOUT_MAX)
		return replay_fail(r, "timeout", "is not a time");
	if (read_bytes(r, object, "memory", &r->folder->facts.memory) < 0 ||
	    read_bytes(r, object, "disk", &r->folder->facts.disk) < 0)
		return -1;
	r->folder->facts.timeout = seconds;
	r->folder->facts.pmem_force = json_is_true(json_object_get(object, "pmem_force"));
	return 0;
}

/* Absent: none. */
static int read_ignored(struct replay *r, const json_t *object)
{
	struct folder_facts *facts = &r->folder->facts;
	const json_t *array = json_object_get(object, "ignore_output");
	const char **ignore = mem_alloc((json_array_size(array) + 1) * sizeof(*ignore));

	facts->ignore = ignore;
	if (array && !json_is_array(array))
		return replay_fail(r, "ignore_output", "is not an array");
	for (; facts->ignore_count < json_array_size(array); facts->ignore_count++)
		if (take_text(r, json_array_get(array, facts->ignore_count), "regex", true,
			      &ignore[facts->ignore_count]) < 0)
			return -1;
	return 0;
}

static int read_recovery(struct replay *r, const json_t *root)
{
	struct folder_facts *facts = &r->folder->facts;
	const json_t *object;

	if (take_object(r, root, "recovery", &object) < 0 ||
	    take_text(r, object, "command", true, &facts->recover) < 0 ||
	    take_text(r, object, "client", false, &facts->client) < 0 ||
	    take_text(r, object, "ready", false, &facts->ready) < 0 ||
	    take_text(r, object, "cwd", true, &facts->cwd) < 0 ||
	    take_text(r, object, "mode", false, &r->folder->mode) < 0)
		return -1;
	return read_limits(r, object) < 0 ? -1 : read_ignored(r, object);
}

static int read_number(struct replay *r, const json_t *object, const char *key, json_int_t lowest, int64_t *number)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < lowest)
		return replay_fail(r, key, "is not a number or is out of range");
	*number = json_integer_value(value);
	return 0;
}

static int read_operation(struct replay *r, const json_t *root)
{
	struct finding_operation *operation = &r->folder->operation;
	const json_t *object = json_object_get(root, "operation");
	const char *state = NULL;
	int64_t first = 0;

	if (!object)
		return 0;
	operation->performs = json_object_get(object, "first") != NULL;
	if (read_number(r, object, "index", -1, &operation->index) < 0 ||
	    (operation->performs && read_number(r, object, "first", 0, &first) < 0) ||
	    take_text(r, object, "text", false, &operation->text) < 0 ||
	    take_text(r, object, "state", true, &state) < 0)
		return -1;
	operation->first = (uint64_t)first;
	operation->inside = text_equal(state, "inside");
	operation->known = true;
	return operation->inside || text_equal(state, "between")
		       ? 0
		       : replay_fail(r, "state", "is not known to this version");
}

static int read_mismatch(struct replay *r, const json_t *expect)
{
	struct finding_mismatch *mismatch = &r->folder->mismatch;
	const json_t *object = json_object_get(expect, "output"), *array = json_object_get(object, "expected");
	size_t count = json_array_size(array);
	int64_t line;

	if (!object)
		return 0;
	if (!json_is_array(array) || !count)
		return replay_fail(r, "expected", "is not an array of lines");
	struct finding_expected *expected = mem_alloc(count * sizeof(*expected));
	mismatch->expected = expected;
	for (size_t i = 0; i < count; i++)
		if (take_text(r, json_array_get(array, i), "line", true, &expected[i].line) < 0 ||
		    take_text(r, json_array_get(array, i), "history", false, &expected[i].history) < 0)
			return -1;
	if (take_text(r, object, "got", true, &mismatch->got) < 0 || read_number(r, object, "line", 0, &line) < 0 ||
	    take_text(r, object, "query", false, &mismatch->query) < 0)
		return -1;
	mismatch->expected_count = count;
	mismatch->line = (uint64_t)line;
	mismatch->recorded = json_is_true(json_object_get(object, "recorded"));
	mismatch->endless = json_is_true(json_object_get(object, "endless"));
	return 0;
}

static int read_expect(struct replay *r, const json_t *root)
{
	const json_t *object, *value;
	const char *outcome;

	if (take_object(r, root, "expect", &object) < 0 || take_text(r, object, "outcome", true, &outcome) < 0)
		return -1;
	value = json_object_get(object, "value");
	if (!ending_find(outcome, &r->folder->ending.kind))
		return replay_fail(r, "outcome", "is not known to this version");
	if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > INT_MAX)
		return replay_fail(r, "value", "is not a number or is out of range");
	r->folder->ending.value = (int)json_integer_value(value);
	return read_mismatch(r, object);
}

static int read_root(struct replay *r, const json_t *root)
{
	const char *schema;

	if (!json_is_object(root) || take_text(r, root, "schema", false, &schema) < 0 || !schema)
		return err_set(r->err, "%s is not a replay.json: it has no schema", r->name);
	if (strcmp(schema, FOLDER_SCHEMA) != 0) {
		err_set(r->err, "%s has the schema '%.60s', but this version of Blackout reads only '%s'", r->name,
			schema, FOLDER_SCHEMA);
		return err_hint(r->err, "use the version that made it");
	}
	if (take_text(r, root, "version", true, &r->folder->version) < 0 || read_finding(r, root) < 0 ||
	    read_recovery(r, root) < 0 || read_operation(r, root) < 0)
		return -1;
	return read_expect(r, root);
}

int folder_parse(struct folder **folder, const char *name, const char *text, size_t size, struct err *err)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

	if (!root)
		return err_set(err, "%s is not JSON: line %d, column %d: %s", name, error.line, error.column,
			       error.text);
	struct replay r = {.folder = mem_alloc(sizeof(*r.folder)), .name = name, .err = err};
	int result = read_root(&r, root);
	json_decref(root);
	if (result < 0)
		folder_free(r.folder);
	else
		*folder = r.folder;
	return result;
}

/* Read the whole file.  The caller must free it.  NULL: err says why. */
static char *file_read(const char *path, size_t *size, struct err *err)
{
	struct stat st;
	FILE *in = fopen(path, "re");
	char *text = NULL;

	if (!in || fstat(fileno(in), &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > REPLAY_BYTES_MAX) {
		if (in)
			errno = EINVAL;
		err_sys(err, "cannot read %s", path);
	} else {
		text = mem_alloc((size_t)st.st_size + 1);
		*size = fread(text, 1, (size_t)st.st_size, in);
	}
	if (in)
		fclose(in);
	return text;
}

/* Recovery runs in another directory, so the path must be absolute. */
static int operations_find(struct folder *folder, const char *path, struct err *err)
{
	char operations[PATH_MAX];

	if (!folder->operation.performs)
		return 0;
	if (path_make(operations, sizeof(operations), err, "%s/" FOLDER_OPERATIONS, path) < 0)
		return -1;
	return realpath(operations, folder->operations) ? 0 : err_sys(err, "cannot read %s", operations);
}

int folder_read(struct folder **folder, const char *path, struct err *err)
{
	char json[PATH_MAX];
	size_t size = 0;

	if (path_make(json, sizeof(json), err, "%s/" FOLDER_REPLAY, path) < 0)
		return -1;
	char *text = file_read(json, &size, err);
	if (!text)
		return -1;
	int result = folder_parse(folder, json, text, size, err);
	free(text);
	if (result == 0 && (path_make((*folder)->state, PATH_MAX, err, "%s/" FOLDER_STATE, path) < 0 ||
			    operations_find(*folder, path, err) < 0)) {
		folder_free(*folder);
		*folder = NULL;
		return -1;
	}
	return result;
}

void folder_free(struct folder *folder)
{
	if (!folder)
		return;
	arena_free(&folder->texts);
	free((void *)folder->facts.ignore);
	free((void *)folder->mismatch.expected);
	free(folder);
}
