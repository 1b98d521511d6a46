/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vec.h - a growing array.
 *
 *     VEC_OF(uint32_t) ids = {0};                             // zeroed: empty
 *     vec_push(&ids, 7);
 *     for (size_t i = 0; i < ids.count; i++)
 *             use(ids.at[i]);
 *     vec_free(&ids);
 *
 * Pushing may move the items: keep indices instead of pointers, or use a slab (slab.h). */
#ifndef BLACKOUT_BASE_VEC_H
#define BLACKOUT_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define VEC_OF(type)                \
	struct {                    \
		type *at;           \
		size_t count, room; \
	}

#define vec_reserve(v)                                                              \
	do {                                                                        \
		if ((v)->count == (v)->room) {                                      \
			(v)->room = (v)->room ? (v)->room * 2 : 16;                 \
			(v)->at = mem_resize((v)->at, (v)->room, sizeof(*(v)->at)); \
		}                                                                   \
	} while (0)

#define vec_push(v, item)                       \
	do {                                    \
		vec_reserve(v);                 \
		(v)->at[(v)->count++] = (item); \
	} while (0)

/* Push `n` items from an array. */
#define vec_append(v, from, n)                                                          \
	do {                                                                            \
		size_t vec_n = (n);                                                     \
                                                                                        \
		if ((v)->room - (v)->count < vec_n) {                                   \
			(v)->room = (v)->room * 2 + vec_n;                              \
			(v)->at = mem_resize((v)->at, (v)->room, sizeof(*(v)->at));     \
		}                                                                       \
		if (vec_n)                                                              \
			memcpy((v)->at + (v)->count, (from), vec_n * sizeof(*(v)->at)); \
		(v)->count += vec_n;                                                    \
	} while (0)

#define vec_free(v)                         \
	do {                                \
		free((v)->at);              \
		(v)->at = NULL;             \
		(v)->count = (v)->room = 0; \
	} while (0)

#endif
