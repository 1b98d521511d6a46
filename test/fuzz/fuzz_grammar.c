/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grammars of any content: parsed or refused, and a few operations made where they parse.  A refusal always names line
 * and column. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/generate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void generate(const struct grammar *grammar, size_t size)
{
	struct generator_options options = {.seed = size,
					    .keys = size + 1,
					    .distribution = size % 2 ? KEYS_ZIPF : KEYS_UNIFORM};
	struct generator *generator = generator_new(grammar, &options);

	for (unsigned i = 0; i < 20; i++)
		if (strchr(generator_next(generator), '\n'))
			abort();
	generator_free(generator);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct grammar *grammar;
	struct err err;

	if (grammar_parse(&grammar, "x", (const char *)data, size, &err) == 0) {
		generate(grammar, size);
		grammar_free(grammar);
	} else {
		unsigned line, column;

		if (err.status != ERR_USAGE || sscanf(err.sentence, "x:%u:%u: ", &line, &column) != 2 || !line ||
		    !column)
			abort();
	}
	return 0;
}
