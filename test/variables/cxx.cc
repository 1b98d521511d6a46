// SPDX-License-Identifier: GPL-2.0-or-later
// Stores in C++, with the name of what each stores to beside it; see test/e2e/variables.test.
#include <atomic>
#include <cstdint>
#include <utility>

#define KEEP __attribute__((noinline))

namespace store
{
struct Base {
	uint64_t id;
	uint32_t flags;
};

struct Empty {
};

template <class T> struct Pointer {
	T *to;
	T *operator->() const { return to; }
	T &operator*() const { return *to; }
};

template <class K, class V> struct Entry {
	K key;
	V value;
};

class Node : public Empty, public Base
{
public:
	uint64_t count;
	Entry<uint64_t, uint32_t> entries[4];
	std::atomic<uint64_t> version;
	std::atomic<bool> full;
	std::pair<uint64_t, uint64_t> pair;
	Pointer<Node> next;
	Node *child;
	enum class State : uint16_t { idle, busy } state;

	KEEP Node(uint64_t n, Node *to);
	virtual ~Node() = default;
	KEEP void set(uint64_t n);
	KEEP void set_base(uint64_t n);
	KEEP void set_entry(uint64_t i, uint32_t n);
	KEEP void set_version(uint64_t n);
	KEEP void set_full();
	KEEP void set_pair(uint64_t n);
	KEEP void set_state(State s);
	KEEP Node *other() { return child; }
	void set_inlined(uint64_t n)
	{
		count = n; //! this->count | node.count | node->count
	}
};

KEEP Node::Node(uint64_t n, Node *to)
{
	count = n;  //! this->count
	child = to; //! this->child
}

void Node::set(uint64_t n)
{
	count = n; //! this->count
}

void Node::set_base(uint64_t n)
{
	id = n; //! this->id
}

void Node::set_entry(uint64_t i, uint32_t n)
{
	entries[i].value = n; //! this->entries[].value
}

void Node::set_version(uint64_t n)
{
	version.store(n, std::memory_order_release); //! this->version
}

void Node::set_full()
{
	full = true; //! this->full
}

void Node::set_pair(uint64_t n)
{
	pair.second = n; //! this->pair.second
}

void Node::set_state(State s)
{
	state = s; //! this->state
}

template <class T> struct List {
	T *head;
	uint64_t length;

	KEEP void push(T *node)
	{
		node->child = head; //! node->child
		head = node;        //! this->head
		length++;           //! this->length
	}
};

KEEP void reference(Node &node, uint64_t n)
{
	node.count = n; //! node.count
}

KEEP void reference_base(Node &node, uint32_t n)
{
	node.flags = n; //! node.flags
}

KEEP void reference_inlined(Node &node, uint64_t n)
{
	node.set_inlined(n);
}

KEEP void reference_number(uint64_t &number, uint64_t n)
{
	number = n; //! number
}

KEEP void smart_pointer(Node *node, uint64_t n)
{
	node->next->count = n; //! node->next->count | node->next.to->count
}

KEEP void smart_pointer_star(Node *node, uint64_t n)
{
	(*node->next).count = n; //! (*node->next).count | node->next.to->count
}

KEEP void smart_pointer_local(Pointer<Node> next, uint64_t n)
{
	next->count = n; //! next->count | next.to->count
}

KEEP void method_result(Node *node, uint64_t n)
{
	node->other()->count = n; //! other()->count | node->other()->count | node->child->count
}

KEEP void template_entry(Entry<uint64_t, uint32_t> *entry, uint32_t n)
{
	entry->value = n; //! entry->value
}

KEEP void lambda(Node *node, uint64_t n)
{
	auto set = [node](uint64_t to) {
		node->count = to; //! node->count | this->__node->count
	};
	set(n);
}

template struct List<Node>;
} // namespace store

int main()
{
	return 0;
}
