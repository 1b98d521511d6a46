/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_options.c - see report_options.h. */
#include "cli/report_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"

enum { WIDTH_MIN = 40, WIDTH_MAX = 160 };

static bool terminal_has_colors(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static unsigned terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return 0;
	return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col;
}

struct printing printing_parse(const struct report_words *words)
{
	struct printing p = {.width = terminal_width()};

	BUG_ON(!report_find(words->format, &p.format));
	BUG_ON(!fail_on_parse(words->fail_on, &p.fail_on, &p.never));
	p.color = !strcmp(words->color, "always") || (!strcmp(words->color, "auto") && terminal_has_colors());
	return p;
}

int printing_report(const struct printing *p, const struct findings *f, const char *dir, struct err *err)
{
	const struct report_options how = {.width = p->width, .color = p->color, .dir = dir, .fail_on = p->fail_on};

	return report_write(p->format, f, &how, stdout, err);
}

int printing_status(const struct printing *p, const struct findings *f)
{
	return !p->never && findings_fail(f, p->fail_on) ? STATUS_FOUND : STATUS_DONE;
}
