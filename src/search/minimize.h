/* SPDX-License-Identifier: GPL-2.0-or-later */
/* minimize.h - make the inputs of findings smaller, as long as they still show the findings. */
#ifndef BLACKOUT_SEARCH_MINIMIZE_H
#define BLACKOUT_SEARCH_MINIMIZE_H

#include "search/input_search_in.h"

/* Execute smaller inputs for each finding, a bounded number and until time is up. */
int inputs_minimize(struct input_search *search, struct err *err);

#endif
