/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/image.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "image/image_in.h"
#include "image/write.h"

/* Rule 1 */
static void certain_put(struct image *image, const struct unit *unit, uint8_t visible)
{
	for (unsigned i = 0, n; i < unit->size; i += n) {
		n = 1;
		if (!(visible >> i & 1))
			continue;
		while (i + n < unit->size && visible >> (i + n) & 1)
			n++;
		content_put(image->certain, unit->file, unit->offset + i, unit->value + i, n);
	}
}

/* A unit becomes certain.  Called while the model still counts the unit as pending. */
static void on_persist(void *arg, const struct event *by, const struct unit *unit)
{
	struct image *image = arg;
	bool mixed;
	size_t units = model_line_units(image->model, unit->file, unit->offset, &mixed);

	(void)by;
	certain_put(image, unit, ages_visible(&image->ages, unit));
	ages_note(&image->ages, unit, units ? units - 1 : 0, mixed);
}

struct image *image_new(const struct platform *platform, const struct origin *origin)
{
	static const struct model_observer observer = {.persist = on_persist};
	struct image *image = mem_alloc(sizeof(*image));

	image->origin = origin;
	image->model = model_new(platform, MODEL_STATES, &observer, image);
	image->certain = origin ? content_copy(origin_content(origin)) : content_new();
	image->digests = digests_new(image->certain);
	return image;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	model_free(image->model);
	digests_free(image->digests);
	content_free(image->certain);
	ages_free(&image->ages);
	found_free(&image->found);
	view_free(&image->view);
	vec_free(&image->filling);
	vec_free(&image->announced);
	free(image);
}

void image_settle(struct image *image)
{
	if (!image->found.file)
		return;
	found_end(&image->found, image->certain, &image->ages);
	image->view.valid = image->view.arranged = false;
}

/* Called before the model applies the event: afterwards the pending units would be gone.  A file that is found again is
 * compared with the content that the program itself sees, including everything pending. */
static void find_again(struct image *image, const struct event *ev)
{
	struct state *all;

	if (found_is_over(&image->found, ev))
		image_settle(image);
	if (ev->type != EVENT_FILE || ev->file >= image->announced.count || !image->announced.at[ev->file])
		return;
	image_settle(image);
	all = state_all(image);
	found_start(&image->found, ev, image_events(image) + 1, state_content(image, all));
	state_free(all);
}

/* Rule 3: a file that existed before is already there.  A file that is found again keeps its certain content, within
 * its size. */
static void apply_file(struct image *image, const struct event *ev)
{
	struct event part = *ev;

	if (image->found.file == ev->file) {
		part.type = EVENT_FILE_TRUNCATE;
		content_apply(image->certain, &part);
		part.type = EVENT_FILE_RENAME;
		if (ev->path)
			content_apply(image->certain, &part);
		image->filling.at[ev->file] = false;
		return;
	}
	image->announced.at[ev->file] = true;
	image->filling.at[ev->file] = content_knows(image->certain, ev->file);
	if (!image->filling.at[ev->file])
		content_apply(image->certain, ev);
}

/* Rule 2: changes of the files themselves are certain; data written to them is pending. */
static void apply_certain(struct image *image, const struct event *ev)
{
	struct event grown = *ev;

	while (image->filling.count <= ev->file) {
		vec_push(&image->filling, false);
		vec_push(&image->announced, false);
	}
	switch (ev->type) {
	case EVENT_FILE: apply_file(image, ev); break;
	case EVENT_CONTENT:
		if (!image->filling.at[ev->file] && !found_takes(&image->found, ev))
			content_apply(image->certain, ev);
		break;
	case EVENT_FILE_WRITE: /* grows the file as fallocate does */
		grown.type = EVENT_FILE_ALLOCATE;
		grown.flags = 0;
		if (ev->size)
			content_apply(image->certain, &grown);
		break;
	case EVENT_FILE_TRUNCATE: image->filling.at[ev->file] = false; /* fall through */
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK: content_apply(image->certain, ev); break;
	default: break;
	}
}

void image_apply(struct image *image, const struct event *ev)
{
	if (image->found.file || ev->type == EVENT_FILE)
		find_again(image, ev);
	image->view.valid = image->view.arranged = false;
	model_apply(image->model, ev);
	if (ev->file && ev->type != EVENT_STORE)
		apply_certain(image, ev);
}

uint64_t image_events(const struct image *image)
{
	return model_events(image->model);
}

struct model *image_model(struct image *image)
{
	return image->model;
}

uint32_t image_file_count(const struct image *image)
{
	return content_file_count(image->certain);
}

bool image_exists(const struct image *image, uint32_t file)
{
	return content_knows(image->certain, file) && content_path(image->certain, file);
}

const char *image_path(const struct image *image, uint32_t file)
{
	return image_exists(image, file) ? content_path(image->certain, file) : NULL;
}

uint64_t image_size(const struct image *image, uint32_t file)
{
	return content_size(image->certain, file);
}

bool image_is_blank(const struct image *image, uint32_t file)
{
	return content_knows(image->certain, file) && !content_pages(image->certain, file) &&
	       !(image->origin && content_knows(origin_content(image->origin), file));
}

/* Bytes of a state */

/* Return the first patch at or after a line. */
static size_t patch_find(const struct state *state, uint32_t file, uint64_t line)
{
	size_t low = 0, high = state->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct patch *p = &state->at[middle];

		if (p->file < file || (p->file == file && p->offset / LINE_BYTES < line))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Copy the patches of [offset, offset + size) over the buffer that holds this range. */
static void patches_show(const struct state *state, uint32_t file, uint64_t offset, uint8_t *buffer, size_t size)
{
	uint64_t end = offset + size;

	for (size_t i = patch_find(state, file, offset / LINE_BYTES); i < state->count; i++) {
		const struct patch *p = &state->at[i];
		uint64_t from = p->offset > offset ? p->offset : offset, to = p->offset + p->size;

		if (p->file != file || p->offset / LINE_BYTES * LINE_BYTES >= end)
			break;
		to = to < end ? to : end;
		if (from < to)
			memcpy(buffer + (from - offset), p->value + (from - p->offset), to - from);
	}
}

static void check_moment(const struct image *image, const struct state *state)
{
	BUG_ON(state && state->event != image_events(image));
}

size_t image_read(const struct image *image, const struct state *state, uint32_t file, uint64_t offset, void *buffer,
		  size_t size)
{
	size_t n = content_read(image->certain, file, offset, buffer, size);

	check_moment(image, state);
	if (state && n)
		patches_show(state, file, offset, buffer, n);
	return n;
}

/* Does the state have patches on the page? */
static bool page_is_covered(const struct state *state, uint32_t file, uint64_t number)
{
	size_t at = state ? patch_find(state, file, number * (IMAGE_PAGE / LINE_BYTES)) : 0;

	return state && at < state->count && state->at[at].file == file && state->at[at].offset / IMAGE_PAGE == number;
}

const uint8_t *image_page(const struct image *image, const struct state *state, uint32_t file, uint64_t number,
			  uint8_t buffer[IMAGE_PAGE])
{
	static const uint8_t zeros[IMAGE_PAGE];
	const uint8_t *certain = content_page(image->certain, file, number);

	certain = certain ? certain : zeros;
	if (!page_is_covered(state, file, number))
		return certain;
	memcpy(buffer, certain, IMAGE_PAGE);
	patches_show(state, file, number * IMAGE_PAGE, buffer, IMAGE_PAGE);
	return buffer;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t *image_page_numbers(const struct image *image, const struct state *state, uint32_t file, size_t *count)
{
	size_t n, kept = 0;
	uint64_t *numbers = content_page_numbers(image->certain, file, &n);

	check_moment(image, state);
	if (state) {
		numbers = mem_resize(numbers, n + state->count + 1, sizeof(*numbers));
		for (size_t i = patch_find(state, file, 0); i < state->count && state->at[i].file == file; i++)
			numbers[n++] = state->at[i].offset / IMAGE_PAGE;
		qsort(numbers, n, sizeof(*numbers), by_number);
	}
	for (size_t i = 0; i < n; i++) {
		if (!kept || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	}
	*count = kept;
	return numbers;
}

int image_write(const struct image *image, const struct state *state, uint32_t file, int fd, struct err *err)
{
	uint64_t size = image_size(image, file), *numbers;
	uint8_t buffer[IMAGE_PAGE];
	size_t count;
	int r = 0;

	if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)size) < 0)
		return err_sys(err, "cannot write a PM file's content of %llu bytes", (unsigned long long)size);
	numbers = image_page_numbers(image, state, file, &count);
	for (size_t i = 0; i < count && r == 0; i++) {
		const uint8_t *page = image_page(image, state, file, numbers[i], buffer);
		uint64_t offset = numbers[i] * IMAGE_PAGE;

		if (offset < size && !bytes_are_zero(page, IMAGE_PAGE))
			r = write_all(fd, page, offset, size - offset < IMAGE_PAGE ? size - offset : IMAGE_PAGE,
				      "a PM file's content", err);
	}
	free(numbers);
	return r;
}
