/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_date.c - a date, read by sscanf in fields of two and four digits. */
// symbolic: stdin
// stdin: 1\n
// trigger stdin: 2024-02-29\n
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[64] = "";
	int year, month, day;

	SAVE(pool, 1);
	if (!fgets(line, sizeof(line), stdin) || sscanf(line, "%4d-%2d-%2d", &year, &month, &day) != 3)
		return 0;
	if (month < 1 || month > 12 || day < 1 || day > 31)
		return 0;
	if (year == 2024 && month == 2 && day == 29)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
