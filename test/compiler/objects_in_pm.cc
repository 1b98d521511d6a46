/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects_in_pm - objects of C++ in PM: constructors, virtual functions, assignments, atomics (noted.sh). */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <new>

struct Square {
	uint64_t side;
	// clang-format off
	explicit Square(uint64_t s) : side(s) {} //! store plain 8; store plain 8
	// clang-format on
	virtual ~Square() = default;
	virtual uint64_t area() const
	{
		return side * side;
	}
};

struct Point {
	uint64_t x, y, z;
};

struct Pool {
	alignas(64) char square[64];
	Point point;
	std::atomic<uint64_t> count;
	std::atomic<bool> ready;
	std::atomic<Point *> head;
	std::atomic_flag flag;
	uint64_t plain;
};

static volatile uint64_t seed = 5, sink;
static Point origin = {1, 2, 3};

__attribute__((noinline)) static Square *construct(Pool *pool)
{
	return new (pool->square) Square(seed);
}

__attribute__((noinline)) static void assign(Pool *pool)
{
	pool->point = origin; //! store plain 24
	Point &p = pool->point;
	p.y = seed; //! store plain 8
}

__attribute__((noinline)) static void atomics(Pool *pool)
{
	pool->count = seed;                                        //! atomic-store pm seq_cst; store atomic,seq_cst 8
	pool->count.store(seed, std::memory_order_release);        //! atomic-store pm release; store atomic,release 8
	pool->count++;                                             //! atomic-update pm seq_cst; store atomic,seq_cst 8
	pool->count.fetch_add(seed, std::memory_order_relaxed);    //! atomic-update pm relaxed; store atomic,relaxed 8
	sink = pool->count.load(std::memory_order_acquire);        //! atomic-load pm acquire; load atomic,acquire 8
	pool->ready.store(true, std::memory_order_relaxed);        //! atomic-store pm relaxed; store atomic,relaxed 1
	pool->head.store(&pool->point, std::memory_order_release); //! atomic-store pm release; store atomic,release 8
	sink = pool->flag.test_and_set(std::memory_order_acq_rel); //! atomic-update pm acq_rel; store atomic,acq_rel 1
	pool->flag.clear(std::memory_order_release);               //! atomic-store pm release; store atomic,release 1
}

__attribute__((noinline)) static void references(Pool *pool)
{
	std::atomic_ref<uint64_t> plain(pool->plain);
	plain.store(seed, std::memory_order_release); //! atomic-store pm release; store atomic,release 8
	pool->plain += seed;                          //! store plain 8
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_CREAT | O_RDWR, 0666);

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return 1;
	void *at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return 1;
	Pool *pool = static_cast<Pool *>(at);
	Square *square = construct(pool);
	assign(pool);
	atomics(pool);
	references(pool);
	return square->area() == 25 ? 0 : 1;
}
