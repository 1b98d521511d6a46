/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-error-buggy.c - a record is changed in place: halfway its sum is wrong, and recovery refuses it. */
// recover: check
#include "crash.h"

struct record {
	_Alignas(LINE) uint64_t value;
	_Alignas(LINE) uint64_t sum;
};

static uint64_t sum_of(uint64_t value)
{
	return value * 3;
}

static void change(struct record *record, uint64_t value)
{
	ST8(&record->value, value); //! recovery-error error
	PERSIST(&record->value);
	ST8(&record->sum, sum_of(value));
	PERSIST(&record->sum);
}

static int work(const char *path)
{
	struct record *record = (struct record *)pool_create(path);

	change(record, 1);
	return 0;
}

static int check(const char *path)
{
	struct record *record = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (record && record->sum != sum_of(record->value))
		REFUSE("the record is damaged");
	return 0;
}
