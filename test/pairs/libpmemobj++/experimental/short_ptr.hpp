/* SPDX-License-Identifier: GPL-2.0-or-later */
/* short_ptr.hpp - a pointer that is where the experimental ones of libpmemobj-cpp are, but does not add itself to the
 * transaction: it stores for whoever assigns to it. */
#ifndef SHORT_PTR_HPP
#define SHORT_PTR_HPP

#include "pair.h"

class short_ptr
{
      public:
	short_ptr &operator=(uint64_t value)
	{
		ST8(&offset, value);
		return *this;
	}

      private:
	uint64_t offset;
};

#endif
