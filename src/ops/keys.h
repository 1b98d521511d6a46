/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.h - choose the keys of generated operations, so that operations meet on the same keys.
 *
 * Keys are numbers from 1 on.  Their order looks random: a tree that is filled in ascending order is tested only at its
 * right edge.
 *
 *     struct keys *keys = keys_new(100, KEYS_ZIPF, seed);
 *     for each operation:
 *             key = keys_any(keys); ...
 *             keys_settle(keys);                    // from now on, its keys are old
 *
 * The choices depend on the seed alone.  There is no floating point, so that all machines choose the same. */
#ifndef BLACKOUT_OPS_KEYS_H
#define BLACKOUT_OPS_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#define KEYS_MAX UINT64_C(1000000000000000000)

/* How often keys are chosen: all equally often, or the n-th most popular one with a probability proportional to 1/n. */
enum keys_distribution { KEYS_UNIFORM, KEYS_ZIPF };

struct keys;

/* Choose from 1 to `count`, which is at least 1 and at most KEYS_MAX. */
struct keys *keys_new(uint64_t count, enum keys_distribution distribution, uint64_t seed);
void keys_free(struct keys *keys);

/* Two times in three an old key, if there is one; otherwise any. */
uint64_t keys_any(struct keys *keys);

/* A key that was never chosen.  When all `count` keys have been chosen, the keys after `count` follow. */
uint64_t keys_unused(struct keys *keys);

/* A key of an earlier operation; there must be one. */
uint64_t keys_old(struct keys *keys);
bool keys_have_old(const struct keys *keys);

/* The operation is complete: the keys that were chosen for it are now old. */
void keys_settle(struct keys *keys);

#endif
