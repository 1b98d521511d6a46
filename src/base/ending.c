/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ending.c - see ending.h. */
#include "base/ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

static const struct {
	const char *name;
	char letter;
} endings[ENDING_KINDS] = {
#define X(kind, name, letter) {name, letter},
	ENDINGS(X)
#undef X
};

const char *ending_name(enum ending_kind kind)
{
	BUG_ON((unsigned)kind >= ENDING_KINDS);
	return endings[kind].name;
}

bool ending_find(const char *name, enum ending_kind *kind)
{
	for (*kind = 0; *kind < ENDING_KINDS; ++*kind)
		if (!strcmp(endings[*kind].name, name))
			return true;
	return false;
}

char ending_letter(enum ending_kind kind)
{
	BUG_ON((unsigned)kind >= ENDING_KINDS);
	return endings[kind].letter;
}

bool ending_find_letter(char letter, enum ending_kind *kind)
{
	for (*kind = 0; *kind < ENDING_KINDS; ++*kind)
		if (endings[*kind].letter == letter)
			return true;
	return false;
}

static void signal_text(int number, char *text, size_t size)
{
	const char *name = sigabbrev_np(number);

	if (name)
		snprintf(text, size, "SIG%s%s", name, number == SIGXFSZ ? " (it wrote more than --disk allows)" : "");
	else
		snprintf(text, size, "signal %d", number);
}

void ending_text(struct ending ending, char *text, size_t size)
{
	switch (ending.kind) {
	case ENDING_EXIT: snprintf(text, size, "exit status %d", ending.value); break;
	case ENDING_SIGNAL: signal_text(ending.value, text, size); break;
	case ENDING_TIMEOUT: snprintf(text, size, "did not end within the time limit"); break;
	case ENDING_OUTPUT: snprintf(text, size, "wrong output"); break;
	case ENDING_KINDS: BUG_ON(true);
	}
}
