/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shop_cxx FILE OPERATIONS - a program in C++ with persistent objects in a mapped file: small methods, templates and
 * virtual calls around few stores, beside maps and strings in volatile memory. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace
{

constexpr size_t PLACES = 1u << 16;

void persist(const void *p)
{
	__asm__ volatile("clflush (%0)\n\tsfence" : : "r"(p) : "memory");
}

template <typename T> class Persistent
{
      public:
	const T &get() const
	{
		return value;
	}
	void set(const T &to)
	{
		value = to;
		persist(&value);
	}

      private:
	T value;
};

struct alignas(64) Item
{
	Persistent<uint64_t> price;
	Persistent<uint32_t> stock;
	char name[32];
};

class Order
{
      public:
	virtual ~Order() = default;
	virtual void perform(Item &item) const = 0;
};

class Sale : public Order
{
      public:
	void perform(Item &item) const override
	{
		if (item.stock.get() > 0)
			item.stock.set(item.stock.get() - 1);
	}
};

class Delivery : public Order
{
      public:
	explicit Delivery(uint64_t new_price) : price(new_price)
	{
	}
	void perform(Item &item) const override
	{
		item.stock.set(item.stock.get() + 10);
		item.price.set(price);
	}

      private:
	uint64_t price;
};

class Renaming : public Order
{
      public:
	explicit Renaming(std::string new_name) : name(std::move(new_name))
	{
	}
	void perform(Item &item) const override
	{
		item.name[name.copy(item.name, sizeof(item.name) - 1)] = 0;
		persist(item.name);
	}

      private:
	std::string name;
};

std::unique_ptr<Order> order_of(uint64_t random)
{
	if (random % 8 < 5)
		return std::make_unique<Sale>();
	if (random % 8 < 7)
		return std::make_unique<Delivery>(random / 8 % 1000);
	return std::make_unique<Renaming>("item " + std::to_string(random));
}

Item *map_items(const char *path)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, PLACES * sizeof(Item)) == 0)
		p = mmap(nullptr, PLACES * sizeof(Item), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		perror(path);
		exit(3);
	}
	return static_cast<Item *>(p);
}

} // namespace

int main(int argc, char **argv)
{
	std::map<uint64_t, std::vector<uint32_t> > sales; /* by item */
	uint64_t state = 88172645463325252ul;

	if (argc != 3) {
		fprintf(stderr, "usage: shop_cxx FILE OPERATIONS\n");
		return 2;
	}
	Item *items = map_items(argv[1]);
	for (unsigned long n = strtoul(argv[2], nullptr, 10); n > 0; n--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		uint64_t place = state / 64 % PLACES;
		order_of(state / 8)->perform(items[place]);
		sales[place % 997].push_back(static_cast<uint32_t>(n));
	}
	printf("%zu\n", sales.size());
	return 0;
}
