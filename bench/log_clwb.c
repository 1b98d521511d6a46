/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_clwb FILE OPERATIONS FLUSH - a ring of checksummed records: write the record, persist it, move the tail, persist
 * the tail.
 *
 * log_clwb FILE check - its recovery: every record up to the tail must be complete. */
#include "persist.h"

#define RING_BYTES (8u << 20)

struct record {
	uint32_t size, checksum;
	uint64_t sequence;
	uint8_t data[];
};

struct log {
	uint64_t tail, sequence;
	uint8_t pad[48];
	uint8_t ring[RING_BYTES];
};

static uint32_t checksum(const uint8_t *data, size_t size)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < size; i++) {
		a += data[i];
		b += a;
	}
	return b << 16 ^ a;
}

static void append(struct log *log, const uint8_t *data, uint32_t size)
{
	size_t need = (sizeof(struct record) + size + 7) & ~(size_t)7;
	struct record *record;

	if (log->tail + need > RING_BYTES)
		log->tail = 0;
	record = (struct record *)(log->ring + log->tail);
	record->size = size;
	record->sequence = log->sequence + 1;
	memcpy(record->data, data, size);
	record->checksum = checksum(data, size);
	persist(record, need);
	log->sequence++;
	log->tail += need;
	persist(log, 16);
}

static int check(const char *path)
{
	int fd = open(path, O_RDWR);
	const struct record *record;
	const struct log *log;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || (size_t)st.st_size < sizeof(*log))
		return 0; /* not created yet */
	log = mmap(NULL, sizeof(*log), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (log == MAP_FAILED)
		return 3;
	for (uint64_t at = 0; at < log->tail; at += (sizeof(*record) + record->size + 7) & ~(size_t)7) {
		record = (const struct record *)(log->ring + at);
		if (record->size > 256 || record->checksum != checksum(record->data, record->size)) {
			fprintf(stderr, "the log is damaged at %lu\n", (unsigned long)at);
			return 3;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t state = 88172645463325252ul;
	uint8_t data[256];
	struct log *log;

	if (argc == 3 && !strcmp(argv[2], "check"))
		return check(argv[1]);
	if (argc != 4) {
		fprintf(stderr, "usage: log_clwb FILE OPERATIONS FLUSH | check\n");
		return 2;
	}
	persist_choose(argv[3]);
	log = pool_map(argv[1], sizeof(*log));
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)random_next(&state);
	for (unsigned long n = strtoul(argv[2], NULL, 10); n > 0; n--) {
		uint64_t r = random_next(&state);

		append(log, data + r % 64, (uint32_t)(16 + r / 64 % 176));
	}
	return 0;
}
