/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assets.c - see assets.h.  The assembler includes the files as they are.  Paths are relative to the root of the
 * repository, where make runs.  The compiler does not see these dependencies, so mk/program.mk lists them. */
#include "report/assets.h"

#include "base/err.h"

#define ASSET(symbol, path)                                \
	__asm__(".pushsection .rodata, \"a\", @progbits\n" \
		".global " #symbol "\n" #symbol ":\n"      \
		".incbin \"" path "\"\n"                   \
		".byte 0\n"                                \
		".popsection\n");

ASSET(asset_css, "src/report/assets/report.css")
ASSET(asset_js, "src/report/assets/report.js")
ASSET(asset_bash, "src/report/assets/completion.bash")
ASSET(asset_zsh, "src/report/assets/completion.zsh")

#define X(name, text, class, severity, line)   \
	extern const char asset_help_##name[]; \
	ASSET(asset_help_##name, "doc/findings/" text ".md")
KINDS(X)
#undef X

const char *asset_help(enum finding_kind kind)
{
	if (kind >= KIND_COUNT)
		return kind_get(kind)->help;
	switch (kind) {
#define X(name, text, class, severity, line) \
	case KIND_##name: return asset_help_##name;
		KINDS(X)
#undef X
	case KIND_COUNT: break;
	}
	BUG_ON("no such kind");
	return NULL;
}
