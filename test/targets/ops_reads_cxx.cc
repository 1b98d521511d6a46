// SPDX-License-Identifier: GPL-2.0-or-later
/* ops_reads_cxx.cc - read operations by streams of C++: ops_reads_cxx POOL cin|unsynced|file FILE */
#include "target.h"

#include <fstream>
#include <iostream>
#include <string>

static void perform(std::istream &in, char *pool)
{
	std::string line;

	for (unsigned n = 0; std::getline(in, line); n++) {
		if (!line.empty() && line.back() == '\r')
			line.pop_back();
		ST8(pool + 8 * (n % 512), line.size());
	}
}

int main(int argc, char **argv)
{
	char *pool;

	CHECK(argc == 4);
	pool = pool_create(argv[1]);
	begin(pool);
	if (!strcmp(argv[2], "file")) {
		std::ifstream file(argv[3]);
		perform(file, pool);
	} else {
		std::ios::sync_with_stdio(!strcmp(argv[2], "cin"));
		perform(std::cin, pool);
	}
	end(pool);
	return 0;
}
