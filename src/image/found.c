/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/found.h"

#include <string.h>

void found_free(struct found *found)
{
	content_free(found->left);
	content_free(found->now);
	*found = (struct found){0};
}

void found_start(struct found *found, const struct event *ev, uint64_t number, struct content *left)
{
	*found = (struct found){.file = ev->file, .process = ev->process, .event = number};
	found->left = left;
	found->now = content_new();
	content_apply(found->now, ev);
}

bool found_takes(struct found *found, const struct event *ev)
{
	if (!found->file || ev->type != EVENT_CONTENT || ev->file != found->file || ev->process != found->process)
		return false;
	content_apply(found->now, ev);
	return true;
}

bool found_is_over(const struct found *found, const struct event *ev)
{
	return found->file && ev->process == found->process && (ev->type != EVENT_CONTENT || ev->file != found->file);
}

static void page_compare(struct found *found, struct content *certain, struct ages *ages, uint64_t number)
{
	static const uint8_t zeros[IMAGE_PAGE];
	const uint8_t *left = content_page(found->left, found->file, number);
	const uint8_t *now = content_page(found->now, found->file, number);

	left = left ? left : zeros;
	now = now ? now : zeros;
	for (size_t i = 0; i < IMAGE_PAGE; i++) {
		if (left[i] == now[i])
			continue;
		content_put(certain, found->file, number * IMAGE_PAGE + i, now + i, 1);
		ages_set(ages, found->file, number * IMAGE_PAGE + i, found->event);
	}
}

static void pages_compare(struct found *found, struct content *certain, struct ages *ages, const struct content *of)
{
	size_t count;
	uint64_t *numbers = content_page_numbers(of, found->file, &count);

	for (size_t i = 0; i < count; i++)
		page_compare(found, certain, ages, numbers[i]);
	free(numbers);
}

void found_end(struct found *found, struct content *certain, struct ages *ages)
{
	pages_compare(found, certain, ages, found->left);
	pages_compare(found, certain, ages, found->now);
	found_free(found);
}
