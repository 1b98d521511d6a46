/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing: the header describes the body, so it is written last. */
#include "image/snapshot.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/err.h"
#include "image/image_in.h"
#include "image/snapshot_in.h"
#include "image/write.h"

#define LEVEL 3
#define RUN_BYTES (64u * 1024)

struct writer {
	int fd;
	const char *path;
	uint64_t at; /* offset in the file */
	struct snapshot_header header;
	XXH3_state_t *sum;
	ZSTD_CCtx *zstd;
	uint8_t out[RUN_BYTES];
	struct err *err;
};

/* Add bytes to the body; `end` is 1 after the last. */
static int body_put(struct writer *w, const void *bytes, size_t size, int end)
{
	ZSTD_inBuffer in = {bytes, size, 0};
	size_t left;

	XXH3_64bits_update(w->sum, bytes, size);
	w->header.body_bytes += size;
	do {
		ZSTD_outBuffer out = {w->out, sizeof(w->out), 0};

		left = ZSTD_compressStream2(w->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return err_set(w->err, "cannot compress a crash state: %s", ZSTD_getErrorName(left));
		if (write_all(w->fd, w->out, w->at, out.pos, w->path, w->err) < 0)
			return -1;
		w->at += out.pos;
	} while (in.pos < in.size || (end && left));
	return 0;
}

static int path_put(struct writer *w, const char *path, uint64_t size, uint64_t extents)
{
	uint32_t length = (uint32_t)strlen(path);
	uint64_t numbers[] = {size, extents};

	if (body_put(w, &length, sizeof(length), 0) < 0 || body_put(w, path, length, 0) < 0)
		return -1;
	return body_put(w, numbers, sizeof(numbers), 0);
}

/* Reduce numbers[] to the pages that are not all zero, without reordering; return how many are left. */
static size_t pages_filled(const struct image *image, const struct state *state, uint32_t file, uint64_t *numbers,
			   size_t count)
{
	uint8_t buffer[IMAGE_PAGE];
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const uint8_t *page = image_page(image, state, file, numbers[i], buffer);

		if (numbers[i] * IMAGE_PAGE < image_size(image, file) && !bytes_are_zero(page, IMAGE_PAGE))
			numbers[kept++] = numbers[i];
	}
	return kept;
}

/* The number of consecutive pages at the start. */
static size_t run_length(const uint64_t *numbers, size_t count)
{
	size_t n = 1;

	while (n < count && numbers[n] == numbers[0] + n)
		n++;
	return n;
}

static int extent_put(struct writer *w, const struct image *image, const struct state *state, uint32_t file,
		      uint64_t number, size_t pages)
{
	uint64_t extent[] = {number * IMAGE_PAGE, pages * IMAGE_PAGE};
	uint8_t buffer[IMAGE_PAGE];
	int r;

	if (extent[1] > image_size(image, file) - extent[0])
		extent[1] = image_size(image, file) - extent[0];
	r = body_put(w, extent, sizeof(extent), 0);
	for (uint64_t done = 0; r == 0 && done < extent[1]; done += IMAGE_PAGE) {
		const uint8_t *page = image_page(image, state, file, number + done / IMAGE_PAGE, buffer);

		r = body_put(w, page, extent[1] - done < IMAGE_PAGE ? extent[1] - done : IMAGE_PAGE, 0);
	}
	return r;
}

static int file_put(struct writer *w, const struct image *image, const struct state *state, uint32_t file)
{
	uint64_t *numbers, extents = 0;
	size_t count;
	int r;

	numbers = image_page_numbers(image, state, file, &count);
	count = pages_filled(image, state, file, numbers, count);
	for (size_t i = 0; i < count; i += run_length(numbers + i, count - i))
		extents++;
	r = path_put(w, image_path(image, file), image_size(image, file), extents);
	for (size_t i = 0, n; i < count && r == 0; i += n) {
		n = run_length(numbers + i, count - i);
		r = extent_put(w, image, state, file, numbers[i], n);
	}
	free(numbers);
	return r;
}

static bool path_is_there(const struct image *image, const char *path)
{
	for (uint32_t file = 1; file <= image_file_count(image); file++) {
		if (image_exists(image, file) && !strcmp(image_path(image, file), path))
			return true;
	}
	return false;
}

static int absent_put(struct writer *w, const struct image *image)
{
	int r = 0;

	for (size_t i = 0; image->origin && i < origin_path_count(image->origin) && r == 0; i++) {
		const char *path = origin_path(image->origin, i);

		if (!path_is_there(image, path))
			r = path_put(w, path, 0, SNAPSHOT_ABSENT);
	}
	return r;
}

static int dirs_put(struct writer *w, const struct image *image)
{
	uint64_t count = image->origin ? origin_dir_count(image->origin) : 0;
	int r = body_put(w, &count, sizeof(count), 0);

	for (size_t i = 0; i < count && r == 0; i++) {
		uint32_t length = (uint32_t)strlen(origin_dir(image->origin, i));

		r = body_put(w, &length, sizeof(length), 0);
		if (r == 0)
			r = body_put(w, origin_dir(image->origin, i), length, 0);
	}
	return r;
}

static int all_put(struct writer *w, const struct image *image, const struct state *state)
{
	int r = dirs_put(w, image);

	for (uint32_t file = 1; file <= image_file_count(image) && r == 0; file++) {
		if (image_exists(image, file))
			r = file_put(w, image, state, file);
	}
	if (r == 0)
		r = absent_put(w, image);
	if (r == 0)
		r = body_put(w, "", 0, 1);
	w->header.checksum = XXH3_64bits_digest(w->sum);
	return r < 0 ? -1 : write_all(w->fd, (const uint8_t *)&w->header, 0, sizeof(w->header), w->path, w->err);
}

int snapshot_write(const char *path, const struct image *image, const struct state *state, struct err *err)
{
	struct writer *w = mem_alloc(sizeof(*w));
	int r = -1;

	BUG_ON(state->event != image_events(image));
	memcpy(w->header.magic, SNAPSHOT_MAGIC, sizeof(w->header.magic));
	w->header.event = state->event;
	w->at = sizeof(w->header);
	w->err = err;
	w->path = path;
	w->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	w->sum = XXH3_createState();
	w->zstd = ZSTD_createCCtx();
	BUG_ON(!w->sum || !w->zstd);
	XXH3_64bits_reset(w->sum);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	if (w->fd < 0)
		err_sys(err, "cannot write %s", path);
	else
		r = all_put(w, image, state);
	if (w->fd >= 0 && close(w->fd) < 0 && r == 0)
		r = err_sys(err, "cannot write %s", path);
	XXH3_freeState(w->sum);
	ZSTD_freeCCtx(w->zstd);
	free(w);
	return r;
}
