/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers_template.cc - flush functions that are templates, in a namespace, and methods. */
// needs: clwb
#include "target.h"

namespace pm
{
template <typename T> __attribute__((noinline)) void write_back(T *object)
{
	for (size_t at = 0; at < sizeof(T); at += 64)
		CLWB((char *)object + at);
}

template <typename T> __attribute__((noinline)) void persist(T *object)
{
	write_back(object);
	SFENCE();
}
} // namespace pm

struct alignas(64) Node
{
	uint64_t key, value;

	__attribute__((noinline)) void save()
	{
		pm::persist(this);
	}
};

struct alignas(64) Leaf
{
	uint64_t keys[16];

	__attribute__((noinline)) void save()
	{
		pm::persist(this);
	}
};

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	char *pool = pool_create(argv[1]);
	Node *node = (Node *)pool, *other = (Node *)(pool + 64);
	Leaf *leaf = (Leaf *)(pool + 1024);

	ST8(&node->key, 1);
	pm::persist(node);
	pm::persist(node); //! redundant-flush
	ST8(&leaf->keys[0], 1);
	ST8(&leaf->keys[8], 1);
	pm::persist(leaf);
	pm::persist(leaf); //! redundant-flush
	ST8(&other->key, 1);
	other->save();
	node->save(); //! redundant-flush
	/* Both places save the same leaves, one after the other. */
	for (int i = 1; i < 4; i++) {
		ST8(&leaf[i].keys[0], 1);
		ST8(&leaf[i].keys[8], 1);
		leaf[i].save();
	}
	for (int i = 1; i < 4; i++)
		leaf[i].save(); //! redundant-flush
	return 0;
}
