/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_context.h - what an oracle may know about a crash besides the content that it left.
 *
 *     struct crash_context crash = campaign_crash(campaign, platform, event);       // campaign_in.h
 *     struct digest name = crash_case(state->digest, &crash);
 *
 * A case is a content in a context.  Cases, not contents, are what is claimed, judged, counted and remembered.
 * Contexts with the same key are alike to all oracles, so the same content in them is one case.  If no
 * oracle looks at the context, every key is 0, and a case has the digest of its content. */
#ifndef BLACKOUT_CRASH_CRASH_CONTEXT_H
#define BLACKOUT_CRASH_CRASH_CONTEXT_H

#include <stdint.h>
#include <xxhash.h>

#include "image/digest.h"
#include "model/model.h"

/* The event of a context without a crash: what the program leaves at its end. */
#define CRASH_NONE UINT64_MAX

struct crash_context {
	const struct platform *platform;
	uint64_t event; /* of the recording; the crash is just after it.  0: before the first; or CRASH_NONE */
	/* A crash during recovery: the crash that it recovers from.  Otherwise NULL. */
	const struct crash_context *first;
	/* oracles_place sets these; see struct oracle. */
	uint64_t key;     /* contexts with the same key are judged alike */
	uint64_t command; /* contexts with the same command run the same recovery; 0: the user's, unchanged */
};

static inline struct digest crash_key_digest(uint64_t key)
{
	XXH128_hash_t hash;

	if (!key)
		return (struct digest){0};
	hash = XXH3_128bits(&key, sizeof(key));
	return (struct digest){hash.low64, hash.high64};
}

/* The name of the case that this content is in this context. */
static inline struct digest crash_case(struct digest content, const struct crash_context *crash)
{
	return digest_add(content, crash_key_digest(crash->key));
}

/* The content of a case. */
static inline struct digest crash_content(struct digest name, const struct crash_context *crash)
{
	return digest_subtract(name, crash_key_digest(crash->key));
}

/* The name of the run of recovery that decides a case: equal for cases with the same content and the same command. */
static inline struct digest crash_run(struct digest name, const struct crash_context *crash)
{
	return digest_add(crash_content(name, crash), crash_key_digest(crash->command));
}

#endif
