/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - choose the format and write the files; see report.h. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "report/formats.h"

#define FILE_WIDTH 100 /* of report.txt */

static const struct {
	const char *name, *file;
} reports[REPORT_COUNT] = {
#define X(name, text, file) {text, file},
	REPORTS(X)
#undef X
};

bool report_find(const char *name, enum report_format *format)
{
	unsigned i = 0;

	while (i < REPORT_COUNT && strcmp(reports[i].name, name))
		i++;
	*format = (enum report_format)i;
	return i < REPORT_COUNT;
}

const char *report_file(enum report_format format)
{
	return reports[format].file;
}

static void report_format(enum report_format format, const struct findings *findings,
			  const struct report_options *options, FILE *out)
{
	switch (format) {
	case REPORT_TEXT: text_write(findings, options, out); return;
	case REPORT_JSON: json_write(findings, out); return;
	case REPORT_SARIF: sarif_write(findings, out); return;
	case REPORT_JUNIT: junit_write(findings, options, out); return;
	case REPORT_HTML: html_write(findings, out); return;
	case REPORT_COUNT: break;
	}
	BUG_ON("no such format");
}

int report_write(enum report_format format, const struct findings *findings, const struct report_options *options,
		 FILE *out, struct err *err)
{
	report_format(format, findings, options, out);
	if (fflush(out) || ferror(out))
		return err_sys(err, "cannot write the report");
	return 0;
}

/* Write under another name first, so that a reader of the old report never sees a partial file. */
static int file_write(enum report_format format, const struct findings *findings, const struct report_options *options,
		      const char *dir, struct err *err)
{
	char path[PATH_MAX], temporary[PATH_MAX];

	if (path_make(path, sizeof(path), err, "%s/%s", dir, reports[format].file) < 0 ||
	    path_make(temporary, sizeof(temporary), err, "%s/.%s.new", dir, reports[format].file) < 0)
		return -1;
	FILE *out = fopen(temporary, "we");
	if (!out)
		return err_sys(err, "cannot write %s", path);
	report_format(format, findings, options, out);
	bool failed = fflush(out) || ferror(out);
	int error = errno;
	if (fclose(out) && !failed) {
		failed = true;
		error = errno;
	}
	if (!failed && rename(temporary, path) == 0)
		return 0;
	errno = failed ? error : errno;
	err_sys(err, "cannot write %s", path);
	unlink(temporary);
	return -1;
}

int report_write_all(const struct findings *findings, const struct report_options *options, const char *dir,
		     struct err *err)
{
	struct report_options plain = *options;
	struct err more;
	int result = 0;

	plain.width = FILE_WIDTH;
	plain.color = false;
	for (unsigned format = 0; format < REPORT_COUNT; format++)
		if (file_write((enum report_format)format, findings, &plain, dir, result ? &more : err) < 0)
			result = -1;
	return result;
}

const char *grouped_text(char text[40], uint64_t number, const char *blank)
{
	char digits[24];
	int count = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0) {
			strcpy(text + used, blank);
			used += strlen(blank);
		}
		text[used++] = digits[i];
	}
	text[used] = 0;
	return text;
}

const char *figure_text(char text[40], struct findings_figure figure, const char *blank)
{
	const char *digits = figure.large;

	if (!digits)
		return grouped_text(text, figure.value, blank);
	if (strpbrk(digits, ".e"))
		snprintf(text, 40, "%s", digits);
	else
		snprintf(text, 40, "%c.%.2se%zu", digits[0], digits + 1, strlen(digits) - 1);
	return text;
}
