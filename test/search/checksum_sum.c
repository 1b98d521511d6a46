/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checksum_sum.c - a sum of 16 bits follows the data. */
// symbolic: stdin
// stdin: 0123456789ab
// trigger stdin: 9123456789\x16\x02
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t data[12] = {0};
	uint16_t sum = 0;

	SAVE(pool, 1);
	if (fread(data, 1, sizeof(data), stdin) != sizeof(data))
		return 0;
	for (int i = 0; i < 10; i++)
		sum = (uint16_t)(sum + data[i]);
	if (data[10] == (sum & 0xff) && data[11] == sum >> 8 && data[0] == '9')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
