/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder.c - make the folders of crash findings; see folder.h. folder_read.c reads them. */
#include "replay/folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_out.h"
#include "base/path.h"
#include "base/utf8.h"
#include "finding/crash_finding.h"
#include "image/tree.h"
#include "replay/folder_json.h"

#define CRASH_DIR "crash"

/* ---- directories ---- */

static int path_join(char path[PATH_MAX], const char *dir, const char *name, const char *inner, struct err *err)
{
	return path_make(path, PATH_MAX, err, "%s/" CRASH_DIR "%s%s%s%s", dir, *name ? "/" : "", name,
			 *inner ? "/" : "", inner);
}

static int folder_remove(const char *path, struct err *err)
{
	return tree_remove(path) ? 0 : err_sys(err, "cannot remove %s", path);
}

int folders_clear(const char *dir, struct err *err)
{
	char path[PATH_MAX];

	if (path_join(path, dir, "", "", err) < 0)
		return -1;
	return folder_remove(path, err);
}

int folder_new(char path[PATH_MAX], const char *dir, const char *name, struct err *err)
{
	char hidden[NAME_MAX + 1];

	if (path_make(hidden, sizeof(hidden), err, ".%s", name) < 0 || path_join(path, dir, "", "", err) < 0)
		return -1;
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return err_sys(err, "cannot make %s", path);
	if (path_join(path, dir, hidden, "", err) < 0 || folder_remove(path, err) < 0)
		return -1;
	return mkdir(path, 0777) < 0 ? err_sys(err, "cannot make %s", path) : 0;
}

int folder_keep_operations(const char *path, const char *operations, struct err *err)
{
	char copy[PATH_MAX], bytes[1 << 16];
	FILE *from, *to;
	size_t n;

	if (path_make(copy, sizeof(copy), err, "%s/" FOLDER_OPERATIONS, path) < 0)
		return -1;
	if (!(from = fopen(operations, "re")))
		return err_sys(err, "cannot read %s", operations);
	if (!(to = fopen(copy, "we"))) {
		fclose(from);
		return err_sys(err, "cannot write %s", copy);
	}
	bool written = true;
	while (written && (n = fread(bytes, 1, sizeof(bytes), from)))
		written = fwrite(bytes, 1, n, to) == n;
	bool was_read = !ferror(from);
	fclose(from);
	written &= fclose(to) == 0;
	if (!was_read)
		return err_sys(err, "cannot read %s", operations);
	return written ? 0 : err_sys(err, "cannot write %s", copy);
}

/* ---- replay.json ---- */

/* Write a text of any bytes.  JSON cannot hold a text that is not UTF-8, so it is written in hexadecimal under
 * KEY_hex. */
static void put_text(struct json_out *j, const char *key, const char *text)
{
	char name[64], *hex;

	if (!text || utf8_valid(text)) {
		json_text(j, key, text);
		return;
	}
	hex = mem_alloc(2 * strlen(text) + 1);
	for (size_t i = 0; text[i]; i++)
		sprintf(hex + 2 * i, "%02x", (unsigned char)text[i]);
	snprintf(name, sizeof(name), "%s_hex", key);
	json_text(j, name, hex);
	free(hex);
}

static void put_operation(struct json_out *j, const struct finding_operation *operation)
{
	if (!operation->known)
		return;
	json_open(j, "operation", '{');
	json_signed(j, "index", operation->index);
	put_text(j, "text", operation->text);
	put_text(j, "state", operation->inside ? "inside" : "between");
	if (operation->performs)
		json_number(j, "first", operation->first);
	json_close(j, '}');
}

static void put_mismatch(struct json_out *j, const struct finding_mismatch *mismatch)
{
	if (!mismatch->expected_count)
		return;
	json_open(j, "output", '{');
	json_open(j, "expected", '[');
	for (size_t i = 0; i < mismatch->expected_count; i++) {
		json_open(j, NULL, '{');
		put_text(j, "line", mismatch->expected[i].line);
		put_text(j, "history", mismatch->expected[i].history);
		json_close(j, '}');
	}
	json_close(j, ']');
	put_text(j, "got", mismatch->got);
	json_number(j, "line", mismatch->line);
	put_text(j, "query", mismatch->query);
	json_bool(j, "recorded", mismatch->recorded);
	json_bool(j, "endless", mismatch->endless);
	json_close(j, '}');
}

static void replay_print(struct json_out *j, const struct findings *findings, const struct finding *finding,
			 const struct folder_facts *facts)
{
	const struct finding_crash *crash = finding->crash;
	char place[1200];

	frame_text(stack_location(&finding->stack), place, sizeof(place));
	json_open(j, NULL, '{');
	put_text(j, "schema", FOLDER_SCHEMA);
	put_text(j, "version", findings->tool_version);
	json_open(j, "finding", '{');
	put_text(j, "id", finding->id);
	put_text(j, "kind", kind_get(finding->kind)->name);
	put_text(j, "message", finding->message);
	put_text(j, "location", place);
	put_text(j, "fingerprint", finding->fingerprint);
	json_close(j, '}');
	json_open(j, "recovery", '{');
	put_text(j, "command", facts->recover);
	put_text(j, "client", facts->client);
	put_text(j, "ready", facts->ready);
	put_text(j, "cwd", facts->cwd);
	json_decimal(j, "timeout", facts->timeout);
	if (facts->memory)
		json_number(j, "memory", facts->memory);
	if (facts->disk)
		json_number(j, "disk", facts->disk);
	json_bool(j, "pmem_force", facts->pmem_force);
	put_text(j, "mode", crash->mode);
	if (facts->ignore_count) {
		json_open(j, "ignore_output", '[');
		for (size_t i = 0; i < facts->ignore_count; i++) {
			json_open(j, NULL, '{');
			put_text(j, "regex", facts->ignore[i]);
			json_close(j, '}');
		}
		json_close(j, ']');
	}
	json_close(j, '}');
	put_operation(j, &crash->operation);
	json_open(j, "expect", '{');
	put_text(j, "outcome", ending_name(crash->recovery.ending.kind));
	json_number(j, "value", (uint64_t)crash->recovery.ending.value);
	put_mismatch(j, &crash->recovery.mismatch);
	json_close(j, '}');
	json_close(j, '}');
}

static int replay_write(const char *path, const struct findings *findings, const struct finding *finding,
			const struct folder_facts *facts, struct err *err)
{
	struct json_out j = {.out = fopen(path, "we")};

	if (!j.out)
		return err_sys(err, "cannot write %s", path);
	replay_print(&j, findings, finding, facts);
	bool failed = fflush(j.out) || ferror(j.out);
	failed |= fclose(j.out) != 0;
	return failed ? err_sys(err, "cannot write %s", path) : 0;
}

/* ---- all ---- */

static int folder_finish(struct findings *findings, struct finding *finding, const char *dir,
			 const struct folder_facts *facts, struct err *err)
{
	char from[PATH_MAX], to[PATH_MAX], json[PATH_MAX];

	if (path_join(from, dir, finding->crash->folder, "", err) < 0 || path_join(to, dir, finding->id, "", err) < 0 ||
	    path_join(json, dir, finding->crash->folder, FOLDER_REPLAY, err) < 0)
		return -1;
	if (replay_write(json, findings, finding, facts, err) < 0)
		return -1;
	if (strcmp(from, to) != 0 && (folder_remove(to, err) < 0 || rename(from, to) < 0))
		return err_sys(err, "cannot rename %s to %s", from, to);
	finding->crash->folder = findings_text(findings, finding->id);
	return 0;
}

static bool folder_is_used(const struct findings *findings, const char *name)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->at[i].crash && findings->at[i].crash->folder &&
		    !strcmp(findings->at[i].crash->folder, name))
			return true;
	return false;
}

static int folders_sweep(const struct findings *findings, const char *dir, struct err *err)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int result = 0;

	if (path_join(path, dir, "", "", err) < 0)
		return -1;
	DIR *entries = opendir(path);
	if (!entries)
		return errno == ENOENT ? 0 : err_sys(err, "cannot read %s", path);
	while (result == 0 && (entry = readdir(entries))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    folder_is_used(findings, entry->d_name))
			continue;
		if (path_join(path, dir, entry->d_name, "", err) < 0 || folder_remove(path, err) < 0)
			result = -1;
	}
	closedir(entries);
	return result;
}

int folders_finish(struct findings *findings, const char *dir, const struct folder_facts *facts, struct err *err)
{
	struct err more;
	int result = 0;

	for (size_t i = 0; i < findings->count; i++) {
		struct finding_crash *crash = findings->at[i].crash;

		if (!crash || !crash->folder ||
		    folder_finish(findings, &findings->at[i], dir, facts, result ? &more : err) == 0)
			continue;
		crash->folder = NULL; /* the cleanup below removes the folder */
		result = -1;
	}
	return folders_sweep(findings, dir, result ? &more : err) < 0 ? -1 : result;
}
