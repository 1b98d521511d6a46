/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BLACKOUT_TEST_TABLE_HH
#define BLACKOUT_TEST_TABLE_HH

#include <atomic>

class Table
{
public:
	virtual ~Table();
	virtual int size() const;
	static std::atomic<int> destroyed;
};

#endif
