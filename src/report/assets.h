/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assets.h - files of the repository that are built into the program: the style and script of report.html, the help of
 * each kind, and the fixed part of the shell completions. */
#ifndef BLACKOUT_REPORT_ASSETS_H
#define BLACKOUT_REPORT_ASSETS_H

#include "finding/kind.h"

/* Each text ends with a zero byte. */
extern const char asset_css[];
extern const char asset_js[];
extern const char asset_bash[];
extern const char asset_zsh[];

/* doc/findings/KIND.md */
const char *asset_help(enum finding_kind kind);

#endif
