// SPDX-License-Identifier: GPL-2.0-or-later
// Stores in C, with the name of what each stores to beside it; see test/e2e/variables.test.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define KEEP __attribute__((noinline))

struct pair {
	uint64_t key, value;
};

typedef struct {
	uint32_t low, high;
} range;

struct node {
	struct node *next;
	uint64_t count;
	struct pair pair;
	struct pair items[8];
	uint64_t keys[4], values[4];
	union {
		uint64_t word;
		double real;
	} u;
	union {
		uint32_t first;
		struct {
			uint16_t small, other;
		};
	};
	unsigned red : 1, depth : 7, rest : 24;
	range span;
	struct node *children[4];
	char name[32];
	uint32_t matrix[4][6];
	struct pair *pairs;
	bool full;
	volatile uint32_t state;
	_Atomic uint64_t version;
	uint8_t data[];
};

struct pool {
	uint64_t magic;
	struct node *root;
	struct node first;
};

struct pool *pool;
static struct node *last;
struct pair table[16];
struct node **slots;

// ---- members ----

KEEP void member_first(struct node *node, struct node *next)
{
	node->next = next; //! node->next
}

KEEP void member_number(struct node *node, uint64_t n)
{
	node->count = n; //! node->count
}

KEEP void member_increment(struct node *node)
{
	node->count++; //! node->count
}

KEEP void member_add(struct node *node, uint64_t n)
{
	node->count += n; //! node->count
}

KEEP void member_nested(struct node *node, uint64_t n)
{
	node->pair.value = n; //! node->pair.value
}

KEEP void member_of_typedef(struct node *node, uint32_t n)
{
	node->span.high = n; //! node->span.high
}

KEEP void member_of_array(struct node *node, uint64_t n)
{
	node->items[2].value = n; //! node->items[2].value
}

KEEP void member_of_element(struct node *node, uint64_t i, uint64_t n)
{
	node->items[i].value = n; //! node->items[].value
}

KEEP void member_before_element(struct node *node, uint64_t i, uint64_t n)
{
	node->items[i - 1].key = n; //! node->items[].key
}

KEEP void member_after_element(struct node *node, uint32_t i, uint64_t n)
{
	node->items[i + 1].key = n; //! node->items[].key
}

KEEP void array_keys(struct node *node, uint64_t i, uint64_t n)
{
	node->keys[i] = n; //! node->keys[]
}

KEEP void array_values(struct node *node, uint64_t i, uint64_t n)
{
	node->values[i] = n; //! node->values[]
}

// It begins where the last of the keys is.
KEEP void array_values_before(struct node *node, uint64_t i, uint64_t n)
{
	node->values[i - 1] = n; //! node->values[]
}

KEEP void array_constant(struct node *node, uint64_t n)
{
	node->values[3] = n; //! node->values[3]
}

KEEP void array_two_dimensions(struct node *node, uint64_t i, uint64_t j, uint32_t n)
{
	node->matrix[i][j] = n; //! node->matrix[][]
}

KEEP void array_two_dimensions_constant(struct node *node, uint32_t n)
{
	node->matrix[2][3] = n; //! node->matrix[2][3]
}

KEEP void array_of_bytes(struct node *node, uint64_t i, char c)
{
	node->name[i] = c; //! node->name[]
}

KEEP void array_of_pointers(struct node *node, uint64_t i, struct node *child)
{
	node->children[i] = child; //! node->children[]
}

KEEP void array_flexible(struct node *node, uint64_t i, uint8_t c)
{
	node->data[i] = c; //! node->data[]
}

KEEP void union_by_source(struct node *node, double d)
{
	node->u.real = d; //! node->u.real
}

KEEP void union_other(struct node *node, uint64_t n)
{
	node->u.word = n; //! node->u.word
}

KEEP void union_anonymous(struct node *node, uint32_t n)
{
	node->first = n; //! node->first
}

KEEP void union_anonymous_struct(struct node *node, uint16_t n)
{
	node->other = n; //! node->other
}

KEEP void bits_one(struct node *node)
{
	node->red = 1; //! node->red
}

KEEP void bits_several(struct node *node, unsigned n)
{
	node->depth = n; //! node->depth
}

KEEP void bits_wide(struct node *node, unsigned n)
{
	node->rest = n; //! node->rest
}

KEEP void member_bool(struct node *node, uint64_t n)
{
	node->full = n > 3; //! node->full
}

KEEP void member_volatile(struct node *node, uint32_t n)
{
	node->state = n; //! node->state
}

KEEP void member_atomic(struct node *node, uint64_t n)
{
	node->version = n; //! node->version
}

KEEP void member_atomic_builtin(struct node *node, uint64_t n)
{
	__atomic_store_n(&node->count, n, __ATOMIC_RELEASE); //! node->count
}

KEEP uint64_t member_locked(struct node *node)
{
	return __atomic_fetch_add(&node->count, 2, __ATOMIC_SEQ_CST); //! node->count
}

KEEP bool member_compared(struct node *node, uint64_t old, uint64_t n)
{
	return __sync_bool_compare_and_swap(&node->pair.key, old, n); //! node->pair.key
}

// ---- pointers ----

KEEP void pointer_hop(struct node *node, uint64_t n)
{
	node->next->count = n; //! node->next->count
}

KEEP void pointer_hops(struct node *node, uint64_t n)
{
	node->next->next->pair.key = n; //! node->next->next->pair.key
}

KEEP void pointer_in_array(struct node *node, uint64_t i, uint64_t n)
{
	node->children[i]->count = n; //! node->children[]->count
}

KEEP void pointer_to_array(struct node *node, uint64_t i, uint64_t n)
{
	node->pairs[i].value = n; //! node->pairs[].value
}

KEEP void pointer_to_pointer(struct node **node, uint64_t n)
{
	(*node)->count = n; //! (*node)->count
}

KEEP void pointer_target(struct node **node, struct node *next)
{
	*node = next; //! *node
}

KEEP void pointer_number(uint64_t *p, uint64_t n)
{
	*p = n; //! *p
}

KEEP void pointer_index(uint64_t *p, uint64_t i, uint64_t n)
{
	p[i] = n; //! p[]
}

KEEP void pointer_element(struct pair *pairs, uint64_t i, uint64_t n)
{
	pairs[i].value = n; //! pairs[].value
}

// Bytes of unknown meaning: only the source has a name.
KEEP void pointer_cast(char *base, uint64_t n)
{
	*(uint64_t *)(base + 8) = n; //! ?
}

KEEP void pointer_cast_to_struct(void *base, uint64_t n)
{
	((struct node *)base)->count = n; //! ((struct node *)base)->count
}

KEEP void pointer_local(void *base, uint64_t n)
{
	struct node *node = base;

	node->count = n; //! node->count
}

KEEP void pointer_inner(struct node *node, uint64_t n)
{
	struct pair *pair = &node->pair;

	pair->value = n; //! pair->value | node->pair.value
}

KEEP void pointer_of_sum(char *base, uint64_t offset, uint64_t n)
{
	struct node *node = (struct node *)(base + offset);

	node->count = n; //! node->count
}

KEEP void pointer_reassigned(struct node *node, uint64_t n)
{
	node = node->next;
	node->count = n; //! node->count | node->next->count
}

KEEP void pointer_chosen(struct node *a, struct node *b, int which, uint64_t n)
{
	struct node *node = which ? a : b;

	node->count = n; //! node->count
}

KEEP struct node *node_find(struct node *node, uint64_t key)
{
	while (node && node->pair.key != key)
		node = node->next;
	return node;
}

KEEP void pointer_returned(struct node *node, uint64_t n)
{
	node_find(node, 7)->count = n; //! node_find()->count | node_find(node, 7)->count
}

KEEP void pointer_returned_local(struct node *node, uint64_t n)
{
	struct node *found = node_find(node, 7);

	found->count = n; //! found->count | node_find()->count
}

KEEP void pointer_saved(struct node *node, uint64_t n)
{
	node_find(node, n);
	node->count = n; //! node->count
	node_find(node, n + 1);
	node->pair.key = n; //! node->pair.key
}

// ---- globals ----

KEEP void global_pointer(uint64_t n)
{
	pool->magic = n; //! pool->magic
}

KEEP void global_pointer_inner(uint64_t n)
{
	pool->first.count = n; //! pool->first.count
}

KEEP void global_pointer_hop(uint64_t n)
{
	pool->root->count = n; //! pool->root->count
}

KEEP void global_static(struct node *node, uint64_t n)
{
	last->count = n; //! last->count
	last = node;
}

KEEP void global_array(uint64_t i, uint64_t n)
{
	table[i].value = n; //! table[].value
}

KEEP void global_element(uint64_t n)
{
	table[5].key = n; //! table[5].key
}

KEEP void global_pointers(uint64_t i, uint64_t n)
{
	slots[i]->count = n; //! slots[]->count
}

KEEP void global_in_function(uint64_t n)
{
	static struct node *cached;

	if (!cached)
		cached = node_find(last, n);
	cached->count = n; //! cached->count | node_find()->count
}

// ---- inlined functions ----

static inline void node_set(struct node *n, uint64_t value)
{
	n->pair.value = value; //! n->pair.value | node->pair.value | node->next->pair.value
}

static inline void word_set(uint64_t *word, uint64_t value)
{
	*word = value; //! *word | node->count | node->next->count
}

KEEP void inlined_member(struct node *node, uint64_t n)
{
	node_set(node, n);
}

KEEP void inlined_hop(struct node *node, uint64_t n)
{
	node_set(node->next, n);
}

KEEP void inlined_word(struct node *node, uint64_t n)
{
	word_set(&node->count, n);
}

// ---- several at once ----

KEEP void copy_pair(struct node *node, const struct pair *from)
{
	node->pair = *from; //! node->pair | node->pair.key | node->pair.value | node->pair.key, node->pair.value
}

KEEP void copy_element(struct node *node, uint64_t i, struct pair from)
{
	node->items[i] = from; //! node->items[] | node->items[].key | node->items[].value
}

KEEP void clear_pair(struct node *node)
{
	node->pair.key = 0;   //! node->pair | node->pair.key | node->pair.key, node->pair.value
	node->pair.value = 0; //! node->pair | node->pair.value | node->pair.key, node->pair.value
}

KEEP void copy_name(struct node *node, const char *name)
{
	strcpy(node->name, name); //! node->name | node->name[]
}

KEEP void copy_bytes(struct node *node, const void *from)
{
	memcpy(node->name, from, sizeof(node->name)); //! node->name | node->name[]
}

KEEP void copy_to_address(struct node *node, const void *from)
{
	/* clang-format off */
	memcpy(&node->pair, from, sizeof(node->pair)); //! node->pair | node->pair.key | node->pair.value | node->pair.key, node->pair.value
	/* clang-format on */
}

KEEP void copy_length(struct node *node, const void *from, size_t n)
{
	memcpy(node->data, from, n); //! node->data[] | node->data
}

KEEP void clear_array(struct node *node)
{
	memset(node->keys, 0, sizeof(node->keys)); //! node->keys | node->keys[*]
}

// ---- loops ----

KEEP void loop_index(struct node *node, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		node->items[i].key = i; //! node->items[*].key
}

KEEP void loop_constant(struct node *node)
{
	for (unsigned i = 0; i < 4; i++)
		node->children[i] = NULL; //! node->children | node->children[*]
}

KEEP void loop_pointer(struct pair *pair, struct pair *end)
{
	for (; pair < end; pair++)
		pair->value = 1; //! pair->value | pair[].value
}

KEEP void loop_list(struct node *node, uint64_t n)
{
	for (; node; node = node->next)
		node->count = n; //! node->count
}

KEEP void loop_move(struct node *node, int n)
{
	for (int i = n; i > 0; i--)
		node->items[i] = node->items[i - 1]; //! node->items[] | node->items[].key | node->items[].value
}

// ---- statements ----

KEEP void statement_two(struct node *node, uint64_t n)
{
	/* clang-format off */
	node->count = n; node->pair.key = n + 1; //! node->count | node->pair.key
	/* clang-format on */
}

KEEP void statement_chain(struct node *node, uint64_t n)
{
	node->count = node->pair.key = n; //! node->count | node->pair.key | node->count, node->pair.key
}

KEEP void statement_in_condition(struct node *node, uint64_t n)
{
	if ((node->count = n))  //! node->count
		node->full = 1; //! node->full
}

KEEP void statement_switch(struct node *node, int which, uint64_t n)
{
	switch (which) {
	case 0: node->count = n; break;       //! node->count
	case 1: node->pair.key = n; break;    //! node->pair.key
	case 2: node->pair.value = n; break;  //! node->pair.value
	case 3: node->next->count = n; break; //! node->next->count
	case 4: node->keys[0] = n; break;     //! node->keys[0]
	case 5: node->values[1] = n; break;   //! node->values[1]
	}
}

#define SET(object, member, to) ((object)->member = (to))

KEEP void statement_macro(struct node *node, uint64_t n)
{
	SET(node, count, n); //! node->count
}

int main(void)
{
	return 0;
}
