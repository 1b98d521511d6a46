/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter.h"
#include "entry.h"

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

/* Return false if the load must remain a call. */
static bool write_load(struct filter *f, unsigned bytes)
{
	int scale = entry_scale(f->order);

	if (f->intel_syntax || !scale)
		return false;
#define WRITE(BYTES, NAME, RESULT, CODE) \
	if (bytes == BYTES)              \
		return fprintf(f->out, "\t%s (%%rdi,%%riz,%d), %s", NAME, scale, RESULT) > 0;
	BO_INLINE_LOADS(WRITE)
#undef WRITE
	return false;
}

/* Announce a store by an instruction whose operand is (%rdi), in bytes, because both syntaxes know these.  Return false if
 * the announcement must remain a call. */
static bool write_store(struct filter *f, const struct entry *e)
{
#define WRITE(BYTES, FLAGS, NAME, PREFIX, WORD)                                    \
	if (e->bytes == BYTES && (e->flags & BO_ENTRY_VOLATILE) == FLAGS)          \
		return fprintf(f->out, "\t.byte 0x%x%s, 0x0f, 0x1f, 0x07", PREFIX, \
			       WORD == 2   ? ", 0x66"                              \
			       : WORD == 8 ? ", 0x48"                              \
					   : "") > 0;
	BO_INLINE_STORES(WRITE)
#undef WRITE
	return false;
}

/* Write what stands in place of the call of an entry.  Return false if it must remain a call. */
static bool write_instead(struct filter *f, struct span name)
{
	struct entry e;

	if (!entry_read(name, &e))
		return false;
	switch (e.kind) {
	case BO_ENTRY_READ: return true;
	case BO_ENTRY_WRITE: return write_store(f, &e);
	case BO_ENTRY_ATOMIC_LOAD: return write_load(f, e.bytes);
	default: return false;
	}
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

	if (!entry.size || !write_instead(f, entry))
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
	bool ended;

	while (rest.size) {
		filter_line(&f, cut_line(&rest, &ended));
		if (ended)
			putc('\n', out);
	}
}
