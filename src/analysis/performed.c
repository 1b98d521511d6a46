/* SPDX-License-Identifier: GPL-2.0-or-later */
/* performed.c - see performed.h. */
#include "analysis/performed.h"

#include <inttypes.h>
#include <string.h>

#define CALL "call:"
#define HINT_CALL "--op-marks call:FUNCTION takes each call of FUNCTION as an operation"

enum { SLURPED_MIN = 3 /* operations; of fewer, it is no surprise that only the last one changes something */ };

static bool is_call(const char *marks)
{
	return !strncmp(marks, CALL, strlen(CALL));
}

static int none_refuse(const char *marks, struct err *err)
{
	if (is_call(marks)) {
		err_set(err, "the program never calls %s, so it performs no operation", marks + strlen(CALL));
		err_hint(
			err,
			"if the compiler inlines it, declare it __attribute__((noinline)); in C++, use the name as nm -C prints "
			"it");
	} else if (!strcmp(marks, "reads")) {
		err_set(err, "the program reads none of its operations");
		err_hint(err, "write {ops} in its arguments in place of the name of its file of operations");
	} else if (!strcmp(marks, "prints")) {
		err_set(err, "the program prints no line, so it performs no operation");
		err_hint(err, HINT_CALL);
	} else if (!strcmp(marks, "annotated")) {
		err_set(err, "the program announces no operation");
		err_hint(err, "BLACKOUT_OP_BEGIN and BLACKOUT_OP_END of blackout/annotate.h do that");
	} else {
		err_set(err, "the server receives no request, so it performs no operation");
		err_hint(err, "--client sends the requests: one for each operation");
	}
	return err_status(err, ERR_TARGET);
}

/* The program gets at its operations in a way that does not show when it begins one. */
static int hidden_refuse(struct err *err, const char *sentence)
{
	err_set(err, "%s", sentence);
	err_hint(err, HINT_CALL);
	return err_status(err, ERR_USAGE);
}

/* Lines are numbered as in the list, so a program may read fewer of them. */
static int reads_check(const struct operations_summary *s, struct err *err)
{
	if (s->notes[BO_NOTE_MAPPED])
		return hidden_refuse(err, "the program maps its operations into memory, which does not show when it "
					  "begins one");
	if (s->notes[BO_NOTE_UNSEEN])
		return hidden_refuse(err,
				     "the program reads its operations by a system call that does not show when it "
				     "begins one");
	if (s->notes[BO_NOTE_AGAIN])
		return hidden_refuse(err, "the program reads its operations more than once, or not in the order of the "
					  "list");
	if (s->begun >= SLURPED_MIN && !s->notes[BO_NOTE_PRINTED] &&
	    (s->changing ? s->changing == 1 && s->last_changing : s->outside > 0))
		return hidden_refuse(err, s->changing
						  ? "only the last operation that the program reads changes PM: it "
						    "seems to read all of them before it performs the first"
						  : "PM changes only after the last operation: the program reads all "
						    "of them before it performs the first, or what they do stays "
						    "in volatile memory");
	return s->begun ? 0 : none_refuse("reads", err);
}

int performed_check(const struct operations_summary *s, const char *marks, uint64_t listed, struct err *err)
{
	bool prints = !strcmp(marks, "prints");
	/* After the last line that a program prints, one more operation is open. */
	uint64_t performed = prints ? s->completed : s->begun;

	if (!strcmp(marks, "reads"))
		return reads_check(s, err);
	if (!performed)
		return none_refuse(marks, err);
	if (performed == listed)
		return 0;
	err_set(err,
		"the program performs %" PRIu64 " operation%s, as --op-marks %s shows them, but %" PRIu64 " %s listed",
		performed, performed == 1 ? "" : "s", marks, listed, listed == 1 ? "is" : "are");
	err_status(err, ERR_USAGE);
	if (prints)
		return err_hint(err, "with prints, every operation must print exactly one line");
	return err_hint(err, is_call(marks) ? "FUNCTION must be called once for each line of --ops" : HINT_CALL);
}
