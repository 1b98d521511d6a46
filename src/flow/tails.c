/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tails.c - copies of code.
 *
 *     if (x)              cmp $0, x; jne 1f
 *             y = 1;      mov $1, w; ret
 *     w = 1;          1:  mov $1, y; mov $1, w; ret
 *
 * Two instructions are copies if they are equal and if what follows them are copies, up to where the function is left.
 * Loops have no copies here.  Direct jumps do nothing but lead on, so they are copies of their targets.
 *
 * Each instruction gets a class, a number for what it and everything after it does.  Instructions are visited after those
 * that they lead to (depth first), so a class is found by the instruction's own content and the classes of what follows.
 * Epilogues have classes too, but remain apart: registers are restored at the end of every way, which is no place for
 * ways to meet. */
#include "flow/graph_in.h"

enum { UNKNOWN, VISITING, UNIQUE, FIRST_CLASS };

/* What makes two instructions equal. */
struct content {
	uint8_t bytes[X86_LENGTH_MAX + 1]; /* without the distance to an address */
	uint64_t address;                  /* that it names by a distance */
	uint32_t next[2];                  /* classes of what follows */
};

struct tails {
	struct flow_graph *g;
	uint32_t *class;          /* of each node */
	struct content *contents; /* of each class, from FIRST_CLASS on */
	uint32_t *first;          /* the first node of each class */
	uint32_t *table, mask;    /* from contents to classes */
	uint32_t count;           /* of classes, FIRST_CLASS of them without content */
	uint32_t *stack, depth;
};

/* ---- what follows an instruction ---- */

/* The nodes that follow.  False: it is unlike all others. */
static bool successors(const struct flow_graph *g, uint32_t node, uint32_t next[2])
{
	const struct flow_node *n = &g->nodes[node];

	next[0] = next[1] = FLOW_NONE;
	if (n->root || n->left || n->lands || !n->length)
		return false;
	switch (n->kind) {
	case FLOW_RETURN:
	case FLOW_STOP: return true;
	case FLOW_JUMP: next[0] = flow_is_inside(g, n->target) ? flow_node_find(g, n->target) : FLOW_NONE; return true;
	case FLOW_BRANCH:
		if (!flow_is_inside(g, n->target))
			return false;
		next[1] = flow_node_find(g, n->target);
		break;
	case FLOW_PLAIN:
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT: break;
	default: return false;
	}
	next[0] = flow_node_find(g, n->at + n->length);
	return next[0] != FLOW_NONE;
}

/* ---- contents ---- */

static void content_read(const struct flow_graph *g, const struct flow_node *n, struct content *c)
{
	uint8_t bytes[FLOW_INSN_BYTES] = {0};
	struct x86_parts p;

	*c = (struct content){0};
	g->code.read(g->code.arg, n->at, bytes, n->length);
	p = x86_parts_read(bytes);
	if (n->kind == FLOW_BRANCH) { /* short and long forms are the same */
		c->bytes[0] = 0x70 | (p.opcode & 15);
		c->bytes[1] = p.map == 0 && p.opcode >= 0xe0 ? p.opcode : 0;
		return;
	}
	for (unsigned i = 0; i < n->length; i++)
		c->bytes[i] = bytes[i];
	if (n->target) {
		for (unsigned i = n->length > 4 ? n->length - 4u : 1; i < n->length; i++)
			c->bytes[i] = 0;
		c->address = n->target;
	} else if (p.modrm + 5 <= bytes + n->length && (p.modrm[0] & 0xc7) == 5) {
		/* Relative to RIP, if there is ModRM. */
		for (unsigned i = 0; i < 4; i++)
			c->bytes[p.modrm + 1 + i - bytes] = 0;
		c->address = n->at + n->length + (uint64_t)(int64_t)x86_number_read(p.modrm + 1, 4);
	}
}

static uint32_t content_hash(const struct content *c)
{
	uint64_t h = c->address * 0x9e3779b97f4a7c15ULL + c->next[0] * 0x85ebca6bULL + c->next[1];

	for (unsigned i = 0; i < sizeof(c->bytes); i++)
		h = (h ^ c->bytes[i]) * 0x100000001b3ULL;
	return (uint32_t)(h >> 32 ^ h);
}

static bool content_equals(const struct content *a, const struct content *b)
{
	for (unsigned i = 0; i < sizeof(a->bytes); i++)
		if (a->bytes[i] != b->bytes[i])
			return false;
	return a->address == b->address && a->next[0] == b->next[0] && a->next[1] == b->next[1];
}

static uint32_t class_of(struct tails *t, const struct content *c, uint32_t node)
{
	uint32_t slot = content_hash(c) & t->mask;

	for (; t->table[slot]; slot = (slot + 1) & t->mask)
		if (content_equals(&t->contents[t->table[slot]], c))
			return t->table[slot];
	t->table[slot] = t->count;
	t->contents[t->count] = *c;
	t->first[t->count] = node;
	return t->count++;
}

/* ---- classes ---- */

/* The class of a node, if what follows has one. */
static uint32_t classify(struct tails *t, uint32_t node)
{
	const struct flow_node *n = &t->g->nodes[node];
	uint32_t next[2];
	struct content c;

	if (!successors(t->g, node, next))
		return UNIQUE;
	for (unsigned i = 0; i < 2; i++)
		if (next[i] != FLOW_NONE && t->class[next[i]] < FIRST_CLASS)
			return UNIQUE; /* unlike all others, or a loop */
	if (n->kind == FLOW_JUMP && next[0] != FLOW_NONE)
		return t->class[next[0]];
	content_read(t->g, n, &c);
	for (unsigned i = 0; i < 2; i++)
		c.next[i] = next[i] == FLOW_NONE ? 0 : t->class[next[i]];
	return class_of(t, &c, node);
}

static void visit(struct tails *t, uint32_t root)
{
	t->stack[t->depth++] = root;
	while (t->depth) {
		uint32_t node = t->stack[t->depth - 1], next[2];

		if (t->class[node] == UNKNOWN) {
			t->class[node] = VISITING;
			if (!successors(t->g, node, next))
				continue;
			for (unsigned i = 0; i < 2; i++)
				if (next[i] != FLOW_NONE && t->class[next[i]] == UNKNOWN)
					t->stack[t->depth++] = next[i];
			continue;
		}
		t->depth--;
		if (t->class[node] == VISITING)
			t->class[node] = classify(t, node);
	}
}

/* POP, LEAVE, and what adds to the stack pointer. */
static bool restores(const struct flow_graph *g, const struct flow_node *n)
{
	uint8_t bytes[FLOW_INSN_BYTES] = {0};
	struct x86_parts p;

	g->code.read(g->code.arg, n->at, bytes, n->length);
	p = x86_parts_read(bytes);
	if (p.encoding == X86_VEX)
		return p.map == 1 && p.opcode == 0x77; /* VZEROUPPER */
	if (p.map != 0)
		return false;
	return (p.opcode >= 0x58 && p.opcode <= 0x5f) || p.opcode == 0xc9 ||
	       ((p.opcode == 0x83 || p.opcode == 0x81) && *p.modrm == 0xc4 && !(p.bits & X86_B));
}

static bool is_epilogue(const struct flow_graph *g, uint32_t node)
{
	for (; node != FLOW_NONE; node = flow_node_find(g, g->nodes[node].at + g->nodes[node].length)) {
		const struct flow_node *n = &g->nodes[node];

		if (n->kind == FLOW_RETURN)
			return true;
		if (n->kind != FLOW_PLAIN || !restores(g, n))
			return false;
	}
	return false;
}

/* ---- the graph ---- */

static void tails_alloc(struct tails *t)
{
	flow_resize *resize = t->g->code.resize;
	uint32_t count = t->g->count;

	for (t->mask = 255; t->mask < 2 * count; t->mask = 2 * t->mask + 1)
		;
	t->class = resize(NULL, count * sizeof(*t->class));
	t->contents = resize(NULL, (count + FIRST_CLASS) * sizeof(*t->contents));
	t->first = resize(NULL, (count + FIRST_CLASS) * sizeof(*t->first));
	t->stack = resize(NULL, (2 * (size_t)count + 2) * sizeof(*t->stack));
	t->table = resize(NULL, (t->mask + 1) * sizeof(*t->table));
	for (uint32_t i = 0; i < count; i++)
		t->class[i] = UNKNOWN;
	for (uint32_t i = 0; i <= t->mask; i++)
		t->table[i] = 0;
	t->count = FIRST_CLASS;
}

static void tails_free(const struct tails *t)
{
	flow_resize *resize = t->g->code.resize;

	resize(t->class, 0);
	resize(t->contents, 0);
	resize(t->first, 0);
	resize(t->stack, 0);
	resize(t->table, 0);
}

void flow_tails_find(struct flow_graph *g)
{
	struct tails t = {.g = g};

	tails_alloc(&t);
	for (uint32_t i = 0; i < g->count; i++)
		if (t.class[i] == UNKNOWN)
			visit(&t, i);
	for (uint32_t i = 0; i < g->count; i++) {
		uint32_t first = t.class[i] < FIRST_CLASS ? i : t.first[t.class[i]];

		g->nodes[i].same = first == i || is_epilogue(g, first) ? i : first;
		g->nodes[g->nodes[i].same].leads |= g->nodes[i].same != i;
	}
	tails_free(&t);
}
