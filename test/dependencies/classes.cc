/* SPDX-License-Identifier: GPL-2.0-or-later */
/* classes.cc - dependencies in C++: virtual functions, exceptions, containers. */
#include "depend.h"

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

namespace
{
class shape
{
      public:
	virtual ~shape() = default;
	virtual void draw(struct words *pm) = 0;
	virtual uint64_t corners() = 0;
};

class square final : public shape
{
      public:
	void draw(struct words *pm) override
	{
		pm->y = 4;
	}
	uint64_t corners() override
	{
		return 4;
	}
};

class circle final : public shape
{
      public:
	void draw(struct words *pm) override
	{
		pm->y = 0;
	}
	uint64_t corners() override
	{
		return 0;
	}
};

/* No destructor: an object in PM that is only made of its table's address.  There are two classes, so that the compiler
 * cannot know which one it is. */
struct command {
	virtual void run(struct words *pm);
};

struct other_command : command {
	void run(struct words *pm) override;
};

APART void command::run(struct words *pm)
{
	pm->y = 1;
}

APART void other_command::run(struct words *pm)
{
	pm->y = 2;
}
} // namespace

static void words_prepare(struct words *words)
{
	static volatile bool other;

	if (other)
		new ((void *)&words->object) other_command;
	else
		new ((void *)&words->object) command;
}

CASE(virtual_call)
{
	static square one;
	static circle two;
	static shape *volatile shapes[4] = {&two, &two, &one, &two};

	shapes[pm->index]->draw(pm); //! store y: control index
	pm->w = 1;                   //! store w: nothing
}

CASE(virtual_call_unlabeled)
{
	static square one;
	static shape *volatile chosen = &one;

	chosen->draw(pm); //! store y: nothing
}

CASE(virtual_call_of_pm_object)
{
	command *volatile object = (command *)&pm->object;

	object->run(pm); //! store y: control object
	pm->w = 1;       //! store w: nothing
}

static APART void throw_if(struct words *pm, word *decision)
{
	if (*decision)
		throw 1;
	pm->v = 1;
}

/* The handler is found by what the throw brings along. */
CASE(exception)
{
	try {
		throw_if(pm, &pm->flag);
	} catch (int) {
		pm->y = 1; //! store y: control flag
	}
}

CASE(exception_not_thrown)
{
	try {
		throw_if(pm, &pm->off); //! store v: control off
	} catch (int) {
		pm->y = 1;
	}
	pm->w = 1; //! store w: nothing
}

static APART void throw_value(struct words *pm)
{
	throw(uint64_t) pm->x;
}

CASE(exception_with_value)
{
	try {
		throw_value(pm);
	} catch (uint64_t value) {
		pm->y = value; //! store y: data x
	}
	pm->w = 1; //! store w: nothing
}

/* An exception that no value of PM has decided, out of a frame that has decided something else. */
static APART void decide_and_throw(struct words *pm)
{
	if (pm->flag)
		pm->v = 1;
	throw 1;
}

CASE(exception_ends_frames)
{
	try {
		decide_and_throw(pm); //! store v: control flag
	} catch (int) {
		pm->y = 1; //! store y: nothing
	}
	pm->w = 1; //! store w: nothing
}

CASE(container)
{
	std::vector<uint64_t> values;

	values.push_back((uint64_t)pm->x);
	values.push_back((uint64_t)pm->z);
	values.push_back(3);
	pm->y = values[1]; //! store y: data z
	pm->w = values[2]; //! store w: nothing
}

CASE(closure)
{
	uint64_t x = pm->x, z = pm->z;
	std::function<uint64_t(int)> sum = [x](int n) { return x + (uint64_t)n; };
	std::function<uint64_t(int)> other = [z](int n) { return z + (uint64_t)n; };

	pm->y = sum(1);   //! store y: data x
	pm->w = other(1); //! store w: data z
}

CASE(reference)
{
	word &x = pm->x;
	uint64_t local = x;
	uint64_t &alias = local;

	pm->y = alias; //! store y: data x
}

CASE(smart_pointer)
{
	auto shared = std::make_shared<uint64_t>((uint64_t)pm->x);
	std::shared_ptr<uint64_t> copy = shared;

	pm->y = *copy;                      //! store y: data x
	pm->w = (uint64_t)copy.use_count(); //! store w: nothing
}

static APART std::optional<uint64_t> x_if(struct words *pm)
{
	if (pm->flag)
		return (uint64_t)pm->x;
	return std::nullopt;
}

CASE(optional_value)
{
	std::optional<uint64_t> x = x_if(pm);

	if (x)
		pm->y = *x; //! store y: data x; control flag
	pm->w = 1;          //! store w: nothing
}

CASE(atomic_object)
{
	auto *x = (std::atomic<uint64_t> *)(void *)&pm->x;

	pm->y = x->fetch_sub(2); //! store y: data x
	x->store(pm->z, std::memory_order_release);
}
//! store x: data x
//! store x: data z

namespace
{
class closer
{
      public:
	explicit closer(struct words *words) : pm(words)
	{
	}
	~closer()
	{
		pm->y = 1;
	}

      private:
	struct words *pm;
};
} // namespace

static APART void leave_scope(struct words *pm)
{
	closer at_end(pm);

	if (pm->flag)
		return;
	pm->v = 1;
}

/* A destructor runs on both sides of an early return. */
CASE(destructor)
{
	leave_scope(pm); //! store y: nothing
	pm->w = 1;       //! store w: nothing
}

template <typename T> static APART T larger(T a, T b)
{
	T v;

	if (a > b)
		__asm__ volatile("mov %1, %0" : "=r"(v) : "r"(a));
	else
		__asm__ volatile("mov %1, %0" : "=r"(v) : "r"(b));
	return v;
}

CASE(function_template)
{
	pm->y = larger<uint64_t>(pm->x, pm->z); //! store y: data z; control x z
}
