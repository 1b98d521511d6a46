/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shelf.hpp - a container that is where those of libpmemobj-cpp are.  Like some of them it has a field for the running
 * program alone, and sets it anew without adding it to a transaction. */
#ifndef SHELF_HPP
#define SHELF_HPP

#include "pair.h"

template <typename T> class shelf
{
      public:
	T objects[2];

	void open()
	{
		ST8(&readers, readers + 1);
	}
	T &at(unsigned i)
	{
		return objects[i];
	}
	template <typename F> void each(F function)
	{
		for (T &object : objects)
			function(object);
	}

      private:
	uint64_t readers;
};

#endif
