/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ir.h"

#include "entry.h"

/* A line such as
 *         %4 = call i64 @__tsan_atomic64_load(i64* %3, i32 5), !dbg !7 */
struct call {
	struct span before;  /* "  %4 = " */
	struct span result;  /* "i64" */
	struct span pointer; /* "i64*", or "ptr" since clang 15 */
	struct span address; /* "%3" */
	struct span others;  /* what follows the address up to the closing parenthesis: ", i32 5" */
	struct span after;   /* ", !dbg !7" */
	struct entry entry;
};

/* Cut up to the first place where one of the characters stands outside of parentheses and the like. */
static struct span cut_to(struct span *s, const char *ends)
{
	struct span part = {s->at, 0};
	int depth = 0;

	for (; part.size < s->size; part.size++) {
		char c = part.at[part.size];

		if (depth == 0 && strchr(ends, c))
			break;
		if (c == '"')
			return (struct span){0}; /* a name in quotes, which may contain anything */
		depth += strchr("([{<", c) ? 1 : strchr(")]}>", c) ? -1 : 0;
	}
	*s = span_skip(*s, part.size);
	return part;
}

/* clang may put "tail" before a call, and attributes before its result. */
static bool find_call(struct span line, struct call *call, struct span *rest)
{
	const char *at = memmem(line.at, line.size, "call ", 5);

	/* Instructions are indented; strings of the program are not. */
	if (!at || !is_blank(*line.at))
		return false;
	call->before = (struct span){line.at, (size_t)(at - line.at)};
	*rest = span_skip(line, call->before.size + 5);
	call->result = cut_to(rest, " @");
	return skip_text(rest, " @__tsan_");
}

static bool call_read(struct call *call, struct span line)
{
	struct span rest, name;

	if (!find_call(line, call, &rest))
		return false;
	name = cut_name(&rest);
	if (!entry_read(name, &call->entry) || !skip_text(&rest, "("))
		return false;
	call->pointer = cut_to(&rest, " )");
	if (!skip_text(&rest, " "))
		return false;
	call->address = cut_to(&rest, ",)");
	call->others = cut_to(&rest, ")");
	call->after = rest;
	return call->address.size && skip_text(&call->after, ")");
}

static void put(FILE *out, struct span s)
{
	fwrite(s.at, 1, s.size, out);
}

/* The only argument is the address.  All that follows the call stays. */
static void put_address(FILE *out, const struct call *call, const char *attribute)
{
	putc('(', out);
	put(out, call->pointer);
	fprintf(out, "%s ", attribute);
	put(out, call->address);
	putc(')', out);
	put(out, call->after);
}

#define CLOBBERS "~{dirflag},~{fpsr},~{flags}"

/* The operand is the memory itself, so that no register is needed for its address. */
static bool write_store(const struct call *call, FILE *out)
{
#define WRITE(BYTES, FLAGS, NAME, PREFIX, WORD)                                                                    \
	if (call->entry.bytes == BYTES && (call->entry.flags & BO_ENTRY_VOLATILE) == FLAGS) {                      \
		put(out, call->before);                                                                            \
		fprintf(out, "call void asm sideeffect \".byte 0x%x; %s $0\", \"*m," CLOBBERS "\"", PREFIX, NAME); \
		put_address(out, call, " elementtype(i8)");                                                        \
		return true;                                                                                       \
	}
	BO_INLINE_STORES(WRITE)
#undef WRITE
	return false;
}

/* The last argument of an atomic load is its order. */
static int order_of(const struct call *call)
{
	struct span s = call->others;
	int digit;

	if (!skip_text(&s, ", i32 ") || s.size != 1)
		return -1;
	digit = *s.at - '0';
	return digit >= 0 && digit <= 9 ? digit : -1;
}

static bool write_load(const struct call *call, FILE *out)
{
	int scale = entry_scale(order_of(call));

	if (!scale)
		return false;
#define WRITE(BYTES, NAME, RESULT, CODE)                                                                           \
	if (call->entry.bytes == BYTES) {                                                                          \
		put(out, call->before);                                                                            \
		fprintf(out, "call ");                                                                             \
		put(out, call->result);                                                                            \
		fprintf(out, " asm sideeffect \"%s (%%rdi,%%riz,%d), %s\", \"={ax},{di},~{memory}," CLOBBERS "\"", \
			NAME, scale, RESULT);                                                                      \
		put_address(out, call, "");                                                                        \
		return true;                                                                                       \
	}
	BO_INLINE_LOADS(WRITE)
#undef WRITE
	return false;
}

/* Write what stands in place of the call.  Return false if it must remain. */
static bool write_instead(const struct call *call, FILE *out)
{
	switch (call->entry.kind) {
	case BO_ENTRY_READ: return true;
	case BO_ENTRY_WRITE: return write_store(call, out);
	case BO_ENTRY_ATOMIC_LOAD: return write_load(call, out);
	default: return false;
	}
}

void ir_filter(const char *text, size_t size, FILE *out)
{
	struct span rest = {text, size};
	struct call call;
	bool ended;

	while (rest.size) {
		struct span line = cut_line(&rest, &ended);

		if (!call_read(&call, line) || !write_instead(&call, out))
			put(out, line);
		if (ended)
			putc('\n', out);
	}
}
