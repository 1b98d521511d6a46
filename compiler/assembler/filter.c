/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "../runtime/entries.h"
#include "blackout/atomicity.h"
#include "filter.h"

/* A part of the text. */
struct span {
	const char *at;
	size_t size;
};

static bool span_is(struct span s, const char *text)
{
	return s.size == strlen(text) && !memcmp(s.at, text, s.size);
}

static struct span span_skip(struct span s, size_t count)
{
	return (struct span){s.at + count, s.size - count};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct span skip_blanks(struct span s)
{
	while (s.size && is_blank(*s.at))
		s = span_skip(s, 1);
	return s;
}

/* If the text begins so, skip that. */
static bool skip_text(struct span *s, const char *text)
{
	size_t size = strlen(text);

	if (s->size < size || memcmp(s->at, text, size) != 0)
		return false;
	*s = span_skip(*s, size);
	return true;
}

static struct span cut_name(struct span *s)
{
	struct span name = {s->at, 0};

	while (name.size < s->size &&
	       (name.at[name.size] == '_' || (name.at[name.size] >= '0' && name.at[name.size] <= '9') ||
		(name.at[name.size] >= 'a' && name.at[name.size] <= 'z')))
		name.size++;
	*s = span_skip(*s, name.size);
	return name;
}

/* What stands around the name of a function that is called: directly, or through its address (-fno-plt). */
static const struct {
	const char *before, *after;
} operands[] = {
	{"*__tsan_", "@GOTPCREL(%rip)"},
	{"[QWORD PTR __tsan_", "@GOTPCREL[rip]]"},
	{"__tsan_", "@PLT"},
	{"__tsan_", ""},
};

static bool is_end(struct span s)
{
	s = skip_blanks(s);
	return s.size == 0 || *s.at == '#';
}

/* If the line is a call of an entry: the entry's name, after the prefix.  Else nothing. */
static struct span called_entry(struct span line)
{
	struct span rest = skip_blanks(line);

	if (!(skip_text(&rest, "callq") || skip_text(&rest, "call")) || !rest.size || !is_blank(*rest.at))
		return (struct span){0};
	rest = skip_blanks(rest);
	for (size_t i = 0; i < sizeof(operands) / sizeof(*operands); i++) {
		struct span operand = rest, name;

		if (!skip_text(&operand, operands[i].before))
			continue;
		name = cut_name(&operand);
		if (skip_text(&operand, operands[i].after) && is_end(operand))
			return name;
	}
	return (struct span){0};
}

static bool announces_load(struct span entry)
{
#define COMPARE(NAME, KIND, BYTES, FLAGS, SIZE, ORDER, FAILURE) \
	if (KIND == BO_ENTRY_READ && span_is(entry, #NAME))     \
		return true;
	EMPTY_ENTRIES(COMPARE)
#undef COMPARE
	return false;
}

/* The bytes that the entry loads, if it is an atomic load; 0: it is not. */
static unsigned bytes_loaded(struct span entry)
{
#define COMPARE(NAME, KIND, BYTES, FLAGS, SIZE, ORDER, FAILURE)    \
	if (KIND == BO_ENTRY_ATOMIC_LOAD && span_is(entry, #NAME)) \
		return BYTES;
	ALL_ENTRIES(COMPARE)
#undef COMPARE
	return 0;
}

/* ---- the order of an atomic load, which is its second argument ---- */

enum { UNKNOWN = -1 };

/* gcc and clang put labels for debug information between the instructions of a block.  Nothing jumps there. */
static bool is_debug_label(struct span label)
{
	return skip_text(&label, ".LVL") || skip_text(&label, ".Ltmp") || skip_text(&label, ".LBE") ||
	       skip_text(&label, ".LBI") || (skip_text(&label, ".LBB") && !memchr(label.at, '_', label.size));
}

static bool is_label(struct span statement)
{
	return statement.size && statement.at[statement.size - 1] == ':';
}

static bool has_text(struct span s, const char *text)
{
	return memmem(s.at, s.size, text, strlen(text));
}

/* Does an instruction change the register although it does not name it?  A call may, and so do string instructions. */
static bool changes_silently(struct span statement)
{
	static const char *const first[] = {"call", "rep", "lods", "outs", "cmps", "#APP", "#NO_APP"};
	static const char *const whole[] = {"movsb", "movsw", "movsl", "movsq"};

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++) {
		struct span rest = statement;

		if (skip_text(&rest, first[i]))
			return true;
	}
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		struct span rest = statement;

		if (skip_text(&rest, whole[i]) && is_end(rest))
			return true;
	}
	return false;
}

/* Skip the words, with any blanks between them.  Return false if the text does not begin with them. */
static bool skip_words(struct span *s, const char *first, const char *second)
{
	if (!skip_text(s, first) || !s->size || !is_blank(*s->at))
		return false;
	*s = skip_blanks(*s);
	return skip_text(s, second);
}

/* The number that the statement puts into the register; UNKNOWN: none, or not one digit. */
static int order_set(struct span statement)
{
	struct span zero = statement;
	int digit;

	if (skip_words(&zero, "xorl", "%esi, %esi") && is_end(zero))
		return 0;
	if (!skip_words(&statement, "movl", "$") || !statement.size)
		return UNKNOWN;
	digit = *statement.at - '0';
	statement = span_skip(statement, 1);
	return digit >= 0 && digit <= 9 && skip_text(&statement, ", %esi") && is_end(statement) ? digit : UNKNOWN;
}

static int order_after(struct span line, int order)
{
	struct span statement = skip_blanks(line);
	int set = order_set(statement);

	if (set != UNKNOWN)
		return set;
	if (is_label(statement))
		return is_debug_label(statement) ? order : UNKNOWN;
	if (has_text(statement, "%esi") || has_text(statement, "%rsi") || has_text(statement, "%si"))
		return UNKNOWN;
	return changes_silently(statement) ? UNKNOWN : order;
}

/* ---- the text ---- */

struct filter {
	FILE *out;
	bool intel_syntax;
	int order;
};

static int scale_of(int order)
{
#define CHOOSE(ORDER, SCALE) \
	if (order == ORDER)  \
		return SCALE;
	BO_INLINE_ORDERS(CHOOSE)
#undef CHOOSE
	return 0;
}

/* Return false if the load must remain a call. */
static bool write_load(struct filter *f, unsigned bytes)
{
	int scale = scale_of(f->order);

	if (f->intel_syntax || !scale)
		return false;
#define WRITE(BYTES, NAME, RESULT, CODE) \
	if (bytes == BYTES)              \
		return fprintf(f->out, "\t%s (%%rdi,%%riz,%d), %s", NAME, scale, RESULT) > 0;
	BO_INLINE_LOADS(WRITE)
#undef WRITE
	return false;
}

/* Does the line have a directive that changes the syntax of those that follow?  It may be one of several statements, but
 * not part of a string. */
static bool changes_syntax(struct span line, const char *directive)
{
	const char *found = memmem(line.at, line.size, directive, strlen(directive));

	return found && !memchr(line.at, '"', (size_t)(found - line.at));
}

static void filter_line(struct filter *f, struct span line)
{
	struct span entry = called_entry(line);

	if (!entry.size || (!announces_load(entry) && !write_load(f, bytes_loaded(entry))))
		fwrite(line.at, 1, line.size, f->out);
	f->order = order_after(line, f->order);
	if (changes_syntax(line, ".intel_syntax"))
		f->intel_syntax = true;
	if (changes_syntax(line, ".att_syntax"))
		f->intel_syntax = false;
}

void filter_text(const char *text, size_t size, FILE *out)
{
	struct filter f = {.out = out, .order = UNKNOWN};
	struct span rest = {text, size};

	while (rest.size) {
		const char *end = memchr(rest.at, '\n', rest.size);
		struct span line = {rest.at, end ? (size_t)(end - rest.at) : rest.size};

		filter_line(&f, line);
		rest = span_skip(rest, line.size);
		if (skip_text(&rest, "\n"))
			putc('\n', out);
	}
}
